/* Score, rank and alert of nodes, where the run has a rare class. */
#include <stdlib.h>

#include "base/error.h"
#include "common/memory.h"
#include "predict.h"

typedef struct place {
  double log_odds;
  size_t row;
} place;

static int by_score(const void *a, const void *b) {
  const double x = ((const place *)a)->log_odds, y = ((const place *)b)->log_odds;
  return (x < y) - (x > y);
}

static sotto_status rank(predict_alerts *out, size_t count, sotto_error *err) {
  place *places = NULL;
  const sotto_status status = app_new(&places, count, sizeof *places, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) places[i] = (place){out->log_odds[i], i};
  qsort(places, count, sizeof *places, by_score);
  for (size_t i = 0; i < count; i++) {
    const bool tied = i > 0 && places[i].log_odds == places[i - 1].log_odds;
    out->ranks[places[i].row] = tied ? out->ranks[places[i - 1].row] : i + 1;
  }
  free(places);
  return SOTTO_OK;
}

sotto_status predict_alerts_new(predict_alerts *out, const char *run, const sotto_options *options,
                                uint64_t seed, const sotto_matrix *rows, sotto_error *err) {
  sotto_status status;
  *out = (predict_alerts){.there = false};
  SOTTO_TRY(sotto_alerts_read(&out->rule, &out->there, run, seed == SOTTO_UNSET ? options->seed : seed, err));
  if (!out->there) return SOTTO_OK;
  if ((size_t)out->rule.class_number >= rows->cols) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: its alerts are of class %d, and the model has %zu classes",
                          run, (int)out->rule.class_number, rows->cols);
    goto done;
  }
  SOTTO_TRY(app_new(&out->log_odds, rows->rows, sizeof *out->log_odds, err));
  SOTTO_TRY(app_new(&out->scores, rows->rows, sizeof *out->scores, err));
  SOTTO_TRY(app_new(&out->ranks, rows->rows, sizeof *out->ranks, err));
  SOTTO_TRY(app_new(&out->alerts, rows->rows, sizeof *out->alerts, err));
  sotto_class_log_odds(out->log_odds, rows, (size_t)out->rule.class_number);
  for (size_t i = 0; i < rows->rows; i++) {
    out->scores[i] = sotto_alert_probability(&out->rule, out->log_odds[i]);
    out->alerts[i] = out->log_odds[i] >= out->rule.threshold;
    out->alerted += out->alerts[i];
  }
  SOTTO_TRY(rank(out, rows->rows, err));
done:
  return status;
}

void predict_alerts_free(predict_alerts *alerts) {
  free(alerts->log_odds);
  free(alerts->scores);
  free(alerts->ranks);
  free(alerts->alerts);
}

double predict_alert_rate(const predict_alerts *alerts) {
  return alerts->rule.rule.rate > 0 ? alerts->rule.rule.rate : alerts->rule.share;
}
