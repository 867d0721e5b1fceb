/* Predicted numbers, from the perceptrons on features alone, the counts in the run folder, and the last
 * correction. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "best_numbers.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "protocols/answers/corrections.h"
#include "protocols/answers/predict_counts.h"
#include "protocols/correction.h"
#include "protocols/counts.h"
#include "tensor/columns.h"

typedef struct predictor {
  const sotto_i_job *job;
  sotto_params *perceptrons, *corrections[SOTTO_MOST_COSTS];
  sotto_i_cross_fitted fitted;
  sotto_mlp mlp[SOTTO_MOST_COSTS];
  sotto_i_number_clusters clusters;
  uint32_t kept;     /* corrections; 0: the prediction is from features alone */
  sotto_matrix read; /* of the counts of all nodes and rounds; empty: kept is 0 */
} predictor;

static sotto_status first_numbers(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                  sotto_error *err) {
  const predictor *p = self;
  return sotto_i_cross_fit_scores(out, &p->fitted, x, nodes, err);
}

/* Predictions after some rounds, of rows of `first`; `read` has the same rows. */
static sotto_status corrected(sotto_matrix *out, const predictor *p, uint32_t rounds,
                              const sotto_matrix *first, const sotto_matrix *read, sotto_error *err) {
  const sotto_i_correction correction = {.job = p->job, .round = rounds - 1};
  const size_t width = sotto_i_number_clusters_width(rounds - 1), of_read = width - 1;
  sotto_matrix input = {0}, inputs = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_number_clusters_input(&input, &p->clusters, first, err));
  SOTTO_TRY(sotto_matrix_new(&inputs, first->rows, width, err));
  for (size_t i = 0; i < first->rows; i++) {
    inputs.data[i * width] = input.data[i];
    for (size_t j = 0; j < of_read; j++) inputs.data[i * width + 1 + j] = read->data[i * read->cols + j];
  }
  SOTTO_TRY(sotto_i_correction_scores(out, &p->mlp[rounds - 1], p->corrections[rounds - 1], first, &inputs,
                                      &correction, NULL, err));
done:
  sotto_matrix_free(&input);
  sotto_matrix_free(&inputs);
  return status;
}

static sotto_status numbers_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                               size_t count, sotto_error *err) {
  const predictor *p = self;
  sotto_matrix first = {0}, read = {0};
  sotto_status status;
  if (p->kept == 0) return sotto_i_take_rows(out, rows, nodes, count, err);
  SOTTO_TRY(sotto_i_take_rows(&first, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_rows(&read, &p->read, nodes, count, err));
  SOTTO_TRY(corrected(out, p, p->kept, &first, &read, err));
done:
  sotto_matrix_free(&first);
  sotto_matrix_free(&read);
  return status;
}

static void free_all(void *self) {
  predictor *p = self;
  sotto_i_folds_free(&p->fitted.folds);
  sotto_params_free(p->perceptrons);
  for (uint32_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(p->corrections[i]);
  sotto_i_number_clusters_free(&p->clusters);
  sotto_matrix_free(&p->read);
  sotto_i_free(p);
}

static sotto_status load_model(predictor *p, const sotto_i_opening *from, sotto_error *err) {
  sotto_params *sets[SOTTO_MOST_COSTS + 2];
  size_t used = 0;
  sotto_i_folds folds;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&p->perceptrons, err));
  SOTTO_TRY(sotto_i_folds_of_answers(&folds, from, "perceptron", err));
  SOTTO_TRY(sotto_i_cross_fit_new(&p->fitted, p->perceptrons, p->job, &folds, err));
  sets[used++] = p->perceptrons;
  SOTTO_TRY(sotto_i_networks_named(&p->kept, from->file, "correction", p->job->options->layers, err));
  if (p->kept > 0) {
    SOTTO_TRY(sotto_i_number_clusters_new(&p->clusters, err));
    sets[used++] = p->clusters.params;
  }
  for (uint32_t round = 0; round < p->kept; round++) {
    const sotto_i_correction correction = {.job = p->job, .round = round};
    SOTTO_TRY(sotto_params_new(&p->corrections[round], err));
    SOTTO_TRY(sotto_i_correction_new(&p->mlp[round], p->corrections[round],
                                     sotto_i_number_clusters_width(round), 1, &correction, err));
    sets[used++] = p->corrections[round];
  }
  SOTTO_TRY(sotto_params_load(sets, used, from->file, err));
done:
  return status;
}

