/* Gradients through the data party's layers without the graph. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/pmp.h"
#include "inside/tensor.h"
#include "tensor/blas/norm.h"
#include "vesper.h"

/* Constants that the tape borrows until it is freed. */
typedef struct constants {
  sotto_matrix features, column, shift[65], slope[65];
} constants;

static void constants_free(constants *c) {
  sotto_matrix_free(&c->features);
  sotto_matrix_free(&c->column);
  for (int k = 0; k <= 64; k++) {
    sotto_matrix_free(&c->shift[k]);
    sotto_matrix_free(&c->slope[k]);
  }
}

static sotto_status fill_constants(constants *c, const sotto_i_data_party *party,
                                   const sotto_release *release, const sotto_matrix *gradients,
                                   sotto_error *err) {
  const sotto_split *split = &party->split;
  const uint32_t *rows = split->rows[SOTTO_PART_TRAIN];
  size_t count = split->count[SOTTO_PART_TRAIN];
  uint32_t layers = sotto_release_plan(release)->options.layers;
  size_t width = gradients->cols / (layers + 1);
  sotto_status status;
  SOTTO_TRY(sotto_i_row_source_take(&c->features, &party->shared->data_rows, rows, count, err));
  SOTTO_TRY(sotto_matrix_new(&c->column, count, 1, err));
  for (size_t i = 0; i < count; i++) c->column.data[i] = (float)party->shared->job->options->constant;
  for (uint32_t k = 0; k <= layers; k++) {
    SOTTO_TRY(sotto_i_take_rows(&c->shift[k], sotto_release_layer(release, k), rows, count, err));
    SOTTO_TRY(sotto_matrix_new(&c->slope[k], count, width, err));
    for (size_t i = 0; i < count; i++)
      memcpy(c->slope[k].data + i * width, gradients->data + i * gradients->cols + k * width,
             width * sizeof(float));
  }
done:
  return status;
}

/* The weight of the own row in an aggregate, at a degree of at most the floor. Publications without the own
 * row have one release, so they need no gradient. */
static float own_weight(const sotto_pmp_options *options) {
  if (options->aggregator == SOTTO_AGGREGATOR_SUM) return 1;
  return 1 / ((float)options->degree_floor + 1);
}

/* <slope, y>, whose gradient for y is the slope. */
static sotto_var dot_slope(sotto_tape *tape, sotto_var y, const sotto_matrix *slope) {
  return sotto_tape_sum(tape, sotto_tape_multiply(tape, y, sotto_tape_constant(tape, slope)));
}

/* y_k = own weight * z_{k-1} W_k + (the release minus that): the value is the release, the gradient that of
 * the own row. */
static sotto_var build_loss(sotto_i_data_party *party, sotto_tape *tape, const sotto_release *release,
                            constants *c) {
  const sotto_i_vesper *shared = party->shared;
  const sotto_options *o = shared->job->options;
  const sotto_pmp_options *pmp = &sotto_release_plan(release)->options;
  const sotto_pass pass = {.tape = tape, .key = &shared->key};
  sotto_var rows =
      sotto_mlp_apply(&party->encoder, party->params, &pass, sotto_tape_fixed(tape, &c->features));
  if (o->constant > 0) rows = sotto_tape_concat(tape, rows, sotto_tape_constant(tape, &c->column));
  sotto_var loss = dot_slope(tape, rows, &c->slope[0]);
  for (uint32_t k = 1; k <= pmp->layers; k++) {
    sotto_var z = sotto_tape_normalise_rows(tape, rows);
    if (o->layer_weights)
      z = sotto_tape_matmul(tape, z, sotto_params_var(party->params, party->weights[k - 1], tape));
    sotto_var own = sotto_tape_scale(tape, z, own_weight(pmp));
    const sotto_matrix value = sotto_tape_value(tape, own);
    sotto_matrix *shift = &c->shift[k];
    for (size_t i = 0; value.data != NULL && i < shift->rows * shift->cols; i++)
      shift->data[i] -= value.data[i];
    rows = sotto_tape_add(tape, own, sotto_tape_constant(tape, shift));
    loss = sotto_tape_add(tape, loss, dot_slope(tape, rows, &c->slope[k]));
  }
  return loss;
}

sotto_status sotto_i_vesper_step_back(sotto_i_data_party *party, const sotto_release *release,
                                      const sotto_matrix *gradients, sotto_error *err) {
  const sotto_options *o = party->shared->job->options;
  const sotto_adam adam = sotto_i_job_training(o, 1).adam;
  sotto_status status;
  sotto_tape *tape = NULL;
  constants *c = NULL;
  SOTTO_TRY(sotto_i_new(&c, 1, sizeof *c, err));
  SOTTO_TRY(fill_constants(c, party, release, gradients, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  sotto_params_zero_gradients(party->params);
  sotto_var loss = build_loss(party, tape, release, c);
  SOTTO_TRY(sotto_tape_backward(tape, loss, err));
  SOTTO_TRY(sotto_adam_step(party->params, &adam, err));
  for (uint64_t k = 0; o->layer_weights && k < o->layers; k++)
    SOTTO_TRY(sotto_i_to_unit_operator(sotto_params_value(party->params, party->weights[k]), err));
done:
  sotto_tape_free(tape);
  if (c != NULL) constants_free(c);
  sotto_i_free(c);
  return status;
}
