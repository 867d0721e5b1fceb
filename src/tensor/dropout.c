/* Dropout, with masks from public streams. */
#include "base/random.h"
#include "base/threads.h"
#include "kernels.h"
#include "tape.h"

/* The stream of a block of rows gives 16 bits an element, row by row; the block's borders are part of what a
 * mask is, so this number must not change. */
enum { rows_a_block = 64, draw = 1024 };

typedef struct job {
  const sotto_key *key;
  uint32_t layer, threshold;
  uint64_t step;
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
  sotto_i_random_init(&random, j->key, SOTTO_I_PURPOSE_DROPOUT, j->layer, (j->step << 24) + block);
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

sotto_var sotto_tape_dropout(sotto_tape *tape, sotto_var x, float rate, const sotto_key *key, uint32_t layer,
                             uint64_t step) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  size_t blocks = (vx.rows + rows_a_block - 1) / rows_a_block;
  if (!(rate >= 0.0F && rate < 1.0F))
    return sotto_i_tape_fail(tape, SOTTO_RANGE, "the dropout rate %g is not in [0, 1)", (double)rate);
  if (rate == 0.0F) return x;
  if (key == NULL || key->origin == SOTTO_KEY_NONE)
    return sotto_i_tape_fail(tape, SOTTO_INVALID, "dropout needs a key");
  if (layer >> 24 != 0 || step >> 40 != 0 || blocks >> 24 != 0)
    return sotto_i_tape_fail(tape, SOTTO_RANGE, "dropout of layer %u, step %llu, %zu rows has no stream",
                             (unsigned)layer, (unsigned long long)step, vx.rows);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, vx.rows, vx.cols, dropout_backward);
  saved_mask *saved = sotto_i_tape_memory(tape, 1, sizeof *saved);
  uint8_t *mask = sotto_i_tape_memory(tape, vx.rows * vx.cols, 1);
  if (mask == NULL) return sotto_i_tape_void();
  *saved = (saved_mask){mask, 1.0F / (1.0F - rate)};
  sotto_i_tape_node(tape, y.index)->saved = saved;
  job j = {.key = key, .layer = layer, .step = step, .mask = mask, .x = vx.data, .factor = saved->factor};
  j.threshold = (uint32_t)((1.0 - (double)rate) * 65536.0 + 0.5);
  j.y = sotto_tape_value(tape, y).data;
  j.rows = vx.rows;
  j.cols = vx.cols;
  size_t grain = sotto_i_row_grain(vx.cols * rows_a_block);
  sotto_i_parallel(blocks, grain, drop_blocks, &j);
  return y;
}
