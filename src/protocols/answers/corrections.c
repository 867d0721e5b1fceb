/* Corrections of a finished run: their networks, input scales and scores. */
#include "corrections.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "nn/readings.h"
#include "protocols/correction.h"
#include "protocols/counts.h"
#include "protocols/feature_clusters.h"
#include "protocols/feature_sums.h"
#include "protocols/networks/networks.h"
#include "protocols/table.h"
#include "protocols/transfer_weights.h"
#include "protocols/unsure.h"
#include "tensor/columns.h"

sotto_status sotto_i_model_names(bool *out, const char *file, const char *name, sotto_error *err) {
  char quoted[64];
  sotto_i_map map;
  const sotto_status status = sotto_i_map_open(&map, file, err);
  if (status != SOTTO_OK) return status;
  (void)snprintf(quoted, sizeof quoted, "\"%s\"", name);
  *out = memmem(map.data, map.size, quoted, strlen(quoted)) != NULL;
  sotto_i_map_close(&map);
  return SOTTO_OK;
}

sotto_status sotto_i_networks_named(uint32_t *out, const char *file, const char *prefix, uint64_t most,
                                    sotto_error *err) {
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, file, err);
  if (status != SOTTO_OK) return status;
  for (*out = 0; *out < most; ++*out) {
    char name[40];
    (void)snprintf(name, sizeof name, "\"%s%u.", prefix, *out);
    if (memmem(map.data, map.size, name, strlen(name)) == NULL) break;
  }
  sotto_i_map_close(&map);
  return SOTTO_OK;
}

sotto_i_cluster_kind sotto_i_corrections_kind(const sotto_i_corrections *c, uint32_t round) {
  return sotto_i_kind_of_round(c->scale.kind, round);
}

/* Relations of the first round alone are weighed. */
static bool is_weighed(const sotto_i_corrections *c, uint32_t round) {
  return c->scale.weighed && sotto_i_corrections_kind(c, round) == c->scale.kind;
}

bool sotto_i_corrections_sums(const sotto_i_corrections *c, uint32_t round) {
  return is_weighed(c, round) || sotto_i_corrections_kind(c, round) == SOTTO_I_BY_SUMS;
}

static bool is_whole(const sotto_i_corrections *c, uint32_t round) {
  return !is_weighed(c, round) && sotto_i_cells_are_whole(sotto_i_corrections_kind(c, round));
}

static size_t own_width(const sotto_i_corrections *c, uint32_t round) {
  return (c->own_rounds >> round & 1) != 0 ? c->scale.own : 0;
}

static sotto_status open_own(sotto_i_corrections *c, uint32_t round, const char *file, sotto_error *err) {
  char name[SOTTO_I_OWN_NAME];
  bool there = false;
  sotto_i_correction_own_name(name, round);
  const sotto_status status = sotto_i_model_names(&there, file, name, err);
  if (there) c->own_rounds |= 1U << round;
  return status;
}

size_t sotto_i_corrections_clusters(const sotto_i_corrections *c, uint32_t round) {
  const sotto_i_cluster_kind kind = sotto_i_corrections_kind(c, round);
  if (is_weighed(c, round)) return 1;
  if (kind == SOTTO_I_BY_TRANSFERS || kind == SOTTO_I_BY_KINDS || kind == SOTTO_I_BY_SUMS)
    return c->scale.cells;
  return kind == SOTTO_I_BY_FEATURES ? SOTTO_I_FEATURE_CLUSTERS : c->job->data->classes;
}

sotto_status sotto_i_corrections_bins(sotto_i_transfer_bins *out, const sotto_i_corrections *c,
                                      const sotto_dataset *data, sotto_error *err) {
  sotto_status status;
  if (c->scale.weighed && c->weights == NULL)
    return sotto_i_fail(err, SOTTO_CORRUPT, "model: has no parameter %s, by which its sums were made",
                        SOTTO_I_WEIGHTS_PARAMETER);
  if (c->scale.kind == SOTTO_I_BY_KINDS) {
    SOTTO_TRY(sotto_i_kind_bins(out, data, c->scale.cells, err));
  } else if (c->bins == NULL) {
    return sotto_i_fail(err, SOTTO_CORRUPT, "model: has no parameter %s, by which its counts were made",
                        SOTTO_I_BINS_PARAMETER);
  } else {
    SOTTO_TRY(sotto_i_transfer_bins_take(out, c->bins, err));
    SOTTO_TRY(sotto_i_transfer_bins_fit(out, data, err));
  }
  if (!c->scale.weighed) return SOTTO_OK;
  out->weights = sotto_params_value(c->weights, 0);
  SOTTO_TRY(sotto_i_transfer_weights_check(out->weights, SOTTO_CORRUPT, err));
done:
  return status;
}

