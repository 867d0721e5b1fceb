/* GCN and GIN over one graph or a batch of them. */
#include "graph_net.h"

#include <stdio.h>

#include "base/error.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "tensor/tape.h"

sotto_status sotto_i_graph_net_operator(sotto_operator **out, const sotto_i_graph_net_options *options,
                                        const sotto_graph *graph, sotto_error *err) {
  sotto_aggregator kind = options->gin    ? SOTTO_AGGREGATOR_SUM
                          : options->mean ? SOTTO_AGGREGATOR_MEAN
                                          : SOTTO_AGGREGATOR_GCN;
  return sotto_operator_new(out, graph, kind, 0, true, err);
}

/* Streams of a perceptron's dropout; a convolution uses one. */
enum { streams_each = SOTTO_MLP_LAYERS + 1 };

/* Does this layer fuse extra rows? */
static bool fuses(const sotto_i_graph_net_options *o, size_t layer) {
  return o->beside > 0 && (layer == 0 || !o->beside_once);
}

static sotto_status add_layer(sotto_i_graph_net *net, sotto_params *params, size_t layer,
                              const sotto_key *key, sotto_error *err) {
  const sotto_i_graph_net_options *o = &net->options;
  size_t in = layer == 0 ? o->in : o->hidden;
  char name[40];
  (void)snprintf(name, sizeof name, "layer%zu", layer + 1);
  if (!o->gin) {
    size_t out = layer + 1 == o->layers && !o->embeds ? o->out : o->hidden;
    sotto_status status = sotto_linear_new(&net->convolution[layer], params, name, in, out, key, err);
    if (status == SOTTO_OK && o->own) {
      (void)snprintf(name, sizeof name, "layer%zu.own", layer + 1);
      status = sotto_params_add(params, &net->own[layer], name, in, out, SOTTO_INIT_GLOROT, true, key, err);
    }
    if (status != SOTTO_OK || !fuses(o, layer)) return status;
    /* Zero, so that training begins as without fusion. */
    (void)snprintf(name, sizeof name, "layer%zu.beside", layer + 1);
    return sotto_params_add(params, &net->beside[layer], name, o->beside, out, SOTTO_INIT_ZERO, true, key,
                            err);
  }
  const sotto_mlp_options step = {.widths = {in, o->hidden, o->hidden},
                                  .layers = 2,
                                  .activation = SOTTO_ACTIVATION_RELU,
                                  .batch_norm = true,
                                  .activate_last = true};
  return sotto_mlp_new(&net->step[layer], params, name, &step, net->streams + (uint32_t)layer * streams_each,
                       key, err);
}

static sotto_status add_last(sotto_i_graph_net *net, sotto_params *params, const sotto_key *key,
                             sotto_error *err) {
  const sotto_i_graph_net_options *o = &net->options;
  sotto_status status;
  if (!o->fixed_last) return sotto_linear_new(&net->linear, params, "last", o->hidden, o->out, key, err);
  SOTTO_TRY(sotto_params_add(params, &net->linear.weight, "last.weight", o->hidden, o->out, SOTTO_INIT_GLOROT,
                             false, key, err));
  SOTTO_TRY(
      sotto_params_add(params, &net->linear.bias, "last.bias", 1, o->out, SOTTO_INIT_ZERO, false, key, err));
done:
  return status;
}

sotto_status sotto_i_graph_net_new(sotto_i_graph_net *out, sotto_params *params,
                                   const sotto_i_graph_net_options *options, uint32_t streams,
                                   const sotto_key *key, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_graph_net){.options = *options, .streams = streams};
  if (options->layers < 1 || options->layers > SOTTO_I_GRAPH_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu layers; 1 to %d are possible", options->layers,
                        SOTTO_I_GRAPH_LAYERS);
  for (size_t layer = 0; layer < options->layers; layer++) SOTTO_TRY(add_layer(out, params, layer, key, err));
  if (options->embeds) SOTTO_TRY(add_last(out, params, key, err));
  if (!options->gin) goto done;
  const sotto_mlp_options head = {.widths = {options->hidden, options->hidden, options->out},
                                  .layers = 2,
                                  .activation = SOTTO_ACTIVATION_RELU,
                                  .dropout = options->dropout};
  SOTTO_TRY(sotto_mlp_new(&out->head, params, "head", &head,
                          streams + (uint32_t)options->layers * streams_each, key, err));
done:
  return status;
}

