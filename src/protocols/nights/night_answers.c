/* Predictions of one night.
 *
 * The run's own nodes come first in every night's data. The cluster of a training node is its label; that of
 * another node is its predicted class from features alone. Tonight's correction is fitted to the training
 * nodes' estimates and labels, starting from none. It is used only if it is better on validation nodes. */
#include "night_answers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "night_counts.h"
#include "nn/readings.h"
#include "protocols/answers/corrections.h"
#include "protocols/correction.h"
#include "protocols/cross_fit.h"
#include "protocols/rounds.h"
#include "protocols/table.h"

enum { enough = 100 };                 /* newcomers needed for moments of their own */
static const double least_mean = 1e-4; /* so that no variance is 0 */

typedef struct rate_moments {
  double mean, spread; /* spread: variance of rates, whose mean is 1 */
} rate_moments;

/* The prior of one cluster. */
typedef struct prior {
  rate_moments first, newcomers;
  double later; /* mean of the counts that a later night adds */
} prior;

typedef struct sums {
  double first, first_square; /* of the first cohort on the first night */
  double new, new_square, new_noise, count;
  double *nightly; /* owned: of the first cohort, by night */
} sums;

typedef struct estimating {
  const sotto_i_night_counts *counts;
  uint32_t nights;
  uint64_t first_rows; /* of the first cohort */
  sums *sums;          /* by cluster */
  prior *priors;
  double *weights, *offsets; /* by cluster, cohort (from 0), night */
} estimating;

static double diagonal(const estimating *e, uint32_t night) {
  const sotto_i_continual *m = e->counts->night->mechanism;
  return sotto_i_continual_weight(m, night - 1, night - 1) * m->step;
}

static void add_night(estimating *e, uint32_t night, const sotto_matrix *y) {
  const size_t classes = e->counts->classes;
  const uint64_t *nodes = e->counts->night->log->nodes;
  const double scale = diagonal(e, night), noise = e->counts->night->sigma / scale;
  for (uint64_t v = 0; v < e->first_rows; v++)
    for (size_t j = 0; j < classes; j++) {
      const double value = y->data[v * classes + j];
      e->sums[j].nightly[night - 1] += value;
      if (night > 1) continue;
      e->sums[j].first += value / scale;
      e->sums[j].first_square += value / scale * value / scale;
    }
  for (uint64_t v = nodes[night - 1]; night > 1 && v < nodes[night]; v++)
    for (size_t j = 0; j < classes; j++) {
      const double value = y->data[v * classes + j] / scale;
      e->sums[j].new += value;
      e->sums[j].new_square += value * value;
      e->sums[j].new_noise += noise * noise;
      e->sums[j].count++;
    }
}

static rate_moments moments_of(double sum, double square, double noise, double count) {
  const double mean = fmax(sum / count, least_mean);
  const double variance = square / count - sum / count * sum / count - noise;
  return (rate_moments){mean, fmax(variance - mean, 0) / (mean * mean)};
}

/* The mean of the counts that nights after the first added: the triangular system of weights, solved for
 * means. */
static double later_mean(const estimating *e, const double *nightly) {
  const sotto_i_continual *m = e->counts->night->mechanism;
  double total = 0, *added = e->weights; /* used here as scratch, before the weights are computed */
  for (uint32_t t = 0; t < e->nights; t++) {
    added[t] = nightly[t] / (double)e->first_rows;
    for (uint32_t s = 0; s < t; s++) added[t] -= sotto_i_continual_weight(m, t, s) * m->step * added[s];
    added[t] /= sotto_i_continual_weight(m, t, t) * m->step;
    if (t > 0) total += added[t];
  }
  return e->nights > 1 ? fmax(total / (e->nights - 1), least_mean) : least_mean;
}

static void choose_priors(estimating *e) {
  const double noise = e->counts->night->sigma / diagonal(e, 1);
  for (size_t j = 0; j < e->counts->classes; j++) {
    const sums *s = &e->sums[j];
    prior *p = &e->priors[j];
    p->first = moments_of(s->first, s->first_square, noise * noise, (double)e->first_rows);
    p->newcomers =
        s->count < enough ? p->first : moments_of(s->new, s->new_square, s->new_noise / s->count, s->count);
    p->later = later_mean(e, s->nightly);
  }
}

