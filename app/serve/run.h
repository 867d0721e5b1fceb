/* A served run: its source of predictions, its statement, its account's spending. */
#ifndef SOTTO_APP_SERVE_RUN_H
#define SOTTO_APP_SERVE_RUN_H

#include "source.h"

/* Constant once it is open, except `users`, which the service changes. */
typedef struct serve_run {
  serve_source source;
  serve_facts facts;
  char *statement;    /* statement.json */
  char *board;        /* the page of the run; NULL: not shown */
  char verdict[4000]; /* from the statement; then who signed it, and the account's total spending */
  bool is_signed;
  bool is_private;       /* by the statement, the account's data is protected, and not vacuously */
  double epsilon, delta; /* of the run, by its statement; INFINITY without noise */
  char ledger[1024];     /* its path; empty: the user's own ledger */
  bool has_account;      /* the folder contains the key of the account that paid for the run */
  uint8_t account[32];
  int64_t loaded; /* seconds since 1970 */
  double seconds; /* of loading */
  unsigned users;
} serve_run;

/* Loads the run in the folder `path`; a symbolic link is resolved once. `joint`: this process is one party
 * of the run. `board`: also loads its page. Errors: those of serve_table_open and serve_joint_open;
 * UNSUPPORTED for a folder of one party without `joint`. */
sotto_status serve_run_open(serve_run **out, const char *path, uint64_t seed, const serve_joint *joint,
                            bool board, sotto_error *err);
void serve_run_free(serve_run *run);

/* Spending and budget of the account that paid for the run, as the run's ledger has it now. Not known if
 * the ledger cannot be read. The account is the one at the run's time: the data's present edges must not
 * influence a public figure. */
typedef struct serve_spent {
  bool known;
  double epsilon, delta, budget; /* budget 0: none */
} serve_spent;
serve_spent serve_run_spent(const serve_run *run);

#endif
