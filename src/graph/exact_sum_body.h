/* The body of one variant of the exact neighbour sum; EXACT_SUM_NAME is its name. The compiler vectorises the
 * inner loop for the machine that the including file is compiled for: a tile of 64 columns stays in
 * registers. */
#include "exact_sum.h"

enum { tile_columns = 64, prefetch_ahead = 4 };

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

void EXACT_SUM_NAME(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x, size_t cols) {
  const uint32_t *targets = graph->targets + graph->offsets[node];
  uint64_t degree = sotto_graph_degree(graph, node);
  size_t begin = 0;
  for (; begin + tile_columns <= cols; begin += tile_columns)
    sum_tile(out + begin, targets, degree, x + begin, cols);
  if (begin < cols) sum_rest(out + begin, targets, degree, x + begin, cols, cols - begin);
}
