/* The rule for alerts on a rare class, and the default that follows from one. */
#ifndef SOTTO_SRC_RUN_SETTINGS_ALERT_RULE_H
#define SOTTO_SRC_RUN_SETTINGS_ALERT_RULE_H

#include "sotto/alerts.h"
#include "sotto/graph.h"
#include "sotto/options.h"

/* The rule that the option alert-rate states. Errors: INVALID, naming the option. */
sotto_status sotto_i_alert_rule(sotto_alert_rule *out, const sotto_options *options, sotto_error *err);
/* Where one of two classes is rare, epochs and models are selected by AUC unless select-by was given:
 * almost any model has a high accuracy there, by the other class. Only where labels are public, since the
 * option is in run.yaml, which anyone may read. Only for one owner: several parties do not all know the
 * classes, and a run in one process must equal the same run in several. Errors: those of sotto_rare_class. */
sotto_status sotto_i_choose_measure(sotto_options *options, const sotto_dataset *data, sotto_error *err);

#endif
