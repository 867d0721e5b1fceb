/* The record of one draw of a release, in FILE.made: its nonce, the digest of its bytes, and its options. */
#ifndef SOTTO_SRC_RELEASE_DRAW_H
#define SOTTO_SRC_RELEASE_DRAW_H

#include "sotto/base.h"

enum { SOTTO_I_NONCE = 16, SOTTO_I_TOKEN_HEX = 33 };

typedef struct sotto_i_draw {
  uint8_t nonce[SOTTO_I_NONCE];
  uint8_t digest[32];
} sotto_i_draw;

/* *found: the artifact at `path` exists, whole, and is the recorded draw. Errors: INVALID when it was made
 * with other options; IO, NOMEM. */
sotto_status sotto_i_draw_find(sotto_i_draw *out, bool *found, const char *path, const char *made_with,
                               sotto_error *err);
/* Removes an earlier draw before a new one. */
void sotto_i_draw_forget(const char *path);
/* Records a new draw with this nonce, whose file is written: computes its digest and writes FILE.made. */
sotto_status sotto_i_draw_save(sotto_i_draw *draw, const char *path, const char *made_with, sotto_error *err);
/* The token of the draw, derived from nonce and digest, in hexadecimal digits. */
void sotto_i_draw_token(char out[SOTTO_I_TOKEN_HEX], const sotto_i_draw *draw);

#endif
