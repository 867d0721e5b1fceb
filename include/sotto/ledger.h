/* The budget ledger: which releases were made of which data, and the budgets that they must not exceed. */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A ledger in SQLite. A charge is on disk before the call returns, and no budget is ever exceeded. Two
 * processes may charge at once. All records form a chain of entries: each has a hash over itself and the one
 * before. The owner's key, which is stored outside of the file, signs the last one (docs/ledger.md). */
typedef struct sotto_ledger sotto_ledger;
struct sotto_mechanism; /* dp.h */

/* One release, as the ledger and the privacy statement record it. Strings are borrowed during the call. None
 * may be NULL or longer than 4096 bytes, and the id may not be empty (INVALID). */
typedef struct sotto_charge {
  const char *id;          /* unique; the same id again is not a second charge (a resumed run) */
  const char *run;         /* path or name of the run */
  const char *mechanism;   /* "gaussian", "laplace" */
  const char *adjacency;   /* "transfer", "edge" or "node" (INVALID otherwise); a charge counts at the levels
                            below too,   and one of edges twice at transfer level */
  const char *description; /* one line for people */
  double mu;               /* Gaussian: total sensitivity / sigma of this release; 0 for a pure release */
  double epsilon;          /* pure (Laplace) releases: epsilon; 0 for a Gaussian one */
  bool insecure;           /* made with a fixed seed */
  /* The mechanism that the accountant composes. NULL: the worst release with this mu and this epsilon. */
  const struct sotto_mechanism *release;
} sotto_charge;

typedef struct sotto_budget {
  double epsilon, delta; /* epsilon > 0, 0 <= delta < 1; for all releases under the adjacency */
} sotto_budget;

/* Makes an empty ledger at `path`. NULL: $SOTTO_LEDGER, else $XDG_DATA_HOME/sotto/ledger.db, else
 * ~/.local/share/sotto/ledger.db. Only the owner can read new files and folders. The owner's key is at
 * $SOTTO_LEDGER_KEY, else $XDG_CONFIG_HOME/sotto/ledger.key, else ~/.config/sotto/ledger.key, and is made
 * where it is missing. Errors: INVALID (a file exists at `path`), IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_init(const char *path, sotto_error *err);
/* Opens and verifies the ledger at `path`; NULL as above. A path that is given, by `path` or $SOTTO_LEDGER,
 * must exist. In the user's data folder the first use makes a ledger (sotto_ledger_made). One thread at a
 * time may use a ledger; open it again for another thread, and in each process after a fork. Errors:
 * NOT_FOUND, IO, NOMEM, CORRUPT (not a ledger, a newer version, damaged, or changed by other means). */
SOTTO_API sotto_status sotto_ledger_open(sotto_ledger **out, const char *path, sotto_error *err);
/* Did sotto_ledger_open make this ledger? Then inform the user. */
SOTTO_API bool sotto_ledger_made(const sotto_ledger *ledger);
/* Would sotto_ledger_open make a ledger: `path` is NULL, $SOTTO_LEDGER is not set, and the user's data folder
 * has none? */
SOTTO_API bool sotto_ledger_is_missing(const char *path);
SOTTO_API void sotto_ledger_close(sotto_ledger *ledger);
/* Copies the whole ledger to a new file; other processes may charge meanwhile. Errors: INVALID (a file exists
 * there), IO. */
SOTTO_API sotto_status sotto_ledger_backup(sotto_ledger *ledger, const char *path, sotto_error *err);
/* Restores a backup to `path` (NULL as above), where the ledger is lost or does not open. A file that was
 * there is renamed, and `aside` gets its new name; empty: there was none. Errors: REFUSED (the ledger holds:
 * its charges would be forgotten), those of opening the backup, IO. */
enum { SOTTO_LEDGER_ASIDE = 4096 };
SOTTO_API sotto_status sotto_ledger_restore(char aside[SOTTO_LEDGER_ASIDE], const char *path,
                                            const char *backup, sotto_error *err);
SOTTO_API const char *sotto_ledger_path(const sotto_ledger *ledger);

/* Sets or changes the budget of an account under one adjacency ("transfer", "edge" or "node"). `key` is the
 * account's: a dataset's (sotto_dataset.account) or a named account's. `name` is the one shown to people. The
 * change is an entry of the chain, with time, user and `reason` (not NULL). A budget below what is spent is
 * accepted, and then every further release is refused. Errors: REFUSED (the account is locked and the budget
 * would rise). */
SOTTO_API sotto_status sotto_ledger_set_budget(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                               const char *adjacency, const sotto_budget *budget,
                                               const char *reason, sotto_error *err);
