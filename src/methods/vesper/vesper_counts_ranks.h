/* The publication by counts over ranks. Rank 0 runs both parties, or the data party, which then speaks with
 * the label party over the wire. The others count the neighbours of their nodes; where both parties are here,
 * they also share the batches of corrections. Ranks belong to one owner of their data, so what passes between
 * them is no message between parties. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_COUNTS_RANKS_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_COUNTS_RANKS_H

#include "protocols/counts.h"
#include "protocols/rounds.h"

/* What rounds start from: predictions of features alone, and what the data party can count by. */
typedef struct sotto_i_vesper_first {
  const sotto_i_job *job;
  const sotto_i_parted *parted, *shown; /* true labels; labels from which messages may follow */
  bool reported;                        /* `shown` has reported labels */
  sotto_matrix scores;                  /* owned: nodes x classes, log-probabilities */
  sotto_matrix projected;               /* owned: nodes x SOTTO_I_PROJECTED; empty: not wanted */
  sotto_i_row_source projected_rows;    /* of `projected` */
  sotto_i_cluster_choice choice;
  size_t transfer_cells, kind_cells;
  size_t owners;                  /* of edges, where these are several; 0: one */
  sotto_quality validation, test; /* of `scores` */
} sotto_i_vesper_first;

/* Shapes the empty matrices; ranks other than the first may have no scores (protocols/first_inputs.h).
 * `few_features`: the data party's features have few columns. Errors: NOMEM. */
sotto_status sotto_i_vesper_first_new(sotto_i_vesper_first *first, bool few_features, sotto_error *err);
/* From rank 0 to all ranks: the matrices that they have, and the quality. Errors: those of another rank. */
sotto_status sotto_i_vesper_first_give(sotto_i_vesper_first *first, sotto_error *err);
/* Begins the rounds. `first` must outlive them. */
sotto_status sotto_i_vesper_rounds_begin(sotto_i_rounds *rounds, sotto_i_vesper_first *first,
                                         sotto_error *err);
void sotto_i_vesper_first_free(sotto_i_vesper_first *first);

/* At rank 0 of a data party: tells the other ranks which release comes next; NULL: none, they are done.
 * `ranks` NULL: nobody is told. Errors: those of another rank. */
sotto_status sotto_i_vesper_counts_share(const sotto_i_counts *counts, sotto_ranks *ranks, sotto_error *err);

#endif
