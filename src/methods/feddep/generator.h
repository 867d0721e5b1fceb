/* A generator of missing neighbours (Zhang et al. 2024; NeighGen of Zhang et al. 2021): some nodes of a graph
 * are hidden, and from what is left it learns, for every node, how many neighbours are missing and what rows
 * they have. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_GENERATOR_H
#define SOTTO_SRC_METHODS_FEDDEP_GENERATOR_H

#include "candidates.h"
#include "generator_loss.h"
#include "inside/nn.h"
#include "nn/graph_net.h"

typedef struct sotto_i_generator_options {
  size_t in, hidden, layers; /* of encoder and classifier */
  size_t width, most;        /* columns of a generated row, and rows for a node at most */
  size_t classes;
  bool beside_once;
  double hide;                                      /* share of nodes that are hidden, anew in each epoch */
  double count_weight, hidden_weight, other_weight; /* a, b, c; that of classification is 1 */
  double rate;                                      /* Bernoulli sampler of prototypes */
  size_t fan_out;                                   /* 0: all neighbours */
  uint64_t epochs;
  sotto_adam adam;
  float dropout;
} sotto_i_generator_options;

typedef struct sotto_i_generator {
  sotto_i_generator_options options;
  sotto_params *params, *judge; /* of the generator, and of the classifier that it is judged by */
  sotto_i_graph_net encoder, classifier;
  sotto_linear rows;
} sotto_i_generator;

/* What it learns from. All borrowed. */
typedef struct sotto_i_generator_data {
  const sotto_graph *graph;
  const sotto_matrix *features, *targets; /* a row a node; a hidden node's target is to be generated */
  sotto_i_sparse *entries;                /* not NULL: the features, which have a shape alone */
  const int32_t *labels;
  const uint32_t *training; /* nodes whose labels are learnt */
  size_t training_count;
  const sotto_matrix *others;           /* prototypes of all other clients, or NULL */
  const sotto_i_candidates *candidates; /* groups of them; NULL: none */
} sotto_i_generator_data;

/* One hiding, and what is drawn with it. */
typedef struct sotto_i_generator_turn {
  sotto_graph visible;
  sotto_i_hops hops;
  bool *hidden;
  float *wanted;                       /* neighbours that are hidden, a node each */
  uint32_t *made, *predicted;          /* of rows that are judged, and that are fused in */
  uint32_t *seen, *completed, *learnt; /* visible nodes; those of them that miss some; those with labels */
  size_t seen_count, completed_count, learnt_count;
  size_t *begin, *group_begin;
  uint32_t *list, *group_list, *nearest, *group_nearest;
  sotto_i_smooth_l1 count_loss;
  sotto_i_nearest_row hidden_loss, other_loss;
  sotto_i_made_mean mean;
} sotto_i_generator_turn;

sotto_status sotto_i_generator_new(sotto_i_generator *out, const sotto_i_generator_options *options,
                                   uint32_t streams, const sotto_key *key, sotto_error *err);
void sotto_i_generator_free(sotto_i_generator *generator);

sotto_status sotto_i_generator_turn_new(sotto_i_generator_turn *out, const sotto_i_generator *generator,
                                        const sotto_i_generator_data *data, sotto_error *err);
/* Hides anew, by streams of (key, epoch). */
sotto_status sotto_i_generator_turn_draw(sotto_i_generator_turn *turn, const sotto_i_generator *generator,
                                         const sotto_i_generator_data *data, const sotto_key *key,
                                         uint64_t epoch, sotto_error *err);
void sotto_i_generator_turn_free(sotto_i_generator_turn *turn);
/* The loss of the turn: a smooth-l1 + b nearest hidden + c nearest of others + cross entropy on the completed
 * graph. */
sotto_var sotto_i_generator_loss(sotto_i_generator *generator, sotto_i_generator_turn *turn,
                                 const sotto_i_generator_data *data, const sotto_pass *pass);
/* Called in each epoch between gradients and the step, so that more can be added to them; may be NULL. */
typedef struct sotto_i_generator_hook {
  void *context;
  sotto_status (*call)(void *context, sotto_i_generator *generator, const sotto_i_generator_turn *turn,
                       uint64_t epoch, sotto_error *err);
} sotto_i_generator_hook;
/* All epochs. Errors: INTERRUPTED, NUMERIC, NOMEM, those of the hook. */
sotto_status sotto_i_generator_fit(sotto_i_generator *generator, const sotto_i_generator_data *data,
                                   const sotto_key *key, const sotto_i_generator_hook *hook,
                                   sotto_error *err);
/* For the whole graph: made[n], how many rows each node gets, and rows (n x most width, fresh). */
sotto_status sotto_i_generator_make(uint32_t *made, sotto_matrix *rows, sotto_i_generator *generator,
                                    const sotto_i_generator_data *data, sotto_error *err);
/* The mean of what is made for each node, n x width, fresh. */
sotto_status sotto_i_generator_mean(sotto_matrix *out, sotto_i_generator *generator,
                                    const sotto_i_generator_data *data, sotto_error *err);

#endif
