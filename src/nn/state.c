/* Training state: one flat set of parameters, named SET/PARAMETER/PIECE, saved and loaded like a model. */
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "inside/nn.h"
#include "params/params.h"

void sotto_i_double_to_floats(float out[SOTTO_I_DOUBLE_FLOATS], double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < SOTTO_I_DOUBLE_FLOATS; i++) out[i] = (float)(bits >> (16 * i) & 0xffff);
}

double sotto_i_double_from_floats(const float from[SOTTO_I_DOUBLE_FLOATS]) {
  uint64_t bits = 0;
  double value;
  for (int i = 0; i < SOTTO_I_DOUBLE_FLOATS; i++)
    bits |= (from[i] >= 0 && from[i] < 0x1p16F ? (uint64_t)from[i] : 0) << (16 * i);
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Visits every matrix of a state in one order. Loading adds a parameter for each, and then takes its values.
 * Saving lends each matrix to a set of parameters, which avoids a second copy, and then withdraws it. */
typedef enum action { ADD, TAKE, LEND, WITHDRAW } action;

typedef struct walk {
  action action;
  sotto_params *flat;
  size_t at; /* the next number in `flat` */
} walk;

static sotto_status add_param(walk *w, const char *name, size_t rows, size_t cols, sotto_error *err) {
  size_t number;
  return sotto_params_add(w->flat, &number, name, rows, cols, SOTTO_INIT_ZERO, false, NULL, err);
}

static sotto_status lend_param(walk *w, size_t number, const char *name, sotto_matrix lent,
                               sotto_error *err) {
  sotto_status status = add_param(w, name, 0, 0, err);
  if (status != SOTTO_OK) return status;
  sotto_matrix *place = sotto_params_value(w->flat, number);
  sotto_matrix_free(place);
  *place = lent;
  return SOTTO_OK;
}

static sotto_status visit(walk *w, const char *name, float *data, size_t rows, size_t cols,
                          sotto_error *err) {
  size_t number = w->at++;
  switch (w->action) {
  case ADD:
    return add_param(w, name, rows, cols, err);
  case LEND:
    return lend_param(w, number, name, (sotto_matrix){data, rows, cols}, err);
  case WITHDRAW: /* lending may have ended early */
    if (number < w->flat->count) *sotto_params_value(w->flat, number) = (sotto_matrix){0};
    return SOTTO_OK;
  case TAKE:
    if (rows * cols > 0) memcpy(data, sotto_params_value(w->flat, number)->data, rows * cols * sizeof(float));
  }
  return SOTTO_OK;
}

/* The pieces of a number are always in memory of the set. */
static sotto_status visit_number(walk *w, const char *name, double *number, sotto_error *err) {
  size_t at = w->at++;
  if (w->action == ADD || w->action == LEND) {
    sotto_status status = add_param(w, name, 1, SOTTO_I_DOUBLE_FLOATS, err);
    if (status == SOTTO_OK) sotto_i_double_to_floats(sotto_params_value(w->flat, at)->data, *number);
    return status;
  }
  if (w->action == TAKE) *number = sotto_i_double_from_floats(sotto_params_value(w->flat, at)->data);
  return SOTTO_OK;
}

static sotto_status visit_matrix(walk *w, size_t set, const char *param, const char *piece,
                                 sotto_matrix *matrix, sotto_error *err) {
  char name[200];
  (void)snprintf(name, sizeof name, "%zu/%.100s/%s", set, param, piece);
  return visit(w, name, matrix->data, matrix->rows, matrix->cols, err);
}

static sotto_status visit_set(walk *w, size_t set, sotto_params *params, bool moments, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char name[32];
  double steps = (double)params->steps;
  for (size_t i = 0; i < params->count; i++) {
    sotto_i_param *p = params->items[i];
    SOTTO_TRY(visit_matrix(w, set, p->name, "value", &p->value, err));
    if (!moments || !p->trained) continue;
    SOTTO_TRY(visit_matrix(w, set, p->name, "first", &p->first, err));
    SOTTO_TRY(visit_matrix(w, set, p->name, "second", &p->second, err));
  }
  if (!moments) goto done;
  (void)snprintf(name, sizeof name, "%zu/steps", set);
  SOTTO_TRY(visit_number(w, name, &steps, err));
  if (w->action == TAKE) params->steps = (uint64_t)steps;
done:
  return status;
}

static sotto_status visit_all(walk *w, const sotto_i_saved_state *state, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  w->at = 0;
  for (size_t i = 0; i < state->count; i++) SOTTO_TRY(visit_set(w, i, state->sets[i], true, err));
  if (state->values != NULL) SOTTO_TRY(visit_set(w, state->count, state->values, false, err));
  for (size_t i = 0; i < state->number_count; i++) {
    char name[40];
    (void)snprintf(name, sizeof name, "numbers/%zu", i);
    SOTTO_TRY(visit_number(w, name, &state->numbers[i], err));
  }
done:
  return status;
}

static sotto_status begin_walk(walk *w, action first, const sotto_i_saved_state *state, sotto_error *err) {
  sotto_status status = sotto_params_new(&w->flat, err);
  w->action = first;
  return status == SOTTO_OK ? visit_all(w, state, err) : status;
}

sotto_status sotto_i_state_save(const sotto_i_saved_state *state, const char *path, sotto_error *err) {
  sotto_status status;
  walk w = {.flat = NULL};
  SOTTO_TRY(begin_walk(&w, LEND, state, err));
  const sotto_params *flat = w.flat;
  SOTTO_TRY(sotto_params_save(&flat, 1, path, NULL, 0, err));
done:
  w.action = WITHDRAW;
  if (w.flat != NULL) (void)visit_all(&w, state, NULL);
  sotto_params_free(w.flat);
  return status;
}

/* Checks that a count of steps in the file is a whole number. */
static sotto_status check_steps(const walk *w, const char *path, sotto_error *err) {
  for (size_t i = 0; i < w->flat->count; i++) {
    const sotto_i_param *p = w->flat->items[i];
    const char *slash = strrchr(p->name, '/');
    if (slash == NULL || strcmp(slash, "/steps") != 0) continue;
    double steps = sotto_i_double_from_floats(p->value.data);
    if (!(steps >= 0 && steps < 0x1p53 && steps == floor(steps)))
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: '%s' is not a count of steps", path, p->name);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_state_load(const sotto_i_saved_state *state, const char *path, sotto_error *err) {
  sotto_status status;
  walk w = {.flat = NULL};
  SOTTO_TRY(begin_walk(&w, ADD, state, err));
  SOTTO_TRY(sotto_params_load(&w.flat, 1, path, err));
  SOTTO_TRY(check_steps(&w, path, err));
  w.action = TAKE;
  SOTTO_TRY(visit_all(&w, state, err));
done:
  sotto_params_free(w.flat);
  return status;
}

enum {
  epoch_at,
  best_epoch_at,
  best_at,
  best_loss_at,
  quality_at,
  training_numbers = quality_at + SOTTO_MEASURES
};

static sotto_i_saved_state state_of(const sotto_i_training_state *training, double *numbers) {
  return (sotto_i_saved_state){.sets = {training->params},
                               .count = 1,
                               .values = training->best,
                               .numbers = numbers,
                               .number_count = training_numbers};
}

sotto_status sotto_i_training_save(const sotto_i_training_state *training, const char *path,
                                   sotto_error *err) {
  const sotto_i_watch *w = training->watch;
  sotto_quality q = {0};
  if (training->quality != NULL) q = *training->quality;
  double numbers[training_numbers] = {(double)w->epoch, (double)w->best_epoch, w->best, w->best_loss};
  memcpy(numbers + quality_at, q.of, sizeof q.of);
  const sotto_i_saved_state state = state_of(training, numbers);
  return sotto_i_state_save(&state, path, err);
}

sotto_status sotto_i_training_load(const sotto_i_training_state *training, const char *path,
                                   sotto_error *err) {
  double numbers[training_numbers] = {0};
  const sotto_i_saved_state state = state_of(training, numbers);
  sotto_status status = sotto_i_state_load(&state, path, err);
  if (status != SOTTO_OK) return status;
  double epoch = numbers[epoch_at], best_epoch = numbers[best_epoch_at];
  if (!(epoch >= 0 && epoch < 0x1p53 && best_epoch >= 0 && best_epoch <= epoch))
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: holds no training between two epochs", path);
  *training->watch =
      (sotto_i_watch){(uint64_t)epoch, (uint64_t)best_epoch, numbers[best_at], numbers[best_loss_at]};
  if (training->quality != NULL)
    memcpy(training->quality->of, numbers + quality_at, sizeof training->quality->of);
  return SOTTO_OK;
}
