/* Growing counts with noise, night by night.
 *
 * An edge (u, v) adds 1 to a count of u and to one of v on the night on which it appears, and subtracts it
 * on the night on which it disappears: a change of sqrt 2 in the l2 norm each time. Counts are whole
 * numbers of steps, with noise in whole steps, so no value is rounded (dp/noise/noise.h). The key of a
 * night's noise is bound to the counts that it hides. So a night that is made again from the same edges has
 * the same bytes. From other edges, as in an old copy of the folder, it has other noise. */
#include "night_counts.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dp/noise/noise.h"
#include "release/artifact.h"

static sotto_status night_path(char **out, const sotto_i_night *night, uint32_t number, bool make,
                               sotto_error *err) {
  char name[24], *folder = NULL;
  sotto_status status;
  (void)snprintf(name, sizeof name, "%u", (unsigned)number);
  SOTTO_TRY(sotto_i_join(&folder, night->path, name, err));
  if (make) SOTTO_TRY(sotto_i_make_folder(folder, err));
  SOTTO_TRY(sotto_i_join(out, folder, "counts.sotto", err));
done:
  sotto_i_free(folder);
  return status;
}

void sotto_i_night_counts_fill(int64_t *steps, const sotto_i_night_counts *counts, uint32_t night) {
  const sotto_i_night_log *log = counts->night->log;
  const sotto_i_continual *mechanism = counts->night->mechanism;
  for (uint64_t i = 0; i < log->edge_count; i++) {
    const sotto_i_night_edge *e = &log->edges[i];
    if (e->since > night) continue;
    int64_t weight = sotto_i_continual_weight(mechanism, night - 1, e->since - 1U);
    if (e->until != 0 && e->until <= night)
      weight -= sotto_i_continual_weight(mechanism, night - 1, e->until - 1U);
    steps[e->low * counts->classes + counts->clusters[e->high]] += weight;
    steps[e->high * counts->classes + counts->clusters[e->low]] += weight;
  }
}

static void bind_key(sotto_key *out, const sotto_key *key, uint32_t night, const int64_t *steps,
                     size_t count) {
  crypto_generichash_state state;
  *out = *key;
  crypto_generichash_init(&state, key->bytes, sizeof key->bytes, sizeof out->bytes);
  crypto_generichash_update(&state, (const uint8_t *)&night, sizeof night);
  crypto_generichash_update(&state, (const uint8_t *)steps, count * sizeof *steps);
  crypto_generichash_final(&state, out->bytes, sizeof out->bytes);
  sodium_memzero(&state, sizeof state);
}

static sotto_status steps_of(int64_t **out, const sotto_i_night_counts *counts, uint32_t number,
                             sotto_error *err) {
  const uint64_t nodes = counts->night->log->nodes[number];
  const sotto_status status = sotto_i_new(out, nodes * counts->classes, sizeof **out, err);
  if (status == SOTTO_OK) sotto_i_night_counts_fill(*out, counts, number);
  return status;
}

/* Released numbers are whole steps. As floats they may lose digits; that is post-processing. */
sotto_status sotto_i_night_counts_draw(sotto_matrix *out, const sotto_i_night_counts *counts, uint32_t number,
                                       const sotto_key *key, sotto_error *err) {
  const size_t nodes = counts->night->log->nodes[number], classes = counts->classes;
  const double step = counts->night->mechanism->step;
  int64_t *steps = NULL;
  int32_t *noise = NULL;
  sotto_key own;
  sotto_status status;
  *out = (sotto_matrix){0};
  SOTTO_TRY(steps_of(&steps, counts, number, err));
  SOTTO_TRY(sotto_i_new(&noise, classes, sizeof *noise, err));
  SOTTO_TRY(sotto_matrix_new(out, nodes, classes, err));
  bind_key(&own, key, number, steps, nodes * classes);
  for (size_t v = 0; v < nodes; v++) {
    sotto_i_noise_steps(noise, classes, counts->night->sigma / step, &own, number, v);
    for (size_t j = 0; j < classes; j++)
      out->data[v * classes + j] = (float)((double)(steps[v * classes + j] + noise[j]) * step);
  }
  sotto_key_wipe(&own);
done:
  if (noise != NULL) sodium_memzero(noise, classes * sizeof *noise);
  sotto_i_free(noise);
  sotto_i_free(steps);
  return status;
}

