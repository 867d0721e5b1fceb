/* The kernels of tile.h, in vectors of TILE_LANES values, of which TILE_ROWS by TILE_VECTORS are in registers
 * at once. Included once per instruction set by tile_*.c. */
#include <stdint.h>
#include <string.h>

#include "tile.h"

#if !defined(TILE_TABLE) || !defined(TILE_LANES) || !defined(TILE_ROWS) || !defined(TILE_VECTORS)
#error "to be included by tile_*.c"
#endif

typedef double tile_vector __attribute__((vector_size(TILE_LANES * sizeof(double)), aligned(8), may_alias));

enum { tile_width = TILE_LANES * TILE_VECTORS, tile_few = TILE_ROWS > 4 ? 4 : 2 };
_Static_assert(SOTTO_I_TILE_COLS % tile_width == 0, "columns are whole runs of vectors");

/* `rows` is a constant where this is inlined, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void tile_block(const sotto_i_tile *t, size_t first, size_t col,
                                                             const size_t rows) {
  tile_vector sum[TILE_ROWS][TILE_VECTORS];
  const double *a = t->a + first * t->row_step, *b = t->b + col;
  double *c = t->c + first * t->cols + col;
  const size_t cols = t->cols, row_step = t->row_step, inner_step = t->inner_step;
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < TILE_VECTORS; v++)
      sum[r][v] = *(const tile_vector *)(c + r * cols + v * TILE_LANES);
  for (size_t k = 0; k < t->inner; k++, b += cols, a += inner_step) {
    tile_vector row[TILE_VECTORS];
    for (size_t v = 0; v < TILE_VECTORS; v++) row[v] = *(const tile_vector *)(b + v * TILE_LANES);
    for (size_t r = 0; r < rows; r++)
      for (size_t v = 0; v < TILE_VECTORS; v++) sum[r][v] += a[r * row_step] * row[v];
  }
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < TILE_VECTORS; v++) *(tile_vector *)(c + r * cols + v * TILE_LANES) = sum[r][v];
}

static void tile_multiply(const sotto_i_tile *t) {
  for (size_t col = 0; col < t->cols; col += tile_width) {
    size_t r = 0;
    for (; r + TILE_ROWS <= t->rows; r += TILE_ROWS) tile_block(t, r, col, TILE_ROWS);
    for (; r + tile_few <= t->rows; r += tile_few) tile_block(t, r, col, tile_few);
    for (; r < t->rows; r++) tile_block(t, r, col, 1);
  }
}

static void tile_widen(double *restrict to, const float *restrict from, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = from[i];
}

enum { tile_sums = 16, tile_parts = tile_sums / TILE_LANES };

typedef float tile_floats __attribute__((vector_size(TILE_LANES * 4), aligned(4), may_alias));
typedef int32_t tile_counts __attribute__((vector_size(TILE_LANES * 4), aligned(4), may_alias));

static double tile_square(size_t *filled, const float *from, size_t count) {
  tile_vector parts[tile_parts] = {{0}};
  tile_counts found_parts[tile_parts] = {{0}};
  double sums[tile_sums], sum = 0;
  int32_t counts[tile_sums];
  size_t i = 0, found = 0;
  for (; i + tile_sums <= count; i += tile_sums) {
#pragma GCC unroll 8
    for (size_t v = 0; v < tile_parts; v++) {
      const tile_floats some = *(const tile_floats *)(from + i + v * TILE_LANES);
      const tile_vector wide = __builtin_convertvector(some, tile_vector);
      parts[v] += wide * wide;
      found_parts[v] -= some != 0; /* true is -1 */
    }
  }
  memcpy(sums, parts, sizeof sums);
  memcpy(counts, found_parts, sizeof counts);
  for (; i < count; i++) {
    sum += (double)from[i] * from[i];
    found += from[i] != 0;
  }
  for (size_t j = 0; j < tile_sums; j++) {
    sum += sums[j];
    found += (size_t)counts[j];
  }
  *filled = found;
  return sum;
}

const sotto_i_tile_table TILE_TABLE = {tile_multiply, tile_widen, tile_square};
