/* --method fedsage+: the generator's federation. In each epoch each client in turn sends the last layer of
 * its generator and that layer's inputs for some nodes. Every other client answers with the gradient of the
 * distance from the outputs to the nearest of some of its own nodes' features. */
#include "fedsage_plus.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "feddep.h"
#include "generator.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "kept_generator.h"
#include "methods/federated/federated.h"
#include "options.h"
#include "tensor/tape.h"

/* The edges of the graph, and one from each node to each of its generated neighbours. */
static sotto_status complete_edges(sotto_graph *out, const sotto_graph *graph, const uint32_t *made,
                                   uint64_t added, sotto_error *err) {
  uint32_t *pairs[2] = {NULL, NULL};
  uint64_t count = 0, next = graph->nodes;
  sotto_status status;
  for (int i = 0; i < 2; i++)
    SOTTO_TRY(sotto_i_new_raw(&pairs[i], graph->entries / 2 + added, sizeof(uint32_t), err));
  for (uint64_t v = 0; v < graph->nodes; v++) {
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (graph->targets[e] <= v) continue;
      pairs[0][count] = (uint32_t)v;
      pairs[1][count++] = graph->targets[e];
    }
    for (uint32_t p = 0; p < made[v]; p++) {
      pairs[0][count] = (uint32_t)v;
      pairs[1][count++] = (uint32_t)next++;
    }
  }
  SOTTO_TRY(sotto_graph_from_pairs(out, next, pairs[0], pairs[1], count, err));
done:
  for (int i = 0; i < 2; i++) sotto_i_free(pairs[i]);
  return status;
}

static sotto_status complete_features(sotto_matrix *out, const sotto_matrix *features, const uint32_t *made,
                                      const sotto_matrix *rows, uint64_t added, sotto_error *err) {
  size_t cols = features->cols, at = features->rows * cols;
  sotto_status status = sotto_matrix_new(out, features->rows + added, cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, features->data, at * sizeof(float));
  for (size_t v = 0; v < features->rows; v++) {
    memcpy(out->data + at, rows->data + v * rows->cols, made[v] * cols * sizeof(float));
    at += made[v] * cols;
  }
  return SOTTO_OK;
}

/* Takes ownership of `features` and `completed`. */
static sotto_status replace_graph(sotto_i_fed_client *c, sotto_matrix *features, sotto_graph *completed,
                                  sotto_error *err) {
  size_t layers = c->model.net.options.layers;
  sotto_status status;
  sotto_tape_free(c->tape); /* it may borrow the old features */
  c->tape = NULL;
  sotto_operator_free(c->spread);
  c->spread = NULL;
  sotto_matrix_free(&c->features);
  c->features = *features;
  *features = (sotto_matrix){0};
  sotto_graph_free(&c->completed);
  c->completed = *completed;
  *completed = (sotto_graph){0};
  SOTTO_TRY(sotto_tape_new(&c->tape, err));
  SOTTO_TRY(sotto_i_graph_net_operator(&c->spread, &c->model.net.options, &c->completed, err));
  if (c->hops.count == 0) goto done;
  sotto_i_hops_free(&c->hops);
  SOTTO_TRY(sotto_i_hops_new(&c->hops, layers, (size_t)c->federation->options->fan_out, &c->completed, err));
done:
  return status;
}

/* Gives each node of the client as many generated neighbours as the generator predicts, with generated
 * features. client->features, spread and hops then have own nodes first, generated ones after. */
static sotto_status complete_client(sotto_i_fed_client *c, sotto_i_generator *generator,
                                    const sotto_i_generator_data *data, sotto_error *err) {
  uint32_t *made = NULL;
  uint64_t added = 0;
  sotto_matrix rows = {0}, features = {0};
  sotto_graph completed = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&made, data->graph->nodes, sizeof *made, err));
  SOTTO_TRY(sotto_i_generator_make(made, &rows, generator, data, err));
  for (uint64_t v = 0; v < data->graph->nodes; v++) added += made[v];
  SOTTO_TRY(complete_edges(&completed, data->graph, made, added, err));
  SOTTO_TRY(complete_features(&features, data->features, made, &rows, added, err));
  SOTTO_TRY(replace_graph(c, &features, &completed, err));
