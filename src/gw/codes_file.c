/* codes.npz: what a server knows of graphs that each reported one code. */
#include <math.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/io/npz.h"
#include "gw/codes.h"

enum { TRUTH, OTHER, CLASSES, LAW }; /* elements of the array `law` */

sotto_status sotto_i_gw_codes_save(const char *path, const sotto_matrix *posterior, const double *distance,
                                   const sotto_gw_reported *reported, sotto_error *err) {
  const size_t graphs = posterior->rows;
  double law[LAW] = {0};
  sotto_i_npz_part parts[] = {
      {"posterior", "<f4", posterior->data, sizeof(float), 2, {graphs, posterior->cols}},
      {"anchors", "<f8", distance, sizeof *distance, 2, {posterior->cols, posterior->cols}},
      {"reports", "<i4", NULL, sizeof(int32_t), 2, {graphs, 0}},
      {"answers", "<i4", NULL, sizeof(int32_t), 1, {graphs, 1}},
      {"law", "<f8", law, sizeof *law, 1, {LAW, 1}}};
  if (reported == NULL) return sotto_i_npz_write(path, parts, 2, err);
  law[TRUTH] = reported->truth;
  law[OTHER] = reported->other;
  law[CLASSES] = reported->classes;
  parts[2].data = reported->reports;
  parts[2].shape[1] = reported->members;
  parts[3].data = reported->answers;
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

/* The values of one graph's report: ascending, or all -1. */
static bool is_report(const int32_t *report, size_t members, int64_t values) {
  for (size_t m = 0; m < members; m++) {
    if (report[m] < -1 || report[m] >= values) return false;
    if (m > 0 && (report[0] < 0 ? report[m] != -1 : report[m] <= report[m - 1])) return false;
  }
  return true;
}

static sotto_status read_law(sotto_gw_reported *r, const sotto_i_array *law, const char *path,
                             sotto_error *err) {
  if (law->count != LAW)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array law has %llu numbers, not %d", path,
                        (unsigned long long)law->count, LAW);
  const double classes = sotto_i_array_double(law, CLASSES);
  r->truth = sotto_i_array_double(law, TRUTH);
  r->other = sotto_i_array_double(law, OTHER);
  if (!(r->other >= 0 && r->truth > r->other && r->truth < 1) ||
      !(classes >= 2 && classes <= SOTTO_I_GW_MOST_CLASSES && classes == floor(classes)))
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: array law is none of reports: %g, %g, %g classes", path,
                        r->truth, r->other, classes);
  r->classes = (uint32_t)classes;
  return SOTTO_OK;
}

static sotto_status read_integers(int32_t **out, const sotto_i_array *array, const char *path,
                                  sotto_error *err) {
  sotto_status status = sotto_i_new_raw(out, array->count, sizeof **out, err);
  for (uint64_t k = 0; status == SOTTO_OK && k < array->count; k++) {
    int64_t value;
    if (!sotto_i_array_integer(array, k, &value) || value < -1 || value > INT32_MAX)
      status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: element %llu of the reports or answers is out of range",
                            path, (unsigned long long)k);
    else
      (*out)[k] = (int32_t)value;
  }
  return status;
}

/* arrays: reports, answers, law. */
static sotto_status fill_reported(sotto_gw_codes *c, const sotto_i_array *arrays, const char *path,
                                  sotto_error *err) {
  sotto_gw_reported *r = &c->reported;
  const size_t graphs = c->posterior.rows, anchors = c->posterior.cols;
  sotto_status status;
  SOTTO_TRY(read_law(r, &arrays[2], path, err));
  r->members = arrays[0].dims == 2 ? arrays[0].shape[1] : 0;
  if (anchors > SOTTO_I_GW_MOST_ANCHORS || r->members < 1 || r->members > anchors * r->classes ||
      arrays[0].shape[0] != graphs || arrays[1].count != graphs)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: arrays reports and answers do not fit %zu graphs", path,
                        graphs);
  SOTTO_TRY(read_integers(&r->reports, &arrays[0], path, err));
  SOTTO_TRY(read_integers(&r->answers, &arrays[1], path, err));
  for (size_t g = 0; g < graphs; g++)
    if (!is_report(r->reports + g * r->members, r->members, (int64_t)(anchors * r->classes)) ||
        r->answers[g] < 0 || (uint32_t)r->answers[g] >= r->classes)
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: graph %zu has no such report or class", path, g);
done:
  return status;
}

static sotto_status read_reported(sotto_gw_codes *c, const char *path, sotto_error *err) {
  enum { arrays = 3 };
  static const char *const names[arrays] = {"reports", "answers", "law"};
  sotto_i_map map = {0};
  sotto_i_npz npz = {0};
  uint8_t *bytes[arrays] = {0};
  sotto_i_array array[arrays];
  sotto_status status;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {path, map.data, map.size};
  SOTTO_TRY(sotto_i_npz_open(&npz, &source, err));
  if (!sotto_i_npz_has(&npz, names[0])) goto done;
  for (size_t k = 0; k < arrays; k++) SOTTO_TRY(sotto_i_npz_array(&npz, &array[k], &bytes[k], names[k], err));
  SOTTO_TRY(fill_reported(c, array, path, err));
done:
  sotto_i_npz_close(&npz);
  sotto_i_map_close(&map);
  for (size_t k = 0; k < arrays; k++) sotto_i_free(bytes[k]);
  return status;
}

sotto_status sotto_gw_codes_open(sotto_gw_codes *out, const char *path, sotto_error *err) {
  sotto_status status;
  *out = (sotto_gw_codes){.posterior = {0}};
  SOTTO_TRY(sotto_gw_embeddings_open(&out->posterior, path, "posterior", err));
  SOTTO_TRY(sotto_gw_embeddings_open(&out->distance, path, "anchors", err));
  SOTTO_TRY(check_codes(out, path, err));
  SOTTO_TRY(read_reported(out, path, err));
done:
  if (status != SOTTO_OK) sotto_gw_codes_free(out);
  return status;
}

void sotto_gw_codes_free(sotto_gw_codes *codes) {
  sotto_matrix_free(&codes->posterior);
  sotto_matrix_free(&codes->distance);
  sotto_i_free(codes->reported.reports);
  sotto_i_free(codes->reported.answers);
  codes->reported = (sotto_gw_reported){0};
}
