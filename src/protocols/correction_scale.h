/* Cached input scales of the corrections, so that these can predict one node at a time. */
#ifndef SOTTO_SRC_PROTOCOLS_CORRECTION_SCALE_H
#define SOTTO_SRC_PROTOCOLS_CORRECTION_SCALE_H

#include "pilots.h"
#include "sotto/base.h"
#include "unsure.h"

enum {
  SOTTO_I_MOST_OWN_COLUMNS = 32, /* that a correction reads */
  SOTTO_I_MOST_SUM_COLUMNS = 64  /* that are added up over neighbours */
};
/* Scales of the columns of the first inputs, and the rules that choose the nodes with counts and the kind of
 * clusters, all from the run's nodes. Stored in the seed's folder as correction.json. */
typedef struct sotto_i_correction_scale {
  double *moments;     /* owned: 2 x classes (tensor/columns.h), of log-probabilities minus their mean */
  double *own_moments; /* owned: 2 x own, of a node's own features */
  size_t classes, own;
  bool chosen;   /* with noise: counts are released for some nodes; else for all */
  double surest; /* counts are of nodes whose error probability is above this */
  bool training; /* this rule chose no training node, so all training nodes have counts */
  bool sure;     /* training nodes count at the least level */
  bool even;     /* clusters of two classes are by even odds (rounds.h) */
  bool pilots;   /* some training nodes were pilots, and have no counts in the cells of the others */
  sotto_i_cluster_choice choice; /* of these pilots */
  sotto_i_cluster_kind kind;     /* of the first round's cells */
  bool weighed;                  /* its relations are weighed (transfer_weights.h), in place of counts */
  size_t cells; /* number of these by transfers or kinds, or of directions of sums; 0: of another kind */
  double expected[SOTTO_I_LEVELS]; /* how often a neighbour is counted (counts.h) */
} sotto_i_correction_scale;
sotto_status sotto_i_correction_scale_save(const sotto_i_correction_scale *scale, const char *folder,
                                           sotto_error *err);
/* Errors: NOT_FOUND (the folder does not have it), CORRUPT. */
sotto_status sotto_i_correction_scale_load(sotto_i_correction_scale *out, const char *folder, size_t classes,
                                           sotto_error *err);
void sotto_i_correction_scale_free(sotto_i_correction_scale *scale);

#endif
