/* Keys of certificates as keys that sign in secure sums. */
#include "sum_signers.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "party/identity/identity.h"

/* The key of one certificate, which no client before it has. */
static sotto_status take_key(uint8_t *keys, uint32_t client, X509 *certificate, const char *path,
                             const char *folder, sotto_error *err) {
  bool revoked = false;
  uint8_t digest[32];
  uint8_t *key = keys + (size_t)client * SOTTO_SUM_PUBLIC;
  size_t size = SOTTO_SUM_PUBLIC;
  const unsigned number = (unsigned)client + 1;
  sotto_status status = sotto_i_certificate_key(digest, certificate, err);
  if (status == SOTTO_OK && folder != NULL) status = sotto_i_certificate_in_time(certificate, path, err);
  if (status == SOTTO_OK && folder != NULL) status = sotto_i_key_revoked(&revoked, NULL, folder, digest, err);
  if (status == SOTTO_OK && revoked)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: the key of the certificate was revoked here", path);
  if (status != SOTTO_OK) {
    sotto_i_error_prefix(err, "client%u", number);
    return status;
  }
  EVP_PKEY *public = X509_get0_pubkey(certificate);
  if (public == NULL || EVP_PKEY_get_base_id(public) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(public, key, &size) != 1 || size != SOTTO_SUM_PUBLIC)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: the certificate of client%u has no Ed25519 key; `sotto identity init` makes one",
                        path, number);
  for (uint32_t i = 0; i < client; i++)
    if (memcmp(keys + (size_t)i * SOTTO_SUM_PUBLIC, key, SOTTO_SUM_PUBLIC) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "%s: client%u and client%u have one key; each needs its own",
                          path, (unsigned)i + 1, number);
  return SOTTO_OK;
}

sotto_status sotto_i_sum_signers_read(uint8_t *out, uint32_t clients, const char *path, const char *folder,
                                      sotto_error *err) {
  FILE *stream = fopen(path, "re");
  uint32_t count = 0;
  sotto_status status = SOTTO_OK;
  if (stream == NULL)
    return sotto_i_fail(err, errno == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not open it: %s", path,
                        sotto_i_errno_text(errno));
  for (;;) {
    X509 *certificate = PEM_read_X509(stream, NULL, NULL, NULL);
    if (certificate == NULL) break;
    if (count < clients) status = take_key(out, count, certificate, path, folder, err);
    X509_free(certificate);
    count++;
    if (status != SOTTO_OK || count > clients) break;
  }
  bool whole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE; /* the end of the file */
  ERR_clear_error();
  (void)fclose(stream);
  if (status != SOTTO_OK) return status;
  if (count <= clients && !whole)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: certificate %u cannot be read", path, (unsigned)count + 1);
  if (count != clients)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has %s%u certificates, and %u are needed", path,
                        count > clients ? "more than " : "", (unsigned)(count > clients ? clients : count),
                        (unsigned)clients);
  return SOTTO_OK;
}

sotto_status sotto_i_sum_signer_read(uint8_t secret[SOTTO_SUM_SECRET], const char *folder, sotto_error *err) {
  uint8_t seed[crypto_sign_SEEDBYTES], public[SOTTO_SUM_PUBLIC];
  size_t size = sizeof seed;
  EVP_PKEY *key = NULL;
  sotto_status status = sotto_i_identity_key(&key, folder, err);
  if (status != SOTTO_OK) return status;
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519)
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "the private key of this party is no Ed25519 key, by which clients sign in secure sums; "
                     "`sotto identity init` makes one");
  else if (EVP_PKEY_get_raw_private_key(key, seed, &size) != 1 || size != sizeof seed)
    status = sotto_i_fail(err, SOTTO_UNSUPPORTED,
                          "the private key of this party stays in its token; secure-aggregation needs one in "
                          "key.pem");
  else
    crypto_sign_seed_keypair(public, secret, seed);
  sodium_memzero(seed, sizeof seed);
  EVP_PKEY_free(key);
  return status;
}
