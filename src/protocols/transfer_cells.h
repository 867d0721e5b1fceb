/* Counts of relations by what their transfers are like. A relation is all transfers between two nodes. Each
 * of its ends counts it in one cell: by direction as seen from that end, by the bin of the amount of all of
 * them together, and by the bin of the latest. So a relation moves the counts as an edge does (counts.h),
 * whatever it holds. Or, where transfers have kinds, by direction and by the kind that most of the amount is
 * of: one cell too. At transfer level each transfer is counted in a cell by itself, and moves the counts as
 * an edge does. Bins follow from a survey: noisy histograms of the relations of a few training
 * nodes. In place of counts, each end may add a weight of its cell to a sum (transfer_weights.h). */
#ifndef SOTTO_SRC_PROTOCOLS_TRANSFER_CELLS_H
#define SOTTO_SRC_PROTOCOLS_TRANSFER_CELLS_H

#include "graph/transfers.h"
#include "inside/nn.h"
#include "sotto/options.h"

#define SOTTO_I_BINS_PARAMETER "transfer-bins"
enum {
  SOTTO_I_AMOUNT_BINS = 4,
  SOTTO_I_FINE_AMOUNT_BINS = 8, /* of single transfers that are weighed (transfer_weights.h) */
  SOTTO_I_TIME_BINS = 2,
  SOTTO_I_TRANSFER_CELLS = 2 * SOTTO_I_AMOUNT_BINS * SOTTO_I_TIME_BINS,
  SOTTO_I_MOST_TRANSFER_CELLS = 2 * SOTTO_I_FINE_AMOUNT_BINS * SOTTO_I_TIME_BINS,
  SOTTO_I_MOST_KIND_CELLS = 2 * SOTTO_I_MOST_KINDS
};

/* Bin k > 0 begins at from[k - 1]. Of what the data does not have there is one bin. */
typedef struct sotto_i_transfer_bins {
  size_t amounts, times;
  double amount_from[SOTTO_I_FINE_AMOUNT_BINS - 1];
  double time_from[SOTTO_I_TIME_BINS - 1]; /* days since 2000-01-01 */
  size_t kinds;                /* above 0: a bin for each kind, in place of those of amounts and times */
  const sotto_matrix *weights; /* borrowed (transfer_weights.h): one sum in place of counts; NULL: counts */
} sotto_i_transfer_bins;

/* Whether relations differ by more than being there. */
bool sotto_i_has_transfers(const sotto_dataset *data);
/* Bins with all edges at 0, before there is a survey; `fine`: the larger number of amounts. */
void sotto_i_transfer_bins_none(sotto_i_transfer_bins *out, const sotto_transfers *transfers, bool fine);
bool sotto_i_has_kinds(const sotto_dataset *data);
/* Bins by kind, which the owner's list of kinds makes, and no survey. Errors: INVALID (there are no kinds, or
 * other than `cells` needs, unless that is 0). */
sotto_status sotto_i_kind_bins(sotto_i_transfer_bins *out, const sotto_dataset *data, size_t cells,
                               sotto_error *err);
/* Number of cells: 2 directions, and the bins of both, or of kinds. */
size_t sotto_i_transfer_cells(const sotto_i_transfer_bins *bins);
/* Number of columns of a table: of cells, or 1 of sums. */
size_t sotto_i_transfer_columns(const sotto_i_transfer_bins *bins);

/* What is counted: edges with all their transfers, or transfers one by one. */
typedef struct sotto_i_relations {
  const sotto_graph *graph;
  const sotto_transfers *transfers;
  bool apart; /* transfers one by one: an edge without any is nothing */
} sotto_i_relations;

/* Adds the counts or sums, without noise, to a zeroed table (nodes x columns). `clusters`, by node, are read
 * with weights alone. `levels` as in counts.h. An edge that has no transfers is in cell 0. */
void sotto_i_transfer_cells_fill(sotto_matrix *table, const sotto_i_relations *relations,
                                 const sotto_i_transfer_bins *bins, const uint16_t *clusters,
                                 const uint8_t *levels);
/* Adds the counts by the cluster of the other end, of each node (nodes x clusters): once of each pair of
 * nodes with transfers, however many these are. So one transfer moves them as an edge does, or not at all. */
void sotto_i_relations_fill(sotto_matrix *table, const sotto_transfers *transfers, const uint16_t *clusters,
                            const uint8_t *levels);

/* A survey is one row: a histogram of amounts, on a scale of quarter octaves, and one of weeks. Each relation
 * of a surveyed node is in one of the two: of even nodes in the first, of odd ones in the second. So it moves
 * as much of the survey as of counts. */
size_t sotto_i_survey_columns(void);
void sotto_i_survey_fill(sotto_matrix *row, const sotto_i_relations *relations, const uint8_t *levels);
/* Sets the edges of the bins, from a survey with noise of this scale (0: none). Bins have about equal numbers
 * of relations. Fine ones are sixths, of which the largest amounts are parted into a half and two quarters.
 */
sotto_status sotto_i_survey_read(sotto_i_transfer_bins *bins, const sotto_matrix *row, double scale,
                                 sotto_error *err);

/* Adds the bins as the parameter "transfer-bins" to an empty set. Then a set to be loaded, and the bins that
 * were. At transfer level it has room for fine bins. Errors: CORRUPT. */
sotto_status sotto_i_transfer_bins_keep(sotto_params *out, const sotto_i_transfer_bins *bins,
                                        const sotto_options *options, sotto_error *err);
sotto_status sotto_i_transfer_bins_new(sotto_params *out, const sotto_options *options, sotto_error *err);
sotto_status sotto_i_transfer_bins_take(sotto_i_transfer_bins *out, sotto_params *from, sotto_error *err);
/* Has this data what the bins are of? Errors: INVALID. */
sotto_status sotto_i_transfer_bins_fit(const sotto_i_transfer_bins *bins, const sotto_dataset *data,
                                       sotto_error *err);

#endif
