/* Corrections: a perceptron whose last layer starts at zero, added to predictions from features alone. */
#include "correction.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "networks/networks.h"
#include "nn/number_scale.h"
#include "nn/rows/views.h"
#include "tensor/tape.h"
#include "unsure.h"

enum { first_streams = 208, streams_each = 16 };

typedef struct network {
  sotto_mlp mlp;
  sotto_params *params;
  sotto_i_row_source base_rows, sources[2];
  sotto_i_split_rows base, inputs;
  const sotto_i_correction *correction;
} network;

static bool is_corrected(const sotto_i_correction *correction, uint32_t node) {
  return correction->levels == NULL || correction->levels[node] != SOTTO_I_DEAF;
}

/* A constant with 1 in rows that are corrected, 0 in others. */
static sotto_var correction_mask(const network *n, sotto_tape *tape, const sotto_i_batch *batch,
                                 size_t cols) {
  const uint32_t *rows = n->correction->parted->split.rows[batch->part] + batch->begin;
  sotto_matrix out = {sotto_i_tape_memory(tape, batch->count * cols, sizeof(float)), batch->count, cols};
  for (size_t i = 0; out.data != NULL && i < batch->count; i++)
    for (size_t j = 0; j < cols; j++) out.data[i * cols + j] = is_corrected(n->correction, rows[i]);
  return sotto_tape_constant(tape, &out);
}

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  network *n = model;
  sotto_tape *tape = pass->tape;
  sotto_var change =
      sotto_mlp_apply(&n->mlp, n->params, pass, sotto_i_split_rows_var(&n->inputs, tape, batch));
  if (n->correction->levels != NULL)
    change = sotto_tape_multiply(tape, change, correction_mask(n, tape, batch, n->base.cols));
  return sotto_tape_add(tape, sotto_i_split_rows_var(&n->base, tape, batch), change);
}

static void clear(sotto_params *params, size_t number) {
  sotto_matrix *value = sotto_params_value(params, number);
  memset(value->data, 0, value->rows * value->cols * sizeof(float));
}

static void clear_last_layer(const sotto_mlp *mlp, sotto_params *params) {
  clear(params, mlp->linear[mlp->options.layers - 1].weight);
  clear(params, mlp->linear[mlp->options.layers - 1].bias);
}

/* A change of a number is counted in deviations; the base has the mean. */
static sotto_status learn_scale(const network *n, sotto_i_targets targets[4], sotto_error *err) {
  const sotto_status status = sotto_i_number_scale_learn(&n->mlp.scale, n->params, targets, err);
  if (status == SOTTO_OK) clear(n->params, n->mlp.scale.mean);
  return status;
}

sotto_status sotto_i_correction_new(sotto_mlp *out, sotto_params *params, size_t in, size_t classes,
                                    const sotto_i_correction *correction, sotto_error *err) {
  const sotto_options *o = correction->job->options;
  const uint32_t streams = first_streams + correction->round * streams_each;
  sotto_key seed_key, key;
  char name[32];
  const sotto_mlp_options options = {.widths = {in, o->hidden, classes},
                                     .layers = 2,
                                     .activation = sotto_i_head_activation(o),
                                     .dropout = (float)o->dropout,
                                     .numbers = sotto_i_learns_numbers(o)};
  sotto_i_job_key(&seed_key, correction->job);
  sotto_i_key_derive(&key, &seed_key, streams);
  (void)snprintf(name, sizeof name, "correction%u", correction->round);
  return sotto_mlp_new(out, params, name, &options, streams, &key, err);
}

sotto_status sotto_i_correction_scores(sotto_matrix *scores, const sotto_mlp *mlp, sotto_params *params,
                                       const sotto_matrix *base, const sotto_matrix *inputs,
                                       const sotto_i_correction *correction, const uint32_t *nodes,
                                       sotto_error *err) {
  const size_t cols = base->cols;
  sotto_key key;
  sotto_i_job_key(&key, correction->job);
  const sotto_i_row_source source = sotto_i_row_source_of(inputs);
  sotto_i_joined_rows joined;
  if (correction->own != NULL) sotto_i_joined_rows_set(&joined, &source, correction->own);
  sotto_status status = sotto_i_embed_job(
      scores, mlp, params, correction->own != NULL ? &joined.source : &source, &key, correction->job, err);
  for (size_t i = 0; status == SOTTO_OK && i < scores->rows; i++) {
    const bool corrected = is_corrected(correction, nodes == NULL ? (uint32_t)i : nodes[i]);
    for (size_t j = i * cols; j < (i + 1) * cols; j++)
      scores->data[j] = base->data[j] + (corrected ? scores->data[j] : 0);
  }
  return status;
}

sotto_status sotto_i_correction_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                    sotto_params *params, const sotto_matrix *base,
                                    const sotto_matrix *inputs, const sotto_i_correction *correction,
                                    sotto_error *err) {
  const sotto_i_job *job = correction->job;
  const sotto_options *o = job->options;
  sotto_status status;
  network n = {.params = params, .correction = correction};
  sotto_key seed_key;
  sotto_i_job_key(&seed_key, job);
  const size_t own = correction->own != NULL ? correction->own->cols : 0;
  SOTTO_TRY(sotto_i_correction_new(&n.mlp, params, inputs->cols + own, base->cols, correction, err));
  clear_last_layer(&n.mlp, params);
  sotto_i_task task = {.model = &n, .params = params, .forward = forward, .batched = true, .key = &seed_key};
  task.ranks = sotto_i_job_ranks(job);
  task.labels_hidden = correction->labels_hidden;
  const sotto_split *split = &correction->parted->split;
  n.base_rows = sotto_i_row_source_of(base);
  n.base_rows.held = correction->held;
  n.sources[0] = sotto_i_row_source_of(inputs);
  n.sources[0].held = correction->held;
  if (correction->own != NULL) n.sources[1] = *correction->own;
  sotto_i_split_rows_set(&n.base, &n.base_rows, 1, NULL, split);
  sotto_i_split_rows_set(&n.inputs, n.sources, correction->own != NULL ? 2 : 1, NULL, split);
  sotto_i_parted_learn(&task, correction->parted);
  if (sotto_i_learns_numbers(o)) SOTTO_TRY(learn_scale(&n, task.targets, err));
  sotto_i_stage stage = {.job = job,
                         .name = "network",
                         .epochs = o->epochs,
                         .part = correction->round + (correction->own != NULL ? SOTTO_MOST_COSTS : 0)};
  SOTTO_TRY(sotto_i_fit_and_measure(validation, test, &task, &stage, err));
  SOTTO_I_CHECK(scores == NULL || correction->held == NULL);
  if (scores != NULL)
    SOTTO_TRY(sotto_i_correction_scores(scores, &n.mlp, params, base, inputs, correction, NULL, err));
done:
  sotto_i_split_rows_free(&n.base);
  sotto_i_split_rows_free(&n.inputs);
  return status;
}

void sotto_i_correction_own_name(char out[SOTTO_I_OWN_NAME], uint32_t round) {
  (void)snprintf(out, SOTTO_I_OWN_NAME, "correction%u.own", round);
}

sotto_status sotto_i_correction_mark_own(sotto_params *params, uint32_t round, sotto_error *err) {
  char name[SOTTO_I_OWN_NAME];
  size_t number;
  sotto_i_correction_own_name(name, round);
  return sotto_params_add(params, &number, name, 1, 1, SOTTO_INIT_ZERO, false, NULL, err);
}
