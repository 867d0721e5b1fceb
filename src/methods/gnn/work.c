/* Work of graph networks that are trained on the whole graph: gcn and mean, sage. */
#include "run/method/work.h"
#include "graph_model.h"

/* Layers as network_forward computes them: all nodes in every pass, once in training and once in validation.
 */
static bool count(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape, bool sage) {
  const double rows = (double)shape->nodes, factors = sage ? 2 : 1;
  sotto_plan_phase *p = sotto_i_work_phase(out, "network", o->epochs, rows, (double)o->hidden);
  const double features = (double)shape->features;
  out->node_values = 2 * features; /* as they are, and scaled */
  for (uint64_t k = 0; k < o->layers; k++) {
    const bool inner = k > 0, last = k + 1 == o->layers;
    const double in = inner ? (double)o->hidden : features, to = last ? shape->classes : (double)o->hidden;
    sotto_i_work_dropout(p, rows, in, o->dropout, inner);
    sotto_i_work_product(p, rows, in, to, factors * (inner ? 4 : 3));
    sotto_i_work_spread(p, shape, to, 3);
    p->passes += 3 * rows * to; /* the bias, and its gradient */
    if (sage) p->passes += 3 * rows * to;
    if (!last) sotto_i_work_activation(p, SOTTO_ACTIVATION_RELU, rows, rows, to);
    p->reduced += factors * in * to + to;
    /* Values and gradients: of the product, the sparse product, the biased rows, activated rows. */
    out->node_values += (sage ? 10 : 6) * to + (last ? 0 : 2 * to);
    if (o->dropout > 0) out->node_values += inner ? 2 * in : in;
  }
  const double train = o->train_share * rows, validation = o->validation_share * rows;
  sotto_i_work_scores(p, train, validation, shape->classes);
  return true;
}

bool sotto_i_gnn_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  return options->aggregator != SOTTO_LAYER_GIN && count(out, options, shape, false);
}

bool sotto_i_sage_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  return count(out, options, shape, true);
}
