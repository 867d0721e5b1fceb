/* The release mechanism of a run on two neighbouring graphs, as an audit draws from it. */
#ifndef SOTTO_SRC_AUDIT_CANARY_H
#define SOTTO_SRC_AUDIT_CANARY_H

#include "dp/noise/summed.h"
#include "inside/audit.h"
#include "inside/pmp.h"
#include "run/method/method.h"
#include "run/train/night_plan.h"
#include "sotto/audit.h"

/* Two neighbouring inputs: [0] without the edge between two nodes, [1] with it; at node level with either row
 * of one node. */
typedef struct sotto_i_world {
  sotto_graph graph;   /* owned */
  sotto_matrix inputs; /* owned; rows to be released, at edge level the same in both worlds */
  sotto_pmp_plan plan;
  sotto_contractive_plan contractive;
  sotto_matrix expected;  /* owned; the last layer without noise */
  sotto_operator *spread; /* owned; what one layer of noisy rows is made by */
} sotto_i_world;

typedef struct sotto_i_canary {
  sotto_options options;
  sotto_i_world world[2];
  uint32_t pair[2];
  bool is_contractive, one_shot; /* one_shot: one layer is shown, others are hidden in it */
  bool whole;                    /* of a node: of all that the run releases, not of one release alone */
  uint64_t releases;             /* that a seed makes */
  sotto_matrix unit, made[2];    /* scratch: the layer before, and what either graph makes of it */
  sotto_matrix weight; /* owned; what layers are multiplied by before the next one; empty: nothing */
  struct sotto_i_canary *beside; /* owned; what the run releases of the same rows besides; NULL: nothing */
  /* Tables and graphs in the place of layers, made by the variant itself (what its artifact makes), in either
   * world: */
  sotto_status (*make)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  void *made_of[2];                              /* what make reads */
  void (*forget)(struct sotto_i_canary *canary); /* frees made_of; NULL: it is borrowed */
  bool counts;
  sotto_laplace_grid grid;
  /* Sums over a secret sample, with noise of several: */
  sotto_i_summed_noise summed;
  double rate;
  /* Steps of DP-SGD: */
  struct sotto_i_steps *steps; /* owned; NULL: none */
  /* Releases of nights: */
  struct sotto_i_canary_nights *nights; /* owned; NULL: none */
  /* A perturbed graph: */
  sotto_edge_response response;
  sotto_graph complete; /* owned */
  uint64_t least;       /* edges that come out of it, in the event that noise brings about; 0: one is lost */
  double chance;        /* of this event, or that an edge is lost */
  uint32_t joined;      /* its first nodes, all of which are joined */
  /* One answer about a graph: */
  sotto_subset subset;
  int32_t value[2];
  sotto_matrix clean[2];
  sotto_canary stated; /* as sotto_audit_canary takes it; context is this */
} sotto_i_canary;

/* The canaries of resolved options. PAIR: two nodes with opposite rows; STARS: the same two with so many
 * neighbours of their own that the edge takes them from the degree floor to one above it, each side with one
 * row; the edge between the two comes and goes. They stand for the run's graph with these nodes put in, of
 * which nothing else differs: sensitivities are to hold on every graph. OWN, where the noise was read off a
 * graph (--accounting paper of caribou): the run's own graph, and an edge of a node with the fewest
 * neighbours. NODE: a node with as many neighbours as are declared, whose row turns round; of a run at node
 * level it tests the release alone, whose share of the budget is what is stated then; of vesper, all that it
 * releases. TIE: of counts, a pair of nodes of one level, each of which counts the
 * other. COUNT: the number of edges, which is released with a graph. GRAPH: a whole graph and its label are
 * others. STEPS, at node level: the training by DP-SGD, in which an example is another one. ROWS: rows that
 * are published with noise, as many as an edge moves. NIGHTS: an edge of a plan of nights, which no variant
 * has, since it is no part of a training. */
typedef enum sotto_i_canary_kind {
  SOTTO_I_CANARY_PAIR,
  SOTTO_I_CANARY_STARS,
  SOTTO_I_CANARY_OWN,
  SOTTO_I_CANARY_NODE,
  SOTTO_I_CANARY_GRAPH,
  SOTTO_I_CANARY_STEPS,
  SOTTO_I_CANARY_ROWS,
  SOTTO_I_CANARY_TIE,
  SOTTO_I_CANARY_COUNT,
  SOTTO_I_CANARY_NIGHTS,
  SOTTO_I_CANARY_KINDS
} sotto_i_canary_kind;
/* Sets of them, for a variant's table entry. */
enum {
  SOTTO_I_CANARIES_OF_EDGES = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_STARS,
  SOTTO_I_CANARIES_OF_COUNTS = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_TIE,
  SOTTO_I_CANARIES_OF_NODES = 1U << SOTTO_I_CANARY_NODE,
  SOTTO_I_CANARIES_OF_STEPS = 1U << SOTTO_I_CANARY_STEPS
};
/* Which of them test such a run. */
bool sotto_i_canary_fits(sotto_i_canary_kind kind, const sotto_options *options);
/* `epsilon` and `mu` are what the run states (mu 0: nothing). Free in any case. Errors: UNSUPPORTED, naming
 * the method or option; INVALID without noise. */
