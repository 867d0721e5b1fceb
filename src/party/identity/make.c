/* Making a key, its certificates and requests. */
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "identity.h"

static sotto_status make_key(EVP_PKEY **out, const char *folder, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_secure_heap();
  BIO *bio = BIO_new(BIO_s_secmem());
  *out = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  if (bio == NULL || *out == NULL || PEM_write_bio_PrivateKey(bio, *out, NULL, NULL, 0, NULL, NULL) != 1)
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not make a key");
  else
    status = sotto_i_identity_write(bio, folder, "key.pem", err);
  BIO_free(bio);
  return status;
}

static X509_EXTENSION *extension(int kind, const char *value) {
  return X509V3_EXT_conf_nid(NULL, NULL, kind, value);
}

/* Fills the subject and the extensions of a certificate or a request. */
static bool fill_names(X509_NAME *subject, STACK_OF(X509_EXTENSION) * list, const char *name) {
  static const struct {
    int kind;
    const char *value;
  } rows[] = {{NID_basic_constraints, "critical,CA:FALSE"},
              {NID_key_usage, "critical,digitalSignature"},
              {NID_ext_key_usage, "serverAuth,clientAuth"}};
  char san[80];
  (void)snprintf(san, sizeof san, "DNS:%s", name);
  bool good =
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0) == 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    good = good && sk_X509_EXTENSION_push(list, extension(rows[i].kind, rows[i].value)) > 0;
  return good && sk_X509_EXTENSION_push(list, extension(NID_subject_alt_name, san)) > 0;
}

/* Adds key identifiers, which strict verification of X.509 requires in every certificate. */
static bool add_identifiers(X509 *certificate) {
  X509V3_CTX context;
  bool good = true;
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  const int kinds[2] = {NID_subject_key_identifier, NID_authority_key_identifier};
  const char *const values[2] = {"hash", "keyid:always"};
  for (int i = 0; i < 2; i++) {
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &context, kinds[i], values[i]);
    good = good && e != NULL && X509_add_ext(certificate, e, -1) == 1;
    X509_EXTENSION_free(e);
  }
  return good;
}

/* NULL for Ed25519, which signs without a digest by the caller. */
static const EVP_MD *digest_for(const EVP_PKEY *key) {
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 ? NULL : EVP_sha256();
}

static bool sign_own(BIO *bio, EVP_PKEY *key, const char *name, uint64_t days) {
  const long hour = 60L * 60;
  X509 *certificate = X509_new();
  STACK_OF(X509_EXTENSION) *list = sk_X509_EXTENSION_new_null();
  uint64_t serial = 0;
  bool good = certificate != NULL && list != NULL && RAND_bytes((unsigned char *)&serial, 8) == 1 &&
              X509_set_version(certificate, X509_VERSION_3) == 1 &&
              ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), (serial >> 1) | 1) == 1 &&
              X509_gmtime_adj(X509_getm_notBefore(certificate), -hour) != NULL &&
              X509_time_adj_ex(X509_getm_notAfter(certificate), (int)days, 0, NULL) != NULL &&
              X509_set_pubkey(certificate, key) == 1 &&
              fill_names(X509_get_subject_name(certificate), list, name) &&
              X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1;
  for (int i = 0; good && i < sk_X509_EXTENSION_num(list); i++)
    good = X509_add_ext(certificate, sk_X509_EXTENSION_value(list, i), -1) == 1;
  good = good && add_identifiers(certificate) && X509_sign(certificate, key, digest_for(key)) > 0 &&
         PEM_write_bio_X509(bio, certificate) == 1;
  if (list != NULL) sk_X509_EXTENSION_pop_free(list, X509_EXTENSION_free);
  X509_free(certificate);
  return good;
}

