/* The decoder: layers of a release, normalised and combined, through a perceptron. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "networks.h"
#include "tensor/tape.h"

enum { decoder_streams = 32 };
static const float momentum = 0.1F;

/* Batch normalisation of the joined layers, whose scales differ. */
static sotto_status add_norm(sotto_i_decoder *decoder, sotto_params *params, size_t width,
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
    sotto_status status = sotto_params_add(params, &decoder->norm[i], rows[i].name, 1, width, rows[i].init,
                                           rows[i].trained, key, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_decoder_new(sotto_i_decoder *out, sotto_params *params, const sotto_options *options,
                                 uint32_t count, size_t width, size_t own, size_t outputs,
                                 const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_key derived;
  sotto_i_key_derive(&derived, key, decoder_streams);
  sotto_mlp_options network = {.layers = 2,
                               .activation = sotto_i_head_activation(options),
                               .dropout = (float)options->dropout,
                               .numbers = sotto_i_learns_numbers(options)};
  *out = (sotto_i_decoder){.params = params, .joined = width * count, .own = own};
  SOTTO_TRY(add_norm(out, params, out->joined + own, &derived, err));
  SOTTO_TRY(sotto_i_combiner_new(&out->combiner, params, sotto_i_combination_named(options->combine), count,
                                 width, network.activation, &derived, err));
  network.widths[0] = sotto_i_combiner_width(&out->combiner) + own;
  network.widths[1] = options->hidden;
  network.widths[2] = outputs;
  SOTTO_TRY(sotto_mlp_new(&out->mlp, params, "decoder", &network, decoder_streams, &derived, err));
done:
  if (status != SOTTO_OK) sotto_i_decoder_free(out);
  return status;
}

void sotto_i_decoder_free(sotto_i_decoder *decoder) {
  sotto_i_combiner_free(&decoder->combiner);
  sotto_i_split_rows_free(&decoder->inputs);
  sotto_i_free(decoder->sources);
  sotto_i_free(decoder->moments);
}

void sotto_i_decoder_read_from(sotto_i_decoder *decoder, const sotto_i_row_source *layers,
                               const sotto_matrix *own, const sotto_i_parted *parted) {
  sotto_i_split_rows_set(&decoder->inputs, layers, decoder->combiner.layers, decoder->own > 0 ? own : NULL,
                         &parted->split);
  sotto_i_free(decoder->moments);
  decoder->moments = NULL;
}

sotto_status sotto_i_decoder_read(sotto_i_decoder *decoder, const sotto_matrix *layers,
                                  const sotto_matrix *own, const sotto_i_parted *parted, sotto_error *err) {
  const uint32_t count = decoder->combiner.layers;
  if (decoder->sources == NULL) {
    const sotto_status status = sotto_i_new(&decoder->sources, count, sizeof *decoder->sources, err);
    if (status != SOTTO_OK) return status;
  }
  for (uint32_t k = 0; k < count; k++) decoder->sources[k] = sotto_i_row_source_of(&layers[k]);
  sotto_i_decoder_read_from(decoder, decoder->sources, own, parted);
  return SOTTO_OK;
}

/* Adds up the columns of all training rows, or the squared differences from their means. */
static sotto_status add_training_rows(double *sums, const double *means, sotto_i_decoder *decoder,
                                      sotto_tape *tape, sotto_error *err) {
  const size_t rows = decoder->inputs.count[SOTTO_PART_TRAIN];
  for (size_t i = 0; i < sotto_i_batch_count(rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_TRAIN, rows, i);
    sotto_matrix x;
    const sotto_status status = sotto_i_split_rows_take(&x, &decoder->inputs, tape, &batch, err);
    if (status != SOTTO_OK) return status;
    for (size_t r = 0; r < x.rows; r++)
      for (size_t j = 0; j < x.cols; j++) {
        const double value = x.data[r * x.cols + j];
        sums[j] += means == NULL ? value : (value - means[j]) * (value - means[j]);
      }
  }
  return SOTTO_OK;
}

/* Mean, biased variance and unbiased variance of the columns of all training rows. No epoch changes these
 * rows, so this is what batch normalisation computes from all rows at once. */
static sotto_status find_moments(sotto_i_decoder *decoder, sotto_tape *tape, sotto_error *err) {
  const size_t cols = decoder->inputs.cols;
  const double rows = (double)decoder->inputs.count[SOTTO_PART_TRAIN];
  sotto_status status;
  double *sums = NULL;
  SOTTO_TRY(sotto_i_new(&sums, 2 * cols, sizeof *sums, err));
  SOTTO_TRY(sotto_i_new(&decoder->moments, 3 * cols, sizeof *decoder->moments, err));
  SOTTO_TRY(add_training_rows(sums, NULL, decoder, tape, err));
  for (size_t j = 0; j < cols; j++) sums[j] /= rows;
  SOTTO_TRY(add_training_rows(sums + cols, sums, decoder, tape, err));
  for (size_t j = 0; j < cols; j++) {
    decoder->moments[j] = (float)sums[j];
    decoder->moments[cols + j] = (float)(sums[cols + j] / rows);
    decoder->moments[2 * cols + j] = (float)(sums[cols + j] / (rows - 1));
  }
done:
  sotto_i_free(sums);
  return status;
}

sotto_status sotto_i_decoder_moments(sotto_i_decoder *decoder, sotto_ranks *ranks, sotto_error *err) {
  const size_t bytes = 3 * decoder->inputs.cols * sizeof *decoder->moments;
  sotto_status status = SOTTO_OK;
  if (ranks == NULL || sotto_i_batch_count(decoder->inputs.count[SOTTO_PART_TRAIN]) == 1) return SOTTO_OK;
  if (sotto_i_ranks_first(ranks))
    SOTTO_TRY(find_moments(decoder, NULL, err));
  else
    SOTTO_TRY(sotto_i_new(&decoder->moments, bytes, 1, err));
  SOTTO_TRY(sotto_i_ranks_give(ranks, decoder->moments, bytes, err));
done:
  return status;
}

static sotto_var normalise(sotto_i_decoder *decoder, sotto_tape *tape, sotto_var x, sotto_matrix *mean,
                           sotto_matrix *variance, bool training) {
  sotto_params *params = decoder->params;
  return sotto_tape_batch_norm(tape, x, sotto_params_var(params, decoder->norm[0], tape),
                               sotto_params_var(params, decoder->norm[1], tape), mean, variance, momentum,
                               training);
}

/* Batch normalisation of a batch by the moments of all training rows. The running moments are updated once
 * an epoch. */
static sotto_var normalise_batch(sotto_i_decoder *decoder, sotto_tape *tape, const sotto_i_batch *batch) {
  const size_t cols = decoder->inputs.cols;
  sotto_error err = {0};
  sotto_matrix x = {0};
  sotto_status status = decoder->moments == NULL ? find_moments(decoder, tape, &err) : SOTTO_OK;
  if (status == SOTTO_OK) status = sotto_i_split_rows_take(&x, &decoder->inputs, tape, batch, &err);
  if (status != SOTTO_OK) return sotto_i_tape_fail(tape, status, "%s", err.text);
  for (size_t j = 0; batch->begin == 0 && j < cols; j++) {
    float *mean = &sotto_params_value(decoder->params, decoder->norm[2])->data[j];
    float *variance = &sotto_params_value(decoder->params, decoder->norm[3])->data[j];
    *mean += momentum * (decoder->moments[j] - *mean);
    *variance += momentum * (decoder->moments[2 * cols + j] - *variance);
  }
  decoder->of_all[0] = (sotto_matrix){decoder->moments, 1, cols};
  decoder->of_all[1] = (sotto_matrix){decoder->moments + cols, 1, cols};
  return normalise(decoder, tape, sotto_tape_constant(tape, &x), &decoder->of_all[0], &decoder->of_all[1],
                   false);
}

/* All rows of a part, or a batch of rows outside training. */
static sotto_var normalise_rows(sotto_i_decoder *decoder, const sotto_pass *pass,
                                const sotto_i_batch *batch) {
  sotto_params *params = decoder->params;
  sotto_error err = {0};
  sotto_matrix x;
  const sotto_status status = sotto_i_split_rows_take(&x, &decoder->inputs, pass->tape, batch, &err);
  if (status != SOTTO_OK) return sotto_i_tape_fail(pass->tape, status, "%s", err.text);
  decoder->input =
      decoder->wants_gradient ? sotto_tape_input(pass->tape, &x) : sotto_tape_constant(pass->tape, &x);
  return normalise(decoder, pass->tape, decoder->input, sotto_params_value(params, decoder->norm[2]),
                   sotto_params_value(params, decoder->norm[3]), pass->training);
}

static sotto_var decoder_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  sotto_i_decoder *decoder = model;
  sotto_params *params = decoder->params;
  sotto_tape *tape = pass->tape;
  const bool in_batches = pass->training && batch->count < decoder->inputs.count[batch->part];
  sotto_var joined =
      in_batches ? normalise_batch(decoder, tape, batch) : normalise_rows(decoder, pass, batch);
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
  const sotto_i_targets *targets = &task->targets[SOTTO_PART_TRAIN];
  decoder->wants_gradient = true;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = task->key};
  const sotto_i_batch all = {SOTTO_PART_TRAIN, 0, targets->count};
  sotto_params_zero_gradients(task->params);
  sotto_var loss = sotto_i_targets_loss(tape, task->forward(task->model, &pass, &all), targets);
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
  sotto_i_task task = {
      .model = decoder, .params = params, .forward = decoder_forward, .batched = true, .key = key};
  sotto_i_parted_learn(&task, parted);
  return task;
}
