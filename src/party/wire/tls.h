/* TLS contexts, by OpenSSL. */
#ifndef SOTTO_SRC_PARTY_WIRE_TLS_H
#define SOTTO_SRC_PARTY_WIRE_TLS_H

#include <openssl/ssl.h>

#include "party/identity/identity.h"

/* A context that allows TLS 1.3 alone, presents this party's certificate, and accepts only `peer`
 * (borrowed). */
sotto_status sotto_i_tls_context(SSL_CTX **out, const char *folder, const sotto_i_trusted *peer,
                                 sotto_error *err);
/* A context for incoming connections of several peers: `judge` verifies each certificate, as with
 * SSL_CTX_set_cert_verify_callback. */
sotto_status sotto_i_tls_lobby(SSL_CTX **out, const char *folder, int (*judge)(X509_STORE_CTX *, void *),
                               void *context, sotto_error *err);
/* Checks the first bytes of a client before any work is done for them. Returns the length of its first record
 * when they can begin a ClientHello, 0 when more bytes are needed, -1 when they cannot. */
int sotto_i_tls_first_flight(const uint8_t *bytes, size_t size);
enum { SOTTO_I_FIRST_BYTES = 6, SOTTO_I_MOST_FIRST = 8192 };

#endif