static sotto_var convolve(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                          const sotto_i_graph_batch *batch, sotto_var x, size_t layer) {
  float dropout = pass->training ? net->options.dropout : 0;
  sotto_tape *tape = pass->tape;
  if (dropout > 0)
    x = sotto_tape_dropout(tape, x, dropout, pass->key, net->streams + (uint32_t)layer, pass->step);
  const sotto_var rows = x;
  x = sotto_tape_matmul(tape, x, sotto_params_var(params, net->convolution[layer].weight, tape));
  x = batch->hops != NULL ? sotto_i_hop_var(&batch->hops->each[layer], tape, x)
                          : sotto_operator_var(batch->spread, tape, x);
  if (net->options.own)
    x = sotto_tape_add(tape, x,
                       sotto_tape_matmul(tape, rows, sotto_params_var(params, net->own[layer], tape)));
  if (fuses(&net->options, layer)) {
    sotto_var z = batch->beside_var != NULL ? *batch->beside_var : sotto_tape_fixed(tape, batch->beside);
    if (dropout > 0)
      z = sotto_tape_dropout(tape, z, dropout, pass->key,
                             net->streams + (uint32_t)(SOTTO_I_GRAPH_LAYERS + layer), pass->step);
    z = sotto_tape_matmul(tape, z, sotto_params_var(params, net->beside[layer], tape));
    x = sotto_tape_add(tape, x, z);
  }
  x = sotto_tape_add_row(tape, x, sotto_params_var(params, net->convolution[layer].bias, tape));
  return layer + 1 < net->options.layers || net->options.embeds ? sotto_tape_relu(tape, x) : x;
}

sotto_var sotto_i_graph_net_embed(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch) {
  sotto_var x = batch->entries != NULL
                    ? sotto_i_tape_entries(pass->tape, &(sotto_i_sparse_view){batch->entries, NULL})
                : batch->fixed ? sotto_tape_fixed(pass->tape, batch->features)
                               : sotto_tape_constant(pass->tape, batch->features);
  for (size_t layer = 0; layer < net->options.layers; layer++)
    x = net->options.gin ? sotto_mlp_apply(&net->step[layer], params, pass,
                                           sotto_operator_var(batch->spread, pass->tape, x))
                         : convolve(net, params, pass, batch, x, layer);
  return x;
}

sotto_var sotto_i_graph_net_nodes(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch) {
  sotto_var x = sotto_i_graph_net_embed(net, params, pass, batch);
  if (net->options.embeds) return sotto_linear_apply(&net->linear, params, pass->tape, x);
  return net->options.gin ? sotto_mlp_apply(&net->head, params, pass, x) : x;
}

static float share_of(const sotto_i_graph_batch *batch, size_t g) {
  uint64_t size = batch->first[g + 1] - batch->first[g];
  return size == 0 ? 0 : 1 / (float)size;
}

static sotto_status mean_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                 sotto_error *err) {
  const sotto_i_graph_batch *batch = context;
  (void)err;
  for (size_t g = 0; g < batch->graphs; g++)
    for (size_t j = 0; j < x->cols; j++) {
      double total = 0;
      for (uint64_t v = batch->first[g]; v < batch->first[g + 1]; v++) total += x->data[v * x->cols + j];
      y->data[g * x->cols + j] = (float)(total * share_of(batch, g));
    }
  return SOTTO_OK;
}

static sotto_status mean_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                  const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_graph_batch *batch = context;
  (void)x, (void)y, (void)err;
  for (size_t g = 0; g < batch->graphs; g++)
    for (uint64_t v = batch->first[g]; v < batch->first[g + 1]; v++)
      for (size_t j = 0; j < dx->cols; j++)
        dx->data[v * dx->cols + j] += share_of(batch, g) * dy->data[g * dx->cols + j];
  return SOTTO_OK;
}

sotto_var sotto_i_graph_mean(sotto_tape *tape, sotto_var x, const sotto_i_graph_batch *batch) {
  static const sotto_tape_op op = {"mean of a graph", mean_forward, mean_backward};
  return sotto_tape_custom(tape, x, batch->graphs, sotto_tape_value(tape, x).cols, &op, batch);
}

sotto_var sotto_i_graph_net_apply(const sotto_i_graph_net *net, sotto_params *params, const sotto_pass *pass,
                                  const sotto_i_graph_batch *batch) {
  sotto_var x = sotto_i_graph_net_nodes(net, params, pass, batch);
  /* A mean, also for GIN: the logits of a sum would grow with the graph. */
  return batch->graphs == 0 ? x : sotto_i_graph_mean(pass->tape, x, batch);
}
