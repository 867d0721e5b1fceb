/* Rounds of counts and corrections: cluster assignment, features from counts, and the correction that is
 * learnt from them. The party with the edges releases the counts themselves. With pilots (pilots.h) the first
 * round has a stage for each kind of clusters, and one for all other nodes. */
#ifndef SOTTO_SRC_PROTOCOLS_ROUNDS_H
#define SOTTO_SRC_PROTOCOLS_ROUNDS_H

#include "clusters.h"
#include "correction_scale.h"
#include "inside/nn.h"
#include "nn/rows/views.h"
#include "pilots.h"
#include "run/method/method.h"
#include "transfer_cells.h"

typedef struct sotto_i_rounds {
  const sotto_i_job *job;       /* borrowed, like the next members; set by the caller */
  const sotto_i_parted *parted; /* with the labels that the last correction is fitted to */
  const sotto_i_parted *shown;  /* with the labels from which clusters of later rounds follow */
  bool told;                    /* the clusters of training nodes are their labels in `shown` */
  bool exactly;                 /* these labels are the true ones */
  sotto_matrix *first; /* nodes x classes: log-probabilities from features alone. Where rank 0 alone has them
                          (first_inputs.h), its data is freed once each rank has its rows */
  bool reads_last;     /* the caller reads `latest` after the last round too */
  bool weighted; /* where all counts are by class, also fit a correction with few weights; validation picks
                    one of the two */
  bool alike;    /* cells other than classes are counted without levels, by all nodes */
  size_t owners; /* number of owners of edges: each releases counts. By class a round's counts are their sum;
                    by anything else those of all owners are concatenated. 0: one */
  const sotto_i_row_source
      *own; /* features of each node, for sums; a correction that reads them is also fitted, if they have at
               most SOTTO_I_MOST_OWN_COLUMNS columns; NULL: none */
  sotto_i_cluster_choice choice;       /* cells that can be counted in beside classes; pilots choose */
  const sotto_i_clusters *by_features; /* clusters of features; NULL: another party has them */
  const sotto_transfers *transfers;    /* of the edges; NULL: another party has them */
  size_t transfer_cells;               /* number of cells by transfers, where they are a choice */
  size_t kind_cells;                   /* the same by kinds */
  sotto_quality validation, test; /* at first of `first`; then of the best correction on validation nodes */
  uint8_t *levels; /* owned, like the next members: levels of confidence (unsure.h); NULL without noise */
  sotto_i_pilots pilots;
  sotto_i_transfer_bins bins; /* once there is a survey */
  sotto_params *directions;   /* of sums (feature_sums.h), once they are learnt; NULL: they are not */
  sotto_matrix learnt[SOTTO_I_CLUSTER_KINDS]; /* owned: what a count of each cell of these pilots says of the
                                                 class, a row a cell; empty: no weights are wanted */
  sotto_params *weights; /* of cells of transfers (transfer_weights.h), once pilots have chosen these; NULL:
                            relations are counted */
  sotto_i_transfer_bins kinds; /* bins by kind, where they are a choice */
  sotto_i_cluster_kind kind;   /* of the first round's cells, once pilots have chosen */
  double expected[SOTTO_I_LEVELS];
  sotto_i_correction_scale scale; /* as it is saved */
  uint32_t kept;                  /* corrections that the prediction needs; 0: features alone */
  sotto_i_parted fitted, guided; /* `parted` and `shown` with only the training nodes that have counts; guided
                                    empty where both are the same */
  sotto_matrix latest; /* scores of the latest round, from which clusters follow; empty before the first
                          correction: `first` */
  sotto_matrix
      inputs;        /* of the correction, wider in each round; empty until they are read, where `held` is */
  sotto_matrix base; /* over ranks with one round: the rows of `first` that this rank fits */
  sotto_matrix of_pilots[SOTTO_I_STAGES]; /* the same, of the pilots of each group */
  sotto_i_rank_rows held;                 /* the nodes whose rows `inputs` and `base` have; else empty: all */
  sotto_i_standard_rows own_rows;
  sotto_params *params[SOTTO_MOST_COSTS]; /* of the corrections */
} sotto_i_rounds;

/* Begins, from the members that the caller sets. */
sotto_status sotto_i_rounds_begin(sotto_i_rounds *rounds, sotto_error *err);
/* Number of stages of a round: 1 without pilots. */
uint32_t sotto_i_rounds_stages(const sotto_i_rounds *rounds, uint32_t round);
/* Which release a stage is, from number 0. */
sotto_i_pilot_stage sotto_i_rounds_stage(const sotto_i_rounds *rounds, uint32_t round, uint32_t number);
/* The kind of a stage's cells. */
sotto_i_cluster_kind sotto_i_rounds_kind(const sotto_i_rounds *rounds, uint32_t round, uint32_t number);
/* Are a stage's relations weighed, so that it has one column of sums? */
bool sotto_i_rounds_weighed(const sotto_i_rounds *rounds, uint32_t round, uint32_t number);
/* Has `inputs` the rows of `held` alone, which are those that this rank fits? */
bool sotto_i_rounds_hold_some(const sotto_i_rounds *rounds);
/* What a stage counts. */
typedef struct sotto_i_rounds_asked {
  sotto_i_clusters clusters;       /* owned: by class; empty: by features, or another party has them */
  const sotto_i_clusters *counted; /* of counts.h: borrowed */
  sotto_matrix added;              /* owned: of counts.h; empty: nothing is added up */
  uint8_t *levels;                 /* owned; NULL: all equal */
  sotto_i_cluster_kind kind;
  uint32_t stage, part; /* of counts.h: 0 for the last; of the account */
  const uint32_t *rows; /* of counts.h: borrowed */
  size_t row_count;
  bool survey, sums;                 /* of counts.h; sums: rows of features are added up */
  bool weighed;                      /* sums of weights of the bins, which need clusters too */
  const sotto_i_transfer_bins *bins; /* borrowed; NULL: counts are not by transfers */
} sotto_i_rounds_asked;
/* Free it in any case; it does not move meanwhile. Ranks other than the first get no clusters and levels,
 * which rank 0 gives them when it counts. */
sotto_status sotto_i_rounds_ask(sotto_i_rounds_asked *out, const sotto_i_rounds *rounds, uint32_t round,
                                uint32_t number, sotto_error *err);
void sotto_i_rounds_asked_free(sotto_i_rounds_asked *asked);
/* Over ranks with one round: gives each rank the rows of `first` that it fits, and frees the others. All
 * ranks call it once, after what is asked of the last stage is known and before its counts. Else it does
 * nothing. */
sotto_status sotto_i_rounds_share(sotto_i_rounds *rounds, sotto_error *err);
/* out (fresh): clusters by class. */
sotto_status sotto_i_rounds_clusters(sotto_i_clusters *out, const sotto_i_rounds *rounds, sotto_error *err);
/* Balances two columns in place, so that both classes have nodes. This is done where labels define
 * clusters: there a rare class matters (docs/methods.md). */
void sotto_i_rounds_even_odds(sotto_matrix *scores);
/* Reads a stage's counts, which the caller may free: nodes x cells; in memory of pilots, a row a pilot, and a
 * survey. */
sotto_status sotto_i_rounds_read(sotto_i_rounds *rounds, const sotto_i_row_source *counts, uint32_t round,
                                 uint32_t number, sotto_error *err);
/* Fits the correction of a round whose counts were read. */
sotto_status sotto_i_rounds_correct(sotto_i_rounds *rounds, uint32_t round, sotto_error *err);
void sotto_i_rounds_free(sotto_i_rounds *rounds);

#endif
