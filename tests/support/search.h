/* The search for the largest change of an aggregate between neighbouring inputs: a slow dense reference in
 * double precision that shares nothing with the production kernels. */
#ifndef SOTTO_TESTS_SUPPORT_SEARCH_H
#define SOTTO_TESTS_SUPPORT_SEARCH_H

#include "base/random.h"
#include "sotto/graph.h"

enum { CHECK_MOST_NODES = 60, CHECK_COLS = 2 };

/* Symmetric, without loops. */
typedef struct check_dense {
  int nodes;
  uint8_t edge[CHECK_MOST_NODES][CHECK_MOST_NODES];
} check_dense;

typedef struct check_rule {
  sotto_aggregator aggregator;
  int degree_floor;
  bool self;
  double clip;      /* rows of the aggregate are cut to this norm; INFINITY: not */
  bool nonnegative; /* rows have no value below 0 */
} check_rule;

/* Two neighbouring inputs. At node level, `changed` is the node whose row differs too; at edge level it is
 * -1. */
typedef struct check_pair {
  check_dense before, after;
  int changed;
} check_pair;

/* Rows of norm at most 1; the last one is the changed node's in the second input. */
typedef struct check_rows {
  double x[CHECK_MOST_NODES + 1][CHECK_COLS];
} check_rows;

void check_set_edge(check_dense *graph, int u, int v, bool present);
int check_degree(const check_dense *graph, int v);

/* |clip(S X) - clip(S' X')| in the Frobenius norm, by the definitions in graph.h. */
double check_change(const check_pair *pair, const check_rule *rule, const check_rows *rows);

/* Improves *rows by projected power iteration from where they are, `steps` times, and returns the largest
 * change met on the way; *rows holds where. */
double check_power(const check_pair *pair, const check_rule *rule, check_rows *rows, int steps);

/* check_power from `starts` random starts and three regular ones; *rows (may be NULL) receives the best. */
double check_search_rows(const check_pair *pair, const check_rule *rule, check_rows *rows, int starts,
                         int steps, sotto_i_random *random);

/* With a clip the worst rows may be shorter than 1: tries parts of each row in turn. */
double check_polish(const check_pair *pair, const check_rule *rule, check_rows *rows);

/* Flips `flips` random pairs of nodes in both graphs, keeps what does not lower the change, and leaves
 * degrees at most `most_degree`. At node level it also moves the changed node's edges in one graph alone; at
 * edge level the edge (0, 1) stays the difference. Returns the largest change found. */
double check_greedy(check_pair *pair, const check_rule *rule, check_rows *rows, int flips, int most_degree,
                    sotto_i_random *random);

#endif
