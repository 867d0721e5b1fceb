/* Pilots: a few training nodes whose counts are released first, to choose by what all others are counted.
 * The choice costs no epsilon.
 *
 * Disjoint groups of training nodes count all their neighbours once, each group in cells of its own kind. A
 * correction is fitted on each group, and the kind whose correction helps most is chosen. After that all
 * other nodes count their neighbours in cells of this kind, and count pilots once. So an edge moves counts of
 * all releases together by 2 in the l1 norm: a pilot's by 1 and the other end's by 1, whichever groups the
 * ends are in. Pilots of sums count a neighbour twice, and no other node counts them: an edge moves theirs by
 * 2 and no other's, or by 1 each between two of them. Later releases depend on earlier ones, and pure
 * epsilons of an edge add up. Where edges have transfers, one more group is surveyed (transfer_cells.h),
 * which moves as much. */
#ifndef SOTTO_SRC_PROTOCOLS_PILOTS_H
#define SOTTO_SRC_PROTOCOLS_PILOTS_H

#include "nn/rows/rank_rows.h"
#include "run/method/method.h"

/* What a neighbour's cell follows from: its own cluster, by class or by features, or the transfers between:
 * their direction, amounts and times, or their direction and kind. By sums: no cell, but a row of numbers
 * from its features (feature_sums.h), in units of which it is counted. */
typedef enum sotto_i_cluster_kind {
  SOTTO_I_BY_CLASS,
  SOTTO_I_BY_FEATURES,
  SOTTO_I_BY_TRANSFERS,
  SOTTO_I_BY_KINDS,
  SOTTO_I_BY_SUMS,
  SOTTO_I_CLUSTER_KINDS
} sotto_i_cluster_kind;

/* The releases of the first round. Their numbers are kept in run folders and ledgers. */
typedef enum sotto_i_pilot_stage {
  SOTTO_I_STAGE_CLASS = 1,
  SOTTO_I_STAGE_FEATURES,
  SOTTO_I_STAGE_OTHERS, /* all that are in no group */
  SOTTO_I_STAGE_TRANSFERS,
  SOTTO_I_STAGE_SURVEY,
  SOTTO_I_STAGE_KINDS,
  SOTTO_I_STAGE_DIRECTIONS, /* sums of all features, from which the directions follow */
  SOTTO_I_STAGE_SUMS,
  SOTTO_I_STAGES
} sotto_i_pilot_stage;

/* Which kinds there are, beside classes. Sums are never a choice beside transfers. */
typedef struct sotto_i_cluster_choice {
  bool features, transfers;
  bool kinds; /* of transfers, which are then a choice too */
  bool sums;  /* in place of features, and never beside transfers */
  bool
      apart; /* each owner of edges clusters its own features, which say less of a neighbour than all would */
  bool alone; /* none, but pilots of classes were there and found them enough */
} sotto_i_cluster_choice;

typedef struct sotto_i_pilots {
  uint8_t *group; /* owned, by node: 0, or the stage that counts its neighbours; NULL: there are no pilots */
  uint32_t *nodes[SOTTO_I_STAGES]; /* owned, by stage: NULL without it */
  size_t count[SOTTO_I_STAGES];    /* of each group */
  bool apart;                      /* as in their choice */
  size_t all;                      /* nodes of the graph */
  double gain[SOTTO_I_CLUSTER_KINDS], deviation[SOTTO_I_CLUSTER_KINDS];
  sotto_matrix
      read[SOTTO_I_CLUSTER_KINDS]; /* owned: what was read of the counts of each group, a row a pilot */
} sotto_i_pilots;

/* Are there enough training nodes, 1,000, for a choice between two ways on some of them? */
bool sotto_i_can_choose(const sotto_i_parted *parted);
enum { SOTTO_I_LEAST_SUM_NODES = 2000 };
/* Are there 2,000 training nodes, and 50 of each class to be expected among those that learn directions of
 * sums? */
bool sotto_i_can_learn_directions(const sotto_i_parted *parted, size_t classes);
/* A tenth of the training nodes in each group, at most 1,000, by the seed's key and the split alone. Where
 * there are transfers, all groups together are as many nodes as without: four fifths of that are pilots of
 * classes and of transfers each, a quarter pilots of features, and a tenth is surveyed; but at least 100, and
 * 50 of the last. With kinds three fifths are pilots of classes, of transfers and of kinds each. With sums a
 * tenth learn their directions, and two fifths as many, at least 100, are pilots of sums. A tenth below 100
 * would decide nothing, and then there are none; nor are there where classes are all. */
