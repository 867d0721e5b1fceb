/* Tonight's counts, from all releases so far; post-processing.
 *
 * Nodes that came on one night are a cohort. What is thought of a cohort's counts before its releases are
 * read comes from the releases as well: mean and variance of the first night's counts, of newcomers' on
 * theirs, and the mean of what a later night adds, which is as likely for each node and so has a variance
 * like it (Poisson). Least squares under that prior has a fraction of the error of an estimate that is right
 * on the average whatever happens (docs/nights.md). */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "night_counts.h"

enum { enough = 100 };                 /* newcomers, for moments of their own */
static const double least_mean = 1e-4; /* so that no variance is 0 */

typedef struct moments {
  double mean, spread; /* spread: variance of rates, which have mean 1 */
} moments;

/* Of one cluster. */
typedef struct prior {
  moments first, newcomers;
  double later; /* mean of what a later night adds */
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

static moments moments_of(double sum, double square, double noise, double count) {
  const double mean = fmax(sum / count, least_mean);
  const double variance = square / count - sum / count * sum / count - noise;
  return (moments){mean, fmax(variance - mean, 0) / (mean * mean)};
}

/* The mean of what nights after the first added: the triangle of weights, solved for means. */
static double later_mean(const estimating *e, const double *nightly) {
  const sotto_i_continual *m = e->counts->night->mechanism;
  double total = 0, *added = e->weights; /* not in use yet */
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
    const moments *m = cohort == 0 ? &p->first : &p->newcomers;
    sotto_i_continual_estimate out = {.weights = weights_of(e, cluster, cohort)};
    const sotto_i_continual_prior thought = {m->mean, m->mean, p->later, p->later, m->spread};
    sotto_i_continual_solve(&out, &solver, cohort, &thought);
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

static sotto_status make_room(estimating *e, sotto_error *err) {
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

static void free_room(estimating *e) {
  for (size_t j = 0; e->sums != NULL && j < e->counts->classes; j++) sotto_i_free(e->sums[j].nightly);
  sotto_i_free(e->sums);
  sotto_i_free(e->priors);
  sotto_i_free(e->weights);
  sotto_i_free(e->offsets);
}

/* Each release is read twice, and none is kept in memory. */
sotto_status sotto_i_night_estimate(sotto_matrix *estimates, const sotto_i_night_counts *counts,
                                    sotto_error *err) {
  const sotto_i_night_log *log = counts->night->log;
  estimating e = {.counts = counts, .nights = log->night, .first_rows = log->nodes[1]};
  sotto_dataset y = {0};
  sotto_status status;
  SOTTO_TRY(make_room(&e, err));
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
  free_room(&e);
  return status;
}