/* What was spent on an account under one adjacency, versions included. `unprotected` counts charges and runs
 * that protect nothing under it: noise from a fixed seed, a smaller adjacency, or recorded as not private.
 * If there is one, `epsilon` covers only the other charges and is no bound. `budget.epsilon` is 0 when no
 * budget is set. `epsilon` is at the budget's delta. Without a budget it is at delta 0 where all charges are
 * pure, else at 1e-6. */
typedef struct sotto_spent {
  uint64_t charges, unprotected;
  double mu;           /* Gaussian releases composed, as their charges state them */
  double pure_epsilon; /* sum of pure releases, as their charges state them */
  double epsilon, delta;
  sotto_budget budget;
} sotto_spent;
SOTTO_API sotto_status sotto_ledger_spent(sotto_ledger *ledger, sotto_spent *out, const uint8_t key[32],
                                          const char *adjacency, sotto_error *err);
/* Calls `visit` for every charge of the account and its versions (key NULL: of all accounts), oldest first. A
 * non-zero return stops. Nothing is locked during the call. Strings are valid during the call. */
typedef struct sotto_ledger_row {
  uint8_t digest[32];      /* the key of the account that was charged */
  const char *name, *time; /* UTC, ISO 8601 */
  sotto_charge charge;
  const char *user; /* who made the charge on this machine */
  uint64_t number;  /* of the entry in the chain, from 1 */
} sotto_ledger_row;
SOTTO_API sotto_status sotto_ledger_visit(sotto_ledger *ledger, const uint8_t *key,
                                          int (*visit)(void *context, const sotto_ledger_row *row),
                                          void *context, sotto_error *err);

/* Calls `visit` with what was spent on an account under one adjacency after some of its charges, oldest
 * first: at most `most` times (0: after every charge), evenly spaced, and after the last charge. Composed as
 * by sotto_ledger_spent, at its delta, so the last epsilon is the same. A non-zero return stops. Cost: `most`
 * compositions. Errors: INVALID (adjacency), NOMEM, and those of reading. */
typedef struct sotto_moment {
  uint64_t charges; /* so far */
  double epsilon;
  const char *time, *run; /* of the last of them; valid during the call */
} sotto_moment;
SOTTO_API sotto_status sotto_ledger_visit_spent(sotto_ledger *ledger, const uint8_t key[32],
                                                const char *adjacency, size_t most,
                                                int (*visit)(void *context, const sotto_moment *moment),
                                                void *context, sotto_error *err);

/* Calls `visit` for every entry that is neither a charge nor a draw, oldest first: budgets and their changes,
 * accounts and their versions, locks, closed accounts, and runs that a budget does not cover. Key and return
 * value as above. */
typedef struct sotto_ledger_change {
  uint64_t number;  /* of the entry in the chain, from 1 */
  const char *kind; /* "ledger", "account", "version", "budget", "lock", "close", "not-private", "move" */
  uint8_t key[32];  /* of the account; zero for the ledger itself */
  const char *time, *user, *name, *adjacency, *reason, *run; /* empty where the kind has none */
  sotto_budget budget;
} sotto_ledger_change;
SOTTO_API sotto_status sotto_ledger_visit_changes(sotto_ledger *ledger, const uint8_t *key,
                                                  int (*visit)(void *context,
                                                               const sotto_ledger_change *change),
                                                  void *context, sotto_error *err);

/* A named account, which outlives a file. Datasets are its versions. Every charge of a version, before or
 * after it joins, counts for the account. */
typedef struct sotto_ledger_account {
  uint8_t key[32]; /* BLAKE2b of the owner's public key and the name; sotto_dataset.account for a dataset's
                      own account */
  char name[128];
  bool named, locked, closed;
  sotto_budget transfer, edge, node; /* epsilon 0: none */
} sotto_ledger_account;
/* Makes a named account. `reason` may be NULL. Errors: INVALID (the name is taken, empty, longer than 100
 * bytes, or has control characters). */
SOTTO_API sotto_status sotto_ledger_account_new(sotto_ledger *ledger, const char *name, const char *reason,
                                                sotto_error *err);
/* Finds a named account. Errors: NOT_FOUND. */
SOTTO_API sotto_status sotto_ledger_account_named(sotto_ledger *ledger, sotto_ledger_account *out,
                                                  const char *name, sotto_error *err);
/* The outermost account to which a dataset's charges count. Where the ledger has none, it is the dataset's
 * own, called `name`. An account without a name is called as its first dataset, whichever version asks. */
SOTTO_API sotto_status sotto_ledger_account_of(sotto_ledger *ledger, sotto_ledger_account *out,
                                               const uint8_t key[32], const char *name, sotto_error *err);
