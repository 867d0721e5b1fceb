/* The budget ledger. */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ledger: who released what about which data, in SQLite. A charge is on disk before the call returns, and no
 * budget is ever exceeded. Two processes may charge at once. All that is recorded is a chain of entries: each
 * has a hash over itself and the one before, and the owner's key, which is kept outside of the file, signs
 * the last (docs/ledger.md). */
typedef struct sotto_ledger sotto_ledger;
struct sotto_mechanism; /* dp.h */

/* One release, as the ledger and the privacy statement know it. Strings are borrowed during the call; none
 * may be NULL or longer than 4096 bytes, and the id may not be empty (INVALID). */
typedef struct sotto_charge {
  const char *id;        /* unique; charging the same id again is not a second charge (a resumed run) */
  const char *run;       /* path or name of the run */
  const char *mechanism; /* "gaussian", "laplace" */
  const char
      *adjacency; /* "edge" or "node" (INVALID otherwise); one at node level counts at edge level too */
  const char *description; /* one line for people */
  double mu;               /* Gaussian: total sensitivity / sigma of this release; 0 for a pure release */
  double epsilon;          /* pure (Laplace) releases: epsilon; 0 for a Gaussian one */
  bool insecure;           /* made with a fixed seed */
  /* The release as the accountant composes it. NULL: as the worst one with this mu and this epsilon. */
  const struct sotto_mechanism *release;
} sotto_charge;

typedef struct sotto_budget {
  double epsilon, delta; /* epsilon > 0, 0 <= delta < 1; adjacency-wide */
} sotto_budget;

/* Makes an empty ledger at `path`; NULL means $SOTTO_LEDGER, else $XDG_DATA_HOME/sotto/ledger.db, else
 * ~/.local/share/sotto/ledger.db. New folders and files are for their owner alone. The owner's key lies at
 * $SOTTO_LEDGER_KEY, else $XDG_CONFIG_HOME/sotto/ledger.key, else ~/.config/sotto/ledger.key, and is made
 * there where it is missing. Errors: INVALID (a file is there), IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_init(const char *path, sotto_error *err);
/* The same for a ledger that is deleted with its run: its head is not stored with the owner's key. */
SOTTO_API sotto_status sotto_ledger_init_scratch(const char *path, sotto_error *err);
/* Opens the ledger at `path`; NULL as above. A path that is named, by `path` or $SOTTO_LEDGER, has to exist;
 * in the user's data folder a ledger is made by its first use (sotto_ledger_made). The ledger is verified.
 * One thread at a time may use a ledger; open it once more for another, and in each process after a fork.
 * Errors: NOT_FOUND, IO, NOMEM, CORRUPT (not a ledger, a newer version, damaged, or changed by other means).
 */
SOTTO_API sotto_status sotto_ledger_open(sotto_ledger **out, const char *path, sotto_error *err);
/* Did sotto_ledger_open make it? Then inform the user. */
SOTTO_API bool sotto_ledger_made(const sotto_ledger *ledger);
/* Is `path` NULL, $SOTTO_LEDGER not set, and no ledger in the user's data folder yet? */
SOTTO_API bool sotto_ledger_is_missing(const char *path);
SOTTO_API void sotto_ledger_close(sotto_ledger *ledger);
/* Copies the ledger, whole, to a new file, while other processes may go on charging. Errors: INVALID (a file
 * is there), IO. */
SOTTO_API sotto_status sotto_ledger_backup(sotto_ledger *ledger, const char *path, sotto_error *err);
SOTTO_API const char *sotto_ledger_path(const sotto_ledger *ledger);

/* `key` names an account: of a dataset (sotto_dataset.account), or a named one; `name` is what people call
 * it. Sets, or changes, the budget of one adjacency ("edge" or "node"), which is an entry of the chain, with
 * time, user and `reason` (not NULL). A budget below what is spent is accepted and refuses every further
 * release. REFUSED when the account is locked and the budget would be raised. */
