/* Dropout with masks from public random streams. */
#include <string.h>

#include "base/random.h"
#include "base/threads.h"
#include "kernels.h"
#include "tape.h"

/* Each block of rows has a stream that gives 16 bits per element, row by row. The block size is part of
 * the mask's definition, so it must not change. */
enum { rows_a_block = SOTTO_I_DROPOUT_ROWS, draw = 1024 };

typedef struct job {
  const sotto_key *key;
  uint32_t layer, threshold;
  uint64_t step;
  size_t first_block; /* of the table that contains the rows */
  uint8_t *mask;
  float *y;
  const float *x;
  size_t rows, cols;
  float factor;
  bool add;
} job;

typedef struct saved_mask {
  uint8_t *mask;
  float factor;
} saved_mask;

static void drop_block(const job *j, size_t block) {
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  sotto_i_random random;
  uint16_t bits[draw];
  size_t first = block * rows_a_block * j->cols;
  size_t end =
      (block + 1) * rows_a_block < j->rows ? (block + 1) * rows_a_block * j->cols : j->rows * j->cols;
  sotto_i_random_init(&random, j->key, SOTTO_I_PURPOSE_DROPOUT, j->layer,
                      (j->step << 24) + j->first_block + block);
  for (size_t i = first; i < end; i += draw) {
    size_t n = end - i < draw ? end - i : draw;
    sotto_i_random_bytes(&random, bits, n * sizeof *bits);
    kernels->keep(j->mask + i, bits, j->threshold, n);
    kernels->masked(j->y + i, j->x + i, j->mask + i, j->factor, false, n);
  }
}

static void drop_blocks(void *context, size_t begin, size_t end) {
  for (size_t block = begin; block < end; block++) drop_block(context, block);
}

static void mask_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  sotto_i_kernels()->masked(j->y + begin, j->x + begin, j->mask + begin, j->factor, j->add, end - begin);
}

static void dropout_backward(sotto_tape *tape, uint32_t self) {
  const saved_mask *saved = sotto_i_tape_node(tape, self)->saved;
  sotto_matrix dx, dy = sotto_i_tape_node(tape, self)->gradient;
  job j = {.mask = saved->mask, .factor = saved->factor, .x = dy.data};
  if (!sotto_i_tape_sink(tape, self, 0, &dx, &j.add)) return;
  j.y = dx.data;
  sotto_i_parallel(dy.rows * dy.cols, SOTTO_I_GRAIN, mask_range, &j);
}

/* A matrix that is mostly 0: only its entries are drawn. */
typedef struct sparse_job {
  const job *job;
  const sotto_i_sparse_lines *lines;
  float *values; /* of the entries that stay, or 0 */
} sparse_job;

static void drop_entries(const sparse_job *s, size_t first, size_t end, size_t block) {
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  const job *j = s->job;
  sotto_i_random random;
  uint16_t bits[draw];
  uint8_t mask[draw];
  sotto_i_random_init(&random, j->key, SOTTO_I_PURPOSE_DROPOUT, j->layer,
                      (j->step << 24) + j->first_block + block);
  for (size_t i = first; i < end; i += draw) {
    size_t n = end - i < draw ? end - i : draw;
    sotto_i_random_bytes(&random, bits, n * sizeof *bits);
    kernels->keep(mask, bits, j->threshold, n);
    kernels->masked(s->values + i, s->lines->values + i, mask, j->factor, false, n);
  }
}

static void drop_sparse_blocks(void *context, size_t begin, size_t end) {
  const sparse_job *s = context;
  const size_t *offsets = s->lines->offsets;
  for (size_t block = begin; block < end; block++) {
    size_t first = block * rows_a_block, last = first + rows_a_block;
    if (last > s->job->rows) last = s->job->rows;
    drop_entries(s, offsets[first], offsets[last], block);
    if (s->job->y == NULL) continue;
    memset(s->job->y + first * s->job->cols, 0, (last - first) * s->job->cols * sizeof(float));
    for (size_t i = first; i < last; i++)
      for (size_t e = offsets[i]; e < offsets[i + 1]; e++)
        s->job->y[i * s->job->cols + s->lines->index[e]] = s->values[e];
  }
}

