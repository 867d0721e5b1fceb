/* Networks over one graph or a batch of graphs of any sizes. Nodes of all graphs are concatenated, so there
 * is no padding. The output for a graph is the mean of its nodes' outputs.
 * - GCN: layers S (dropout(X) W) + b with ReLU between them (Kipf and Welling 2017).
 * - GIN: layers MLP(x_v + sum of neighbours) of two steps with batch normalisation, then a perceptron of two
 *   steps (Xu et al. 2019).
 * - MEAN: as GCN with the mean over the closed neighbourhood, of all neighbours or of sampled ones
 *   (GraphSAGE, Hamilton et al. 2017). With rows to fuse, S (dropout(X) W) + Z W' + b: the embedding-fused
 *   convolution of Zhang et al. 2024, whose one matrix over [mean x || z] is split in two (statement 1). */
#ifndef SOTTO_SRC_NN_GRAPH_NET_H
#define SOTTO_SRC_NN_GRAPH_NET_H

#include "graph/kernels/hops.h"
#include "inside/nn.h"
#include "sotto/nn.h"
#include "tensor/sparse.h"

enum { SOTTO_I_GRAPH_LAYERS = 64 };

typedef struct sotto_i_graph_net_options {
  bool gin, mean;
  size_t layers, in, hidden, out;
  bool own;         /* GCN and MEAN: S (X W) + X W'' + b, so that a node's own row has its own weights */
  size_t beside;    /* MEAN: columns of the rows to fuse; 0: none */
  bool beside_once; /* in the first layer alone, else in each */
  bool embeds;      /* MEAN: all layers have `hidden` columns and ReLU, then a linear layer */
  bool fixed_last;  /* that layer keeps its initial values, so that networks with the same key have comparable
                       embeddings */
  float dropout;
} sotto_i_graph_net_options;

typedef struct sotto_i_graph_net {
  sotto_i_graph_net_options options;
  sotto_linear convolution[SOTTO_I_GRAPH_LAYERS];
  size_t own[SOTTO_I_GRAPH_LAYERS];    /* W'' */
  size_t beside[SOTTO_I_GRAPH_LAYERS]; /* MEAN: W' */
  sotto_linear linear;                 /* after embeddings */
  sotto_mlp step[SOTTO_I_GRAPH_LAYERS], head;
  uint32_t streams; /* first of its dropout streams */
} sotto_i_graph_net;

/* Nodes of one or more graphs. Borrowed. */
typedef struct sotto_i_graph_batch {
  const sotto_matrix *features;
  sotto_i_sparse *entries;      /* not NULL: replaces features, not in GIN; borrowed */
  bool fixed;                   /* features stay as they are until the tape is freed */
  const sotto_operator *spread; /* GCN, SUM or MEAN, with own rows */
  const sotto_i_hops *hops;     /* MEAN: sampled neighbours; NULL: all */
  const sotto_matrix *beside;   /* rows to fuse, which do not change, like fixed features */
  const sotto_var *beside_var;  /* the same, on the tape */
  size_t graphs;                /* 0: the outputs are for nodes */
  const uint64_t *first;        /* graphs + 1 borders */
} sotto_i_graph_batch;

/* The operator of the network's convolutions. */
sotto_status sotto_i_graph_net_operator(sotto_operator **out, const sotto_i_graph_net_options *options,
                                        const sotto_graph *graph, sotto_error *err);
/* Errors: RANGE (layers outside 1 to SOTTO_I_GRAPH_LAYERS), NOMEM. */
sotto_status sotto_i_graph_net_new(sotto_i_graph_net *out, sotto_params *params,
                                   const sotto_i_graph_net_options *options, uint32_t streams,
                                   const sotto_key *key, sotto_error *err);
/* Logits of all nodes, nodes x out. */
sotto_var sotto_i_graph_net_nodes(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch);
/* Input of the last linear layer of a network that embeds: nodes x hidden, never negative. */
sotto_var sotto_i_graph_net_embed(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch);
/* Logits of all nodes, or of each graph as the mean of its nodes' logits. */
sotto_var sotto_i_graph_net_apply(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch);
/* Mean over the rows of each graph: graphs x d; a graph without nodes gives zeros. The batch is borrowed
 * until the tape's next reset. */
sotto_var sotto_i_graph_mean(sotto_tape *tape, sotto_var x, const sotto_i_graph_batch *batch);

#endif
