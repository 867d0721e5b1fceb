/* Measures of quality: accuracy, macro-F1, area under the ROC curve, confusion, calibration. */
#include "quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"

static size_t nth_row(const uint32_t *rows, size_t i) {
  return rows == NULL ? i : rows[i];
}

static int32_t predicted_class(const sotto_matrix *scores, size_t row) {
  const float *values = scores->data + row * scores->cols;
  size_t best = 0;
  for (size_t j = 1; j < scores->cols; j++)
    if (values[j] > values[best]) best = j;
  return (int32_t)best;
}

static sotto_status check_labels(const int32_t *labels, size_t classes, const uint32_t *rows, size_t count,
                                 sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    int32_t label = labels[nth_row(rows, i)];
    if (label < 0 || (size_t)label >= classes)
      return sotto_i_fail(err, SOTTO_RANGE, "label %d of row %zu is not below the %zu classes", (int)label,
                          nth_row(rows, i), classes);
  }
  return SOTTO_OK;
}

double sotto_accuracy(const sotto_matrix *scores, const int32_t *labels, const uint32_t *rows, size_t count) {
  size_t right = 0;
  for (size_t i = 0; i < count; i++)
    right += predicted_class(scores, nth_row(rows, i)) == labels[nth_row(rows, i)];
  return count == 0 ? NAN : (double)right / (double)count;
}

static sotto_status macro_f1(double *out, const sotto_matrix *scores, const int32_t *labels,
                             const uint32_t *rows, size_t count, sotto_error *err) {
  uint64_t *tally = NULL; /* per class: right, predicted, present */
  sotto_status status = sotto_i_new(&tally, 3 * scores->cols, sizeof *tally, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    int32_t guess = predicted_class(scores, nth_row(rows, i)), label = labels[nth_row(rows, i)];
    tally[3 * guess] += guess == label;
    tally[3 * guess + 1]++;
    tally[3 * label + 2]++;
  }
  double sum = 0, counted = 0;
  for (size_t c = 0; c < scores->cols; c++) {
    const double both = (double)(tally[3 * c + 1] + tally[3 * c + 2]);
    if (both == 0) continue;
    sum += 2 * (double)tally[3 * c] / both;
    counted++;
  }
  *out = count == 0 ? NAN : sum / counted;
  sotto_i_free(tally);
  return SOTTO_OK;
}

typedef struct ranked {
  float score;
  bool positive;
} ranked;

static int by_score(const void *a, const void *b) {
  float x = ((const ranked *)a)->score, y = ((const ranked *)b)->score;
  return (x > y) - (x < y);
}

/* Mann-Whitney: the share of (positive, negative) pairs in the right order, ties counted half. NAN with one
 * class, and when a score is NAN, which cannot be ordered. */
static double auc_of(ranked *items, size_t count) {
  double positives = 0, negatives = 0, right = 0;
  for (size_t i = 0; i < count; i++)
    if (isnan(items[i].score)) return NAN;
  qsort(items, count, sizeof *items, by_score);
  for (size_t begin = 0; begin < count;) {
    size_t end = begin;
    double tied_positives = 0, tied_negatives = 0;
    for (; end < count && items[end].score == items[begin].score; end++) {
      tied_positives += items[end].positive;
      tied_negatives += !items[end].positive;
    }
    right += tied_positives * (negatives + tied_negatives / 2);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  return positives == 0 || negatives == 0 ? NAN : right / (positives * negatives);
}

/* The log-odds log(p / (1 - p)) of softmax at one class: the same order of rows as p, without losing digits
 * near 1. Computed in double precision, so that ties remain ties after rounding. NAN gives NAN. */
static float log_odds(const float *row, size_t classes, size_t chosen) {
  double largest = -INFINITY, sum = 0;
  for (size_t j = 0; j < classes; j++)
    if (j != chosen && (row[j] > largest || isnan(row[j]))) largest = row[j];
  for (size_t j = 0; j < classes; j++)
    if (j != chosen) sum += exp((double)row[j] - largest);
  return (float)((double)row[chosen] - largest - (isinf(largest) ? 0 : log(sum)));
}

static sotto_status mean_auc(double *out, const sotto_matrix *scores, const int32_t *labels,
                             const uint32_t *rows, size_t count, sotto_error *err) {
  ranked *items = NULL;
  sotto_status status = sotto_i_new(&items, count, sizeof *items, err);
  if (status != SOTTO_OK) return status;
  double sum = 0;
  size_t defined = 0;
  size_t first = scores->cols == 2 ? 1 : 0; /* two classes: class 1 is the positive one */
  for (size_t c = first; c < scores->cols; c++) {
    for (size_t i = 0; i < count; i++) {
      size_t row = nth_row(rows, i);
      float score = log_odds(scores->data + row * scores->cols, scores->cols, c);
      items[i] = (ranked){score, labels[row] == (int32_t)c};
    }
    double value = auc_of(items, count);
    if (isnan(value)) continue;
    sum += value;
    defined++;
  }
  *out = defined == 0 ? NAN : sum / (double)defined;
  sotto_i_free(items);
  return SOTTO_OK;
}

sotto_status sotto_quality_measure(sotto_quality *out, const sotto_matrix *scores, const int32_t *labels,
                                   const uint32_t *rows, size_t count, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check_labels(labels, scores->cols, rows, count, err));
  *out = sotto_i_quality_none();
  out->of[SOTTO_MEASURE_ACCURACY] = sotto_accuracy(scores, labels, rows, count);
  SOTTO_TRY(macro_f1(&out->of[SOTTO_MEASURE_MACRO_F1], scores, labels, rows, count, err));
  SOTTO_TRY(mean_auc(&out->of[SOTTO_MEASURE_AUC], scores, labels, rows, count, err));
done:
  return status;
}

