/* What may connect: TLS 1.3, both sides with certificates, and one peer by name. */
#include "tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void sotto_i_tls_words(char *out, size_t size) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code == 0                ? NULL
                       : ERR_SYSTEM_ERROR(code) ? strerror((int)ERR_GET_REASON(code))
                                                : ERR_reason_error_string(code);
  (void)snprintf(out, size, "%s", reason == NULL ? "the connection was closed" : reason);
  ERR_clear_error();
}

sotto_status sotto_i_tls_fail(sotto_error *err, sotto_status status, const char *doing) {
  char words[160];
  sotto_i_tls_words(words, sizeof words);
  return sotto_i_fail(err, status, "%s: %s", doing, words);
}

/* The store has the peer's one anchor: nobody else's certificate, and nobody else's authority, counts. */
static sotto_status trust_peer(SSL_CTX *context, const char *folder, const char *peer, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  X509 *anchor = NULL;
  SOTTO_TRY(sotto_i_trust_path(&path, folder, peer, err));
  SOTTO_TRY(sotto_i_certificate_read(&anchor, path, err));
  X509_STORE *store = SSL_CTX_get_cert_store(context);
  X509_VERIFY_PARAM *rules = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (X509_STORE_add_cert(store, anchor) != 1 || X509_VERIFY_PARAM_set1_host(rules, peer, 0) != 1)
    status = sotto_i_tls_fail(err, SOTTO_INVALID, path);
done:
  X509_free(anchor);
  sotto_i_free(path);
  return status;
}

static sotto_status show_own(SSL_CTX *context, const char *folder, sotto_error *err) {
  sotto_status status;
  char *key = NULL, *certificate = NULL;
  SOTTO_TRY(sotto_i_identity_path(&key, folder, "key.pem", err));
  SOTTO_TRY(sotto_i_identity_path(&certificate, folder, "own.crt", err));
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
    status = sotto_i_tls_fail(err, SOTTO_INVALID, certificate);
  else if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
           SSL_CTX_check_private_key(context) != 1)
    status = sotto_i_tls_fail(err, SOTTO_INVALID, key);
done:
  sotto_i_free(key);
  sotto_i_free(certificate);
  return status;
}

/* Shows this party's certificate, takes TLS 1.3 alone, and wants a certificate of the other side. */
static sotto_status context_new(SSL_CTX **out, const char *folder, sotto_error *err) {
  sotto_identity_info info;
  sotto_status status;
  SSL_CTX *context = NULL;
  SOTTO_TRY(sotto_identity_check(&info, folder, err));
  context = SSL_CTX_new(TLS_method());
  if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384") != 1) {
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not set TLS up");
    goto done;
  }
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  (void)SSL_CTX_set_num_tickets(context, 0);
  (void)SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  SOTTO_TRY(show_own(context, folder, err));
  *out = context;
  context = NULL;
done:
  SSL_CTX_free(context);
  return status;
}

sotto_status sotto_i_tls_context(SSL_CTX **out, const char *folder, const char *peer, sotto_error *err) {
  sotto_identity_info info;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(context_new(out, folder, err));
  SOTTO_TRY(sotto_identity_check_peer(&info, folder, peer, err));
  SOTTO_TRY(trust_peer(*out, folder, peer, err));
done:
  if (status != SOTTO_OK) {
    SSL_CTX_free(*out);
    *out = NULL;
  }
  return status;
}

sotto_status sotto_i_tls_lobby(SSL_CTX **out, const char *folder, int (*judge)(X509_STORE_CTX *, void *),
                               void *context, sotto_error *err) {
  *out = NULL;
  sotto_status status = context_new(out, folder, err);
  if (status == SOTTO_OK) SSL_CTX_set_cert_verify_callback(*out, judge, context);
  return status;
}

int sotto_i_tls_judge(X509_STORE_CTX *shown, SSL_CTX *peer) {
  X509_STORE_CTX *trial = X509_STORE_CTX_new();
  int verified = X509_V_ERR_OUT_OF_MEM;
  if (trial != NULL &&
      X509_STORE_CTX_init(trial, SSL_CTX_get_cert_store(peer), X509_STORE_CTX_get0_cert(shown),
                          X509_STORE_CTX_get0_untrusted(shown)) == 1) {
    X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(trial);
    X509_VERIFY_PARAM_set_auth_level(rules, SSL_CTX_get_security_level(peer));
    (void)X509_STORE_CTX_set_default(trial, "ssl_client");
    (void)X509_VERIFY_PARAM_set1(rules, SSL_CTX_get0_param(peer));
    verified = X509_verify_cert(trial) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(trial);
  }
  X509_STORE_CTX_free(trial);
  return verified;
}
