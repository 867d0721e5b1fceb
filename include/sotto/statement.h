/* The privacy statement and the result of a finished run, as JSON: releases, privacy cost, adversary, and
 * limits of the guarantee. sotto_train writes both into the run folder. */
#ifndef SOTTO_STATEMENT_H
#define SOTTO_STATEMENT_H

#include "sotto/methods.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result as JSON, one line without a line break, in fresh memory of the caller, to be freed with
 * sotto_statement_free: test and baseline (accuracy, auc, macro_f1: mean, std, runs), the statement under
 * "privacy", bytes by kind under "wire", seconds and memory. Arguments and errors as above. */
SOTTO_API sotto_status sotto_result_json(char **out, const sotto_options *options, const sotto_dataset *data,
                                         const sotto_result *result, sotto_error *err);
SOTTO_API void sotto_statement_free(char *text);

/* Who signed the evidence of a run. */
typedef enum sotto_signed_by {
  SOTTO_SIGNED_BY_NOBODY,
  SOTTO_SIGNED_BY_IDENTITY,  /* a party's key */
  SOTTO_SIGNED_BY_LEDGER_KEY /* the key of the owner of the ledger that was charged */
} sotto_signed_by;

typedef struct sotto_statement_ask {
  const char *certificate; /* PEM of the required signer; NULL: any */
  const char *ledger;      /* path; NULL: the user's own, where there is one */
  bool no_ledger;          /* the ledger is not looked at */
} sotto_statement_ask;

/* What was checked. Nothing else was. */
typedef struct sotto_statement_check {
  sotto_signed_by by;
  char name[64], key[65], words[128]; /* of an identity; key: its fingerprint, or the owner's public key */
  bool key_known;           /* the key is this party's, a trusted one's, the asked one's, or of the ledger */
  size_t files;             /* whose digests hold */
  size_t uncovered;         /* files that are there and are not in the evidence, where there is one */
  char uncovered_name[128]; /* one of them */
  bool charges_checked;
  uint64_t charges, later; /* of the run until its end; after it */
  double epsilon;          /* what the first compose to, of the dataset's account */
  char ledger_note[240];   /* why charges were not checked */
  /* The account that paid: its spending in the ledger now, and after the run's last charge. If several paid,
   * the one that has spent the most. */
  bool account_known, account_alone; /* alone: it paid for nothing but this run */
  uint64_t account_charges, since_charges;
  uint64_t account_unprotected; /* of sotto_spent: with any, account_epsilon bounds nothing */
  double account_epsilon, account_delta, since_epsilon;
  char unchecked[400]; /* fields that nothing binds, since no known key signed them; empty: none */
} sotto_statement_check;

/* Checks a run folder: statement.json fits itself and result.json; its charges in the ledger, where that is
 * at hand, have its figures and compose to its epsilon; a ledger at hand that has charges of the run is not
 * left unnamed; the signature and the digests in evidence.json hold. `ask` may be NULL.
 * Errors: CORRUPT, naming the field or the file that does not fit; UNSUPPORTED (a form of another version);
 * INVALID (another key signed than the asked one; the named ledger is another one); NOT_FOUND (no
 * statement.json; the named ledger), PARSE, IO, NOMEM. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_statement_verify(sotto_statement_check *out, const char *folder,
                                                             const sotto_statement_ask *ask,
                                                             sotto_error *err);

/* Who is right about a client that a checked sum refused. */
typedef enum sotto_dispute_verdict {
  SOTTO_DISPUTE_NO_PROOF, /* what the server shows proves nothing against the client */
  SOTTO_DISPUTE_OPEN,     /* it does, and the client shows no record of its own that fits */
  SOTTO_DISPUTE_CLEARED,  /* the client kept the bound: the helper lied */
  SOTTO_DISPUTE_CONFIRMED /* the client sent a vector outside the bound */
} sotto_dispute_verdict;

typedef struct sotto_dispute {
  sotto_dispute_verdict verdict;
  uint32_t client; /* from 1 */
  uint64_t round;
  char text[240]; /* one sentence */
} sotto_dispute;

/* Decides by two files of a run with update-bound: `refused`, which the server keeps of a client that it
 * refused, and `sent`, which that client keeps (NULL: it shows none). `keys` is the run's client-keys: the
 * certificates of all clients, and the helper's last; they may have expired since. The file `sent` with the
 * leader's shares shows the client's vector: an arbiter is not the leader.
 * Errors: NOT_FOUND, IO, PARSE, NOMEM; CORRUPT, naming the field; INVALID (another kind of file; certificates
 * that are not those of the run), UNSUPPORTED (a form of another version). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_dispute_decide(sotto_dispute *out, const char *refused,
                                                           const char *sent, const char *keys,
                                                           sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
