/* Signatures of pages: a file FILE.sig next to the page. */
#ifndef SOTTO_APP_REPORT_PAGE_SEAL_H
#define SOTTO_APP_REPORT_PAGE_SEAL_H

#include "sotto/party.h"

/* Signs the file with a party's key: `key` is its folder, or key.pem or key.uri in it. Errors: those of
 * sotto_identity_sign, IO. */
sotto_status page_seal(const char *path, const char *key, sotto_error *err);
/* Checks FILE.sig with a certificate; `out` gets the identity of the key. Errors: those of
 * sotto_identity_verify, PARSE (FILE.sig is no signature), NOT_FOUND. */
sotto_status page_seal_check(sotto_identity_info *out, const char *path, const char *certificate,
                             sotto_error *err);

#endif
