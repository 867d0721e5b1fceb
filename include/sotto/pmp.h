/* Perturbed message passing: K noisy layers of a graph network, released once with a stated privacy
 * guarantee.
 *
 * One layer takes rows z of norm at most 1 and computes y = S z + noise, then activate(y), then normalises
 * the rows. S is one of the operators of graph.h. The aggregate is computed in integers (inputs on a grid of
 * 2^-24, exact sums); the noise is Gaussian on a public grid. No later step reads the graph. */
#ifndef SOTTO_PMP_H
#define SOTTO_PMP_H

#include "sotto/dp.h"
#include "sotto/graph.h"
#include "sotto/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adjacency: how two neighbouring inputs of a release differ. Zero-initialised, it is one edge. */
typedef enum sotto_level {
  SOTTO_LEVEL_EDGE,       /* one undirected edge */
  SOTTO_LEVEL_NEIGHBOURS, /* at most `most` edges, all at one node */
  SOTTO_LEVEL_NODE,       /* one node's row and any of its edges; no node has more than `most` neighbours */
  SOTTO_LEVEL_ROW         /* one node's row, where the graph has no edges: the rows themselves with noise */
} sotto_level;
typedef struct sotto_protection {
  sotto_level level;
  uint64_t most;   /* k or D_max, at least 1; declared, never measured. EDGE and ROW: 0 */
  double row_clip; /* above 0: each row of S X is clipped to this norm before noise; 0: no clipping */
  /* For NODE and ROW. The release then clamps all rows that it adds up at 0 from below before it normalises
   * them, those of layers 1 to K - 1 too, and the sensitivity relies on it. Not for a contractive release
   * (INVALID). */
  bool nonnegative;
} sotto_protection;

typedef struct sotto_pmp_options {
  sotto_protection protection;
  sotto_aggregator aggregator;
  uint32_t layers;             /* K, 1 to 64 */
  uint64_t degree_floor;       /* MEAN and GCN; ignored by SUM */
  bool self;                   /* own row in the aggregate */
  sotto_activation activation; /* after the noise, so without privacy cost */
  bool raw; /* layers 1 to K are released as noise and activation left them, of any norm; only the input of
               the next aggregate is normalised. Post-processing in both cases */
} sotto_pmp_options;

/* The plan of one release of K layers: its sensitivity, its noise, and the resulting mu. */
typedef struct sotto_pmp_plan {
  sotto_pmp_options options;
  double sensitivity; /* of one layer, with the slack of all roundings */
  sotto_grid grid;    /* noise of one layer; sigma 0: no noise, not private */
  double mu;          /* sqrt(K) * sensitivity / sigma; INFINITY without noise */
} sotto_pmp_plan;

/* The least noise for which K layers over `nodes` x `cols` values together are (epsilon, delta)-DP at the
 * options' level. epsilon INFINITY plans a release without noise. Everything in the plan follows from public
 * numbers. Errors: RANGE (layers, epsilon, delta, the bound, or a grid that the noise cannot carry). */
SOTTO_API sotto_status sotto_pmp_plan_new(sotto_pmp_plan *out, const sotto_pmp_options *options,
                                          uint64_t nodes, size_t cols, double epsilon, double delta,
                                          sotto_error *err);

/* A release: the input rows and K noisy layers, all normalised (except with `raw`), and the charge that must
 * be made before any layer is sent. Layer 0 is the normalised input: it is independent of the edges, and the
 * charge does not cover it. At node and row level it is as private as the graph, and must not be sent. */
typedef struct sotto_release sotto_release;

/* Computes the release from n x d inputs of any scale. `key` must be SYSTEM or INSECURE when the plan has
 * noise (INVALID otherwise) and must not be used for another release; layer k of row v uses the stream (key,
 * noise, k, v). `id` names the charge and must be new for every new release (128 bits of the run's
 * randomness); `run` and `description` go to the ledger. Results do not depend on the number of threads.
 * Memory: (K + 1) n d floats and n more. Errors: NUMERIC (inputs not finite), INVALID, NOMEM, INTERRUPTED.
 */
