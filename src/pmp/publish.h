/* VFGNN's publication (Zhou et al. 2021; Wu et al. 2023, proposition 3): K layers without noise, then noise
 * on the normalised rows of the last one. A baseline: its sensitivity grows with the declared degree bound to
 * the power of (K - 1)/2. */
#ifndef SOTTO_SRC_PMP_PUBLISH_H
#define SOTTO_SRC_PMP_PUBLISH_H

#include "sotto/pmp.h"

/* Edge level, SUM, on graphs whose nodes have at most `max_degree` neighbours (declared). An edge changes the
 * rows within K - 1 steps of its ends, at most 2 (1 + D + ... + D^(K-1)) of them, each by at most 2: S = 2
 * sqrt(min(nodes, that)). (Proposition 3, with C = 1, has the same S.) The plan is that of one Gaussian
 * release with options->layers 1. Errors: as sotto_pmp_plan_new; INVALID (not SUM, max_degree 0). */
sotto_status sotto_i_publish_plan(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t max_degree,
                                  uint64_t nodes, size_t cols, double epsilon, double delta,
                                  sotto_error *err);

/* As sotto_release_new, with layers 0 (the inputs, scaled) and 1 (the published rows); `hops` is K. */
sotto_status sotto_i_publish_release(sotto_release **out, const sotto_pmp_plan *plan, uint32_t hops,
                                     const sotto_graph *graph, const sotto_matrix *inputs,
                                     const sotto_key *key, const char *id, const char *run,
                                     const char *description, const sotto_observer *observer,
                                     sotto_error *err);

/* Number of rows of K layers without noise that one edge can change: rows within K - 1 steps of its ends. For
 * GCN, where a degree also weighs a row at its neighbours, within K steps. Graphs have at most `max_degree`
 * neighbours a node. 0: not declared, and the result is all rows, except for one hop without degrees: the two
 * ends, on every graph. */
double sotto_i_publish_rows_moved(sotto_aggregator aggregator, uint32_t hops, uint64_t max_degree,
                                  uint64_t nodes);
/* The plan of one publication in which an edge changes at most `rows` unit-norm rows, with that mu; INFINITY:
 * without noise. */
sotto_status sotto_i_publish_plan_for(sotto_pmp_plan *out, const sotto_pmp_options *options, double rows,
                                      size_t cols, double mu, sotto_error *err);
/* Adds noise to rows that were computed elsewhere, of norm at most 1: layer 1 of the release. Layer 0 is
 * `inputs`; NULL: zeros. */
sotto_status sotto_i_publish_clean(sotto_release **out, const sotto_pmp_plan *plan,
                                   const sotto_matrix *inputs, const sotto_matrix *clean,
                                   const sotto_key *key, const char *id, const char *run,
                                   const char *description, sotto_error *err);

#endif
