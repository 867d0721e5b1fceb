/* Reading certificates: their names, dates and keys. */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "identity.h"

sotto_status sotto_i_certificate_read(X509 **out, const char *path, sotto_error *err) {
  *out = NULL;
  FILE *stream = fopen(path, "re");
  if (stream == NULL)
    return sotto_i_fail(err, errno == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not open it: %s", path,
                        sotto_i_errno_text(errno));
  *out = PEM_read_X509(stream, NULL, NULL, NULL);
  (void)fclose(stream);
  if (*out != NULL) return SOTTO_OK;
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
    return sotto_i_tls_fail(err, SOTTO_INVALID, path);
  ERR_clear_error();
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: is not a certificate: it has no line '-----BEGIN CERTIFICATE-----'; take the file that "
      "the other party made and sent",
      path);
}

/* Copies a DNS name that is valid for a party; `name` is empty when false is returned. */
static bool copy_dns_name(char name[64], const GENERAL_NAME *entry) {
  const ASN1_STRING *text = entry->d.dNSName;
  int length = ASN1_STRING_length(text);
  name[0] = '\0';
  if (length <= 0 || length >= 64) return false;
  memcpy(name, ASN1_STRING_get0_data(text), (size_t)length);
  name[length] = '\0';
  if (strlen(name) == (size_t)length && sotto_i_party_name_ok(name)) return true;
  name[0] = '\0';
  return false;
}

sotto_status sotto_i_certificate_name(char name[64], X509 *certificate, const char *path, sotto_error *err) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  size_t found = 0;
  bool good = false;
  name[0] = '\0';
  for (int i = 0; i < (names == NULL ? 0 : sk_GENERAL_NAME_num(names)); i++) {
    const GENERAL_NAME *entry = sk_GENERAL_NAME_value(names, i);
    if (entry->type == GEN_DNS && found++ == 0) good = copy_dns_name(name, entry);
  }
  GENERAL_NAMES_free(names);
  if (found == 1 && good) return SOTTO_OK;
  name[0] = '\0';
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: a party's certificate has one DNS name in its subjectAltName, of 1 to 63 letters, "
                      "digits, '-', '.' and '_'; this one has %zu%s",
                      path, found, found == 1 ? ", and not such a one" : "");
}

bool sotto_i_certificate_names(X509 *certificate, const char *name) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  bool found = false;
  for (int i = 0; i < (names == NULL ? 0 : sk_GENERAL_NAME_num(names)); i++) {
    const GENERAL_NAME *entry = sk_GENERAL_NAME_value(names, i);
    char one[64];
    found = found || (entry->type == GEN_DNS && copy_dns_name(one, entry) && strcmp(one, name) == 0);
  }
  GENERAL_NAMES_free(names);
  return found;
}

static void write_day(char out[16], const struct tm *day) {
  if (strftime(out, 16, "%Y-%m-%d", day) == 0) out[0] = '\0';
}

void sotto_i_clock_day(char out[16]) {
  const time_t now = time(NULL);
  struct tm today = {0};
  (void)gmtime_r(&now, &today);
  write_day(out, &today);
}

/* Either the certificate or this machine's clock is to blame, so both days are named. */
sotto_status sotto_i_certificate_in_time(X509 *certificate, const char *path, sotto_error *err) {
  const ASN1_TIME *begin = X509_get0_notBefore(certificate), *end = X509_get0_notAfter(certificate);
  struct tm from = {0}, until = {0};
  char first[16], last[16], here[16];
  (void)ASN1_TIME_to_tm(begin, &from);
  (void)ASN1_TIME_to_tm(end, &until);
  write_day(first, &from);
  write_day(last, &until);
  sotto_i_clock_day(here);
  if (X509_cmp_current_time(end) <= 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: the certificate has expired: it ended on %s, and this machine's clock says %s. Correct "
        "the clock, or have its owner make a new one under the same key with `sotto identity renew`",
        path, last, here);
  if (X509_cmp_current_time(begin) > 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: the certificate is not valid yet; are both clocks right? It begins on %s, and this "
        "machine's clock says %s",
        path, first, here);
  return SOTTO_OK;
}

sotto_status sotto_i_certificate_key(uint8_t digest[32], X509 *certificate, sotto_error *err) {
  unsigned char *der = NULL;
  int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  bool good = size > 0 && EVP_Digest(der, (size_t)size, digest, NULL, EVP_sha256(), NULL) == 1;
  OPENSSL_free(der);
  return good ? SOTTO_OK : sotto_i_tls_fail(err, SOTTO_INVALID, "could not read the certificate's key");
}

sotto_status sotto_i_certificate_describe(sotto_identity_info *out, X509 *certificate, sotto_error *err) {
  uint8_t digest[32];
  struct tm end;
  int days = 0, seconds = 0;
  sotto_status status = sotto_i_certificate_key(digest, certificate, err);
  if (status != SOTTO_OK) return status;
  sotto_i_hex(out->fingerprint, digest, 32);
  sotto_i_fingerprint_words(out->words, digest);
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1)
    (void)strftime(out->ends, sizeof out->ends, "%Y-%m-%d", &end);
  if (ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate)) == 1)
    out->days = days - (days == 0 && seconds < 0 ? 1 : 0);
  return SOTTO_OK;
}

sotto_status sotto_i_identity_key(EVP_PKEY **out, const char *folder, sotto_error *err) {
  sotto_status status;
  char *token = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_identity_private(folder, err));
  SOTTO_TRY(sotto_i_identity_path(&token, folder, "key.uri", err));
  if (sotto_i_is_file(token))
    status = sotto_i_token_key(out, token, err);
  else
    status = sotto_i_private_key_read(out, folder, err);
done:
  sotto_i_free(token);
  return status;
}

static sotto_status check_key_matches(X509 *certificate, const char *folder, sotto_error *err) {
  EVP_PKEY *key;
  sotto_status status = sotto_i_identity_key(&key, folder, err);
  if (status == SOTTO_OK && X509_check_private_key(certificate, key) != 1)
    status =
        sotto_i_fail(err, SOTTO_INVALID, "%s: its key is not that of own.crt", sotto_identity_folder(folder));
  EVP_PKEY_free(key);
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
                          "%s: there is no certificate; make one with `sotto identity init`", path);
    goto done;
  }
  SOTTO_TRY(sotto_i_certificate_read(&certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_name(out->name, certificate, path, err));
  SOTTO_TRY(sotto_i_certificate_in_time(certificate, path, err));
  SOTTO_TRY(check_key_matches(certificate, folder, err));
  SOTTO_TRY(sotto_i_certificate_describe(out, certificate, err));
done:
  X509_free(certificate);
  sotto_i_free(path);
  return status;
}
