/* A generator of missing neighbours (Zhang et al. 2024; NeighGen of Zhang et al. 2021). Some nodes of a graph
 * are hidden. From the rest it learns, for every node, the number of missing neighbours and their rows. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_GENERATOR_H
#define SOTTO_SRC_METHODS_FEDDEP_GENERATOR_H

#include "candidates.h"
#include "generator_loss.h"
#include "inside/nn.h"
#include "nn/graph_net.h"

typedef struct sotto_i_generator_options {
  size_t in, hidden, layers; /* of encoder and classifier */
  size_t width, most;        /* columns of a generated row, and the most rows for a node */
  size_t classes;
  bool beside_once;
  double hide;                                      /* share of hidden nodes, drawn in each epoch */
  double count_weight, hidden_weight, other_weight; /* a, b, c; that of classification is 1 */
  double rate;                                      /* Bernoulli sampler of prototypes */
  size_t fan_out;                                   /* 0: all neighbours */
  uint64_t epochs;
  sotto_adam adam;
  float dropout;
} sotto_i_generator_options;

typedef struct sotto_i_generator {
  sotto_i_generator_options options;
  sotto_params *params, *judge; /* of the generator, and of the classifier in its loss */
  sotto_i_graph_net encoder, classifier;
  sotto_linear rows;
} sotto_i_generator;

/* Its training data, all borrowed. */
typedef struct sotto_i_generator_data {
  const sotto_graph *graph;
  const sotto_matrix *features, *targets; /* a row a node; the target of a hidden node is to be generated */
  sotto_i_sparse *entries;                /* not NULL: the features; then `features` has only the shape */
  const int32_t *labels;
  const uint32_t *training; /* nodes with labels for training */
  size_t training_count;
  const sotto_matrix *others;           /* prototypes of all other clients, or NULL */
  const sotto_i_candidates *candidates; /* groups of them; NULL: none */
} sotto_i_generator_data;

/* One draw of hidden nodes, with everything that depends on it. */
typedef struct sotto_i_generator_turn {
  sotto_graph visible;
  sotto_i_hops hops;
  bool *hidden;
  float *wanted;                       /* number of hidden neighbours of each node */
  uint32_t *made, *predicted;          /* number of rows in the loss, and of fused rows */
  uint32_t *seen, *completed, *learnt; /* visible nodes; those with missing neighbours; those with labels */
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
/* Draws new hidden nodes, by streams of (key, epoch). */
sotto_status sotto_i_generator_turn_draw(sotto_i_generator_turn *turn, const sotto_i_generator *generator,
                                         const sotto_i_generator_data *data, const sotto_key *key,
                                         uint64_t epoch, sotto_error *err);
void sotto_i_generator_turn_free(sotto_i_generator_turn *turn);
/* The loss of the turn: a smooth-l1 + b nearest hidden + c nearest of others + cross entropy on the
 * completed graph. */
sotto_var sotto_i_generator_loss(sotto_i_generator *generator, sotto_i_generator_turn *turn,
                                 const sotto_i_generator_data *data, const sotto_pass *pass);
/* Called in each epoch between gradients and the step, to add to the gradients; may be NULL. */
typedef struct sotto_i_generator_hook {
  void *context;
  sotto_status (*call)(void *context, sotto_i_generator *generator, const sotto_i_generator_turn *turn,
                       uint64_t epoch, sotto_error *err);
} sotto_i_generator_hook;
/* All epochs. Errors: INTERRUPTED, NUMERIC, NOMEM, those of the hook. */
sotto_status sotto_i_generator_fit(sotto_i_generator *generator, const sotto_i_generator_data *data,
                                   const sotto_key *key, const sotto_i_generator_hook *hook,
                                   sotto_error *err);
/* For the whole graph: made[n], the number of rows of each node, and the rows (n x most width, fresh). */
sotto_status sotto_i_generator_make(uint32_t *made, sotto_matrix *rows, sotto_i_generator *generator,
                                    const sotto_i_generator_data *data, sotto_error *err);
/* The mean of each node's generated rows, n x width, fresh. */
sotto_status sotto_i_generator_mean(sotto_matrix *out, sotto_i_generator *generator,
                                    const sotto_i_generator_data *data, sotto_error *err);

#endif
