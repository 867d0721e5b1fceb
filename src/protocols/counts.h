/* Releases of counts of neighbours by cluster. */
#ifndef SOTTO_SRC_PROTOCOLS_COUNTS_H
#define SOTTO_SRC_PROTOCOLS_COUNTS_H

#include "release/receipt.h"
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
  const sotto_graph *graph;        /* NULL: the job's */
  uint32_t owner; /* which of several owners of edges, from 1, each of whom releases counts; 0: one has all */
  bool kept;      /* the release that is there already, or none; scores are not read */
  uint32_t part;  /* of the account, where several owners share one (artifact.h) */
} sotto_i_counts;

/* The counts with their noise, as features of `out` (fresh): those in the seed's folder, or new ones.
 * Charged; `receipt`, to send them with, may be NULL. */
SOTTO_MUST_USE sotto_status sotto_i_counts_release(sotto_dataset *out, sotto_i_receipt *receipt,
                                                   const sotto_i_counts *counts, sotto_error *err);

/* What makes them: `context` is a sotto_i_counts; into `table` (fresh), with noise by this key. For releases
 * and their audits. */
sotto_status sotto_i_counts_make(void *context, sotto_graph *unused, sotto_matrix *table,
                                 const sotto_key *whole, sotto_error *err);

/* Adds the counts, without noise, to a zeroed table (nodes x clusters); and the file that keeps a release. */
void sotto_i_counts_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *scores,
                         const uint8_t *levels);
void sotto_i_counts_file(char out[32], uint32_t round);

/* The cluster of a node, and how often one of level `own` counts one of level `other`; with the turned-round
 * call, 2 or 0 in all. */
size_t sotto_i_counts_cluster(const sotto_matrix *scores, uint64_t node);
float sotto_i_counts_weight(uint8_t own, uint8_t other);
/* What one who does not see edges tells one who does, a row a node: its cluster, and its level. Each cluster
 * is a column of all nodes there, so there are no more than SOTTO_I_MOST_CLUSTERS. */
enum { SOTTO_I_CLUSTER_COLUMNS = 2, SOTTO_I_MOST_CLUSTERS = 1024 };
/* told (fresh): the largest of each row of scores; levels NULL: all are 1. */
sotto_status sotto_i_clusters_tell(sotto_matrix *told, const sotto_matrix *scores, const uint8_t *levels,
                                   sotto_error *err);
/* Fills scores (nodes x clusters: 1 in the cluster, else 0) and levels. Errors: PROTOCOL. */
sotto_status sotto_i_clusters_take(sotto_matrix *scores, uint8_t *levels, const sotto_matrix *told,
                                   sotto_error *err);

#endif
