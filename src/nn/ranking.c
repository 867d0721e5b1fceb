/* How well scores rank one rare class: area under the ROC curve, average precision, recall at a rate, costs.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/alerts.h"
#include "ranking.h"

static const double ratios[SOTTO_COST_RATIOS] = {1, 3, 10, 30, 100, 300, 1000};
static const double rare_share = 0.1, rare_of_even = 1.0 / 3;

const double *sotto_cost_ratios(void) {
  return ratios;
}

sotto_status sotto_rare_class(int32_t *out, double *share, const int32_t *labels, size_t count,
                              size_t classes, sotto_error *err) {
  uint64_t *tally = NULL, labelled = 0;
  sotto_status status = sotto_i_new(&tally, classes + 1, sizeof *tally, err);
  *out = -1;
  if (share != NULL) *share = NAN;
  for (size_t i = 0; status == SOTTO_OK && i < count; i++) {
    if (labels[i] < 0) continue;
    if ((size_t)labels[i] >= classes) {
      status = sotto_i_fail(err, SOTTO_RANGE, "label %d of row %zu is not below the %zu classes",
                            (int)labels[i], i, classes);
      break;
    }
    tally[labels[i]]++;
    labelled++;
  }
  size_t rarest = classes;
  for (size_t c = 0; status == SOTTO_OK && c < classes; c++)
    if (tally[c] > 0 && (rarest == classes || tally[c] < tally[rarest])) rarest = c;
  if (status == SOTTO_OK && rarest < classes) {
    const double found = (double)tally[rarest] / (double)labelled;
    if (found < rare_share && found * (double)classes < rare_of_even) {
      *out = (int32_t)rarest;
      if (share != NULL) *share = found;
    }
  }
  sotto_i_free(tally);
  return status;
}

void sotto_class_log_odds(double *out, const sotto_matrix *probabilities, size_t class_number) {
  static const double least = 1e-300;
  for (size_t i = 0; i < probabilities->rows; i++) {
    const float *row = probabilities->data + i * probabilities->cols;
    double others = 0;
    for (size_t c = 0; c < probabilities->cols; c++)
      if (c != class_number) others += row[c];
    out[i] = log(fmax(row[class_number], least)) - log(fmax(others, least));
  }
}

static int by_score(const void *a, const void *b) {
  const double x = ((const sotto_i_score_step *)a)->score, y = ((const sotto_i_score_step *)b)->score;
  return (x < y) - (x > y);
}

sotto_status sotto_i_score_steps_new(sotto_i_score_steps *out, const sotto_ranked *items, sotto_error *err) {
  *out = (sotto_i_score_steps){.count = 0};
  sotto_status status = sotto_i_new(&out->steps, items->count, sizeof *out->steps, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < items->count; i++) {
    const size_t row = items->rows == NULL ? i : items->rows[i];
    const bool member = items->labels[row] == items->class_number;
    if (isnan(items->scores[row])) {
      sotto_i_score_steps_free(out);
      return sotto_i_fail(err, SOTTO_RANGE, "the score of row %zu is not a number", row);
    }
    out->steps[i] = (sotto_i_score_step){items->scores[row], member, !member};
    out->members += member;
    out->others += !member;
  }
  qsort(out->steps, items->count, sizeof *out->steps, by_score);
  for (size_t i = 0; i < items->count; i++) {
    sotto_i_score_step *last = out->count == 0 ? NULL : &out->steps[out->count - 1];
    if (last != NULL && last->score == out->steps[i].score) {
      last->members += out->steps[i].members;
      last->others += out->steps[i].others;
    } else {
      out->steps[out->count++] = out->steps[i];
    }
  }
  return SOTTO_OK;
}

void sotto_i_score_steps_free(sotto_i_score_steps *steps) {
  sotto_i_free(steps->steps);
  *steps = (sotto_i_score_steps){.count = 0};
}

/* Areas under the ROC curve (Mann-Whitney) and of steps under the curve of precision over recall. */
static void measure_areas(sotto_ranking *out, const sotto_i_score_steps *s) {
  double members = 0, others = 0, right = 0, area = 0;
  for (size_t i = 0; i < s->count; i++) {
    const sotto_i_score_step *step = &s->steps[i];
    right += (double)step->others * (members + (double)step->members / 2);
    members += (double)step->members;
    others += (double)step->others;
    area += (double)step->members * members / (members + others);
  }
  out->auc = members == 0 || others == 0 ? NAN : right / (members * others);
  out->average_precision = members == 0 ? NAN : area / members;
}

static void measure_rate(sotto_ranking *out, const sotto_i_score_steps *s, double rate) {
  const double alerts = fmax(1, floor(rate * (double)out->count + 1e-9));
  double left = alerts, found = 0;
  for (size_t i = 0; i < s->count && left > 0; i++) {
    const double size = (double)(s->steps[i].members + s->steps[i].others), taken = fmin(left, size);
    found += (double)s->steps[i].members * taken / size;
    left -= taken;
  }
  out->rate = rate;
  out->recall = s->members == 0 ? NAN : found / (double)s->members;
  out->precision = s->members == 0 ? NAN : found / alerts;
}

static void measure_costs(sotto_ranking *out, const sotto_i_score_steps *s) {
  const double all = (double)out->count;
  for (size_t r = 0; r < SOTTO_COST_RATIOS; r++) {
    double cost = ratios[r] * (double)s->members, alerted = 0, best = cost, at = 0;
    for (size_t i = 0; i < s->count; i++) {
      cost += (double)s->steps[i].others - ratios[r] * (double)s->steps[i].members;
      alerted += (double)(s->steps[i].members + s->steps[i].others);
      if (cost < best) best = cost, at = alerted;
    }
    out->costs[r] = out->count == 0 ? NAN : best / all;
    out->alerted[r] = out->count == 0 ? NAN : at / all;
  }
}

sotto_status sotto_ranking_measure(sotto_ranking *out, const sotto_ranked *items, double rate,
                                   sotto_error *err) {
  sotto_i_score_steps steps;
  const sotto_status status = sotto_i_score_steps_new(&steps, items, err);
  if (status != SOTTO_OK) return status;
  *out = (sotto_ranking){.count = items->count, .members = steps.members};
  measure_areas(out, &steps);
  measure_rate(out, &steps, rate);
  measure_costs(out, &steps);
  sotto_i_score_steps_free(&steps);
  return SOTTO_OK;
}
