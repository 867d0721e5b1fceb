/* MATLAB 5 files: a 128-byte header, then elements of tag and data, most of them compressed.
 *
 * Format facts from "MAT-File Format", The MathWorks, level 5: a tag is a type and a size. If the upper
 * half of its first word is not zero, the element is small: its size and up to four bytes of data are in
 * the tag. */
#include "mat5.h"

#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum { HEADER = 128, MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_MATRIX = 14, MI_COMPRESSED = 15 };
enum { MX_SPARSE = 5, MX_DOUBLE = 6, MX_UINT64 = 15 };

/* One element, and its data. */
typedef struct element {
  uint32_t type;
  const uint8_t *data;
  size_t size;
} element;

/* Bytes being parsed; `offset` is their position in the file. */
typedef struct reader {
  const uint8_t *data;
  size_t size, at, offset;
  const char *file;
  sotto_error *err;
} reader;

static sotto_status fail(const reader *r, sotto_status status, const char *what) {
  (void)sotto_i_fail(r->err, status, "%s: offset %zu: %s", r->file, r->offset + r->at, what);
  return status;
}

static uint32_t read_word(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* Reads the next element. Elements are padded to eight bytes, except compressed ones. */
static sotto_status next_element(reader *r, element *out) {
  if (r->size - r->at < 8) return fail(r, SOTTO_PARSE, "the file ends inside a tag");
  uint32_t first = read_word(r->data + r->at);
  if (first >> 16 != 0) {
    *out = (element){first & 0xFFFF, r->data + r->at + 4, first >> 16};
    if (out->size > 4) return fail(r, SOTTO_PARSE, "a small element claims more than four bytes");
    r->at += 8;
    return SOTTO_OK;
  }
  *out = (element){first, r->data + r->at + 8, read_word(r->data + r->at + 4)};
  if (out->size > r->size - r->at - 8) return fail(r, SOTTO_PARSE, "an element is longer than its container");
  r->at += 8 + out->size;
  size_t padding = (8 - out->size % 8) % 8;
  if (out->type != MI_COMPRESSED) r->at += padding < r->size - r->at ? padding : r->size - r->at;
  return SOTTO_OK;
}

static bool view_numbers(const element *e, sotto_i_array *out) {
  static const char *const types[] = {NULL, "i1", "u1", "i2", "u2", "i4", "u4",
                                      "f4", NULL, "f8", NULL, NULL, "i8", "u8"};
  *out = (sotto_i_array){.data = e->data, .dims = 1};
  if (e->type >= sizeof types / sizeof types[0] || types[e->type] == NULL) return false;
  if (!sotto_i_array_type(out, types[e->type], 2) || e->size % out->item != 0) return false;
  out->count = out->shape[0] = e->size / out->item;
  return true;
}

static sotto_status next_numbers(reader *r, sotto_i_array *out) {
  element e = {0};
  sotto_status status = next_element(r, &e);
  if (status != SOTTO_OK) return status;
  return view_numbers(&e, out) ? SOTTO_OK : fail(r, SOTTO_PARSE, "numbers were expected before this offset");
}

/* Reads the body of a matrix: values, or row indices, column starts and values. */
static sotto_status read_body(reader *r, sotto_i_mat5 *out, uint32_t flags) {
  sotto_status status;
  const uint32_t class = flags & 0xFF;
  int64_t used = 0;
  out->sparse = class == MX_SPARSE;
  if (!out->sparse && (class < MX_DOUBLE || class > MX_UINT64))
    return fail(r, SOTTO_UNSUPPORTED, "the variable is not a matrix of numbers");
  if ((flags & 0x0800) != 0) return fail(r, SOTTO_UNSUPPORTED, "the variable is complex");
  if (out->sparse) {
    SOTTO_TRY(next_numbers(r, &out->indices));
    SOTTO_TRY(next_numbers(r, &out->starts));
  }
  SOTTO_TRY(next_numbers(r, &out->values));
  if (!out->sparse) {
    if (out->values.count != out->rows * out->cols)
      return fail(r, SOTTO_PARSE, "a matrix does not have rows x columns values");
    return SOTTO_OK;
  }
  /* MATLAB may reserve more entries than it uses: the last column start is the number in use. */
  if (out->starts.count != out->cols + 1 || !sotto_i_array_integer(&out->starts, out->cols, &used) ||
      used < 0 || (uint64_t)used > out->indices.count || (uint64_t)used > out->values.count)
    return fail(r, SOTTO_PARSE, "the column starts of a sparse matrix do not fit its entries");
  out->indices.count = out->values.count = (uint64_t)used;
done:
  return status;
}

/* Parses a miMATRIX: flags, dimensions, name; the rest only if its name is wanted. */
static sotto_status read_matrix(reader *r, sotto_i_mat5 *out, const char *const *names, size_t count,
                                size_t *which) {
  sotto_status status;
  element flags = {0}, dims = {0}, name = {0};
  *which = count;
  if (r->size == 0 || r->data == NULL) return SOTTO_OK; /* an empty matrix without a name */
  SOTTO_TRY(next_element(r, &flags));
  if (flags.type != MI_UINT32 || flags.size != 8)
    return fail(r, SOTTO_PARSE, "a matrix does not begin with its flags");
  SOTTO_TRY(next_element(r, &dims));
  SOTTO_TRY(next_element(r, &name));
  if (dims.type != MI_INT32 || name.type != MI_INT8)
    return fail(r, SOTTO_PARSE, "a matrix lacks its shape or its name");
  for (size_t i = 0; i < count && *which == count; i++)
    if (name.size == strlen(names[i]) && memcmp(name.data, names[i], name.size) == 0) *which = i;
  if (*which == count || out[*which].found) {
    *which = count;
    return SOTTO_OK;
  }
  int32_t rows = dims.size == 8 ? (int32_t)read_word(dims.data) : -1;
  int32_t cols = dims.size == 8 ? (int32_t)read_word(dims.data + 4) : -1;
  if (rows < 0 || cols < 0) return fail(r, SOTTO_PARSE, "a matrix does not have two dimensions");
  sotto_i_mat5 *variable = &out[*which];
  variable->rows = (uint64_t)rows;
  variable->cols = (uint64_t)cols;
  SOTTO_TRY(read_body(r, variable, read_word(flags.data)));
  variable->found = true;
done:
  return status;
}

/* Inflates the one element inside of a compressed one. Its claimed size is accepted up to the expansion
 * limit of deflate. */
static sotto_status inflate_element(const reader *r, const element *packed, uint8_t **out, size_t *size) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed->data, .avail_in = (uInt)packed->size};
  uint8_t tag[8];
  sotto_status status = SOTTO_OK;
  *out = NULL;
  if (inflateInit(&stream) != Z_OK)
    return sotto_i_fail(r->err, SOTTO_NOMEM, "%s: zlib is out of memory", r->file);
  stream.next_out = tag;
  stream.avail_out = sizeof tag;
  (void)inflate(&stream, Z_SYNC_FLUSH);
  *size = read_word(tag + 4);
  if (stream.avail_out != 0 || read_word(tag) != MI_MATRIX || *size / SOTTO_I_EXPANSION > packed->size ||
      *size > sotto_i_most_unpacked(packed->size)) {
    status = fail(r, SOTTO_PARSE, "a compressed element holds no matrix, or one larger than it can hold");
    goto done;
  }
  SOTTO_TRY(sotto_i_new_raw(out, *size, 1, r->err));
  stream.next_out = *out;
  stream.avail_out = (uInt)*size;
  int result = *size == 0 ? Z_STREAM_END : inflate(&stream, Z_FINISH);
  if (result != Z_STREAM_END || stream.avail_out != 0)
    status =
        sotto_i_fail(r->err, SOTTO_CORRUPT, "%s: offset %zu: the element before does not inflate to its size",
                     r->file, r->offset + r->at);
