/* Products of small blocks in double precision, each value summed in a fixed order. */
#ifndef SOTTO_SRC_NN_TILE_H
#define SOTTO_SRC_NN_TILE_H

#include <stddef.h>

/* Columns are padded to a multiple of this. */
enum { SOTTO_I_TILE_COLS = 32 };

static inline size_t sotto_i_tile_pad(size_t cols) {
  return (cols + SOTTO_I_TILE_COLS - 1) / SOTTO_I_TILE_COLS * SOTTO_I_TILE_COLS;
}

/* c[r][j] += sum over t of a(r, t) b[t][j], t ascending, for r < rows, t < inner, j < cols. a(r, t) is a[r *
 * row_step + t * inner_step]; c and b have rows of `cols` values, a multiple of SOTTO_I_TILE_COLS. A row of c
 * has the same bits for any number of rows in one call. */
typedef struct sotto_i_tile {
  double *c;
  const double *a, *b;
  size_t row_step, inner_step, rows, inner, cols;
} sotto_i_tile;

/* The kernels for one set of vector instructions. */
typedef struct sotto_i_tile_table {
  void (*multiply)(const sotto_i_tile *tile);
  /* to[i] = from[i] */
  void (*widen)(double *to, const float *from, size_t count);
  /* Returns the sum of squares in a fixed order; *filled is the number of values that are not 0. */
  double (*square)(size_t *filled, const float *from, size_t count);
} sotto_i_tile_table;

extern const sotto_i_tile_table sotto_i_tile_plain, sotto_i_tile_avx2, sotto_i_tile_avx512;

#endif
