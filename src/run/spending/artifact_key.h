/* Artifacts that are a key: all noise of many releases follows from it, so that it is drawn and charged once
 * for all of them, and a release that is made again has the same noise. */
#ifndef SOTTO_SRC_RUN_SPENDING_ARTIFACT_KEY_H
#define SOTTO_SRC_RUN_SPENDING_ARTIFACT_KEY_H

#include "artifact.h"

typedef struct sotto_i_drawn_key {
  sotto_key key; /* wipe it */
  char name[17]; /* of this draw, in file names */
  sotto_i_receipt receipt;
} sotto_i_drawn_key;

/* `artifact` without context, make and load. Its file lies in owner-only/, which is made: who has the key can
 * take the noise out. `number` keeps keys of one seed apart. Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_artifact_key_use(sotto_i_drawn_key *out, const sotto_i_artifact *artifact,
                                                     uint64_t number, sotto_error *err);

#endif
