/* Perturbed message passing: K noisy layers of a graph network, released once with a stated privacy.
 *
 * One layer takes rows z of norm at most 1 and computes y = S z + noise, then activate(y), then rows back to
 * norm 1. S is one of the operators of graph.h. The aggregate is computed in integers (inputs on a grid of
 * 2^-24, exact sums), the noise is Gaussian on a public grid. Nothing reads the graph after the
 * noise. */
#ifndef SOTTO_PMP_H
#define SOTTO_PMP_H

#include "sotto/dp.h"
#include "sotto/graph.h"
#include "sotto/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Edge-level sensitivity in the l2 norm of S applied to any rows of norm at most 1, over all pairs of simple
 * graphs that differ in one undirected edge (derivations: docs/privacy.md, section 3). d~ = max(degree,
 * floor).
 * - SUM: sqrt 2.
 * - MEAN: sqrt 2 * 2 / (floor + 2); without the own row sqrt 2 * 2 / (max(floor, 1) + 1).
 * - GCN: the maximum, at degrees floor + 1, in closed form.
 * The bound holds on every graph; no property of the private graph enters it. */
SOTTO_API double sotto_edge_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self);

/* Node-level sensitivity in the l2 norm: an upper bound on the change of S X with every row clipped to
 * norm `own_row_clip` (c > 0; INFINITY: not clipped), over all pairs of inputs on the same nodes that differ
 * in one node's row and in any of its edges; rows have norm at most 1, and no node of either graph has more
 * than `max_degree` (D_max) neighbours, which is declared and not measured. For SUM with c <= 1: 2 sqrt(c^2
 * + D_max). With `nonnegative` no value of any row is below 0, so that two rows are at most sqrt 2 apart: for
 * SUM sqrt(2 c^2 + 2 D_max) at c >= 1. SUM and MEAN are attained up to small degrees, GCN is within 15% of
 * what a search finds (docs/privacy.md). After the first of several noisy layers the rows are public, and a
 * smaller change would do; this bound holds for all. */
SOTTO_API double sotto_node_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor,
                                        uint64_t max_degree, double own_row_clip, bool self,
                                        bool nonnegative);

/* What two neighbouring inputs of a release differ in; zeroed it is one edge. */
typedef enum sotto_level {
  SOTTO_LEVEL_EDGE,       /* one undirected edge */
  SOTTO_LEVEL_NEIGHBOURS, /* at most `most` edges, all at one node */
  SOTTO_LEVEL_NODE,       /* one node's row and any of its edges; no node has more than `most` neighbours */
  SOTTO_LEVEL_ROW         /* one node's row, where the graph has no edges: the rows themselves with noise */
} sotto_level;
typedef struct sotto_protection {
  sotto_level level;
  uint64_t most;   /* k or D_max, at least 1; declared, never measured. EDGE, ROW: 0 */
  double row_clip; /* above 0: each row of S X is clipped to this norm before noise; 0: not clipped */
  /* NODE and ROW: the release floors all rows that it adds up at 0 before it scales them to norm 1, those of
   * layers 1 to K - 1 too, and counts on it. A contractive release does not (INVALID). */
  bool nonnegative;
} sotto_protection;

/* Upper bound on the change of S X, rows clipped as `protection` says, between two neighbours: the functions
 * above, for NEIGHBOURS sqrt(min(k, 2c)^2 + k min(1, 2c)^2) for SUM and k times that of one edge for the
 * others, and for ROW min(2, 2c), from one end of the unit ball to the other, or sqrt 2 in the place of 2
 * where rows are not negative. */
SOTTO_API double sotto_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self,
                                   const sotto_protection *protection);

typedef struct sotto_pmp_options {
  sotto_protection protection;
  sotto_aggregator aggregator;
  uint32_t layers;             /* K, 1 to 64 */
  uint64_t degree_floor;       /* MEAN and GCN; ignored by SUM */
  bool self;                   /* own row in the aggregate */
  sotto_activation activation; /* after the noise, so free of charge */
  bool raw; /* layers 1 to K are shown as the noise and activation left them, of any norm; only what
             * enters the next aggregate is scaled. Post-processing either way */
} sotto_pmp_options;

/* What one release of K layers costs, and the noise that makes it cost that. */
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

