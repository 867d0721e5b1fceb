/* Every method of the registry in every variant, with options for a short run: what conformance tests go
 * over. A method that is added to the registry is among them. What a method needs follows from its table of
 * options, never from its name. */
#ifndef SOTTO_TESTS_SUPPORT_REGISTRY_CASES_H
#define SOTTO_TESTS_SUPPORT_REGISTRY_CASES_H

#include "made_run.h"
#include "run/method/method.h"

/* One adjacency and one accounting of one variant. */
typedef struct check_case {
  const sotto_i_method *method;
  const sotto_i_variant *variant;
  const char *adjacency, *accounting;
  char name[80];   /* "METHOD-ADJACENCY-ACCOUNTING"; also of folders */
  bool collection; /* it protects graphs, so its data are a collection */
  bool transfers;  /* it protects these, so its data have some */
} check_case;

enum { CHECK_MOST_CASES = 512 };

/* The data of all tests over these cases. */
typedef struct check_case_data {
  sotto_dataset graph;      /* 200 nodes of 3 classes */
  sotto_dataset collection; /* 24 graphs: surroundings of nodes of that graph */
  sotto_dataset transfers;  /* that graph, with two transfers an edge */
  char max_degree[24];      /* of the graph */
} check_case_data;
check_case_data check_case_data_new(void);
void check_case_data_free(check_case_data *data);

/* All cases, in a static array: those whose name begins with $SOTTO_TEST_CASE, where it is set. */
const check_case *check_cases(size_t *count);
/* Were so many seen that the test is not blind? Of chosen cases there may be few. */
void check_seen(bool enough);
/* Twice each edge of a graph of nodes, there and back, with amounts and days; `less`: without the last row.
 */
sotto_dataset check_with_transfers(const sotto_dataset *data, bool less);
const sotto_dataset *check_data_of(const check_case *c, const check_case_data *data);
/* A short run in FOLDER of the test (not made yet) with a ledger of its own, FOLDER.db. */
sotto_options check_case_options(const check_case *c, const check_case_data *data, const char *folder);
/* Options, and values, that ask for releases of their own, or for more of them, in whatever method has them.
 */
enum { CHECK_FURTHER = 11 };
extern const char *const check_further[CHECK_FURTHER][2];
/* Has the case this option? */
bool check_case_has(const check_case *c, const char *key);
/* Has it the option, and takes it this value? Of two holders the third has labels alone, but in securegnn. */
bool check_case_takes(const check_case *c, const char *const further[2]);

#endif