static double *weights_of(const estimating *e, size_t cluster, uint32_t cohort) {
  return e->weights + (cluster * e->nights + cohort) * e->nights;
}

static sotto_status solve_cluster(estimating *e, size_t cluster, sotto_error *err) {
  const prior *p = &e->priors[cluster];
  const sotto_i_night *night = e->counts->night;
  sotto_i_continual_solver solver;
  sotto_status status =
      sotto_i_continual_solver_new(&solver, night->mechanism, e->nights - 1, night->sigma, p->later, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t cohort = 0; cohort < e->nights; cohort++) {
    const rate_moments *m = cohort == 0 ? &p->first : &p->newcomers;
    sotto_i_continual_estimate out = {.weights = weights_of(e, cluster, cohort)};
    const sotto_i_continual_prior continual_prior = {m->mean, m->mean, p->later, p->later, m->spread};
    sotto_i_continual_solve(&out, &solver, cohort, &continual_prior);
    e->offsets[cluster * e->nights + cohort] = out.offset;
  }
  sotto_i_continual_solver_free(&solver);
  return SOTTO_OK;
}

static void add_estimates(sotto_matrix *out, const estimating *e, uint32_t night, const sotto_matrix *y) {
  const uint64_t *nodes = e->counts->night->log->nodes;
  for (uint32_t cohort = 0; cohort < night; cohort++)
    for (uint64_t v = cohort == 0 ? 0 : nodes[cohort]; v < nodes[cohort + 1]; v++)
      for (size_t j = 0; j < out->cols; j++)
        out->data[v * out->cols + j] +=
            (float)(weights_of(e, j, cohort)[night - 1] * y->data[v * out->cols + j]);
}

static void fill_offsets(sotto_matrix *out, const estimating *e) {
  const uint64_t *nodes = e->counts->night->log->nodes;
  for (uint32_t cohort = 0; cohort < e->nights; cohort++)
    for (uint64_t v = cohort == 0 ? 0 : nodes[cohort]; v < nodes[cohort + 1]; v++)
      for (size_t j = 0; j < out->cols; j++)
        out->data[v * out->cols + j] = (float)e->offsets[j * e->nights + cohort];
}

static sotto_status allocate(estimating *e, sotto_error *err) {
  const size_t classes = e->counts->classes, nights = e->nights;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&e->sums, classes, sizeof *e->sums, err));
  SOTTO_TRY(sotto_i_new(&e->priors, classes, sizeof *e->priors, err));
  SOTTO_TRY(sotto_i_new(&e->weights, classes * nights * nights, sizeof *e->weights, err));
  SOTTO_TRY(sotto_i_new(&e->offsets, classes * nights, sizeof *e->offsets, err));
  for (size_t j = 0; j < classes; j++)
    SOTTO_TRY(sotto_i_new(&e->sums[j].nightly, nights, sizeof *e->sums[j].nightly, err));
done:
  return status;
}

static void free_estimating(estimating *e) {
  for (size_t j = 0; e->sums != NULL && j < e->counts->classes; j++) sotto_i_free(e->sums[j].nightly);
  sotto_i_free(e->sums);
  sotto_i_free(e->priors);
  sotto_i_free(e->weights);
  sotto_i_free(e->offsets);
}

/* Each release is read twice, so that none stays in memory. */
static sotto_status night_estimate(sotto_matrix *estimates, const sotto_i_night_counts *counts,
                                   sotto_error *err) {
  const sotto_i_night_log *log = counts->night->log;
  estimating e = {.counts = counts, .nights = log->night, .first_rows = log->nodes[1]};
  sotto_dataset y = {0};
  sotto_status status;
  SOTTO_TRY(allocate(&e, err));
  SOTTO_TRY(sotto_matrix_new(estimates, log->nodes[log->night], counts->classes, err));
  for (uint32_t t = 1; t <= e.nights; t++) {
    SOTTO_TRY(sotto_i_night_counts_open(&y, counts, t, err));
    add_night(&e, t, &y.features);
    sotto_dataset_free(&y);
  }
  choose_priors(&e);
  for (size_t j = 0; j < counts->classes; j++) SOTTO_TRY(solve_cluster(&e, j, err));
  fill_offsets(estimates, &e);
  for (uint32_t t = 1; t <= e.nights; t++) {
    SOTTO_TRY(sotto_i_night_counts_open(&y, counts, t, err));
    add_estimates(estimates, &e, t, &y.features);
    sotto_dataset_free(&y);
  }
done:
  free_estimating(&e);
  return status;
}

