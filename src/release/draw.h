/* One draw of a release, as the file FILE.made beside it keeps it: its nonce, the digest of its bytes, and
 * how it was made. */
#ifndef SOTTO_SRC_RELEASE_DRAW_H
#define SOTTO_SRC_RELEASE_DRAW_H

#include "sotto/base.h"

enum { SOTTO_I_NONCE = 16, SOTTO_I_TOKEN_HEX = 33 };

typedef struct sotto_i_draw {
  uint8_t nonce[SOTTO_I_NONCE];
  uint8_t digest[32];
} sotto_i_draw;

/* *found: the artifact at `path` is there, whole, and is the one that was drawn. Errors: INVALID when it was
 * made with other options; IO, NOMEM. */
sotto_status sotto_i_draw_find(sotto_i_draw *out, bool *found, const char *path, const char *made_with,
                               sotto_error *err);
/* Before a new draw: what is there of an earlier one no longer counts. */
void sotto_i_draw_forget(const char *path);
/* After a new draw with this nonce, whose file is there: takes its digest and writes FILE.made. */
sotto_status sotto_i_draw_save(sotto_i_draw *draw, const char *path, const char *made_with, sotto_error *err);
/* What follows from nonce and digest, in hexadecimal digits. */
void sotto_i_draw_token(char out[SOTTO_I_TOKEN_HEX], const sotto_i_draw *draw);

#endif
