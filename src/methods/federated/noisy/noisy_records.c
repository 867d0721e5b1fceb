/* The contribution of a record to a round's sum. A training node or graph contributes its clipped gradient
 * if it is in the secret sample; a client contributes its update of the model. Contributions are whole
 * steps, with a norm that is checked in integers, and depend on the record and the model alone. The server
 * chooses the model, so a vector that is not finite counts as zero, and no failure depends on records. */
#include <sodium.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "methods/federated/federated.h"
#include "nn/dpsgd.h"

enum { steps_a_round = 1 << 12 };

size_t sotto_i_fed_record_count(const sotto_i_fed_client *c) {
  return sotto_i_fed_by_client(c->federation->options) ? 1 : c->count[SOTTO_PART_TRAIN];
}

/* Nodes: the sum over this round's sample. */
static sotto_status add_nodes(int64_t *sum, sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  const sotto_i_fed_noise *noise = &c->federation->noise;
  const size_t population = c->count[SOTTO_PART_TRAIN];
  const sotto_sampling sampling = {.population = population, .rate = noise->rate};
  const sotto_mlp mlp = sotto_i_fed_perceptron(c);
  uint32_t *batch = NULL;
  sotto_i_clipped clipped = {.mlp = &mlp,
                             .params = c->model.params,
                             .x = &c->features,
                             .labels = c->data.labels,
                             .rows = c->rows[SOTTO_PART_TRAIN],
                             .clip = noise->clip};
  sotto_status status;
  if (population == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&batch, population, sizeof *batch, err));
  SOTTO_TRY(sotto_sampling_draw(batch, &clipped.count, &sampling, &c->drawn.key, (uint32_t)round, err));
  clipped.batch = batch;
  SOTTO_TRY(sotto_i_clipped_new(&clipped, err));
  SOTTO_TRY(sotto_i_clipped_steps(sum, &clipped, noise->grid.step, noise->grid.most, err));
done:
  sotto_i_clipped_free(&clipped);
  if (batch != NULL) sodium_memzero(batch, population * sizeof *batch);
  sotto_i_free(batch);
  return status;
}

/* Adds a vector, clipped to the norm for which the noise is made; adds nothing if it is not finite. */
static sotto_status add_vector(int64_t *sum, const double *x, size_t size, const sotto_i_fed_noise *noise,
                               sotto_error *err) {
  int64_t *steps = NULL;
  uint64_t square;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&steps, size, sizeof *steps, err));
  sotto_i_whole_steps(steps, &square, x, size, noise->grid.step, noise->grid.most);
  for (size_t j = 0; j < size; j++) sum[j] += steps[j];
done:
  if (steps != NULL) sodium_memzero(steps, size * sizeof *steps);
  sotto_i_free(steps);
  return status;
}

static void copy_gradient(double *out, const sotto_params *params) {
  for (size_t i = 0; i < sotto_params_count(params); i++) {
    const sotto_matrix *from = sotto_params_gradient((sotto_params *)(uintptr_t)params, i);
    for (size_t j = 0; j < from->rows * from->cols; j++) *out++ = from->data[j];
  }
}

static sotto_status add_graphs(int64_t *sum, sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  const sotto_i_fed_noise *noise = &c->federation->noise;
  const size_t population = c->count[SOTTO_PART_TRAIN];
  const sotto_sampling sampling = {.population = population, .rate = noise->rate};
  uint32_t *batch = NULL;
  double *gradient = NULL;
  size_t count;
  sotto_status status;
  if (population == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&batch, population, sizeof *batch, err));
  SOTTO_TRY(sotto_i_new(&gradient, c->model.size, sizeof *gradient, err));
  SOTTO_TRY(sotto_sampling_draw(batch, &count, &sampling, &c->drawn.key, (uint32_t)round, err));
  for (size_t i = 0; i < count; i++) {
    uint32_t graph = c->rows[SOTTO_PART_TRAIN][batch[i]];
    SOTTO_TRY(sotto_i_fed_graph_gradient(c, graph, err));
    copy_gradient(gradient, c->model.params);
    SOTTO_TRY(add_vector(sum, gradient, c->model.size, noise, err));
  }
done:
  if (batch != NULL) sodium_memzero(batch, population * sizeof *batch);
  sotto_i_free(batch);
  sotto_i_free(gradient);
  return status;
}

/* Adds the update of the client's own epochs. Steps are numbered by the round, so that a repeated round
 * draws the same numbers. */
static sotto_status add_client(int64_t *sum, sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  const size_t size = c->model.size;
  float *after = NULL;
  double *taken = NULL, loss;
  sotto_status status;
  if (c->count[SOTTO_PART_TRAIN] == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&after, size, sizeof *after, err));
  SOTTO_TRY(sotto_i_new(&taken, size, sizeof *taken, err));
  c->steps = (uint32_t)(round * steps_a_round);
  SOTTO_TRY(sotto_i_fed_train(c, &loss, err));
  sotto_i_fed_model_pack(after, &c->model);
  for (size_t j = 0; j < size; j++) taken[j] = (double)c->global.data[j] - after[j];
  SOTTO_TRY(add_vector(sum, taken, size, &c->federation->noise, err));
done:
  sotto_i_free(after);
  sotto_i_free(taken);
  return status;
}

sotto_status sotto_i_fed_add_records(int64_t *sum, sotto_i_fed_client *c, uint64_t round, sotto_error *err) {
  if (sotto_i_fed_by_client(c->federation->options)) return add_client(sum, c, round, err);
  return (c->federation->graphs ? add_graphs : add_nodes)(sum, c, round, err);
}