static sotto_var drop_sparse(sotto_tape *tape, sotto_var x, const job *j, size_t blocks) {
  sotto_i_sparse *sparse = sotto_i_tape_node(tape, x.index)->sparse.sparse;
  float *values = sotto_i_tape_memory(tape, sotto_i_sparse_entries(sparse), sizeof *values);
  const sotto_i_sparse_view kept = {sparse, values};
  if (values == NULL) return sotto_i_tape_void();
  sotto_var y = sotto_i_tape_is_entries(tape, x) ? sotto_i_tape_entries(tape, &kept)
                                                 : sotto_i_tape_push(tape, &x, 1, j->rows, j->cols, NULL);
  job dense = *j;
  dense.y = sotto_tape_value(tape, y).data;
  sparse_job s = {&dense, &sparse->by_row, values};
  sotto_i_parallel(blocks, 1, drop_sparse_blocks, &s);
  if (!sotto_i_var_void(y)) sotto_i_tape_node(tape, y.index)->sparse = kept;
  return y;
}

static sotto_var drop_all(sotto_tape *tape, sotto_var x, job *j, size_t blocks) {
  sotto_var y = sotto_i_tape_push(tape, &x, 1, j->rows, j->cols, dropout_backward);
  saved_mask *saved = sotto_i_tape_memory(tape, 1, sizeof *saved);
  j->mask = sotto_i_tape_memory(tape, j->rows * j->cols, 1);
  if (j->mask == NULL) return sotto_i_tape_void();
  *saved = (saved_mask){j->mask, j->factor};
  sotto_i_tape_node(tape, y.index)->saved = saved;
  j->y = sotto_tape_value(tape, y).data;
  sotto_i_parallel(blocks, sotto_i_row_grain(j->cols * rows_a_block), drop_blocks, j);
  return y;
}

sotto_var sotto_tape_dropout(sotto_tape *tape, sotto_var x, float rate, const sotto_key *key, uint32_t layer,
                             uint64_t step) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  size_t blocks = (vx.rows + rows_a_block - 1) / rows_a_block;
  const size_t first_block = sotto_i_tape_first_row(tape) / rows_a_block;
  if (!(rate >= 0.0F && rate < 1.0F))
    return sotto_i_tape_fail(tape, SOTTO_RANGE, "the dropout rate %g is not in [0, 1)", (double)rate);
  if (rate == 0.0F) return x;
  if (key == NULL || key->origin == SOTTO_KEY_NONE)
    return sotto_i_tape_fail(tape, SOTTO_INVALID, "dropout needs a key");
  if (layer >> 24 != 0 || step >> 40 != 0 || (first_block + blocks) >> 24 != 0)
    return sotto_i_tape_fail(tape, SOTTO_RANGE,
                             "dropout of layer %u, step %llu, %zu rows is beyond the random streams",
                             (unsigned)layer, (unsigned long long)step, vx.rows);
  if (sotto_i_var_void(x)) return x;
  job j = {.key = key,
           .layer = layer,
           .threshold = (uint32_t)((1.0 - (double)rate) * 65536.0 + 0.5),
           .step = step,
           .first_block = first_block,
           .x = vx.data,
           .rows = vx.rows,
           .cols = vx.cols,
           .factor = 1.0F / (1.0F - rate)};
  /* A matrix whose entries were dropped before takes the dense path. */
  bool sparse = sotto_i_tape_node(tape, x.index)->sparse.sparse != NULL &&
                sotto_i_tape_node(tape, x.index)->sparse.values == NULL;
  return sparse ? drop_sparse(tape, x, &j, blocks) : drop_all(tape, x, &j, blocks);
}
