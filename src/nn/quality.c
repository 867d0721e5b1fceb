/* Accuracy, macro-F1, area under the ROC curve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sotto/nn.h"

static size_t row_at(const uint32_t *rows, size_t i) {
  return rows == NULL ? i : rows[i];
}

static int32_t predicted(const sotto_matrix *scores, size_t row) {
  const float *values = scores->data + row * scores->cols;
  size_t best = 0;
  for (size_t j = 1; j < scores->cols; j++)
    if (values[j] > values[best]) best = j;
  return (int32_t)best;
}

double sotto_accuracy(const sotto_matrix *scores, const int32_t *labels, const uint32_t *rows, size_t count) {
  size_t right = 0;
  for (size_t i = 0; i < count; i++) right += predicted(scores, row_at(rows, i)) == labels[row_at(rows, i)];
  return count == 0 ? NAN : (double)right / (double)count;
}

static sotto_status macro_f1(double *out, const sotto_matrix *scores, const int32_t *labels,
                             const uint32_t *rows, size_t count, sotto_error *err) {
  uint64_t *tally = NULL; /* per class: right, predicted, present */
  sotto_status status = sotto_i_new(&tally, 3 * scores->cols, sizeof *tally, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    int32_t guess = predicted(scores, row_at(rows, i)), label = labels[row_at(rows, i)];
    tally[3 * guess] += guess == label;
    tally[3 * guess + 1]++;
    tally[3 * label + 2]++;
  }
  double sum = 0;
  for (size_t c = 0; c < scores->cols; c++) {
    double both = (double)(tally[3 * c + 1] + tally[3 * c + 2]);
    if (both > 0) sum += 2 * (double)tally[3 * c] / both;
  }
  *out = count == 0 ? NAN : sum / (double)scores->cols;
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
 * class, and when a score is NAN, which has no place in an order. */
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

/* Orders rows as softmax at one class does: the logarithm of p / (1 - p), which, unlike p, does not run out
 * of digits near 1. Worked out in double precision, so that rows that tie still do once rounded. NAN passes
 * through. */
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
      size_t row = row_at(rows, i);
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
  for (size_t i = 0; i < count; i++) {
    int32_t label = labels[row_at(rows, i)];
    if (label < 0 || (size_t)label >= scores->cols)
      return sotto_i_fail(err, SOTTO_RANGE, "label %d of row %zu is not below the %zu classes", (int)label,
                          row_at(rows, i), scores->cols);
  }
  *out = (sotto_quality){.accuracy = sotto_accuracy(scores, labels, rows, count)};
  SOTTO_TRY(macro_f1(&out->macro_f1, scores, labels, rows, count, err));
  SOTTO_TRY(mean_auc(&out->auc, scores, labels, rows, count, err));
done:
  return status;
}