static sotto_status make_night(const sotto_i_night_counts *counts, uint32_t number, const char *path,
                               sotto_error *err) {
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_night_counts_draw(&table, counts, number, counts->night->key, err));
  SOTTO_TRY(sotto_graph_from_pairs(&graph, table.rows, NULL, NULL, 0, err));
  const sotto_dataset made = {.name = "counts", .graph = graph, .features = table};
  SOTTO_TRY(sotto_dataset_save(&made, path, err));
done:
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}

/* One night as an audit sees it. */
typedef struct watched {
  const sotto_i_night_counts *counts;
  uint32_t number;
} watched;

static sotto_status draw_watched(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                                 sotto_error *err) {
  const watched *s = context;
  (void)graph;
  return sotto_i_night_counts_draw(table, s->counts, s->number, key, err);
}

static sotto_status compare_watched(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                                    sotto_matrix *exact, bool *scaled, sotto_error *err) {
  const watched *s = context;
  const double step = s->counts->night->mechanism->step;
  int64_t *steps = NULL;
  sotto_dataset file = {0};
  sotto_status status;
  *scaled = false;
  if (layer > 1) return SOTTO_OK;
  SOTTO_TRY(sotto_dataset_open(&file, path, NULL, err));
  const sotto_matrix *rows = &file.features; /* this memory belongs to the file */
  SOTTO_TRY(sotto_matrix_new(kept, rows->rows, rows->cols, err));
  memcpy(kept->data, rows->data, rows->rows * rows->cols * sizeof *rows->data);
  SOTTO_TRY(steps_of(&steps, s->counts, s->number, err));
  SOTTO_TRY(sotto_matrix_new(exact, s->counts->night->log->nodes[s->number], s->counts->classes, err));
  for (size_t i = 0; i < exact->rows * exact->cols; i++) exact->data[i] = (float)((double)steps[i] * step);
done:
  sotto_i_free(steps);
  sotto_dataset_free(&file);
  return status;
}

/* Has no charge: the plan was charged as a whole, before its first night. */
static sotto_status audit_night(const sotto_i_night_counts *counts, uint32_t number, sotto_error *err) {
  const sotto_i_release_owner owner = sotto_i_job_owner(counts->night->plan);
  watched of = {counts, number};
  char file[40], *path = NULL;
  (void)snprintf(file, sizeof file, "%u/counts.sotto", (unsigned)number);
  const sotto_i_artifact artifact = {.owner = owner,
                                     .number = number - 1,
                                     .file = file,
                                     .context = &of,
                                     .show = draw_watched,
                                     .compare = compare_watched,
                                     .is_table = true};
  sotto_status status = night_path(&path, counts->night, number, false, err);
  if (status == SOTTO_OK) status = owner.probe->look(owner.probe->context, &artifact, path, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_night_counts_make(const sotto_i_night_counts *counts, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t t = 1; status == SOTTO_OK && t <= counts->night->log->night; t++) {
    char *path = NULL;
    status = night_path(&path, counts->night, t, true, err);
    if (status == SOTTO_OK && !sotto_i_is_file(path)) status = make_night(counts, t, path, err);
    sotto_i_free(path);
  }
  const bool is_watched = counts->night->plan != NULL && counts->night->plan->probe != NULL;
  for (uint32_t t = 1; status == SOTTO_OK && is_watched && t <= counts->night->log->night; t++)
    status = audit_night(counts, t, err);
  return status;
}

sotto_status sotto_i_night_counts_open(sotto_dataset *out, const sotto_i_night_counts *counts, uint32_t night,
                                       sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(night_path(&path, counts->night, night, false, err));
  SOTTO_TRY(sotto_dataset_open(out, path, NULL, err));
  if (out->features.rows != counts->night->log->nodes[night] || out->features.cols != counts->classes) {
    sotto_dataset_free(out);
    status =
        sotto_i_fail(err, SOTTO_CORRUPT, "%s: is not of this plan; remove it, and it is made again", path);
  }
done:
  sotto_i_free(path);
  return status;
}
