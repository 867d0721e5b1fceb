/* Source of the projection kernels, compiled once per instruction set. PROJECTION_NAME is the table,
 * PROJECTION_LANE the bytes of a register, PROJECTION_ROWS the number of rows multiplied at once. Eleven
 * registers per row hold partial sums; with the factors they fill the register file. */
#include "projection.h"

enum {
  bits = 8,
  columns = 11,
  lanes = SOTTO_I_PROJECTIONS * (int)sizeof(double) / PROJECTION_LANE, /* of a row of signs */
};
typedef double lane __attribute__((vector_size(PROJECTION_LANE)));

static void unpack(double *restrict signs, const uint8_t *bytes, size_t count) {
  double table[256][bits];
  for (int byte = 0; byte < 256; byte++)
    for (int bit = 0; bit < bits; bit++) table[byte][bit] = byte >> bit & 1;
  for (size_t i = 0; i < count * (SOTTO_I_PROJECTIONS / bits); i++) {
    const double *restrict plus = table[bytes[2 * i]], *restrict minus = table[bytes[2 * i + 1]];
    for (int bit = 0; bit < bits; bit++) signs[i * bits + (size_t)bit] = plus[bit] - minus[bit];
  }
}

static void multiply(double *out, const double *numbers, const double *signs, size_t rows, size_t count) {
  for (size_t row = 0; row < rows; row += PROJECTION_ROWS)
    for (size_t first = 0; first < lanes; first += columns) {
      const double *x = numbers + row * SOTTO_I_PROJECTION_BLOCK;
      const lane *z = (const lane *)(const void *)signs + first;
      lane sums[PROJECTION_ROWS][columns] = {{{0}}};
      for (size_t i = 0; i < count; i++, z += lanes) {
#pragma GCC unroll 11
        for (int c = 0; c < columns; c++) {
#pragma GCC unroll 2
          for (int r = 0; r < PROJECTION_ROWS; r++)
            sums[r][c] += x[(size_t)r * SOTTO_I_PROJECTION_BLOCK + i] * z[c];
        }
      }
      for (int r = 0; r < PROJECTION_ROWS; r++)
        for (int c = 0; c < columns; c++)
          ((lane *)(void *)(out + (row + (size_t)r) * SOTTO_I_PROJECTIONS))[first + (size_t)c] = sums[r][c];
    }
}

const sotto_i_projection_kernels PROJECTION_NAME = {unpack, multiply};
