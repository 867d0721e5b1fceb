/* Releases of layers and of graphs. Internal: other folders call these, programs outside do not. */
#ifndef SOTTO_INSIDE_PMP_H
#define SOTTO_INSIDE_PMP_H

#include "sotto/pmp.h"

/* Edge-level sensitivity in the l2 norm of S applied to any rows of norm at most 1, over all pairs of simple
 * graphs that differ in one undirected edge (derivations: docs/privacy/edge-level.md). d~ = max(degree,
 * floor).
 * - SUM: sqrt 2.
 * - MEAN: sqrt 2 * 2 / (floor + 2); without the own row sqrt 2 * 2 / (max(floor, 1) + 1).
 * - GCN: the maximum, at degrees floor + 1, in closed form.
 * The bound holds on every graph; no property of the private graph enters it. */
double sotto_edge_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self);

/* Node-level sensitivity in the l2 norm: an upper bound on the change of S X with every row clipped to norm
 * `own_row_clip` (c > 0; INFINITY: not clipped). Two neighbouring inputs have the same nodes and differ in
 * one node's row and in any of its edges. Rows have norm at most 1, and no node of either graph has more than
 * `max_degree` (D_max) neighbours, which is declared and not measured.
 *
 * For SUM with c <= 1: 2 sqrt(c^2 + D_max). With `nonnegative` no value of a row is below 0, so that two rows
 * are at most sqrt 2 apart: for SUM sqrt(2 c^2 + 2 D_max) at c >= 1. SUM and MEAN are attained up to small
 * degrees; GCN is within 15% of what a search finds (docs/privacy.md). After the first of several noisy
 * layers the rows are public, and a smaller change would suffice; this bound holds for all layers. */
double sotto_node_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, uint64_t max_degree,
                              double own_row_clip, bool self, bool nonnegative);

/* Upper bound on the change of S X between two neighbours, with rows clipped as `protection` states:
 * - EDGE and NODE: the functions above.
 * - NEIGHBOURS: sqrt(min(k, 2c)^2 + k min(1, 2c)^2) for SUM, and k times that of one edge for the others.
 * - ROW: min(2, 2c), from one end of the unit ball to the other, with sqrt 2 instead of 2 where rows are not
 *   negative. */
double sotto_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self,
                         const sotto_protection *protection);
const sotto_pmp_plan *sotto_release_plan(const sotto_release *release);
/* The charge of this release; its strings are borrowed from the release. */
sotto_charge sotto_release_charge(const sotto_release *release);
bool sotto_release_paid(const sotto_release *release);

/* Saves a release for its owner until it is no longer needed, so that the same bytes are sent again after a
 * crash: layers, plan and charge, checksummed. At node and row level layer 0, which has no noise, is not
 * saved, and is zero after loading. A loaded release is unpaid until sotto_release_pay finds or makes its
 * charge. */
sotto_status sotto_release_save(const sotto_release *release, const char *path, sotto_error *err);

/* Makes the same release as sotto_release_new, to the same bytes, and writes it to `path` as
 * sotto_release_save does while it is made. Memory is that of one layer for K = 2, of two for more, of none
 * for K = 1. The release in *out can be charged; its layers have no rows: read them with sotto_release_load.
 * The file exists, whole, exactly when this returns SOTTO_OK. Errors: those of both. */
sotto_status sotto_release_write(sotto_release **out, const char *path, const sotto_pmp_plan *plan,
                                 const sotto_graph *graph, const sotto_matrix *inputs, const sotto_key *key,
                                 const char *id, const char *run, const char *description,
                                 const sotto_observer *observer, sotto_error *err);
/* The least noise for which the release is (epsilon, delta)-DP at the options' level; as sotto_pmp_plan_new.
 * At node level X_0 differs too, in one row, by at most 2. */
sotto_status sotto_contractive_plan_new(sotto_contractive_plan *out, const sotto_contractive_options *options,
                                        uint64_t nodes, size_t cols, double epsilon, double delta,
                                        sotto_error *err);