SOTTO_API sotto_status sotto_release_new(sotto_release **out, const sotto_pmp_plan *plan,
                                         const sotto_graph *graph, const sotto_matrix *inputs,
                                         const sotto_key *key, const char *id, const char *run,
                                         const char *description, const sotto_observer *observer,
                                         sotto_error *err);
SOTTO_API void sotto_release_free(sotto_release *release);
/* Layer k, 0 to K; borrowed from the release. */
SOTTO_API const sotto_matrix *sotto_release_layer(const sotto_release *release, uint32_t k);
/* Charges the release to the ledger; after SOTTO_OK it may be sent. Charging it again is not a second charge.
 * Errors: INVALID (a release without noise), and those of sotto_ledger_charge, REFUSED among them. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_release_pay(sotto_release *release, sotto_ledger *ledger,
                                                        const sotto_dataset *data, sotto_error *err);

/* Loads a saved release: layers, plan and charge, checksummed. The owner saves a release until it is no
 * longer needed, so that the same bytes are sent again after a crash. At node and row level layer 0, which
 * has no noise, is not saved, and is zero after loading. A loaded release is unpaid until sotto_release_pay
 * finds or makes its charge. */
SOTTO_API sotto_status sotto_release_load(sotto_release **out, const char *path, sotto_error *err);

/* Degree histogram with discrete Laplace noise (Wu et al. 2023, appendix C.2), purely epsilon-private at edge
 * level. counts[k] is the number of nodes of degree k for k < bins - 1; the last bin has all larger degrees.
 * An edge moves two nodes from one bin to the next, which changes up to four counts by one: the l1
 * sensitivity is 4 (the paper says 2). Counts may be negative. Charged to the ledger under `id` before it is
 * returned. Errors: RANGE (epsilon outside 1e-5 to 1000, bins < 2), INVALID (key), REFUSED and the ledger's
 * others. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_degree_histogram(int64_t *counts, size_t bins,
                                                             const sotto_dataset *data, double epsilon,
                                                             const sotto_key *key, const char *id,
                                                             sotto_ledger *ledger, sotto_error *err);

/* Contractive release (Zheng et al. 2026): from rows X_0 in the unit ball, K layers
 *
 *   X_{k+1} = project(contraction (graph_weight S X_k + (1 - graph_weight) Mean X_k) + residual X_0 + noise).
 *
 * S is the GCN operator with the floor and the own row. Mean has the mean of all rows in every row. project
 * maps each row into the unit ball (a convex set, unlike the sphere). Only X_K is released. Let s be the edge
 * sensitivity of a layer, contraction * graph_weight * sotto_edge_sensitivity(GCN) plus the slack of all
 * roundings, and L = contraction. Then mu = (s/sigma) sqrt((1 - L^K)/(1 + L^K) (1 + L)/(1 - L))
 * (docs/privacy/mechanisms.md). */
typedef struct sotto_contractive_options {
  uint32_t layers;             /* K, 1 to 1024 */
  uint64_t degree_floor;       /* D */
  double contraction;          /* C_L, in [0, 1) */
  double graph_weight;         /* alpha_1, in [0, 1]; alpha_2 is 1 - alpha_1 */
  double residual;             /* beta, in [0, 100] */
  sotto_protection protection; /* row_clip clips the rows of S X_k before they are mixed */
} sotto_contractive_options;
typedef struct sotto_contractive_plan {
  sotto_contractive_options options;
  double sensitivity; /* s above; at node level including the change of X_0 (docs/privacy/node-level.md) */
  sotto_grid grid;    /* noise of one layer; sigma 0: no noise, not private */
  double mu;          /* of the whole release; INFINITY without noise */
} sotto_contractive_plan;

#ifdef __cplusplus
}
#endif

#endif
