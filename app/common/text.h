/* Words and numbers typed by people. */
#ifndef SOTTO_APP_COMMON_TEXT_H
#define SOTTO_APP_COMMON_TEXT_H

#include "sotto/base.h"

/* The name nearest to `word` by edit distance; NULL: none is near enough to suggest. */
const char *app_nearest(const char *word, const char *const *names, size_t count);

/* Parse the whole text: no spaces, no trailing text, finite values only. Errors: PARSE, RANGE; `what` names
 * the value. */
sotto_status app_parse_double(double *out, const char *text, const char *what, sotto_error *err);
sotto_status app_parse_u64(uint64_t *out, const char *text, const char *what, sotto_error *err);

/* Of each path from the root in a text its last name alone stays: where files lie is not for those who ask
 * over a network. A name of this server, as /health, has one slash and stays. */
void app_hide_folders(char *text);

/* Lower-case hexadecimal of `size` bytes, with a final zero: `out` holds 2 * size + 1. */
void app_hex(char *out, const uint8_t *bytes, size_t size);

#endif
