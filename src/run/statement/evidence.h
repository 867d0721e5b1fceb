/* evidence.json: digests of the files that a run folder may hand on, and a signature over them. */
#ifndef SOTTO_SRC_RUN_STATEMENT_EVIDENCE_H
#define SOTTO_SRC_RUN_STATEMENT_EVIDENCE_H

#include <jansson.h>

#include "sotto/statement.h"

/* The signer of a run's files: its party's identity, else the owner of the ledger that it was charged to,
 * else nobody. */
typedef struct sotto_i_signer {
  const sotto_party *party; /* NULL: all parties are in this process */
  sotto_ledger *ledger;     /* NULL: nothing was charged */
} sotto_i_signer;

/* File names in a run folder. */
#define SOTTO_I_EVIDENCE    "evidence.json"
#define SOTTO_I_CERTIFICATE "evidence.crt"
/* Purpose of the signatures. */
#define SOTTO_I_EVIDENCE_PURPOSE "statement"

/* Covers the files that exist now, and copies the signer's certificate into the folder. Errors: NOMEM, IO,
 * and those of sotto_identity_sign. */
sotto_status sotto_i_evidence_write(const char *folder, const sotto_i_signer *signer, sotto_error *err);

/* The signed text: all members but the signature, compact, in ascending order; free it with free(). NULL:
 * out of memory. */
char *sotto_i_evidence_text(json_t *evidence);

/* evidence_files.c: does the evidence cover this file, named relative to the run folder? */
bool sotto_i_evidence_covers(const char *name);
/* Calls `visit` for each covered file that exists. A negative result stops; a positive one is an errno and
 * a failure. Errors: IO. */
sotto_status sotto_i_evidence_walk(const char *folder, int (*visit)(void *context, const char *name),
                                   void *context, sotto_error *err);

#endif
