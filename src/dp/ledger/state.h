/* The state that follows from the entries of a chain: accounts, their budgets, and their spending. */
#ifndef SOTTO_SRC_DP_LEDGER_STATE_H
#define SOTTO_SRC_DP_LEDGER_STATE_H

#include "entry.h"

enum { SOTTO_I_EDGE_LEVEL, SOTTO_I_NODE_LEVEL, SOTTO_I_LEVELS };

/* A mechanism that is not Gaussian, and how often it was run. */
typedef struct sotto_i_use {
  sotto_mechanism mechanism; /* its count is 1 */
  uint64_t count;
} sotto_i_use;

/* What was spent under one adjacency. A charge at node level counts at edge level as well: two graphs that
 * differ in an edge differ in a node. */
typedef struct sotto_i_sums {
  uint64_t charges;
  double mu_squared, pure_epsilon; /* as the charges state them */
  double gaussian;                 /* squares of mu of all Gaussian releases, which compose exactly */
  sotto_i_use *uses;
  size_t use_count, use_room;
} sotto_i_sums;

enum { SOTTO_I_NO_ACCOUNT = -1 };

/* A dataset's own, or a named one. What is charged to an account counts for the one that it is a part of. */
typedef struct sotto_i_account {
  uint8_t key[32];
  char *name;
  int64_t whole; /* index of the account that it is a part of, or SOTTO_I_NO_ACCOUNT */
  bool named, locked, closed;
  char *path, *nodes, *rows; /* of data that is known: its file, sketches of its nodes (sketch.h); or NULL */
  bool known;                /* the ledger has an entry of these */
  bool guessed;              /* it is a part by what it looks like, and not since its owner said so */
  sotto_i_sums sums[SOTTO_I_LEVELS];
  sotto_budget budgets[SOTTO_I_LEVELS]; /* epsilon 0: none */
} sotto_i_account;

typedef struct sotto_i_state {
  sotto_i_account *accounts;
  size_t count, room;
  uint8_t owner[32];
  bool scratch;
} sotto_i_state;

void sotto_i_state_free(sotto_i_state *state);
int64_t sotto_i_state_find(const sotto_i_state *state, const uint8_t key[32]);
/* Of a named account; SOTTO_I_NO_ACCOUNT. */
int64_t sotto_i_state_named(const sotto_i_state *state, const char *name);
/* The outermost account that it is a part of. */
int64_t sotto_i_state_whole(const sotto_i_state *state, int64_t account);
/* Is the second account the first, or a part of it? */
bool sotto_i_state_contains(const sotto_i_state *state, const uint8_t whole[32], const uint8_t part[32]);
/* Adds an entry. After a failure the state is to be made anew. Errors: CORRUPT, NOMEM. */
sotto_status sotto_i_state_add(sotto_i_state *state, const sotto_i_entry *entry, sotto_error *err);

/* -1 unless "edge" or "node". */
int sotto_i_level_of(const char *name);
extern const char *const sotto_i_levels[SOTTO_I_LEVELS];

/* Adds a release. What was added before a failure stays. Errors: NOMEM. */
sotto_status sotto_i_sums_add(sotto_i_sums *sums, const sotto_i_entry *charge, sotto_error *err);
/* Adds all of `more`. */
sotto_status sotto_i_sums_join(sotto_i_sums *sums, const sotto_i_sums *more, sotto_error *err);
void sotto_i_sums_free(sotto_i_sums *sums);
/* Whether both compose to the same epsilons. */
bool sotto_i_sums_equal(const sotto_i_sums *a, const sotto_i_sums *b);
/* The sum of pure epsilons, INFINITY where a release is not pure: a bound that costs nothing. */
double sotto_i_sums_pure(const sotto_i_sums *sums);
/* The least epsilon that the accountant can show for all of it at `delta`: closed form for Gaussian releases,
 * else by privacy loss distributions, never below the true value; INFINITY where there is none. Takes up to
 * seconds: not to be called inside a transaction. Errors: NOMEM, INTERRUPTED. */
sotto_status sotto_i_sums_epsilon(double *epsilon, const sotto_i_sums *sums, double delta, sotto_error *err);

#endif
