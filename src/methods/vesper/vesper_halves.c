/* Halves of networks, one for each fold, and where a training goes on. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/random.h"
#include "recipes/table.h"
#include "vesper_halves.h"

const char sotto_i_vesper_counts_recipe = 0;

enum { first_key = 320 };

static sotto_status begin(sotto_i_halves *out, uint32_t fold, const sotto_i_job *job, sotto_error *err) {
  sotto_key key;
  sotto_i_job_key(&key, job);
  sotto_i_key_derive(&out->key[fold], &key, first_key + fold);
  out->count = fold + 1;
  return sotto_params_new(&out->params[fold], err);
}

sotto_status sotto_i_halves_encoders(sotto_i_halves *out, uint32_t folds, const sotto_i_job *job, size_t in,
                                     sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char name[16];
  for (uint32_t k = 0; k < folds; k++) {
    SOTTO_TRY(begin(out, k, job, err));
    (void)snprintf(name, sizeof name, "encoder%u", k);
    SOTTO_TRY(sotto_i_encoder_new(&out->mlp[k], out->params[k], name, job->options, in, &out->key[k], err));
  }
done:
  return status;
}

sotto_status sotto_i_halves_heads(sotto_i_halves *out, uint32_t folds, const sotto_i_job *job, size_t own,
                                  sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char name[16];
  for (uint32_t k = 0; k < folds; k++) {
    SOTTO_TRY(begin(out, k, job, err));
    (void)snprintf(name, sizeof name, "head%u", k);
    SOTTO_TRY(sotto_i_head_new(&out->mlp[k], out->params[k], name, job->options, own, job->data->classes,
                               &out->key[k], err));
  }
done:
  return status;
}

void sotto_i_halves_free(sotto_i_halves *halves) {
  for (uint32_t k = 0; k < halves->count; k++) sotto_params_free(halves->params[k]);
  *halves = (sotto_i_halves){.count = 0};
}

static sotto_i_state state_of(const sotto_i_halves *halves, uint32_t trained) {
  sotto_i_state state = {.count = trained};
  for (uint32_t k = 0; k < trained; k++) state.sets[k] = halves->params[k];
  return state;
}

sotto_status sotto_i_halves_keep(const sotto_i_halves *halves, uint32_t trained, sotto_i_session *session,
                                 sotto_error *err) {
  const sotto_i_state state = state_of(halves, trained);
  if (session == NULL) return SOTTO_OK;
  return sotto_i_checkpoint_save(&session->checkpoints, trained, &state, err);
}

sotto_status sotto_i_halves_find(uint32_t *trained, const sotto_i_halves *halves,
                                 const sotto_i_session *session, sotto_error *err) {
  *trained = session == NULL ? 0 : session->checkpoints.at.number;
  if (*trained == 0) return SOTTO_OK;
  if (*trained > halves->count)
    return sotto_i_fail(err, SOTTO_CORRUPT, "a checkpoint says that %u of %u networks are trained", *trained,
                        halves->count);
  const sotto_i_state state = state_of(halves, *trained);
  return sotto_i_checkpoint_load(&session->checkpoints, &state, err);
}

sotto_status sotto_i_halves_join(sotto_params *to, const sotto_i_halves *halves, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 0; k < halves->count; k++)
    SOTTO_TRY(sotto_i_hand_over(to, halves->params[k], &halves->key[k], err));
done:
  return status;
}

sotto_status sotto_i_counts_classes(uint32_t *out, float number, sotto_error *err) {
  if (!(number >= 2 && number <= SOTTO_I_MOST_CLUSTERS && number == floorf(number)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "classes: the label party says %g; there are 2 to %d", number,
                        SOTTO_I_MOST_CLUSTERS);
  *out = (uint32_t)number;
  return SOTTO_OK;
}
