/* A perceptron over a table of nodes. Its parameters are fitted in their own set, so that the optimiser
 * does not change those of earlier stages, and are then copied into the model's set. */
#include "table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/nn.h"
#include "networks/networks.h"
#include "nn/number_scale.h"

enum { first_streams = 128, streams_each = 16 };

typedef struct network {
  sotto_mlp mlp;
  sotto_params *params;
  sotto_i_split_rows inputs;
} network;

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  network *n = model;
  return sotto_mlp_apply(&n->mlp, n->params, pass, sotto_i_split_rows_var(&n->inputs, pass->tape, batch));
}

typedef struct probabilities {
  const sotto_i_embedded *each;
  bool numbers;
} probabilities;

static sotto_status hand_on(void *context, sotto_matrix *rows, size_t first, sotto_error *err) {
  const probabilities *p = context;
  if (!p->numbers) sotto_i_rows_to_softmax(rows);
  return p->each->call(p->each->context, rows, first, err);
}

static sotto_status all_scores(const sotto_i_embedded *each, const network *n,
                               const sotto_i_row_source *table, const sotto_i_job *job, const sotto_key *key,
                               sotto_error *err) {
  probabilities p = {each, sotto_i_learns_numbers(job->options)};
  const sotto_i_embedded of = {.call = hand_on, .context = &p, .at_first = each->at_first};
  return sotto_i_embed_each(&of, &n->mlp, n->params, table, key, job, err);
}

sotto_status sotto_i_hand_over(sotto_params *to, sotto_params *from, const sotto_key *key, sotto_error *err) {
  for (size_t i = 0; i < sotto_params_count(from); i++) {
    const sotto_matrix *value = sotto_params_value(from, i);
    size_t number;
    sotto_status status = sotto_params_add(to, &number, sotto_params_name(from, i), value->rows, value->cols,
                                           SOTTO_INIT_ZERO, true, key, err);
    if (status != SOTTO_OK) return status;
    memcpy(sotto_params_value(to, number)->data, value->data, value->rows * value->cols * sizeof(float));
  }
  return SOTTO_OK;
}

sotto_status sotto_i_table_net_new(sotto_mlp *out, sotto_params *params, size_t in,
                                   const sotto_i_table_fit *fit, sotto_error *err) {
  const sotto_options *o = fit->job->options;
  sotto_key seed_key, key;
  uint32_t streams = first_streams + fit->number * streams_each;
  const sotto_mlp_options options = {.widths = {in, o->hidden, sotto_i_outputs(o, fit->job->data)},
                                     .numbers = sotto_i_learns_numbers(o),
                                     .layers = 2,
                                     .activation = o->activation,
                                     .dropout = (float)o->dropout,
                                     .input_dropout = fit->input_dropout};
  sotto_i_job_key(&seed_key, fit->job);
  sotto_i_key_derive(&key, &seed_key, streams);
  return sotto_mlp_new(out, params, fit->name, &options, streams, &key, err);
}

sotto_status sotto_i_table_fit_each(sotto_quality *validation, sotto_quality *test,
                                    const sotto_i_embedded *scores, sotto_params *params,
                                    const sotto_i_row_source *table, const sotto_i_table_fit *fit,
                                    sotto_error *err) {
  sotto_status status;
  network n = {0};
  sotto_key seed_key;
  sotto_i_job_key(&seed_key, fit->job);
  SOTTO_TRY(sotto_params_new(&n.params, err));
  SOTTO_TRY(sotto_i_table_net_new(&n.mlp, n.params, table->cols, fit, err));
  sotto_i_task task = {
      .model = &n, .params = n.params, .forward = forward, .batched = true, .key = &seed_key};
  task.ranks = sotto_i_job_ranks(fit->job);
  sotto_i_parted_learn(&task, fit->parted);
  if (sotto_i_learns_numbers(fit->job->options))
    SOTTO_TRY(sotto_i_number_scale_learn(&n.mlp.scale, n.params, task.targets, err));
  sotto_i_split_rows_set(&n.inputs, table, 1, NULL, &fit->parted->split);
  sotto_i_stage stage = {.job = fit->job, .name = fit->stage, .epochs = fit->epochs, .part = fit->part};
  SOTTO_TRY(sotto_i_fit_and_measure(validation, test, &task, &stage, err));
  sotto_i_split_rows_free(&n.inputs);
  SOTTO_TRY(all_scores(scores, &n, table, fit->job, &seed_key, err));
  SOTTO_TRY(sotto_i_hand_over(params, n.params, &seed_key, err));
done:
  sotto_i_split_rows_free(&n.inputs);
  sotto_params_free(n.params);
  return status;
}

sotto_status sotto_i_table_fit_run(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                   sotto_params *params, const sotto_i_row_source *table,
                                   const sotto_i_table_fit *fit, sotto_error *err) {
  const sotto_i_embedded each = sotto_i_embedded_into(scores);
  const size_t outputs = sotto_i_outputs(fit->job->options, fit->job->data);
  sotto_status status = sotto_matrix_new(scores, table->rows, outputs, err);
  if (status == SOTTO_OK) status = sotto_i_table_fit_each(validation, test, &each, params, table, fit, err);
  return status;
}

void sotto_i_table_put(sotto_matrix *to, size_t first, const sotto_matrix *from) {
  for (size_t i = 0; i < from->rows; i++)
    memcpy(to->data + i * to->cols + first, from->data + i * from->cols, from->cols * sizeof(float));
}

sotto_status sotto_i_table_join(sotto_matrix *out, const sotto_matrix *a, const sotto_matrix *b,
                                sotto_error *err) {
  size_t cols = a->cols + b->cols;
  sotto_status status = sotto_matrix_new(out, a->rows, cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < a->rows; i++) {
    memcpy(out->data + i * cols, a->data + i * a->cols, a->cols * sizeof(float));
    if (b->cols > 0) memcpy(out->data + i * cols + a->cols, b->data + i * b->cols, b->cols * sizeof(float));
  }
  return SOTTO_OK;
}
