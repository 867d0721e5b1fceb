/* Formats of numbers on the wire: float32, bfloat16 rounded to even, or int8 with a scale for each row. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "transport.h"

size_t sotto_i_row_bytes(sotto_wire_format format, size_t cols) {
  if (format == SOTTO_FORMAT_BF16) return 2 * cols;
  if (format == SOTTO_FORMAT_INT8) return cols == 0 ? 0 : sizeof(float) + cols;
  return sizeof(float) * cols;
}

bool sotto_i_payload_bytes(uint64_t *out, const sotto_i_header *header) {
  const uint64_t most = (uint64_t)1 << 62;
  if (header->cols > most / 8) return false;
  uint64_t row = sotto_i_row_bytes((sotto_wire_format)header->format, header->cols);
  return !__builtin_mul_overflow(row, header->rows, out) && *out <= most;
}

static void encode_bf16(uint8_t *out, const float *row, size_t cols) {
  for (size_t j = 0; j < cols; j++) {
    uint32_t bits;
    memcpy(&bits, &row[j], sizeof bits);
    uint32_t rounded = bits + 0x7FFFU + (bits >> 16 & 1U);
    if ((bits & 0x7F800000U) == 0x7F800000U) rounded = bits | 0x10000U; /* infinity and NaN: a NaN */
    uint16_t half = (uint16_t)(rounded >> 16);
    memcpy(out + 2 * j, &half, sizeof half);
  }
}

static void decode_bf16(float *out, const uint8_t *row, size_t cols) {
  for (size_t j = 0; j < cols; j++) {
    uint16_t half;
    memcpy(&half, row + 2 * j, sizeof half);
    uint32_t bits = (uint32_t)half << 16;
    memcpy(&out[j], &bits, sizeof bits);
  }
}

/* q = round(127 x / scale), scale the row's largest magnitude. A row that is not finite gets a scale of NaN.
 */
static void encode_int8(uint8_t *restrict out, const float *restrict row, size_t cols) {
  const double to_whole = 0x1.8p52; /* a sum with it is rounded to a whole number, in its lowest bits */
  int32_t largest = 0; /* magnitudes have the order of their bits; infinity and NaN are above all others */
  float scale;
  if (cols == 0) return;
  for (size_t j = 0; j < cols; j++) {
    int32_t bits;
    memcpy(&bits, &row[j], sizeof bits);
    bits &= INT32_MAX;
    largest = bits > largest ? bits : largest;
  }
  memcpy(&scale, &largest, sizeof scale);
  if (!isfinite(scale)) scale = NAN;
  memcpy(out, &scale, sizeof scale);
  out += sizeof scale;
  if (!isfinite(scale) || scale == 0) {
    memset(out, 0, cols);
    return;
  }
  for (size_t j = 0; j < cols; j++) {
    const double whole = 127.0 * row[j] / scale + to_whole;
    uint64_t bits;
    memcpy(&bits, &whole, sizeof bits);
    out[j] = (uint8_t)bits;
  }
}

static void decode_int8(float *out, const uint8_t *row, size_t cols) {
  float scale;
  if (cols == 0) return;
  memcpy(&scale, row, sizeof scale);
  for (size_t j = 0; j < cols; j++) out[j] = (float)((int8_t)row[sizeof scale + j] / 127.0 * (double)scale);
}

void sotto_i_encode_rows(uint8_t *out, const float *rows, size_t count, size_t cols,
                         sotto_wire_format format) {
  size_t size = sotto_i_row_bytes(format, cols);
  for (size_t i = 0; i < count; i++) {
    if (format == SOTTO_FORMAT_BF16)
      encode_bf16(out + i * size, rows + i * cols, cols);
    else if (format == SOTTO_FORMAT_INT8)
      encode_int8(out + i * size, rows + i * cols, cols);
    else if (size > 0)
      memcpy(out + i * size, rows + i * cols, size);
  }
}

void sotto_i_decode_rows(float *out, const uint8_t *rows, size_t count, size_t cols,
                         sotto_wire_format format) {
  size_t size = sotto_i_row_bytes(format, cols);
  for (size_t i = 0; i < count; i++) {
    if (format == SOTTO_FORMAT_BF16)
      decode_bf16(out + i * cols, rows + i * size, cols);
    else if (format == SOTTO_FORMAT_INT8)
      decode_int8(out + i * cols, rows + i * size, cols);
    else if (size > 0)
      memcpy(out + i * cols, rows + i * size, size);
  }
}

sotto_status sotto_i_round_rows(sotto_matrix *rows, sotto_wire_format format, sotto_error *err) {
  uint8_t *row = NULL;
  sotto_status status = sotto_i_new_raw(&row, 1, sotto_i_row_bytes(format, rows->cols), err);
  for (size_t i = 0; status == SOTTO_OK && i < rows->rows; i++) {
    float *values = rows->data + i * rows->cols;
    sotto_i_encode_rows(row, values, 1, rows->cols, format);
    sotto_i_decode_rows(values, row, 1, rows->cols, format);
  }
  sotto_i_free(row);
  return status;
}

/* bfloat16: half a unit of 2^-8 in every value. int8: half a step of max/127 in each of `cols` values. */
double sotto_i_format_slack(sotto_wire_format format, size_t cols) {
  if (format == SOTTO_FORMAT_BF16) return 0x1p-8;
  if (format == SOTTO_FORMAT_INT8) return sqrt((double)cols) / 254;
  return 0;
}