/* The counts that the run's own folder keeps. */
static sotto_status load_counts(sotto_dataset *out, const predictor *p, uint32_t round, sotto_error *err) {
  char file[32], *path = NULL;
  sotto_status status;
  sotto_i_counts_file(file, round);
  SOTTO_TRY(sotto_i_join(&path, p->job->folder, file, err));
  SOTTO_TRY(sotto_dataset_open(out, path, NULL, err));
  if (out->features.rows != p->job->data->graph.nodes || out->features.cols != SOTTO_I_QUANTILES)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, p->job->data->name);
done:
  sotto_i_free(path);
  return status;
}

/* Counts of other data, by its predicted numbers: without noise, or a release of its own. */
static sotto_status make_counts(sotto_dataset *released, sotto_matrix *exact, const predictor *p,
                                uint32_t round, const sotto_matrix *latest, const sotto_i_job *release,
                                const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_i_clusters counted = {.of = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_number_clusters_of(&counted, &p->clusters, latest, err));
  if (release == NULL) {
    SOTTO_TRY(sotto_matrix_new(exact, counted.nodes, SOTTO_I_QUANTILES, err));
    sotto_i_counts_fill(exact, &p->job->data->graph, &counted, NULL);
    goto done;
  }
  const sotto_i_counts counts = {
      .job = release, .clusters = &counted, .noise = noise, .round = round, .item = round};
  SOTTO_TRY(sotto_i_counts_release(released, NULL, &counts, err));
done:
  sotto_i_clusters_free(&counted);
  return status;
}

static sotto_status read_round(predictor *p, uint32_t round, const sotto_matrix *latest,
                               const sotto_i_opening *from, sotto_error *err) {
  const sotto_options *o = from->release != NULL ? from->release->options : p->job->options;
  const bool noisy = sotto_i_price_asked(o);
  sotto_laplace_grid grid;
  sotto_dataset kept = {0};
  sotto_matrix exact = {0};
  sotto_status status = SOTTO_OK;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, o, err));
  const sotto_laplace_grid *noise = noisy ? &grid : NULL;
  if (from->own)
    SOTTO_TRY(load_counts(&kept, p, round, err));
  else
    SOTTO_TRY(make_counts(&kept, &exact, p, round, latest, from->release, noise, err));
  SOTTO_TRY(sotto_i_number_clusters_read(&p->read, exact.data != NULL ? &exact : &kept.features, noise, err));
done:
  sotto_dataset_free(&kept);
  sotto_matrix_free(&exact);
  return status;
}

static sotto_status read_counts(predictor *p, const sotto_i_opening *from, sotto_error *err) {
  sotto_matrix first = {0}, latest = {0};
  sotto_status status;
  if (sotto_i_price_asked(p->job->options) && from->release == NULL)
    SOTTO_TRY(sotto_i_opening_check(from, err));
  SOTTO_TRY(first_numbers(p, &first, p->job->features, NULL, err));
  for (uint32_t round = 0; round < p->kept; round++) {
    SOTTO_TRY(read_round(p, round, round == 0 ? &first : &latest, from, err));
    sotto_matrix_free(&latest);
    if (round + 1 < p->kept) SOTTO_TRY(corrected(&latest, p, round + 1, &first, &p->read, err));
  }
done:
  sotto_matrix_free(&first);
  sotto_matrix_free(&latest);
  return status;
}

sotto_status sotto_i_best_numbers_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                       sotto_error *err) {
  sotto_status status;
  predictor *p = NULL;
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  *out = (sotto_i_predictor){
      .self = p, .rows = first_numbers, .scores = numbers_of, .free = free_all, .fixed = true};
  p->job = from->job;
  if (from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the counts that it keeps alone",
                        from->job->options->method);
  if (from->own && from->parted->split.rows[SOTTO_PART_TRAIN] == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no numbers, by which %s knows its training nodes",
                        from->job->data->name, from->job->options->method);
  SOTTO_TRY(load_model(p, from, err));
  if (p->kept > 0) SOTTO_TRY(read_counts(p, from, err));
done:
  return status;
}