/* What a ledger has near a dataset: the account that is charged, and why. */
typedef struct sotto_ledger_place_found {
  sotto_ledger_account account; /* the account that is charged for the dataset */
  const char *by;      /* static text: why it is a version of `of`, e.g. "node ids"; NULL: it is no version */
  char of[64];         /* name of the near dataset, which `account` is charged for too */
  bool joined;         /* this call made the dataset a version of the account */
  char forgotten[200]; /* why the data does not remember this ledger, e.g. a folder that cannot be written:
                          another ledger would not be refused; empty: it does, or has no file */
  sotto_ledger_account budgeted; /* an account near the dataset has a budget, and `account` has none of that
                                    level: nothing may be released; its name is empty otherwise */
} sotto_ledger_place_found;
typedef enum sotto_placing {
  SOTTO_PLACING_LOOK, /* changes nothing: finds the account that would be charged */
  SOTTO_PLACING_JOIN, /* makes the dataset a version where a known one is near */
  SOTTO_PLACING_KNOW  /* also records how its later versions are recognised; before it is charged */
} sotto_placing;
/* Finds the account that is charged for a dataset. A budget covers what is protected, and a changed file has
 * other edges. A dataset that the ledger does not know is therefore a version of a known one by the first of
 * these that matches:
 * - about half of the smaller one's node ids;
 * - about half of its rows of features, where `public_rows`: at edge level peers know the rows, at node level
 *   they are private;
 * - the same path;
 * - the same name, unless a generator gave it or arrays have none.
 *
 * Edges never decide. Of several matches, one with a budget is taken, then the latest. `account`: NULL, or
 * the name of the account that the owner declares.
 *
 * Data files and run folders remember their ledger: in PATH.ledger next to a file or a folder of data, and in
 * owner-only/ledger of a run folder. This call compares it, and SOTTO_PLACING_KNOW writes it where it is
 * missing. Errors: NOT_FOUND (the account), INVALID (a version of another account); REFUSED (another ledger
 * is remembered; the text names both, and the way out), CORRUPT (it cannot be read), IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_place(sotto_ledger *ledger, sotto_ledger_place_found *out,
                                          const sotto_dataset *data, const char *account, bool public_rows,
                                          sotto_placing how, sotto_error *err);
/* Charges data, or a run folder, to this ledger from now on instead of the remembered one. An entry of the
 * chain has the reason. Errors: INVALID (nothing is at the path), IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_move(sotto_ledger *ledger, const char *path, const char *reason,
                                         sotto_error *err);
/* Both are final. A locked account's budgets can only be lowered. A closed account takes no more charges. */
SOTTO_API sotto_status sotto_ledger_lock_account(sotto_ledger *ledger, const uint8_t key[32],
                                                 const char *name, const char *reason, sotto_error *err);
SOTTO_API sotto_status sotto_ledger_close_account(sotto_ledger *ledger, const uint8_t key[32],
                                                  const char *name, const char *reason, sotto_error *err);
/* Calls `visit` for every account that is not a version of another, oldest first. A non-zero return stops. */
SOTTO_API sotto_status sotto_ledger_visit_accounts(sotto_ledger *ledger,
                                                   int (*visit)(void *context,
                                                                const sotto_ledger_account *account),
                                                   void *context, sotto_error *err);

/* Writes the chain for an auditor: JSON as docs/ledger.schema.json describes it. Errors: IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_export(sotto_ledger *ledger, const char *path, sotto_error *err);
/* The result of a verification. */
typedef struct sotto_ledger_proof {
  uint64_t entries;
  uint8_t owner[32], head[32]; /* the owner's public key; the hash of the last entry */
} sotto_ledger_proof;
/* The proof for the ledger as it is now; opening it has verified it. */
SOTTO_API sotto_status sotto_ledger_prove(sotto_ledger *ledger, sotto_ledger_proof *out, sotto_error *err);
/* Identifies a ledger and a moment of its chain by digests that may be published. Both hold the random id of
 * the first entry, which only the ledger and its exports have, so that nobody can guess an entry and test the
 * guess. */
typedef struct sotto_ledger_mark {
  uint8_t ledger[32], chain[32];
} sotto_ledger_mark;
/* Verifies an export without the ledger: the hashes of all entries, and the signature of the last by the
 * owner whose public key the export names. Errors: CORRUPT (naming the entry), NOT_FOUND, IO, PARSE,
 * NOMEM. */
SOTTO_API sotto_status sotto_ledger_verify_export(sotto_ledger_proof *out, const char *path,
                                                  sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
