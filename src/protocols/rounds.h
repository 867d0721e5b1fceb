/* Rounds of counts and corrections: cluster assignment, features from counts, and the correction that is
 * learnt from them. The counts themselves are released elsewhere, by whoever has the edges. */
#ifndef SOTTO_SRC_PROTOCOLS_ROUNDS_H
#define SOTTO_SRC_PROTOCOLS_ROUNDS_H

#include "inside/nn.h"
#include "run/method/method.h"

typedef struct sotto_i_rounds {
  const sotto_i_job *job;       /* borrowed, like what follows; set by the caller */
  const sotto_i_parted *parted; /* with the labels that the last correction is fitted to */
  const sotto_i_parted *shown;  /* with those that clusters of later rounds follow from */
  bool told;                    /* the clusters of training nodes are their labels in `shown` */
  bool exactly;                 /* and those are the true ones */
  const sotto_matrix *first;    /* nodes x classes: log-probabilities from features alone */
  bool weighted; /* a correction of few weights is fitted too, and validation picks one of the two */
  size_t owners; /* of edges, who release counts each: a round's counts are their sum; 0: one */
  sotto_quality validation, test; /* theirs; then those of what validation liked best */
  uint8_t *levels;                /* owned, like what follows: who is unsure (unsure.h); NULL without noise */
  uint32_t kept;                  /* corrections that the answer needs; 0: features alone */
  sotto_i_parted fitted,
      guided;                  /* `parted` and `shown` with the training nodes that counts are released for */
  sotto_matrix latest, inputs; /* scores of the latest round; inputs of the correction, wider by the round */
  sotto_params *params[SOTTO_MOST_COSTS]; /* of the corrections */
} sotto_i_rounds;

/* From the members that the caller sets. */
sotto_status sotto_i_rounds_begin(sotto_i_rounds *rounds, sotto_error *err);
/* out (fresh): scores whose largest in a row is the node's cluster. */
sotto_status sotto_i_rounds_clusters(sotto_matrix *out, const sotto_i_rounds *rounds, sotto_error *err);
/* In place, two columns: both classes get nodes. Clusters of two classes are told so where labels are: there
 * what is in a rare class matters (docs/methods.md). */
void sotto_i_rounds_even_odds(sotto_matrix *scores);
/* Reads a round's counts (nodes x classes), which need not be kept. */
sotto_status sotto_i_rounds_read(sotto_i_rounds *rounds, const sotto_matrix *counts, sotto_error *err);
/* Fits the correction of a round whose counts were read. */
sotto_status sotto_i_rounds_correct(sotto_i_rounds *rounds, uint32_t round, sotto_error *err);
void sotto_i_rounds_free(sotto_i_rounds *rounds);

#endif
