/* Measures and alerts of a rare class, after training: by the answers of each seed's model. */
#include "alerts.h"

#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/alerts.h"
#include "model.h"
#include "ranks.h"
#include "run/settings/alert_rule.h"
#include "run/storage/alerts_file.h"
#include "run/storage/seed_file.h"

static bool has_answers(const sotto_i_run *r) {
  const sotto_dataset *d = r->data;
  return r->party == NULL && sotto_i_run_ranks(r) == NULL && d->labels != NULL && d->graph_count == 0 &&
         r->options->out[0] != '\0' && r->options->adjacency < SOTTO_ADJACENCY_NODE &&
         sotto_i_method_of(r->options)->open != NULL;
}

/* The log-odds of the class at every node. */
static sotto_status ask(double **out, sotto_model *model, size_t class_number, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_model_query(&rows, model, &(sotto_query){.wanted = NULL}, err));
  SOTTO_TRY(sotto_i_new(out, rows.rows, sizeof **out, err));
  sotto_class_log_odds(*out, &rows, class_number);
done:
  sotto_matrix_free(&rows);
  return status;
}

static void count_alerts(sotto_rare_result *out, const sotto_ranked *items) {
  for (size_t i = 0; i < items->count; i++) {
    if (!(items->scores[items->rows[i]] >= out->alerts.threshold)) continue;
    out->alerted++;
    out->found += items->labels[items->rows[i]] == items->class_number;
  }
}

static sotto_status measure(sotto_rare_result *out, sotto_model *model, sotto_error *err) {
  double *scores = NULL;
  sotto_status status;
  const sotto_alert_rule *rule = &out->alerts.rule;
  const double rate = rule->rate > 0 ? rule->rate : out->alerts.share;
  SOTTO_TRY(ask(&scores, model, (size_t)out->alerts.class_number, err));
  sotto_ranked items = {scores, sotto_model_data(model)->labels, NULL, 0, out->alerts.class_number};
  items.rows = sotto_model_part(model, SOTTO_PART_VALIDATION, &items.count);
  SOTTO_TRY(sotto_alerts_choose(&out->alerts, &items, err));
  SOTTO_TRY(sotto_ranking_measure(&out->validation, &items, rate, err));
  items.rows = sotto_model_part(model, SOTTO_PART_TEST, &items.count);
  SOTTO_TRY(sotto_ranking_measure(&out->test, &items, rate, err));
  count_alerts(out, &items);
  out->there = true;
done:
  sotto_i_free(scores);
  return status;
}

static sotto_status keep_seed(sotto_seed_result *seed, const sotto_i_run *r, const sotto_alerts *as,
                              sotto_error *err) {
  char *folder = NULL;
  sotto_model *model = NULL;
  sotto_status status;
  const sotto_model_options asked = {.seed = seed->seed};
  seed->rare = (sotto_rare_result){.alerts = *as};
  SOTTO_TRY(sotto_i_seed_path(&folder, r->options->out, seed->seed, err));
  SOTTO_TRY(sotto_i_model_open(&model, r->options->out, r->data, &asked, err));
  SOTTO_TRY(measure(&seed->rare, model, err));
  SOTTO_TRY(sotto_i_alerts_write(&seed->rare, folder, r->options, err));
done:
  sotto_model_free(model);
  sotto_i_free(folder);
  return status;
}

/* Where nobody ranks the class, its owner is told that accuracy says little. */
static sotto_status say_rare(const sotto_i_run *r, sotto_error *err) {
  const sotto_dataset *d = r->data;
  int32_t rare;
  double share;
  if (d->labels == NULL || d->graph_count != 0 || sotto_options_hide_measures(r->options)) return SOTTO_OK;
  const sotto_status status = sotto_rare_class(&rare, &share, d->labels, d->graph.nodes, d->classes, err);
  if (status != SOTTO_OK || rare < 0) return status;
  const char *name = sotto_name(&d->class_names, (uint64_t)rare);
  sotto_i_log(
      r->observer, SOTTO_LOG_INFO,
      "class %d%s%.60s has %.2f%% of the labels: accuracy is high for almost any model, also one that "
      "never names the class. Compare AUC, which select-by: auc selects epochs by; order nodes by the "
      "probability of the class, since this run chooses no threshold for alerts",
      (int)rare, name == NULL ? "" : ", ", name == NULL ? "" : name, 100 * share);
  return SOTTO_OK;
}

sotto_status sotto_i_alerts_keep(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_alerts as = {.class_number = -1};
  sotto_status status;
  if (!has_answers(r)) return say_rare(r, err);
  SOTTO_TRY(sotto_rare_class(&as.class_number, &as.share, r->data->labels, r->data->graph.nodes,
                             r->data->classes, err));
  if (as.class_number < 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_alert_rule(&as.rule, r->options, err));
  for (size_t i = 0; i < out->seed_count; i++) {
    sotto_error why = {0};
    status = keep_seed(&out->seeds[i], r, &as, &why);
    if (status == SOTTO_OK) continue;
    out->seeds[i].rare = (sotto_rare_result){.there = false};
    if (status == SOTTO_NOMEM || status == SOTTO_IO || status == SOTTO_INTERRUPTED)
      return sotto_i_fail(err, status, "%s", why.text);
    sotto_i_log(r->observer, SOTTO_LOG_INFO, "alerts: none, since the model gives no answers here: %s",
                why.text);
    status = SOTTO_OK;
  }
done:
  return status;
}
