/* Rows of X in the shared linear layer, by blocks and for mini-batches.
 *
 * The mask of a row belongs to its holder and to that row, so steps over some rows open nothing more of X. W
 * has a fresh mask in every step, so a row of X W under it reveals the same as in a step over all rows. */
#include <string.h>

#include "base/error.h"
#include "inside/mpc.h"
#include "shared_linear.h"

sotto_status sotto_i_ring_take(sotto_ring *out, const sotto_ring *from, const uint32_t *rows, size_t count,
                               sotto_error *err) {
  sotto_status status = sotto_ring_new(out, count, from->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    SOTTO_I_CHECK(rows[i] < from->rows);
    memcpy(out->data + i * from->cols, from->data + rows[i] * from->cols, from->cols * sizeof *from->data);
  }
  return SOTTO_OK;
}

size_t sotto_i_shared_first_column(const sotto_i_shared_shape *shape, size_t holder) {
  size_t first = 0;
  for (size_t i = 0; i < holder; i++) first += shape->cols[i];
  return first;
}

void sotto_i_shared_take_rows(sotto_i_shared_linear *layer, const uint32_t *rows, size_t count) {
  layer->picked = rows;
  layer->count = rows == NULL ? layer->shape.rows : count;
}

void sotto_i_shared_deal_rows(sotto_i_shared_dealer *d, const uint32_t *rows, size_t count) {
  d->picked = rows;
  d->count = rows == NULL ? d->shape.rows : count;
}

/* The columns of the others come from storage, before and after this holder's. */
static void fill_opened(sotto_i_shared_rows *out, const sotto_i_shared_linear *layer, size_t begin) {
  const size_t own = out->mask.cols, all = out->opened.cols, others = all - own;
  const size_t first = sotto_i_shared_first_column(&layer->shape, layer->peers->self);
  for (size_t i = 0; i < out->opened.rows; i++) {
    const size_t row = layer->picked == NULL ? begin + i : layer->picked[begin + i];
    const uint64_t *theirs = layer->theirs.data + row * others;
    uint64_t *to = out->opened.data + i * all;
    memcpy(to, theirs, first * sizeof *to);
    for (size_t j = 0; j < own; j++)
      to[first + j] = out->fixed.data[i * own + j] - out->mask.data[i * own + j];
    memcpy(to + first + own, theirs + first, (others - first) * sizeof *to);
  }
}

static sotto_status encode_rows(sotto_i_shared_rows *out, const sotto_i_shared_linear *layer, size_t begin,
                                sotto_error *err) {
  const sotto_matrix *from = layer->features;
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&rows, out->fixed.rows, from->cols, err));
  for (size_t i = 0; i < rows.rows; i++) {
    const size_t row = layer->picked == NULL ? begin + i : layer->picked[begin + i];
    SOTTO_I_CHECK(row < from->rows);
    memcpy(rows.data + i * from->cols, from->data + row * from->cols, from->cols * sizeof *rows.data);
  }
  SOTTO_TRY(sotto_fixed_encode(&out->fixed, &rows, layer->shape.bits, layer->shape.feature_bound, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_shared_rows_new(sotto_i_shared_rows *out, const sotto_i_shared_linear *layer,
                                     size_t begin, size_t end, sotto_error *err) {
  const size_t count = end - begin, own = layer->features->cols;
  const uint32_t *rows = layer->picked == NULL ? NULL : layer->picked + begin;
  sotto_status status;
  *out = (sotto_i_shared_rows){.mask = {0}};
  SOTTO_TRY(sotto_ring_new(&out->opened, count, sotto_i_shared_inner(&layer->shape), err));
  SOTTO_TRY(sotto_ring_new(&out->mask, count, own, err));
  SOTTO_TRY(sotto_ring_new(&out->fixed, count, own, err));
  SOTTO_TRY(encode_rows(out, layer, begin, err));
  sotto_own_mask(&out->mask, 0, own, &layer->party.seed, rows, begin);
  fill_opened(out, layer, begin);
done:
  if (status != SOTTO_OK) sotto_i_shared_rows_free(out);
  return status;
}

void sotto_i_shared_rows_free(sotto_i_shared_rows *rows) {
  sotto_ring_free(&rows->opened);
  sotto_ring_free(&rows->mask);
  sotto_ring_free(&rows->fixed);
}