SOTTO_API sotto_status sotto_ledger_set_budget(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                               const char *adjacency, const sotto_budget *budget,
                                               const char *reason, sotto_error *err);
/* What was spent on an account under one adjacency, with all that is a part of it. `budget.epsilon` is 0 when
 * none is set. `epsilon` is at the budget's delta; when none is set, at 0 where all charges are pure, else at
 * 1e-6. */
typedef struct sotto_spent {
  uint64_t charges;
  double mu;           /* Gaussian releases composed, as the charges state them */
  double pure_epsilon; /* sum of pure releases, as the charges state them */
  double epsilon, delta;
  sotto_budget budget;
} sotto_spent;
SOTTO_API sotto_status sotto_ledger_spent(sotto_ledger *ledger, sotto_spent *out, const uint8_t key[32],
                                          const char *adjacency, sotto_error *err);
/* Calls `visit` for every charge, oldest first (key NULL: of all accounts; else also of what is a part of
 * it); a non-zero return stops. Nothing is locked during the call. Strings are good during the call. */
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
 * first: at most `most` times (0: after every charge), evenly apart, and after the last. Composed as
 * sotto_ledger_spent does, at its delta, so the last epsilon is that one. Return as above. Time: that of
 * `most` compositions. Errors: INVALID (adjacency), NOMEM, and those of reading. */
typedef struct sotto_moment {
  uint64_t charges; /* so far */
  double epsilon;
  const char *time, *run; /* of the last of them; good during the call */
} sotto_moment;
SOTTO_API sotto_status sotto_ledger_visit_spent(sotto_ledger *ledger, const uint8_t key[32],
                                                const char *adjacency, size_t most,
                                                int (*visit)(void *context, const sotto_moment *moment),
                                                void *context, sotto_error *err);

/* Calls `visit` for every entry that is no charge and no draw, oldest first: budgets and their changes,
 * accounts and their versions, what was locked and closed, runs that a budget does not cover. Key and return
 * as above. */
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

/* An account that outlives a file: it has a name, and datasets are versions of what it protects. What was and
 * will be charged to a version counts for the account. */
typedef struct sotto_ledger_account {
  uint8_t
      key[32]; /* BLAKE2b of the owner's public key and the name; of a dataset's own: sotto_dataset.account */
  char name[128];
  bool named, locked, closed;
  sotto_budget edge, node; /* epsilon 0: none */
} sotto_ledger_account;
/* Errors: INVALID (the name is taken; it is empty, longer than 100 bytes, or has control characters).
 * `reason` may be NULL. */
SOTTO_API sotto_status sotto_ledger_account_new(sotto_ledger *ledger, const char *name, const char *reason,
                                                sotto_error *err);
/* Errors: NOT_FOUND. */
SOTTO_API sotto_status sotto_ledger_account_named(sotto_ledger *ledger, sotto_ledger_account *out,
                                                  const char *name, sotto_error *err);
/* The outermost account that a dataset's charges count for; its own, called `name`, where the ledger has
 * none. One that nobody named is called as its first dataset was, whichever version asks. */
SOTTO_API sotto_status sotto_ledger_account_of(sotto_ledger *ledger, sotto_ledger_account *out,
                                               const uint8_t key[32], const char *name, sotto_error *err);
