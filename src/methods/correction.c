/* Corrections: a perceptron whose last layer starts at zero, added to what features alone say. */
#include "correction.h"

#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "networks.h"

enum { streams = 208 };

typedef struct network {
  sotto_mlp mlp;
  sotto_params *params;
  sotto_matrix base[4], inputs[4]; /* by part */
} network;

static sotto_var forward(void *model, const sotto_pass *pass, sotto_part part) {
  const network *n = model;
  sotto_tape *tape = pass->tape;
  sotto_var change = sotto_mlp_apply(&n->mlp, n->params, pass, sotto_tape_fixed(tape, &n->inputs[part]));
  return sotto_tape_add(tape, sotto_tape_constant(tape, &n->base[part]), change);
}

/* Weights and bias of the last layer are the last two that were added. */
static void no_correction(sotto_params *params) {
  for (size_t i = sotto_params_count(params) - 2; i < sotto_params_count(params); i++) {
    sotto_matrix *value = sotto_params_value(params, i);
    memset(value->data, 0, value->rows * value->cols * sizeof(float));
  }
}

static sotto_status measure(sotto_quality *validation, sotto_quality *test, const sotto_i_task *task,
                            sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_evaluate(validation, NULL, task, tape, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_i_evaluate(test, NULL, task, tape, SOTTO_PART_TEST, err));
done:
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_correction_fit(sotto_quality *validation, sotto_quality *test, sotto_params *params,
                                    const sotto_matrix *base, const sotto_matrix *inputs, double least,
                                    const sotto_i_job *job, const sotto_i_parted *parted, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  network n = {.params = params};
  sotto_key seed_key, key;
  const sotto_mlp_options options = {.widths = {inputs->cols, o->hidden, base->cols},
                                     .layers = 2,
                                     .activation = sotto_i_job_activation(o->decoder_activation),
                                     .dropout = (float)o->dropout};
  sotto_i_job_key(&seed_key, job);
  sotto_i_key_derive(&key, &seed_key, streams);
  SOTTO_TRY(sotto_mlp_new(&n.mlp, params, "correction", &options, streams, &key, err));
  no_correction(params);
  sotto_i_task task = {.model = &n, .params = params, .forward = forward, .key = &seed_key};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    const uint32_t *rows = parted->split.rows[part];
    task.labels[part] = parted->labels[part];
    task.count[part] = parted->split.count[part];
    SOTTO_TRY(sotto_i_take_rows(&n.base[part], base, rows, task.count[part], err));
    SOTTO_TRY(sotto_i_take_rows(&n.inputs[part], inputs, rows, task.count[part], err));
  }
  const sotto_i_training training = sotto_i_job_training(o, o->epochs);
  sotto_i_stage stage = {job, "network", o->epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  SOTTO_TRY(sotto_i_fit_and_measure(validation, test, &task, &training, &hook, err));
  if (sotto_i_quality_value(validation, training.select_by) > least) goto done;
  no_correction(params);
  SOTTO_TRY(measure(validation, test, &task, err));
done:
  for (int part = 0; part < 4; part++) {
    sotto_matrix_free(&n.base[part]);
    sotto_matrix_free(&n.inputs[part]);
  }
  return status;
}
