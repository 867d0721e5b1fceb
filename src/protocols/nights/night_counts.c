/* Growing counts with noise, night by night.
 *
 * An edge (u, v) adds 1 to a count of u and to one of v on the night on which it appears, and takes that away
 * on the one on which it goes: sqrt 2 in the l2 norm each. Counts as whole numbers of steps plus noise in
 * whole steps: no value is rounded (dp/noise/noise.h). The key of a night's noise is bound to what it hides.
 * So a night that is made again from the same edges has the same bytes, and from others, as from an old copy
 * of the folder, has other noise. */
#include "night_counts.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/secret.h"
#include "dp/noise/noise.h"

static sotto_status path_of(char **out, const sotto_i_night *night, uint32_t number, bool make,
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

/* Released numbers are whole steps; as floats they may lose digits, which is post-processing. */
static sotto_status add_noise(sotto_matrix *out, const int64_t *steps, const sotto_i_night *night,
                              uint32_t number, sotto_error *err) {
  const double step = night->mechanism->step;
  int32_t *noise = NULL;
  sotto_key *key = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_secret(&key, 1, sizeof *key, err));
  SOTTO_TRY(sotto_i_new_secret(&noise, out->cols, sizeof *noise, err));
  bind_key(key, night->key, number, steps, out->rows * out->cols);
  for (size_t v = 0; v < out->rows; v++) {
    sotto_i_noise_steps(noise, out->cols, night->sigma / step, key, number, v);
    for (size_t j = 0; j < out->cols; j++)
      out->data[v * out->cols + j] = (float)((double)(steps[v * out->cols + j] + noise[j]) * step);
  }
done:
  sotto_i_free_secret(noise);
  sotto_i_free_secret(key);
  return status;
}

static sotto_status make(const sotto_i_night_counts *counts, uint32_t number, const char *path,
                         sotto_error *err) {
  const uint64_t nodes = counts->night->log->nodes[number];
  int64_t *steps = NULL;
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&steps, nodes * counts->classes, sizeof *steps, err));
  SOTTO_TRY(sotto_matrix_new(&table, nodes, counts->classes, err));
  sotto_i_night_counts_fill(steps, counts, number);
  SOTTO_TRY(add_noise(&table, steps, counts->night, number, err));
  SOTTO_TRY(sotto_graph_from_pairs(&graph, nodes, NULL, NULL, 0, err));
  const sotto_dataset made = {.name = "counts", .graph = graph, .features = table};
  SOTTO_TRY(sotto_dataset_save(&made, path, err));
done:
  sotto_i_free(steps);
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}

sotto_status sotto_i_night_counts_make(const sotto_i_night_counts *counts, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t t = 1; status == SOTTO_OK && t <= counts->night->log->night; t++) {
    char *path = NULL;
    status = path_of(&path, counts->night, t, true, err);
    if (status == SOTTO_OK && !sotto_i_is_file(path)) status = make(counts, t, path, err);
    sotto_i_free(path);
  }
  return status;
}

sotto_status sotto_i_night_counts_open(sotto_dataset *out, const sotto_i_night_counts *counts, uint32_t night,
                                       sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(path_of(&path, counts->night, night, false, err));
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
