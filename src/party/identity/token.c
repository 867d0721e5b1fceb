/* A private key that never leaves a PKCS#11 token, through the engine "pkcs11" of libp11. libp11 finds the
 * token's module ($PKCS11_MODULE_PATH, or OpenSSL's configuration). OpenSSL 3.0 in Debian 12 has engines for
 * this, and no PKCS#11 provider; engines are deprecated, hence the first line. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "identity.h"

/* Reads the first line of a file. */
static sotto_status read_uri(char out[1024], const char *path, sotto_error *err) {
  FILE *stream = fopen(path, "re");
  bool good = stream != NULL && fgets(out, 1024, stream) != NULL;
  if (stream != NULL) (void)fclose(stream);
  if (good) out[strcspn(out, "\r\n")] = '\0';
  if (good && strncmp(out, "pkcs11:", 7) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: its first line is not the URI of a key, 'pkcs11:token=...;object=...'", path);
}

sotto_status sotto_i_token_key(EVP_PKEY **out, const char *path, sotto_error *err) {
  char uri[1024] = "";
  sotto_status status = read_uri(uri, path, err);
  *out = NULL;
  if (status != SOTTO_OK) return status;
  ENGINE_load_builtin_engines();
  ENGINE *engine = ENGINE_by_id("pkcs11");
  if (engine == NULL) {
    status = sotto_i_tls_fail(err, SOTTO_UNSUPPORTED,
                              "OpenSSL has no engine 'pkcs11'; install libengine-pkcs11-openssl");
    goto done;
  }
  if (ENGINE_init(engine) != 1) {
    status = sotto_i_tls_fail(err, SOTTO_IO, "the engine 'pkcs11' did not start; is PKCS11_MODULE_PATH set?");
    goto done;
  }
  *out = ENGINE_load_private_key(engine, uri, NULL, NULL);
  /* The engine stays started: a key of libp11 signs by it, and does not hold it. */
  if (*out != NULL) goto done;
  status = sotto_i_tls_fail(err, SOTTO_NOT_FOUND, path);
  (void)ENGINE_finish(engine);
done:
  ENGINE_free(engine);
  OPENSSL_cleanse(uri, sizeof uri); /* it may contain the PIN */
  return status;
}
