/* A run that is served: its source of answers, its statement, what its account has spent. */
#ifndef SOTTO_APP_SERVE_RUN_H
#define SOTTO_APP_SERVE_RUN_H

#include "source.h"

/* Nothing in it changes once it is open, but `users`, which is the service's. */
typedef struct serve_run {
  serve_source source;
  serve_facts facts;
  char *statement;    /* statement.json */
  char *board;        /* the page of the run; NULL: it is not shown */
  char verdict[4000]; /* by the statement; then who signed it, and what its account has spent in all */
  bool is_signed;
  bool is_private; /* by the statement, what the dataset's account covers is protected, and not vacuously */
  double epsilon, delta; /* of the run, by its statement; INFINITY without noise */
  char ledger[1024];     /* its path; empty: the user's own */
  bool has_account;      /* the folder has the key of the account that paid for the run */
  uint8_t account[32];
  int64_t loaded; /* seconds since 1970 */
  double seconds; /* that loading took */
  unsigned users;
} serve_run;

/* Loads the run in the folder `path`, which may be a symbolic link: where it leads now; with `joint`, of
 * which this process is one party; with `board`, its page, too. Errors: those of serve_table_open and
 * serve_joint_open; UNSUPPORTED for a folder of one party without `joint`. */
sotto_status serve_run_open(serve_run **out, const char *path, uint64_t seed, const serve_joint *joint,
                            bool board, sotto_error *err);
void serve_run_free(serve_run *run);

/* What the account that paid for the run has spent, and its budget, read from the run's ledger as it is now;
 * not known where that cannot be read. The account is that of the run, whatever the data are now: their edges
 * do not decide about a figure that others read. */
typedef struct serve_spent {
  bool known;
  double epsilon, delta, budget; /* budget 0: none */
} serve_spent;
serve_spent serve_run_spent(const serve_run *run);

#endif
