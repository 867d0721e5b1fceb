/* The rule for alerts on a rare class, and the measure that epochs are selected by there: from options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alert_rule.h"
#include "base/error.h"
#include "inside/alerts.h"
#include "options.h"
#include "run/method/method.h"

/* A share as 0.01 or 1%: *end is behind it. */
static double share_of(const char *text, char **end) {
  const double value = strtod(text, end);
  if (*end == text || **end != '%') return value;
  ++*end;
  return value / 100;
}

sotto_status sotto_i_alert_rule(sotto_alert_rule *out, const sotto_options *options, sotto_error *err) {
  static const char cost[] = "cost:";
  const char *text = options->alert_rate;
  sotto_alert_rule rule = {.by = SOTTO_ALERT_BY_RATE};
  char *end = NULL;
  bool good = text[0] == '\0' || strcmp(text, "f1") == 0;
  if (strcmp(text, "f1") == 0) {
    rule.by = SOTTO_ALERT_BY_F1;
  } else if (strncmp(text, cost, strlen(cost)) == 0) {
    const char *number = text + strlen(cost);
    rule.by = SOTTO_ALERT_BY_COST;
    rule.cost = strtod(number, &end);
    good = end != number && *end == '\0' && rule.cost > 0 && isfinite(rule.cost);
  } else if (text[0] != '\0') {
    rule.rate = share_of(text, &end);
    good = end != text && *end == '\0' && rule.rate > 0 && rule.rate <= 1;
  }
  if (!good)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "alert-rate: %s is no share of the nodes, such as 1%% or 0.01, nor f1 or cost:N; N says how "
        "many false alarms a missed node costs, as in cost:20",
        text);
  *out = rule;
  return SOTTO_OK;
}

sotto_status sotto_i_choose_measure(sotto_options *options, const sotto_dataset *data, sotto_error *err) {
  sotto_i_option row;
  int32_t rare;
  if (sotto_i_option_given(options, "select-by") || !sotto_i_option_has(&row, options, "select-by"))
    return SOTTO_OK;
  if (sotto_i_is_of_two(options) || sotto_i_has_holders(options) || sotto_i_has_clients(options))
    return SOTTO_OK;
  if (sotto_options_hide_measures(options) || data->labels == NULL || data->classes != 2) return SOTTO_OK;
  const sotto_status status =
      sotto_rare_class(&rare, NULL, data->labels, data->graph.nodes, data->classes, err);
  if (status == SOTTO_OK && rare >= 0) options->select_by = SOTTO_MEASURE_AUC;
  return status;
}
