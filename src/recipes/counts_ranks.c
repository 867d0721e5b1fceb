/* Counts over ranks: a rank counts the neighbours of its own nodes. Cluster and level of those that lie at
 * other ranks come as a halo of two columns, and rank 0 puts the rows in the order of nodes. */
#include "base/memory.h"
#include "counts.h"
#include "graph/blocks/block.h"

enum { CLUSTER, LEVEL, halo_cols };

static void fill_own(sotto_matrix *own, const sotto_i_block *b, const int32_t *told) {
  for (size_t i = 0; i < b->count; i++) {
    float *row = own->data + i * own->cols;
    const uint8_t level = (uint8_t)told[i * halo_cols + LEVEL];
    for (uint64_t e = b->graph.offsets[i]; e < b->graph.offsets[i + 1]; e++) {
      const int32_t *other = told + b->graph.targets[e] * (size_t)halo_cols;
      row[other[CLUSTER]] += sotto_i_counts_weight(level, (uint8_t)other[LEVEL]);
    }
  }
}

/* To rank 0, which has the whole table. */
static sotto_status gather(sotto_matrix *table, sotto_matrix *own, const sotto_i_block *b, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const uint64_t row = own->cols * sizeof(float);
  if (!sotto_i_ranks_first(b->ranks)) {
    const sotto_i_parcel sent = {.data = own->data, .bytes = own->rows * row};
    return sotto_i_ranks_pass(b->ranks, &sent, 1, err);
  }
  sotto_i_block_put(table->data, b, 0, 0, b->nodes, own->data, own->cols);
  for (uint32_t r = 1; r < sotto_ranks_count(b->ranks); r++) {
    sotto_matrix rows = {0};
    status = sotto_matrix_new(&rows, sotto_i_block_rows(b, r, 0, b->nodes), own->cols, err);
    const sotto_i_parcel taken = {.peer = r, .take = true, .data = rows.data, .bytes = rows.rows * row};
    if (status == SOTTO_OK) status = sotto_i_ranks_pass(b->ranks, &taken, 1, err);
    if (status == SOTTO_OK) sotto_i_block_put(table->data, b, r, 0, b->nodes, rows.data, own->cols);
    sotto_matrix_free(&rows);
    SOTTO_TRY(status);
  }
done:
  return status;
}

sotto_status sotto_i_counts_fill_ranks(sotto_matrix *table, const sotto_i_block *b,
                                       const sotto_matrix *scores, const uint8_t *levels, sotto_error *err) {
  sotto_matrix own = {0};
  sotto_i_halo halo = {.block = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_halo_new(&halo, b, halo_cols, err));
  for (size_t i = 0; i < b->count; i++) {
    int32_t *told = halo.rows + i * halo_cols;
    told[CLUSTER] = (int32_t)sotto_i_counts_cluster(scores, b->own[i]);
    told[LEVEL] = levels == NULL ? 1 : levels[b->own[i]];
  }
  SOTTO_TRY(sotto_i_halo_pass(&halo, err));
  SOTTO_TRY(sotto_matrix_new(&own, b->count, scores->cols, err));
  fill_own(&own, b, halo.rows);
  SOTTO_TRY(gather(table, &own, b, err));
done:
  sotto_i_halo_free(&halo);
  sotto_matrix_free(&own);
  return status;
}
