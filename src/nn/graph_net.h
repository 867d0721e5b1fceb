/* Networks over graphs of any sizes at once: nodes of all graphs stand one after the other, so that nothing
 * is padded; what is said of a graph is the mean of what is said of its nodes. GCN  layers S (dropout(X) W) +
 * b with ReLU between (Kipf and Welling 2017) GIN  layers MLP(x_v + sum of neighbours) of two steps with
 * batch normalisation, then a perceptron of two steps (Xu et al. 2019) */
#ifndef SOTTO_SRC_NN_GRAPH_NET_H
#define SOTTO_SRC_NN_GRAPH_NET_H

#include "sotto/graph.h"
#include "sotto/nn.h"

enum { SOTTO_I_GRAPH_LAYERS = 64 };

typedef struct sotto_i_graph_net_options {
  bool gin;
  size_t layers, in, hidden, out;
  float dropout;
} sotto_i_graph_net_options;

typedef struct sotto_i_graph_net {
  sotto_i_graph_net_options options;
  sotto_linear convolution[SOTTO_I_GRAPH_LAYERS];
  sotto_mlp step[SOTTO_I_GRAPH_LAYERS], head;
  uint32_t streams; /* first of its dropout streams */
} sotto_i_graph_net;

/* Nodes of one or more graphs. Borrowed. */
typedef struct sotto_i_graph_batch {
  const sotto_matrix *features;
  bool fixed;                   /* features stay as they are until the tape is freed */
  const sotto_operator *spread; /* GCN or SUM, with own rows */
  size_t graphs;                /* 0: what is asked is asked of nodes */
  const uint64_t *first;        /* graphs + 1 borders */
} sotto_i_graph_batch;

/* The operator that the network spreads rows with. */
sotto_status sotto_i_graph_net_operator(sotto_operator **out, const sotto_i_graph_net_options *options,
                                        const sotto_graph *graph, sotto_error *err);
/* Errors: RANGE (layers outside 1 to SOTTO_I_GRAPH_LAYERS), NOMEM. */
sotto_status sotto_i_graph_net_new(sotto_i_graph_net *out, sotto_params *params,
                                   const sotto_i_graph_net_options *options, uint32_t streams,
                                   const sotto_key *key, sotto_error *err);
/* Logits of all nodes, nodes x out. */
sotto_var sotto_i_graph_net_nodes(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch);
/* Logits of what is asked: of all nodes, or of each graph, from those of its nodes. */
sotto_var sotto_i_graph_net_apply(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch);
/* Mean over the rows of each graph: graphs x d; a graph without nodes gives zeros. The batch is borrowed
 * until the tape's next reset. */
sotto_var sotto_i_graph_mean(sotto_tape *tape, sotto_var x, const sotto_i_graph_batch *batch);

#endif
