/* Text: suggestions, number parsing, hexadecimal, safe printing. */
#ifndef SOTTO_SRC_BASE_TEXT_H
#define SOTTO_SRC_BASE_TEXT_H

#include "sotto/base.h"

/* The name to suggest for `word`: one letter away, else the shortest that begins with it, else the nearest by
 * edit distance; NULL: none is near enough. */
const char *sotto_i_nearest(const char *word, const char *const *names, size_t count);

/* Whole-string parsers: no spaces, no trailing text, finite. Errors: PARSE, RANGE; `what` names the value. */
sotto_status sotto_i_parse_double(double *out, const char *text, const char *what, sotto_error *err);
/* Exactly `count` numbers with ':' between them. Errors: INVALID for another count, PARSE, RANGE. */
sotto_status sotto_i_parse_doubles(double *out, size_t count, const char *text, const char *what,
                                   sotto_error *err);
sotto_status sotto_i_parse_u64(uint64_t *out, const char *text, const char *what, sotto_error *err);
/* A whole number that may be written with a power of ten, as 1e6 or 2.5e3. */
sotto_status sotto_i_parse_count(uint64_t *out, const char *text, const char *what, sotto_error *err);

/* How many of the bytes are UTF-8: all, or those before the first that is not. */
size_t sotto_i_utf8_bytes(const uint8_t *text, size_t size);

/* How many bytes of a text fit into `most`, ending with a whole character: the precision of %.*s for a name.
 * NULL: 0. */
int sotto_i_fitting(const char *text, size_t most);

/* Whether sotto_text_clean would leave the text as it is. */
bool sotto_i_text_is_clean(const char *text);

/* Lower-case hexadecimal of `size` bytes and a final zero: `out` holds 2 * size + 1 bytes. */
void sotto_i_hex(char *out, const uint8_t *bytes, size_t size);

#endif
