/* Releases of how many neighbours of each node lie in each cluster: those of LPGNet and of BEST. */
#ifndef SOTTO_SRC_RECIPES_COUNTS_H
#define SOTTO_SRC_RECIPES_COUNTS_H

#include "run/method/method.h"

/* At edge level: Laplace noise on whole numbers, for one of `--layers` releases that share epsilon alike.
 * Errors: RANGE. */
sotto_status sotto_i_counts_grid(sotto_laplace_grid *out, const sotto_options *options, sotto_error *err);

/* One release. Without readers, each end of an edge counts the other once. With them, only readers count:
 * another reader once, any other node twice. So an edge moves the counts by 2 in the l1 norm in every case.
 */
typedef struct sotto_i_counts {
  const sotto_i_job *job;
  const sotto_matrix *scores;      /* the cluster of a node is the largest of its row */
  const uint8_t *readers;          /* by node, not dependent on edges; NULL: none */
  const sotto_laplace_grid *noise; /* NULL: none */
  uint32_t round;                  /* keeps several of a seed apart */
  size_t item;                     /* of the job's cost */
} sotto_i_counts;

/* The counts with their noise, as features of `out` (fresh): those in the seed's folder, or new ones.
 * Charged.
 */
SOTTO_MUST_USE sotto_status sotto_i_counts_release(sotto_dataset *out, const sotto_i_counts *counts,
                                                   sotto_error *err);

/* Adds the counts, without noise, to a zeroed table (nodes x clusters); and the file that keeps a release. */
void sotto_i_counts_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *scores,
                         const uint8_t *readers);
void sotto_i_counts_file(char out[32], uint32_t round);

/* What LPGNet makes of released counts: rows at norm 1; of one shape. */
void sotto_i_lpgnet_scale(sotto_matrix *to, const sotto_matrix *counts);
/* The same for LPGNet: put beside the table, each row scaled to norm 1. */
SOTTO_MUST_USE sotto_status sotto_i_lpgnet_widen(sotto_matrix *table, const sotto_i_counts *counts,
                                                 sotto_error *err);

#endif
