/* The release mechanism of a run on two neighbouring inputs, from which an audit draws. */
#ifndef SOTTO_SRC_AUDIT_CANARY_H
#define SOTTO_SRC_AUDIT_CANARY_H

#include "dp/noise/summed.h"
#include "inside/audit.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "protocols/clusters.h"
#include "run/method/method.h"
#include "run/train/night_plan.h"
#include "sotto/audit.h"

/* One of two neighbouring inputs: [0] without the edge between two nodes, [1] with it. At node level they
 * differ in the row of one node. */
typedef struct sotto_i_world {
  sotto_graph graph;   /* owned */
  sotto_matrix inputs; /* owned; rows to be released; at edge level equal in both worlds */
  sotto_pmp_plan plan;
  sotto_contractive_plan contractive;
  sotto_matrix expected;  /* owned; the last layer without noise */
  sotto_operator *spread; /* owned; the operator of one layer of noisy rows */
} sotto_i_world;

typedef struct sotto_i_canary {
  sotto_options options;
  sotto_i_world world[2];
  uint32_t pair[2];
  bool is_contractive, one_shot; /* one_shot: only the last layer is shown, the others are hidden */
  bool whole;                    /* of a node: the canary covers everything that the run releases */
  uint64_t releases;             /* number of releases of a seed */
  sotto_matrix unit, made[2];    /* scratch: the previous layer, and the exact next layer on either graph */
  sotto_matrix weight; /* owned; the weight that multiplies a layer before the next one; empty: none */
  struct sotto_i_canary *beside; /* owned; a second release of the same rows by the run; NULL: none */
  /* Tables or graphs instead of layers, made in either world by the variant's own code (that of its
   * artifact): */
  sotto_status (*make)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  void *made_of[2];                              /* the context of make in each world */
  void (*forget)(struct sotto_i_canary *canary); /* frees made_of; NULL: made_of is borrowed */
  bool counts;
  sotto_laplace_grid grid;
  /* Sums over a secret sample, with noise of several parties: */
  sotto_i_summed_noise summed;
  double rate;
  /* Steps of DP-SGD: */
  struct sotto_i_steps *steps; /* owned; NULL: none */
  /* Releases of nights: */
  struct sotto_i_canary_nights *nights; /* owned; NULL: none */
  /* A perturbed graph: */
  sotto_edge_response response;
  sotto_graph complete; /* owned */
  uint64_t least;       /* released edges, in the event that noise causes; 0: the event is a lost edge */
  double chance;        /* probability of this event */
  bool shares;          /* of two releases it is also looked at what they share */
  uint32_t joined;      /* number of first nodes, which are all joined */
  /* One prediction about a graph: */
  sotto_subset subset;
  int32_t value[2];
  sotto_response clusters; /* of CLUSTER */
  sotto_matrix clean[2];
  sotto_canary stated; /* the input of sotto_i_audit_canary; its context is this struct */
} sotto_i_canary;

/* The canaries of resolved options. PAIR: two nodes with opposite rows; STARS: the same two with so many
 * neighbours of their own that the edge takes them from the degree floor to one above it, each side with one
 * row; the edge between the two comes and goes. They stand for the run's graph with these nodes put in, of
 * which nothing else differs: sensitivities are to hold on every graph. OWN, where the noise was read off a
 * graph (--accounting paper of caribou): the run's own graph, and an edge of a node with the fewest
 * neighbours. NODE: a node with as many neighbours as are declared, whose row turns round; of a run at node
 * level it tests the release alone, whose share of the budget is what is stated then; of vesper, all that it
 * releases. TIE: of counts, a pair of nodes of one level, each of which counts the
 * other. PILOT: of counts, a pilot and a node that is none, whose counts are of two releases. COUNT: the
 * number of edges, which is released with a graph. GRAPH: a whole graph and its label are others. CLUSTER: a
 * node of another cluster, which other parties count as it is reported. STEPS, at node level: the training by
 * DP-SGD, in which an example is another one. ROWS: rows that are published with noise, as many as an edge
 * moves. NIGHTS: an edge of a plan of nights, which no variant has, since it is no part of a training. SUM:
 * of counts, two nodes whose rows of features are added up. CLAIM, where a paper's claim is not what a run
 * states (--accounting paper of vesper and vfgnn): two stars whose centres the edge joins, against the claim.
 */
typedef enum sotto_i_canary_kind {
  SOTTO_I_CANARY_PAIR,
  SOTTO_I_CANARY_STARS,
  SOTTO_I_CANARY_OWN,
  SOTTO_I_CANARY_NODE,
  SOTTO_I_CANARY_GRAPH,
  SOTTO_I_CANARY_STEPS,
  SOTTO_I_CANARY_ROWS,
  SOTTO_I_CANARY_TIE,
  SOTTO_I_CANARY_PILOT,
  SOTTO_I_CANARY_COUNT,
  SOTTO_I_CANARY_CLUSTER,
  SOTTO_I_CANARY_NIGHTS,
  SOTTO_I_CANARY_SUM,
  SOTTO_I_CANARY_CLAIM,
  SOTTO_I_CANARY_KINDS
} sotto_i_canary_kind;
/* Sets of kinds, for a variant's table entry. */
enum {
  SOTTO_I_CANARIES_OF_EDGES = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_STARS,
  SOTTO_I_CANARIES_OF_COUNTS = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_TIE,
  SOTTO_I_CANARIES_OF_PILOTS = SOTTO_I_CANARIES_OF_COUNTS | 1U << SOTTO_I_CANARY_PILOT,
  SOTTO_I_CANARIES_OF_SUMS = SOTTO_I_CANARIES_OF_PILOTS | 1U << SOTTO_I_CANARY_SUM,
  SOTTO_I_CANARIES_OF_NODES = 1U << SOTTO_I_CANARY_NODE,
  SOTTO_I_CANARIES_OF_STEPS = 1U << SOTTO_I_CANARY_STEPS
};
/* Does this kind test such a run? */
bool sotto_i_canary_fits(sotto_i_canary_kind kind, const sotto_options *options);
/* `epsilon` and `mu` are those that the run states (mu 0: none). Free in any case. Errors: UNSUPPORTED,
 * naming the method or option; INVALID without noise. */