sotto_quality sotto_i_quality_none(void) {
  sotto_quality none;
  for (int m = 0; m < SOTTO_MEASURES; m++) none.of[m] = NAN;
  return none;
}

bool sotto_i_measured(const sotto_quality *quality) {
  return !isnan(quality->of[SOTTO_MEASURE_ACCURACY]) || !isnan(quality->of[SOTTO_MEASURE_RMSE]);
}

double sotto_i_quality_value(const sotto_quality *quality, sotto_measure measure) {
  return measure < SOTTO_MEASURES ? quality->of[measure] : NAN;
}

sotto_status sotto_i_quality_one(double *out, sotto_measure measure, const sotto_matrix *scores,
                                 const int32_t *labels, size_t count, sotto_error *err) {
  const sotto_status status = check_labels(labels, scores->cols, NULL, count, err);
  if (status != SOTTO_OK) return status;
  if (measure >= SOTTO_CLASS_MEASURES)
    return sotto_i_fail(err, SOTTO_INVALID, "%s measures numbers, and these are classes",
                        sotto_measure_name(measure));
  if (measure == SOTTO_MEASURE_AUC) return mean_auc(out, scores, labels, NULL, count, err);
  if (measure == SOTTO_MEASURE_MACRO_F1) return macro_f1(out, scores, labels, NULL, count, err);
  *out = sotto_accuracy(scores, labels, NULL, count);
  return SOTTO_OK;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Selects the listed classes, and sets line_of[class] to a class's line of the table. `tally` has the number
 * of rows of each class; entries of listed classes are cleared. */
static void list_classes(sotto_confusion *out, size_t *line_of, int64_t *tally, size_t classes) {
  const bool all = classes <= SOTTO_CONFUSION_CLASSES;
  out->listed = all ? classes : SOTTO_CONFUSION_LARGEST;
  out->lines = all ? classes : out->listed + 1;
  for (size_t k = 0; k < out->listed; k++) {
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
      if (tally[c] > tally[best]) best = c;
    out->classes[k] = (uint32_t)best;
    tally[best] = -1;
  }
  qsort(out->classes, out->listed, sizeof *out->classes, by_number);
  for (size_t c = 0; c < classes; c++) line_of[c] = out->listed;
  for (size_t k = 0; k < out->listed; k++) line_of[out->classes[k]] = k;
}

sotto_status sotto_confusion_measure(sotto_confusion *out, const sotto_matrix *scores, const int32_t *labels,
                                     const uint32_t *rows, size_t count, sotto_error *err) {
  sotto_status status;
  int64_t *tally = NULL;
  size_t *line_of = NULL;
  SOTTO_TRY(check_labels(labels, scores->cols, rows, count, err));
  SOTTO_TRY(sotto_i_new(&tally, scores->cols, sizeof *tally, err));
  SOTTO_TRY(sotto_i_new(&line_of, scores->cols, sizeof *line_of, err));
  *out = (sotto_confusion){.listed = 0};
  for (size_t i = 0; i < count; i++) tally[labels[nth_row(rows, i)]]++;
  list_classes(out, line_of, tally, scores->cols);
  for (size_t i = 0; i < count; i++) {
    size_t row = nth_row(rows, i);
    out->counts[line_of[labels[row]]][line_of[predicted_class(scores, row)]]++;
  }
done:
  sotto_i_free(tally);
  sotto_i_free(line_of);
  return status;
}

/* 10 p is exact in double precision, so a bin has exactly the floats above its lower end. */
static size_t bin_of(double probability) {
  double place = ceil(SOTTO_CALIBRATION_BINS * probability) - 1;
  if (place < 0) return 0;
  return place < SOTTO_CALIBRATION_BINS ? (size_t)place : SOTTO_CALIBRATION_BINS - 1;
}

sotto_status sotto_calibration_measure(sotto_calibration *out, const sotto_matrix *probabilities,
                                       const int32_t *labels, const uint32_t *rows, size_t count,
                                       sotto_error *err) {
  sotto_calibration sums = {.error = count == 0 ? NAN : 0};
  sotto_status status = check_labels(labels, probabilities->cols, rows, count, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    const size_t row = nth_row(rows, i);
    const int32_t guess = predicted_class(probabilities, row);
    const double p = probabilities->data[row * probabilities->cols + (size_t)guess];
    if (!(p >= 0 && p <= 1 + 1e-5)) /* a softmax has this up to rounding */
      return sotto_i_fail(err, SOTTO_RANGE, "row %zu has probability %g, not within 0 and 1", row, p);
    struct sotto_calibration_bin *bin = &sums.bins[bin_of(p)];
    bin->count++;
    bin->probability += p;
    bin->accuracy += guess == labels[row];
  }
  for (size_t b = 0; b < SOTTO_CALIBRATION_BINS; b++) {
    struct sotto_calibration_bin *bin = &sums.bins[b];
    if (bin->count > 0) sums.error += fabs(bin->accuracy - bin->probability) / (double)count;
    bin->probability = bin->count == 0 ? NAN : bin->probability / (double)bin->count;
    bin->accuracy = bin->count == 0 ? NAN : bin->accuracy / (double)bin->count;
  }
  *out = sums;
  return SOTTO_OK;
}