/* Computes the release as sotto_release_new does. It has two layers: 0, the rows X_0 (inputs of norm above 1
 * are scaled to 1), and 1, the last iterate X_K; the iterates between are discarded. Its plan is that of one
 * Gaussian release with the same mu, so paying, saving and loading are those of every release. Memory: 2 n d
 * floats, 2 n d int32. */
sotto_status sotto_contractive_release(sotto_release **out, const sotto_contractive_plan *plan,
                                       const sotto_graph *graph, const sotto_matrix *inputs,
                                       const sotto_key *key, const char *id, const char *run,
                                       const char *description, const sotto_observer *observer,
                                       sotto_error *err);
sotto_mechanism sotto_contractive_mechanism(const sotto_contractive_plan *plan);

/* Perturbed adjacency: the graph itself is released, private at edge level; everything computed from it is
 * post-processing. Time and memory are proportional to the edges of the result, not to nodes^2: pairs without
 * an edge are skipped in jumps of exactly sampled length. Each function makes a new graph (free with
 * sotto_graph_free) and needs a SYSTEM or INSECURE key (INVALID), of which it uses the streams (adjacency,
 * sub). Charge it before it is sent. */

/* Randomised response on each pair of nodes: an edge stays with probability keep / 2^64, and a pair without
 * an edge gets one with probability 1 - exp(-add / 2^40). Pure epsilon at edge level. */
typedef struct sotto_edge_response {
  uint64_t keep;
  uint64_t add;
  double epsilon; /* at most the requested one */
} sotto_edge_response;
/* EdgeRand (Wu et al. 2022): both errors have probability 1 / (e^epsilon + 1). The density changes: an
 * epsilon below log(nodes) gives a dense graph. Errors: RANGE unless epsilon is in [1e-3, 40]. */
SOTTO_MUST_USE sotto_status sotto_edge_response_symmetric(sotto_edge_response *out, double epsilon,
                                                          sotto_error *err);
/* Asymmetric (PertGraph in Zheng et al. 2026; Imola, Murakami and Chaudhuri 2022): keep = mu, add = mu
 * e^-epsilon, with mu such that a graph of `edges` edges gives about as many, mu <= e^epsilon / (1 +
 * e^epsilon). `edges` must be public or come from sotto_edge_count. Errors: RANGE (epsilon as above; nodes <
 * 2; edges < 1 or more than there are pairs). */
SOTTO_MUST_USE sotto_status sotto_edge_response_asymmetric(sotto_edge_response *out, uint64_t nodes,
                                                           uint64_t edges, double epsilon, sotto_error *err);
/* The density release: the number of edges with discrete Laplace noise of scale 1 / epsilon, clamped to
 * 1 .. nodes (nodes - 1) / 2. Pure epsilon. Stream (laplace, sub). Errors: RANGE unless epsilon is in [1e-3,
 * 40] and nodes >= 2; INVALID (key). */
SOTTO_MUST_USE sotto_status sotto_edge_count(uint64_t *edges, const sotto_graph *graph, double epsilon,
                                             const sotto_key *key, uint32_t sub, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                                      const sotto_edge_response *response,
                                                      const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_mechanism sotto_edge_response_mechanism(const sotto_edge_response *response);

/* LapGraph (Wu et al. 2022): Laplace noise of scale 1 / epsilon on every pair, and the `edges` largest become
 * the edges. `edges` must be public or come from sotto_edge_count, and be at most a quarter of all pairs.
 * Noise has half-integer multiples of 1/1024 as values. Pairs below a public threshold, which fewer than
 * `edges` pass with probability below 1e-20, are never drawn; in a graph of few pairs the threshold is 0, and
 * fewer edges may result. Pure epsilon. Errors: RANGE (epsilon outside [1e-3, 40], edges), INVALID (key),
 * NOMEM. */
SOTTO_MUST_USE sotto_status sotto_lapgraph(sotto_graph *out, const sotto_graph *graph, uint64_t edges,
                                           double epsilon, const sotto_key *key, uint32_t sub,
                                           sotto_error *err);
sotto_mechanism sotto_lapgraph_mechanism(double epsilon);

#endif
