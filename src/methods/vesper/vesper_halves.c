/* Halves of networks, one for each fold, and the checkpoint from which a training continues. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "protocols/table.h"
#include "run/parties/traffic.h"
#include "vesper_halves.h"

enum { first_key = 320, holder_key = 1 << 12 };

static sotto_status add_half(sotto_i_halves *out, uint32_t fold, const sotto_i_job *job, uint32_t holder,
                             sotto_error *err) {
  sotto_key key;
  sotto_i_job_key(&key, job);
  sotto_i_key_derive(&out->key[fold], &key, first_key + fold + holder * holder_key);
  out->count = fold + 1;
  return sotto_params_new(&out->params[fold], err);
}

sotto_status sotto_i_halves_encoders(sotto_i_halves *out, uint32_t folds, const sotto_i_job *job, size_t in,
                                     uint32_t holder, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char name[40];
  for (uint32_t k = 0; k < folds; k++) {
    SOTTO_TRY(add_half(out, k, job, holder, err));
    if (holder == 0)
      (void)snprintf(name, sizeof name, "encoder%u", k);
    else
      (void)snprintf(name, sizeof name, "holder%u.encoder%u", holder, k);
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
    SOTTO_TRY(add_half(out, k, job, 0, err));
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

static sotto_i_saved_state state_of(const sotto_i_halves *halves, uint32_t trained) {
  sotto_i_saved_state state = {.count = trained};
  for (uint32_t k = 0; k < trained; k++) state.sets[k] = halves->params[k];
  return state;
}

/* Number of the checkpoint after `trained` networks and `epoch` epochs of the next. */
static uint32_t number_of(const sotto_i_halves_place *place, uint32_t trained, uint64_t epoch) {
  return (uint32_t)(trained * (place->epochs + 1) + epoch);
}

/* The file of the networks before the one that a checkpoint is for. */
static sotto_status path_of_trained(char **out, const sotto_i_halves_place *place, uint32_t number,
                                    sotto_error *err) {
  return sotto_i_checkpoint_file(out, &place->session->checkpoints, number, "trained.safetensors", err);
}

static sotto_status save_epoch(void *context, uint64_t epoch, const sotto_i_training_state *training,
                               sotto_error *err) {
  const sotto_i_halves_place *place = context;
  const sotto_i_saved_state trained = state_of(place->halves, place->fold);
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  if (place->fold > 0) {
    SOTTO_TRY(path_of_trained(&path, place, number_of(place, place->fold, epoch), err));
    SOTTO_TRY(sotto_i_state_save(&trained, path, err));
  }
  place->session->checkpoints.before = number_of(place, place->fold, 0);
  SOTTO_TRY(sotto_i_checkpoint_save_training(&place->session->checkpoints, training, err));
done:
  sotto_i_free(path);
  return status;
}

static sotto_status load_epoch(void *context, const sotto_i_training_state *training, sotto_error *err) {
  const sotto_i_halves_place *place = context;
  sotto_i_checkpoints *c = &place->session->checkpoints;
  if (c->at.number <= number_of(place, place->fold, 0)) return SOTTO_OK;
  c->before = number_of(place, place->fold, 0);
  return sotto_i_checkpoint_load_training(c, training, err);
}

sotto_i_keeper sotto_i_halves_keeper(sotto_i_halves_place *place) {
  if (place->session == NULL) return (sotto_i_keeper){.every = 0};
  return (sotto_i_keeper){place, place->session->checkpoints.every, save_epoch, load_epoch};
}

sotto_status sotto_i_halves_keep(const sotto_i_halves_place *place, sotto_error *err) {
  const sotto_i_saved_state state = state_of(place->halves, place->fold + 1);
  if (place->session == NULL) return SOTTO_OK;
  return sotto_i_checkpoint_save(&place->session->checkpoints, number_of(place, place->fold + 1, 0), &state,
                                 err);
}

sotto_status sotto_i_halves_find(sotto_i_halves_place *place, sotto_error *err) {
  const uint32_t number = place->session == NULL ? 0 : place->session->checkpoints.at.number;
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  place->fold = (uint32_t)(number / (place->epochs + 1));
  if (place->fold > place->halves->count)
    return sotto_i_fail(err, SOTTO_CORRUPT, "a checkpoint says that %u of %u networks are trained",
                        place->fold, place->halves->count);
  if (place->fold == 0) return SOTTO_OK;
  const sotto_i_saved_state state = state_of(place->halves, place->fold);
  if (number == number_of(place, place->fold, 0))
    return sotto_i_checkpoint_load(&place->session->checkpoints, &state, err);
  SOTTO_TRY(path_of_trained(&path, place, number, err));
  SOTTO_TRY(sotto_i_state_load(&state, path, err));
done:
  sotto_i_free(path);
  return status;
}

void sotto_i_halves_tell(const sotto_i_halves_place *place, const sotto_i_job *job, sotto_link *link,
                         const sotto_split *split, uint32_t classes, size_t columns) {
  const uint32_t number = place->session == NULL ? 0 : place->session->checkpoints.at.number;
  sotto_i_exchange_shape shape = sotto_i_traffic_shape(job, split, classes);
  shape.columns = columns;
  shape.trained = place->fold;
  shape.epoch = number - number_of(place, place->fold, 0);
  sotto_i_traffic_tell(job, link, &shape);
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

void sotto_i_halves_project(sotto_matrix *out, size_t first, const sotto_matrix *rows,
                            const sotto_i_job *job) {
  enum { stream = 66 };
  sotto_key key;
  sotto_i_random random;
  sotto_i_job_key(&key, job);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, stream, 0);
  memset(out->data + first * out->cols, 0, rows->rows * out->cols * sizeof(float));
  for (size_t k = 0; k < rows->cols; k++) {
    const uint32_t bits = sotto_i_random_u32(&random);
    for (size_t i = 0; i < rows->rows; i++) {
      const float value = rows->data[i * rows->cols + k];
      float *to = out->data + (first + i) * out->cols;
      for (size_t j = 0; j < out->cols; j++) to[j] += (bits >> j & 1) != 0 ? value : -value;
    }
  }
}
