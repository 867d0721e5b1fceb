/* Distances between codes: the posterior of a graph's anchor given its report, and the expected distance
 * of two graphs. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/io/npz.h"
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

sotto_status sotto_i_gw_codes_save(const char *path, const sotto_matrix *posterior, const double *distance,
                                   sotto_error *err) {
  const sotto_i_npz_part parts[] = {
      {"posterior", "<f4", posterior->data, sizeof(float), 2, {posterior->rows, posterior->cols}},
      {"anchors", "<f8", distance, sizeof *distance, 2, {posterior->cols, posterior->cols}}};
  return sotto_i_npz_write(path, parts, sizeof parts / sizeof *parts, err);
}

static sotto_status check_codes(const sotto_gw_codes *c, const char *path, sotto_error *err) {
  const size_t n = c->posterior.cols;
  if (c->distance.rows != n || c->distance.cols != n)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: posteriors are over %zu anchors, and distances of %zu x %zu",
                        path, n, c->distance.rows, c->distance.cols);
  for (size_t k = 0; k < n * n; k++)
    if (!(c->distance.data[k] >= 0 && isfinite(c->distance.data[k])) ||
        c->distance.data[k] != c->distance.data[k % n * n + k / n])
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: the distance of anchors %zu and %zu", path, k / n, k % n);
  for (size_t g = 0; g < c->posterior.rows; g++) {
    double sum = 0;
    for (size_t a = 0; a < n; a++) {
      if (!(c->posterior.data[g * n + a] >= 0))
        return sotto_i_fail(err, SOTTO_CORRUPT, "%s: graph %zu has an entry that is no probability", path, g);
      sum += (double)c->posterior.data[g * n + a];
    }
    if (!(fabs(sum - 1) < 1e-3))
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: the probabilities of graph %zu add up to %g", path, g,
                          sum);
  }
  return SOTTO_OK;
}

sotto_status sotto_gw_codes_open(sotto_gw_codes *out, const char *path, sotto_error *err) {
  sotto_status status;
  *out = (sotto_gw_codes){.posterior = {0}};
  SOTTO_TRY(sotto_gw_embeddings_open(&out->posterior, path, "posterior", err));
  SOTTO_TRY(sotto_gw_embeddings_open(&out->distance, path, "anchors", err));
  SOTTO_TRY(check_codes(out, path, err));
done:
  if (status != SOTTO_OK) sotto_gw_codes_free(out);
  return status;
}

void sotto_gw_codes_free(sotto_gw_codes *codes) {
  sotto_matrix_free(&codes->posterior);
  sotto_matrix_free(&codes->distance);
}

/* E[distance of the anchors of g and h] = sum_ab Pr[a | g] Pr[b | h] D_ab. g and h are independent given
 * their reports. The distance of a graph to itself is 0. */
sotto_status sotto_i_gw_compare_codes(sotto_gw_table *out, const sotto_dataset *data,
                                      const sotto_gw_codes *codes, sotto_error *err) {
  const size_t n = codes->posterior.cols, graphs = out->count;
  double *far = NULL;
  sotto_status status;
  if (codes->posterior.rows != graphs)
    return sotto_i_fail(err, SOTTO_INVALID, "%s has %zu graphs, but there are codes of %zu", data->name,
                        graphs, codes->posterior.rows);
  SOTTO_TRY(sotto_i_new_raw(&far, n, sizeof *far, err));
  for (size_t g = 0; g < graphs; g++) {
    const float *own = codes->posterior.data + g * n;
    for (size_t b = 0; b < n; b++) {
      far[b] = 0;
      for (size_t a = 0; a < n; a++) far[b] += (double)own[a] * (double)codes->distance.data[a * n + b];
    }
    for (size_t h = g + 1; h < graphs; h++) {
      const float *other = codes->posterior.data + h * n;
      double sum = 0;
      for (size_t b = 0; b < n; b++) sum += far[b] * (double)other[b];
      out->distance[g * graphs + h] = out->distance[h * graphs + g] = sum;
    }
  }
done:
  sotto_i_free(far);
  return status;
}
