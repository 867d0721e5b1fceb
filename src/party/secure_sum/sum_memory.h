/* Signed states of a client in each round of secure sums, stored over restarts. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SUM_MEMORY_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SUM_MEMORY_H

#include "inside/secure_sum.h"

/* Appends the set of survivors of a round (sotto_sum_client_sign) to the file at `path`, which is on disk
 * when this returns. Does nothing when the same set is there for the round. One process writes the file.
 * Errors: PROTOCOL when another set is there for the round, IO. */
SOTTO_MUST_USE sotto_status sotto_i_sum_memory_keep(const char *path, uint64_t round,
                                                    const uint8_t set[SOTTO_SUM_DIGEST], sotto_error *err);

#endif
