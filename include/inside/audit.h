/* Attacks and audit bounds. Internal: other folders call these, programs outside do not. */
#ifndef SOTTO_INSIDE_AUDIT_H
#define SOTTO_INSIDE_AUDIT_H

#include "sotto/audit.h"

/* A whole pipeline, run again and again on two neighbouring inputs. `draw` runs it once, with the given
 * system key, on the first or the second input, and fills `statistics` numbers (1 to 8) that may distinguish
 * them. The statement under audit is epsilon at delta, and mu > 0 too where it is Gaussian differential
 * privacy. `noise`, if given, draws the noise of one release alone. */
enum { SOTTO_NOISE_VALUES = 4096 };
typedef struct sotto_noise_draw {
  double values[SOTTO_NOISE_VALUES]; /* rows x cols: the release minus its value without noise, in units of
                                        the stated noise (standard deviations, or scales of Laplace) */
  size_t rows, cols;
  bool laplace;  /* the stated distribution; else Gaussian, on a grid of 500 steps a unit or more */
  double step;   /* of Laplace: step of its grid, in the same units */
  double flip;   /* above 0: stated flip probability of randomised response; values are 1 where the answer is
                    not the true one, else 0 */
  size_t others; /* above 0: answers from this one on have another flip probability: */
  double flip_there;
} sotto_noise_draw;
typedef struct sotto_canary {
  void *context;
  size_t statistics;
  sotto_status (*draw)(void *context, double *statistics, bool second, const sotto_key *key,
                       sotto_error *err);
  sotto_status (*noise)(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err);
  double epsilon, delta, mu;
  double risk;    /* probability that a bound of this statement is too high, above 0 and below 1; 0: 0.05 */
  uint32_t share; /* how many canaries of one statement share the risk; 0: it is the only one */
  sotto_ranks *ranks; /* processes that share the trials and all get the result; NULL: none */
} sotto_canary;

/* One run with many canaries. A fair coin of its own decides for each canary, independently, whether the data
 * contains it. scores[i] is any function of what the run reveals and of public numbers; it is larger where
 * canary i is likely to be in. Each canary makes two neighbouring inputs. The statement under audit is
 * epsilon at delta, and mu > 0 too where it is Gaussian differential privacy. */
typedef struct sotto_one_run {
  const double *scores;   /* one for each canary */
  const uint8_t *members; /* not 0: the canary is in */
  size_t canaries;        /* at least 64 */
  double epsilon, delta, mu;
  double risk;    /* as in sotto_canary */
  uint32_t share; /* how many audits of one statement share the risk; 0: it is the only one */
} sotto_one_run;
/* Guesses which canaries are in: so many with the highest scores are guessed in, and as many with the lowest
 * out; there is no guess for the rest. The stated privacy determines their number.
 *
 * Without mu the bound on epsilon is that of Steinke, Nasr and Jagielski 2023. A second number of guesses, a
 * quarter of all, gets half of the risk: it suits two Laplace counts, whose guesses are as certain as they
 * can be. With mu, the recursion of Mahloujifar, Melis and Chaudhuri 2025 bounds mu by the trade-off curve of
 * Gaussian differential privacy, and the bound on epsilon follows from it. Both theorems allow that all
 * canaries are lucky together, so they reach less of mu than audits by many runs. Cost: O(canaries log
 * canaries). Errors: RANGE (canaries, delta), NUMERIC (a score is not a number), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_audit_one_run(sotto_one_run_result *out, const sotto_one_run *run,
                                                sotto_error *err);

/* All that an attack sees of a model. The graph is the ground truth; the attack itself reads node degrees
 * alone, to choose its sample. `ask` gives the class probabilities (wanted_count x classes, fresh) of some
 * nodes when the features of `node` are the one row x; NULL: when nothing is changed. */
typedef struct sotto_target {
  void *context;
  const sotto_graph *graph;
  const sotto_matrix *features, *posteriors; /* of all nodes */
  sotto_status (*ask)(void *context, sotto_matrix *out, uint32_t node, const sotto_matrix *x,
                      const uint32_t *wanted, size_t wanted_count, sotto_error *err);
} sotto_target;

sotto_link_options sotto_link_options_default(void); /* 500, ALL, 1, 1e-3, 5000, 1, 0 */

/* Link stealing (He et al. 2021): pairs are ranked by the distance of their posteriors, for each of eight
 * distances. The last of the nine rankings is by a perceptron over all eight that is trained on half of the
 * edges. */
enum { SOTTO_STEALINGS = 9 };
const char *const *sotto_stealing_names(void); /* SOTTO_STEALINGS of them, static */
sotto_status sotto_attack_stealing(sotto_attack_result out[SOTTO_STEALINGS], const sotto_target *target,
                                   const sotto_link_options *options, sotto_error *err);

/* Rows received for one graph: layers[0..count), one row a node in each. */
typedef struct sotto_received {
  const sotto_matrix *layers;
  size_t count;
  const sotto_graph *graph; /* the ground truth */
} sotto_received;
/* The score of a pair is the projection of each endpoint's embedding on the other endpoint's embedding of the
 * previous layer, which is what an edge adds (layers[k] was computed from layers[k - 1]). With one layer it
 * is the projection on the other endpoint's row of the same layer. Pairs of several graphs share one
 * threshold. Errors: INVALID (no layer, shapes, fewer than 20 edges in a graph), NOMEM. */
sotto_status sotto_attack_received(sotto_attack_result *out, const sotto_received *from, size_t from_count,
                                   const sotto_link_options *options, sotto_error *err);

/* Membership inference by a perceptron of three layers over sorted posteriors (Olatunji et al. 2021). It is
 * fitted on those of a shadow model, whose members are known: members[v] is not 0 for them. */
typedef struct sotto_membership {
  const sotto_matrix *posteriors;
  const uint8_t *members;
} sotto_membership;
sotto_status sotto_attack_node_mia(sotto_attack_result *out, const sotto_membership *target,
                                   const sotto_membership *shadow, uint64_t seed, double delta,
                                   sotto_error *err);
/* Membership inference by entropy: members have the smaller one (Wu et al. 2023, appendix C.7). */
sotto_status sotto_attack_entropy(sotto_attack_result *out, const sotto_membership *target, double delta,
                                  sotto_error *err);

/* Likelihood ratios (Carlini et al. 2022). confidence[i * examples + j] is model i's confidence in example j,
 * on a scale where it is near normal; members likewise. Each model in turn is attacked with all others as
 * shadows: for each example a normal distribution with it and one without, with one variance for all
 * examples. Errors: RANGE (fewer than 4 models), those of measuring. */
sotto_status sotto_attack_lira(sotto_attack_result *out, const double *confidence, const uint8_t *members,
                               size_t models, size_t examples, double delta, sotto_error *err);

#endif
