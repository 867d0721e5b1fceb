/* Graph networks of several layers as methods train them and predictions read them: gcn, mean, sage. */
#ifndef SOTTO_SRC_METHODS_GNN_GRAPH_MODEL_H
#define SOTTO_SRC_METHODS_GNN_GRAPH_MODEL_H

#include "run/method/method.h"

/* Where pertgraph keeps the graph that it released, in a seed's folder. */
#define SOTTO_I_PERTURBED_FILE "graph.sotto"

typedef struct sotto_i_graph_model {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  sotto_params *params;
  sotto_operator *spread;
  bool sage;
  sotto_linear layers[64];
  size_t own[64]; /* sage: weights of the own row, W */
  size_t count;
} sotto_i_graph_model;

/* Parameters and operator, for a zeroed model with job, parted and sage set; free it in any case. */
sotto_status sotto_i_graph_model_new(sotto_i_graph_model *model, const sotto_graph *graph, sotto_error *err);
void sotto_i_graph_model_free(sotto_i_graph_model *model);

/* What a layer makes of each row by itself, before the graph is used. */
typedef struct sotto_i_products {
  sotto_var spread, own; /* own: sage alone */
} sotto_i_products;
sotto_i_products sotto_i_graph_model_products(const sotto_i_graph_model *model, sotto_tape *tape, size_t k,
                                              sotto_var x);
/* And what the graph makes of that. */
sotto_var sotto_i_graph_model_layer(const sotto_i_graph_model *model, sotto_tape *tape, size_t k,
                                    const sotto_i_products *made);

#endif
