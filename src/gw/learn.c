/* Estimates from reports of (anchor, label): shares, a label for each anchor, and the accuracy.
 * Post-processing: reads the reports only. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/codes.h"

static const double widths[] = {0, 0.25, 0.5, 1};
enum { choices = sizeof widths / sizeof *widths };

typedef struct work {
  const sotto_i_gw_reports *reports;
  const double *distance;
  double unit;    /* mean distance of an anchor to the nearest other one */
  double *counts; /* anchors x classes: unbiased estimates */
  double *near;   /* anchors x anchors: the kernel of one width */
  double *score;  /* anchors x classes: smoothed counts */
} work;

static sotto_status check_reports(const sotto_i_gw_reports *r, sotto_error *err) {
  const size_t values = r->anchors * r->classes;
  for (size_t k = 0; k < r->count * r->members; k++)
    if (r->answers[k] < 0 || (size_t)r->answers[k] >= values)
      return sotto_i_fail(err, SOTTO_RANGE, "report %zu names value %d of %zu", k / r->members,
                          (int)r->answers[k], values);
  return SOTTO_OK;
}

/* Solves E[reports that contain v] = n_v truth + (n - n_v) other for n_v. */
static void estimate_counts(work *w) {
  const sotto_i_gw_reports *r = w->reports;
  const size_t values = r->anchors * r->classes;
  const double gain = r->truth - r->other;
  for (size_t v = 0; v < values; v++) w->counts[v] = -(double)r->count * r->other / gain;
  for (size_t k = 0; k < r->count * r->members; k++) w->counts[r->answers[k]] += 1 / gain;
}

/* Mean over anchors of the smallest positive distance to another anchor. */
static double mean_nearest_distance(const double *distance, size_t count) {
  double sum = 0;
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    double least = INFINITY;
    for (size_t j = 0; j < count; j++)
      if (distance[i * count + j] > 0) least = fmin(least, distance[i * count + j]);
    if (!isfinite(least)) continue;
    sum += least;
    found++;
  }
  return found == 0 ? 1 : sum / (double)found;
}

static void smooth_counts(work *w, double width) {
  const size_t n = w->reports->anchors, classes = w->reports->classes;
  for (size_t k = 0; k < n * n; k++) {
    const bool same = k / n == k % n;
    w->near[k] = same ? 1 : width > 0 ? exp(-w->distance[k] / (w->unit * width)) : 0;
  }
  memset(w->score, 0, n * classes * sizeof *w->score);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++)
      for (size_t c = 0; c < classes; c++)
        w->score[a * classes + c] += w->near[a * n + b] * w->counts[b * classes + c];
}

/* The label of anchor a, leaving out one report (NULL: none). What the report subtracts from all classes
 * alike does not change their order, so only its members count. */
static size_t anchor_label(const work *w, size_t a, const int32_t *without, const double *total) {
  const sotto_i_gw_reports *r = w->reports;
  size_t best = 0;
  double most = -INFINITY;
  for (size_t c = 0; c < r->classes; c++) {
    double score = w->score[a * r->classes + c] + 1e-6 * total[c]; /* ties go to the more common class */
    for (size_t m = 0; without != NULL && m < r->members; m++)
      if ((size_t)without[m] % r->classes == c)
        score -= w->near[a * r->anchors + (size_t)without[m] / r->classes] / (r->truth - r->other);
    if (score <= most) continue;
    most = score;
    best = c;
  }
  return best;
}

/* Unbiased leave-one-out estimate of the number of graphs whose anchor gets their own label. A report
 * contributes (1[v in report] - other) / (truth - other) to each value v; the correct values are summed. */
static double estimate_correct(const work *w, const double *total) {
  const sotto_i_gw_reports *r = w->reports;
  double right = 0;
  for (size_t i = 0; i < r->count; i++) {
    const int32_t *answer = r->answers + i * r->members;
    double hits = 0;
    for (size_t m = 0; m < r->members; m++) {
      const size_t anchor = (size_t)answer[m] / r->classes, label = (size_t)answer[m] % r->classes;
      hits += anchor_label(w, anchor, answer, total) == label;
    }
    right += (hits - (double)r->anchors * r->other) / (r->truth - r->other);
  }
  return right;
}

/* The width with the highest accuracy; on ties, the middle one. */
static size_t choose_width(double *right, work *w, const double *total) {
  double found[choices], most = -INFINITY;
  size_t equals = 0, skip;
  for (size_t k = 0; k < choices; k++) {
    smooth_counts(w, widths[k]);
    found[k] = estimate_correct(w, total);
    most = fmax(most, found[k]);
  }
  for (size_t k = 0; k < choices; k++) equals += found[k] >= most - 1e-9;
  skip = equals / 2;
  *right = most;
  for (size_t k = 0; k < choices; k++)
    if (found[k] >= most - 1e-9 && skip-- == 0) return k;
  return 0;
}

