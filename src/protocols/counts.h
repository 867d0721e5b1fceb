/* Releases of counts of neighbours by cluster. */
#ifndef SOTTO_SRC_PROTOCOLS_COUNTS_H
#define SOTTO_SRC_PROTOCOLS_COUNTS_H

#include "clusters.h"
#include "inside/dp.h"
#include "protocols/pilots.h"
#include "protocols/unsure.h"
#include "release/receipt.h"
#include "run/method/method.h"
#include "transfer_cells.h"

/* At edge level: Laplace noise on whole numbers, for one of `--layers` releases with equal shares of
 * epsilon. Errors: RANGE. */
sotto_status sotto_i_counts_grid(sotto_laplace_grid *out, const sotto_options *options, sotto_error *err);

/* The same for one release with this epsilon. Errors: RANGE. */
sotto_status sotto_i_counts_grid_of(sotto_laplace_grid *out, double epsilon, sotto_error *err);

/* The same of sums, in units of which SOTTO_I_SUM_UNITS are one neighbour's row. Errors: RANGE. */
sotto_status sotto_i_sums_grid_of(sotto_laplace_grid *out, double epsilon, sotto_error *err);

/* The grid of such a release: of sums, noise as large in units of one neighbour's row. Errors: RANGE. */
sotto_status sotto_i_release_grid(sotto_laplace_grid *out, bool sums, const sotto_options *options,
                                  sotto_error *err);

/* The privacy cost of all these releases; the second, where relations may be weighed (transfer_weights.h),
 * says so. Errors: RANGE. */
sotto_status sotto_i_counts_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_weighed_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

/* One release. If both ends of an edge have the same level of confidence, each counts the other once.
 * Otherwise the less confident end counts the other twice, and the other end counts nothing. So an edge
 * changes the counts by 2 in the l1 norm, or by nothing between two nodes without counts. Sums change by as
 * many rows, each of l1 norm SOTTO_I_SUM_UNITS at most. */
typedef struct sotto_i_counts {
  const sotto_i_job *job;
  const sotto_i_clusters
      *clusters;         /* of the other end; NULL: by cells of `bins` alone. Read by rank 0 alone */
  const uint8_t *levels; /* by node, independent of edges (unsure.h); NULL: all equal; the same */
  const sotto_laplace_grid *noise; /* NULL: none */
  uint32_t round;                  /* separates several of a seed */
  size_t item;                     /* of the job's cost */
  const sotto_graph *graph;        /* NULL: the job's */
  uint32_t owner; /* number of the owner of edges, from 1, where several release counts; 0: one has all */
  bool kept;      /* only the release that is there already, if any; clusters are not read */
  uint32_t part;  /* of the account, where several owners or stages share one (artifact.h) */
  uint32_t stage; /* of a group (pilots.h); 0: of all other nodes */
  const uint32_t *rows; /* of pilots: the nodes that have a row in the table; NULL: all */
  size_t row_count;
  bool survey;               /* one row of a survey (transfer_cells.h) in place of counts */
  const sotto_matrix *added; /* rows of features (feature_sums.h), which are added up in place of counts: a
                                row is one neighbour. NULL: counts */
  const sotto_i_transfer_bins *bins; /* counts are in cells of transfers, and clusters are read with weights
                                        alone; NULL: counts are by cluster */
} sotto_i_counts;

/* The counts with their noise, as features of `out` (fresh): those in the seed's folder, or new ones. They
 * are charged. `receipt`, for sending them, may be NULL. Over ranks counts of all nodes are not in memory. */
SOTTO_MUST_USE sotto_status sotto_i_counts_release(sotto_dataset *out, sotto_i_receipt *receipt,
                                                   const sotto_i_counts *counts, sotto_error *err);

/* The rows of such a release, in memory or read from its file. `released` is borrowed. */
sotto_i_row_source sotto_i_counts_released(sotto_dataset *released);

/* The same without noise and without a file, for answers of a run without noise: nothing is charged, and
 * nothing of the data stays in the run's folder. `counts` has no noise. `out` is fresh. */
SOTTO_MUST_USE sotto_status sotto_i_counts_exact(sotto_matrix *out, const sotto_i_counts *counts,
                                                 sotto_error *err);

/* Computes the counts, for releases and their audits: `context` is a sotto_i_counts; `table` (fresh) has
 * noise by this key. */
sotto_status sotto_i_counts_make(void *context, sotto_graph *unused, sotto_matrix *table,
                                 const sotto_key *whole, sotto_error *err);

/* Adds the counts, without noise, to a zeroed table (nodes x clusters). */
void sotto_i_counts_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_i_clusters *clusters,
                         const uint8_t *levels);
/* Adds the sums of neighbours' rows, without noise, to a zeroed table of the shape of `rows`. */
void sotto_i_counts_fill_sums(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *rows,
                              const uint8_t *levels);
/* Adds those of relations: in cells of these bins, or by cluster if `bins` is NULL. At transfer level cells
 * count transfers one by one, and clusters count a pair of nodes with transfers once. */
void sotto_i_counts_fill_relations(sotto_matrix *table, const sotto_i_relations *relations,
                                   const sotto_i_transfer_bins *bins, const sotto_i_clusters *clusters,
                                   const uint8_t *levels);
/* The name of a release's file. */
void sotto_i_counts_file(char out[32], uint32_t round);

/* What a job counts: transfers at transfer level, else edges; of `graph` where it is not NULL, of
 * the job's data without it. Errors: INVALID (no transfers), UNSUPPORTED (of other graphs, and over ranks).
 */
sotto_status sotto_i_counted_relations(sotto_i_relations *out, const sotto_i_job *job,
                                       const sotto_graph *graph, sotto_error *err);

/* expected[l]: how often a node of level l counts one neighbour, as the mean over all nodes. It is public. */
void sotto_i_counts_expected(double expected[SOTTO_I_LEVELS], const uint8_t *levels, size_t nodes);

#endif
