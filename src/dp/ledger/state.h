/* State of the ledger, computed from the entries of its chain: accounts, their budgets, and their
 * spending. */
#ifndef SOTTO_SRC_DP_LEDGER_STATE_H
#define SOTTO_SRC_DP_LEDGER_STATE_H

#include "entry.h"

enum { SOTTO_I_TRANSFER_LEVEL, SOTTO_I_EDGE_LEVEL, SOTTO_I_NODE_LEVEL, SOTTO_I_LEDGER_LEVELS };

/* A mechanism that is not Gaussian, and the number of its runs. */
typedef struct sotto_i_use {
  sotto_mechanism mechanism; /* its count is 1 */
  uint64_t count;
} sotto_i_use;

/* Charges under one adjacency. A charge at node level counts at the levels below too: two graphs that differ
 * in an edge or a transfer differ in a node. A charge at edge level counts twice at transfer level: an edge
 * with other transfers is one edge less and one more. */
typedef struct sotto_i_sums {
  uint64_t charges, bare;          /* bare: charges and runs that protect nothing at this level */
  double mu_squared, pure_epsilon; /* as the charges state them */
  double gaussian;                 /* squares of mu of all Gaussian releases, which compose exactly */
  sotto_i_use *uses;
  size_t use_count, use_room;
} sotto_i_sums;

enum { SOTTO_I_NO_ACCOUNT = -1 };

/* The account of a dataset, or a named one. A charge to an account counts for every account of which it is a
 * version. */
typedef struct sotto_i_account {
  uint8_t key[32];
  char *name;
  int64_t whole; /* index of the account of which it is a version, or SOTTO_I_NO_ACCOUNT */
  bool named, locked, closed;
  char *path, *nodes, *rows; /* of known data: its file, sketches of its nodes (sketch.h); or NULL */
  bool known;                /* the ledger has an entry of path, nodes and rows */
  bool guessed;              /* a version by resemblance, not by its owner's declaration */
  sotto_i_sums sums[SOTTO_I_LEDGER_LEVELS];
  sotto_budget budgets[SOTTO_I_LEDGER_LEVELS]; /* epsilon 0: none */
} sotto_i_account;

typedef struct sotto_i_state {
  sotto_i_account *accounts;
  size_t count, room;
  uint8_t owner[32];
  bool scratch;
} sotto_i_state;

/* No sum contains a charge of this account. */
bool sotto_i_account_is_empty(const sotto_i_account *account);
void sotto_i_state_free(sotto_i_state *state);
int64_t sotto_i_state_find(const sotto_i_state *state, const uint8_t key[32]);
/* Index of a named account, or SOTTO_I_NO_ACCOUNT. */
int64_t sotto_i_state_named(const sotto_i_state *state, const char *name);
/* The outermost account of which it is a version, or itself. */
int64_t sotto_i_state_whole(const sotto_i_state *state, int64_t account);
/* Is the second account the first, or a version of it? */
bool sotto_i_state_contains(const sotto_i_state *state, const uint8_t whole[32], const uint8_t part[32]);
/* Applies an entry. After a failure the state must be computed anew. Errors: CORRUPT, NOMEM. */
sotto_status sotto_i_state_add(sotto_i_state *state, const sotto_i_entry *entry, sotto_error *err);

/* The level of "transfer", "edge" or "node"; -1 for other names. */
int sotto_i_level_of(const char *name);
/* How far apart two neighbours of `level` are at the level of a charge: 0 (the charge says nothing of them),
 * 1 or 2. */
unsigned sotto_i_level_moves(int charge, int level);
extern const char *const sotto_i_levels[SOTTO_I_LEDGER_LEVELS];

/* Adds a release, for data that are `moves` neighbours apart: 0, 1 or 2. It is bare as well if its noise is
 * from a fixed seed, and bare alone at 0. After a failure a part of it may have been added. Errors: NOMEM. */
sotto_status sotto_i_sums_add(sotto_i_sums *sums, const sotto_i_entry *charge, unsigned moves,
                              sotto_error *err);
/* Adds all of `more`. */
sotto_status sotto_i_sums_join(sotto_i_sums *sums, const sotto_i_sums *more, sotto_error *err);
void sotto_i_sums_free(sotto_i_sums *sums);
/* Do both compose to the same epsilons? */
bool sotto_i_sums_equal(const sotto_i_sums *a, const sotto_i_sums *b);
/* The sum of pure epsilons, a bound without composition; INFINITY where a release is not pure. */
double sotto_i_sums_pure(const sotto_i_sums *sums);
/* The least epsilon that the accountant proves for all releases at `delta`: closed form for Gaussian
 * releases, else by privacy loss distributions, never below the true value; INFINITY where there is none.
 * Takes up to seconds: do not call it inside a transaction. Errors: NOMEM, INTERRUPTED. */
sotto_status sotto_i_sums_epsilon(double *epsilon, const sotto_i_sums *sums, double delta, sotto_error *err);

#endif
