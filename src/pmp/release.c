/* One release in memory: its layers and its charge. */
#include "release.h"

#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "dp/ledger/home.h"
#include "dp/ledger/ledger.h"
#include "inside/dp.h"
#include "inside/graph.h"
#include "inside/pmp.h"

sotto_status sotto_i_release_shell(sotto_release **out, const sotto_pmp_plan *plan, size_t rows, size_t cols,
                                   const char *id, const char *run, const char *description,
                                   sotto_error *err) {
  sotto_status status;
  *out = NULL;
  sotto_release *release = NULL;
  SOTTO_TRY(sotto_i_new(&release, 1, sizeof *release, err));
  release->plan = *plan;
  for (uint32_t k = 0; k <= plan->options.layers; k++)
    SOTTO_TRY(sotto_matrix_new(&release->layers[k], rows, cols, err));
  SOTTO_TRY(sotto_i_strdup(&release->id, id, err));
  SOTTO_TRY(sotto_i_strdup(&release->run, run, err));
  SOTTO_TRY(sotto_i_strdup(&release->description, description, err));
  *out = release;
  release = NULL;
done:
  sotto_release_free(release);
  return status;
}

sotto_status sotto_i_release_check(const sotto_graph *graph, const sotto_matrix *inputs,
                                   const sotto_protection *protection, bool noisy, const sotto_key *key,
                                   sotto_error *err) {
  if (inputs->rows != graph->nodes)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu rows to release for a graph of %llu nodes", inputs->rows,
                        (unsigned long long)graph->nodes);
  if (noisy && key->origin != SOTTO_KEY_SYSTEM && key->origin != SOTTO_KEY_INSECURE)
    return sotto_i_fail(err, SOTTO_INVALID, "noise needs a secret system key; a public key was given");
  if (protection->level == SOTTO_LEVEL_ROW && graph->entries > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "a release of rows alone was given a graph with edges");
  return protection->level == SOTTO_LEVEL_NODE ? sotto_graph_check_degrees(graph, protection->most, err)
                                               : SOTTO_OK;
}

sotto_status sotto_release_new(sotto_release **out, const sotto_pmp_plan *plan, const sotto_graph *graph,
                               const sotto_matrix *inputs, const sotto_key *key, const char *id,
                               const char *run, const char *description, const sotto_observer *observer,
                               sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  return sotto_i_release_weighted(out, plan, graph, inputs, NULL, key, id, run, description, observer, err);
}

sotto_status sotto_i_release_weighted(sotto_release **out, const sotto_pmp_plan *plan,
                                      const sotto_graph *graph, const sotto_matrix *inputs,
                                      const sotto_matrix *const *weights, const sotto_key *key,
                                      const char *id, const char *run, const char *description,
                                      const sotto_observer *observer, sotto_error *err) {
  sotto_status status;
  sotto_release *release = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_pmp_check(&plan->options, err));
  SOTTO_TRY(sotto_i_release_shell(&release, plan, inputs->rows, inputs->cols, id, run, description, err));
  release->insecure = plan->grid.sigma > 0 && key->origin == SOTTO_KEY_INSECURE;
  const sotto_i_release_sink memory = {.layers = release->layers, .weights = weights};
  SOTTO_TRY(sotto_i_release_layers(plan, graph, inputs, key, &memory, observer, err));
  *out = release;
  release = NULL;
done:
  sotto_release_free(release);
  return status;
}

void sotto_release_free(sotto_release *release) {
  if (release == NULL) return;
  for (uint32_t k = 0; k <= SOTTO_I_MOST_LAYERS; k++) sotto_matrix_free(&release->layers[k]);
  sotto_i_reader_close(&release->file);
  sotto_i_free(release->id);
  sotto_i_free(release->run);
  sotto_i_free(release->description);
  sotto_i_free(release);
}

const sotto_matrix *sotto_release_layer(const sotto_release *release, uint32_t k) {
  SOTTO_I_CHECK(k <= release->plan.options.layers && release->file.path == NULL);
  return &release->layers[k];
}

const sotto_pmp_plan *sotto_release_plan(const sotto_release *release) {
  return &release->plan;
}

sotto_charge sotto_release_charge(const sotto_release *release) {
  sotto_level level = release->plan.options.protection.level;
  bool node = level == SOTTO_LEVEL_NODE || level == SOTTO_LEVEL_ROW;
  return (sotto_charge){.id = release->id,
                        .run = release->run,
                        .mechanism = "gaussian",
                        .adjacency = node ? "node" : "edge",
                        .description = release->description,
                        .mu = release->plan.mu,
                        .insecure = release->insecure};
}

bool sotto_release_paid(const sotto_release *release) {
  return release->paid;
}

sotto_status sotto_release_pay(sotto_release *release, sotto_ledger *ledger, const sotto_dataset *data,
                               sotto_error *err) {
  if (release->plan.grid.sigma == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "a release without noise has no privacy cost and cannot be charged");
  sotto_charge charge = sotto_release_charge(release);
  const sotto_i_thing itself = sotto_i_thing_of(data, strcmp(charge.adjacency, "edge") == 0);
  sotto_ledger_place_found found;
  sotto_status status =
      sotto_i_ledger_settle(ledger, &found, data, &itself, NULL, SOTTO_PLACING_KNOW, true, err);
  if (status == SOTTO_OK) status = sotto_i_ledger_remember_data(found.forgotten, ledger, data->path, err);
  if (status == SOTTO_OK) status = sotto_ledger_charge(ledger, data->account, data->name, &charge, 1, err);
  release->paid = status == SOTTO_OK;
  return status;
}
