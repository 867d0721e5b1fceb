/* Layers on their way to a sink: slabs of nodes come to rank 0 and are put in order there. */
#include "base/memory.h"
#include "base/progress.h"
#include "release_ranks.h"

enum { rows_per_slab = 1 << 14, most_cols = 16 };

size_t sotto_i_columns_at_once(size_t cols) {
  const size_t parts = (cols + most_cols - 1) / most_cols;
  return parts == 0 ? 1 : (cols + parts - 1) / parts;
}

size_t sotto_i_columns_left(const sotto_i_halo *halo, size_t cols, size_t first) {
  return cols - first < halo->cols ? cols - first : halo->cols;
}

static sotto_status gather_slab(sotto_i_gather *g, float *layer, uint64_t first, uint64_t end,
                                sotto_error *err) {
  const sotto_i_block *b = g->block;
  const size_t begin = sotto_i_block_from(b, first), after = sotto_i_block_from(b, end);
  const uint64_t row = g->cols * sizeof(float);
  float *own = layer + begin * g->cols;
  sotto_status status = sotto_i_check_interrupt(err);
  if (status != SOTTO_OK) return status;
  if (!sotto_i_ranks_first(b->ranks)) {
    const sotto_i_parcel parcel = {.data = own, .bytes = (after - begin) * row};
    return sotto_i_ranks_pass(b->ranks, &parcel, 1, err);
  }
  sotto_i_block_put(g->slab, b, 0, first, end, own, g->cols);
  for (uint32_t r = 1; r < sotto_ranks_count(b->ranks); r++) {
    const sotto_i_parcel parcel = {
        .peer = r, .take = true, .data = g->sent, .bytes = sotto_i_block_rows(b, r, first, end) * row};
    SOTTO_TRY(sotto_i_ranks_pass(b->ranks, &parcel, 1, err));
    sotto_i_block_put(g->slab, b, r, first, end, g->sent, g->cols);
  }
  status = g->sink->take(g->sink->context, g->slab, (end - first) * g->cols, err);
done:
  return status;
}

sotto_status sotto_i_gather_begin(sotto_i_gather *out, const sotto_i_release_sink *sink,
                                  const sotto_i_block *b, size_t cols, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_gather){.block = b, .sink = sink, .cols = cols};
  if (!sotto_i_ranks_first(b->ranks)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&out->slab, rows_per_slab * cols, sizeof *out->slab, err));
  SOTTO_TRY(sotto_i_new_raw(&out->sent, rows_per_slab * cols, sizeof *out->sent, err));
done:
  return status;
}

sotto_status sotto_i_gather_layer(sotto_i_gather *g, float *layer, sotto_error *err) {
  const uint64_t nodes = g->block->nodes;
  sotto_status status = SOTTO_OK;
  for (uint64_t first = 0; first < nodes; first += rows_per_slab) {
    const uint64_t left = nodes - first;
    SOTTO_TRY(gather_slab(g, layer, first, first + (left < rows_per_slab ? left : rows_per_slab), err));
  }
done:
  return status;
}

void sotto_i_gather_free(sotto_i_gather *g) {
  sotto_i_free(g->slab);
  sotto_i_free(g->sent);
}