/* What a ledger knows near a dataset. */
typedef struct sotto_ledger_place_found {
  sotto_ledger_account account; /* that pays for the dataset */
  const char *by;      /* static text: why it is a version of `of`: "node ids", ...; NULL: it is none */
  char of[64];         /* name of the dataset that is near, and that `account` pays for */
  bool joined;         /* by this call the dataset became a version of the account */
  char forgotten[200]; /* why the data does not remember this ledger, as in a folder that cannot be written:
                          another ledger would not be refused; empty: it does, or has no file */
  sotto_ledger_account budgeted; /* an account near the dataset has a budget, and `account` has none of that
                                    level: nothing may be released; its name is empty where that is not so */
} sotto_ledger_place_found;
typedef enum sotto_placing {
  SOTTO_PLACING_LOOK, /* changes nothing: the account that would pay */
  SOTTO_PLACING_JOIN, /* makes the dataset a version where something known is near */
  SOTTO_PLACING_KNOW  /* also notes by what its later versions will be known: before it is charged */
} sotto_placing;
/* Finds the account that pays for a dataset. A budget covers what is protected, and a file that changed has
 * other edges: so a dataset that the ledger does not know is a version of what it knows with about half of
 * the smaller one's node ids, or of its rows of features, or with the same path, or the same name, in this
 * order; of several, of one with a budget, then of the latest. Rows decide where `public_rows`: at edge level
 * peers know them, and at node level they are private. A name that a generator gave, and that of arrays
 * without one, decide nothing, and edges never do. `account`: NULL, or the name of the account that the owner
 * declares (as sotto_ledger_account_add).
 *
 * Data in files, and run folders, remember their ledger: PATH.ledger beside a file or a folder of data, and
 * owner-only/ledger in a run folder. Here it is compared, and SOTTO_PLACING_KNOW writes it where there is
 * none. Errors: those of sotto_ledger_account_add; REFUSED (the data remembers another ledger; both, and the
 * way out, are in the text), CORRUPT (what it remembers cannot be read), IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_place(sotto_ledger *ledger, sotto_ledger_place_found *out,
                                          const sotto_dataset *data, const char *account, bool public_rows,
                                          sotto_placing how, sotto_error *err);
/* Charges data, or a run folder, to this ledger from here on, and not to the one that it remembers; an entry
 * of the chain has the reason. Errors: INVALID (there is nothing at the path), IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_move(sotto_ledger *ledger, const char *path, const char *reason,
                                         sotto_error *err);
/* For good: from now on budgets of the account can only be lowered; the account takes no more charges. */
SOTTO_API sotto_status sotto_ledger_lock_account(sotto_ledger *ledger, const uint8_t key[32],
                                                 const char *name, const char *reason, sotto_error *err);
SOTTO_API sotto_status sotto_ledger_close_account(sotto_ledger *ledger, const uint8_t key[32],
                                                  const char *name, const char *reason, sotto_error *err);
/* Every account that is not a part of another, oldest first; a non-zero return stops. */
SOTTO_API sotto_status sotto_ledger_visit_accounts(sotto_ledger *ledger,
                                                   int (*visit)(void *context,
                                                                const sotto_ledger_account *account),
                                                   void *context, sotto_error *err);

/* Writes the chain for an auditor: JSON as docs/ledger.schema.json describes it. Errors: IO, NOMEM. */
SOTTO_API sotto_status sotto_ledger_export(sotto_ledger *ledger, const char *path, sotto_error *err);
/* What a verification found. */
typedef struct sotto_ledger_proof {
  uint64_t entries;
  uint8_t owner[32], head[32]; /* the owner's public key; the hash of the last entry */
} sotto_ledger_proof;
/* Of the ledger as it is now; opening it was its verification. */
SOTTO_API sotto_status sotto_ledger_prove(sotto_ledger *ledger, sotto_ledger_proof *out, sotto_error *err);
/* A ledger and a moment of its chain, as digests that may be shown: both hold the random id of the first
 * entry, which only the ledger and its exports have, so that no entry can be guessed and tried. */
typedef struct sotto_ledger_mark {
  uint8_t ledger[32], chain[32];
} sotto_ledger_mark;
/* Verifies an export, without the ledger: the hashes of all entries, and that the owner whose public key it
 * names signed the last. Errors: CORRUPT (naming the entry), NOT_FOUND, IO, PARSE, NOMEM. */
SOTTO_API sotto_status sotto_ledger_verify_export(sotto_ledger_proof *out, const char *path,
                                                  sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