typedef struct predictor {
  const sotto_i_first_stage *first;
  void *own, *others; /* networks for the run's nodes, and for all others */
  uint64_t own_rows;
  sotto_matrix change; /* of all nodes: the correction */
} predictor;

/* A training node gets the scores of the perceptron that did not see it. */
static sotto_status first_scores(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                 sotto_error *err) {
  const predictor *b = self;
  sotto_matrix row = {.rows = 1, .cols = x->cols}, score = {0};
  sotto_status status;
  SOTTO_TRY(b->first->scores(b->others, out, x, nodes, err));
  if (nodes == NULL) {
    row.rows = b->own_rows < x->rows ? b->own_rows : x->rows;
    row.data = x->data;
    SOTTO_TRY(b->first->scores(b->own, &score, &row, NULL, err));
    memcpy(out->data, score.data, score.rows * score.cols * sizeof(float));
  }
  for (size_t i = 0; nodes != NULL && i < x->rows; i++) {
    if (nodes[i] >= b->own_rows) continue;
    row.data = x->data + i * x->cols;
    sotto_matrix_free(&score);
    SOTTO_TRY(b->first->scores(b->own, &score, &row, &nodes[i], err));
    memcpy(out->data + i * out->cols, score.data, out->cols * sizeof(float));
  }
  (void)sotto_i_rows_to_finite(
      out); /* one new node, whose scores overflow, would spoil tonight's correction */
done:
  sotto_matrix_free(&score);
  return status;
}

static sotto_status corrected_scores(void *self, sotto_matrix *out, const sotto_matrix *rows,
                                     const uint32_t *nodes, size_t count, sotto_error *err) {
  const predictor *b = self;
  sotto_status status = sotto_i_take_rows(out, rows, nodes, count, err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    for (size_t j = 0; j < out->cols; j++)
      out->data[i * out->cols + j] += b->change.data[nodes[i] * out->cols + j];
  return status;
}

static void free_all(void *self) {
  predictor *b = self;
  if (b->own != NULL) b->first->free(b->own);
  if (b->others != NULL) b->first->free(b->others);
  sotto_i_free(b->own);
  sotto_i_free(b->others);
  sotto_matrix_free(&b->change);
  sotto_i_free(b);
}

/* The corrections of the training are loaded too, since they are in the same file, but not used. */
static sotto_status open_networks(void **out, const sotto_i_first_stage *first, const sotto_i_opening *from,
                                  sotto_error *err) {
  sotto_params *sets[SOTTO_I_MOST_CORRECTION_SETS + SOTTO_I_MOST_FIRST_SETS];
  sotto_i_corrections unread = {.job = NULL};
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(out, 1, first->size, err));
  SOTTO_TRY(first->open(*out, sets, &count, from, err));
  SOTTO_TRY(sotto_i_corrections_open(&unread, sets, &count, from->job, from->file, err));
  SOTTO_TRY(sotto_params_load(sets, count, from->file, err));
done:
  sotto_i_corrections_free(&unread);
  return status;
}

/* Only the run's nodes set the balance of two classes. Their scores are the same every night, so that a
 * cluster never changes. */
static sotto_status choose_clusters(uint32_t **out, const predictor *b, const sotto_matrix *base,
                                    const sotto_i_night *night, sotto_error *err) {
  const sotto_split *split = &night->parted->split;
  const size_t cols = base->cols;
  sotto_matrix own = {0};
  double shift = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(out, base->rows, sizeof **out, err));
  SOTTO_TRY(sotto_matrix_new(&own, b->own_rows, cols, err));
  memcpy(own.data, base->data, b->own_rows * cols * sizeof(float));
  if (cols == 2) {
    sotto_i_rounds_even_odds(&own);
    shift = ((double)own.data[1] - own.data[0]) - ((double)base->data[1] - base->data[0]);
  }
  for (size_t v = 0; v < base->rows; v++) {
    const float *row = base->data + v * cols;
    for (uint32_t j = 1; j < cols; j++)
      if (row[j] + (cols == 2 ? shift : 0) > row[(*out)[v]]) (*out)[v] = j;
  }
  for (size_t i = 0; i < split->count[SOTTO_PART_TRAIN]; i++)
    (*out)[split->rows[SOTTO_PART_TRAIN][i]] = (uint32_t)night->parted->labels[SOTTO_PART_TRAIN][i];
