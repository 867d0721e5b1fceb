/* evidence.json: digests of the files that a run folder hands on, and a signature over them. */
#ifndef SOTTO_SRC_RUN_STATEMENT_EVIDENCE_H
#define SOTTO_SRC_RUN_STATEMENT_EVIDENCE_H

#include <jansson.h>

#include "sotto/statement.h"

/* Who signs what a run leaves: its party's identity, else the owner of the ledger that it was charged to,
 * else nobody. */
typedef struct sotto_i_signer {
  const sotto_party *party; /* NULL: all parties are in this process */
  sotto_ledger *ledger;     /* NULL: nothing was charged */
} sotto_i_signer;

/* Names in a run folder. */
#define SOTTO_I_EVIDENCE    "evidence.json"
#define SOTTO_I_CERTIFICATE "evidence.crt"
/* What signatures are for. */
#define SOTTO_I_EVIDENCE_PURPOSE "statement"

/* Of the files that are there now; a certificate of the identity that signed is put next to it. Errors:
 * NOMEM, IO, and those of sotto_identity_sign. */
sotto_status sotto_i_evidence_write(const char *folder, const sotto_i_signer *signer, sotto_error *err);

/* What is signed: all members but the signature, compact, in ascending order; free it with free(). NULL when
 * memory is out. */
char *sotto_i_evidence_text(json_t *evidence);

/* evidence_files.c: is a file of a run folder, by its name from there on, one that evidence covers? */
bool sotto_i_evidence_covers(const char *name);
/* Calls `visit` with each of them that is there. A return below 0 stops; above 0 it is an errno, and a
 * failure. Errors: IO. */
sotto_status sotto_i_evidence_walk(const char *folder, int (*visit)(void *context, const char *name),
                                   void *context, sotto_error *err);

/* SHA-256 of a file, in hexadecimal. Errors: IO, NOT_FOUND. */
sotto_status sotto_i_evidence_digest(char out[65], const char *folder, const char *name, sotto_error *err);

#endif
