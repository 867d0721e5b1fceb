/* Files of a seed's points, in a folder of the seed's: encoder-EPOCH and round-R.safetensors, layer-R-K.sotto
 * and then layers-R.done, decoder-R.safetensors. Each is written whole or not. */
#include "checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "point_files.h"

/* In fresh memory: the path of this kind and number. */
static sotto_status path_of(char **out, const sotto_i_job *job, const char *kind, uint64_t number,
                            const char *end, sotto_error *err) {
  char name[96];
  (void)snprintf(name, sizeof name, "%s/%s-%llu%s", SOTTO_I_POINT_FOLDER, kind, (unsigned long long)number,
                 end);
  return sotto_i_join(out, job->folder, name, err);
}

static void tell(const sotto_i_job *job, sotto_i_point point) {
  sotto_wire_reached(job->seat->wire, (sotto_progress){job->seat->index, sotto_i_point_number(point)});
}

uint32_t sotto_i_checkpoint_found(const char *folder, sotto_role role) {
  sotto_i_points points = {.count = 0};
  sotto_i_points_found(&points, folder, role);
  return points.last;
}

static sotto_status exchange(uint32_t *out, const sotto_i_points *own, sotto_link *link, sotto_error *err) {
  sotto_i_points theirs = {.last = 0};
  const sotto_words words = {"points", SOTTO_WIRE_PUBLIC, NULL, own->numbers, 1, SOTTO_I_MOST_POINTS};
  const sotto_expectation expected = {words.name, words.kind, words.rows, words.cols, 0};
  sotto_status status = sotto_link_send_words(link, &words, err);
  if (status == SOTTO_OK) status = sotto_link_receive_words(link, theirs.numbers, &expected, err);
  *out = status == SOTTO_OK ? sotto_i_points_common(own, &theirs) : 0;
  return status;
}

sotto_status sotto_i_checkpoint_agree(sotto_i_point *out, const sotto_i_job *job, sotto_link *link,
                                      sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_points own = {.count = 0};
  uint32_t number = 0;
  char *folder = NULL;
  *out = (sotto_i_point){0, 0};
  if (job->seat == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&folder, job->folder, SOTTO_I_POINT_FOLDER, err));
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  sotto_i_points_found(&own, job->folder, job->seat->role);
  if (job->seat->stage > 0) SOTTO_TRY(exchange(&number, &own, link, err));
  *out = sotto_i_point_of(number);
  sotto_i_points_cut(job->folder, *out);
  tell(job, *out);
done:
  sotto_i_free(folder);
  return status;
}

