/* Sums over neighbours in blocks of columns, for tables larger than memory.
 *
 * The rows are read once, in order, and written to the block of each column. Then each block is read into
 * memory, where neighbours can be accessed at random, and its sums replace it in order. All blocks except the
 * current one may be on disk. */
#include "column_sums.h"

#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/reader.h"
#include "base/threads.h"
#include "graph/kernels/exact_sum.h"
#include "nn/rows/batch.h"

enum { rows_per_range = 256 };

size_t sotto_i_columns_held(const sotto_graph *graph, size_t cols) {
  const uint64_t most = sotto_i_memory_table();
  if (most == 0 || graph->nodes == 0 || cols == 0) return cols;
  const uint64_t fit = most / (graph->nodes * sizeof(int32_t));
  if (fit >= cols) return cols;
  const size_t least = fit == 0 ? 1 : (size_t)fit, blocks = (cols + least - 1) / least;
  return (cols + blocks - 1) / blocks;
}

sotto_status sotto_i_column_sums_new(sotto_i_column_sums *out, const sotto_graph *graph, size_t cols,
                                     size_t width, sotto_error *err) {
  const size_t rows = graph->nodes, most = sotto_i_batch_rows(), slab = rows < most ? rows : most;
  sotto_status status;
  *out = (sotto_i_column_sums){.graph = graph, .cols = cols, .width = width};
  SOTTO_TRY(sotto_i_new_raw(&out->sums, rows * cols, sizeof *out->sums, err));
  SOTTO_TRY(sotto_i_new_raw(&out->slab, slab * cols, sizeof *out->slab, err));
done:
  return status;
}

void sotto_i_column_sums_free(sotto_i_column_sums *sums) {
  sotto_i_free(sums->held);
  sotto_i_free(sums->sums);
  sotto_i_free(sums->slab);
  *sums = (sotto_i_column_sums){0};
}

/* Columns of the block that begins at `column`; the last one may have fewer. */
static size_t width_at(const sotto_i_column_sums *s, size_t column) {
  return s->cols - column < s->width ? s->cols - column : s->width;
}

/* Start of a block: the sums of all rows for the columns before it come first. */
static int64_t *block_at(const sotto_i_column_sums *s, size_t column) {
  return s->sums + s->graph->nodes * column;
}

static int32_t *integers_at(const sotto_i_column_sums *s, size_t column) {
  return (int32_t *)(void *)block_at(s, column);
}

static void fill_slab(void *context, size_t begin, size_t end) {
  const sotto_i_column_sums *s = context;
  for (size_t i = begin; i < end; i++) s->integers(s->context, s->slab + i * s->cols, s->first + i);
}

/* Writes the rows of the slab to the blocks. */
static void write_blocks(void *context, size_t begin, size_t end) {
  const sotto_i_column_sums *s = context;
  for (size_t column = 0; column < s->cols; column += s->width) {
    const size_t width = width_at(s, column);
    int32_t *to = integers_at(s, column) + s->first * width;
    for (size_t i = begin; i < end; i++)
      memcpy(to + i * width, s->slab + i * s->cols + column, width * sizeof *to);
  }
}

static void sum_rows(void *context, size_t begin, size_t end) {
  const sotto_i_column_sums *s = context;
  const size_t width = width_at(s, s->block);
  int64_t *to = block_at(s, s->block) + s->first * width;
  for (size_t i = begin; i < end; i++)
    sotto_i_exact_sum(to + i * width, s->graph, s->first + i, s->held, width);
}

/* Runs both functions over the rows, slab by slab. */
static sotto_status run_slabs(sotto_i_column_sums *s, void (*first)(void *, size_t, size_t),
                              void (*then)(void *, size_t, size_t), sotto_error *err) {
  const size_t rows = s->graph->nodes, slab = sotto_i_batch_rows();
  for (s->first = 0; s->first < rows; s->first += slab) {
    const size_t count = rows - s->first < slab ? rows - s->first : slab;
    const sotto_status status = sotto_i_check_interrupt(err);
    if (status != SOTTO_OK) return status;
    sotto_i_parallel(count, rows_per_range, first, s);
    if (then != NULL) sotto_i_parallel(count, rows_per_range, then, s);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_column_sums_make(sotto_i_column_sums *s,
                                      void (*integers)(const void *context, int32_t *to, uint64_t v),
                                      const void *context, sotto_error *err) {
  const size_t rows = s->graph->nodes;
  sotto_status status;
  s->integers = integers;
  s->context = context;
  SOTTO_TRY(run_slabs(s, fill_slab, write_blocks, err));
  SOTTO_TRY(sotto_i_held_new(&s->held, rows * s->width, sizeof *s->held, err));
  for (s->block = 0; s->block < s->cols; s->block += s->width) {
    memcpy(s->held, integers_at(s, s->block), rows * width_at(s, s->block) * sizeof *s->held);
    SOTTO_TRY(run_slabs(s, sum_rows, NULL, err));
  }
done:
  sotto_i_free(s->held);
  s->held = NULL;
  return status;
}

void sotto_i_column_sums_row(int64_t *out, const sotto_i_column_sums *s, uint64_t v) {
  for (size_t column = 0; column < s->cols; column += s->width) {
    const size_t width = width_at(s, column);
    memcpy(out + column, block_at(s, column) + v * width, width * sizeof *out);
  }
}