done:
  sotto_matrix_free(&own);
  return status;
}

/* Standardised columns: log-probabilities from features, estimates, and the asinh of the estimates, which
 * compresses large ones. */
static sotto_status make_inputs(sotto_matrix *out, const sotto_matrix *base, const sotto_matrix *estimates,
                                sotto_error *err) {
  const size_t cols = base->cols;
  double *moments = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(out, base->rows, 3 * cols, err));
  for (size_t v = 0; v < base->rows; v++) {
    float *row = out->data + v * 3 * cols;
    double mean = 0;
    for (size_t j = 0; j < cols; j++) mean += base->data[v * cols + j] / (double)cols;
    for (size_t j = 0; j < cols; j++) {
      const float estimate = estimates->data[v * cols + j];
      row[j] = (float)(base->data[v * cols + j] - mean);
      row[cols + j] = estimate;
      row[2 * cols + j] = asinhf(estimate);
    }
  }
  SOTTO_TRY(sotto_i_column_moments(&moments, out, err));
  sotto_i_columns_by_moments(out, moments);
done:
  sotto_i_free(moments);
  return status;
}

static sotto_status fit_correction(predictor *b, const sotto_matrix *base, const sotto_matrix *inputs,
                                   const sotto_i_night *night, sotto_error *err) {
  const sotto_measure by = night->own->options->select_by;
  const sotto_i_correction correction = {.job = night->own, .parted = night->parted};
  sotto_quality with[2], without[2];
  sotto_matrix scores = {0};
  sotto_params *params = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_i_correction_fit(&with[0], &with[1], &scores, params, base, inputs, &correction, err));
  SOTTO_TRY(sotto_i_scores_measure(&without[0], &without[1], base, night->own, night->parted, err));
  const bool better = sotto_i_quality_value(&with[0], by) > sotto_i_quality_value(&without[0], by);
  SOTTO_TRY(sotto_matrix_new(&b->change, base->rows, base->cols, err));
  for (size_t i = 0; better && i < base->rows * base->cols; i++)
    b->change.data[i] = scores.data[i] - base->data[i];
  if (!better)
    sotto_i_log(night->observer, SOTTO_LOG_INFO,
                "on validation nodes the counts of tonight are no better than features alone, which answer");
done:
  sotto_matrix_free(&scores);
  sotto_params_free(params);
  return status;
}

static sotto_status make_correction(predictor *b, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_night *night = from->night;
  sotto_matrix base = {0}, estimates = {0}, inputs = {0};
  uint32_t *clusters = NULL;
  sotto_status status;
  SOTTO_TRY(first_scores(b, &base, from->job->features, NULL, err));
  SOTTO_TRY(choose_clusters(&clusters, b, &base, night, err));
  const sotto_i_night_counts counts = {night, clusters, base.cols};
  SOTTO_TRY(sotto_i_night_counts_make(&counts, err));
  SOTTO_TRY(night_estimate(&estimates, &counts, err));
  SOTTO_TRY(make_inputs(&inputs, &base, &estimates, err));
  SOTTO_TRY(fit_correction(b, &base, &inputs, night, err));
done:
  sotto_i_free(clusters);
  sotto_matrix_free(&base);
  sotto_matrix_free(&estimates);
  sotto_matrix_free(&inputs);
  return status;
}

sotto_status sotto_i_predict_night(sotto_i_predictor *out, const sotto_i_opening *from,
                                   const sotto_i_first_stage *first, sotto_error *err) {
  const sotto_i_night *night = from->night;
  const sotto_i_opening own = {.job = night->own, .parted = night->parted, .file = from->file, .own = true};
  sotto_status status;
  predictor *b = NULL;
  SOTTO_TRY(sotto_i_new(&b, 1, sizeof *b, err));
  *out = (sotto_i_predictor){
      .self = b, .rows = first_scores, .scores = corrected_scores, .free = free_all, .fixed = true};
  b->first = first;
  b->own_rows = night->own->data->graph.nodes;
  SOTTO_TRY(open_networks(&b->own, first, &own, err));
  SOTTO_TRY(open_networks(&b->others, first, from, err));
  SOTTO_TRY(make_correction(b, from, err));
done:
  return status;
}
