/* Encoder, head and decoder. Each keeps to dropout streams of its own. */
#include "networks.h"

#include <string.h>

#include "base/error.h"
#include "base/random.h"

enum { encoder_streams = 0, head_streams = 16, decoder_streams = 32 };

sotto_status sotto_i_encoder_new(sotto_mlp *out, sotto_params *params, const sotto_options *options,
                                 size_t in, const sotto_key *key, sotto_error *err) {
  size_t width = sotto_i_embedding_width(options);
  bool narrow = width != options->hidden;
  const sotto_mlp_options network = {.widths = {in, options->hidden, narrow ? width : 0},
                                     .layers = narrow ? 2 : 1,
                                     .activation = sotto_i_job_activation(options->activation),
                                     .dropout = (float)options->dropout,
                                     .activate_last = true};
  return sotto_mlp_new(out, params, "encoder", &network, encoder_streams, key, err);
}

sotto_status sotto_i_embed_all(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_matrix *features, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = key};
  const sotto_var embeddings = sotto_mlp_apply(encoder, params, &pass, sotto_tape_constant(tape, features));
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix value = sotto_tape_value(tape, embeddings);
  SOTTO_TRY(sotto_matrix_new(out, value.rows, value.cols, err));
  memcpy(out->data, value.data, value.rows * value.cols * sizeof(float));
done:
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_head_new(sotto_mlp *out, sotto_params *params, const sotto_options *options,
                              uint32_t classes, const sotto_key *key, sotto_error *err) {
  sotto_key own;
  sotto_i_key_derive(&own, key, head_streams);
  const sotto_mlp_options network = {.widths = {sotto_i_embedding_width(options), classes},
                                     .layers = 1,
                                     .activation = sotto_i_job_activation(options->activation),
                                     .input_dropout = (float)options->dropout};
  return sotto_mlp_new(out, params, "head", &network, head_streams, &own, err);
}

sotto_status sotto_i_add_constant(sotto_matrix *out, const sotto_matrix *from, double value,
                                  sotto_error *err) {
  size_t extra = value > 0 ? 1 : 0, width = from->cols + extra;
  sotto_status status = sotto_matrix_new(out, from->rows, width, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < from->rows; i++) {
    memcpy(out->data + i * width, from->data + i * from->cols, from->cols * sizeof(float));
    if (extra > 0) out->data[i * width + from->cols] = (float)value;
  }
  return SOTTO_OK;
}

/* Rows of all layers side by side, for the rows of one part. */
static sotto_status join_layers(sotto_matrix *out, const sotto_matrix *layers, uint32_t count,
                                const uint32_t *rows, size_t row_count, sotto_error *err) {
  size_t width = layers[0].cols;
  sotto_status status = sotto_matrix_new(out, row_count, width * count, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < row_count; i++)
    for (uint32_t k = 0; k < count; k++)
      memcpy(out->data + (i * count + k) * width, layers[k].data + rows[i] * width, width * sizeof(float));
  return SOTTO_OK;
}

/* Batch normalisation of the joined layers; their scales differ. */
static sotto_status norm_new(sotto_i_decoder *decoder, sotto_params *params, size_t width,
                             const sotto_key *key, sotto_error *err) {
  static const struct {
    const char *name;
    sotto_init init;
    bool trained;
  } rows[4] = {{"decoder.norm.gamma", SOTTO_INIT_ONE, true},
               {"decoder.norm.beta", SOTTO_INIT_ZERO, true},
               {"decoder.norm.mean", SOTTO_INIT_ZERO, false},
               {"decoder.norm.variance", SOTTO_INIT_ONE, false}};
  for (int i = 0; i < 4; i++) {
    sotto_status status = sotto_params_add(params, &decoder->norm[i], rows[i].name, 1, width, rows[i].init, 0,
                                           rows[i].trained, key, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_decoder_new(sotto_i_decoder *out, sotto_params *params, const sotto_options *options,
                                 const sotto_matrix *layers, uint32_t count, const sotto_i_parted *parted,
                                 uint32_t classes, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_key own;
  sotto_i_key_derive(&own, key, decoder_streams);
  const char *combination = sotto_i_method_find(options->method)->central ? options->combine
                            : strcmp(options->decoder, "gru") == 0        ? "gru"
                                                                          : "cat";
  sotto_mlp_options network = {.layers = 2,
                               .activation = sotto_i_job_activation(options->decoder_activation),
                               .dropout = (float)options->dropout};
  *out = (sotto_i_decoder){.params = params};
  SOTTO_TRY(norm_new(out, params, layers[0].cols * count, &own, err));
  SOTTO_TRY(sotto_i_combiner_new(&out->combiner, params, combination, count, layers[0].cols,
                                 network.activation, &own, err));
  network.widths[0] = sotto_i_combiner_width(&out->combiner);
  network.widths[1] = options->hidden;
  network.widths[2] = classes;
  SOTTO_TRY(sotto_mlp_new(&out->mlp, params, "decoder", &network, decoder_streams, &own, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(join_layers(&out->inputs[part], layers, count, parted->split.rows[part],
                          parted->split.count[part], err));
done:
  if (status != SOTTO_OK) sotto_i_decoder_free(out);
  return status;
}

void sotto_i_decoder_free(sotto_i_decoder *decoder) {
  sotto_i_combiner_free(&decoder->combiner);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&decoder->inputs[part]);
}

static sotto_var decoder_forward(void *model, const sotto_pass *pass, sotto_part part) {
  const float momentum = 0.1F;
  const sotto_i_decoder *decoder = model;
  sotto_params *params = decoder->params;
  sotto_tape *tape = pass->tape;
  sotto_var joined = sotto_tape_batch_norm(
      tape, sotto_tape_constant(tape, &decoder->inputs[part]),
      sotto_params_var(params, decoder->norm[0], tape), sotto_params_var(params, decoder->norm[1], tape),
      sotto_params_value(params, decoder->norm[2]), sotto_params_value(params, decoder->norm[3]), momentum,
      pass->training);
  joined = sotto_i_combiner_apply(&decoder->combiner, params, tape, joined);
  return sotto_mlp_apply(&decoder->mlp, params, pass, joined);
}

sotto_i_task sotto_i_decoder_task(sotto_i_decoder *decoder, sotto_params *params,
                                  const sotto_i_parted *parted, const sotto_key *key) {
  sotto_i_task task = {.model = decoder, .params = params, .forward = decoder_forward, .key = key};
  for (int part = 0; part < 4; part++) {
    task.labels[part] = parted->labels[part];
    task.count[part] = parted->split.count[part];
  }
  return task;
}

sotto_status sotto_i_fit_and_measure(sotto_quality *validation, sotto_quality *test, const sotto_i_task *task,
                                     const sotto_i_training *training, const sotto_i_epoch_hook *hook,
                                     sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  SOTTO_TRY(sotto_i_fit(task, training, hook, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_evaluate(validation, NULL, task, tape, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_i_evaluate(test, NULL, task, tape, SOTTO_PART_TEST, err));
done:
  sotto_tape_free(tape);
  return status;
}
