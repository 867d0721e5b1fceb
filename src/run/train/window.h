/* The rows of a model that one rank answers for: whole batches of nodes, in the order of the ranks. */
#ifndef SOTTO_SRC_RUN_TRAIN_WINDOW_H
#define SOTTO_SRC_RUN_TRAIN_WINDOW_H

#include "ranks/ranks.h"
#include "run/method/method.h"

typedef struct sotto_i_window {
  sotto_ranks *ranks;  /* borrowed */
  size_t nodes;        /* of all ranks */
  size_t first, count; /* this rank has rows first to first + count - 1 */
  const uint32_t *own; /* the numbers of these rows */
} sotto_i_window;

/* First row of rank `rank`, which begins a batch; of one rank more: `nodes`. */
size_t sotto_i_window_first(const sotto_i_window *window, uint32_t rank);
/* Of this rank, without the numbers of its rows. */
sotto_i_window sotto_i_window_of(sotto_ranks *ranks, size_t nodes);

/* out (fresh): the scaled features of these rows, as in sotto_i_scaled_features. All ranks call it. */
sotto_status sotto_i_window_features(sotto_matrix *out, const sotto_i_window *window,
                                     const sotto_options *options, const sotto_dataset *data,
                                     sotto_error *err);
/* out (fresh): column moments of all rows, of which each rank has its own; the bytes are those of one
 * process. All ranks call it. */
sotto_status sotto_i_window_moments(double **out, const sotto_i_window *window, const sotto_matrix *own,
                                    sotto_error *err);
/* out (fresh): one byte a node of all ranks, from one of each own row. All ranks call it. */
sotto_status sotto_i_window_bytes(uint8_t **out, const sotto_i_window *window, const uint8_t *own,
                                  sotto_error *err);
/* Rank 0: out has a row for each of wanted[0..count), which ascend; this rank's own ones are set, and those
 * of the others are received. Other ranks send their rows: `out` has these alone. */
sotto_status sotto_i_window_gather(sotto_matrix *out, const sotto_i_window *window, const uint32_t *wanted,
                                   size_t count, sotto_error *err);
/* The place of the first of wanted[0..count), which ascend, that is not below `node`. */
size_t sotto_i_window_place(const uint32_t *wanted, size_t count, size_t node);

#endif