done:
  (void)inflateEnd(&stream);
  return status;
}

static sotto_status read_variable(reader *r, const element *e, sotto_i_mat5 *out, const char *const *names,
                                  size_t count) {
  reader inner = {.data = e->data,
                  .size = e->size,
                  .offset = (size_t)(e->data - r->data),
                  .file = r->file,
                  .err = r->err};
  uint8_t *bytes = NULL;
  size_t which = count;
  sotto_status status = SOTTO_OK;
  if (e->type == MI_COMPRESSED) {
    SOTTO_TRY(inflate_element(r, e, &bytes, &inner.size));
    inner.data = bytes;
  } else if (e->type != MI_MATRIX) {
    return SOTTO_OK; /* no named variable */
  }
  SOTTO_TRY(read_matrix(&inner, out, names, count, &which));
  if (which < count) {
    out[which].bytes = bytes;
    bytes = NULL;
  }
done:
  sotto_i_free(bytes);
  return status;
}

sotto_status sotto_i_mat5_read(sotto_i_mat5 *out, const char *const *names, size_t count,
                               const sotto_i_source *file, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  reader r = {.data = file->data, .size = file->size, .at = HEADER, .file = file->file, .err = err};
  for (size_t i = 0; i < count; i++) out[i] = (sotto_i_mat5){0};
  if (file->size < HEADER || memcmp(file->data, "MATLAB 5.0 MAT-file", 19) != 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: is not a MATLAB 5 file (wrong first bytes)", file->file);
  if (memcmp(file->data + 124, "\x00\x01IM", 4) != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: offset 124: only little-endian version 1 files are read",
                        file->file);
  while (r.at < r.size) {
    element e = {0};
    SOTTO_TRY(next_element(&r, &e));
    SOTTO_TRY(read_variable(&r, &e, out, names, count));
  }
done:
  return status;
}

void sotto_i_mat5_free(sotto_i_mat5 *variable) {
  sotto_i_free(variable->bytes);
  *variable = (sotto_i_mat5){0};
}