done:
  sotto_i_free(made);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&features);
  sotto_graph_free(&completed);
  return status;
}

enum { generator_streams = 1 << 17, asked = 64, stream_asked = 9, stream_own = 10 };

static const char *const layer_reason = "other clients compute gradients for it on their own features";
static const char *const inputs_reason = "other clients need what goes into that layer for some nodes";
static const char *const gradient_reason = "gradients on a client's features, for another's generator";

/* Messages between clients: layer and gradient are (hidden + 1) x (most inputs), the bias last. */
typedef struct exchange {
  sotto_i_fed_client *client;
  sotto_i_generator *generator;
  sotto_tape *tape;
  sotto_matrix layer, gradient, inputs;
  uint32_t *list, *nearest, rows[asked], made[asked];
} exchange;

static void exchange_free(exchange *x) {
  sotto_tape_free(x->tape);
  sotto_matrix_free(&x->layer);
  sotto_matrix_free(&x->gradient);
  sotto_matrix_free(&x->inputs);
  sotto_i_free(x->list);
  sotto_i_free(x->nearest);
}

static sotto_status exchange_new(exchange *x, sotto_i_fed_client *c, sotto_i_generator *m, sotto_error *err) {
  size_t hidden = m->options.hidden, made = m->options.most * m->options.width;
  sotto_status status;
  *x = (exchange){.client = c, .generator = m};
  SOTTO_TRY(sotto_tape_new(&x->tape, err));
  sotto_i_tape_lean(x->tape);
  SOTTO_TRY(sotto_matrix_new(&x->layer, hidden + 1, made, err));
  SOTTO_TRY(sotto_matrix_new(&x->gradient, hidden + 1, made, err));
  SOTTO_TRY(sotto_matrix_new(&x->inputs, asked, hidden, err));
  SOTTO_TRY(sotto_i_new(&x->list, asked, sizeof *x->list, err));
  SOTTO_TRY(sotto_i_new(&x->nearest, asked * m->options.most, sizeof *x->nearest, err));
  for (uint32_t i = 0; i < asked; i++) {
    x->rows[i] = i;
    x->made[i] = (uint32_t)m->options.most;
  }
done:
  return status;
}

static sotto_expectation expectation_of(const char *name, const sotto_matrix *shape) {
  return (sotto_expectation){
      .name = name, .kind = SOTTO_WIRE_EXPOSED, .rows = shape->rows, .cols = shape->cols};
}

static void draw_nodes(uint32_t *out, const sotto_i_fed_client *c, uint32_t stream, uint64_t epoch) {
  sotto_i_random random;
  sotto_i_random_init(&random, &c->key, SOTTO_I_PURPOSE_BATCH, stream, epoch);
  for (size_t i = 0; i < asked; i++) out[i] = (uint32_t)sotto_i_random_below(&random, c->data.graph.nodes);
}

/* Sends the own layer, with its inputs for drawn nodes. */
static sotto_status fill_own(exchange *x, const sotto_i_generator_turn *turn, uint64_t epoch,
                             sotto_error *err) {
  sotto_i_generator *m = x->generator;
  const sotto_matrix *weight = sotto_params_value(m->params, m->rows.weight);
  const sotto_matrix *bias = sotto_params_value(m->params, m->rows.bias);
  const sotto_pass pass = {.tape = x->tape};
  const sotto_i_graph_batch batch = {.features = &x->client->features, .fixed = true, .hops = &turn->hops};
  uint32_t nodes[asked];
  sotto_tape_reset(x->tape);
  sotto_var h = sotto_i_graph_net_embed(&m->encoder, m->params, &pass, &batch);
  sotto_status status = sotto_tape_check(x->tape, err);
  if (status != SOTTO_OK) return status;
  const sotto_matrix value = sotto_tape_value(x->tape, h);
  draw_nodes(nodes, x->client, stream_asked, epoch);
  for (size_t i = 0; i < asked; i++)
    memcpy(x->inputs.data + i * value.cols, value.data + nodes[i] * value.cols, value.cols * sizeof(float));
  memcpy(x->layer.data, weight->data, weight->rows * weight->cols * sizeof(float));
  memcpy(x->layer.data + weight->rows * weight->cols, bias->data, bias->cols * sizeof(float));
  return SOTTO_OK;
}

