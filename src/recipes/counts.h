/* Releases of how many neighbours of each node lie in each cluster. */
#ifndef SOTTO_SRC_RECIPES_COUNTS_H
#define SOTTO_SRC_RECIPES_COUNTS_H

#include "dp/ledger/receipt.h"
#include "run/method/method.h"

/* At edge level: Laplace noise on whole numbers, for one of `--layers` releases that share epsilon alike.
 * Errors: RANGE. */
sotto_status sotto_i_counts_grid(sotto_laplace_grid *out, const sotto_options *options, sotto_error *err);

/* The same for one release of this epsilon. Errors: RANGE. */
sotto_status sotto_i_counts_grid_of(sotto_laplace_grid *out, double epsilon, sotto_error *err);

/* What so many releases cost. Errors: RANGE. */
sotto_status sotto_i_counts_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

/* One release. Each end of an edge counts the other once when both are as unsure, and the less sure one
 * counts twice, the other not at all, when they are not. So an edge moves the counts by 2 in the l1 norm, or
 * by nothing between two that count nobody. */
typedef struct sotto_i_counts {
  const sotto_i_job *job;
  const sotto_matrix *scores;      /* the cluster of a node is the largest of its row */
  const uint8_t *levels;           /* by node, not dependent on edges (unsure.h); NULL: all alike */
  const sotto_laplace_grid *noise; /* NULL: none */
  uint32_t round;                  /* keeps several of a seed apart */
  size_t item;                     /* of the job's cost */
} sotto_i_counts;

/* The counts with their noise, as features of `out` (fresh): those in the seed's folder, or new ones.
 * Charged; `receipt`, to send them with, may be NULL. */
SOTTO_MUST_USE sotto_status sotto_i_counts_release(sotto_dataset *out, sotto_i_receipt *receipt,
                                                   const sotto_i_counts *counts, sotto_error *err);

/* Adds the counts, without noise, to a zeroed table (nodes x clusters); and the file that keeps a release. */
void sotto_i_counts_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *scores,
                         const uint8_t *levels);
void sotto_i_counts_file(char out[32], uint32_t round);

#endif
