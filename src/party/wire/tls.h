/* Keys, certificates and TLS by OpenSSL. */
#ifndef SOTTO_SRC_PARTY_WIRE_TLS_H
#define SOTTO_SRC_PARTY_WIRE_TLS_H

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "sotto/party.h"

/* FOLDER/key.pem, own.crt, trust/NAME.crt; fresh memory. */
sotto_status sotto_i_identity_path(char **out, const char *folder, const char *name, sotto_error *err);
sotto_status sotto_i_trust_path(char **out, const char *folder, const char *peer, sotto_error *err);
/* Letters, digits, '-', '.' and '_', 1 to 63 of them, not beginning with a dot. */
bool sotto_i_party_name_ok(const char *name);
/* The certificate in a PEM file. Errors: NOT_FOUND, INVALID, IO. */
sotto_status sotto_i_certificate_read(X509 **out, const char *path, sotto_error *err);
/* The one name of a certificate (SAN, DNS). Errors: INVALID. */
sotto_status sotto_i_certificate_name(char name[64], X509 *certificate, const char *path, sotto_error *err);
/* Errors: INVALID when it has ended or has not begun. */
sotto_status sotto_i_certificate_in_time(X509 *certificate, const char *path, sotto_error *err);

/* A context that takes TLS 1.3 alone, shows this party's certificate, and accepts the one peer: exactly its
 * trusted certificate, or one of its name by a trusted authority; in time, in either case. */
sotto_status sotto_i_tls_context(SSL_CTX **out, const char *folder, const char *peer, sotto_error *err);
/* A context for connections that come, of several peers: `judge` is asked for each certificate, as by
 * SSL_CTX_set_cert_verify_callback. */
sotto_status sotto_i_tls_lobby(SSL_CTX **out, const char *folder, int (*judge)(X509_STORE_CTX *, void *),
                               void *context, sotto_error *err);
/* What a peer's context says of the certificate that is shown: X509_V_OK, or what is wrong with it. */
int sotto_i_tls_judge(X509_STORE_CTX *shown, SSL_CTX *peer);
/* The last words of OpenSSL on this thread's queue, which is emptied. */
void sotto_i_tls_words(char *out, size_t size);
/* Fails with `doing` and OpenSSL's last words. */
sotto_status sotto_i_tls_fail(sotto_error *err, sotto_status status, const char *doing);

#endif
