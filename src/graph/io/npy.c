/* The .npy header: a magic number, a length, and a Python dict of three keys as text. */
#include "npy.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Start of the value of 'key' in the header, or NULL. */
static const char *find_value(const char *header, size_t size, const char *key) {
  size_t length = strlen(key);
  const char *at = memmem(header, size, key, length);
  if (at == NULL) return NULL;
  at += length;
  while (at < header + size && *at == ' ') at++;
  return at < header + size ? at : NULL;
}

static bool parse_descr(sotto_i_array *out, const char *at, const char *end) {
  if (at == NULL || end - at < 5 || at[0] != '\'' || at[4] != '\'') return false;
  if (at[2] == 'f' && at[3] == '2')
    *out = (sotto_i_array){.kind = 'f', .item = 2};
  else if (!sotto_i_array_type(out, at + 2, 2))
    return false;
  out->swapped = at[1] == '>';
  /* The order of single bytes does not matter: numpy writes '|'. */
  return at[1] == '<' || at[1] == '>' || (at[1] == '|' && out->item == 1);
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
  if (at < end && out->dims == 0) { /* (): a single number */
    out->dims = 1;
    out->shape[0] = 1;
  }
  return at < end;
}

/* Skips magic and version, and finds the header text. */
static sotto_status find_header(const char **header, size_t *length, const uint8_t *bytes, size_t size,
                                const char *file, const char *name, sotto_error *err) {
  if (size < 12 || memcmp(bytes, magic, sizeof magic) != 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s is not .npy (wrong first bytes)", file, name);
  if (bytes[6] < 1 || bytes[6] > 3)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: array %s has .npy version %u; 1 to 3 can be read", file,
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
  if (!parse_descr(out, find_value(header, length, "'descr':"), end))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: array %s is not of numbers of 1 to 8 bytes; save it as one of those, such as <i8 or <f4", file,
        name);
  const char *order = find_value(header, length, "'fortran_order':");
  out->columns_first = order != NULL && end - order >= 4 && memcmp(order, "True", 4) == 0;
  if (order == NULL || end - order < 5 || (!out->columns_first && memcmp(order, "False", 5) != 0))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s does not say in which order its elements are", file,
                        name);
  if (!parse_shape(out, find_value(header, length, "'shape':"), end))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s does not have one or two dimensions", file, name);
  *begin = (size_t)(end - (const char *)bytes);
  const size_t rest = whole - *begin;
  if (rest % out->item != 0 || rest / out->item != out->count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s claims %llu elements but has %zu bytes", file, name,
                        (unsigned long long)out->count, rest);
  return SOTTO_OK;
}

/* A number of half precision (IEEE 754, binary16). */
static float of_half(uint16_t half) {
  const uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  uint32_t bits = (uint32_t)(half >> 15) << 31;
  float value;
  if (exponent == 0) { /* below the smallest normal number: fraction * 2^-24 */
    value = (float)fraction * 0x1p-24F;
    return half >> 15 ? -value : value;
  }
  bits |= (exponent == 0x1F ? 0xFFU : exponent + 112) << 23 | fraction << 13;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Element i of the settled array, from its place in the file. */
static void settle_element(uint8_t *out, const sotto_i_array *from, uint64_t i) {
  const uint64_t columns = from->dims == 2 ? from->shape[1] : 1, rows = from->shape[0];
  const uint64_t at = from->columns_first ? i % columns * rows + i / columns : i;
  uint8_t bytes[8];
  for (size_t k = 0; k < from->item; k++)
    bytes[k] = from->data[at * from->item + (from->swapped ? from->item - 1 - k : k)];
  if (from->item != 2 || from->kind != 'f') {
    memcpy(out, bytes, from->item);
    return;
  }
  const float value = of_half((uint16_t)(bytes[0] | bytes[1] << 8));
  memcpy(out, &value, sizeof value);
}

sotto_status sotto_i_npy_settle(sotto_i_array *array, uint8_t **made, sotto_error *err) {
  const bool half = array->kind == 'f' && array->item == 2;
  const size_t item = half ? sizeof(float) : array->item;
  *made = NULL;
  if (!half && !array->swapped && !array->columns_first) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(made, array->count, item, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < array->count; i++) settle_element(*made + i * item, array, i);
  array->data = *made;
  array->item = (uint8_t)item;
  array->swapped = array->columns_first = false;
  return SOTTO_OK;
}
