/* Rare classes: how well scores rank them, when a score is an alert, and scores that are probabilities. */
#ifndef SOTTO_ALERTS_H
#define SOTTO_ALERTS_H

#include "sotto/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i]: log-odds of the class in row i of class probabilities (n x classes). Finite for finite rows; equal
 * probabilities have equal log-odds. */
SOTTO_API void sotto_class_log_odds(double *out, const sotto_matrix *probabilities, size_t class_number);

/* How well scores rank the members of one class above all other items. Ties are counted exactly: auc counts a
 * tied pair half; average_precision is the sum over distinct scores, descending, of precision times the step
 * of recall; recall and precision at the rate are those expected when tied items come in random order. NAN
 * without members, and auc also without other items.
 *
 * costs[i]: the least cost per item over all thresholds, when a missed member costs
 * 1, 3, 10, 30, 100, 300 or 1000 times a false alarm, which costs 1; alerted[i]: the share of items with an
 * alert at that threshold (the fewest alerts on ties). */
enum { SOTTO_COST_RATIOS = 7 };
typedef struct sotto_ranking {
  uint64_t count, members;
  double auc, average_precision;
  double rate, recall, precision; /* at the alerts of the rate: rate * count items, at least 1 */
  double costs[SOTTO_COST_RATIOS], alerted[SOTTO_COST_RATIOS];
} sotto_ranking;

/* Items with a score each: item i is row rows[i] of scores and labels (rows NULL: i). */
typedef struct sotto_ranked {
  const double *scores;
  const int32_t *labels;
  const uint32_t *rows;
  size_t count;
  int32_t class_number;
} sotto_ranked;
/* `rate` is above 0 and at most 1. Errors: RANGE (a score that is NAN, naming its row), NOMEM. */
SOTTO_API sotto_status sotto_ranking_measure(sotto_ranking *out, const sotto_ranked *items, double rate,
                                             sotto_error *err);

/* How a threshold is chosen. */
typedef enum sotto_alert_by { SOTTO_ALERT_BY_RATE, SOTTO_ALERT_BY_COST, SOTTO_ALERT_BY_F1 } sotto_alert_by;
typedef struct sotto_alert_rule {
  sotto_alert_by by;
  double rate; /* share of items with an alert; 0: the class's share among the labels */
  double cost; /* of a missed member, in false alarms; for COST */
} sotto_alert_rule;
/* When an item is an alert: its log-odds are at least `threshold` (INFINITY: never). Its probability is
 * 1 / (1 + exp(-(slope * log-odds + offset))) (Platt 1999); slope is at least 0, so that the order stays. */
typedef struct sotto_alerts {
  int32_t class_number;
  double share; /* of the class among the labelled items */
  sotto_alert_rule rule;
  double threshold, slope, offset;
} sotto_alerts;
SOTTO_API double sotto_alert_probability(const sotto_alerts *alerts, double log_odds);

#ifdef __cplusplus
}
#endif

#endif
