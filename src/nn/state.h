/* Training state in a file, from which an interrupted training resumes bit for bit: values, the optimiser's
 * moments and steps, and a few numbers, as a safetensors file. */
#ifndef SOTTO_SRC_NN_STATE_H
#define SOTTO_SRC_NN_STATE_H

#include "fit.h"
#include "inside/nn.h"

/* A double as four floats, each 16 of its bits as a whole number: exact for any value, NAN too. */
enum { SOTTO_I_DOUBLE_FLOATS = 4 };
void sotto_i_double_to_floats(float out[SOTTO_I_DOUBLE_FLOATS], double value);
double sotto_i_double_from_floats(const float from[SOTTO_I_DOUBLE_FLOATS]);

enum { SOTTO_I_STATE_SETS = 4 };

/* All members are borrowed. Sets may have names in common. */
typedef struct sotto_i_saved_state {
  sotto_params *sets[SOTTO_I_STATE_SETS]; /* with their optimiser's moments and steps; the first `count` */
  size_t count;
  sotto_params *values; /* values alone; may be NULL */
  double *numbers;
  size_t number_count;
} sotto_i_saved_state;

/* Written whole or not at all. */
sotto_status sotto_i_state_save(const sotto_i_saved_state *state, const char *path, sotto_error *err);
/* Fills sets of the same names and shapes, and the numbers. Errors: those of sotto_params_load; CORRUPT for
 * an impossible count of steps. On failure nothing is changed. */
sotto_status sotto_i_state_load(const sotto_i_saved_state *state, const char *path, sotto_error *err);

sotto_status sotto_i_training_save(const sotto_i_training_state *state, const char *path, sotto_error *err);
/* Errors: also CORRUPT for an impossible epoch. */
sotto_status sotto_i_training_load(const sotto_i_training_state *state, const char *path, sotto_error *err);

#endif
