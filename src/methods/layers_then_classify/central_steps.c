/* Training by one owner, in three steps: encoder without edges, release, classifier. */
#include "central.h"

#include "base/error.h"
#include "base/memory.h"
#include "encoder_cache.h"
#include "models/centre.h"
#include "recipes/table.h"

static sotto_var encoder_forward(void *model, const sotto_pass *pass, sotto_part part) {
  sotto_i_central *c = model;
  sotto_var x = sotto_tape_fixed(pass->tape, &c->features[part]);
  return sotto_mlp_apply(&c->head, c->encoder_params, pass,
                         sotto_mlp_apply(&c->encoder, c->encoder_params, pass, x));
}

static sotto_status train_encoder(sotto_i_central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_options *o = c->job->options;
  sotto_i_stage stage = {.job = c->job, .name = "encoder", .epochs = o->encoder_epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  sotto_i_task task = {.model = c, .params = c->encoder_params, .forward = encoder_forward, .key = &c->key};
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
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&c->features[part], job->features, c->parted.split.rows[part],
                                c->parted.split.count[part], err));
  SOTTO_TRY(sotto_params_new(&c->encoder_params, err));
  SOTTO_TRY(sotto_params_new(&c->params, err));
  SOTTO_TRY(sotto_i_encoder_new(&c->encoder, c->encoder_params, "encoder", job->options, job->features->cols,
                                &c->key, err));
  SOTTO_TRY(sotto_i_head_new(&c->head, c->encoder_params, "head", job->options, 0, job->data->classes,
                             &c->key, err));
  SOTTO_TRY(sotto_i_encoder_cached(c, out, train_encoder, err));
  SOTTO_TRY(sotto_i_embed_all(&c->embeddings, &c->encoder, c->encoder_params, job->features, &c->key, err));
done:
  return status;
}

sotto_status sotto_i_central_release(sotto_i_central *c, sotto_error *err) {
  sotto_matrix inputs = {0};
  sotto_status status;
  const sotto_i_release_request request = {.inputs = &inputs};
  SOTTO_TRY(sotto_i_centred_rows(&inputs, &c->embeddings, err));
  SOTTO_TRY(sotto_i_job_release(&c->release, c->job, &request, err));
done:
  sotto_matrix_free(&inputs);
  return status;
}

/* Rows to norm 1: what is far along a release is smaller by orders of magnitude than what is near, and tells
 * as much by its direction. Then columns to one scale. Post-processing of the released rows. */
static sotto_status layer_for_classifier(sotto_matrix *out, const sotto_i_central *c, uint32_t k,
                                         sotto_error *err) {
  const sotto_matrix *from = k == 0 ? &c->embeddings : sotto_release_layer(c->release, k);
  sotto_status status =
      k == 0 ? sotto_i_table_join(out, from, &(sotto_matrix){0}, err) : sotto_i_unit_rows(out, from, err);
  return status == SOTTO_OK ? sotto_i_columns_to_standard(out, err) : status;
}

sotto_status sotto_i_central_finish(sotto_i_central *c, sotto_i_outcome *out, sotto_error *err) {
  const sotto_i_job *job = c->job;
  uint32_t count = job->plan->options.layers + 1;
  sotto_status status;
  sotto_i_decoder decoder = {.params = NULL};
  sotto_matrix *layers = NULL;
  sotto_i_stage stage = {.job = job, .name = "decoder", .epochs = job->options->epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  SOTTO_I_CHECK(job->plan->grid.sigma == 0 || sotto_release_paid(c->release));
  SOTTO_TRY(sotto_i_new(&layers, count, sizeof *layers, err));
  for (uint32_t k = 0; k < count; k++) SOTTO_TRY(layer_for_classifier(&layers[k], c, k, err));
  SOTTO_TRY(sotto_i_decoder_new(&decoder, c->params, job->options, count, layers[0].cols, 0,
                                job->data->classes, &c->key, err));
  SOTTO_TRY(sotto_i_decoder_read(&decoder, layers, NULL, &c->parted, err));
  const sotto_i_task task = sotto_i_decoder_task(&decoder, c->params, &c->parted, &c->key);
  SOTTO_TRY(
      sotto_i_fit_and_measure(&out->quality.validation, &out->quality.test, &task, &training, &hook, err));
  const sotto_params *sets[] = {c->encoder_params, c->params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  sotto_i_decoder_free(&decoder);
  if (layers != NULL)
    for (uint32_t k = 0; k < count; k++) sotto_matrix_free(&layers[k]);
  sotto_i_free(layers);
  return status;
}

void sotto_i_central_free(sotto_i_central *c) {
  sotto_i_parted_free(&c->parted);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&c->features[part]);
  sotto_matrix_free(&c->embeddings);
  sotto_params_free(c->encoder_params);
  sotto_params_free(c->params);
  sotto_release_free(c->release);
  sotto_key_wipe(&c->key);
}
