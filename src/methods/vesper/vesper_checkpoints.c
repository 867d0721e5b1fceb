/* Checkpoints of vesper's two roles. Epoch e of the encoder has the number e. After those, each round has
 * two: before its release, and with the release at the label party. The data party can continue from the
 * second whenever it can from the first, since it has the release, or makes it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/parties/traffic.h"
#include "vesper.h"

static uint32_t number_of(const sotto_options *options, uint64_t round, bool released) {
  return (uint32_t)(options->encoder_epochs + 1 + 2 * round + released);
}

sotto_i_vesper_place sotto_i_vesper_place_of(const sotto_i_job *job, const sotto_i_session *session) {
  const uint64_t epochs = job->options->encoder_epochs;
  const uint32_t number = session == NULL ? 0 : session->checkpoints.at.number;
  if (number <= epochs) return (sotto_i_vesper_place){0, number};
  return (sotto_i_vesper_place){(uint32_t)(number - epochs - 1) / 2 + 1, (uint32_t)(number - epochs - 1) % 2};
}

void sotto_i_vesper_place_tell(sotto_i_vesper_place place, const sotto_i_job *job, sotto_link *link,
                               const sotto_split *split) {
  sotto_i_exchange_shape shape = sotto_i_traffic_shape(job, split, 0);
  shape.trained = place.phase > 0;
  shape.epoch = place.phase == 0 ? place.step : 0;
  shape.released = place.phase > 0 ? place.phase - 1 + place.step : 0;
  sotto_i_traffic_tell(job, link, &shape);
}

sotto_status sotto_i_vesper_keep_round(const sotto_i_job *job, sotto_i_session *session, uint64_t round,
                                       const sotto_i_saved_state *state, sotto_error *err) {
  if (session == NULL) return SOTTO_OK;
  sotto_i_checkpoints *c = &session->checkpoints;
  sotto_status status = sotto_i_checkpoint_save(c, number_of(job->options, round, false), state, err);
  if (status != SOTTO_OK || session->role != SOTTO_ROLE_DATA) return status;
  return sotto_i_checkpoint_save(c, number_of(job->options, round, true), state, err);
}

static sotto_status layer_path(char **out, const sotto_i_vesper *shared, const sotto_i_session *session,
                               uint64_t round, uint32_t k, sotto_error *err) {
  char name[40];
  (void)snprintf(name, sizeof name, "layer-%u.sotto", k);
  return sotto_i_checkpoint_file(out, &session->checkpoints, number_of(shared->job->options, round, true),
                                 name, err);
}

sotto_status sotto_i_vesper_keep_layers(const sotto_i_vesper *shared, sotto_i_session *session,
                                        uint64_t round, const sotto_matrix *layers, uint32_t count,
                                        const sotto_i_saved_state *state, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  sotto_graph none = {0};
  if (session == NULL || session->local) return SOTTO_OK;
  SOTTO_TRY(sotto_graph_from_pairs(&none, shared->job->data->graph.nodes, NULL, NULL, 0, err));
  for (uint32_t k = 0; k < count; k++) {
    const sotto_dataset layer = {.name = "layer", .graph = none, .features = layers[k]};
    sotto_i_free(path);
    path = NULL;
    SOTTO_TRY(layer_path(&path, shared, session, round, k, err));
    SOTTO_TRY(sotto_dataset_save(&layer, path, err));
  }
  SOTTO_TRY(sotto_i_checkpoint_save(&session->checkpoints, number_of(shared->job->options, round, true),
                                    state, err));
done:
  sotto_graph_free(&none);
  sotto_i_free(path);
  return status;
}

static sotto_status load_layer(sotto_matrix *to, const char *path, sotto_error *err) {
  sotto_dataset layer;
  sotto_status status = sotto_dataset_open(&layer, path, NULL, err);
  if (status != SOTTO_OK) return status;
  if (layer.features.rows != to->rows || layer.features.cols != to->cols)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: has another shape than this run's layers", path);
  else
    memcpy(to->data, layer.features.data, to->rows * to->cols * sizeof(float));
  sotto_dataset_free(&layer);
  return status;
}

sotto_status sotto_i_vesper_load_layers(sotto_matrix *layers, uint32_t count, const sotto_i_vesper *shared,
                                        const sotto_i_session *session, uint64_t round, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  for (uint32_t k = 0; k < count; k++) {
    sotto_i_free(path);
    path = NULL;
    SOTTO_TRY(layer_path(&path, shared, session, round, k, err));
    SOTTO_TRY(load_layer(&layers[k], path, err));
  }
done:
  sotto_i_free(path);
  return status;
}

static sotto_status save_epoch(void *context, uint64_t epoch, const sotto_i_training_state *state,
                               sotto_error *err) {
  (void)epoch; /* the state has it */
  return sotto_i_checkpoint_save_training(context, state, err);
}

static sotto_status load_epoch(void *context, const sotto_i_training_state *state, sotto_error *err) {
  const sotto_i_checkpoints *c = context;
  return c->at.number == 0 ? SOTTO_OK : sotto_i_checkpoint_load_training(c, state, err);
}

sotto_i_keeper sotto_i_vesper_encoder_keeper(sotto_i_session *session) {
  if (session == NULL) return (sotto_i_keeper){.every = 0};
  return (sotto_i_keeper){&session->checkpoints, session->checkpoints.every, save_epoch, load_epoch};
}
