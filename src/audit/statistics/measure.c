/* How well a score separates members from others: area under the curve, its interval, rates, and the
 * implied epsilon. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "base/memory.h"
#include "base/random.h"

enum { least_of_each = 10 };

typedef struct sorted {
  double *values;
  size_t count;
} sorted;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static sotto_status sort_copy(sorted *out, const double *values, size_t count, sotto_error *err) {
  sotto_status status = sotto_i_new_raw(&out->values, count, sizeof(double), err);
  if (status != SOTTO_OK) return status;
  memcpy(out->values, values, count * sizeof(double));
  qsort(out->values, count, sizeof(double), by_value);
  out->count = count;
  return SOTTO_OK;
}

/* The number of smaller values, plus half of the equal ones. */
static double rank_of(const sorted *s, double value) {
  size_t borders[2];
  for (int equal = 0; equal < 2; equal++) {
    size_t low = 0, high = s->count;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      bool before = equal == 1 ? s->values[middle] <= value : s->values[middle] < value;
      if (before)
        low = middle + 1;
      else
        high = middle;
    }
    borders[equal] = low;
  }
  return ((double)borders[0] + (double)borders[1]) / 2;
}

/* Mean and variance of the placements: the share of `against` below each value. */
static void placements(double *mean, double *variance, const sorted *values, const sorted *against) {
  double sum = 0, square = 0, n = (double)values->count;
  for (size_t i = 0; i < values->count; i++) {
    double place = rank_of(against, values->values[i]) / (double)against->count;
    sum += place;
    square += place * place;
  }
  *mean = sum / n;
  *variance = fmax(0, (square - n * *mean * *mean) / (n - 1));
}

/* If all members are above all others, or below, DeLong's variance is 0. Then the width is three divided by
 * the smaller number, as for an event that never occurred. */
static void measure_area(sotto_attack_result *out, const sorted *members, const sorted *others) {
  double share, of_members, of_others;
  placements(&out->auc, &of_members, members, others);
  placements(&share, &of_others, others, members);
  double error = sqrt(of_members / (double)members->count + of_others / (double)others->count);
  double width = 1.96 * error;
  size_t fewer = members->count < others->count ? members->count : others->count;
  if (out->auc >= 1 || out->auc <= 0) width = 3 / (double)fewer;
  out->auc_low = fmax(0, out->auc - width);
  out->auc_high = fmin(1, out->auc + width);
}

static double rate_at(const sorted *members, const sorted *others, double false_rate) {
  size_t spare = (size_t)floor(false_rate * (double)others->count), above = 0;
  double threshold = others->values[others->count - 1 - spare];
  for (size_t i = members->count; i > 0 && members->values[i - 1] > threshold; i--) above++;
  return (double)above / (double)members->count;
}

static void shuffle(double *values, size_t count, uint32_t number) {
  sotto_key key;
  sotto_i_random random;
  sotto_key_public(&key, number);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_NEGATIVE, number, 0);
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)sotto_i_random_below(&random, i);
    double was = values[i - 1];
    values[i - 1] = values[j];
    values[j] = was;
  }
}

sotto_status sotto_attack_measure(sotto_attack_result *out, const double *members, size_t member_count,
                                  const double *others, size_t other_count, double delta, sotto_error *err) {
  const double risk = 0.025;
  sotto_status status;
  sorted in = {0}, outside = {0};
  sotto_i_shown shown;
  *out =
      (sotto_attack_result){.members = member_count, .others = other_count, .precision = NAN, .recall = NAN};
  if (member_count < least_of_each || other_count < least_of_each)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%zu members and %zu others are too few to measure an attack; %d of each "
                        "are the least",
                        member_count, other_count, least_of_each);
  SOTTO_TRY(sort_copy(&in, members, member_count, err));
  SOTTO_TRY(sort_copy(&outside, others, other_count, err));
  measure_area(out, &in, &outside);
  out->tpr_1 = rate_at(&in, &outside, 0.01);
  out->tpr_01 = rate_at(&in, &outside, 0.001);
  shuffle(in.values, in.count, 1); /* both halves must have the same distribution */
  shuffle(outside.values, outside.count, 2);
  const double *values[2] = {outside.values, in.values};
  const sotto_i_draws draws = {
      .values = {&values[0], &values[1]}, .count = {other_count, member_count}, .statistics = 1};
  SOTTO_TRY(sotto_i_show(&shown, &draws, delta, risk, err));
  out->implied = shown.epsilon;
done:
  sotto_i_free(in.values);
  sotto_i_free(outside.values);
  return status;
}