static bool sign_request(BIO *bio, EVP_PKEY *key, const char *name) {
  X509_REQ *request = X509_REQ_new();
  STACK_OF(X509_EXTENSION) *list = sk_X509_EXTENSION_new_null();
  bool good = request != NULL && list != NULL && X509_REQ_set_version(request, X509_REQ_VERSION_1) == 1 &&
              X509_REQ_set_pubkey(request, key) == 1 &&
              fill_names(X509_REQ_get_subject_name(request), list, name) &&
              X509_REQ_add_extensions(request, list) == 1 &&
              X509_REQ_sign(request, key, digest_for(key)) > 0 && PEM_write_bio_X509_REQ(bio, request) == 1;
  if (list != NULL) sk_X509_EXTENSION_pop_free(list, X509_EXTENSION_free);
  X509_REQ_free(request);
  return good;
}

static sotto_status check_days(uint64_t days, sotto_error *err) {
  if (days >= 1 && days <= 36500) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "days: a certificate is valid for 1 to 36500 days");
}

/* Writes own.crt, or own.csr for an authority to sign. */
static sotto_status write_certificate(EVP_PKEY *key, const char *folder, const char *name, uint64_t days,
                                      bool request, sotto_error *err) {
  sotto_status status;
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio == NULL || !(request ? sign_request(bio, key, name) : sign_own(bio, key, name, days)))
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not make a certificate");
  else
    status = sotto_i_identity_write(bio, folder, request ? "own.csr" : "own.crt", err);
  BIO_free(bio);
  return status;
}

/* The token's key that the folder names, or a new one in key.pem. */
static sotto_status first_key(EVP_PKEY **out, const char *folder, sotto_error *err) {
  static const char *const taken[2] = {"key.pem", "own.crt"};
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  for (int i = 0; i < 2; i++) {
    SOTTO_TRY(sotto_i_identity_path(&path, folder, taken[i], err));
    if (sotto_i_is_file(path)) {
      status = sotto_i_fail(err, SOTTO_INVALID, "%s: there is a %s already; use another folder", path,
                            i == 0 ? "key" : "certificate");
      goto done;
    }
    sotto_i_free(path);
    path = NULL;
  }
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "key.uri", err));
  status = sotto_i_is_file(path) ? sotto_i_identity_key(out, folder, err) : make_key(out, folder, err);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_identity_init(const char *folder, const char *name, uint64_t days, bool request,
                                 sotto_error *err) {
  sotto_status status;
  EVP_PKEY *key = NULL;
  SOTTO_TRY(sotto_i_party_name_check(name, err));
  SOTTO_TRY(check_days(days, err));
  SOTTO_TRY(sotto_i_make_folder(sotto_identity_folder(folder), err));
  SOTTO_TRY(sotto_i_identity_private(folder, err));
  SOTTO_TRY(first_key(&key, folder, err));
  SOTTO_TRY(write_certificate(key, folder, name, days, request, err));
done:
  EVP_PKEY_free(key);
  return status;
}

sotto_status sotto_identity_renew(const char *folder, uint64_t days, bool request, sotto_error *err) {
  sotto_status status;
  char *path = NULL, name[64];
  X509 *before = NULL;
  EVP_PKEY *key = NULL;
  SOTTO_TRY(check_days(days, err));
  SOTTO_TRY(sotto_i_identity_key(&key, folder, err));
  SOTTO_TRY(sotto_i_identity_path(&path, folder, "own.crt", err));
  SOTTO_TRY(sotto_i_certificate_read(&before, path, err));
  SOTTO_TRY(sotto_i_certificate_name(name, before, path, err));
  if (X509_check_private_key(before, key) != 1)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not a certificate of the key in its folder", path);
  else if (!request && X509_self_signed(before, 0) != 1)
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "%s: is signed by an authority, and the others would not accept one that is not; make a "
                     "request and have it signed",
                     path);
  else
    status = write_certificate(key, folder, name, days, request, err);
done:
  X509_free(before);
  EVP_PKEY_free(key);
  sotto_i_free(path);
  return status;
}
