/* The .npy header: a magic number, a length, and a Python dict of three keys in plain text. */
#include "npy.h"

#include <string.h>

#include "base/error.h"

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Where the value of 'key': begins in the header, or NULL. */
static const char *value_of(const char *header, size_t size, const char *key) {
  size_t length = strlen(key);
  const char *at = memmem(header, size, key, length);
  if (at == NULL) return NULL;
  at += length;
  while (at < header + size && *at == ' ') at++;
  return at < header + size ? at : NULL;
}

static bool parse_descr(sotto_i_array *out, const char *at, const char *end) {
  if (at == NULL || end - at < 5 || at[0] != '\'' || at[4] != '\'') return false;
  /* The order of single bytes does not matter: numpy writes '|'. */
  return (at[1] == '<' || at[1] == '|') && sotto_i_array_type(out, at + 2, 2) &&
         (at[1] == '<' || out->item == 1);
}

/* "(n,)" or "(n, m)". */
static bool parse_shape(sotto_i_array *out, const char *at, const char *end) {
  if (at == NULL || *at++ != '(') return false;
  out->count = 1;
  while (at < end && *at != ')') {
    uint64_t extent = 0;
    size_t digits = 0;
    if (out->dims == 2) return false;
    for (; at < end && *at >= '0' && *at <= '9' && digits < 18; at++, digits++)
      extent = extent * 10 + (uint64_t)(*at - '0');
    if (digits == 0) return false;
    out->shape[out->dims++] = extent;
    if (__builtin_mul_overflow(out->count, extent, &out->count)) return false;
    while (at < end && (*at == ',' || *at == ' ')) at++;
  }
  if (at < end && out->dims == 0) { /* (), a single number */
    out->dims = 1;
    out->shape[0] = 1;
  }
  return at < end;
}

/* Steps over magic and version, and finds the header text. */
static sotto_status find_header(const char **header, size_t *length, const uint8_t *bytes, size_t size,
                                const char *file, const char *name, sotto_error *err) {
  if (size < 12 || memcmp(bytes, magic, sizeof magic) != 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s does not begin as .npy does", file, name);
  if (bytes[6] < 1 || bytes[6] > 3)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: array %s has .npy version %u; 1 to 3 are known", file,
                        name, bytes[6]);
  size_t begin = bytes[6] == 1 ? 10 : 12;
  *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
  if (begin == 12) *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (*length > size - begin)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s ends inside its .npy header", file, name);
  *header = (const char *)bytes + begin;
  return SOTTO_OK;
}

sotto_status sotto_i_npy_head(sotto_i_array *out, size_t *begin, const uint8_t *bytes, size_t size,
                              size_t whole, const char *file, const char *name, sotto_error *err) {
  const char *header = "";
  size_t length = 0;
  *out = (sotto_i_array){0};
  sotto_status status = find_header(&header, &length, bytes, size, file, name, err);
  if (status != SOTTO_OK) return status;
  const char *end = header + length;
  if (!parse_descr(out, value_of(header, length, "'descr':"), end))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: array %s is not of little-endian numbers; save it as one of those, such as <i8 or <f4", file,
        name);
  const char *order = value_of(header, length, "'fortran_order':");
  if (order == NULL || end - order < 5 || memcmp(order, "False", 5) != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: array %s is not in C order; save numpy.ascontiguousarray of it", file, name);
  if (!parse_shape(out, value_of(header, length, "'shape':"), end))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s has not one or two dimensions", file, name);
  *begin = (size_t)(end - (const char *)bytes);
  const size_t rest = whole - *begin;
  if (rest % out->item != 0 || rest / out->item != out->count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s claims %llu elements and has %zu bytes", file, name,
                        (unsigned long long)out->count, rest);
  return SOTTO_OK;
}
