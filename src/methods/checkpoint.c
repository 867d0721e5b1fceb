/* Files of finished stages, in a folder of the seed's: encoder.safetensors and result.json when the encoder
 * is trained, layer-K.sotto and then layers.done when the release has arrived. Each is written whole or not.
 */
#include "checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "seed_file.h"

static const char stage_folder[] = "stages";

uint32_t sotto_i_checkpoint_stage(const sotto_i_job *job) {
  return job->seat == NULL ? 0 : job->seat->stage;
}

static sotto_status stage_path(char **out, const char *folder, const char *name, sotto_error *err) {
  char file[64];
  (void)snprintf(file, sizeof file, name[0] == '\0' ? "%s" : "%s/%s", stage_folder, name);
  return sotto_i_join(out, folder, file, err);
}

static bool exists(const char *folder, const char *name) {
  char *path = NULL;
  if (stage_path(&path, folder, name, NULL) != SOTTO_OK) return false;
  bool found = sotto_i_is_file(path);
  sotto_i_free(path);
  return found;
}

/* A data party whose encoder is trained can serve a label party that has its layers just as well. */
uint32_t sotto_i_checkpoint_found(const char *folder, sotto_role role) {
  if (!exists(folder, "result.json")) return 0;
  return role == SOTTO_ROLE_DATA || exists(folder, "layers.done") ? 2 : 1;
}

static void tell(const sotto_i_job *job, uint32_t stage) {
  sotto_wire_reached(job->seat->wire, (sotto_progress){job->seat->index, stage});
}

sotto_status sotto_i_checkpoint_encoder_save(const sotto_i_job *job, const sotto_params *params,
                                             const sotto_quality *validation, const sotto_quality *test,
                                             sotto_error *err) {
  sotto_status status;
  char *folder = NULL, *path = NULL;
  sotto_i_outcome outcome = {.quality = {.seed = job->seed}};
  if (job->seat == NULL) return SOTTO_OK;
  if (validation != NULL) outcome.quality.baseline_validation = *validation;
  if (test != NULL) outcome.quality.baseline_test = *test;
  SOTTO_TRY(stage_path(&folder, job->folder, "", err));
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  SOTTO_TRY(stage_path(&path, job->folder, "encoder.safetensors", err));
  SOTTO_TRY(sotto_params_save(&params, 1, path, NULL, 0, err));
  SOTTO_TRY(sotto_i_seed_file_write(&outcome, folder, err));
  tell(job, job->seat->role == SOTTO_ROLE_DATA ? 2 : 1);
done:
  sotto_i_free(folder);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_checkpoint_encoder_load(const sotto_i_job *job, sotto_params *params,
                                             sotto_quality *validation, sotto_quality *test,
                                             sotto_error *err) {
  sotto_status status;
  char *folder = NULL, *path = NULL;
  sotto_i_outcome outcome;
  SOTTO_TRY(stage_path(&folder, job->folder, "", err));
  SOTTO_TRY(stage_path(&path, job->folder, "encoder.safetensors", err));
  SOTTO_TRY(sotto_params_load(&params, 1, path, err));
  SOTTO_TRY(sotto_i_seed_file_read(&outcome, folder, err));
  if (validation != NULL) *validation = outcome.quality.baseline_validation;
  if (test != NULL) *test = outcome.quality.baseline_test;
done:
  sotto_i_free(folder);
  sotto_i_free(path);
  return status;
}

static sotto_status layer_path(char **out, const sotto_i_job *job, uint32_t k, sotto_error *err) {
  char name[32];
  (void)snprintf(name, sizeof name, "layer-%u.sotto", k);
  return stage_path(out, job->folder, name, err);
}

sotto_status sotto_i_checkpoint_layers_save(const sotto_i_job *job, const sotto_matrix *layers,
                                            uint32_t count, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  sotto_graph none = {0};
  if (job->seat == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_graph_from_pairs(&none, job->data->graph.nodes, NULL, NULL, 0, err));
  for (uint32_t k = 0; k < count; k++) {
    const sotto_dataset layer = {.name = "layer", .graph = none, .features = layers[k]};
    sotto_i_free(path);
    SOTTO_TRY(layer_path(&path, job, k, err));
    SOTTO_TRY(sotto_dataset_save(&layer, path, err));
  }
  sotto_i_free(path);
  SOTTO_TRY(stage_path(&path, job->folder, "layers.done", err));
  SOTTO_TRY(sotto_i_write_file(path, "", 0, err));
  tell(job, 2);
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

sotto_status sotto_i_checkpoint_layers_load(const sotto_i_job *job, sotto_matrix *layers, uint32_t count,
                                            sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  for (uint32_t k = 0; k < count; k++) {
    sotto_i_free(path);
    SOTTO_TRY(layer_path(&path, job, k, err));
    SOTTO_TRY(load_layer(&layers[k], path, err));
  }
done:
  sotto_i_free(path);
  return status;
}
