/* Training by one owner, in three steps: encoder without edges, release, classifier. */
#include "central.h"

#include "base/error.h"
#include "central_layers.h"
#include "encoder_cache.h"
#include "models/centre.h"
#include "nn/inside/nn.h"
#include "pmp/inside/pmp.h"
#include "recipes/networks/over_ranks.h"
#include "run/files/job_file.h"

static sotto_var encoder_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  sotto_i_central *c = model;
  sotto_var x = sotto_i_split_rows_var(&c->inputs, pass->tape, batch);
  return sotto_mlp_apply(&c->head, c->encoder_params, pass,
                         sotto_mlp_apply(&c->encoder, c->encoder_params, pass, x));
}

static sotto_status train_encoder(sotto_i_central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_options *o = c->job->options;
  sotto_i_stage stage = {.job = c->job, .name = "encoder", .epochs = o->encoder_epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  sotto_i_task task = {
      .model = c, .params = c->encoder_params, .forward = encoder_forward, .batched = true, .key = &c->key};
  task.ranks = sotto_i_job_ranks(c->job);
  for (int part = 0; part < 4; part++) {
    task.labels[part] = c->parted.labels[part];
    task.count[part] = c->parted.split.count[part];
  }
  return sotto_i_fit_and_measure(&out->quality.baseline_validation, &out->quality.baseline_test, &task,
                                 &training, &hook, err);
}

sotto_status sotto_i_central_begin(sotto_i_central *c, sotto_i_outcome *out, const sotto_i_job *job,
                                   sotto_error *err) {
  sotto_status status;
  c->job = job;
  out->quality.seed = job->seed;
  sotto_i_job_key(&c->key, job);
  SOTTO_TRY(sotto_i_parted_new(&c->parted, job, err));
  sotto_i_split_rows_set(&c->inputs, job->rows, 1, NULL, &c->parted.split);
  SOTTO_TRY(sotto_params_new(&c->encoder_params, err));
  SOTTO_TRY(sotto_params_new(&c->params, err));
  SOTTO_TRY(sotto_i_encoder_new(&c->encoder, c->encoder_params, "encoder", job->options, job->features->cols,
                                &c->key, err));
  c->encoder.options.input_dropout = (float)job->options->dropout;
  SOTTO_TRY(sotto_i_head_new(&c->head, c->encoder_params, "head", job->options, 0, job->data->classes,
                             &c->key, err));
  SOTTO_TRY(sotto_i_encoder_cached(c, out, train_encoder, err));
  sotto_i_split_rows_free(&c->inputs);
done:
  return status;
}

sotto_status sotto_i_central_release(sotto_i_central *c, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_status status;
  const sotto_i_release_request request = {.inputs = &rows, .spent = true, .by_rows = true};
  const sotto_i_block *block = sotto_i_block_of(c->job->data);
  if (block != NULL) {
    SOTTO_TRY(sotto_i_embed_ranks(&rows, &c->encoder, c->encoder_params, c->job->rows, &c->key, block, err));
    SOTTO_TRY(sotto_i_centre_ranks(&rows, block, err));
  } else {
    SOTTO_TRY(sotto_i_embed_source(&rows, &c->encoder, c->encoder_params, c->job->rows, &c->key, err));
    SOTTO_TRY(sotto_i_centre_rows(&rows, err));
  }
  SOTTO_TRY(sotto_i_job_release(&c->release, c->job, &request, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_central_finish(sotto_i_central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_i_job *job = c->job;
  const uint32_t count = job->plan->options.layers + 1;
  sotto_status status;
  sotto_i_decoder decoder = {.params = NULL};
  sotto_i_central_layers layers = {.count = 0};
  sotto_i_stage stage = {.job = job, .name = "decoder", .epochs = job->options->epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  SOTTO_I_CHECK(job->plan->grid.sigma == 0 || sotto_release_paid(c->release));
  SOTTO_TRY(sotto_i_central_layers_new(&layers, c, count, err));
  SOTTO_TRY(sotto_i_decoder_new(&decoder, c->params, job->options, count, layers.sources[0].cols, 0,
                                job->data->classes, &c->key, err));
  sotto_i_decoder_read_from(&decoder, layers.sources, NULL, &c->parted);
  sotto_i_task task = sotto_i_decoder_task(&decoder, c->params, &c->parted, &c->key);
  task.ranks = sotto_i_job_ranks(job);
  SOTTO_TRY(sotto_i_decoder_moments(&decoder, task.ranks, err));
  SOTTO_TRY(
      sotto_i_fit_and_measure(&out->quality.validation, &out->quality.test, &task, &training, &hook, err));
  const sotto_params *sets[] = {c->encoder_params, c->params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  sotto_i_decoder_free(&decoder);
  sotto_i_central_layers_free(&layers);
  return status;
}

void sotto_i_central_free(sotto_i_central *c) {
  sotto_i_parted_free(&c->parted);
  sotto_i_split_rows_free(&c->inputs);
  sotto_params_free(c->encoder_params);
  sotto_params_free(c->params);
  sotto_release_free(c->release);
  sotto_key_wipe(&c->key);
}
