/* Composition of epsilons while no transaction is open. */
#include "composed.h"

#include "base/memory.h"

void sotto_i_composed_free(sotto_i_composed *composed) {
  for (size_t i = 0; i < composed->count; i++) sotto_i_sums_free(&composed->known[i].sums);
  sotto_i_free(composed->known);
  *composed = (sotto_i_composed){0};
}

bool sotto_i_composed_find(sotto_i_composed *composed, double *epsilon, const sotto_i_sums *sums,
                           double delta, sotto_status *status, sotto_error *err) {
  for (size_t i = 0; i < composed->count; i++) {
    if (composed->known[i].delta != delta || !sotto_i_sums_equal(&composed->known[i].sums, sums)) continue;
    *epsilon = composed->known[i].epsilon;
    return true;
  }
  *status =
      sotto_i_grow(&composed->known, &composed->room, composed->count + 1, sizeof *composed->known, err);
  if (*status != SOTTO_OK) return false;
  sotto_i_composition *new = &composed->known[composed->count];
  *new = (sotto_i_composition){.delta = delta};
  *status = sotto_i_sums_join(&new->sums, sums, err);
  composed->missing = *status == SOTTO_OK;
  composed->count++;
  return false;
}

sotto_status sotto_i_composed_complete(sotto_i_composed *composed, sotto_error *err) {
  if (!composed->missing) return SOTTO_OK;
  sotto_i_composition *last = &composed->known[composed->count - 1];
  composed->missing = false;
  return sotto_i_sums_epsilon(&last->epsilon, &last->sums, last->delta, err);
}
