/* Folds of training nodes, so that a network predicts only nodes on which it was not fitted. Predictions of
 * its own training nodes are nearly always right, and a correction learnt from them would trust the network
 * too much. */
#ifndef SOTTO_SRC_PROTOCOLS_FOLDS_H
#define SOTTO_SRC_PROTOCOLS_FOLDS_H

#include "run/method/method.h"

enum { SOTTO_I_MOST_FOLDS = 3 };
typedef struct sotto_i_folds {
  uint32_t count;
  uint8_t *of; /* owned; by node: its fold, or `count` for a node outside training */
  size_t nodes;
} sotto_i_folds;

/* Follows from the seed's key and the split alone, so that all parties have the same folds. Errors: INVALID
 * with fewer than two training nodes. */
sotto_status sotto_i_folds_deal(sotto_i_folds *out, const sotto_i_job *job, const sotto_i_parted *parted,
                                sotto_error *err);
/* `count` folds, and nodes that no network was trained on. */
sotto_status sotto_i_folds_of_others(sotto_i_folds *out, uint32_t count, size_t nodes, sotto_error *err);
void sotto_i_folds_free(sotto_i_folds *folds);
/* The training nodes outside of one fold (training_part.h). */
sotto_status sotto_i_folds_rest(sotto_i_parted *out, const sotto_i_folds *folds, const sotto_i_parted *parted,
                                uint32_t fold, sotto_error *err);
/* Adds the scores of one fold's network to `scores`: for a training node if this is its fold, for any other
 * node the share 1 / count. Row i is of nodes[i]; NULL: of node i. */
void sotto_i_folds_add(sotto_matrix *scores, const sotto_matrix *own, const sotto_i_folds *folds,
                       uint32_t fold, const uint32_t *nodes);
/* The same where `own` has the rows of nodes `first` and on, and `scores` those of all. */
static inline void sotto_i_folds_add_from(sotto_matrix *scores, const sotto_matrix *own,
                                          const sotto_i_folds *folds, uint32_t fold, size_t first) {
  sotto_matrix to = {scores->data + first * scores->cols, own->rows, scores->cols};
  const sotto_i_folds of = {folds->count, folds->of + first, own->rows};
  sotto_i_folds_add(&to, own, &of, fold, NULL);
}

/* Replaces probabilities by logarithms. Those near 0 become the logarithm of 1e-6. */
void sotto_i_to_logarithms(sotto_matrix *scores);

#endif
