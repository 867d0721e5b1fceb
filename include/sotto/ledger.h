/* The budget ledger. */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ledger: who released what about which dataset, in SQLite (WAL, synchronous). A charge is on disk before the
 * call returns, and no budget is ever exceeded. Two processes may charge at once. */
typedef struct sotto_ledger sotto_ledger;

/* One release, as the ledger and the privacy statement know it. Strings are borrowed during the call; none
 * may be NULL or longer than 4096 bytes, and the id may not be empty (INVALID). */
typedef struct sotto_charge {
  const char *id;          /* unique; charging the same id again is not a second charge (a resumed run) */
  const char *run;         /* path or name of the run */
  const char *mechanism;   /* "gaussian", "laplace" */
  const char *adjacency;   /* "edge" or "node" (INVALID otherwise) */
  const char *description; /* one line for people */
  double mu;               /* Gaussian: total sensitivity / sigma of this release; 0 for a pure release */
  double epsilon;          /* pure (Laplace) releases: epsilon; 0 for a Gaussian one */
  bool insecure;           /* made with a fixed seed */
} sotto_charge;

typedef struct sotto_budget {
  double epsilon, delta; /* epsilon > 0, 0 <= delta < 1; adjacency-wide */
} sotto_budget;

/* Opens or makes the ledger at `path`; NULL means $SOTTO_LEDGER, else $XDG_DATA_HOME/sotto/ledger.db, else
 * ~/.local/share/sotto/ledger.db. New folders and files are for their owner alone. The totals are verified
 * against the charges. One thread at a time may use a ledger; open it once more for another, and in each
 * process after a fork. Errors: IO, NOMEM, CORRUPT (not a ledger, a newer version, damaged, or changed by
 * other means). */
SOTTO_API sotto_status sotto_ledger_open(sotto_ledger **out, const char *path, sotto_error *err);
SOTTO_API void sotto_ledger_close(sotto_ledger *ledger);
SOTTO_API const char *sotto_ledger_path(const sotto_ledger *ledger);

/* `digest` names the dataset (sotto_dataset.digest), `name` is what people call it.
 * Sets, or changes, the budget of one adjacency ("edge" or "node"). A budget below what is spent is accepted
 * and refuses every further release. */
SOTTO_API sotto_status sotto_ledger_set_budget(sotto_ledger *ledger, const uint8_t digest[32],
                                               const char *name, const char *adjacency,
                                               const sotto_budget *budget, sotto_error *err);
/* Records all the charges, or none. REFUSED, with spent, asked and budget in the text and the ledger
 * unchanged, when the composition of all charges to this dataset under this adjacency would pass its budget
 * (by more than 1e-9 of it, so that a release calibrated to the whole budget fits): the sum of the pure
 * epsilons plus sotto_gdp_epsilon of the composed mu. Without a budget every charge is accepted.
 * On SOTTO_OK the charges are synced to disk. A charge whose id stands already (for the same dataset,
 * mechanism and cost) is skipped; with another cost it is CORRUPT. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_ledger_charge(sotto_ledger *ledger, const uint8_t digest[32],
                                                          const char *name, const sotto_charge *charges,
                                                          size_t count, sotto_error *err);
/* Would sotto_ledger_charge accept them now? Same statuses; changes nothing, but waits for other writers. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_ledger_would_accept(sotto_ledger *ledger,
                                                                const uint8_t digest[32], const char *name,
                                                                const sotto_charge *charges, size_t count,
                                                                sotto_error *err);
/* What was spent on a dataset under one adjacency. `budget.epsilon` is 0 when none is set. `epsilon` is at
 * the budget's delta (1e-6 when none is set). */
typedef struct sotto_spent {
  uint64_t charges;
  double mu;           /* composed Gaussian releases */
  double pure_epsilon; /* sum of pure releases */
  double epsilon, delta;
  sotto_budget budget;
} sotto_spent;
SOTTO_API sotto_status sotto_ledger_spent(sotto_ledger *ledger, sotto_spent *out, const uint8_t digest[32],
                                          const char *adjacency, sotto_error *err);
/* Calls `visit` for every charge, oldest first (digest NULL: of all datasets); a non-zero return stops.
 * Strings are good during the call. */
typedef struct sotto_ledger_row {
  uint8_t digest[32];
  const char *name, *time; /* UTC, ISO 8601 */
  sotto_charge charge;
} sotto_ledger_row;
SOTTO_API sotto_status sotto_ledger_visit(sotto_ledger *ledger, const uint8_t *digest,
                                          int (*visit)(void *context, const sotto_ledger_row *row),
                                          void *context, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
