/* Batches: rows of a part of the split, so that memory does not grow with the part. */
#ifndef SOTTO_SRC_NN_ROWS_BATCH_H
#define SOTTO_SRC_NN_ROWS_BATCH_H

#include "sotto/split.h"
#include "source.h"

/* Rows begin to begin + count - 1 of a part, in the split's order. */
typedef struct sotto_i_batch {
  sotto_part part;
  size_t begin, count;
} sotto_i_batch;

/* Most rows of a batch: 16,384, or the environment's SOTTO_BATCH_ROWS. Gradients of batches are added up
 * before a step, so a step is that of the whole part, up to the order in which floats are added. */
size_t sotto_i_batch_rows(void);
/* For tests: sets the number of rows, a multiple of 64; 0: the default. */
void sotto_i_batch_rows_set(size_t rows);

/* Number of batches of a part with `rows` rows: at least one, which may be empty; and batch number i. */
size_t sotto_i_batch_count(size_t rows);
sotto_i_batch sotto_i_batch_at(sotto_part part, size_t rows, size_t i);

/* The nodes of rank `number`'s batches of all parts: batch i is of rank i modulo `ranks`. `nodes` is the
 * number of all nodes. Free it in any case. Errors: NOMEM. */
sotto_status sotto_i_batches_of_rank(sotto_i_rank_rows *out, const sotto_split *split, size_t nodes,
                                     uint32_t number, uint32_t ranks, sotto_error *err);

/* Rows of the parts of a split, from sources that are concatenated by columns, gathered for each batch: once
 * for a part that is one batch, else batch by batch into one buffer. Call sotto_i_split_rows_free in any
 * case. */
typedef struct sotto_i_split_rows {
  const sotto_i_row_source *sources; /* borrowed */
  size_t source_count, cols;
  const sotto_matrix *own; /* [4]: rows of each part that come after those of the sources; or NULL */
  const uint32_t *rows[4];
  size_t count[4];
  sotto_matrix whole[4], buffer;
  sotto_i_sparse whole_entries[4], buffer_entries;
  float *window;
} sotto_i_split_rows;
/* *out is zeroed or was used before; `own` may be NULL. */
void sotto_i_split_rows_set(sotto_i_split_rows *out, const sotto_i_row_source *sources, size_t source_count,
                            const sotto_matrix *own, const sotto_split *split);
/* Gathers a batch, which is borrowed until the next call. `tape` forgets the previous batch; it may be
 * NULL. */
sotto_status sotto_i_split_rows_take(sotto_matrix *out, sotto_i_split_rows *table, sotto_tape *tape,
                                     const sotto_i_batch *batch, sotto_error *err);
/* The batch as a constant of the tape, whose zeros are skipped where it is mostly 0. One call between two
 * resets. */
sotto_var sotto_i_split_rows_var(sotto_i_split_rows *table, sotto_tape *tape, const sotto_i_batch *batch);
/* Forgets the gathered rows of a part, whose list changes. */
void sotto_i_split_rows_forget(sotto_i_split_rows *table, sotto_part part);
void sotto_i_split_rows_free(sotto_i_split_rows *table);

#endif
