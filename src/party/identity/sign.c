/* Signatures by a party's key over a digest and its purpose. */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "identity.h"

/* The signed text. It differs from the texts that TLS (64 spaces first) and the ledger ("sotto ledger head")
 * sign. */
static sotto_status signed_text(char out[160], const char *purpose, const void *data, size_t size,
                                sotto_error *err) {
  uint8_t digest[32];
  char hex[65];
  const size_t length = strlen(purpose);
  if (length < 1 || length > 31 || strspn(purpose, "abcdefghijklmnopqrstuvwxyz") != length)
    return sotto_i_fail(err, SOTTO_INVALID, "'%.40s': a purpose is one word of lower-case letters", purpose);
  if (EVP_Digest(data, size, digest, NULL, EVP_sha256(), NULL) != 1)
    return sotto_i_tls_fail(err, SOTTO_NOMEM, "could not compute the digest");
  sotto_i_hex(hex, digest, 32);
  (void)snprintf(out, 160, "sotto %s 1 %s", purpose, hex);
  return SOTTO_OK;
}

/* NULL for Ed25519, which signs the text itself; other keys, which tokens have, sign a digest of it. */
static const EVP_MD *digest_of(const EVP_PKEY *key) {
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 ? NULL : EVP_sha256();
}

sotto_status sotto_identity_sign(sotto_signature *out, const char *folder, const char *purpose,
                                 const void *data, size_t size, sotto_error *err) {
  char text[160];
  EVP_PKEY *key = NULL;
  EVP_MD_CTX *context = NULL;
  sotto_status status;
  *out = (sotto_signature){.size = sizeof out->bytes};
  SOTTO_TRY(signed_text(text, purpose, data, size, err));
  SOTTO_TRY(sotto_i_identity_key(&key, folder, err));
  context = EVP_MD_CTX_new();
  if (context == NULL || EVP_DigestSignInit(context, NULL, digest_of(key), NULL, key) != 1 ||
      EVP_DigestSign(context, out->bytes, &out->size, (const uint8_t *)text, strlen(text)) != 1)
    status = sotto_i_tls_fail(err, SOTTO_IO, "could not sign with the party's key");
done:
  if (status != SOTTO_OK) out->size = 0;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  return status;
}

sotto_status sotto_identity_verify(sotto_identity_info *out, const char *certificate, const char *purpose,
                                   const void *data, size_t size, const sotto_signature *signature,
                                   sotto_error *err) {
  char text[160], why[200];
  X509 *shown = NULL;
  EVP_MD_CTX *context = NULL;
  sotto_status status;
  *out = (sotto_identity_info){.name = ""};
  SOTTO_TRY(signed_text(text, purpose, data, size, err));
  SOTTO_TRY(sotto_i_certificate_read(&shown, certificate, err));
  SOTTO_TRY(sotto_i_certificate_name(out->name, shown, certificate, err));
  SOTTO_TRY(sotto_i_certificate_describe(out, shown, err));
  EVP_PKEY *key = X509_get0_pubkey(shown);
  context = EVP_MD_CTX_new();
  if (key == NULL || context == NULL || EVP_DigestVerifyInit(context, NULL, digest_of(key), NULL, key) != 1) {
    status = sotto_i_tls_fail(err, SOTTO_INVALID, certificate);
    goto done;
  }
  if (signature->size > sizeof signature->bytes ||
      EVP_DigestVerify(context, signature->bytes, signature->size, (const uint8_t *)text, strlen(text)) !=
          1) {
    sotto_i_tls_error_text(why, sizeof why); /* empties OpenSSL's queue */
    status =
        sotto_i_fail(err, SOTTO_CORRUPT,
                     "the signature is not by the key of '%s' over this file: the file or its signature was "
                     "changed, or another key signed it",
                     out->name);
  }
done:
  EVP_MD_CTX_free(context);
  X509_free(shown);
  return status;
}
