/* Unpacks and decodes texts of tables, and finds bytes that are not UTF-8. */
#include "table_text.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { first_surrogate = 0xD800, second_surrogate = 0xDC00, behind_surrogates = 0xE000 };

/* 1: UTF-16 of little-endian units by its byte order mark, 2: of big-endian units, 0: neither. */
static int utf16_of(const uint8_t *front, size_t size) {
  if (size < 2) return 0;
  return front[0] == 0xFF && front[1] == 0xFE ? 1 : front[0] == 0xFE && front[1] == 0xFF ? 2 : 0;
}

/* The byte order marks of UTF-32; one of them begins as that of UTF-16. */
static bool is_utf32(const uint8_t *front, size_t size) {
  static const uint8_t little[] = {0xFF, 0xFE, 0, 0}, big[] = {0, 0, 0xFE, 0xFF};
  return size >= 4 && (memcmp(front, little, 4) == 0 || memcmp(front, big, 4) == 0);
}

/* A page of the web, as a server sends it in place of a file, or XML. */
static bool is_page(const uint8_t *front, size_t size) {
  size_t at = size >= 3 && memcmp(front, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  while (at < size && memchr(" \t\r\n", front[at], 4) != NULL) at++;
  if (size - at < 2 || front[at] != '<') return false;
  const uint8_t next = front[at + 1] | 0x20;
  return front[at + 1] == '!' || front[at + 1] == '?' ||
         (size - at >= 5 && next == 'h' && (front[at + 2] | 0x20) == 't');
}

/* A packing that is known and not read; NULL: none. */
static const char *foreign_packing(const uint8_t *front, size_t size) {
  static const uint8_t xz[] = {0xFD, '7', 'z', 'X', 'Z', 0};
  if (size >= sizeof xz && memcmp(front, xz, sizeof xz) == 0) return "xz";
  if (size >= 10 && memcmp(front, "BZh", 3) == 0 && memcmp(front + 4, "1AY&SY", 6) == 0) return "bzip2";
  return size >= 4 && memcmp(front, "PK\3\4", 4) == 0 ? "zip (as workbooks are)" : NULL;
}

bool sotto_i_text_is_plain(const uint8_t *front, size_t size) {
  return sotto_i_packing_of(front, size) == SOTTO_I_PACKING_NONE && utf16_of(front, size) == 0 &&
         foreign_packing(front, size) == NULL && !is_utf32(front, size) && !is_page(front, size);
}

void sotto_i_table_text_free(sotto_i_table_text *text) {
  sotto_i_free(text->made);
  *text = (sotto_i_table_text){0};
}

static bool is_named(const char *file, const char *end) {
  const size_t length = strlen(file), tail = strlen(end);
  return length > tail && strcmp(file + length - tail, end) == 0;
}

sotto_status sotto_i_table_text_unpack(sotto_i_table_text *out, const sotto_i_source *file,
                                       sotto_error *err) {
  const char *foreign = foreign_packing(file->data, file->size);
  size_t size = 0;
  *out = (sotto_i_table_text){.source = *file, .packing = sotto_i_packing_of(file->data, file->size)};
  if (foreign != NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: is packed as %s; unpack it, or pack it with gzip or zstd", file->file, foreign);
  if (out->packing == SOTTO_I_PACKING_NONE) {
    if (!is_named(file->file, ".gz") && !is_named(file->file, ".zst")) return SOTTO_OK;
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: is neither gzip nor zstd, as its name says; if it is a text already, leave the end "
        "of its name out",
        file->file);
  }
  const sotto_status status = sotto_i_unpack(&out->made, &size, file, err);
  out->source = (sotto_i_source){file->file, out->made, size};
  if (status == SOTTO_OK && sotto_i_packing_of(out->made, size) != SOTTO_I_PACKING_NONE)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: is packed twice; unpack it once, and give what comes out", file->file);
  return status;
}

/* Writes a character as UTF-8; returns its bytes. */
static size_t put_character(uint8_t *out, uint32_t code) {
  if (code < 0x80) return out[0] = (uint8_t)code, 1;
  const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = size; i-- > 1; code >>= 6) out[i] = (uint8_t)(0x80 | (code & 0x3F));
  out[0] = (uint8_t)(lead[size] | code);
  return size;
}

