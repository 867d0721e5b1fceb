/* Source of the exact neighbour sums, compiled once per instruction set. EXACT_SUM_NAME(x) makes the
 * names; EXACT_SUM_LANES is the number of 32-bit values in a vector. A tile of 64 columns (or 16, if fewer
 * are left) stays in registers. The compiler vectorises the other loops. */
#include "exact_sum.h"

enum { tile_columns = 64, narrow_columns = 16, line_columns = 16 };
enum { prefetch_ahead = 4, scaled_ahead = 16, narrow_ahead = 48, run_of_rows = 64 };

static void sum_tile(int64_t *restrict out, const uint32_t *targets, uint64_t degree, const int32_t *x,
                     size_t cols) {
  int64_t sum[tile_columns] = {0};
  for (uint64_t e = 0; e < degree; e++) {
    const int32_t *restrict row = x + (size_t)targets[e] * cols;
    if (e + prefetch_ahead < degree) {
      const char *later = (const char *)(x + (size_t)targets[e + prefetch_ahead] * cols);
      for (int line = 0; line < 4; line++) __builtin_prefetch(later + 64 * line);
    }
    for (int j = 0; j < tile_columns; j++) sum[j] += row[j];
  }
  for (int j = 0; j < tile_columns; j++) out[j] = sum[j];
}

static void sum_rest(int64_t *restrict out, const uint32_t *targets, uint64_t degree, const int32_t *x,
                     size_t cols, size_t width) {
  for (size_t j = 0; j < width; j++) out[j] = 0;
  for (uint64_t e = 0; e < degree; e++) {
    const int32_t *restrict row = x + (size_t)targets[e] * cols;
    for (size_t j = 0; j < width; j++) out[j] += row[j];
  }
}

void EXACT_SUM_NAME(sotto_i_exact_sum)(int64_t *out, const sotto_graph *graph, uint64_t node,
                                       const int32_t *x, size_t cols) {
  const uint32_t *targets = graph->targets + graph->offsets[node];
  uint64_t degree = sotto_graph_degree(graph, node);
  size_t begin = 0;
  for (; begin + tile_columns <= cols; begin += tile_columns)
    sum_tile(out + begin, targets, degree, x + begin, cols);
  if (begin < cols) sum_rest(out + begin, targets, degree, x + begin, cols, cols - begin);
}

static float row_factor(const sotto_i_scaled_rows *rows, size_t u) {
  return rows->factor == NULL ? rows->common : rows->factor[u];
}

/* Vectors of the machine's width; rows may be unaligned. */
enum { lanes = EXACT_SUM_LANES };
typedef float floats __attribute__((vector_size(4 * EXACT_SUM_LANES)));
typedef float loose_floats __attribute__((vector_size(4 * EXACT_SUM_LANES), aligned(4), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * EXACT_SUM_LANES)));

/* Adds integers of up to 2^24 in 32 bits for 64 rows, then those sums in 64 bits: half the work. `known`
 * is how many targets may be read, so that later rows are prefetched too. `width` is a constant. */
static inline __attribute__((always_inline)) void
scaled_columns(int64_t *restrict out, const uint32_t *targets, uint64_t degree, uint64_t known,
               const sotto_i_scaled_rows *rows, size_t column, const int width) {
  const uint64_t ahead = width == narrow_columns ? narrow_ahead : scaled_ahead;
  uint64_t begin = 0;
  do {
    ints sum[tile_columns / lanes];
    const uint64_t end = degree - begin < run_of_rows ? degree : begin + run_of_rows;
    for (int b = 0; b < width / lanes; b++) sum[b] = (ints){0};
    for (uint64_t e = begin; e < end; e++) {
      const float *row = rows->x + (size_t)targets[e] * rows->cols + column;
      const float factor = row_factor(rows, targets[e]);
      if (e + ahead < known) {
        const float *later = rows->x + (size_t)targets[e + ahead] * rows->cols + column;
        for (int j = 0; j < width; j += line_columns) __builtin_prefetch(later + j);
      }
      for (int b = 0; b < width / lanes; b++) {
        const floats scaled = *(const loose_floats *)(row + b * lanes) * factor;
        sum[b] += __builtin_convertvector(scaled, ints);
      }
    }
    for (int b = 0; b < width / lanes; b++)
      for (int j = 0; j < lanes; j++) out[b * lanes + j] = (begin == 0 ? 0 : out[b * lanes + j]) + sum[b][j];
    begin += run_of_rows;
  } while (begin < degree);
}

static void scaled_tile(int64_t *restrict out, const uint32_t *targets, uint64_t degree, uint64_t known,
                        const sotto_i_scaled_rows *rows, size_t column) {
  scaled_columns(out, targets, degree, known, rows, column, tile_columns);
}

static void scaled_narrow(int64_t *restrict out, const uint32_t *targets, uint64_t degree, uint64_t known,
                          const sotto_i_scaled_rows *rows, size_t column) {
  scaled_columns(out, targets, degree, known, rows, column, narrow_columns);
}

static void scaled_rest(int64_t *restrict out, const uint32_t *targets, uint64_t degree,
                        const sotto_i_scaled_rows *rows, size_t column) {
  const size_t width = rows->cols - column;
  for (size_t j = 0; j < width; j++) out[j] = 0;
  for (uint64_t e = 0; e < degree; e++) {
    const float *restrict row = rows->x + (size_t)targets[e] * rows->cols + column;
    const float factor = row_factor(rows, targets[e]);
    for (size_t j = 0; j < width; j++) out[j] += (int32_t)(row[j] * factor);
  }
}

void EXACT_SUM_NAME(sotto_i_exact_sum_scaled)(int64_t *out, const sotto_graph *graph, uint64_t node,
                                              const sotto_i_scaled_rows *rows) {
  const uint32_t *targets = graph->targets + graph->offsets[node];
  uint64_t degree = sotto_graph_degree(graph, node), known = graph->entries - graph->offsets[node];
  size_t begin = 0;
  for (; begin + tile_columns <= rows->cols; begin += tile_columns)
    scaled_tile(out + begin, targets, degree, known, rows, begin);
  for (; begin + narrow_columns <= rows->cols; begin += narrow_columns)
    scaled_narrow(out + begin, targets, degree, known, rows, begin);
  if (begin < rows->cols) scaled_rest(out + begin, targets, degree, rows, begin);
}
