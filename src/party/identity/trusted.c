/* Checks of a connection's certificate: by the party's key, or by an authority's signature. */
#include <errno.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "identity.h"

struct sotto_i_trusted {
  char name[64];
  char *folder;
  X509 *anchor;    /* the party's certificate, or its authority's */
  uint8_t key[32]; /* the anchor's */
  bool authority;
};

sotto_status sotto_i_trusted_open(sotto_i_trusted **out, const char *folder, const char *peer,
                                  sotto_error *err) {
  sotto_i_trusted *t;
  char *path = NULL;
  *out = NULL;
  sotto_status status = sotto_i_new(&t, 1, sizeof *t, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(sotto_i_trust_path(&path, folder, peer, err));
  SOTTO_TRY(sotto_i_identity_private(folder, err));
  SOTTO_TRY(sotto_i_private_check(path, false, err));
  SOTTO_TRY(sotto_i_strdup(&t->folder, sotto_identity_folder(folder), err));
  SOTTO_TRY(sotto_i_certificate_read(&t->anchor, path, err));
  SOTTO_TRY(sotto_i_certificate_key(t->key, t->anchor, err));
  (void)snprintf(t->name, sizeof t->name, "%s", peer);
  t->authority = !sotto_i_certificate_names(t->anchor, peer) && X509_check_ca(t->anchor) != 0;
  *out = t;
done:
  if (status != SOTTO_OK) sotto_i_trusted_free(t);
  sotto_i_free(path);
  return status;
}

void sotto_i_trusted_free(sotto_i_trusted *trusted) {
  if (trusted == NULL) return;
  X509_free(trusted->anchor);
  sotto_i_free(trusted->folder);
  sotto_i_free(trusted);
}

sotto_status sotto_i_key_revoked(bool *revoked, char line[200], const char *folder, const uint8_t digest[32],
                                 sotto_error *err) {
  char *path = NULL, text[65], read[200];
  sotto_status status = sotto_i_identity_path(&path, folder, "revoked", err);
  *revoked = false;
  if (status != SOTTO_OK) return status;
  sotto_i_hex(text, digest, 32);
  FILE *stream = fopen(path, "re");
  bool readable = stream != NULL || errno == ENOENT;
  while (!*revoked && stream != NULL && fgets(read, sizeof read, stream) != NULL) {
    read[strcspn(read, "\n")] = '\0';
    *revoked = strncmp(read, text, 64) == 0;
    if (*revoked && line != NULL) (void)snprintf(line, 200, "%s", read);
  }
  if (stream != NULL && ferror(stream) != 0) readable = false;
  if (stream != NULL) (void)fclose(stream);
  if (!readable)
    status =
        sotto_i_fail(err, SOTTO_IO, "%s: the list of revoked keys could not be read; make it readable", path);
  sotto_i_free(path);
  return status;
}

/* Checks dates, purpose and strength of the presented certificate, and its chain up to the one root. */
static int verify_up_to(X509 *root, X509_STORE_CTX *shown, bool client) {
  X509_STORE *store = X509_STORE_new();
  X509_STORE_CTX *trial = X509_STORE_CTX_new();
  int verified = X509_V_ERR_OUT_OF_MEM;
  if (store != NULL && trial != NULL && X509_STORE_add_cert(store, root) == 1 &&
      X509_STORE_CTX_init(trial, store, X509_STORE_CTX_get0_cert(shown),
                          X509_STORE_CTX_get0_untrusted(shown)) == 1) {
    X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(trial);
    (void)X509_STORE_CTX_set_default(trial, client ? "ssl_client" : "ssl_server");
    (void)X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_CHECK_SS_SIGNATURE);
    X509_VERIFY_PARAM_set_auth_level(rules, 2);
    verified = X509_verify_cert(trial) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(trial);
  }
  X509_STORE_CTX_free(trial);
  X509_STORE_free(store);
  return verified;
}

int sotto_i_trusted_judge(const sotto_i_trusted *t, X509_STORE_CTX *shown, bool client) {
  X509 *certificate = X509_STORE_CTX_get0_cert(shown);
  uint8_t key[32];
  if (certificate == NULL || sotto_i_certificate_key(key, certificate, NULL) != SOTTO_OK)
    return X509_V_ERR_CERT_REJECTED;
  if (!t->authority && memcmp(key, t->key, sizeof key) != 0) return X509_V_ERR_CERT_UNTRUSTED;
  int verified = verify_up_to(t->authority ? t->anchor : certificate, shown, client);
  if (verified != X509_V_OK) return verified;
  if (!sotto_i_certificate_names(certificate, t->name)) return X509_V_ERR_HOSTNAME_MISMATCH;
  bool revoked = true;
  if (sotto_i_key_revoked(&revoked, NULL, t->folder, key, NULL) != SOTTO_OK || revoked)
    return X509_V_ERR_CERT_REVOKED;
  return X509_V_OK;
}

sotto_status sotto_i_trusted_renewed(bool *renewed, char ends[32], sotto_i_trusted *t, X509 *certificate,
                                     sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *path = NULL, file[80];
  BIO *bio = NULL;
  sotto_identity_info info = {.name = ""};
  int days = 0, seconds = 0;
  *renewed = false;
  if (t->authority ||
      ASN1_TIME_diff(&days, &seconds, X509_get0_notAfter(t->anchor), X509_get0_notAfter(certificate)) != 1)
    return SOTTO_OK;
  if (days < 0 || seconds < 0 || (days == 0 && seconds == 0)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_trust_path(&path, t->folder, t->name, err));
  if (!sotto_i_is_file(path)) goto done; /* no longer trusted: it stays so */
  SOTTO_TRY(sotto_i_certificate_describe(&info, certificate, err));
  bio = BIO_new(BIO_s_mem());
  (void)snprintf(file, sizeof file, "trust/%s.crt", t->name);
  if (bio == NULL || PEM_write_bio_X509(bio, certificate) != 1)
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not copy the certificate");
  else
    status = sotto_i_identity_write(bio, t->folder, file, err);
  if (status != SOTTO_OK) goto done;
  (void)X509_up_ref(certificate);
  X509_free(t->anchor);
  t->anchor = certificate;
  (void)snprintf(ends, 32, "%s", info.ends);
  *renewed = true;
done:
  BIO_free(bio);
  sotto_i_free(path);
  return status;
}
