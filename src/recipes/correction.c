/* Corrections: a perceptron whose last layer starts at zero, added to predictions from features alone. */
#include "correction.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "networks.h"
#include "unsure.h"

enum { first_streams = 208, streams_each = 16 };

typedef struct network {
  sotto_mlp mlp;
  sotto_params *params;
  sotto_matrix base[4], inputs[4], heard[4]; /* by part; `heard`: 1 in rows that are corrected, 0 in others */
} network;

static sotto_var forward(void *model, const sotto_pass *pass, sotto_part part) {
  const network *n = model;
  sotto_tape *tape = pass->tape;
  sotto_var change = sotto_mlp_apply(&n->mlp, n->params, pass, sotto_tape_fixed(tape, &n->inputs[part]));
  if (n->heard[part].data != NULL)
    change = sotto_tape_multiply(tape, change, sotto_tape_constant(tape, &n->heard[part]));
  return sotto_tape_add(tape, sotto_tape_constant(tape, &n->base[part]), change);
}

/* Weights and bias of the last layer are the last two that were added. */
static void no_correction(sotto_params *params) {
  for (size_t i = sotto_params_count(params) - 2; i < sotto_params_count(params); i++) {
    sotto_matrix *value = sotto_params_value(params, i);
    memset(value->data, 0, value->rows * value->cols * sizeof(float));
  }
}

sotto_status sotto_i_correction_new(sotto_mlp *out, sotto_params *params, size_t in, size_t classes,
                                    const sotto_i_correction *correction, sotto_error *err) {
  const sotto_options *o = correction->job->options;
  const uint32_t streams = first_streams + correction->round * streams_each;
  sotto_key seed_key, key;
  char name[32];
  const sotto_mlp_options options = {.widths = {in, o->hidden, classes},
                                     .layers = 2,
                                     .activation = o->decoder_activation,
                                     .dropout = (float)o->dropout};
  sotto_i_job_key(&seed_key, correction->job);
  sotto_i_key_derive(&key, &seed_key, streams);
  (void)snprintf(name, sizeof name, "correction%u", correction->round);
  return sotto_mlp_new(out, params, name, &options, streams, &key, err);
}

static bool hears(const sotto_i_correction *correction, uint32_t node) {
  return correction->levels == NULL || correction->levels[node] != SOTTO_I_DEAF;
}

sotto_status sotto_i_correction_scores(sotto_matrix *scores, const sotto_mlp *mlp, sotto_params *params,
                                       const sotto_matrix *base, const sotto_matrix *inputs,
                                       const sotto_i_correction *correction, const uint32_t *nodes,
                                       sotto_error *err) {
  const size_t cols = base->cols;
  sotto_key key;
  sotto_i_job_key(&key, correction->job);
  sotto_status status = sotto_i_embed_all(scores, mlp, params, inputs, &key, err);
  for (size_t i = 0; status == SOTTO_OK && i < scores->rows; i++) {
    const bool corrected = hears(correction, nodes == NULL ? (uint32_t)i : nodes[i]);
    for (size_t j = i * cols; j < (i + 1) * cols; j++)
      scores->data[j] = base->data[j] + (corrected ? scores->data[j] : 0);
  }
  return status;
}

static sotto_status heard_rows(sotto_matrix *out, const sotto_i_correction *correction, const uint32_t *rows,
                               size_t count, size_t cols, sotto_error *err) {
  if (correction->levels == NULL) return SOTTO_OK;
  sotto_status status = sotto_matrix_new(out, count, cols, err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    for (size_t j = 0; j < cols; j++) out->data[i * cols + j] = hears(correction, rows[i]);
  return status;
}

sotto_status sotto_i_correction_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                    sotto_params *params, const sotto_matrix *base,
                                    const sotto_matrix *inputs, const sotto_i_correction *correction,
                                    sotto_error *err) {
  const sotto_i_job *job = correction->job;
  const sotto_options *o = job->options;
  sotto_status status;
  network n = {.params = params};
  sotto_key seed_key;
  sotto_i_job_key(&seed_key, job);
  SOTTO_TRY(sotto_i_correction_new(&n.mlp, params, inputs->cols, base->cols, correction, err));
  no_correction(params);
  sotto_i_task task = {.model = &n, .params = params, .forward = forward, .key = &seed_key};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    const sotto_i_parted *parted = correction->parted;
    const uint32_t *rows = parted->split.rows[part];
    task.labels[part] = parted->labels[part];
    task.count[part] = parted->split.count[part];
    SOTTO_TRY(sotto_i_take_rows(&n.base[part], base, rows, task.count[part], err));
    SOTTO_TRY(sotto_i_take_rows(&n.inputs[part], inputs, rows, task.count[part], err));
    SOTTO_TRY(heard_rows(&n.heard[part], correction, rows, task.count[part], base->cols, err));
  }
  sotto_i_stage stage = {.job = job, .name = "network", .epochs = o->epochs, .part = correction->round};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  SOTTO_TRY(sotto_i_fit_and_measure(validation, test, &task, &training, &hook, err));
  SOTTO_TRY(sotto_i_correction_scores(scores, &n.mlp, params, base, inputs, correction, NULL, err));
done:
  for (int part = 0; part < 4; part++) {
    sotto_matrix_free(&n.base[part]);
    sotto_matrix_free(&n.inputs[part]);
    sotto_matrix_free(&n.heard[part]);
  }
  return status;
}
