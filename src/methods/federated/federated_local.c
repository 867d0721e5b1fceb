/* The work of a client with the received model: local epochs, and results on its items. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "federated.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "numbers.h"

static const int32_t *labels_of(const sotto_i_fed_client *c) {
  return c->federation->graphs ? c->data.graph_labels : c->data.labels;
}

static sotto_i_graph_batch full_batch(const sotto_i_fed_client *c) {
  return (sotto_i_graph_batch){.features = &c->features,
                               .entries = c->entries,
                               .fixed = true,
                               .spread = c->spread,
                               .beside = &c->beside,
                               .graphs = c->federation->graphs ? c->data.graph_count : 0,
                               .first = c->data.graph_first};
}

/* The same for training: with sampled neighbours, if requested. */
static sotto_i_graph_batch training_batch(const sotto_i_fed_client *c) {
  sotto_i_graph_batch batch = full_batch(c);
  batch.hops = c->hops.count > 0 ? &c->hops : NULL;
  return batch;
}

/* The network's outputs, in the unit of the numbers where it learns these. */
static sotto_var outputs_of(sotto_i_fed_client *c, const sotto_pass *pass, const sotto_i_graph_batch *batch) {
  const sotto_var outputs = sotto_i_graph_net_apply(&c->model.net, c->model.params, pass, batch);
  return c->federation->numbers
             ? sotto_i_number_scale_apply(&c->model.scale, c->model.params, pass->tape, outputs)
             : outputs;
}

/* FedProx (Li et al. 2020): adds mu (w - w_global) to the gradient. */
static void add_proximal_term(sotto_i_fed_client *c) {
  const float mu = (float)c->federation->settings->prox_mu, *global = c->global.data;
  for (size_t i = 0; i < sotto_params_count(c->model.params); i++) {
    const sotto_matrix *value = sotto_params_value(c->model.params, i);
    sotto_matrix *gradient = sotto_params_gradient(c->model.params, i);
    size_t size = value->rows * value->cols;
    for (size_t j = 0; j < size; j++) gradient->data[j] += mu * (value->data[j] - global[j]);
    global += size;
  }
}

static sotto_status apply_gradient(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_client_settings *own = c->federation->settings;
  if (own->prox_mu > 0) add_proximal_term(c);
  if (own->optimiser == SOTTO_I_OPTIMISER_SGD) {
    const sotto_sgd sgd = {.learning_rate = (float)o->learning_rate,
                           .momentum = (float)own->local_momentum,
                           .weight_decay = (float)o->weight_decay};
    return sotto_sgd_step(c->model.params, &sgd, err);
  }
  if (own->optimiser == SOTTO_I_OPTIMISER_SERVER_ADAM) {
    const sotto_sgd sgd = {.learning_rate = (float)SOTTO_I_LOCAL_RATE,
                           .weight_decay = (float)o->weight_decay};
    return sotto_sgd_step(c->model.params, &sgd, err);
  }
  const sotto_i_training training = sotto_i_job_training(o, 1);
  return sotto_adam_step(c->model.params, &training.adam, err);
}

/* The gradient of the mean loss on rows[0..count) of the batch, and the loss. Where failures are hidden a
 * loss that is not finite is none, and takes as long as any other. */
static sotto_status compute_gradient(sotto_i_fed_client *c, const sotto_i_graph_batch *batch,
                                     const int32_t *labels, const uint32_t *rows, size_t count, double *loss,
                                     sotto_error *err) {
  const sotto_pass pass = {.tape = c->tape, .key = &c->key, .step = c->steps++, .training = true};
  if (batch->hops != NULL) sotto_i_hops_draw(&c->hops, &c->key, pass.step);
  sotto_tape_reset(c->tape);
  sotto_params_zero_gradients(c->model.params);
  sotto_var outputs = outputs_of(c, &pass, batch);
  sotto_var mean = c->federation->numbers ? sotto_i_fed_numbers_loss(c, outputs, rows, count)
                                          : sotto_tape_cross_entropy(c->tape, outputs, labels, rows, count);
  float one = 1;
  const sotto_matrix seed = {&one, 1, 1};
  sotto_status status = sotto_i_fed_hides_failures(c->federation)
                            ? sotto_tape_backward_from(c->tape, mean, &seed, err)
                            : sotto_tape_backward(c->tape, mean, err);
  if (status == SOTTO_OK) *loss = sotto_tape_value(c->tape, mean).data[0];
  return status;
}

/* One step with that gradient. */
static sotto_status take_step(sotto_i_fed_client *c, const sotto_i_graph_batch *batch, const int32_t *labels,
                              const uint32_t *rows, size_t count, double *loss, sotto_error *err) {
  double mean;
  sotto_error problem = {0};
  sotto_status status = compute_gradient(c, batch, labels, rows, count, &mean, err);
  if (status != SOTTO_OK) return status;
  *loss += mean * (double)count;
  status = apply_gradient(c, &problem);
  if (status == SOTTO_NUMERIC && sotto_i_fed_hides_failures(c->federation))
    return SOTTO_OK; /* such a gradient counts as zero */
  return status == SOTTO_OK ? status : sotto_i_fail(err, status, "%s", problem.text);
}