/* Counts within two standard deviations of pure noise become 0. Most values have no graph, and their noise
 * together would outweigh the others. */
static void fill_shares(double *share, const double *counts, const sotto_i_gw_reports *r) {
  const size_t values = r->anchors * r->classes;
  const double noise = sqrt((double)r->count * r->other * (1 - r->other)) / (r->truth - r->other);
  double sum = 0;
  for (size_t v = 0; v < values; v++) sum += share[v] = counts[v] > 2 * noise ? counts[v] : 0;
  for (size_t v = 0; v < values; v++) share[v] = sum > 0 ? share[v] / sum : 1 / (double)values;
}

static void fill_table(sotto_i_gw_learned *l, const work *w) {
  const size_t classes = w->reports->classes;
  for (size_t v = 0; v < w->reports->anchors * classes; v++)
    l->table[l->label[v / classes] * classes + v % classes] += w->counts[v];
  for (size_t k = 0; k < classes * classes; k++) l->table[k] = fmax(0, l->table[k]);
}

/* Not normalised: the estimated number of graphs of class c that report this label. */
static double class_weight(const sotto_i_gw_learned *l, size_t classes, double truth, double other,
                           uint32_t reported, size_t c) {
  double weight = 0;
  for (size_t r = 0; r < classes; r++) weight += l->table[r * classes + c] * (r == reported ? truth : other);
  return weight;
}

uint32_t sotto_i_gw_answer(const sotto_i_gw_learned *l, size_t classes, double truth, double other,
                           uint32_t reported) {
  uint32_t best = reported;
  double most = -1;
  for (size_t step = 0; step < classes; step++) {
    const size_t c = (reported + step) % classes; /* ties go to the reported class */
    const double weight = class_weight(l, classes, truth, other, reported, c);
    if (weight <= most) continue;
    most = weight;
    best = (uint32_t)c;
  }
  return best;
}

void sotto_i_gw_class_probabilities(float *out, const sotto_i_gw_learned *l, size_t classes, double truth,
                                    double other, uint32_t reported) {
  double sum = 0;
  for (size_t c = 0; c < classes; c++) sum += class_weight(l, classes, truth, other, reported, c);
  for (size_t c = 0; c < classes; c++)
    out[c] = (float)(sum > 0         ? class_weight(l, classes, truth, other, reported, c) / sum
                     : c == reported ? 1
                                     : 0);
}

sotto_status sotto_i_gw_learn(sotto_i_gw_learned *out, const sotto_i_gw_reports *reports,
                              const double *distance, sotto_error *err) {
  const size_t n = reports->anchors, classes = reports->classes;
  work w = {.reports = reports, .distance = distance, .unit = mean_nearest_distance(distance, n)};
  double *total = NULL, right;
  sotto_status status;
  *out = (sotto_i_gw_learned){.label = NULL};
  SOTTO_TRY(check_reports(reports, err));
  SOTTO_TRY(sotto_i_new(&out->label, n, sizeof *out->label, err));
  SOTTO_TRY(sotto_i_new(&out->table, classes * classes, sizeof *out->table, err));
  SOTTO_TRY(sotto_i_new(&out->share, n * classes, sizeof *out->share, err));
  SOTTO_TRY(sotto_i_new_raw(&w.counts, n * classes, sizeof *w.counts, err));
  SOTTO_TRY(sotto_i_new_raw(&w.score, n * classes, sizeof *w.score, err));
  SOTTO_TRY(sotto_i_new_raw(&w.near, n * n, sizeof *w.near, err));
  SOTTO_TRY(sotto_i_new(&total, classes, sizeof *total, err));
  estimate_counts(&w);
  for (size_t v = 0; v < n * classes; v++) total[v % classes] += w.counts[v];
  out->width = widths[choose_width(&right, &w, total)];
  out->accuracy = reports->count == 0 ? 0 : fmin(1, fmax(0, right / (double)reports->count));
  smooth_counts(&w, out->width);
  for (size_t a = 0; a < n; a++) out->label[a] = (uint32_t)anchor_label(&w, a, NULL, total);
  fill_table(out, &w);
  fill_shares(out->share, w.counts, reports);
done:
  sotto_i_free(w.counts);
  sotto_i_free(w.score);
  sotto_i_free(w.near);
  sotto_i_free(total);
  if (status != SOTTO_OK) sotto_i_gw_learned_free(out);
  return status;
}

void sotto_i_gw_learned_free(sotto_i_gw_learned *learned) {
  sotto_i_free(learned->label);
  sotto_i_free(learned->share);
  sotto_i_free(learned->table);
  *learned = (sotto_i_gw_learned){.label = NULL};
}
