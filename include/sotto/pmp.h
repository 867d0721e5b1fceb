/* Perturbed message passing: K noisy layers of a graph network, released once with a stated privacy.
 *
 * One layer takes rows z of norm at most 1 and computes y = S z + noise, then activate(y), then rows back to
 * norm 1. S is one of the operators of graph.h. The aggregate is computed in integers (inputs on a grid of
 * 2^-24, exact sums), the noise is Gaussian on a public grid and comes last among all that touches the graph
 * (rules R3, R5). */
#ifndef SOTTO_PMP_H
#define SOTTO_PMP_H

#include "sotto/dp.h"
#include "sotto/graph.h"
#include "sotto/nn.h"

/* Edge-level sensitivity in the l2 norm of S applied to any rows of norm at most 1, over all pairs of simple
 * graphs that differ in one undirected edge (DESIGN section 4; derivations in docs/privacy.md). d~ =
 * max(degree, floor). SUM   sqrt 2 MEAN  sqrt 2 * 2 / (floor + 2);  without the own row sqrt 2 * 2 /
 * (max(floor, 1) + 1) GCN   the maximum at degrees floor + 1, in closed form Valid on every graph: no
 * property of the private graph enters. */
SOTTO_API double sotto_edge_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self);

typedef struct sotto_pmp_options {
  sotto_aggregator aggregator;
  uint32_t layers;             /* K, 1 to 64 */
  uint64_t degree_floor;       /* MEAN and GCN; ignored by SUM */
  bool self;                   /* own row in the aggregate */
  sotto_activation activation; /* after the noise, so free of charge */
} sotto_pmp_options;

/* What one release of K layers costs, and the noise that makes it cost that. */
typedef struct sotto_pmp_plan {
  sotto_pmp_options options;
  double sensitivity; /* of one layer, with the slack of all roundings */
  sotto_grid grid;    /* noise of one layer; sigma 0: no noise, not private */
  double mu;          /* sqrt(K) * sensitivity / sigma; INFINITY without noise */
} sotto_pmp_plan;

/* The least noise for which K layers over `nodes` x `cols` values together are (epsilon, delta)-DP at edge
 * level. epsilon INFINITY plans a release without noise. Everything in the plan follows from public numbers.
 * Errors: RANGE (layers, epsilon, delta, or a grid that the noise cannot carry). */
SOTTO_API sotto_status sotto_pmp_plan_new(sotto_pmp_plan *out, const sotto_pmp_options *options,
                                          uint64_t nodes, size_t cols, double epsilon, double delta,
                                          sotto_error *err);

/* A release: the input rows and K noisy layers, all normalised, and the charge that must be made before any
 * of it leaves. layers[0] is the normalised input: it shows no edge, and is not covered by the charge. */
typedef struct sotto_release sotto_release;

/* Computes the release from n x d inputs of any scale. `key` must be SYSTEM or INSECURE when the plan has
 * noise (INVALID otherwise) and must not be used for another release; layer k of row v uses the stream (key,
 * noise, k, v). `id` names the charge and must be new for every new release (128 bits of the run's
 * randomness); `run` and `description` go to the ledger. Results do not depend on the number of threads.
 * Memory: (K + 1) n d floats and 2 n d int32. Errors: NUMERIC (inputs not finite), INVALID, NOMEM,
 * INTERRUPTED. */
SOTTO_API sotto_status sotto_release_new(sotto_release **out, const sotto_pmp_plan *plan,
                                         const sotto_graph *graph, const sotto_matrix *inputs,
                                         const sotto_key *key, const char *id, const char *run,
                                         const char *description, const sotto_observer *observer,
                                         sotto_error *err);
SOTTO_API void sotto_release_free(sotto_release *release);
/* Layer k, 0 to K; borrowed from the release. */
SOTTO_API const sotto_matrix *sotto_release_layer(const sotto_release *release, uint32_t k);
SOTTO_API const sotto_pmp_plan *sotto_release_plan(const sotto_release *release);
/* The charge of this release, its strings borrowed from it. */
SOTTO_API sotto_charge sotto_release_charge(const sotto_release *release);
/* Charges it to the ledger; after SOTTO_OK it may be sent. Charging again is not a second charge. A release
 * without noise cannot be charged (INVALID). Errors: those of sotto_ledger_charge, REFUSED among them. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_release_pay(sotto_release *release, sotto_ledger *ledger,
                                                        const sotto_dataset *data, sotto_error *err);
SOTTO_API bool sotto_release_paid(const sotto_release *release);

/* The owner keeps a release until it is done with, so that a crash sends the same bytes again: layers, plan
 * and charge, checksummed. A loaded release is unpaid until sotto_release_pay finds its charge or makes it.
 */
SOTTO_API sotto_status sotto_release_save(const sotto_release *release, const char *path, sotto_error *err);
SOTTO_API sotto_status sotto_release_load(sotto_release **out, const char *path, sotto_error *err);

/* Degree histogram (paper 000, appendix C.2): counts[k] of nodes of degree k for k < bins - 1, the last bin
 * for all larger degrees, with discrete Laplace noise: pure epsilon at edge level. An edge moves two nodes
 * from one bin to the next, which changes up to four counts by one: l1 sensitivity 4 (the paper says 2).
 * Counts may come out negative. Charged to the ledger before it is returned, under `id`. Errors: RANGE
 * (epsilon outside 1e-5 to 1000, bins < 2), INVALID (key), REFUSED and the ledger's others. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_degree_histogram(int64_t *counts, size_t bins,
                                                             const sotto_dataset *data, double epsilon,
                                                             const sotto_key *key, const char *id,
                                                             sotto_ledger *ledger, sotto_error *err);

#endif
