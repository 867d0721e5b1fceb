/* Exchange of gradients and parameter values between ranks. */
#include "gradients.h"

#include <string.h>

#include "base/memory.h"
#include "inside/nn.h"

enum { loss_floats = sizeof(double) / sizeof(float) };

static size_t floats_of(const sotto_matrix *m) {
  return m->rows * m->cols;
}

sotto_status sotto_i_gradient_sum_new(sotto_i_gradient_sum *out, sotto_params *params, sotto_ranks *ranks,
                                      sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_gradient_sum){.ranks = ranks, .params = params};
  for (size_t i = 0; i < sotto_params_count(params); i++)
    out->count += floats_of(sotto_params_gradient(params, i));
  SOTTO_TRY(sotto_i_new(&out->sum, out->count, sizeof *out->sum, err));
  SOTTO_TRY(sotto_i_new_raw(&out->packed, out->count + loss_floats, sizeof *out->packed, err));
done:
  return status;
}

static void pack_gradients(sotto_i_gradient_sum *s, double loss) {
  float *at = s->packed;
  for (size_t i = 0; i < sotto_params_count(s->params); i++) {
    const sotto_matrix *gradient = sotto_params_gradient(s->params, i);
    if (floats_of(gradient) > 0) memcpy(at, gradient->data, floats_of(gradient) * sizeof *at);
    at += floats_of(gradient);
  }
  memcpy(at, &loss, sizeof loss);
}

static void add_gradients(sotto_i_gradient_sum *s) {
  double loss;
  for (size_t i = 0; i < s->count; i++) s->sum[i] += s->packed[i];
  memcpy(&loss, s->packed + s->count, sizeof loss);
  s->loss += loss;
}

sotto_status sotto_i_gradient_sum_add(sotto_i_gradient_sum *s, uint32_t some, double loss, sotto_error *err) {
  const uint32_t number = sotto_i_rank_number(s->ranks);
  sotto_i_parcel parcel = {.data = s->packed, .bytes = (s->count + loss_floats) * sizeof *s->packed};
  if (number >= some) return SOTTO_OK;
  pack_gradients(s, loss);
  if (number > 0) return sotto_i_ranks_pass(s->ranks, &parcel, 1, err);
  add_gradients(s);
  for (parcel.peer = 1, parcel.take = true; parcel.peer < some; parcel.peer++) {
    const sotto_status status = sotto_i_ranks_pass(s->ranks, &parcel, 1, err);
    if (status != SOTTO_OK) return status;
    add_gradients(s);
  }
  return SOTTO_OK;
}

void sotto_i_gradient_sum_take(const sotto_i_gradient_sum *s) {
  const float *at = s->sum;
  for (size_t i = 0; i < sotto_params_count(s->params); i++) {
    sotto_matrix *gradient = sotto_params_gradient(s->params, i);
    if (floats_of(gradient) > 0) memcpy(gradient->data, at, floats_of(gradient) * sizeof *at);
    at += floats_of(gradient);
  }
}

void sotto_i_gradient_sum_free(sotto_i_gradient_sum *s) {
  sotto_i_free(s->sum);
  sotto_i_free(s->packed);
}

sotto_status sotto_i_params_give(sotto_params *params, sotto_ranks *ranks, sotto_error *err) {
  for (size_t i = 0; ranks != NULL && i < sotto_params_count(params); i++) {
    sotto_matrix *value = sotto_params_value(params, i);
    const sotto_status status = sotto_i_ranks_give(ranks, value->data, floats_of(value) * sizeof(float), err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}
