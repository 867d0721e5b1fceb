/* Predictions of BEST: perceptrons on features, the counts that the run keeps, the last correction. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "models/readings.h"
#include "recipes/correction.h"
#include "recipes/counts.h"
#include "recipes/cross_fit.h"
#include "recipes/table.h"
#include "run/train/predict.h"

typedef struct best {
  const sotto_i_job *job;
  sotto_params *perceptrons, *corrections[SOTTO_MOST_COSTS];
  sotto_i_cross_fitted fitted;
  uint32_t kept; /* corrections that the model has; the last one speaks */
  sotto_mlp mlp; /* the last one's */
  double *moments;
  sotto_matrix readings; /* of all nodes and rounds */
  sotto_key key;
} best;

static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  const best *b = self;
  return sotto_i_cross_fit_scores(out, &b->fitted, x, nodes, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const best *b = self;
  sotto_status status;
  sotto_matrix base = {0}, centred = {0}, read = {0}, inputs = {0};
  if (b->kept == 0) return sotto_i_take_rows(out, rows, nodes, count, err);
  SOTTO_TRY(sotto_i_take_rows(&base, rows, nodes, count, err));
  SOTTO_TRY(sotto_matrix_new(&centred, base.rows, base.cols, err));
  sotto_i_rows_less_mean(&centred, &base);
  sotto_i_columns_by_moments(&centred, b->moments);
  SOTTO_TRY(sotto_i_take_rows(&read, &b->readings, nodes, count, err));
  SOTTO_TRY(sotto_i_table_join(&inputs, &centred, &read, err));
  SOTTO_TRY(
      sotto_i_correction_scores(out, &b->mlp, b->corrections[b->kept - 1], &base, &inputs, &b->key, err));
done:
  sotto_matrix_free(&base);
  sotto_matrix_free(&centred);
  sotto_matrix_free(&read);
  sotto_matrix_free(&inputs);
  return status;
}

static void free_best(void *self) {
  best *b = self;
  sotto_params_free(b->perceptrons);
  for (size_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(b->corrections[i]);
  sotto_i_free(b->fitted.of);
  sotto_i_free(b->moments);
  sotto_matrix_free(&b->readings);
  sotto_i_free(b);
}

/* A model has the corrections up to the one that validation liked best: how many are named in its file. */
static sotto_status count_corrections(uint32_t *kept, const char *file, uint64_t most, sotto_error *err) {
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, file, err);
  if (status != SOTTO_OK) return status;
  for (*kept = 0; *kept < most; ++*kept) {
    char name[40];
    (void)snprintf(name, sizeof name, "\"correction%u.", *kept);
    if (memmem(map.data, map.size, name, strlen(name)) == NULL) break;
  }
  sotto_i_map_close(&map);
  return SOTTO_OK;
}

static sotto_status read_counts(best *b, uint32_t round, const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_status status;
  sotto_dataset counts = {0};
  sotto_matrix read = {0}, wider = {0};
  char file[32], *path = NULL;
  sotto_i_counts_file(file, round);
  SOTTO_TRY(sotto_i_join(&path, b->job->folder, file, err));
  SOTTO_TRY(sotto_dataset_open(&counts, path, NULL, err));
  if (counts.features.rows != b->job->data->graph.nodes || counts.features.cols != b->job->data->classes) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, b->job->data->name);
    goto done;
  }
  SOTTO_TRY(sotto_i_readings(&read, &counts.features, noise, err));
  if (round == 0) {
    b->readings = read;
    read = (sotto_matrix){0};
    goto done;
  }
  SOTTO_TRY(sotto_i_table_join(&wider, &b->readings, &read, err));
  sotto_matrix_free(&b->readings);
  b->readings = wider;
done:
  sotto_matrix_free(&read);
  sotto_dataset_free(&counts);
  sotto_i_free(path);
  return status;
}

static sotto_status read_rounds(best *b, sotto_error *err) {
  sotto_laplace_grid grid;
  const sotto_options *o = b->job->options;
  const bool noisy = b->job->cost->count > 0;
  sotto_status status = SOTTO_OK;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, o, err));
  for (uint32_t round = 0; round < b->kept; round++)
    SOTTO_TRY(read_counts(b, round, noisy ? &grid : NULL, err));
done:
  return status;
}

static sotto_status make_networks(best *b, const sotto_i_opening *from, sotto_error *err) {
  sotto_params *sets[SOTTO_MOST_COSTS + 1];
  const size_t classes = b->job->data->classes;
  sotto_status status;
  SOTTO_TRY(count_corrections(&b->kept, from->file, b->job->options->layers, err));
  SOTTO_TRY(sotto_params_new(&b->perceptrons, err));
  SOTTO_TRY(sotto_i_cross_fit_new(&b->fitted, b->perceptrons, b->job, from->parted, err));
  sets[0] = b->perceptrons;
  for (uint32_t k = 0; k < b->kept; k++) {
    const sotto_i_correction correction = {b->job, from->parted, k};
    SOTTO_TRY(sotto_params_new(&b->corrections[k], err));
    SOTTO_TRY(
        sotto_i_correction_new(&b->mlp, b->corrections[k], classes * (2 * k + 3), classes, &correction, err));
    sets[k + 1] = b->corrections[k];
  }
  SOTTO_TRY(sotto_params_load(sets, b->kept + 1, from->file, err));
done:
  return status;
}

/* The columns' scale is that of the run's own nodes. */
static sotto_status measure_columns(best *b, sotto_error *err) {
  sotto_status status;
  sotto_matrix rows = {0}, centred = {0};
  SOTTO_TRY(rows_of(b, &rows, b->job->features, NULL, err));
  SOTTO_TRY(sotto_matrix_new(&centred, rows.rows, rows.cols, err));
  sotto_i_rows_less_mean(&centred, &rows);
  SOTTO_TRY(sotto_i_column_moments(&b->moments, &centred, err));
done:
  sotto_matrix_free(&rows);
  sotto_matrix_free(&centred);
  return status;
}

sotto_status sotto_i_predict_best(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  best *b = NULL;
  SOTTO_TRY(sotto_i_new(&b, 1, sizeof *b, err));
  *out =
      (sotto_i_predictor){.self = b, .rows = rows_of, .scores = scores_of, .free = free_best, .fixed = true};
  b->job = from->job;
  sotto_i_job_key(&b->key, from->job);
  if (from->fresh)
    status = sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: best answers from the counts that it keeps alone");
  else if (from->parted->split.rows[SOTTO_PART_TRAIN] == NULL)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels, by which best knows its training nodes",
                          from->job->data->name);
  else
    status = make_networks(b, from, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(read_rounds(b, err));
  SOTTO_TRY(measure_columns(b, err));
done:
  return status;
}
