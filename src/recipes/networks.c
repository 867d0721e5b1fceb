/* Encoder, head and decoder. Each keeps to dropout streams of its own. */
#include "networks.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"

enum { encoder_streams = 0, head_streams = 16, decoder_streams = 32 };

sotto_status sotto_i_encoder_new(sotto_mlp *out, sotto_params *params, const char *name,
                                 const sotto_options *options, size_t in, const sotto_key *key,
                                 sotto_error *err) {
  size_t width = sotto_i_embedding_width(options);
  bool narrow = width != options->hidden;
  const sotto_mlp_options network = {.widths = {in, options->hidden, narrow ? width : 0},
                                     .layers = narrow ? 2 : 1,
                                     .activation = options->activation,
                                     .dropout = (float)options->dropout,
                                     .activate_last = true};
  return sotto_mlp_new(out, params, name, &network, encoder_streams, key, err);
}

sotto_status sotto_i_embed_all(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_matrix *features, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = key};
  const sotto_var embeddings = sotto_mlp_apply(encoder, params, &pass, sotto_tape_fixed(tape, features));
  SOTTO_TRY(sotto_tape_copy(out, tape, embeddings, err));
done:
  sotto_tape_free(tape);
  return status;
}

void sotto_i_layer_weight_name(char out[SOTTO_I_WEIGHT_NAME], uint64_t k) {
  (void)snprintf(out, SOTTO_I_WEIGHT_NAME, "layer%llu.weight", (unsigned long long)(k + 1));
}

sotto_status sotto_i_head_new(sotto_mlp *out, sotto_params *params, const char *name,
                              const sotto_options *options, size_t own, uint32_t classes,
                              const sotto_key *key, sotto_error *err) {
  sotto_key derived;
  sotto_i_key_derive(&derived, key, head_streams);
  const sotto_mlp_options network = {.widths = {sotto_i_embedding_width(options) + own, classes},
                                     .layers = 1,
                                     .activation = options->activation,
                                     .input_dropout = (float)options->dropout};
  return sotto_mlp_new(out, params, name, &network, head_streams, &derived, err);
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

sotto_i_combination sotto_i_combination_of(const sotto_options *options) {
  if (sotto_i_method_of(options)->central) return sotto_i_combination_named(options->combine);
  return options->decoder == SOTTO_DECODER_GRU ? SOTTO_I_COMBINE_GRU : SOTTO_I_COMBINE_CAT;
}

sotto_status sotto_i_decoder_new(sotto_i_decoder *out, sotto_params *params, const sotto_options *options,
                                 uint32_t count, size_t width, size_t own, uint32_t classes,
                                 const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_key derived;
  sotto_i_key_derive(&derived, key, decoder_streams);
  sotto_mlp_options network = {
      .layers = 2, .activation = options->decoder_activation, .dropout = (float)options->dropout};
  *out = (sotto_i_decoder){.params = params, .joined = width * count, .own = own};
  SOTTO_TRY(norm_new(out, params, out->joined + own, &derived, err));
  SOTTO_TRY(sotto_i_combiner_new(&out->combiner, params, sotto_i_combination_of(options), count, width,
                                 network.activation, &derived, err));
  network.widths[0] = sotto_i_combiner_width(&out->combiner) + own;
  network.widths[1] = options->hidden;
  network.widths[2] = classes;
  SOTTO_TRY(sotto_mlp_new(&out->mlp, params, "decoder", &network, decoder_streams, &derived, err));
done:
  if (status != SOTTO_OK) sotto_i_decoder_free(out);
  return status;
}

void sotto_i_decoder_free(sotto_i_decoder *decoder) {
  sotto_i_combiner_free(&decoder->combiner);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&decoder->inputs[part]);
}

sotto_status sotto_i_decoder_read(sotto_i_decoder *decoder, const sotto_matrix *layers,
                                  const sotto_matrix *own, const sotto_i_parted *parted, sotto_error *err) {
  size_t width = decoder->combiner.width, cols = decoder->joined + decoder->own;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    const uint32_t *rows = parted->split.rows[part];
    sotto_matrix *to = &decoder->inputs[part];
    sotto_matrix_free(to);
    sotto_status status = sotto_matrix_new(to, parted->split.count[part], cols, err);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < to->rows; i++) {
      for (uint32_t k = 0; k < decoder->combiner.layers; k++)
        memcpy(to->data + i * cols + k * width, layers[k].data + rows[i] * width, width * sizeof(float));
      if (decoder->own > 0)
        memcpy(to->data + i * cols + decoder->joined, own[part].data + i * decoder->own,
               decoder->own * sizeof(float));
    }
  }
  return SOTTO_OK;
}

static sotto_var decoder_forward(void *model, const sotto_pass *pass, sotto_part part) {
  const float momentum = 0.1F;
  sotto_i_decoder *decoder = model;
  sotto_params *params = decoder->params;
  sotto_tape *tape = pass->tape;
  decoder->input = decoder->wants_gradient ? sotto_tape_input(tape, &decoder->inputs[part])
                                           : sotto_tape_constant(tape, &decoder->inputs[part]);
  sotto_var joined = sotto_tape_batch_norm(
      tape, decoder->input, sotto_params_var(params, decoder->norm[0], tape),
      sotto_params_var(params, decoder->norm[1], tape), sotto_params_value(params, decoder->norm[2]),
      sotto_params_value(params, decoder->norm[3]), momentum, pass->training);
  if (decoder->own == 0)
    return sotto_mlp_apply(&decoder->mlp, params, pass,
                           sotto_i_combiner_apply(&decoder->combiner, params, tape, joined));
  sotto_var own = sotto_tape_columns(tape, joined, decoder->joined, decoder->joined + decoder->own);
  joined = sotto_i_combiner_apply(&decoder->combiner, params, tape,
                                  sotto_tape_columns(tape, joined, 0, decoder->joined));
  return sotto_mlp_apply(&decoder->mlp, params, pass, sotto_tape_concat(tape, joined, own));
}

sotto_status sotto_i_decoder_gradient(sotto_matrix *out, sotto_i_decoder *decoder, const sotto_i_task *task,
                                      size_t cols, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  const sotto_i_reported told = {task->labels[SOTTO_PART_TRAIN], task->count[SOTTO_PART_TRAIN], task->flip};
  decoder->wants_gradient = true;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = task->key};
  sotto_params_zero_gradients(task->params);
  sotto_var loss =
      sotto_i_reported_cross_entropy(tape, task->forward(task->model, &pass, SOTTO_PART_TRAIN), &told);
  SOTTO_TRY(sotto_tape_backward(tape, loss, err));
  const sotto_matrix gradient = sotto_tape_gradient(tape, decoder->input);
  SOTTO_TRY(sotto_matrix_new(out, gradient.rows, cols, err));
  for (size_t i = 0; i < out->rows; i++)
    memcpy(out->data + i * out->cols, gradient.data + i * gradient.cols, out->cols * sizeof(float));
done:
  decoder->wants_gradient = false;
  sotto_tape_free(tape);
  return status;
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
