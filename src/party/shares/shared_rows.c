/* Mini-batches of the shared linear layer: some rows of X instead of all.
 *
 * Their mask is those rows of the mask of X, so nothing more of X is opened. W has a fresh mask in every
 * step, so a row of X W under it reveals the same as in a step over all rows. Gradients go into W through the
 * same rows, transposed. */
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

sotto_status sotto_i_shared_take_rows(sotto_i_shared_linear *layer, const uint32_t *rows, size_t count,
                                      sotto_error *err) {
  sotto_status status;
  sotto_operand_free(&layer->part);
  sotto_operand_free(&layer->part_turned);
  layer->part = layer->part_turned = (sotto_operand){.number = layer->x.number};
  SOTTO_TRY(sotto_i_ring_take(&layer->part.mask, &layer->x.mask, rows, count, err));
  SOTTO_TRY(sotto_i_ring_take(&layer->part.opened, &layer->x.opened, rows, count, err));
  SOTTO_TRY(sotto_operand_transpose(&layer->part_turned, &layer->part, err));
done:
  return status;
}

sotto_status sotto_i_shared_deal_rows(sotto_i_shared_dealer *d, const uint32_t *rows, size_t count,
                                      sotto_error *err) {
  sotto_status status;
  sotto_ring_free(&d->part_mask);
  sotto_ring_free(&d->part_turned);
  SOTTO_TRY(sotto_i_ring_take(&d->part_mask, &d->x_mask, rows, count, err));
  SOTTO_TRY(sotto_ring_new(&d->part_turned, d->x_mask.cols, count, err));
  sotto_ring_transpose(&d->part_turned, &d->part_mask);
done:
  return status;
}