static sotto_status open_centres(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                 const char *file, sotto_error *err) {
  bool there = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_model_names(&there, file, SOTTO_I_CLUSTERS_PARAMETER, err));
  if (!there) goto done;
  SOTTO_TRY(sotto_params_new(&out->centres, err));
  SOTTO_TRY(sotto_i_feature_clusters_new(out->centres, out->job->features->cols, err));
  sets[(*count)++] = out->centres;
done:
  return status;
}

static sotto_status open_directions(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                    const char *file, sotto_error *err) {
  bool there = false;
  sotto_status status;
  if (out->kept == 0 || out->scale.kind != SOTTO_I_BY_SUMS) return SOTTO_OK;
  SOTTO_TRY(sotto_i_model_names(&there, file, SOTTO_I_DIRECTIONS_PARAMETER, err));
  if (!there)
    return sotto_i_fail(err, SOTTO_CORRUPT, "model: has no parameter %s, by which its sums were made",
                        SOTTO_I_DIRECTIONS_PARAMETER);
  SOTTO_TRY(sotto_params_new(&out->directions, err));
  SOTTO_TRY(sotto_i_directions_new(out->directions, out->job->features->cols, out->job->data->classes, err));
  sets[(*count)++] = out->directions;
done:
  return status;
}

static sotto_status open_bins(sotto_i_corrections *out, sotto_params **sets, size_t *count, const char *file,
                              sotto_error *err) {
  bool there = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_model_names(&there, file, SOTTO_I_BINS_PARAMETER, err));
  if (!there) goto done;
  SOTTO_TRY(sotto_params_new(&out->bins, err));
  SOTTO_TRY(sotto_i_transfer_bins_new(out->bins, out->job->options, err));
  sets[(*count)++] = out->bins;
done:
  return status;
}

/* The party without edges has none. */
static sotto_status open_weights(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                 const char *file, sotto_error *err) {
  bool there = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_model_names(&there, file, SOTTO_I_WEIGHTS_PARAMETER, err));
  if (!there) goto done;
  SOTTO_TRY(sotto_i_transfer_weights_new(&out->weights, err));
  sets[(*count)++] = out->weights;
done:
  return status;
}

/* Without a correction the scale says no more than the kind of cells that were counted. A run before that may
 * lack the file. */
static sotto_status load_scale(sotto_i_corrections *out, const char *folder, size_t classes,
                               sotto_error *err) {
  const sotto_status status =
      sotto_i_correction_scale_load(&out->scale, folder, classes, out->kept > 0 ? err : NULL);
  if (out->kept > 0 || status == SOTTO_OK) return status;
  sotto_i_correction_scale_free(&out->scale);
  return SOTTO_OK;
}

/* A model has the corrections up to the best one on validation nodes. Their number follows from the names
 * in its file. */
sotto_status sotto_i_corrections_open(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                      const sotto_i_job *job, const char *file, sotto_error *err) {
  const size_t classes = job->data->classes;
  sotto_status status;
  *out = (sotto_i_corrections){.job = job};
  SOTTO_TRY(sotto_i_networks_named(&out->kept, file, "correction", job->options->layers, err));
  SOTTO_TRY(load_scale(out, job->folder, classes, err));
  SOTTO_TRY(open_centres(out, sets, count, file, err));
  SOTTO_TRY(open_directions(out, sets, count, file, err));
  SOTTO_TRY(open_bins(out, sets, count, file, err));
  SOTTO_TRY(open_weights(out, sets, count, file, err));
  size_t width = classes;
  for (uint32_t k = 0; k < out->kept; k++) {
    const sotto_i_correction correction = {.job = job, .round = k};
    width += sotto_i_readings_width(sotto_i_corrections_clusters(out, k), is_whole(out, k));
    SOTTO_TRY(sotto_params_new(&out->params[k], err));
    SOTTO_TRY(open_own(out, k, file, err));
    SOTTO_TRY(sotto_i_correction_new(&out->mlp[k], out->params[k], width + own_width(out, k), classes,
                                     &correction, err));
    if (own_width(out, k) > 0) SOTTO_TRY(sotto_i_correction_mark_own(out->params[k], k, err));
    sets[(*count)++] = out->params[k];
  }
done:
  return status;
}