sotto_status sotto_i_checkpoint_round_save(const sotto_i_job *job, uint64_t round, const sotto_i_state *state,
                                           sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  if (job->seat == NULL) return SOTTO_OK;
  SOTTO_TRY(path_of(&path, job, SOTTO_I_ROUND_FILE, round, SOTTO_I_STATE_END, err));
  SOTTO_TRY(sotto_i_state_save(state, path, err));
  /* Once the data party stands before a release, it can serve a label party that has the release as well. */
  tell(job, (sotto_i_point){(uint32_t)round + 1, job->seat->role == SOTTO_ROLE_DATA});
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_checkpoint_round_load(const sotto_i_job *job, uint64_t round, const sotto_i_state *state,
                                           sotto_error *err) {
  char *path = NULL;
  sotto_status status = path_of(&path, job, SOTTO_I_ROUND_FILE, round, SOTTO_I_STATE_END, err);
  if (status == SOTTO_OK) status = sotto_i_state_load(state, path, err);
  sotto_i_free(path);
  return status;
}

static sotto_status layer_path(char **out, const sotto_i_job *job, uint64_t round, uint32_t k,
                               sotto_error *err) {
  char end[32];
  (void)snprintf(end, sizeof end, "-%u.sotto", k);
  return path_of(out, job, SOTTO_I_LAYER_FILE, round, end, err);
}

/* What was made of an earlier release must not outlive the one that came now. */
static void forget_layers(const sotto_i_job *job, uint64_t round, uint32_t count) {
  sotto_i_points_cut(job->folder, (sotto_i_point){(uint32_t)round + 1, 0});
  for (uint64_t earlier = 0; earlier < round; earlier++) sotto_i_layers_forget(job->folder, earlier, count);
}

sotto_status sotto_i_checkpoint_layers_save(const sotto_i_job *job, uint64_t round,
                                            const sotto_matrix *layers, uint32_t count, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  sotto_graph none = {0};
  if (job->seat == NULL) return SOTTO_OK;
  forget_layers(job, round, count);
  SOTTO_TRY(sotto_graph_from_pairs(&none, job->data->graph.nodes, NULL, NULL, 0, err));
  for (uint32_t k = 0; k < count; k++) {
    const sotto_dataset layer = {.name = "layer", .graph = none, .features = layers[k]};
    sotto_i_free(path);
    SOTTO_TRY(layer_path(&path, job, round, k, err));
    SOTTO_TRY(sotto_dataset_save(&layer, path, err));
  }
  sotto_i_free(path);
  SOTTO_TRY(path_of(&path, job, SOTTO_I_LAYERS_FILE, round, SOTTO_I_DONE_END, err));
  SOTTO_TRY(sotto_i_write_file(path, "", 0, err));
  tell(job, (sotto_i_point){(uint32_t)round + 1, 1});
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

sotto_status sotto_i_checkpoint_layers_load(const sotto_i_job *job, uint64_t round, sotto_matrix *layers,
                                            uint32_t count, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *path = NULL;
  for (uint32_t k = 0; k < count; k++) {
    sotto_i_free(path);
    SOTTO_TRY(layer_path(&path, job, round, k, err));
    SOTTO_TRY(load_layer(&layers[k], path, err));
  }
done:
  sotto_i_free(path);
  return status;
}

static sotto_status encoder_save(void *context, uint64_t epoch, const sotto_i_training_state *state,
                                 sotto_error *err) {
  const sotto_i_kept_training *t = context;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(path_of(&path, t->job, SOTTO_I_ENCODER_FILE, epoch, SOTTO_I_STATE_END, err));
  SOTTO_TRY(sotto_i_training_save(state, path, err));
  sotto_i_encoders_forget(t->job->folder, epoch, t->job->options->checkpoint_every);
  tell(t->job, (sotto_i_point){0, (uint32_t)epoch});
done:
  sotto_i_free(path);
  return status;
}

static sotto_status encoder_load(void *context, const sotto_i_training_state *state, sotto_error *err) {
  const sotto_i_kept_training *t = context;
  char *path = NULL;
  sotto_status status;
  if (t->from.step == 0) return SOTTO_OK;
  SOTTO_TRY(path_of(&path, t->job, SOTTO_I_ENCODER_FILE, t->from.step, SOTTO_I_STATE_END, err));
  SOTTO_TRY(sotto_i_training_load(state, path, err));
  if (state->watch->epoch != t->from.step)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: holds epoch %llu", path,
                          (unsigned long long)state->watch->epoch);
done:
  sotto_i_free(path);
  return status;
}

static sotto_status decoder_save(void *context, uint64_t epoch, const sotto_i_training_state *state,
                                 sotto_error *err) {
  const sotto_i_kept_training *t = context;
  char *path = NULL;
  (void)epoch;
  sotto_status status = path_of(&path, t->job, SOTTO_I_DECODER_FILE, t->round, SOTTO_I_STATE_END, err);
  if (status == SOTTO_OK) status = sotto_i_training_save(state, path, err);
  sotto_i_free(path);
  return status;
}

static sotto_status decoder_load(void *context, const sotto_i_training_state *state, sotto_error *err) {
  const sotto_i_kept_training *t = context;
  char *path = NULL;
  sotto_status status = path_of(&path, t->job, SOTTO_I_DECODER_FILE, t->round, SOTTO_I_STATE_END, err);
  if (status == SOTTO_OK && sotto_i_is_file(path)) status = sotto_i_training_load(state, path, err);
  sotto_i_free(path);
  return status;
}

static uint64_t every_of(const sotto_i_kept_training *training) {
  return training->job->seat == NULL ? 0 : training->job->options->checkpoint_every;
}

sotto_i_keeper sotto_i_checkpoint_encoder(sotto_i_kept_training *training) {
  return (sotto_i_keeper){training, every_of(training), encoder_save, encoder_load};
}

sotto_i_keeper sotto_i_checkpoint_decoder(sotto_i_kept_training *training) {
  return (sotto_i_keeper){training, every_of(training), decoder_save, decoder_load};
}
