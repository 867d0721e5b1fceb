/* Rare classes: which class is one, and how alerts on it are chosen. Internal: other folders call these,
 * programs outside do not. */
#ifndef SOTTO_INSIDE_ALERTS_H
#define SOTTO_INSIDE_ALERTS_H

#include "sotto/alerts.h"

/* The rarest class of the labels, where it is rare: it has members, but under 10% of the labelled items and
 * under a third of an even share (1 / classes). *out is -1 where no class is. `share`: of that class among
 * the labelled items; may be NULL. Labels below 0 are unknown. Errors: RANGE (a label), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_rare_class(int32_t *out, double *share, const int32_t *labels, size_t count,
                                             size_t classes, sotto_error *err);

/* What a missed member costs, in false alarms: SOTTO_COST_RATIOS numbers. */
const double *sotto_cost_ratios(void);

/* Chooses threshold and calibration on items, which should be those of the validation part. class_number,
 * share and rule are input. By rate: the lowest score with at most rate * count alerts (at least one score is
 * an alert). By cost and F1: the best threshold, the highest on ties. Without members or without other items
 * the threshold is by rate, and the calibration leaves probabilities as they are. Errors: those of
 * sotto_ranking_measure. */
SOTTO_MUST_USE sotto_status sotto_alerts_choose(sotto_alerts *alerts, const sotto_ranked *items,
                                                sotto_error *err);

#endif