/* The unit at byte `at`; UINT32_MAX behind the last whole one. */
static uint32_t unit_at(const sotto_i_source *text, size_t at, bool little) {
  if (text->size < 2 || at > text->size - 2) return UINT32_MAX;
  return (uint32_t)text->data[at + little] << 8 | text->data[at + !little];
}

static sotto_status decode_utf16(uint8_t **out, size_t *size, const sotto_i_source *text, bool little,
                                 sotto_error *err) {
  enum { mark = 2, most_growth = 3 };
  sotto_status status = sotto_i_new_raw(out, text->size / 2 * most_growth + 1, 1, err);
  *size = 0;
  if (status != SOTTO_OK) return status;
  for (size_t at = mark; at < text->size; at += 2) {
    const uint32_t unit = unit_at(text, at, little), next = unit_at(text, at + 2, little);
    const bool first = unit >= first_surrogate && unit < second_surrogate;
    const bool paired = first && next >= second_surrogate && next < behind_surrogates;
    if (unit == UINT32_MAX || (unit >= first_surrogate && unit < behind_surrogates && !paired))
      return sotto_i_fail(
          err, SOTTO_PARSE,
          "%s: offset %zu: half of a character of UTF-16; the file is damaged or was cut short", text->file,
          at);
    const uint32_t code =
        paired ? 0x10000 + ((unit - first_surrogate) << 10) + (next - second_surrogate) : unit;
    *size += put_character(*out + *size, code);
    if (paired) at += 2;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_table_text_open(sotto_i_table_text *out, const sotto_i_source *file, sotto_error *err) {
  uint8_t *decoded = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_table_text_unpack(out, file, err));
  if (is_utf32(out->source.data, out->source.size))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: is UTF-32; convert the file, as in iconv -f UTF-32 -t UTF-8 OLD > NEW",
                        file->file);
  if (is_page(out->source.data, out->source.size))
    return sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: is HTML or XML, as a page that says that a download failed; fetch the table again, or "
        "write it as CSV",
        file->file);
  const int order = utf16_of(out->source.data, out->source.size);
  if (order == 0) return SOTTO_OK;
  out->utf16 = true;
  SOTTO_TRY(decode_utf16(&decoded, &size, &out->source, order == 1, err));
  sotto_i_free(out->made);
  out->made = decoded;
  out->source = (sotto_i_source){file->file, decoded, size};
  decoded = NULL;
done:
  sotto_i_free(decoded);
  return status;
}

size_t sotto_i_text_good(const uint8_t *text, size_t size) {
  const size_t good = sotto_i_utf8_bytes(text, size);
  const uint8_t *zero = good == 0 ? NULL : memchr(text, '\0', good);
  return zero == NULL ? good : (size_t)(zero - text);
}

bool sotto_i_text_is_cut(const uint8_t *rest, size_t size) {
  const size_t wanted = size == 0 || rest[0] < 0xC2 ? 0 : rest[0] < 0xE0 ? 2 : rest[0] < 0xF0 ? 3 : 4;
  if (rest[0] > 0xF4 || size >= wanted) return false;
  for (size_t i = 1; i < size; i++)
    if ((rest[i] & 0xC0) != 0x80) return false;
  return true;
}

sotto_status sotto_i_text_fail(const char *file, uint64_t line, uint64_t offset, uint8_t byte,
                               sotto_error *err) {
  if (byte == 0)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: line %llu, offset %llu: a zero byte, which no table has; take it out, as in tr "
                        "-d '\\000' < OLD > "
                        "NEW; of UTF-16 without a byte order mark: iconv -f UTF-16LE -t UTF-8 OLD > NEW",
                        file, (unsigned long long)line, (unsigned long long)offset);
  return sotto_i_fail(
      err, SOTTO_PARSE,
      "%s: line %llu, offset %llu: byte 0x%02x is not UTF-8; convert the file, as in iconv -f "
      "WINDOWS-1252 -t UTF-8 OLD > NEW",
      file, (unsigned long long)line, (unsigned long long)offset, (unsigned)byte);
}