/* The gradient of the mean distance to the nearest of own drawn nodes, for another client's layer. */
static sotto_status fill_gradient(exchange *x, uint64_t epoch, sotto_error *err) {
  const sotto_i_generator_options *o = &x->generator->options;
  size_t hidden = o->hidden, cols = x->layer.cols;
  const sotto_matrix weight = {x->layer.data, hidden, cols}, bias = {x->layer.data + hidden * cols, 1, cols};
  sotto_matrix by_weight = {x->gradient.data, hidden, cols};
  sotto_matrix by_bias = {x->gradient.data + hidden * cols, 1, cols};
  const size_t begin[2] = {0, asked};
  const sotto_i_nearest_row near = {.rows = x->rows,
                                    .made = x->made,
                                    .count = asked,
                                    .most = o->most,
                                    .width = o->width,
                                    .groups = 1,
                                    .shared = true,
                                    .begin = begin,
                                    .list = x->list,
                                    .candidates = &x->client->features,
                                    .nearest = x->nearest};
  draw_nodes(x->list, x->client, stream_own, epoch);
  memset(x->gradient.data, 0, x->gradient.rows * cols * sizeof(float));
  sotto_tape_reset(x->tape);
  sotto_var y = sotto_tape_linear(x->tape, sotto_tape_constant(x->tape, &x->inputs),
                                  sotto_tape_parameter(x->tape, &weight, &by_weight),
                                  sotto_tape_parameter(x->tape, &bias, &by_bias));
  sotto_status status = sotto_tape_backward(x->tape, sotto_i_nearest_row_var(&near, x->tape, y), err);
  sotto_tape_reset(x->tape);
  return status;
}

static void add_gradient(exchange *x) {
  sotto_i_generator *m = x->generator;
  sotto_matrix *weight = sotto_params_gradient(m->params, m->rows.weight);
  sotto_matrix *bias = sotto_params_gradient(m->params, m->rows.bias);
  float c = (float)m->options.other_weight;
  size_t size = weight->rows * weight->cols;
  for (size_t i = 0; i < size; i++) weight->data[i] += c * x->gradient.data[i];
  for (size_t j = 0; j < bias->cols; j++) bias->data[j] += c * x->gradient.data[size + j];
}

static sotto_status exchange_gradients(void *context, sotto_i_generator *generator,
                                       const sotto_i_generator_turn *turn, uint64_t epoch, sotto_error *err) {
  exchange *x = context;
  sotto_link *link = x->client->link;
  const sotto_expectation layer = expectation_of("another's generator", &x->layer);
  const sotto_expectation inputs = expectation_of("another's generator inputs", &x->inputs);
  const sotto_expectation sum = expectation_of("generator gradients", &x->gradient);
  sotto_status status = SOTTO_OK;
  (void)generator;
  for (uint32_t i = 0; i < x->client->federation->clients; i++) {
    if (i == x->client->number) {
      SOTTO_TRY(fill_own(x, turn, epoch, err));
      SOTTO_TRY(sotto_link_send_exposed(link, "generator", layer_reason, &x->layer, err));
      SOTTO_TRY(sotto_link_send_exposed(link, "generator inputs", inputs_reason, &x->inputs, err));
      SOTTO_TRY(sotto_link_receive(link, &x->gradient, &sum, err));
      add_gradient(x);
    } else {
      SOTTO_TRY(sotto_link_receive(link, &x->layer, &layer, err));
      SOTTO_TRY(sotto_link_receive(link, &x->inputs, &inputs, err));
      SOTTO_TRY(fill_gradient(x, epoch * x->client->federation->clients + i, err));
      SOTTO_TRY(sotto_link_send_exposed(link, "generator gradient", gradient_reason, &x->gradient, err));
    }
  }
done:
  return status;
}

