/* One space of Gromov-Wasserstein problems: checks and precomputation shared by all its pairs. */
#include "gw/solve/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const double least_entry = 1e-15; /* KL loss: smaller distances count as this */
enum { most_points = 10000, lanes = 16, few_items = 48 };

static sotto_status check_weights(const sotto_gw_space *s, const char *name, sotto_error *err) {
  double sum = 0;
  if (s->weight == NULL) return SOTTO_OK;
  for (size_t i = 0; i < s->points; i++) {
    if (!isfinite(s->weight[i]))
      return sotto_i_fail(err, SOTTO_NUMERIC, "space %s: weight %zu is not finite", name, i);
    if (!(s->weight[i] > 0))
      return sotto_i_fail(err, SOTTO_INVALID, "space %s: weight %zu is %g; remove points of weight 0", name,
                          i, s->weight[i]);
    sum += s->weight[i];
  }
  if (!(fabs(sum - 1) <= 1e-9))
    return sotto_i_fail(err, SOTTO_INVALID, "space %s: the weights add up to %.12g, not 1", name, sum);
  return SOTTO_OK;
}

static sotto_status check_space(const sotto_gw_space *s, const char *name, bool negative, sotto_error *err) {
  const size_t n = s->points;
  if (n < 1 || n > most_points)
    return sotto_i_fail(err, SOTTO_RANGE, "space %s has %zu points; 1 to %d are possible", name, n,
                        most_points);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double x = s->distance[i * n + j], y = s->distance[j * n + i];
      if (!isfinite(x) || !isfinite(y))
        return sotto_i_fail(err, SOTTO_NUMERIC, "space %s: the distance of points %zu and %zu is not finite",
                            name, i, j);
      if (x != y)
        return sotto_i_fail(err, SOTTO_INVALID,
                            "space %s is not symmetric: points %zu and %zu have %g and %g", name, i, j, x, y);
      if (!negative && x < 0)
        return sotto_i_fail(err, SOTTO_INVALID,
                            "space %s: points %zu and %zu are at %g; the KL loss needs distances from 0",
                            name, i, j, x);
      if (fabs(x) > 1e75)
        return sotto_i_fail(err, SOTTO_RANGE, "space %s: the distance %g of points %zu and %zu is above 1e75",
                            name, x, i, j);
    }
  return check_weights(s, name, err);
}

static double weight_of(const sotto_gw_space *s, size_t i) {
  return s->weight == NULL ? 1 / (double)s->points : s->weight[i];
}

/* Computes h of all distances, and sum_k f(distance_ik) weight_k. */
static void fill_loss_terms(sotto_i_gw_side *side, bool first) {
  const sotto_gw_space *s = &side->space;
  const size_t n = s->points;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
      const double x = s->distance[i * n + k];
      double f = x * x, h = x;
      if (side->loss == SOTTO_GW_KL) {
        const double bounded = fmax(x, least_entry);
        f = first ? bounded * log(bounded) - bounded : bounded;
        h = first ? bounded : log(bounded);
      }
      side->matrix[i * side->stride + k] = h;
      sum += f * weight_of(s, k);
    }
    side->constant[i] = sum;
  }
}

static double spread_of(const sotto_i_gw_side *side, size_t i, size_t k) {
  const double *h = side->matrix;
  return h[i * side->stride + i] + h[k * side->stride + k] - 2 * h[i * side->stride + k];
}

static void fill_spread(sotto_i_gw_side *side) {
  const size_t n = side->space.points;
  bool above = false, below = false;
  side->largest = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) {
      const double x = spread_of(side, i, k);
      side->largest = fabs(x) > side->largest ? fabs(x) : side->largest;
      above |= x > 0;
      below |= x < 0;
    }
  side->sign = above && below ? 2 : (int)above - (int)below;
  if (side->largest == 0) side->largest = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      side->spread[i * side->stride + k] = (float)(spread_of(side, i, k) / side->largest);
}

typedef struct ranked {
  double value, tag; /* tag: a weight or an index */
} ranked;

static int compare_ranked(const void *x, const void *y) {
  const ranked *a = x, *b = y;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Sorts ascending; ties by tag, or in their order. Graphs are small: qsort is faster only from a few dozen
 * items on. */
static void sort_ranked(ranked *items, size_t count) {
  if (count > few_items) {
    qsort(items, count, sizeof *items, compare_ranked);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    const ranked item = items[i];
    size_t at = i;
    for (; at > 0 && items[at - 1].value > item.value; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/* Quantiles at (k + 1/2) / QUANTILES of each point's distances, weighted. */
static void fill_profiles(sotto_i_gw_side *side, ranked *sorted) {
  enum { quantiles = SOTTO_I_GW_QUANTILES };
  const sotto_gw_space *s = &side->space;
  const size_t n = s->points;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) sorted[k] = (ranked){s->distance[i * n + k], weight_of(s, k)};
    sort_ranked(sorted, n);
    double below = 0;
    size_t at = 0;
    for (size_t k = 0; k < quantiles; k++) {
      while (at + 1 < n && below + sorted[at].tag < ((double)k + 0.5) / quantiles) below += sorted[at++].tag;
      side->profile[k * side->stride + i] = sorted[at].value;
      side->length[i] += sorted[at].value * sorted[at].value;
    }
  }
}

static void order_by_mean(sotto_i_gw_side *side, ranked *sorted) {
  const sotto_gw_space *s = &side->space;
  const size_t n = s->points;
  for (size_t i = 0; i < n; i++) {
    sorted[i] = (ranked){0, (double)i};
    for (size_t k = 0; k < n; k++) sorted[i].value += s->distance[i * n + k] * weight_of(s, k);
  }
  sort_ranked(sorted, n);
  for (size_t i = 0; i < n; i++) side->order[i] = (uint32_t)sorted[i].tag;
}

sotto_status sotto_i_gw_side_new(sotto_i_gw_side *out, const sotto_gw_space *space, const char *name,
                                 const sotto_gw_options *options, bool first, sotto_error *err) {
  const bool square = options->loss == SOTTO_GW_SQUARE;
  const bool several = options->solver == SOTTO_GW_CONDITIONAL && options->starts > 1;
  const size_t n = space->points, stride = (n + lanes - 1) / lanes * lanes;
  ranked *sorted = NULL;
  double *at = NULL;
  sotto_status status;
  *out = (sotto_i_gw_side){.space = *space, .loss = options->loss, .stride = stride};
  SOTTO_TRY(check_space(space, name, square, err));
  const size_t profiles = several ? n + stride * SOTTO_I_GW_QUANTILES : 0;
  SOTTO_TRY(
      sotto_i_new(&at, n * stride + n * stride / 2 + SOTTO_I_GW_LOOK + 2 * n + profiles, sizeof *at, err));
  out->memory = at;
  SOTTO_TRY(sotto_i_new_raw(&sorted, n, sizeof *sorted, err));
  out->matrix = at;
  out->spread = (float *)(void *)(at + n * stride);
  out->constant = at + n * stride + n * stride / 2 + SOTTO_I_GW_LOOK;
  out->order = (uint32_t *)(void *)(out->constant + n);
  fill_loss_terms(out, first);
  fill_spread(out);
  order_by_mean(out, sorted);
  if (several) {
    out->length = out->constant + 2 * n;
    out->profile = out->length + n;
    fill_profiles(out, sorted);
  }
done:
  sotto_i_free(sorted);
  if (status != SOTTO_OK) sotto_i_gw_side_free(out);
  return status;
}

void sotto_i_gw_side_free(sotto_i_gw_side *side) {
  sotto_i_free(side->memory);
  *side = (sotto_i_gw_side){0};
}
