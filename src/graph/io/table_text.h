/* Texts of tables: unpacked, and decoded to UTF-8. */
#ifndef SOTTO_SRC_GRAPH_IO_TABLE_TEXT_H
#define SOTTO_SRC_GRAPH_IO_TABLE_TEXT_H

#include "unpack.h"

/* The text of a file; `source` borrows the file's bytes, or is `made` here. */
typedef struct sotto_i_table_text {
  sotto_i_source source;
  uint8_t *made;
  sotto_i_packing packing;
  bool utf16;
} sotto_i_table_text;

/* Enough bytes of the front of a file for the calls below. */
enum { SOTTO_I_TEXT_FRONT = 16 };
/* Whether the front of a file is that of a text as it is: not packed, and not UTF-16. */
bool sotto_i_text_is_plain(const uint8_t *front, size_t size);
/* Unpacks gzip and zstd, by the first bytes. Errors: CORRUPT, RANGE, UNSUPPORTED (bzip2, xz, zip), NOMEM. */
sotto_status sotto_i_table_text_unpack(sotto_i_table_text *out, const sotto_i_source *file, sotto_error *err);
/* Unpacks, and decodes UTF-16 that has a byte order mark. Free the text also after a failure. Errors: as
 * above; PARSE. */
sotto_status sotto_i_table_text_open(sotto_i_table_text *out, const sotto_i_source *file, sotto_error *err);
void sotto_i_table_text_free(sotto_i_table_text *text);

/* The bytes of a text before the first that is not UTF-8, or is zero. */
size_t sotto_i_text_good(const uint8_t *text, size_t size);
/* Whether the rest of a text is the beginning of a character, which more bytes may complete. */
bool sotto_i_text_is_cut(const uint8_t *rest, size_t size);
/* Fails because of that byte. */
sotto_status sotto_i_text_fail(const char *file, uint64_t line, uint64_t offset, uint8_t byte,
                               sotto_error *err);

#endif
