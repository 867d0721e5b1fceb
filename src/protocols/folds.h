/* Folds of training nodes, so that a network predicts only nodes on which it was not fitted: a fitted
 * network's predictions of its own training nodes are nearly always right, and a correction learnt from them
 * would trust the network too much. */
#ifndef SOTTO_SRC_PROTOCOLS_FOLDS_H
#define SOTTO_SRC_PROTOCOLS_FOLDS_H

#include "run/method/method.h"

enum { SOTTO_I_MOST_FOLDS = 3 };
typedef struct sotto_i_folds {
  uint32_t count;
  uint8_t *of; /* owned; by node: its fold, or `count` when it does not train */
  size_t nodes;
} sotto_i_folds;

/* By the seed's key and the split alone, so that all parties deal alike. Errors: INVALID with fewer than two
 * training nodes. */
sotto_status sotto_i_folds_deal(sotto_i_folds *out, const sotto_i_job *job, const sotto_i_parted *parted,
                                sotto_error *err);
/* So many folds, and nodes that none of the networks was trained on. */
sotto_status sotto_i_folds_of_others(sotto_i_folds *out, uint32_t count, size_t nodes, sotto_error *err);
void sotto_i_folds_free(sotto_i_folds *folds);
/* The training nodes outside of one fold (training_part.h). */
sotto_status sotto_i_folds_rest(sotto_i_parted *out, const sotto_i_folds *folds, const sotto_i_parted *parted,
                                uint32_t fold, sotto_error *err);
/* Adds to `scores` what one fold's network says: to a training node if the fold is its own, to any other node
 * a share. Row i is of nodes[i]; NULL: of node i. */
void sotto_i_folds_add(sotto_matrix *scores, const sotto_matrix *own, const sotto_i_folds *folds,
                       uint32_t fold, const uint32_t *nodes);
/* Probabilities become their logarithms; those of almost 0 that of one in a million. */
void sotto_i_to_logarithms(sotto_matrix *scores);

#endif
