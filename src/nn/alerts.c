/* Thresholds of alerts, and the calibration that makes scores probabilities. */
#include <math.h>

#include "inside/alerts.h"
#include "ranking.h"

static double by_rate(const sotto_i_score_steps *s, double rate) {
  const double most = fmax(1, floor(rate * (double)(s->members + s->others) + 1e-9));
  double alerted = 0, threshold = s->count == 0 ? INFINITY : s->steps[0].score;
  for (size_t i = 0; i < s->count; i++) {
    alerted += (double)(s->steps[i].members + s->steps[i].others);
    if (alerted > most) break;
    threshold = s->steps[i].score;
  }
  return threshold;
}

/* The highest threshold of the least loss: cost of missed members and false alarms, or 1 - F1. */
static double by_loss(const sotto_i_score_steps *s, const sotto_alert_rule *rule) {
  const bool f1 = rule->by == SOTTO_ALERT_BY_F1;
  double found = 0, wrong = 0, threshold = INFINITY;
  double least = f1 ? 1 : rule->cost * (double)s->members;
  for (size_t i = 0; i < s->count; i++) {
    found += (double)s->steps[i].members;
    wrong += (double)s->steps[i].others;
    const double missed = (double)s->members - found;
    const double loss = f1 ? 1 - 2 * found / (2 * found + wrong + missed) : rule->cost * missed + wrong;
    if (loss < least) least = loss, threshold = s->steps[i].score;
  }
  return threshold;
}

static double probability(double slope, double offset, double log_odds) {
  return 1 / (1 + exp(-(slope * log_odds + offset)));
}

/* log(1 + exp(x)) without overflow. */
static double soft_plus(double x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* Targets of Platt (1999): members and others count as slightly less than certain. */
typedef struct targets {
  double member, other;
} targets;

static double loss_of(const sotto_i_score_steps *s, targets to, double slope, double offset) {
  double loss = 0;
  for (size_t i = 0; i < s->count; i++) {
    const sotto_i_score_step *step = &s->steps[i];
    const double x = slope * step->score + offset, up = soft_plus(-x), down = soft_plus(x);
    loss += (double)step->members * (to.member * up + (1 - to.member) * down) +
            (double)step->others * (to.other * up + (1 - to.other) * down);
  }
  return loss;
}

/* A Newton step with halving, as in Lin, Lin and Weng 2007; false: no better point was found. */
static bool improve(double *slope, double *offset, const sotto_i_score_steps *s, targets to) {
  double a = 1e-12, b = 0, c = 1e-12, ga = 0, gb = 0;
  for (size_t i = 0; i < s->count; i++) {
    const sotto_i_score_step *step = &s->steps[i];
    const double n = (double)(step->members + step->others), p = probability(*slope, *offset, step->score);
    const double wanted = (double)step->members * to.member + (double)step->others * to.other;
    const double w = n * p * (1 - p), d = n * p - wanted;
    a += w * step->score * step->score;
    b += w * step->score;
    c += w;
    ga += d * step->score;
    gb += d;
  }
  if (fabs(ga) < 1e-5 && fabs(gb) < 1e-5) return false;
  const double det = a * c - b * b, da = -(c * ga - b * gb) / det, db = -(a * gb - b * ga) / det;
  const double before = loss_of(s, to, *slope, *offset), downhill = ga * da + gb * db;
  for (double length = 1; length >= 1e-10; length /= 2) {
    const double next_slope = *slope + length * da, next_offset = *offset + length * db;
    if (loss_of(s, to, next_slope, next_offset) < before + 1e-4 * length * downhill) {
      *slope = next_slope;
      *offset = next_offset;
      return true;
    }
  }
  return false;
}

/* Fitted log-odds: slope times log-odds plus offset. Scores that rank no better than chance have slope 0, and
 * every item the share of members. */
static void calibrate(sotto_alerts *out, const sotto_i_score_steps *s) {
  const double members = (double)s->members, others = (double)s->others;
  const targets to = {(members + 1) / (members + 2), 1 / (others + 2)};
  double slope = 0, offset = log((members + 1) / (others + 1));
  for (int i = 0; i < 100 && improve(&slope, &offset, s, to); i++) continue;
  if (!(slope > 0) || !isfinite(slope) || !isfinite(offset)) {
    slope = 0;
    offset = log((members + 1) / (others + 1));
  }
  out->slope = slope;
  out->offset = offset;
}

sotto_status sotto_alerts_choose(sotto_alerts *alerts, const sotto_ranked *items, sotto_error *err) {
  sotto_i_score_steps steps;
  const sotto_alert_rule *rule = &alerts->rule;
  const sotto_status status = sotto_i_score_steps_new(&steps, items, err);
  if (status != SOTTO_OK) return status;
  const bool both = steps.members > 0 && steps.others > 0;
  alerts->slope = 1;
  alerts->offset = 0;
  if (both) calibrate(alerts, &steps);
  if (both && rule->by != SOTTO_ALERT_BY_RATE)
    alerts->threshold = by_loss(&steps, rule);
  else
    alerts->threshold = by_rate(&steps, rule->rate > 0 ? rule->rate : alerts->share);
  sotto_i_score_steps_free(&steps);
  return SOTTO_OK;
}

double sotto_alert_probability(const sotto_alerts *alerts, double log_odds) {
  return probability(alerts->slope, alerts->offset, log_odds);
}