/* A release: the input rows and K noisy layers, all normalised (but see `raw`), and the charge that must be
 * made before any of it leaves. Layer 0 is the normalised input: it shows no edge, and is not covered by the
 * charge. At node and row level it is as private as the graph, and must not leave. */
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
SOTTO_API const sotto_pmp_plan *sotto_release_plan(const sotto_release *release);
/* The charge of this release, its strings borrowed from it. */
SOTTO_API sotto_charge sotto_release_charge(const sotto_release *release);
/* Charges it to the ledger; after SOTTO_OK it may be sent. Charging again is not a second charge. A release
 * without noise cannot be charged (INVALID). Errors: those of sotto_ledger_charge, REFUSED among them. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_release_pay(sotto_release *release, sotto_ledger *ledger,
                                                        const sotto_dataset *data, sotto_error *err);
SOTTO_API bool sotto_release_paid(const sotto_release *release);

/* The owner keeps a release until it is done with, so that a crash sends the same bytes again: layers, plan
 * and charge, checksummed. At node and row level layer 0, which has no noise, is not written, and is zero
 * after loading. A loaded release is unpaid until sotto_release_pay finds its charge or makes it. */
SOTTO_API sotto_status sotto_release_save(const sotto_release *release, const char *path, sotto_error *err);
SOTTO_API sotto_status sotto_release_load(sotto_release **out, const char *path, sotto_error *err);

/* Makes a release as sotto_release_new does, to the same bytes, and writes it to `path` as sotto_release_save
 * does while it is made, so that memory is that of one layer for K = 2, of two for more, of none for K = 1.
 * The release in *out can be charged; its layers have no rows: read them with sotto_release_load. The file is
 * there, whole, when this returns SOTTO_OK, and otherwise not. Errors: those of both. */
SOTTO_API sotto_status sotto_release_write(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                           const sotto_graph *graph, const sotto_matrix *inputs,
                                           const sotto_key *key, const char *id, const char *run,
                                           const char *description, const sotto_observer *observer,
                                           sotto_error *err);

/* Degree histogram (Wu et al. 2023, appendix C.2): counts[k] of nodes of degree k for k < bins - 1, the last
 * bin for all larger degrees, with discrete Laplace noise: pure epsilon at edge level. An edge moves two
 * nodes from one bin to the next, which changes up to four counts by one: l1 sensitivity 4 (the paper says
 * 2). Counts may come out negative. Charged to the ledger before it is returned, under `id`. Errors: RANGE
 * (epsilon outside 1e-5 to 1000, bins < 2), INVALID (key), REFUSED and the ledger's others. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_degree_histogram(int64_t *counts, size_t bins,
                                                             const sotto_dataset *data, double epsilon,
                                                             const sotto_key *key, const char *id,
                                                             sotto_ledger *ledger, sotto_error *err);

/* Contractive release (Zheng et al. 2026): from rows X_0 in the unit ball, K layers
 *   X_{k+1} = project( contraction (graph_weight S X_k + (1 - graph_weight) Mean X_k) + residual X_0 + noise
 * ), S the GCN operator with the floor and the own row, Mean the mean of all rows in every row, project each
 * row into the unit ball (a convex set; not to the sphere). Only X_K leaves. With s the edge sensitivity of a
 * layer, contraction * graph_weight * sotto_edge_sensitivity(GCN) plus the slack of all roundings, and L =
 * contraction, mu = (s/sigma) sqrt((1 - L^K)/(1 + L^K) (1 + L)/(1 - L))
 * (docs/privacy.md, section 2). */
typedef struct sotto_contractive_options {
  uint32_t layers;             /* K, 1 to 1024 */
  uint64_t degree_floor;       /* D */
  double contraction;          /* C_L, in [0, 1) */
  double graph_weight;         /* alpha_1, in [0, 1]; alpha_2 is 1 - alpha_1 */
  double residual;             /* beta, in [0, 100] */
  sotto_protection protection; /* row_clip clips the rows of S X_k, before they are mixed */
} sotto_contractive_options;
typedef struct sotto_contractive_plan {
  sotto_contractive_options options;
  double sensitivity; /* s above; at node level with the part of X_0 (docs/privacy.md, section 4) */
  sotto_grid grid;    /* noise of one layer; sigma 0: no noise, not private */
  double mu;          /* of the whole release; INFINITY without noise */
} sotto_contractive_plan;
/* The least noise for which the release is (epsilon, delta)-DP at the options' level; as sotto_pmp_plan_new.
 * At node level X_0 differs too, in one row, by 2 at most. */
