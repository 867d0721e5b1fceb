#include "window.h"

#include <string.h>

#include "base/memory.h"
#include "graph/blocks/block.h"
#include "inside/nn.h"
#include "nn/rows/batch.h"
#include "nn/rows/source.h"
#include "tensor/columns.h"

size_t sotto_i_window_first(const sotto_i_window *w, uint32_t rank) {
  const size_t first =
      sotto_i_batch_count(w->nodes) * rank / sotto_ranks_count(w->ranks) * sotto_i_batch_rows();
  return first < w->nodes ? first : w->nodes;
}

static size_t rows_of(const sotto_i_window *w, uint32_t rank) {
  return sotto_i_window_first(w, rank + 1) - sotto_i_window_first(w, rank);
}

sotto_i_window sotto_i_window_of(sotto_ranks *ranks, size_t nodes) {
  sotto_i_window w = {.ranks = ranks, .nodes = nodes};
  w.first = sotto_i_window_first(&w, sotto_ranks_number(ranks));
  w.count = rows_of(&w, sotto_ranks_number(ranks));
  return w;
}

sotto_status sotto_i_window_features(sotto_matrix *out, const sotto_i_window *w, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err) {
  sotto_i_feature_rows rows = {0};
  sotto_matrix shape;
  sotto_status status;
  SOTTO_TRY(sotto_i_features_take(&rows, &shape, true, options, data, err));
  SOTTO_TRY(sotto_matrix_new(out, w->count, data->features.cols, err));
  SOTTO_TRY(rows.source.read(rows.source.context, out->data, w->first, w->count, err));
done:
  sotto_i_feature_rows_free(&rows);
  return status;
}

/* Rank 0 adds rows of one rank, in their order: its own, or those that it receives. */
static sotto_status add_rows_of(double *moments, float *window, const sotto_i_window *w, uint32_t rank,
                                const sotto_matrix *own, bool squares, sotto_error *err) {
  const size_t rows = rows_of(w, rank), cols = own->cols;
  if (rank == 0) {
    sotto_i_column_moments_add(moments, own, (double)w->nodes, squares);
    return SOTTO_OK;
  }
  for (size_t first = 0; first < rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t count = rows - first < SOTTO_I_WINDOW_ROWS ? rows - first : SOTTO_I_WINDOW_ROWS;
    const sotto_i_parcel taken = {rank, true, window, count * cols * sizeof *window};
    const sotto_status status = sotto_i_ranks_pass(w->ranks, &taken, 1, err);
    if (status != SOTTO_OK) return status;
    sotto_i_column_moments_add(moments, &(sotto_matrix){window, count, cols}, (double)w->nodes, squares);
  }
  return SOTTO_OK;
}

static sotto_status send_rows(const sotto_i_window *w, const sotto_matrix *own, sotto_error *err) {
  for (size_t first = 0; first < w->count; first += SOTTO_I_WINDOW_ROWS) {
    const size_t count = w->count - first < SOTTO_I_WINDOW_ROWS ? w->count - first : SOTTO_I_WINDOW_ROWS;
    const sotto_i_parcel sent = {0, false, own->data + first * own->cols, count * own->cols * sizeof(float)};
    const sotto_status status = sotto_i_ranks_pass(w->ranks, &sent, 1, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_window_moments(double **out, const sotto_i_window *w, const sotto_matrix *own,
                                    sotto_error *err) {
  float *window = NULL;
  double *moments = NULL;
  const bool first = sotto_i_ranks_first(w->ranks);
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&moments, 2 * own->cols, sizeof *moments, err));
  if (first) SOTTO_TRY(sotto_i_new_raw(&window, SOTTO_I_WINDOW_ROWS * own->cols, sizeof *window, err));
  for (int squares = 0; squares < 2; squares++) {
    if (!first) SOTTO_TRY(send_rows(w, own, err));
    for (uint32_t r = 0; first && r < sotto_ranks_count(w->ranks); r++)
      SOTTO_TRY(add_rows_of(moments, window, w, r, own, squares == 1, err));
  }
  SOTTO_TRY(sotto_i_ranks_give(w->ranks, moments, 2 * own->cols * sizeof *moments, err));
  *out = moments;
  moments = NULL;
done:
  sotto_i_free(window);
  sotto_i_free(moments);
  return status;
}

/* Rank 0 receives a part of `out` from each other rank, which begins at starts[rank] times `each` bytes. */
static sotto_status gather(uint8_t *out, size_t each, const size_t *starts, const sotto_i_window *w,
                           sotto_error *err) {
  const uint32_t count = sotto_ranks_count(w->ranks), number = sotto_ranks_number(w->ranks);
  sotto_i_parcel *parcels = NULL;
  sotto_status status;
  if (number > 0) {
    const sotto_i_parcel sent = {0, false, out, (starts[number + 1] - starts[number]) * each};
    return sotto_i_ranks_pass(w->ranks, &sent, 1, err);
  }
  SOTTO_TRY(sotto_i_new(&parcels, count, sizeof *parcels, err));
  for (uint32_t r = 1; r < count; r++)
    parcels[r - 1] = (sotto_i_parcel){r, true, out + starts[r] * each, (starts[r + 1] - starts[r]) * each};
  SOTTO_TRY(sotto_i_ranks_pass(w->ranks, parcels, count - 1, err));
done:
  sotto_i_free(parcels);
  return status;
}

sotto_status sotto_i_window_bytes(uint8_t **out, const sotto_i_window *w, const uint8_t *own,
                                  sotto_error *err) {
  const uint32_t ranks = sotto_ranks_count(w->ranks);
  size_t *starts = NULL;
  uint8_t *all = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&starts, ranks + 1U, sizeof *starts, err));
  SOTTO_TRY(sotto_i_new_raw(&all, w->nodes, 1, err));
  for (uint32_t r = 0; r <= ranks; r++) starts[r] = sotto_i_window_first(w, r);
  memcpy(all, own, w->count);
  SOTTO_TRY(gather(all, 1, starts, w, err));
  SOTTO_TRY(sotto_i_ranks_give(w->ranks, all, w->nodes, err));
  *out = all;
  all = NULL;
done:
  sotto_i_free(starts);
  sotto_i_free(all);
  return status;
}

size_t sotto_i_window_place(const uint32_t *wanted, size_t count, size_t node) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (wanted[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

sotto_status sotto_i_window_gather(sotto_matrix *out, const sotto_i_window *w, const uint32_t *wanted,
                                   size_t count, sotto_error *err) {
  const uint32_t ranks = sotto_ranks_count(w->ranks);
  size_t *starts = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&starts, ranks + 1U, sizeof *starts, err));
  for (uint32_t r = 0; r <= ranks; r++)
    starts[r] = sotto_i_window_place(wanted, count, sotto_i_window_first(w, r));
  SOTTO_TRY(gather((uint8_t *)out->data, out->cols * sizeof *out->data, starts, w, err));
done:
  sotto_i_free(starts);
  return status;
}