sotto_status sotto_i_canary_new(sotto_i_canary *out, const sotto_options *options, const sotto_dataset *data,
                                sotto_i_canary_kind kind, double epsilon, double mu, sotto_error *err);
/* The same for a run that is already planned. */
sotto_status sotto_i_canary_of_run(sotto_i_canary *out, const struct sotto_i_run *run,
                                   sotto_i_canary_kind kind, double epsilon, double mu, sotto_error *err);
/* Canaries that methods share: counts of neighbours; layers of the run's releases. */
sotto_status sotto_i_canary_of_counts(sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                      sotto_error *err);
sotto_status sotto_i_canary_of_layers(sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                      sotto_error *err);
/* The canary of any run that charges a training by DP-SGD; sotto_i_canary_new makes these. */
sotto_status sotto_i_canary_of_steps(sotto_i_canary *canary, const struct sotto_i_run *run, sotto_error *err);
void sotto_i_canary_steps_free(struct sotto_i_steps *steps);
/* The canary of a plan of nights, against what the plan states. Free in any case. Errors: RANGE, NOMEM. */
sotto_status sotto_i_canary_of_nights(sotto_i_canary *out, const sotto_options *options,
                                      const sotto_i_night_plan *plan, sotto_error *err);
void sotto_i_canary_nights_free(struct sotto_i_canary_nights *nights);
/* The number of neighbours of the node in a canary of nodes, from the declared bound. */
uint32_t sotto_i_canary_leaves(const sotto_options *options);
void sotto_i_canary_free(sotto_i_canary *canary);

/* The parts of a canary. Stars have one plan for both worlds; with the dataset's own graph, each world has
 * a plan that is made for its graph. Releases are drawn by the functions that runs use.
 *
 * Graphs and inputs of stars alone: nodes 0 and 1, each with `leaves` neighbours of its own (from node 2 on,
 * those of node 0 first), and in the second world the edge between them. Rows are 1 at node 0 and its leaves,
 * else -1, in the first of `cols` columns. */
sotto_status sotto_i_canary_build_stars(sotto_i_canary *canary, uint32_t leaves, size_t cols,
                                        sotto_error *err);
typedef sotto_status (*sotto_i_canary_plan)(sotto_i_world *world, const sotto_options *options,
                                            sotto_error *err);
sotto_status sotto_i_canary_stars(sotto_i_canary *canary, const sotto_i_world *planned, uint32_t leaves,
                                  size_t cols, sotto_error *err);
sotto_status sotto_i_canary_own(sotto_i_canary *canary, const sotto_dataset *data, size_t cols,
                                sotto_i_canary_plan plan, sotto_error *err);
/* `joined`: the leaves are neighbours of the node; else each is isolated, as where no graph is used. */
sotto_status sotto_i_canary_node(sotto_i_canary *canary, const sotto_i_world *planned, uint32_t leaves,
                                 bool joined, size_t cols, sotto_error *err);
void sotto_i_canary_layers(sotto_i_canary *canary);
/* Counts in world `which`, whose graph is there: takes `clusters`; `levels` NULL: all equal. Errors: NOMEM.
 */
sotto_status sotto_i_canary_counted(sotto_i_canary *canary, int which, sotto_i_clusters *clusters,
                                    const uint8_t *levels, sotto_error *err);
/* Statistics of tables from `make`: released once a layer with Laplace noise of `grid`, or once with
 * Gaussian noise of the first world's plan. `clean` has both tables without noise. */
void sotto_i_canary_counts(sotto_i_canary *canary);
void sotto_i_canary_sums(sotto_i_canary *canary);
/* The noise of a release of this table, in units of the stated `unit`, for as many rows as fit. */
void sotto_i_canary_noise(sotto_noise_draw *out, const sotto_matrix *shown, const sotto_matrix *clean,
                          double unit);
/* The inner product of a table with the difference of `clean` in the two worlds. */
double sotto_i_canary_projection(const sotto_i_canary *canary, const sotto_matrix *shown);
/* The noise of layers; context is the canary. */
sotto_status sotto_i_canary_noise_of_layers(void *context, sotto_noise_draw *out, const sotto_key *key,
                                            sotto_error *err);
/* A release of the run's own mechanism in one of the two worlds. */
sotto_status sotto_i_canary_release(sotto_release **out, const sotto_i_canary *canary, int which,
                                    const sotto_key *key, sotto_error *err);
/* canary_ranks.c: a noisy layer of zero rows by the code of ranks, with one rank, under the plan of the
 * second world and with its own key. `out` stays empty where ranks make no such release. */
sotto_status sotto_i_canary_layer_of_ranks(sotto_matrix *out, const sotto_i_canary *canary,
                                           const sotto_key *key, sotto_error *err);
/* to: normalised rows of `from`, floored at 0 if the release does so: the input of the next layer. */
void sotto_i_canary_unit(sotto_matrix *to, const sotto_matrix *from, bool nonnegative);

#endif