SOTTO_API sotto_status sotto_contractive_plan_new(sotto_contractive_plan *out,
                                                  const sotto_contractive_options *options, uint64_t nodes,
                                                  size_t cols, double epsilon, double delta,
                                                  sotto_error *err);
/* As sotto_release_new. The release has two layers: 0, the rows X_0 (inputs of norm above 1 are scaled to 1),
 * and 1, the last iterate X_K; nothing between is kept. Its plan is that of one Gaussian release with the mu
 * of this one, so paying, saving and loading are those of every release. Memory: 2 n d floats, 2 n d int32.
 */
SOTTO_API sotto_status sotto_contractive_release(sotto_release **out, const sotto_contractive_plan *plan,
                                                 const sotto_graph *graph, const sotto_matrix *inputs,
                                                 const sotto_key *key, const char *id, const char *run,
                                                 const char *description, const sotto_observer *observer,
                                                 sotto_error *err);
SOTTO_API sotto_mechanism sotto_contractive_mechanism(const sotto_contractive_plan *plan);

/* Perturbed adjacency: a graph that is released itself, private at edge level; everything computed from it is
 * post-processing. Time and memory go with the edges that come out, not with nodes^2: pairs without an edge
 * are passed over in jumps of exactly sampled length. Each makes a new graph (free with sotto_graph_free) and
 * needs a SYSTEM or INSECURE key (INVALID), of which it uses the streams (adjacency, sub); charge it before
 * it leaves. */

/* Randomised response on each pair of nodes: an edge stays with probability keep / 2^64, a pair without one
 * gets one with probability 1 - exp(-add / 2^40). Pure epsilon at edge level. */
typedef struct sotto_edge_response {
  uint64_t keep;
  uint64_t add;
  double epsilon; /* at most what was asked for */
} sotto_edge_response;
/* EdgeRand (Wu et al. 2022): both errors have probability 1 / (e^epsilon + 1). Density is not kept: an
 * epsilon below log(nodes) gives a dense graph. Errors: RANGE unless epsilon is in [1e-3, 40]. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_edge_response_symmetric(sotto_edge_response *out, double epsilon,
                                                                    sotto_error *err);
/* Asymmetric (PertGraph in Zheng et al. 2026; Imola, Murakami and Chaudhuri 2022): keep = mu, add = mu
 * e^-epsilon, with mu such that about `edges` edges come out of a graph that has them, mu <= e^epsilon / (1 +
 * e^epsilon). `edges` must be public or come from sotto_edge_count. Errors: RANGE (epsilon as above; nodes <
 * 2; edges < 1 or more than there are pairs). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_edge_response_asymmetric(sotto_edge_response *out, uint64_t nodes,
                                                                     uint64_t edges, double epsilon,
                                                                     sotto_error *err);
/* The density release: the number of edges with discrete Laplace noise of scale 1 / epsilon, clamped to
 * 1 .. nodes (nodes - 1) / 2. Pure epsilon. Stream (laplace, sub). Errors: RANGE unless epsilon is in [1e-3,
 * 40] and nodes >= 2; INVALID (key). */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_edge_count(uint64_t *edges, const sotto_graph *graph,
                                                       double epsilon, const sotto_key *key, uint32_t sub,
                                                       sotto_error *err);
SOTTO_API SOTTO_MUST_USE sotto_status sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                                                const sotto_edge_response *response,
                                                                const sotto_key *key, uint32_t sub,
                                                                sotto_error *err);
SOTTO_API sotto_mechanism sotto_edge_response_mechanism(const sotto_edge_response *response);

/* LapGraph (Wu et al. 2022): Laplace noise of scale 1 / epsilon on every pair, and the `edges` largest become
 * the edges. `edges` must be public or come from sotto_edge_count, and be at most a quarter of all pairs.
 * Noise has half-integer multiples of 1/1024 as values, and pairs below a public threshold, which fewer than
 * `edges` pass with probability below 1e-20, are never drawn; in a graph of few pairs there is no
 * threshold but 0, and fewer may come out. Pure epsilon. Errors: RANGE (epsilon outside [1e-3, 40], edges),
 * INVALID (key), NOMEM. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_lapgraph(sotto_graph *out, const sotto_graph *graph,
                                                     uint64_t edges, double epsilon, const sotto_key *key,
                                                     uint32_t sub, sotto_error *err);
SOTTO_API sotto_mechanism sotto_lapgraph_mechanism(double epsilon);

#ifdef __cplusplus
}
#endif

#endif
