/* Identity of a party and its trusted peers: files of keys and certificates, by OpenSSL.
 *
 * FOLDER/key.pem or key.uri, own.crt (own.csr), trust/NAME.crt, revoked. A trusted party's file is its
 * certificate, and the key in it decides: a later certificate with the same key and name is the same party. A
 * trusted authority's file is its certificate, and applies to certificates with NAME that it signed. */
#ifndef SOTTO_SRC_PARTY_IDENTITY_IDENTITY_H
#define SOTTO_SRC_PARTY_IDENTITY_IDENTITY_H

#include <openssl/x509.h>

#include "sotto/party.h"

/* folder.c */
/* FOLDER/NAME and FOLDER/trust/PEER.crt; fresh memory. */
sotto_status sotto_i_identity_path(char **out, const char *folder, const char *name, sotto_error *err);
sotto_status sotto_i_trust_path(char **out, const char *folder, const char *peer, sotto_error *err);
/* Letters, digits, '-', '.' and '_', 1 to 63 of them, not beginning with a dot. */
bool sotto_i_party_name_ok(const char *name);
/* Errors: INVALID when the name cannot be one. */
sotto_status sotto_i_party_name_check(const char *name, sotto_error *err);
/* Checks that only this user and root may change the file or folder, or, when it is `secret`, read it. A
 * missing file passes. Errors: INVALID, with what to do. */
sotto_status sotto_i_private_check(const char *path, bool secret, sotto_error *err);
/* The same for the identity's folder, its trust/, and key.pem. */
sotto_status sotto_i_identity_private(const char *folder, sotto_error *err);
/* Writes the contents of a memory BIO to FOLDER/NAME. */
sotto_status sotto_i_identity_write(BIO *bio, const char *folder, const char *name, sotto_error *err);

/* certificate.c */
/* The certificate in a PEM file. Errors: NOT_FOUND, INVALID, IO. */
sotto_status sotto_i_certificate_read(X509 **out, const char *path, sotto_error *err);
/* The one name of a certificate (SAN, DNS). Errors: INVALID. */
sotto_status sotto_i_certificate_name(char name[64], X509 *certificate, const char *path, sotto_error *err);
/* Is this, letter for letter, one of its names (SAN, DNS)? */
bool sotto_i_certificate_names(X509 *certificate, const char *name);
/* Errors: INVALID when the certificate has ended or has not begun. */
sotto_status sotto_i_certificate_in_time(X509 *certificate, const char *path, sotto_error *err);
/* The day that this machine's clock says, as 2026-11-28; empty where it says none. */
void sotto_i_clock_day(char out[16]);
/* SHA-256 of its public key (SubjectPublicKeyInfo, DER). Errors: INVALID. */
sotto_status sotto_i_certificate_key(uint8_t digest[32], X509 *certificate, sotto_error *err);
/* Fills all of *out except the name. */
sotto_status sotto_i_certificate_describe(sotto_identity_info *out, X509 *certificate, sotto_error *err);
/* The folder's private key: the token's key that key.uri names, if this file exists, else key.pem. Errors:
 * NOT_FOUND, INVALID, and those of a token. */
sotto_status sotto_i_identity_key(EVP_PKEY **out, const char *folder, sotto_error *err);

/* sign.c: signatures over digests, declared in the public header. */

/* private_key.c: the private key in FOLDER/key.pem; free it with EVP_PKEY_free. While it is read, its text is
 * in secret memory; the key is in OpenSSL's secure heap. Errors: NOT_FOUND, INVALID, IO, NOMEM. */
sotto_status sotto_i_private_key_read(EVP_PKEY **out, const char *folder, sotto_error *err);
/* Gives OpenSSL a locked and wiped heap for private keys, unless it has one. */
void sotto_i_secure_heap(void);

/* token.c: the key that a PKCS#11 URI in a file names. Errors: INVALID (no URI), UNSUPPORTED (no engine),
 * NOT_FOUND (no such key, or a wrong PIN), IO. */
sotto_status sotto_i_token_key(EVP_PKEY **out, const char *path, sotto_error *err);

/* trust.c: as sotto_identity_trust, for a certificate in memory; `path` is for errors. */
sotto_status sotto_i_trust_certificate(char name[64], const char *folder, X509 *certificate, const char *path,
                                       const char *as, bool replace, sotto_error *err);

/* trusted.c: one trusted party or authority, against which connections are checked. */
typedef struct sotto_i_trusted sotto_i_trusted;
sotto_status sotto_i_trusted_open(sotto_i_trusted **out, const char *folder, const char *peer,
                                  sotto_error *err);
void sotto_i_trusted_free(sotto_i_trusted *trusted);
/* X509_V_OK when the presented certificate is that party's, within its dates, valid for a client or else a
 * server, and not revoked; otherwise the fault. */
int sotto_i_trusted_judge(const sotto_i_trusted *trusted, X509_STORE_CTX *shown, bool client);
/* Call it after a connection has proved that the certificate is the peer's. When the peer is trusted by its
 * key, stores the certificate instead of one that ends earlier. *renewed: it was stored; `ends` (32 bytes):
 * its end. */
sotto_status sotto_i_trusted_renewed(bool *renewed, char ends[32], sotto_i_trusted *trusted,
                                     X509 *certificate, sotto_error *err);
/* Has this key been revoked? `line` (200 bytes, may be NULL) gets its line. Errors: IO (the list exists and
 * cannot be read, so nobody may be accepted), NOMEM. */
sotto_status sotto_i_key_revoked(bool *revoked, char line[200], const char *folder, const uint8_t digest[32],
                                 sotto_error *err);

/* words.c: twelve words for the first 132 bits of a digest. */
enum { SOTTO_I_FINGERPRINT_WORDS = 12 };
void sotto_i_fingerprint_words(char out[128], const uint8_t digest[32]);

/* OpenSSL's last error text on this thread's queue, which is emptied. */
void sotto_i_tls_error_text(char *out, size_t size);
/* Fails with `doing` and OpenSSL's last error text. */
sotto_status sotto_i_tls_fail(sotto_error *err, sotto_status status, const char *doing);

#endif
