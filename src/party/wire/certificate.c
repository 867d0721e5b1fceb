/* Reading certificates: whose, and until when. */
#include <errno.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "tls.h"

const char *sotto_identity_folder(const char *folder) {
  if (folder != NULL && folder[0] != '\0') return folder;
  const char *given = getenv("SOTTO_PARTY");
  return given != NULL && given[0] != '\0' ? given : "party";
}

sotto_status sotto_i_identity_path(char **out, const char *folder, const char *name, sotto_error *err) {
  return sotto_i_join(out, sotto_identity_folder(folder), name, err);
}

bool sotto_i_party_name_ok(const char *name) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  size_t length = strlen(name);
  return length > 0 && length < 64 && name[0] != '.' && strspn(name, allowed) == length;
}

sotto_status sotto_i_trust_path(char **out, const char *folder, const char *peer, sotto_error *err) {
  char name[80];
  if (!sotto_i_party_name_ok(peer))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "'%.64s' cannot name a party: 1 to 63 letters, digits, '-', '.' and '_'", peer);
  (void)snprintf(name, sizeof name, "trust/%s.crt", peer);
  return sotto_i_identity_path(out, folder, name, err);
}

sotto_status sotto_i_certificate_read(X509 **out, const char *path, sotto_error *err) {
  *out = NULL;
  FILE *stream = fopen(path, "re");
  if (stream == NULL)
    return sotto_i_fail(err, errno == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not open it: %s", path,
                        strerror(errno));
  *out = PEM_read_X509(stream, NULL, NULL, NULL);
  (void)fclose(stream);
  return *out != NULL ? SOTTO_OK : sotto_i_tls_fail(err, SOTTO_INVALID, path);
}

sotto_status sotto_i_certificate_name(char name[64], X509 *certificate, const char *path, sotto_error *err) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  size_t found = 0;
  bool good = true;
  for (int i = 0; i < (names == NULL ? 0 : sk_GENERAL_NAME_num(names)); i++) {
    const GENERAL_NAME *entry = sk_GENERAL_NAME_value(names, i);
    if (entry->type != GEN_DNS) continue;
    const ASN1_STRING *text = entry->d.dNSName;
    int length = ASN1_STRING_length(text);
    if (found++ > 0 || length <= 0 || length >= 64) continue;
    memcpy(name, ASN1_STRING_get0_data(text), (size_t)length);
    name[length] = '\0';
    good = strlen(name) == (size_t)length && sotto_i_party_name_ok(name);
  }
  GENERAL_NAMES_free(names);
  if (found == 1 && good) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: a party's certificate has one DNS name in its subjectAltName, of letters, digits, "
                      "'-', '.' and '_'; this one has %zu",
                      path, found);
}

sotto_status sotto_i_certificate_in_time(X509 *certificate, const char *path, sotto_error *err) {
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: the certificate has expired; make a new one and trust it",
                        path);
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: the certificate is not valid yet; are both clocks right?",
                        path);
  return SOTTO_OK;
}

static void describe(sotto_identity_info *out, X509 *certificate) {
  uint8_t digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  struct tm end;
  if (X509_digest(certificate, EVP_sha256(), digest, &size) == 1 && size == 32)
    sotto_i_hex(out->fingerprint, digest, 32);
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1)
    (void)strftime(out->ends, sizeof out->ends, "%Y-%m-%d", &end);
}

static sotto_status key_belongs(X509 *certificate, const char *folder, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  FILE *stream = NULL;
  EVP_PKEY *key = NULL;
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "key.pem", err));
  stream = fopen(path, "re");
  if (stream == NULL) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: could not open it: %s", path, strerror(errno));
    goto done;
  }
  key = PEM_read_PrivateKey(stream, NULL, NULL, NULL);
  if (key == NULL)
    status = sotto_i_tls_fail(err, SOTTO_INVALID, path);
  else if (X509_check_private_key(certificate, key) != 1)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not the key of own.crt beside it", path);
done:
  if (stream != NULL) (void)fclose(stream);
  EVP_PKEY_free(key);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_identity_check(sotto_identity_info *out, const char *folder, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  X509 *certificate = NULL;
  *out = (sotto_identity_info){.name = ""};
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "own.crt", err));
  if (!sotto_i_is_file(path)) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: there is no certificate; make one with `sotto party init`", path);
    goto done;
  }
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_name(out->name, certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_in_time(certificate, path, err));
  SOTTO_TRY(key_belongs(certificate, folder, err));
  describe(out, certificate);
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_identity_check_peer(sotto_identity_info *out, const char *folder, const char *peer,
                                       sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  X509 *certificate = NULL;
  *out = (sotto_identity_info){.name = ""};
  SOTTO_TRY(sotto_i_trust_path(&path, folder, peer, err));
  if (!sotto_i_is_file(path)) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: '%s' is not trusted; get its own.crt and give it to `sotto party trust`", path,
                          peer);
    goto done;
  }
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_in_time(certificate, path, err));
  (void)snprintf(out->name, sizeof out->name, "%s", peer);
  describe(out, certificate);
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}
