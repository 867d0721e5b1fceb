/* An open ledger: its file, its chain, and the accounts that follow from the chain. Shared by the files of
 * the ledger.
 *
 * Every call is one transaction. sotto_i_ledger_begin reads what other processes added since,
 * sotto_i_ledger_add appends entries, and sotto_i_ledger_commit signs the new head. The state depends on the
 * committed entries alone. */
#ifndef SOTTO_SRC_DP_LEDGER_LEDGER_H
#define SOTTO_SRC_DP_LEDGER_LEDGER_H

#include <pthread.h>

#include "composed.h"
#include "owner.h"
#include "state.h"
#include "store.h"

struct sotto_ledger {
  sotto_i_store store;
  pthread_mutex_t
      lock;  /* held from begin to end; an error-checking mutex, so that an extra end does nothing */
  bool made; /* by the call that opened it */
  char user[64];
  sotto_i_owner owner;
  sotto_i_state state;
  sotto_i_head seen, next; /* of the state; including this transaction */
};

/* Begins a transaction, also after a failure: leave it with sotto_i_ledger_end. `writes`: other writers wait.
 * Errors: CORRUPT, IO, NOMEM. */
sotto_status sotto_i_ledger_begin(sotto_ledger *ledger, bool writes, sotto_error *err);
/* Appends an entry; time and user are filled in where they are NULL. Errors: CORRUPT (the id exists), IO,
 * NOMEM. */
sotto_status sotto_i_ledger_add(sotto_ledger *ledger, const sotto_i_entry *entry, sotto_error *err);
/* Signs the head and syncs the added entries. */
sotto_status sotto_i_ledger_commit(sotto_ledger *ledger, sotto_error *err);
/* Ends a transaction; uncommitted entries are discarded. */
void sotto_i_ledger_end(sotto_ledger *ledger);

/* The entry with this id (*found); free it. */
sotto_status sotto_i_ledger_find(sotto_i_entry *out, bool *found, const sotto_ledger *ledger, const char *id,
                                 sotto_error *err);
/* The entry with the least number above *number, which becomes its number; 0: none. Free it. */
sotto_status sotto_i_ledger_next(sotto_i_entry *out, int64_t *number, const sotto_ledger *ledger,
                                 sotto_error *err);

/* Checks that the last head stored next to the owner's key belongs to this chain. Errors: CORRUPT (entries
 * are missing at its end; another chain). */
sotto_status sotto_i_ledger_witness(sotto_ledger *ledger, const sotto_i_head *kept, sotto_error *err);

/* Checks that a ledger accepts the form of these charges. Errors: INVALID, RANGE. */
sotto_status sotto_i_ledger_check(const char *name, const sotto_charge *charges, size_t count,
                                  sotto_error *err);
/* Charges for one account or dataset. */
typedef struct sotto_i_charges {
  const uint8_t *key; /* 32 bytes */
  const char *name;
  const sotto_charge *list;
  size_t count;
  const char *among; /* id prefix of the draws of parts to which they belong; NULL: of none */
  uint32_t part;
} sotto_i_charges;
/* A step inside a transaction. Where composed->missing is set afterwards, it did not check the budgets. */
typedef sotto_status (*sotto_i_ledger_step)(sotto_ledger *ledger, sotto_i_composed *composed,
                                            const sotto_i_charges *charges, sotto_error *err);
/* Step: appends new charges, then checks the affected accounts. Errors: REFUSED; CORRUPT when an id exists
 * for another charge. */
sotto_status sotto_i_ledger_write(sotto_ledger *ledger, sotto_i_composed *composed,
                                  const sotto_i_charges *charges, sotto_error *err);
/* Makes the step in a transaction of its own, and again after each composition that it found missing.
 * `keep`: what it wrote stays. Errors: as sotto_i_ledger_check, and those of the step. */
sotto_status sotto_i_ledger_transact(sotto_ledger *ledger, sotto_i_ledger_step step,
                                     const sotto_i_charges *charges, bool keep, sotto_error *err);
/* A name for an error text: short, whole characters, no control characters. */
enum { SOTTO_I_SHOWN = 64 };
void sotto_i_ledger_shown(char out[SOTTO_I_SHOWN], const char *name);

/* accounts.c, inside a transaction: makes data a version of a named account. Errors: NOT_FOUND, INVALID. */
sotto_status sotto_i_ledger_attach(sotto_ledger *ledger, const char *account, const uint8_t data[32],
                                   const char *name, sotto_error *err);
/* Makes `data` a version of `account`. */
sotto_status sotto_i_ledger_version(sotto_ledger *ledger, const uint8_t account[32], const uint8_t data[32],
                                    const char *name, const char *reason, sotto_error *err);
void sotto_i_ledger_describe(sotto_ledger_account *out, const sotto_i_account *account);
/* place.c: the protected content of a dataset, with a key and a name of its own. */
typedef struct sotto_i_thing {
  const char *what; /* "data", "labels", ...: static; things of different kinds are never near */
  const uint8_t *key;
  const char *name;
  const uint8_t *kin; /* key of other data of the owner, such as a run's, which is nearest; or NULL */
  bool public_rows;   /* rows of features may decide */
} sotto_i_thing;
sotto_i_thing sotto_i_thing_of(const sotto_dataset *data, bool public_rows);
/* As sotto_ledger_place. `strict`: refuses where a near account has a budget that the dataset's own account
 * lacks. */
SOTTO_MUST_USE sotto_status sotto_i_ledger_settle(sotto_ledger *ledger, sotto_ledger_place_found *out,
                                                  const sotto_dataset *data, const sotto_i_thing *thing,
                                                  const char *account, sotto_placing how, bool strict,
                                                  sotto_error *err);

#endif