sotto_status sotto_i_canary_new(sotto_i_canary *out, const sotto_options *options, const sotto_dataset *data,
                                sotto_i_canary_kind kind, double epsilon, double mu, sotto_error *err);
/* The same of a run that is planned already. */
sotto_status sotto_i_canary_of_run(sotto_i_canary *out, const struct sotto_i_run *run,
                                   sotto_i_canary_kind kind, double epsilon, double mu, sotto_error *err);
/* Those that methods share: of counts of neighbours; of the run's releases of layers. */
sotto_status sotto_i_canary_of_counts(sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                      sotto_error *err);
sotto_status sotto_i_canary_of_layers(sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                      sotto_error *err);
/* Of any run that charges a training by DP-SGD; sotto_i_canary_new makes these. */
sotto_status sotto_i_canary_of_steps(sotto_i_canary *canary, const struct sotto_i_run *run, sotto_error *err);
void sotto_i_canary_steps_free(struct sotto_i_steps *steps);
/* Of a plan of nights, and what it states. Free in any case. Errors: RANGE, NOMEM. */
sotto_status sotto_i_canary_of_nights(sotto_i_canary *out, const sotto_options *options,
                                      const sotto_i_night_plan *plan, sotto_error *err);
void sotto_i_canary_nights_free(struct sotto_i_canary_nights *nights);
/* Neighbours that a node has in a canary of nodes, by the declared bound. */
uint32_t sotto_i_canary_leaves(const sotto_options *options);
void sotto_i_canary_free(sotto_i_canary *canary);

/* The pieces that it is made of. Stars, under one plan for both worlds; or the dataset's own graph, each
 * world under a plan that is made of its graph. Then: numbers of a release, drawn by the functions that runs
 * use. */
typedef sotto_status (*sotto_i_canary_plan)(sotto_i_world *world, const sotto_options *options,
                                            sotto_error *err);
sotto_status sotto_i_canary_stars(sotto_i_canary *canary, const sotto_i_world *planned, uint32_t leaves,
                                  size_t cols, sotto_error *err);
sotto_status sotto_i_canary_own(sotto_i_canary *canary, const sotto_dataset *data, size_t cols,
                                sotto_i_canary_plan plan, sotto_error *err);
/* `joined`: the leaves are neighbours of the node; else each stands alone, as where no graph is used. */
sotto_status sotto_i_canary_node(sotto_i_canary *canary, const sotto_i_world *planned, uint32_t leaves,
                                 bool joined, size_t cols, sotto_error *err);
void sotto_i_canary_layers(sotto_i_canary *canary);
/* Of counts in both worlds, whose graphs are there: `clusters` (taken) and `levels` (NULL: all alike) of
 * world `which`. Errors: NOMEM. */
sotto_status sotto_i_canary_counted(sotto_i_canary *canary, int which, sotto_matrix *clusters,
                                    const uint8_t *levels, sotto_error *err);
/* Of tables that `make` releases once a layer with Laplace noise of `grid`; of one with Gaussian noise of the
 * first world's plan. `clean` has both without noise. */
void sotto_i_canary_counts(sotto_i_canary *canary);
void sotto_i_canary_sums(sotto_i_canary *canary);
/* A table of the variant's own, in one of the two worlds. Free it. */
sotto_status sotto_i_canary_table(sotto_matrix *out, const sotto_i_canary *canary, int which,
                                  const sotto_key *key, sotto_error *err);
/* The noise of a release of this table, as many rows as there is room for; `unit` is what is stated. */
void sotto_i_canary_noise(sotto_noise_draw *out, const sotto_matrix *shown, const sotto_matrix *clean,
                          double unit);
/* For canaries of layers; context is the canary. */
sotto_status sotto_i_canary_noise_of_layers(void *context, sotto_noise_draw *out, const sotto_key *key,
                                            sotto_error *err);
/* A release of the run's own, in one of the two worlds. */
sotto_status sotto_i_canary_release(sotto_release **out, const sotto_i_canary *canary, int which,
                                    const sotto_key *key, sotto_error *err);
/* canary_ranks.c: a noisy layer of rows of zeros by the code of ranks, of which there is one, under the plan
 * of the second world and with a key of its own; `out` stays empty where ranks make no such release. */
sotto_status sotto_i_canary_layer_of_ranks(sotto_matrix *out, const sotto_i_canary *canary,
                                           const sotto_key *key, sotto_error *err);
/* to: rows of `from` at norm 1, floored at 0 where the release does so: what the next layer adds up. */
void sotto_i_canary_unit(sotto_matrix *to, const sotto_matrix *from, bool nonnegative);

#endif
