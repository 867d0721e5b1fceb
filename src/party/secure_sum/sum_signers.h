/* By which keys the clients of secure sums know one another: those of their certificates. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SUM_SIGNERS_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SUM_SIGNERS_H

#include "inside/secure_sum.h"

/* The public keys of `clients` certificates, which stand one after the other in a PEM file, client1's first.
 * `folder` is of this party's identity; NULL: they
 * are to check what was signed in the past, and may have expired since. Errors: INVALID (another number of
 * them, expired, revoked in the folder, no Ed25519 key, a key twice: each names the client), NOT_FOUND, IO.
 */
SOTTO_MUST_USE sotto_status sotto_i_sum_signers_read(uint8_t *out, uint32_t clients, const char *path,
                                                     const char *folder, sotto_error *err);
/* The secret key of FOLDER/key.pem. Errors: UNSUPPORTED (a key that stays in its token), INVALID (no Ed25519
 * key), and those of sotto_i_identity_key. */
SOTTO_MUST_USE sotto_status sotto_i_sum_signer_read(uint8_t secret[SOTTO_SUM_SECRET], const char *folder,
                                                    sotto_error *err);

#endif
