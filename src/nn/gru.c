/* A gated recurrent unit, each gate of two linear maps. */
#include "gru.h"

#include <stdio.h>

#include "base/error.h"
#include "inside/nn.h"
#include "inside/tensor.h"

sotto_status sotto_i_gru_new(sotto_i_gru *out, sotto_params *params, const char *name, size_t in,
                             size_t width, const sotto_key *key, sotto_error *err) {
  static const char *const gates[3] = {"reset", "update", "new"};
  sotto_status status;
  for (int gate = 0; gate < 3; gate++) {
    char full[64];
    (void)snprintf(full, sizeof full, "%s.%s.input", name, gates[gate]);
    SOTTO_TRY(sotto_linear_new(&out->input[gate], params, full, in, width, key, err));
    (void)snprintf(full, sizeof full, "%s.%s.state", name, gates[gate]);
    SOTTO_TRY(sotto_linear_new(&out->state[gate], params, full, width, width, key, err));
  }
done:
  return status;
}

sotto_var sotto_i_gru_step(const sotto_i_gru *gru, sotto_params *params, sotto_tape *tape, sotto_var h,
                           sotto_var x) {
  sotto_var from_input[3], from_state[3], open[2];
  for (int gate = 0; gate < 3; gate++) {
    from_input[gate] = sotto_linear_apply(&gru->input[gate], params, tape, x);
    from_state[gate] = sotto_linear_apply(&gru->state[gate], params, tape, h);
  }
  for (int gate = SOTTO_I_GRU_RESET; gate <= SOTTO_I_GRU_UPDATE; gate++)
    open[gate] = sotto_tape_sigmoid(tape, sotto_tape_add(tape, from_input[gate], from_state[gate]));
  sotto_var kept = sotto_tape_multiply(tape, open[SOTTO_I_GRU_RESET], from_state[SOTTO_I_GRU_NEW]);
  sotto_var fresh = sotto_tape_tanh(tape, sotto_tape_add(tape, from_input[SOTTO_I_GRU_NEW], kept));
  sotto_var change = sotto_tape_multiply(tape, open[SOTTO_I_GRU_UPDATE], sotto_tape_subtract(tape, h, fresh));
  return sotto_tape_add(tape, fresh, change);
}
