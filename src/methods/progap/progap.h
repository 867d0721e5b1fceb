/* ProGAP's submodels and noisy aggregates, for training and for predictions. */
#ifndef SOTTO_SRC_METHODS_PROGAP_PROGAP_H
#define SOTTO_SRC_METHODS_PROGAP_PROGAP_H

#include "inside/nn.h"
#include "nn/combine.h"
#include "run/method/method.h"
#include "run/train/predict.h"

enum { SOTTO_I_PROGAP_MOST_STAGES = 64 }; /* in addition to stage 0 */

/* network.c: the submodel of stage s. Base network i reads input i: the features for i = 0, else the
 * aggregate of stage i. The results are joined (`combine`) and classified by the head. */
typedef struct sotto_i_progap_net {
  sotto_params *params;
  uint32_t stage; /* s */
  sotto_mlp base[SOTTO_I_PROGAP_MOST_STAGES + 1], head;
  sotto_i_combiner combiner;
} sotto_i_progap_net;

/* The submodel of a stage with initial weights. Free it after an error too. */
sotto_status sotto_i_progap_net_new(sotto_i_progap_net *out, const sotto_i_job *job, uint32_t stage,
                                    sotto_error *err);
void sotto_i_progap_net_free(sotto_i_progap_net *net);
/* Copies the base networks of `from` to `to`, the submodel of the next stage. */
void sotto_i_progap_net_inherit(sotto_i_progap_net *to, const sotto_i_progap_net *from);
/* [joined | result of base network i]; for i = 0 that alone. */
sotto_var sotto_i_progap_net_join(const sotto_i_progap_net *net, const sotto_pass *pass, sotto_var joined,
                                  uint32_t i, sotto_var input);
/* Logits from the concatenated results of all base networks. */
sotto_var sotto_i_progap_net_logits(const sotto_i_progap_net *net, const sotto_pass *pass, sotto_var joined);

/* The base network that made the rows of release `stage` + 1, in its own set: later stages train the
 * submodel's base network further. It has the values of `from`, or initial ones if that is NULL. */
typedef struct sotto_i_progap_embedder {
  sotto_params *params;
  sotto_mlp base;
} sotto_i_progap_embedder;
sotto_status sotto_i_progap_embedder_new(sotto_i_progap_embedder *out, const sotto_i_job *job, uint32_t stage,
                                         const sotto_i_progap_net *from, sotto_error *err);

/* aggregate.c: the plan of one of the K releases at edge level, or without noise; each costs mu / sqrt K. */
sotto_status sotto_i_progap_edge_plan(sotto_pmp_plan *out, const sotto_i_job *job, sotto_error *err);
/* progap_node.c: the same at node level. */
sotto_status sotto_i_progap_node_plan(sotto_pmp_plan *out, const sotto_i_job *job, sotto_error *err);
/* A release of one layer of sums with these options, without its protection. */
sotto_pmp_options sotto_i_progap_pmp(const sotto_options *options);
/* Adds one release to the plan of a run. */
void sotto_i_progap_cost_add(sotto_cost *cost, const sotto_pmp_plan *plan);

/* The release of a stage, from 1: sums over neighbours, noise, normalised rows. */
typedef struct sotto_i_progap_aggregate {
  const sotto_i_job *job;
  const sotto_pmp_plan *plan;
  const sotto_matrix *rows; /* one a node, of norm at most 1 */
  uint32_t stage;
  size_t item; /* of the job's cost */
} sotto_i_progap_aggregate;
/* Its rows (fresh), from the seed's folder, or made, saved and charged. */
SOTTO_MUST_USE sotto_status sotto_i_progap_release(sotto_matrix *out,
                                                   const sotto_i_progap_aggregate *aggregate,
                                                   sotto_error *err);
/* The computation alone, with a key that no other release has. Nothing is stored or charged, so the result
 * must not leave the process. */
sotto_status sotto_i_progap_sums(sotto_matrix *out, const sotto_i_progap_aggregate *aggregate,
                                 const sotto_key *key, sotto_error *err);
/* The stored release of a stage, in fresh memory. *found is false, and nothing is made, if the folder has
 * none for this number of nodes. */
sotto_status sotto_i_progap_kept(sotto_matrix *out, bool *found, const sotto_i_job *job, uint32_t stage,
                                 sotto_error *err);

sotto_status sotto_i_progap_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_progap_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Answers about the run's own nodes, from the released sums and a node's own features. */
sotto_status sotto_i_progap_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
sotto_status sotto_i_progap_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_progap_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                   unsigned kind, sotto_error *err);
sotto_status sotto_i_progap_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                        unsigned kind, sotto_error *err);

#endif
