/* The files of a run folder, loaded for its page. */
#ifndef SOTTO_APP_REPORT_PAGE_LOAD_H
#define SOTTO_APP_REPORT_PAGE_LOAD_H

#include "report/object.h"
#include "sotto/options.h"
#include "sotto/statement.h"

enum { PAGE_STAGES = 12, PAGE_STAGE_NAME = 48 };

/* Loss and validation score of each epoch from 1 on, summed over seeds. Scores that were not measured are
 * skipped, so each sum has its own count. */
typedef struct page_stage {
  char name[PAGE_STAGE_NAME];
  double *loss, *validation; /* sums */
  uint32_t *losses, *validations;
  size_t epochs, room;
} page_stage;

/* Releases for predictions, each with a statement below the run folder, and their sums. */
enum { PAGE_TOGETHER = 32 };
typedef struct page_later {
  char name[64];
  double epsilon, delta; /* NAN: no guarantee */
} page_later;
typedef struct page_together {
  page_later list[PAGE_TOGETHER]; /* at most PAGE_TOGETHER, the first ones */
  size_t count;
  double epsilon, delta;
} page_together;

typedef struct page_run {
  char name[256], role[32];    /* name of the folder; role of the party, empty in one process */
  json_t *statement, *result;  /* result: NULL without a readable result.json */
  bool hides;                  /* its measures follow from private data and are in owner-only/ */
  sotto_statement_check check; /* result of checking the folder */
  bool asked;                  /* the ledger and known keys were consulted */
  page_together together;
  page_stage stages[PAGE_STAGES];
  size_t stage_count;
  sotto_options options;
  bool has_options;
} page_run;

/* Checks the folder (sotto_statement_verify), with the ledger if `with_ledger`; an edited statement is an
 * error. Measures that follow from private data are loaded only for the owner. Errors: NOT_FOUND (no
 * statement.json), CORRUPT, UNSUPPORTED, PARSE, IO, NOMEM. */
sotto_status page_run_load(page_run *out, const char *folder, bool owner, bool with_ledger, sotto_error *err);
void page_run_free(page_run *run);

/* Members of an object from any file: NAN and "" if missing or of another type. */
double page_number(const json_t *object, const char *key);
const char *page_words(const json_t *object, const char *key);
bool page_true(const json_t *object, const char *key);
/* Does the run have a proven privacy guarantee? */
bool page_guarantees(const page_run *run);
/* Epsilon of all repeats together, since a reader of one release can read all; NAN without a guarantee. */
double page_epsilon(const page_run *run);
double page_delta(const page_run *run);

#endif
