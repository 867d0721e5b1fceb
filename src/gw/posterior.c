/* Distances between codes: the posterior of a graph's anchor given its report, and the expected distance
 * of two graphs. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/codes.h"

/* Likelihood ratio: how much more probable a report with v is than one without v, when v is true. */
static double likelihood_ratio(const sotto_i_gw_reports *r) {
  const double values = (double)r->anchors * (double)r->classes, members = (double)r->members;
  if (r->truth >= 1) return INFINITY;
  return r->truth * (values - members) / ((1 - r->truth) * members);
}

static void normalise(float *out, const double *weight, size_t count) {
  double sum = 0;
  for (size_t a = 0; a < count; a++) sum += weight[a];
  for (size_t a = 0; a < count; a++) out[a] = (float)(sum > 0 ? weight[a] / sum : 1 / (double)count);
}

static bool contains(const int32_t *answer, size_t members, size_t value) {
  for (size_t m = 0; m < members; m++)
    if ((size_t)answer[m] == value) return true;
  return false;
}

void sotto_i_gw_posterior(float *out, const sotto_i_gw_learned *l, const sotto_i_gw_reports *r,
                          const int32_t *answer) {
  const double ratio = likelihood_ratio(r);
  double weight[SOTTO_I_GW_MOST_ANCHORS];
  for (size_t a = 0; a < r->anchors; a++) {
    weight[a] = 0;
    for (size_t c = 0; c < r->classes; c++) {
      const size_t v = a * r->classes + c;
      const bool in = contains(answer, r->members, v);
      /* without noise the report is the anchor itself, even where the estimated share is 0 */
      weight[a] += isinf(ratio) ? in : l->share[v] * (in ? ratio : 1);
    }
  }
  normalise(out, weight, r->anchors);
}

void sotto_i_gw_posterior_of_label(float *out, const sotto_i_gw_learned *l, const sotto_i_gw_reports *r,
                                   int32_t label) {
  const double ratio = r->truth >= 1 ? 1 : r->truth * ((double)r->classes - 1) / (1 - r->truth);
  double weight[SOTTO_I_GW_MOST_ANCHORS];
  for (size_t a = 0; a < r->anchors; a++) {
    double share = 0;
    const bool in = l->label[a] == (uint32_t)label;
    for (size_t c = 0; c < r->classes; c++) share += l->share[a * r->classes + c];
    weight[a] = share * (in ? ratio : r->truth >= 1 ? 0 : 1);
  }
  normalise(out, weight, r->anchors);
}

uint32_t sotto_i_gw_class_of_report(const sotto_i_gw_learned *l, const sotto_i_gw_reports *r,
                                    const int32_t *answer) {
  const double ratio = likelihood_ratio(r);
  double most = -1;
  uint32_t best = 0;
  for (size_t c = 0; c < r->classes; c++) {
    double weight = 0;
    for (size_t a = 0; a < r->anchors; a++) {
      const size_t v = a * r->classes + c;
      const bool in = contains(answer, r->members, v);
      weight += isinf(ratio) ? in : l->share[v] * (in ? ratio : 1);
    }
    if (weight <= most) continue;
    most = weight;
    best = (uint32_t)c;
  }
  return best;
}

/* E[distance of the anchors of g and h] = sum_ab Pr[a | g] Pr[b | h] D_ab. g and h are independent given
 * their reports. The distance of a graph to itself is 0. */
sotto_status sotto_i_gw_compare_codes(double *distance, const sotto_matrix *posterior,
                                      const sotto_matrix *anchors, sotto_error *err) {
  const size_t n = posterior->cols, graphs = posterior->rows;
  double *far = NULL;
  sotto_status status = sotto_i_new_raw(&far, n, sizeof *far, err);
  if (status != SOTTO_OK) return status;
  for (size_t g = 0; g < graphs; g++) {
    const float *own = posterior->data + g * n;
    for (size_t b = 0; b < n; b++) {
      far[b] = 0;
      for (size_t a = 0; a < n; a++) far[b] += (double)own[a] * (double)anchors->data[a * n + b];
    }
    distance[g * graphs + g] = 0;
    for (size_t h = g + 1; h < graphs; h++) {
      const float *other = posterior->data + h * n;
      double sum = 0;
      for (size_t b = 0; b < n; b++) sum += far[b] * (double)other[b];
      distance[g * graphs + h] = distance[h * graphs + g] = sum;
    }
  }
  sotto_i_free(far);
  return SOTTO_OK;
}
