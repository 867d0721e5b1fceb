/* Answers from networks on features, the counts that a run keeps, and the last correction. */
#include "predict_counts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "corrections.h"
#include "recipes/counts.h"
#include "run/spending/cost.h"
#include "tensor/columns.h"

typedef struct predictor {
  const sotto_i_job *job;
  const sotto_i_first_stage *first;
  void *networks; /* of the first stage */
  sotto_i_corrections corrections;
  uint8_t *levels;       /* of all nodes; NULL: all hear */
  sotto_matrix readings; /* of all nodes and rounds */
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
  sotto_matrix base = {0}, read = {0};
  uint8_t *levels = NULL;
  if (b->corrections.kept == 0) return sotto_i_take_rows(out, rows, nodes, count, err);
  SOTTO_TRY(sotto_i_take_rows(&base, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_rows(&read, &b->readings, nodes, count, err));
  if (b->levels != NULL) SOTTO_TRY(sotto_i_new_raw(&levels, count, sizeof *levels, err));
  for (size_t i = 0; levels != NULL && i < count; i++) levels[i] = b->levels[nodes[i]];
  SOTTO_TRY(sotto_i_corrections_scores(out, &b->corrections, &base, &read, levels, err));
done:
  sotto_matrix_free(&base);
  sotto_matrix_free(&read);
  sotto_i_free(levels);
  return status;
}

static void free_all(void *self) {
  predictor *b = self;
  if (b->networks != NULL) b->first->free(b->networks);
  sotto_i_free(b->networks);
  sotto_i_corrections_free(&b->corrections);
  sotto_i_free(b->levels);
  sotto_matrix_free(&b->readings);
  sotto_i_free(b);
}

static sotto_status read_counts(predictor *b, uint32_t round, const sotto_laplace_grid *noise,
                                sotto_error *err) {
  sotto_status status;
  sotto_dataset counts = {0};
  char file[32], *path = NULL;
  sotto_i_counts_file(file, round);
  SOTTO_TRY(sotto_i_join(&path, b->job->folder, file, err));
  SOTTO_TRY(sotto_dataset_open(&counts, path, NULL, err));
  if (counts.features.rows != b->job->data->graph.nodes || counts.features.cols != b->job->data->classes) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, b->job->data->name);
    goto done;
  }
  SOTTO_TRY(sotto_i_corrections_read(&b->readings, &counts.features, noise, err));
done:
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
  for (uint32_t round = 0; round < b->corrections.kept; round++)
    SOTTO_TRY(read_counts(b, round, noisy ? &grid : NULL, err));
done:
  return status;
}

static sotto_status make_networks(predictor *b, const sotto_i_opening *from, sotto_error *err) {
  sotto_params *sets[SOTTO_MOST_COSTS + SOTTO_I_MOST_FIRST_SETS];
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(b->first->open(b->networks, sets, &count, from, err));
  SOTTO_TRY(sotto_i_corrections_open(&b->corrections, sets, &count, b->job, from->file, err));
  SOTTO_TRY(sotto_params_load(sets, count, from->file, err));
done:
  return status;
}

/* Which nodes hear counts is a matter of the features that the data has, whatever a query changes. */
static sotto_status choose_levels(predictor *b, const sotto_split *split, sotto_error *err) {
  sotto_status status;
  sotto_matrix rows = {0};
  uint8_t *trains = NULL;
  SOTTO_TRY(rows_of(b, &rows, b->job->features, NULL, err));
  SOTTO_TRY(sotto_i_new(&trains, rows.rows, sizeof *trains, err));
  for (size_t i = 0; i < split->count[SOTTO_PART_TRAIN]; i++) trains[split->rows[SOTTO_PART_TRAIN][i]] = 1;
  SOTTO_TRY(sotto_i_corrections_levels(&b->levels, &b->corrections, &rows, trains, err));
done:
  sotto_matrix_free(&rows);
  sotto_i_free(trains);
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
  if (from->fresh)
    status =
        sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the counts that it keeps alone", method);
  else if (from->parted->split.rows[SOTTO_PART_TRAIN] == NULL)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels, by which %s knows its training nodes",
                          from->job->data->name, method);
  else
    status = make_networks(b, from, err);
  if (status != SOTTO_OK) return status;
  if (b->corrections.kept == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_opening_check(from, err));
  SOTTO_TRY(read_rounds(b, err));
  SOTTO_TRY(choose_levels(b, &from->parted->split, err));
done:
  return status;
}
