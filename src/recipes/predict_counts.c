/* Answers from networks on features, the counts that a run keeps, and the last correction. */
#include "predict_counts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "correction.h"
#include "counts.h"
#include "models/readings.h"
#include "networks.h"
#include "run/spending/cost.h"
#include "table.h"
#include "unsure.h"

typedef struct predictor {
  const sotto_i_job *job;
  const sotto_i_first_stage *first;
  void *networks; /* of the first stage */
  sotto_params *corrections[SOTTO_MOST_COSTS];
  uint32_t kept; /* corrections that the model has; the last one speaks */
  sotto_mlp mlp; /* the last one's */
  double *moments;
  uint8_t *levels;       /* of all nodes; NULL without noise */
  sotto_matrix readings; /* of all nodes and rounds */
  sotto_key key;
} predictor;

static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  const predictor *b = self;
  return b->first->scores(b->networks, out, x, nodes, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const predictor *b = self;
  sotto_status status;
  sotto_matrix base = {0}, centred = {0}, read = {0}, inputs = {0};
  const sotto_i_correction correction = {.job = b->job, .levels = b->levels, .round = b->kept - 1};
  if (b->kept == 0) return sotto_i_take_rows(out, rows, nodes, count, err);
  SOTTO_TRY(sotto_i_take_rows(&base, rows, nodes, count, err));
  SOTTO_TRY(sotto_matrix_new(&centred, base.rows, base.cols, err));
  sotto_i_rows_less_mean(&centred, &base);
  sotto_i_columns_by_moments(&centred, b->moments);
  SOTTO_TRY(sotto_i_take_rows(&read, &b->readings, nodes, count, err));
  SOTTO_TRY(sotto_i_table_join(&inputs, &centred, &read, err));
  SOTTO_TRY(sotto_i_correction_scores(out, &b->mlp, b->corrections[b->kept - 1], &base, &inputs, &correction,
                                      nodes, err));
done:
  sotto_matrix_free(&base);
  sotto_matrix_free(&centred);
  sotto_matrix_free(&read);
  sotto_matrix_free(&inputs);
  return status;
}

static void free_all(void *self) {
  predictor *b = self;
  if (b->networks != NULL) b->first->free(b->networks);
  sotto_i_free(b->networks);
  for (size_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(b->corrections[i]);
  sotto_i_free(b->moments);
  sotto_i_free(b->levels);
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

static sotto_status read_counts(predictor *b, uint32_t round, const sotto_laplace_grid *noise,
                                sotto_error *err) {
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
  SOTTO_TRY(sotto_i_readings(&read, &counts.features, noise, 1, err));
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

static sotto_status read_rounds(predictor *b, sotto_error *err) {
  sotto_laplace_grid grid;
  const sotto_options *o = b->job->options;
  const bool noisy = sotto_i_price_asked(o);
  sotto_status status = SOTTO_OK;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, o, err));
  for (uint32_t round = 0; round < b->kept; round++)
    SOTTO_TRY(read_counts(b, round, noisy ? &grid : NULL, err));
done:
  return status;
}

static sotto_status make_networks(predictor *b, const sotto_i_opening *from, sotto_error *err) {
  sotto_params *sets[SOTTO_MOST_COSTS + SOTTO_I_MOST_FIRST_SETS];
  size_t count = 0;
  const size_t classes = b->job->data->classes;
  sotto_status status;
  SOTTO_TRY(count_corrections(&b->kept, from->file, b->job->options->layers, err));
  SOTTO_TRY(b->first->open(b->networks, sets, &count, from, err));
  for (uint32_t k = 0; k < b->kept; k++) {
    const sotto_i_correction correction = {b->job, from->parted, NULL, k};
    SOTTO_TRY(sotto_params_new(&b->corrections[k], err));
    SOTTO_TRY(
        sotto_i_correction_new(&b->mlp, b->corrections[k], classes * (2 * k + 3), classes, &correction, err));
    sets[count++] = b->corrections[k];
  }
  SOTTO_TRY(sotto_params_load(sets, count, from->file, err));
done:
  return status;
}

/* The columns' scale, and who is unsure, are those of the run's own nodes. */
static sotto_status measure_rows(predictor *b, const sotto_split *split, sotto_error *err) {
  sotto_status status;
  sotto_matrix rows = {0}, centred = {0};
  SOTTO_TRY(rows_of(b, &rows, b->job->features, NULL, err));
  SOTTO_TRY(sotto_matrix_new(&centred, rows.rows, rows.cols, err));
  sotto_i_rows_less_mean(&centred, &rows);
  SOTTO_TRY(sotto_i_column_moments(&b->moments, &centred, err));
  if (!sotto_i_price_asked(b->job->options)) goto done;
  SOTTO_TRY(sotto_i_unsure_levels(&b->levels, &rows, b->job->options->read_share, err));
  if (b->first->told)
    sotto_i_sure_of(b->levels, split->rows[SOTTO_PART_TRAIN], split->count[SOTTO_PART_TRAIN]);
  sotto_i_some_listen(b->levels, split->rows[SOTTO_PART_TRAIN], split->count[SOTTO_PART_TRAIN]);
done:
  sotto_matrix_free(&rows);
  sotto_matrix_free(&centred);
  return status;
}

sotto_status sotto_i_predict_counts(sotto_i_predictor *out, const sotto_i_opening *from,
                                    const sotto_i_first_stage *first, sotto_error *err) {
  const char *method = from->job->options->method;
  sotto_status status;
  predictor *b = NULL;
  SOTTO_TRY(sotto_i_new(&b, 1, sizeof *b, err));
  *out =
      (sotto_i_predictor){.self = b, .rows = rows_of, .scores = scores_of, .free = free_all, .fixed = true};
  b->job = from->job;
  b->first = first;
  SOTTO_TRY(sotto_i_new(&b->networks, 1, first->size, err));
  sotto_i_job_key(&b->key, from->job);
  if (from->fresh)
    status =
        sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the counts that it keeps alone", method);
  else if (from->parted->split.rows[SOTTO_PART_TRAIN] == NULL)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels, by which %s knows its training nodes",
                          from->job->data->name, method);
  else
    status = make_networks(b, from, err);
  if (status != SOTTO_OK) return status;
  if (b->kept > 0) SOTTO_TRY(sotto_i_opening_check(from, err));
  SOTTO_TRY(read_rounds(b, err));
  SOTTO_TRY(measure_rows(b, &from->parted->split, err));
done:
  return status;
}
