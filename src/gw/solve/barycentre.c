/* Barycentres of spaces under the square loss. Alternates between plans to all spaces and the mean of the
 * transported distances (Peyre, Cuturi and Solomon 2016, prop. 3). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "sotto/gw.h"

typedef struct work {
  const sotto_gw_space *spaces;
  const double *shares;
  sotto_gw_space centre;
  const sotto_gw_options *options;
  double *value;        /* distance to each space */
  double **transported; /* share * n^2 T C T' of each space */
  sotto_status *status;
  sotto_error *errors;
  size_t count;
} work;

static sotto_status transport_distances(work *w, size_t which, sotto_error *err) {
  const sotto_gw_space *s = &w->spaces[which];
  const size_t n = w->centre.points, m = s->points;
  double *plan = NULL, *half = NULL, *out = w->transported[which];
  const double share = w->shares == NULL ? 1 / (double)w->count : w->shares[which];
  sotto_gw_result result;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&plan, n * m, sizeof *plan, err));
  SOTTO_TRY(sotto_i_new(&half, n * m, sizeof *half, err));
  SOTTO_TRY(sotto_gw_distance(&result, plan, &w->centre, s, w->options, err));
  w->value[which] = share * result.value;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m; k++) {
      const double mass = plan[i * m + k];
      if (mass == 0) continue;
      for (size_t l = 0; l < m; l++) half[i * m + l] += mass * s->distance[k * m + l];
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t l = 0; l < m; l++) sum += half[i * m + l] * plan[j * m + l];
      out[i * n + j] = out[j * n + i] = share * sum * (double)n * (double)n;
    }
done:
  sotto_i_free(plan);
  sotto_i_free(half);
  return status;
}

static void transport_range(void *context, size_t begin, size_t end) {
  work *w = context;
  for (size_t k = begin; k < end; k++) w->status[k] = transport_distances(w, k, &w->errors[k]);
}

/* Writes the next centre to `next`, and the mean value of the current one. */
static sotto_status next_centre(double *next, double *value, work *w, sotto_error *err) {
  const size_t cells = w->centre.points * w->centre.points;
  memset(w->errors, 0, w->count * sizeof *w->errors);
  sotto_i_parallel(w->count, 1, transport_range, w);
  *value = 0;
  memset(next, 0, cells * sizeof *next);
  for (size_t k = 0; k < w->count; k++) {
    if (w->status[k] != SOTTO_OK) {
      sotto_i_error_prefix(&w->errors[k], "space %zu", k);
      return sotto_i_fail(err, w->status[k], "%s", w->errors[k].text);
    }
    *value += w->value[k];
    for (size_t c = 0; c < cells; c++) next[c] += w->transported[k][c];
  }
  return SOTTO_OK;
}

/* The first point of a space whose cumulative weight exceeds `share`. */
static size_t point_at(const sotto_gw_space *s, double share) {
  const double each = 1 / (double)s->points;
  double sum = 0;
  for (size_t i = 0; i + 1 < s->points; i++) {
    sum += s->weight == NULL ? each : s->weight[i];
    if (sum > share + 1e-12) return i;
  }
  return s->points - 1;
}

/* Starts from the space of the nearest size, resampled at even steps of weight. */
static void resample_nearest(double *out, size_t points, const sotto_gw_space *spaces, size_t count) {
  size_t best = 0;
  for (size_t k = 1; k < count; k++) {
    const double gap = fabs((double)spaces[k].points - (double)points);
    if (gap < fabs((double)spaces[best].points - (double)points)) best = k;
  }
  const size_t m = spaces[best].points;
  for (size_t i = 0; i < points; i++)
    for (size_t j = 0; j < points; j++)
      out[i * points + j] = spaces[best].distance[point_at(&spaces[best], (double)i / (double)points) * m +
                                                  point_at(&spaces[best], (double)j / (double)points)];
}

static sotto_status check_shares(const double *shares, size_t count, sotto_error *err) {
  double sum = 0;
  for (size_t k = 0; shares != NULL && k < count; k++) {
    if (!(shares[k] > 0))
      return sotto_i_fail(err, SOTTO_INVALID, "share %zu is %g, not positive", k, shares[k]);
    sum += shares[k];
  }
  if (shares != NULL && !(fabs(sum - 1) <= 1e-9))
    return sotto_i_fail(err, SOTTO_INVALID, "the shares add up to %.12g, not 1", sum);
  return SOTTO_OK;
}

static sotto_status run_rounds(double *distance, double *value, work *w, double *present, double *next,
                               uint32_t rounds, sotto_error *err) {
  const size_t cells = w->centre.points * w->centre.points;
  *value = INFINITY;
  for (uint32_t round = 0; round <= rounds; round++) {
    double reached = 0;
    w->centre.distance = present;
    sotto_status status = next_centre(next, &reached, w, err);
    if (status != SOTTO_OK) return status;
    const bool gained = reached < *value * (1 - 1e-6);
    if (reached < *value) {
      *value = reached;
      memcpy(distance, present, cells * sizeof *distance);
    }
    if (!gained) break;
    memcpy(present, next, cells * sizeof *present);
  }
  return SOTTO_OK;
}

sotto_status sotto_gw_barycentre(double *distance, double *value, size_t points, const sotto_gw_space *spaces,
                                 const double *shares, size_t count, uint32_t rounds,
                                 const sotto_gw_options *options, sotto_error *err) {
  const sotto_gw_options defaults = sotto_gw_defaults();
  const size_t cells = points * points;
  work w = {
      .spaces = spaces, .shares = shares, .count = count, .options = options == NULL ? &defaults : options};
  double *memory = NULL;
  sotto_status status;
  if (count == 0 || points == 0 || points > 10000)
    return sotto_i_fail(err, SOTTO_RANGE, "a barycentre of %zu points of %zu spaces: both must be at least 1",
                        points, count);
  if (w.options->loss != SOTTO_GW_SQUARE || w.options->feature_cost != NULL)
    return sotto_i_fail(err, SOTTO_RANGE, "barycentres are for the square loss, without features");
  SOTTO_TRY(check_shares(shares, count, err));
  for (size_t k = 0; k < count; k++)
    if (spaces[k].points == 0) return sotto_i_fail(err, SOTTO_RANGE, "space %zu has no points", k);
  SOTTO_TRY(sotto_i_new(&memory, (count + 2) * cells + count, sizeof *memory, err));
  SOTTO_TRY(sotto_i_new(&w.transported, count, sizeof(double *), err));
  SOTTO_TRY(sotto_i_new(&w.status, count, sizeof *w.status, err));
  SOTTO_TRY(sotto_i_new(&w.errors, count, sizeof *w.errors, err));
  for (size_t k = 0; k < count; k++) w.transported[k] = memory + (k + 2) * cells;
  w.value = memory + (count + 2) * cells;
  w.centre = (sotto_gw_space){.points = points};
  resample_nearest(memory, points, spaces, count);
  SOTTO_TRY(run_rounds(distance, value, &w, memory, memory + cells, rounds, err));
done:
  sotto_i_free(memory);
  sotto_i_free(w.transported);
  sotto_i_free(w.status);
  sotto_i_free(w.errors);
  return status;
}