void sotto_i_corrections_free(sotto_i_corrections *c) {
  for (size_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(c->params[i]);
  sotto_i_correction_scale_free(&c->scale);
  sotto_params_free(c->centres);
  sotto_params_free(c->directions);
  sotto_params_free(c->bins);
  sotto_params_free(c->weights);
  *c = (sotto_i_corrections){.job = NULL};
}

sotto_status sotto_i_corrections_roles(uint8_t **roles, const sotto_i_corrections *c,
                                       const sotto_i_parted *parted, sotto_error *err) {
  const sotto_split *split = &parted->split;
  const size_t nodes = c->job->data->graph.nodes;
  sotto_i_pilots pilots = {.group = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(roles, nodes, sizeof **roles, err));
  for (size_t i = 0; i < split->count[SOTTO_PART_TRAIN]; i++)
    (*roles)[split->rows[SOTTO_PART_TRAIN][i]] = SOTTO_I_TRAINED;
  if (!c->scale.pilots) goto done;
  SOTTO_TRY(sotto_i_pilots_draw(&pilots, c->job, parted, c->scale.choice, err));
  for (size_t v = 0; pilots.group != NULL && v < nodes; v++)
    if (pilots.group[v] != 0) (*roles)[v] = SOTTO_I_TRAINED_PILOT;
done:
  sotto_i_pilots_free(&pilots);
  return status;
}

static uint8_t level_of(const sotto_i_correction_scale *scale, uint8_t level, uint8_t role) {
  if (role == SOTTO_I_TRAINED_PILOT) return SOTTO_I_DEAF;
  const bool sure = scale->sure || scale->weighed;
  if (role == SOTTO_I_TRAINED && (scale->training || (sure && level != SOTTO_I_DEAF)))
    return SOTTO_I_DEAF + 1;
  return level;
}

sotto_status sotto_i_corrections_levels(uint8_t **levels, sotto_i_corrections *c, const sotto_matrix *base,
                                        const uint8_t *roles, sotto_error *err) {
  sotto_matrix first = {0};
  sotto_status status;
  *levels = NULL;
  if (!c->scale.chosen) return SOTTO_OK;
  SOTTO_TRY(sotto_i_take_columns(&first, base, 0, c->scale.classes, err));
  SOTTO_TRY(sotto_i_unsure_above(levels, &first, c->scale.surest, err));
  if (c->scale.weighed) sotto_i_levels_alike(*levels, base->rows, NULL, 0);
  for (size_t i = 0; roles != NULL && i < base->rows; i++)
    (*levels)[i] = level_of(&c->scale, (*levels)[i], roles[i]);
  if (roles == NULL) sotto_i_counts_expected(c->scale.expected, *levels, base->rows);
done:
  sotto_matrix_free(&first);
  return status;
}

sotto_status sotto_i_corrections_scores(sotto_matrix *out, const sotto_i_corrections *c, uint32_t rounds,
                                        const sotto_matrix *base, const sotto_matrix *read,
                                        const uint8_t *levels, sotto_error *err) {
  const size_t classes = c->job->data->classes;
  sotto_status status;
  sotto_matrix first = {0}, own = {0}, centred = {0}, beside = {0}, inputs = {0};
  const sotto_i_correction correction = {.job = c->job, .levels = levels, .round = rounds - 1};
  if (rounds == 0) return sotto_i_take_columns(out, base, 0, classes, err);
  SOTTO_TRY(sotto_i_take_columns(&first, base, 0, classes, err));
  SOTTO_TRY(sotto_matrix_new(&centred, base->rows, classes, err));
  sotto_i_rows_less_mean(&centred, &first);
  sotto_i_columns_by_moments(&centred, c->scale.moments);
  SOTTO_TRY(sotto_i_table_join(&beside, &centred, read, err));
  SOTTO_TRY(sotto_i_take_columns(&own, base, classes, classes + own_width(c, rounds - 1), err));
  if (own.cols > 0) sotto_i_columns_by_moments(&own, c->scale.own_moments);
  SOTTO_TRY(sotto_i_table_join(&inputs, &beside, &own, err));
  SOTTO_TRY(sotto_i_correction_scores(out, &c->mlp[rounds - 1], c->params[rounds - 1], &first, &inputs,
                                      &correction, NULL, err));
done:
  sotto_matrix_free(&first);
  sotto_matrix_free(&own);
  sotto_matrix_free(&centred);
  sotto_matrix_free(&beside);
  sotto_matrix_free(&inputs);
  return status;
}

sotto_status sotto_i_corrections_read(sotto_matrix *read, const sotto_i_corrections *c, uint32_t round,
                                      const sotto_matrix *counts, const uint8_t *levels,
                                      const sotto_laplace_grid *noise, sotto_error *err) {
  const sotto_i_counted of = {.noise = noise,
                              .releases = c->owners,
                              .row = sotto_i_corrections_sums(c, round) ? SOTTO_I_SUM_UNITS : 0,
                              .whole = is_whole(c, round),
                              .levels = levels,
                              .expected = c->scale.expected};
  return sotto_i_readings_append(read, counts, &of, err);
}
