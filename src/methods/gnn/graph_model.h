/* Graph networks of several layers, for training and for predictions: gcn, mean, sage. */
#ifndef SOTTO_SRC_METHODS_GNN_GRAPH_MODEL_H
#define SOTTO_SRC_METHODS_GNN_GRAPH_MODEL_H

#include "inside/nn.h"
#include "protocols/private_mlp.h"
#include "run/train/predict.h"

/* The file of pertgraph's released graph in a seed's folder. */
#define SOTTO_I_PERTURBED_FILE "graph.sotto"

typedef struct sotto_i_graph_model {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  sotto_i_sparse entries; /* features in training: here if they are sparse, */
  sotto_matrix own_rows;  /* or here, scaled, if the job reads them by rows */
  sotto_params *params;
  sotto_operator *spread;
  bool sage;
  sotto_linear layers[64];
  size_t own[64]; /* sage: weights of the own row, W */
  size_t count;
  sotto_i_number_scale scale; /* in regression: the last step */
} sotto_i_graph_model;

/* Makes parameters and operator of a zeroed model whose job, parted and sage are set; free it in any case. */
sotto_status sotto_i_graph_model_new(sotto_i_graph_model *model, const sotto_graph *graph, sotto_error *err);
void sotto_i_graph_model_free(sotto_i_graph_model *model);

/* The part of a layer that depends on each row alone, without the graph. */
typedef struct sotto_i_products {
  sotto_var spread, own; /* own: sage alone */
} sotto_i_products;
sotto_i_products sotto_i_graph_model_products(const sotto_i_graph_model *model, sotto_tape *tape, size_t k,
                                              sotto_var x);
/* The rest of the layer, which depends on the graph; of the last one in the unit of the numbers. */
sotto_var sotto_i_graph_model_layer(const sotto_i_graph_model *model, sotto_tape *tape, size_t k,
                                    const sotto_i_products *made);

/* Without privacy: GIN, GCN or mean by the option `aggregator`; GraphSAGE; GraphSAGE on another graph over
 * the job's nodes. */
sotto_status sotto_i_gnn_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_sage_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_sage_on(sotto_i_outcome *out, const sotto_i_job *job, const sotto_graph *graph,
                             sotto_error *err);
/* GraphSAGE of one hop at node level. */
extern const sotto_i_private_mlp sotto_i_sage_of_one_hop;

/* predict.c. Those of pertgraph use the perturbed graph in the run folder. */
sotto_status sotto_i_predict_graph(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
sotto_status sotto_i_predict_sage(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
sotto_status sotto_i_predict_perturbed(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

#endif
