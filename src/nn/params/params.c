/* Parameter sets: named matrices with gradients. */
#include "params.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"

sotto_status sotto_params_new(sotto_params **out, sotto_error *err) {
  return sotto_i_new(out, 1, sizeof **out, err);
}

static void free_param(sotto_i_param *param) {
  if (param == NULL) return;
  sotto_i_free(param->name);
  sotto_matrix_free(&param->value);
  sotto_matrix_free(&param->gradient);
  sotto_matrix_free(&param->first);
  sotto_matrix_free(&param->second);
  sotto_i_free(param);
}

void sotto_params_free(sotto_params *params) {
  if (params == NULL) return;
  for (size_t i = 0; i < params->count; i++) free_param(params->items[i]);
  sotto_i_free(params->items);
  sotto_i_free(params);
}

static void fill_uniform(sotto_matrix *value, double bound, const sotto_key *key, uint64_t number) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_INIT, 0, number);
  for (size_t i = 0; i < value->rows * value->cols; i++)
    value->data[i] = (float)(bound * (2 * sotto_i_random_double(&random) - 1));
}

static void initialise(sotto_matrix *value, sotto_init init, const sotto_key *key, uint64_t number) {
  switch (init) {
  case SOTTO_INIT_ZERO:
    break;
  case SOTTO_INIT_ONE:
    for (size_t i = 0; i < value->rows * value->cols; i++) value->data[i] = 1;
    break;
  case SOTTO_INIT_GLOROT:
    fill_uniform(value, sqrt(6.0 / (double)(value->rows + value->cols)), key, number);
    break;
  }
}

static sotto_status make_param(sotto_i_param **out, const char *name, size_t rows, size_t cols, bool trained,
                               sotto_error *err) {
  sotto_status status;
  sotto_i_param *param = NULL;
  SOTTO_TRY(sotto_i_new(&param, 1, sizeof *param, err));
  param->trained = trained;
  param->pace = 1;
  SOTTO_TRY(sotto_i_strdup(&param->name, name, err));
  SOTTO_TRY(sotto_matrix_new(&param->value, rows, cols, err));
  SOTTO_TRY(sotto_matrix_new(&param->gradient, rows, cols, err));
  if (trained) {
    SOTTO_TRY(sotto_matrix_new(&param->first, rows, cols, err));
    SOTTO_TRY(sotto_matrix_new(&param->second, rows, cols, err));
  }
  *out = param;
  param = NULL;
done:
  free_param(param);
  return status;
}

sotto_status sotto_params_add(sotto_params *params, size_t *number, const char *name, size_t rows,
                              size_t cols, sotto_init init, bool trained, const sotto_key *key,
                              sotto_error *err) {
  for (size_t i = 0; i < params->count; i++)
    if (strcmp(params->items[i]->name, name) == 0)
      return sotto_i_fail(err, SOTTO_INVALID, "a parameter named '%s' exists already", name);
  size_t pointer = sizeof(void *);
  sotto_status status = sotto_i_grow(&params->items, &params->capacity, params->count + 1, pointer, err);
  if (status != SOTTO_OK) return status;
  sotto_i_param *param;
  status = make_param(&param, name, rows, cols, trained, err);
  if (status != SOTTO_OK) return status;
  initialise(&param->value, init, key, params->count);
  *number = params->count;
  params->items[params->count++] = param;
  return SOTTO_OK;
}

size_t sotto_params_count(const sotto_params *params) {
  return params->count;
}

const char *sotto_params_name(const sotto_params *params, size_t number) {
  return params->items[number]->name;
}

sotto_matrix *sotto_params_value(sotto_params *params, size_t number) {
  return &params->items[number]->value;
}

sotto_matrix *sotto_params_gradient(sotto_params *params, size_t number) {
  return &params->items[number]->gradient;
}

sotto_var sotto_params_var(sotto_params *params, size_t number, sotto_tape *tape) {
  sotto_i_param *param = params->items[number];
  if (!param->trained) return sotto_tape_constant(tape, &param->value);
  return sotto_tape_parameter(tape, &param->value, &param->gradient);
}

void sotto_params_zero_gradients(sotto_params *params) {
  for (size_t i = 0; i < params->count; i++) {
    sotto_matrix *gradient = &params->items[i]->gradient;
    if (gradient->rows * gradient->cols > 0)
      memset(gradient->data, 0, gradient->rows * gradient->cols * sizeof(float));
  }
}

sotto_status sotto_params_copy(sotto_params *to, const sotto_params *from, sotto_error *err) {
  if (to->count != from->count)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu parameters cannot take the values of %zu", to->count,
                        from->count);
  for (size_t i = 0; i < to->count; i++) {
    const sotto_matrix *a = &to->items[i]->value, *b = &from->items[i]->value;
    if (a->rows != b->rows || a->cols != b->cols)
      return sotto_i_fail(err, SOTTO_INVALID, "parameter '%s' has another shape", to->items[i]->name);
  }
  for (size_t i = 0; i < to->count; i++) {
    const sotto_matrix *b = &from->items[i]->value;
    if (b->rows * b->cols > 0) memcpy(to->items[i]->value.data, b->data, b->rows * b->cols * sizeof(float));
  }
  return SOTTO_OK;
}

sotto_status sotto_params_clone(sotto_params **out, const sotto_params *params, sotto_error *err) {
  sotto_status status;
  sotto_params *clone = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_params_new(&clone, err));
  for (size_t i = 0; i < params->count; i++) {
    const sotto_i_param *from = params->items[i];
    size_t number = 0;
    SOTTO_TRY(sotto_params_add(clone, &number, from->name, from->value.rows, from->value.cols,
                               SOTTO_INIT_ZERO, from->trained, NULL, err));
    clone->items[number]->pace = from->pace;
  }
  SOTTO_TRY(sotto_params_copy(clone, params, err));
  *out = clone;
  clone = NULL;
done:
  sotto_params_free(clone);
  return status;
}

static void copy_moment(sotto_matrix *to, const sotto_matrix *from) {
  if (from->rows * from->cols > 0) memcpy(to->data, from->data, from->rows * from->cols * sizeof(float));
}

sotto_status sotto_i_params_become(sotto_params *to, const sotto_params *from, sotto_error *err) {
  const sotto_status status = sotto_params_copy(to, from, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < to->count; i++) {
    copy_moment(&to->items[i]->first, &from->items[i]->first);
    copy_moment(&to->items[i]->second, &from->items[i]->second);
  }
  to->steps = from->steps;
  return SOTTO_OK;
}

void sotto_i_params_pace(sotto_params *params, size_t number, float pace) {
  SOTTO_I_CHECK(number < params->count && pace >= 0);
  params->items[number]->pace = pace;
}
