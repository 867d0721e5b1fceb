/* Embeddings over ranks. */
#include "over_ranks.h"

#include <string.h>

#include "base/memory.h"
#include "inside/nn.h"
#include "networks.h"
#include "nn/centre.h"

typedef struct embedding {
  const sotto_i_block *block;
  sotto_matrix *out; /* own rows */
  float *packed;     /* rows of this rank's batch, ordered by owner */
  sotto_i_parcel *parcels;
  size_t parcel_count;
} embedding;

/* Adds parcels with rows of this rank's batch for their owners. `made` is not read where this rank has no
 * batch. */
static void pack_rows(embedding *e, const sotto_matrix *made, const sotto_i_batch *batch) {
  const sotto_i_block *b = e->block;
  const uint32_t number = sotto_ranks_number(b->ranks);
  const size_t cols = e->out->cols, row = cols * sizeof(float);
  float *at = e->packed;
  for (uint32_t r = 0; r < sotto_ranks_count(b->ranks); r++) {
    float *from = r == number ? e->out->data + sotto_i_block_from(b, batch->begin) * cols : at, *to = from;
    for (size_t i = 0; i < batch->count; i++) {
      if (sotto_i_block_owner(b, batch->begin + i) != r) continue;
      memcpy(to, made->data + i * cols, row);
      to += cols;
    }
    if (r == number) continue;
    e->parcels[e->parcel_count++] =
        (sotto_i_parcel){.peer = r, .data = from, .bytes = (uint64_t)(to - from) * sizeof(float)};
    at = to;
  }
}

/* Adds parcels for own rows in the batches that other ranks embed in this turn. */
static void expect_rows(embedding *e, size_t first, size_t count) {
  const sotto_i_block *b = e->block;
  for (uint32_t r = 0; r < sotto_ranks_count(b->ranks) && first + r < count; r++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, b->nodes, first + r);
    const size_t begin = sotto_i_block_from(b, batch.begin);
    const size_t end = sotto_i_block_from(b, batch.begin + batch.count);
    if (r != sotto_ranks_number(b->ranks))
      e->parcels[e->parcel_count++] = (sotto_i_parcel){.peer = r,
                                                       .take = true,
                                                       .data = e->out->data + begin * e->out->cols,
                                                       .bytes = (end - begin) * e->out->cols * sizeof(float)};
  }
}

sotto_status sotto_i_embed_ranks(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                                 const sotto_i_row_source *features, const sotto_key *key,
                                 const sotto_i_block *b, sotto_error *err) {
  const uint32_t ranks = sotto_ranks_count(b->ranks), number = sotto_ranks_number(b->ranks);
  const size_t count = sotto_i_batch_count(b->nodes),
               most = sotto_i_batch_at(SOTTO_PART_NONE, b->nodes, 0).count;
  const size_t width = encoder->options.widths[encoder->options.layers];
  embedding e = {.block = b, .out = out};
  sotto_tape *tape = NULL;
  sotto_i_row_room room = {0};
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_matrix_new(out, b->count, width, err));
  SOTTO_TRY(sotto_i_new_raw(&e.packed, most * width, sizeof *e.packed, err));
  SOTTO_TRY(sotto_i_new(&e.parcels, 2 * (size_t)ranks, sizeof *e.parcels, err));
  for (size_t first = 0; first < count; first += ranks) {
    e.parcel_count = 0;
    if (first + number < count) {
      const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, b->nodes, first + number);
      sotto_matrix made;
      SOTTO_TRY(sotto_i_embed_rows(&made, &room, tape, encoder, params, features, &batch, key, err));
      SOTTO_I_CHECK(made.cols == width);
      pack_rows(&e, &made, &batch);
    }
    expect_rows(&e, first, count);
    SOTTO_TRY(sotto_i_ranks_pass(b->ranks, e.parcels, e.parcel_count, err));
  }
done:
  sotto_i_free(e.packed);
  sotto_i_free(e.parcels);
  sotto_i_row_room_free(&room);
  sotto_tape_free(tape);
  return status;
}

/* Exchanges the batches of one turn: each rank sends its own to all others. */
static sotto_status share_turn(sotto_matrix *out, sotto_i_parcel *parcels, size_t first, sotto_ranks *ranks,
                               sotto_error *err) {
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  const size_t batches = sotto_i_batch_count(out->rows);
  size_t used = 0;
  for (uint32_t r = 0; r < count; r++)
    for (int take = 0; r != number && take < 2; take++) {
      const size_t i = first + (take == 1 ? r : number);
      if (i >= batches) continue;
      const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, out->rows, i);
      parcels[used++] = (sotto_i_parcel){.peer = r,
                                         .take = take == 1,
                                         .data = out->data + batch.begin * out->cols,
                                         .bytes = batch.count * out->cols * sizeof(float)};
    }
  return sotto_i_ranks_pass(ranks, parcels, used, err);
}

sotto_status sotto_i_embed_job(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_i_row_source *features, const sotto_key *key,
                               const sotto_i_job *job, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_job_ranks(job);
  if (ranks == NULL) return sotto_i_embed_source(out, encoder, params, features, key, err);
  const uint32_t count = sotto_ranks_count(ranks), number = sotto_ranks_number(ranks);
  const size_t width = encoder->options.widths[encoder->options.layers];
  sotto_tape *tape = NULL;
  sotto_i_row_room room = {0};
  sotto_i_parcel *parcels = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_new(&parcels, 2 * (size_t)count, sizeof *parcels, err));
  SOTTO_TRY(sotto_matrix_new(out, features->rows, width, err));
  for (size_t first = 0; first < sotto_i_batch_count(features->rows); first += count) {
    if (first + number < sotto_i_batch_count(features->rows)) {
      const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, features->rows, first + number);
      sotto_matrix made;
      SOTTO_TRY(sotto_i_embed_rows(&made, &room, tape, encoder, params, features, &batch, key, err));
      SOTTO_I_CHECK(made.cols == width);
      memcpy(out->data + batch.begin * width, made.data, batch.count * width * sizeof(float));
    }
    SOTTO_TRY(share_turn(out, parcels, first, ranks, err));
  }
done:
  sotto_i_free(parcels);
  sotto_i_row_room_free(&room);
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_centre_ranks(sotto_matrix *x, const sotto_i_block *b, sotto_error *err) {
  sotto_matrix medians = {0};
  const sotto_status status = sotto_i_column_medians_ranks(&medians, x, b->nodes, b->ranks, err);
  if (status == SOTTO_OK) sotto_i_centre_rows_by(x, &medians);
  sotto_matrix_free(&medians);
  return status;
}
