/* Combinations of layers (GAP's classifier; Xu et al. 2018, "jumping knowledge"). */
#include "combine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "inside/nn.h"
#include "inside/tensor.h"

sotto_i_combination sotto_i_combination_named(sotto_combination option) {
  static const sotto_i_combination kinds[] = {[SOTTO_COMBINE_CAT] = SOTTO_I_COMBINE_CAT,
                                              [SOTTO_COMBINE_SUM] = SOTTO_I_COMBINE_SUM,
                                              [SOTTO_COMBINE_MAX] = SOTTO_I_COMBINE_MAX,
                                              [SOTTO_COMBINE_MEAN] = SOTTO_I_COMBINE_MEAN,
                                              [SOTTO_COMBINE_ATTENTION] = SOTTO_I_COMBINE_ATTENTION,
                                              [SOTTO_COMBINE_GRU] = SOTTO_I_COMBINE_GRU};
  SOTTO_I_CHECK((unsigned)option < sizeof kinds / sizeof *kinds);
  return kinds[option];
}

static sotto_status attention_new(sotto_i_combiner *out, sotto_params *params, const sotto_key *key,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_linear_new(&out->score, params, "combine.score", out->width, out->width, key, err));
  SOTTO_TRY(sotto_params_add(params, &out->query, "combine.query", out->width, 1, SOTTO_INIT_GLOROT, true,
                             key, err));
  SOTTO_TRY(sotto_matrix_new(&out->ones, 1, out->width, err));
  for (size_t j = 0; j < out->width; j++) out->ones.data[j] = 1;
done:
  return status;
}

sotto_status sotto_i_combiner_new(sotto_i_combiner *out, sotto_params *params, sotto_i_combination kind,
                                  uint32_t layers, size_t width, sotto_activation activation,
                                  const sotto_key *key, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_combiner){.kind = kind, .layers = layers, .width = width, .activation = activation};
  SOTTO_I_CHECK(layers <= sizeof out->each / sizeof *out->each);
  if (out->kind == SOTTO_I_COMBINE_CAT) return SOTTO_OK;
  if (out->kind == SOTTO_I_COMBINE_GRU)
    return sotto_i_gru_new(&out->gru, params, "combine.gru", width, width, key, err);
  for (uint32_t k = 0; k < layers; k++) {
    char name[32];
    (void)snprintf(name, sizeof name, "combine.%u", k);
    SOTTO_TRY(sotto_linear_new(&out->each[k], params, name, width, width, key, err));
  }
  if (out->kind == SOTTO_I_COMBINE_ATTENTION) SOTTO_TRY(attention_new(out, params, key, err));
done:
  return status;
}

void sotto_i_combiner_free(sotto_i_combiner *combiner) {
  sotto_matrix_free(&combiner->ones);
}

size_t sotto_i_combiner_width(const sotto_i_combiner *combiner) {
  return combiner->kind == SOTTO_I_COMBINE_CAT ? combiner->layers * combiner->width : combiner->width;
}

static sotto_status softmax_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                    sotto_error *err) {
  (void)context, (void)err;
  for (size_t i = 0; i < x->rows; i++) {
    const float *from = x->data + i * x->cols;
    float *to = y->data + i * x->cols, largest = from[0], sum = 0;
    for (size_t j = 1; j < x->cols; j++) largest = fmaxf(largest, from[j]);
    for (size_t j = 0; j < x->cols; j++) sum += to[j] = expf(from[j] - largest);
    for (size_t j = 0; j < x->cols; j++) to[j] /= sum;
  }
  return SOTTO_OK;
}

/* dx = y (dy - <dy, y>) in each row. */
static sotto_status softmax_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                     const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)context, (void)x, (void)err;
  for (size_t i = 0; i < y->rows; i++) {
    const float *value = y->data + i * y->cols, *above = dy->data + i * y->cols;
    float inner = 0;
    for (size_t j = 0; j < y->cols; j++) inner += value[j] * above[j];
    for (size_t j = 0; j < y->cols; j++) dx->data[i * y->cols + j] += value[j] * (above[j] - inner);
  }
  return SOTTO_OK;
}

static const sotto_tape_op softmax_rows = {"softmax of rows", softmax_forward, softmax_backward};

static sotto_var attend(const sotto_i_combiner *c, sotto_params *params, sotto_tape *tape,
                        const sotto_var *layers, size_t rows) {
  sotto_var query = sotto_params_var(params, c->query, tape), scores = {0}, total = {0};
  for (uint32_t k = 0; k < c->layers; k++) {
    sotto_var hidden = sotto_tape_tanh(tape, sotto_linear_apply(&c->score, params, tape, layers[k]));
    sotto_var score = sotto_tape_matmul(tape, hidden, query);
    scores = k == 0 ? score : sotto_tape_concat(tape, scores, score);
  }
  sotto_var weights = sotto_tape_custom(tape, scores, rows, c->layers, &softmax_rows, NULL);
  sotto_var ones = sotto_tape_constant(tape, &c->ones);
  for (uint32_t k = 0; k < c->layers; k++) {
    sotto_var spread = sotto_tape_matmul(tape, sotto_tape_columns(tape, weights, k, k + 1), ones);
    sotto_var part = sotto_tape_multiply(tape, spread, layers[k]);
    total = k == 0 ? part : sotto_tape_add(tape, total, part);
  }
  return total;
}

/* The state before the first layer is zero: that layer times 0. */
static sotto_var read_sequence(const sotto_i_combiner *c, sotto_params *params, sotto_tape *tape,
                               sotto_var joined) {
  sotto_var first = sotto_tape_columns(tape, joined, 0, c->width);
  sotto_var state = sotto_tape_scale(tape, first, 0);
  for (uint32_t k = 0; k < c->layers; k++)
    state = sotto_i_gru_step(&c->gru, params, tape, state,
                             sotto_tape_columns(tape, joined, k * c->width, (k + 1) * c->width));
  return state;
}

sotto_var sotto_i_combiner_apply(const sotto_i_combiner *c, sotto_params *params, sotto_tape *tape,
                                 sotto_var joined) {
  sotto_var layers[65] = {{0}}, total;
  if (c->kind == SOTTO_I_COMBINE_CAT) return joined;
  if (c->kind == SOTTO_I_COMBINE_GRU) return read_sequence(c, params, tape, joined);
  for (uint32_t k = 0; k < c->layers; k++) {
    sotto_var own = sotto_tape_columns(tape, joined, k * c->width, (k + 1) * c->width);
    layers[k] = sotto_activate(tape, sotto_linear_apply(&c->each[k], params, tape, own), c->activation);
  }
  if (c->kind == SOTTO_I_COMBINE_ATTENTION)
    return attend(c, params, tape, layers, sotto_tape_value(tape, joined).rows);
  total = layers[0];
  for (uint32_t k = 1; k < c->layers; k++) /* max(a, b) = a + relu(b - a) */
    total = sotto_tape_add(tape, total,
                           c->kind == SOTTO_I_COMBINE_MAX
                               ? sotto_tape_relu(tape, sotto_tape_subtract(tape, layers[k], total))
                               : layers[k]);
  return c->kind == SOTTO_I_COMBINE_MEAN ? sotto_tape_scale(tape, total, 1.0F / (float)c->layers) : total;
}