sotto_status sotto_i_fedsage_plus_prepare(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const sotto_i_generator_options options = sotto_i_feddep_generator(f, f->inputs);
  const sotto_i_generator_data data = sotto_i_feddep_data(c, &c->features);
  sotto_i_generator generator = {.params = NULL};
  exchange x = {.client = NULL};
  sotto_key key;
  sotto_status status;
  sotto_key_public(&key, f->seed);
  SOTTO_TRY(sotto_i_generator_new(&generator, &options, generator_streams, &key, err));
  SOTTO_TRY(exchange_new(&x, c, &generator, err));
  const sotto_i_generator_hook hook = {&x, exchange_gradients};
  SOTTO_TRY(sotto_i_generator_fit(&generator, &data, &c->key, &hook, err));
  SOTTO_TRY(sotto_i_generator_keep(&generator, c, 0, err));
  SOTTO_TRY(complete_client(c, &generator, &data, err));
done:
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "generator");
  exchange_free(&x);
  sotto_i_generator_free(&generator);
  return status;
}

sotto_status sotto_i_fedsage_plus_complete(sotto_i_fed_client *c, const char *folder, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const sotto_i_generator_options options = sotto_i_feddep_generator(f, f->inputs);
  const sotto_matrix own = {c->features.data, c->data.graph.nodes, c->features.cols};
  sotto_i_generator_data data = sotto_i_feddep_data(c, NULL);
  sotto_i_generator generator = {.params = NULL};
  sotto_key key;
  sotto_status status;
  data.features = &own;
  sotto_key_public(&key, f->seed);
  SOTTO_TRY(sotto_i_generator_new(&generator, &options, generator_streams, &key, err));
  SOTTO_TRY(sotto_i_generator_load(&generator, c, 0, folder, err));
  SOTTO_TRY(complete_client(c, &generator, &data, err));
done:
  sotto_i_generator_free(&generator);
  return status;
}

/* Passes client i's message to all others, and the sum of their answers back to it. */
static sotto_status serve_client(sotto_i_fed_server *s, uint32_t i, sotto_matrix *layer, sotto_matrix *inputs,
                                 sotto_matrix *sum, sotto_error *err) {
  const sotto_expectation shown = expectation_of("generator", layer),
                          into = expectation_of("generator inputs", inputs);
  const sotto_expectation answer = expectation_of("generator gradient", layer);
  size_t size = layer->rows * layer->cols;
  sotto_status status;
  SOTTO_TRY(sotto_link_receive(s->links[i], layer, &shown, err));
  SOTTO_TRY(sotto_link_receive(s->links[i], inputs, &into, err));
  for (uint32_t j = 0; j < s->federation->clients; j++) {
    if (j == i) continue;
    SOTTO_TRY(sotto_link_send_exposed(s->links[j], "another's generator", layer_reason, layer, err));
    SOTTO_TRY(sotto_link_send_exposed(s->links[j], "another's generator inputs", inputs_reason, inputs, err));
  }
  memset(sum->data, 0, size * sizeof(float));
  for (uint32_t j = 0; j < s->federation->clients; j++) {
    if (j == i) continue;
    SOTTO_TRY(sotto_link_receive(s->links[j], layer, &answer, err));
    for (size_t k = 0; k < size; k++) sum->data[k] += layer->data[k];
  }
  SOTTO_TRY(sotto_link_send_exposed(s->links[i], "generator gradients", gradient_reason, sum, err));
done:
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "generator of client %u", (unsigned)i + 1);
  return status;
}

sotto_status sotto_i_fedsage_plus_serve(sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  size_t hidden = (size_t)f->options->hidden, made = SOTTO_I_MOST_MISSING * f->inputs;
  sotto_matrix layer = {0}, inputs = {0}, sum = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&layer, hidden + 1, made, err));
  SOTTO_TRY(sotto_matrix_new(&sum, hidden + 1, made, err));
  SOTTO_TRY(sotto_matrix_new(&inputs, asked, hidden, err));
  for (uint64_t epoch = 0; epoch < sotto_i_part_settings_of(f->options)->generator_epochs; epoch++)
    for (uint32_t i = 0; i < f->clients; i++) SOTTO_TRY(serve_client(s, i, &layer, &inputs, &sum, err));
done:
  sotto_matrix_free(&layer);
  sotto_matrix_free(&inputs);
  sotto_matrix_free(&sum);
  return status;
}
