/* Embeddings over ranks. */
#include "over_ranks.h"

#include <string.h>

#include "base/memory.h"
#include "inside/nn.h"
#include "networks.h"
#include "nn/centre.h"
#include "nn/rows/gradients.h"

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

typedef struct turn {
  sotto_ranks *ranks;
  sotto_i_parcel *parcels;
  float *room; /* a batch of another rank */
} turn;

/* Passes the rows of one batch from their rank to all others, or to rank 0 alone. `rows` has them where it is
 * that rank, and is borrowed from the room elsewhere. */
static sotto_status pass_batch(sotto_matrix *rows, const turn *t, uint32_t from, bool at_first,
                               sotto_error *err) {
  const uint32_t number = sotto_i_rank_number(t->ranks), to = at_first ? 1 : sotto_i_rank_count(t->ranks);
  const uint64_t bytes = rows->rows * rows->cols * sizeof(float);
  size_t used = 0;
  if (number == from) {
    for (uint32_t r = 0; r < to; r++)
      if (r != from) t->parcels[used++] = (sotto_i_parcel){.peer = r, .data = rows->data, .bytes = bytes};
  } else if (number < to) {
    rows->data = t->room;
    t->parcels[used++] = (sotto_i_parcel){.peer = from, .take = true, .data = rows->data, .bytes = bytes};
  }
  return used == 0 ? SOTTO_OK : sotto_i_ranks_pass(t->ranks, t->parcels, used, err);
}

/* Passes the batches of one turn, of which this rank made `made`, and hands them on in order. */
static sotto_status run_turn(const turn *t, const sotto_matrix *made, size_t nodes, size_t first,
                             const sotto_i_embedded *each, sotto_error *err) {
  const uint32_t count = sotto_i_rank_count(t->ranks), number = sotto_i_rank_number(t->ranks);
  sotto_status status = SOTTO_OK;
  for (uint32_t r = 0; r < count && first + r < sotto_i_batch_count(nodes); r++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, nodes, first + r);
    sotto_matrix rows = {r == number ? made->data : NULL, batch.count, made->cols};
    if (count > 1) SOTTO_TRY(pass_batch(&rows, t, r, each->at_first, err));
    if (number == 0 || !each->at_first) SOTTO_TRY(each->call(each->context, &rows, batch.begin, err));
  }
done:
  return status;
}

sotto_status sotto_i_embed_each(const sotto_i_embedded *each, const sotto_mlp *encoder, sotto_params *params,
                                const sotto_i_row_source *features, const sotto_key *key,
                                const sotto_i_job *job, sotto_error *err) {
  turn t = {.ranks = sotto_i_job_ranks(job)};
  const uint32_t count = sotto_i_rank_count(t.ranks), number = sotto_i_rank_number(t.ranks);
  const size_t width = encoder->options.widths[encoder->options.layers];
  const size_t batches = sotto_i_batch_count(features->rows);
  sotto_tape *tape = NULL;
  sotto_i_row_room room = {0};
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_new(&t.parcels, count, sizeof *t.parcels, err));
  if (count > 1) SOTTO_TRY(sotto_i_new_raw(&t.room, sotto_i_batch_rows() * width, sizeof *t.room, err));
  for (size_t first = 0; first < batches; first += count) {
    sotto_matrix made = {NULL, 0, width};
    if (first + number < batches) {
      const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, features->rows, first + number);
      SOTTO_TRY(sotto_i_embed_rows(&made, &room, tape, encoder, params, features, &batch, key, err));
      SOTTO_I_CHECK(made.cols == width);
    }
    SOTTO_TRY(run_turn(&t, &made, features->rows, first, each, err));
  }
done:
  sotto_i_free(t.parcels);
  sotto_i_free(t.room);
  sotto_i_row_room_free(&room);
  sotto_tape_free(tape);
  return status;
}

static sotto_status copy_batch(void *all, sotto_matrix *rows, size_t first, sotto_error *err) {
  sotto_matrix *out = all;
  (void)err;
  if (rows->rows > 0)
    memcpy(out->data + first * out->cols, rows->data, rows->rows * out->cols * sizeof *out->data);
  return SOTTO_OK;
}

sotto_i_embedded sotto_i_embedded_into(sotto_matrix *all) {
  return (sotto_i_embedded){.call = copy_batch, .context = all};
}

sotto_status sotto_i_embed_job(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_i_row_source *features, const sotto_key *key,
                               const sotto_i_job *job, sotto_error *err) {
  const sotto_i_embedded copied = sotto_i_embedded_into(out);
  const size_t width = encoder->options.widths[encoder->options.layers];
  const sotto_status status = sotto_matrix_new(out, features->rows, width, err);
  return status == SOTTO_OK ? sotto_i_embed_each(&copied, encoder, params, features, key, job, err) : status;
}

sotto_status sotto_i_centre_ranks(sotto_matrix *x, const sotto_i_block *b, sotto_error *err) {
  sotto_matrix medians = {0};
  const sotto_status status = sotto_i_column_medians_ranks(&medians, x, b->nodes, b->ranks, err);
  if (status == SOTTO_OK) sotto_i_centre_rows_by(x, &medians);
  sotto_matrix_free(&medians);
  return status;
}
