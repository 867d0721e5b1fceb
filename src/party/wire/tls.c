/* TLS 1.3 contexts: both sides have certificates, and one peer is accepted by name. */
#include "tls.h"

#include <openssl/err.h>

#include "base/error.h"
#include "base/memory.h"

static sotto_status use_certificate(SSL_CTX *context, const char *folder, sotto_error *err) {
  sotto_status status;
  char *certificate = NULL;
  EVP_PKEY *key = NULL;
  SOTTO_TRY(sotto_i_identity_path(&certificate, folder, "own.crt", err));
  SOTTO_TRY(sotto_i_identity_key(&key, folder, err));
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
      SSL_CTX_use_PrivateKey(context, key) != 1 || SSL_CTX_check_private_key(context) != 1)
    status = sotto_i_tls_fail(err, SOTTO_INVALID, certificate);
done:
  EVP_PKEY_free(key);
  sotto_i_free(certificate);
  return status;
}

/* X25519 beside ML-KEM where OpenSSL has it (3.5 and later), so that whoever records the traffic now cannot
 * read it with a quantum computer later; X25519 for peers without it. Both key shares are sent (*), so such a
 * peer costs no further round trip. */
static bool set_groups(SSL_CTX *context) {
  if (SSL_CTX_set1_groups_list(context, "*X25519MLKEM768/*X25519") == 1) return true;
  ERR_clear_error();
  return SSL_CTX_set1_groups_list(context, "X25519") == 1;
}

/* A context that presents this party's certificate, allows TLS 1.3 alone, and requires a certificate of the
 * other side. */
static sotto_status context_new(SSL_CTX **out, const char *folder, sotto_error *err) {
  sotto_identity_info info;
  sotto_status status;
  SSL_CTX *context = NULL;
  SOTTO_TRY(sotto_identity_check(&info, folder, err));
  context = SSL_CTX_new(TLS_method());
  if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384") != 1 ||
      !set_groups(context)) {
    status = sotto_i_tls_fail(err, SOTTO_NOMEM, "could not set TLS up");
    goto done;
  }
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  (void)SSL_CTX_set_num_tickets(context, 0);
  (void)SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  SOTTO_TRY(use_certificate(context, folder, err));
  *out = context;
  context = NULL;
done:
  SSL_CTX_free(context);
  return status;
}

/* Called by OpenSSL in the handshake of an outgoing connection. */
static int judge_peer(X509_STORE_CTX *shown, void *context) {
  int verified = sotto_i_trusted_judge(context, shown, false);
  X509_STORE_CTX_set_error(shown, verified);
  return verified == X509_V_OK;
}

sotto_status sotto_i_tls_context(SSL_CTX **out, const char *folder, const sotto_i_trusted *peer,
                                 sotto_error *err) {
  return sotto_i_tls_lobby(out, folder, judge_peer, (void *)(uintptr_t)peer, err);
}

sotto_status sotto_i_tls_lobby(SSL_CTX **out, const char *folder, int (*judge)(X509_STORE_CTX *, void *),
                               void *context, sotto_error *err) {
  *out = NULL;
  sotto_status status = context_new(out, folder, err);
  if (status == SOTTO_OK) SSL_CTX_set_cert_verify_callback(*out, judge, context);
  return status;
}

/* A TLS record (RFC 8446, section 5.1): type 22, version 3.1 to 3.3, length. Its first byte is the type of
 * the handshake message, 1. */
int sotto_i_tls_first_flight(const uint8_t *bytes, size_t size) {
  enum { record_header = 5, least_hello = 40 };
  static const uint8_t first[2] = {22, 3};
  for (size_t i = 0; i < 2 && i < size; i++)
    if (bytes[i] != first[i]) return -1;
  if (size > 2 && (bytes[2] < 1 || bytes[2] > 3)) return -1;
  if (size < SOTTO_I_FIRST_BYTES) return 0;
  int length = bytes[3] << 8 | bytes[4];
  bool good = bytes[5] == 1 && length >= least_hello && length <= SOTTO_I_MOST_FIRST - record_header;
  return good ? record_header + length : -1;
}
