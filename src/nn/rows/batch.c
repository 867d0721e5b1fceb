/* Batches of rows, and the tables from which they are gathered. */
#include "batch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "inside/tensor.h"
#include "tensor/tape.h"

enum { usual_rows = 1 << 14 };
static _Atomic size_t rows_for_tests, rows_of_process;

/* In the short trainings of an estimate a batch is the same share of the data as in the run. */
static size_t rows_of_environment(void) {
  const char *text = getenv("SOTTO_BATCH_ROWS");
  const unsigned long rows = text == NULL ? 0 : strtoul(text, NULL, 10);
  return rows == 0 || rows > usual_rows || rows % SOTTO_I_DROPOUT_ROWS != 0 ? usual_rows : rows;
}

size_t sotto_i_batch_rows(void) {
  const size_t asked = atomic_load(&rows_for_tests);
  size_t usual = atomic_load(&rows_of_process);
  if (usual == 0) atomic_store(&rows_of_process, usual = rows_of_environment());
  return asked > 0 ? asked : usual;
}

void sotto_i_batch_rows_set(size_t rows) {
  SOTTO_I_CHECK(rows % SOTTO_I_DROPOUT_ROWS == 0);
  atomic_store(&rows_for_tests, rows);
}

size_t sotto_i_batch_count(size_t rows) {
  const size_t most = sotto_i_batch_rows();
  return rows == 0 ? 1 : (rows + most - 1) / most;
}

sotto_i_batch sotto_i_batch_at(sotto_part part, size_t rows, size_t i) {
  const size_t most = sotto_i_batch_rows(), begin = i * most;
  return (sotto_i_batch){part, begin, rows - begin < most ? rows - begin : most};
}

sotto_status sotto_i_batches_of_rank(sotto_i_rank_rows *out, const sotto_split *split, size_t nodes,
                                     uint32_t number, uint32_t ranks, sotto_error *err) {
  uint8_t *seen = NULL;
  sotto_status status;
  *out = (sotto_i_rank_rows){.nodes = NULL};
  SOTTO_TRY(sotto_i_new(&seen, nodes, sizeof *seen, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = number; i < sotto_i_batch_count(split->count[part]); i += ranks) {
      const sotto_i_batch batch = sotto_i_batch_at(part, split->count[part], i);
      for (size_t k = 0; k < batch.count; k++) seen[split->rows[part][batch.begin + k]] = 1;
    }
  SOTTO_TRY(sotto_i_rank_rows_new(out, seen, nodes, err));
done:
  sotto_i_free(seen);
  return status;
}

void sotto_i_split_rows_set(sotto_i_split_rows *out, const sotto_i_row_source *sources, size_t source_count,
                            const sotto_matrix *own, const sotto_split *split) {
  sotto_i_split_rows_free(out);
  out->sources = sources;
  out->source_count = source_count;
  out->own = own;
  for (size_t k = 0; k < source_count; k++) out->cols += sources[k].cols;
  if (own != NULL) out->cols += own[SOTTO_PART_TEST].cols;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    out->rows[part] = split->rows[part];
    out->count[part] = split->count[part];
  }
}

static sotto_status gather_rows(float *out, sotto_i_split_rows *t, const sotto_i_batch *batch,
                                sotto_error *err) {
  const sotto_matrix *own = t->own == NULL ? NULL : &t->own[batch->part];
  size_t at = 0, widest = 0;
  for (size_t k = 0; k < t->source_count; k++)
    if (t->sources[k].matrix == NULL && t->sources[k].cols > widest) widest = t->sources[k].cols;
  if (widest > 0 && t->window == NULL) {
    const sotto_status status =
        sotto_i_new_raw(&t->window, widest * SOTTO_I_WINDOW_ROWS, sizeof *t->window, err);
    if (status != SOTTO_OK) return status;
  }
  for (size_t k = 0; k < t->source_count; at += t->sources[k++].cols) {
    const sotto_status status = sotto_i_row_source_gather(
        out + at, t->cols, &t->sources[k], t->rows[batch->part] + batch->begin, batch->count, t->window, err);
    if (status != SOTTO_OK) return status;
  }
  for (size_t i = 0; own != NULL && i < batch->count; i++)
    if (own->cols > 0)
      memcpy(out + i * t->cols + at, own->data + (batch->begin + i) * own->cols, own->cols * sizeof *out);
  return SOTTO_OK;
}

sotto_status sotto_i_split_rows_take(sotto_matrix *out, sotto_i_split_rows *t, sotto_tape *tape,
                                     const sotto_i_batch *batch, sotto_error *err) {
  const bool all = batch->count == t->count[batch->part];
  sotto_matrix *held = all ? &t->whole[batch->part] : &t->buffer;
  sotto_status status;
  *out = (sotto_matrix){held->data, batch->count, t->cols};
  if (all && held->data != NULL) return SOTTO_OK;
  if (held->data == NULL)
    SOTTO_TRY(sotto_matrix_new(held, all ? batch->count : sotto_i_batch_rows(), t->cols, err));
  if (!all && tape != NULL) sotto_i_tape_forget(tape, held->data);
  SOTTO_TRY(gather_rows(held->data, t, batch, err));
  out->data = held->data;
done:
  if (status != SOTTO_OK) sotto_matrix_free(held);
  return status;
}

/* Entries of a batch, where a single sparse source has all rows. */
static sotto_var entries_var(sotto_i_split_rows *t, sotto_tape *tape, const sotto_i_batch *batch) {
  const bool all = batch->count == t->count[batch->part];
  sotto_i_sparse *held = all ? &t->whole_entries[batch->part] : &t->buffer_entries;
  sotto_error err = {0};
  sotto_status status = SOTTO_OK;
  if (!all || !held->worth)
    status =
        sotto_i_row_source_entries(held, t->sources, t->rows[batch->part] + batch->begin, batch->count, &err);
  if (status != SOTTO_OK) return sotto_i_tape_fail(tape, status, "%s", err.text);
  return sotto_i_tape_entries(tape, &(sotto_i_sparse_view){held, NULL});
}

sotto_var sotto_i_split_rows_var(sotto_i_split_rows *t, sotto_tape *tape, const sotto_i_batch *batch) {
  if (t->source_count == 1 && t->own == NULL && t->sources->entries != NULL)
    return entries_var(t, tape, batch);
  sotto_matrix rows;
  sotto_error err = {0};
  const sotto_status status = sotto_i_split_rows_take(&rows, t, tape, batch, &err);
  if (status != SOTTO_OK) return sotto_i_tape_fail(tape, status, "%s", err.text);
  return sotto_tape_fixed(tape, &rows);
}

void sotto_i_split_rows_forget(sotto_i_split_rows *t, sotto_part part) {
  sotto_matrix_free(&t->whole[part]);
  sotto_i_sparse_free(&t->whole_entries[part]);
}

void sotto_i_split_rows_free(sotto_i_split_rows *t) {
  for (sotto_part part = SOTTO_PART_NONE; part <= SOTTO_PART_TEST; part++) sotto_i_split_rows_forget(t, part);
  sotto_i_sparse_free(&t->buffer_entries);
  sotto_matrix_free(&t->buffer);
  sotto_i_free(t->window);
  *t = (sotto_i_split_rows){0};
}