sotto_status sotto_i_pilots_draw(sotto_i_pilots *out, const sotto_i_job *job, const sotto_i_parted *parted,
                                 sotto_i_cluster_choice choice, sotto_error *err);
/* How many nodes are in each group, of so many training nodes. Returns whether there are pilots; without them
 * all numbers are 0. */
bool sotto_i_pilots_sizes(size_t out[SOTTO_I_STAGES], size_t training, sotto_i_cluster_choice choice);
/* The kind of a round's cells, if this is the kind of the first round's: later rounds count by class, but
 * sums are released again. */
sotto_i_cluster_kind sotto_i_kind_of_round(sotto_i_cluster_kind first, uint32_t round);
/* Does the sum of a node's cells say how many neighbours there are, whatever their classes? */
bool sotto_i_cells_are_whole(sotto_i_cluster_kind kind);
/* The stages of the first round in their order; returns how many. */
size_t sotto_i_pilots_stages(sotto_i_pilot_stage out[SOTTO_I_STAGES], const sotto_i_pilots *pilots);
/* The kind of a stage of pilots, or of no survey. */
sotto_i_cluster_kind sotto_i_pilots_kind(sotto_i_pilot_stage stage);
sotto_i_pilot_stage sotto_i_pilots_stage(sotto_i_cluster_kind kind);
void sotto_i_pilots_free(sotto_i_pilots *pilots);

/* Levels (unsure.h) of one release, in place: of one group, when all others count nobody; and of the release
 * after them, when pilots count nobody. */
void sotto_i_pilots_levels(uint8_t *levels, size_t nodes, const sotto_i_pilots *pilots,
                           sotto_i_pilot_stage stage);
void sotto_i_pilots_spent(uint8_t *levels, size_t nodes, const sotto_i_pilots *pilots);
/* Levels for the correction: pilots have no counts. */
void sotto_i_pilots_deaf(uint8_t *levels, size_t nodes, const sotto_i_pilots *pilots);

/* The mean decrease of the log loss of this kind's pilots by their counts, and its standard error, by softmax
 * regression with each fifth left out in turn. `base` and `read` have a row a
 * pilot. */
sotto_status sotto_i_pilots_measure(sotto_i_pilots *pilots, sotto_i_cluster_kind kind,
                                    const sotto_matrix *base, const sotto_matrix *read,
                                    const sotto_i_parted *parted, sotto_error *err);
/* out (columns of sums x sotto_i_sum_directions): which combinations of features, added up over neighbours,
 * or of counts, tell the class best, by softmax regression on `base` and `sums`, a row a node of this stage.
 */
sotto_status sotto_i_pilots_directions(sotto_matrix *out, const sotto_i_pilots *pilots,
                                       sotto_i_pilot_stage stage, const sotto_matrix *base,
                                       const sotto_matrix *sums, const sotto_i_parted *parted,
                                       sotto_error *err);
/* The same of counts, with a label for each row. */
sotto_status sotto_i_pilots_learn(sotto_matrix *out, const sotto_matrix *base, const sotto_matrix *counts,
                                  const int32_t *labels, sotto_error *err);
/* Sets the levels of the chosen kind's pilots to SOTTO_I_PILOT, so that the correction is fitted on them too,
 * and then their inputs, from this column on, to what was read of their own counts. `held`: the nodes whose
 * rows `inputs` has; NULL: all. */
void sotto_i_pilots_listen(uint8_t *levels, const sotto_i_pilots *pilots, sotto_i_cluster_kind kind);
void sotto_i_pilots_join(sotto_matrix *inputs, size_t column, const sotto_i_rank_rows *held,
                         const sotto_i_pilots *pilots, sotto_i_cluster_kind kind);
/* How many standard errors of the difference from classes a kind must be better to be chosen. */
double sotto_i_pilots_margin(sotto_i_cluster_kind kind);
/* Are classes better than nothing by more than two standard errors? Then sums are not tried. */
bool sotto_i_pilots_suffice(const sotto_i_pilots *pilots);
/* By class, unless another kind is better by more than its margin; of several the one that gains most. */
sotto_i_cluster_kind sotto_i_pilots_choose(const sotto_i_pilots *pilots);

#endif
