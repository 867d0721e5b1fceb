/* Values that both sides of a federation compute: the model, its inputs, the clients of a round. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "federated.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "nn/params/params.h"
#include "protocol.h"

enum { model_streams = 1024, degree_classes = 32 };

sotto_status sotto_i_fed_model_new(sotto_i_fed_model *out, const sotto_i_federation *federation,
                                   sotto_error *err) {
  return sotto_i_fed_model_of(out, federation, SOTTO_I_BY_CLASS, err);
}

sotto_status sotto_i_fed_model_of(sotto_i_fed_model *out, const sotto_i_federation *federation,
                                  sotto_i_cluster_kind kind, sotto_error *err) {
  const sotto_options *o = federation->options;
  const sotto_i_fed_fusion fusion = sotto_i_fed_fused(o, federation->inputs);
  /* a perceptron: the mean over a row alone */
  const bool counts = federation->counts || sotto_i_fed_reads_rows(federation);
  const bool own = o->aggregator == SOTTO_LAYER_SAGE;
  const size_t columns = federation->inputs - sotto_i_fed_counts_width(federation, SOTTO_I_BY_CLASS);
  const sotto_i_graph_net_options options = {.gin = !counts && o->aggregator == SOTTO_LAYER_GIN,
                                             .mean = counts || own || o->aggregator == SOTTO_LAYER_MEAN,
                                             .layers = (size_t)o->layers,
                                             .in = columns + sotto_i_fed_counts_width(federation, kind),
                                             .hidden = (size_t)o->hidden,
                                             .out = federation->classes,
                                             .own = !counts && own,
                                             .beside = fusion.width,
                                             .beside_once = fusion.once,
                                             .dropout = (float)o->dropout};
  sotto_key key;
  sotto_status status;
  sotto_key_public(&key, federation->seed);
  *out = (sotto_i_fed_model){.params = NULL};
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_i_graph_net_new(&out->net, out->params, &options, model_streams, &key, err));
  if (federation->numbers)
    SOTTO_TRY(sotto_i_number_scale_new(&out->scale, out->params, "numbers", &key, err));
  for (size_t i = 0; i < sotto_params_count(out->params); i++) {
    const sotto_matrix *value = sotto_params_value(out->params, i);
    out->size += value->rows * value->cols;
  }
  out->momenta = federation->settings->local_momentum > 0;
  if (out->momenta) out->size *= 2;
done:
  if (status != SOTTO_OK) sotto_i_fed_model_free(out);
  return status;
}

void sotto_i_fed_model_free(sotto_i_fed_model *model) {
  sotto_params_free(model->params);
  *model = (sotto_i_fed_model){.params = NULL};
}

sotto_status sotto_i_fed_client_room(sotto_i_fed_client *c, sotto_error *err) {
  sotto_status status;
  sotto_matrix_free(&c->global);
  sotto_matrix_free(&c->update);
  SOTTO_TRY(sotto_matrix_new(&c->global, 1, c->model.size, err));
  SOTTO_TRY(sotto_matrix_new(&c->update, 1, c->model.size + SOTTO_I_FED_EXTRAS, err));
done:
  return status;
}

/* Part `half` of parameter i in the row of numbers: its values, or its momentum, which those that are not
 * trained lack. */
static sotto_matrix *part_of(const sotto_i_fed_model *model, int half, size_t i) {
  return half == 0 ? sotto_params_value(model->params, i) : &model->params->items[i]->first;
}

void sotto_i_fed_model_pack(float *out, const sotto_i_fed_model *model) {
  for (int half = 0; half < (model->momenta ? 2 : 1); half++)
    for (size_t i = 0; i < sotto_params_count(model->params); i++) {
      const sotto_matrix *from = part_of(model, half, i);
      if (from->data == NULL) continue;
      memcpy(out, from->data, from->rows * from->cols * sizeof *out);
      out += from->rows * from->cols;
    }
}

void sotto_i_fed_model_unpack(sotto_i_fed_model *model, const float *values) {
  for (int half = 0; half < (model->momenta ? 2 : 1); half++)
    for (size_t i = 0; i < sotto_params_count(model->params); i++) {
      sotto_matrix *to = part_of(model, half, i);
      if (to->data == NULL) continue;
      memcpy(to->data, values, to->rows * to->cols * sizeof *values);
      values += to->rows * to->cols;
    }
}

size_t sotto_i_fed_inputs(const sotto_dataset *data) {
  return data->features.cols > 0 ? data->features.cols : degree_classes;
}

sotto_status sotto_i_fed_features(sotto_matrix *out, const sotto_options *options, const sotto_dataset *data,
                                  sotto_error *err) {
  if (data->features.cols > 0) return sotto_i_scaled_features(out, options, data, err);
  sotto_status status = sotto_matrix_new(out, data->graph.nodes, degree_classes, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    double place = floor(4 * log2(1 + (double)sotto_graph_degree(&data->graph, v)));
    out->data[v * degree_classes + (size_t)fmin(place, degree_classes - 1)] = 1;
  }
  return SOTTO_OK;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void sotto_i_sort_numbers(uint32_t *numbers, size_t count) {
  qsort(numbers, count, sizeof *numbers, by_number);
}

sotto_status sotto_i_fed_round(uint32_t *out, const sotto_i_federation *federation, uint64_t round,
                               sotto_error *err) {
  uint32_t *order = NULL;
  sotto_key key;
  sotto_i_random random;
  sotto_status status = sotto_i_new_raw(&order, federation->clients, sizeof *order, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < federation->clients; i++) order[i] = i;
  sotto_key_public(&key, federation->seed);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TURN, 0, round);
  if (federation->taking < federation->clients) sotto_i_random_shuffle(&random, order, federation->clients);
  sotto_i_sort_numbers(order, federation->taking);
  memcpy(out, order, federation->taking * sizeof *out);
  sotto_i_free(order);
  return SOTTO_OK;
}

sotto_mlp sotto_i_fed_perceptron(const sotto_i_fed_client *c) {
  const sotto_i_graph_net *net = &c->model.net;
  sotto_mlp out = {
      .options = {.layers = net->options.layers, .activation = c->federation->options->activation}};
  for (size_t l = 0; l < net->options.layers; l++) {
    out.options.widths[l] = l == 0 ? net->options.in : net->options.hidden;
    out.linear[l] = net->convolution[l];
  }
  out.options.widths[net->options.layers] = net->options.out;
  return out;
}