/* Some of the client's graphs, as a dataset. */
typedef struct some_graphs {
  sotto_dataset part;
  sotto_matrix features;
  sotto_operator *spread;
  sotto_i_graph_batch batch;
} some_graphs;

static sotto_status some_graphs_new(some_graphs *out, const sotto_i_fed_client *c, const uint32_t *graphs,
                                    size_t count, sotto_error *err) {
  sotto_status status;
  *out = (some_graphs){.spread = NULL};
  SOTTO_TRY(sotto_dataset_take(&out->part, &c->data, graphs, count, "batch", err));
  SOTTO_TRY(sotto_i_fed_features(&out->features, c->federation->options, &out->part, err));
  SOTTO_TRY(sotto_i_graph_net_operator(&out->spread, &c->model.net.options, &out->part.graph, err));
  out->batch = (sotto_i_graph_batch){
      .features = &out->features, .spread = out->spread, .graphs = count, .first = out->part.graph_first};
done:
  return status;
}

static void some_graphs_free(some_graphs *g, const sotto_i_fed_client *c) {
  sotto_tape_reset(c->tape); /* the tape borrows what is freed here */
  sotto_operator_free(g->spread);
  sotto_matrix_free(&g->features);
  sotto_dataset_free(&g->part);
}

/* One step on some of the client's graphs. */
static sotto_status step_on_graphs(sotto_i_fed_client *c, uint32_t *graphs, size_t count, double *loss,
                                   sotto_error *err) {
  some_graphs g;
  sotto_status status = some_graphs_new(&g, c, graphs, count, err);
  if (status == SOTTO_OK) status = take_step(c, &g.batch, g.part.graph_labels, NULL, count, loss, err);
  some_graphs_free(&g, c);
  return status;
}

sotto_status sotto_i_fed_graph_gradient(sotto_i_fed_client *c, uint32_t graph, sotto_error *err) {
  some_graphs g;
  double loss;
  sotto_status status = some_graphs_new(&g, c, &graph, 1, err);
  if (status == SOTTO_OK) status = compute_gradient(c, &g.batch, g.part.graph_labels, NULL, 1, &loss, err);
  some_graphs_free(&g, c);
  return status;
}

/* A batch of nodes is evaluated in the client's whole graph; a batch of graphs alone. */
static sotto_status epoch_of_batches(sotto_i_fed_client *c, uint32_t *order, double *loss, sotto_error *err) {
  size_t count = c->count[SOTTO_PART_TRAIN], size = (size_t)c->federation->options->batch_size;
  const sotto_i_graph_batch all = training_batch(c);
  sotto_i_random random;
  sotto_i_random_init(&random, &c->key, SOTTO_I_PURPOSE_BATCH, 0, c->steps);
  memcpy(order, c->rows[SOTTO_PART_TRAIN], count * sizeof *order);
  sotto_i_random_shuffle(&random, order, count);
  for (size_t at = 0; at < count; at += size) {
    size_t now = count - at < size ? count - at : size;
    sotto_i_sort_numbers(order + at, now);
    sotto_status status = c->federation->graphs
                              ? step_on_graphs(c, order + at, now, loss, err)
                              : take_step(c, &all, labels_of(c), order + at, now, loss, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status train_epochs(sotto_i_fed_client *c, double *loss, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  size_t count = c->count[SOTTO_PART_TRAIN];
  const sotto_i_graph_batch all = training_batch(c);
  uint32_t *order = NULL;
  sotto_status status = SOTTO_OK;
  bool batches = o->batch_size > 0 && o->batch_size < count;
  if (batches) SOTTO_TRY(sotto_i_new_raw(&order, count, sizeof *order, err));
  for (uint64_t epoch = 0; epoch < c->federation->epochs; epoch++) {
    *loss = 0;
    SOTTO_TRY(batches ? epoch_of_batches(c, order, loss, err)
                      : take_step(c, &all, labels_of(c), c->rows[SOTTO_PART_TRAIN], count, loss, err));
  }
  *loss /= (double)count;
done:
  sotto_i_free(order);
  return status;
}

sotto_status sotto_i_fed_train(sotto_i_fed_client *c, double *loss, sotto_error *err) {
  *loss = 0;
  if (c->count[SOTTO_PART_TRAIN] == 0) return SOTTO_OK;
  const uint32_t turn = sotto_i_turn_begin(c->federation->turns, c->tape);
  const sotto_status status = train_epochs(c, loss, err);
  sotto_i_turn_end(c->federation->turns, turn, c->tape);
  return status;
}

sotto_status sotto_i_fed_scores(sotto_matrix *out, sotto_i_fed_client *client, sotto_error *err) {
  const sotto_i_graph_batch all = full_batch(client);
  const sotto_pass pass = {.tape = client->tape, .key = &client->key};
  sotto_tape_reset(client->tape);
  sotto_var logits;
  if (sotto_i_fed_reads_rows(client->federation)) {
    const sotto_mlp mlp = sotto_i_fed_perceptron(client);
    logits = sotto_mlp_apply(&mlp, client->model.params, &pass,
                             sotto_tape_constant(client->tape, &client->features));
  } else {
    logits = outputs_of(client, &pass, &all);
  }
  sotto_status status = sotto_tape_check(client->tape, err);
  if (status == SOTTO_OK) *out = sotto_tape_value(client->tape, logits);
  return status;
}
