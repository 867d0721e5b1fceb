/* The result of a run as JSON: measures over all seeds, the privacy statement, bytes sent, time and memory.
 */
#include "result.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/reader.h"
#include "base/text.h"
#include "inside/alerts.h"
#include "inside/base.h"
#include "inside/run.h"
#include "run/files/folder_file.h"
#include "run/method/method.h"
#include "statement.h"

static const sotto_i_folder_file result_file = {"result.json", SOTTO_I_FOR_MEASURES,
                                                "labels of validation and test items; the statement"};
static const sotto_i_folder_file statement_file = {"statement.json", SOTTO_I_FOR_ANYONE,
                                                   "options, charges and public facts"};
static const sotto_i_folder_file memory_file = {
    "memory.json", SOTTO_I_FOR_OWNER, "private edges: memory grows with their number; paths of the machine"};
static const sotto_i_folder_file account_file = {"account.key", SOTTO_I_FOR_OWNER,
                                                 "private edges: the key of the account that pays"};

void sotto_result_free(sotto_result *result) {
  sotto_i_free(result->seeds);
  *result = (sotto_result){0};
}

static json_t *ranking_json(const sotto_ranking *k) {
  const double *ratios = sotto_cost_ratios();
  json_t *costs = json_array();
  for (size_t i = 0; i < SOTTO_COST_RATIOS; i++)
    json_array_append_new(costs, json_pack("{s:f,s:o,s:o}", "missed_costs", ratios[i], "cost",
                                           sotto_i_json_number(k->costs[i]), "alerts",
                                           sotto_i_json_number(k->alerted[i])));
  return json_pack("{s:o,s:o,s:o,s:o,s:I,s:I,s:o}", "auc", sotto_i_json_number(k->auc), "average_precision",
                   sotto_i_json_number(k->average_precision), "recall", sotto_i_json_number(k->recall),
                   "precision", sotto_i_json_number(k->precision), "nodes", (json_int_t)k->count, "members",
                   (json_int_t)k->members, "costs", costs);
}

static json_t *rare_seed_json(const sotto_seed_result *seed) {
  const sotto_rare_result *r = &seed->rare;
  return json_pack("{s:I,s:o,s:o,s:{s:I,s:I}}", "seed", (json_int_t)seed->seed, "test",
                   ranking_json(&r->test), "validation", ranking_json(&r->validation), "alerts", "nodes",
                   (json_int_t)r->alerted, "found", (json_int_t)r->found);
}

/* NULL: no class is rare. */
static json_t *rare_json(const sotto_result *r, const sotto_dataset *data) {
  static const char *const words[] = {"rate", "cost", "f1"};
  const sotto_alerts *as = NULL;
  json_t *seeds = json_array();
  double rate = 0;
  for (size_t i = 0; i < r->seed_count; i++) {
    if (!r->seeds[i].rare.there) continue;
    as = &r->seeds[i].rare.alerts;
    rate = r->seeds[i].rare.test.rate;
    json_array_append_new(seeds, rare_seed_json(&r->seeds[i]));
  }
  if (as == NULL) {
    json_decref(seeds);
    return NULL;
  }
  const char *name = sotto_name(&data->class_names, (uint64_t)as->class_number);
  return json_pack("{s:i,s:o,s:f,s:f,s:s,s:f,s:o}", "class", (int)as->class_number, "name",
                   name == NULL ? json_null() : json_string(name), "share", as->share, "alert_rate", rate,
                   "alert_by", words[as->rule.by], "missed_costs", as->rule.cost, "seeds", seeds);
}

static double measured(const sotto_seed_result *seed, bool baseline, int measure) {
  return (baseline ? &seed->baseline_test : &seed->test)->of[measure];
}

/* Mean and sample standard deviation (0 for one seed); a NAN among the values makes both NAN. */
static json_t *measure_json(const sotto_result *r, bool baseline, int measure) {
  const double count = (double)r->seed_count;
  double mean = r->seed_count == 0 ? NAN : 0, square = 0;
  json_t *runs = json_array();
  for (size_t i = 0; i < r->seed_count; i++) mean += measured(&r->seeds[i], baseline, measure) / count;
  for (size_t i = 0; i < r->seed_count; i++) {
    const double value = measured(&r->seeds[i], baseline, measure);
    square += (value - mean) * (value - mean);
    json_array_append_new(runs, sotto_i_json_number(value));
  }
  return json_pack("{s:o,s:o,s:o}", "mean", sotto_i_json_number(mean), "std",
                   sotto_i_json_number(r->seed_count > 1 ? sqrt(square / (count - 1)) : mean * 0), "runs",
                   runs);
}

/* What the first seed expected of edges, since only it may ask, and what all seeds reached; NULL: nothing. */
static json_t *expected_json(const sotto_result *r) {
  const sotto_expected *e = r->seed_count > 0 ? &r->seeds[0].expected : NULL;
  double reached = 0;
  if (e == NULL || !e->there) return NULL;
  const int measure = (int)e->measure;
  for (size_t i = 0; i < r->seed_count; i++)
    reached += (measured(&r->seeds[i], false, measure) - measured(&r->seeds[i], true, measure)) /
               (double)r->seed_count;
  return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f,s:o}", "measure", sotto_measure_name(e->measure), "alone",
                   e->alone, "by_class", e->classes, "by_others", e->others, "by_transfers", e->transfers,
                   "homophily", e->homophily, "reached", sotto_i_json_number(reached));
}

static json_t *quality_json(const sotto_result *r, bool baseline, sotto_task task) {
  json_t *object = json_object();
  for (int m = sotto_i_measures_begin(task); m < sotto_i_measures_end(task); m++)
    json_object_set_new(object, sotto_measure_name((sotto_measure)m), measure_json(r, baseline, m));
  return object;
}

/* Payload bytes in each direction; nothing for a single owner. */
static json_t *wire_json(const sotto_result *r, sotto_topology topology) {
  static const char *const sides[][2] = {
      [SOTTO_TWO_PARTIES] = {"data_to_label", "label_to_data"},
      [SOTTO_HOLDERS_AND_SERVER] = {"holders", "server"},
      [SOTTO_CLIENTS_AND_SERVER] = {"clients_to_server", "server_to_clients"}};
  if (topology == SOTTO_ONE_OWNER) return json_object();
  json_t *wire = json_pack("{s:o,s:o}", sides[topology][0], sotto_i_json_bytes(r->data_party.sent),
                           sides[topology][1], sotto_i_json_bytes(r->label_party.sent));
  if (topology == SOTTO_HOLDERS_AND_SERVER) {
    json_object_set_new(wire, "setup_bytes", json_integer((json_int_t)r->setup_bytes));
    json_object_set_new(wire, "epoch_bytes", json_integer((json_int_t)r->round_bytes));
    json_object_set_new(wire, "epoch_seconds", json_real(r->round_seconds));
  }
  return wire;
}

sotto_status sotto_result_json(char **out, const sotto_options *options, const sotto_dataset *data,
                               const sotto_result *result, sotto_error *err) {
  char *statement = NULL;
  *out = NULL;
  sotto_status status = sotto_statement_json(&statement, options, data, result, err);
  if (status != SOTTO_OK) return status;
  json_t *root = json_pack(
      "{s:s,s:s,s:s,s:o*,s:o,s:o,s:o*,s:o,s:o,s:f,s:f,s:s}", "method", options->method, "data", data->name,
      "run", options->out, "rare", rare_json(result, data), "test",
      quality_json(result, false, options->task), "baseline", quality_json(result, true, options->task),
      "expected", expected_json(result), "privacy", json_loads(statement, 0, NULL), "wire",
      wire_json(result, sotto_i_method_of(options)->topology), "seconds", result->seconds, "peak_rss_mb",
      (double)sotto_i_peak_rss() / 1e6, "model", result->model);
  if (root != NULL && sotto_i_own_peak() > 0)
    json_object_set_new(root, "peak_own_mb", json_real((double)sotto_i_own_peak() / 1e6));
  if (root != NULL) *out = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(10));
  json_decref(root);
  sotto_statement_free(statement);
  return *out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the result");
}

/* Writes the key of the paying account, by which the ledger finds it. */
static sotto_status write_account(const char *folder, const sotto_result *result, sotto_error *err) {
  const sotto_cost_account *account = &result->cost.accounts[SOTTO_ACCOUNT_DATA];
  char key[65];
  if (!account->here) return SOTTO_OK;
  sotto_i_hex(key, result->account.name[0] != '\0' ? result->account.key : account->digest, 32);
  return sotto_i_folder_write(folder, &account_file, NULL, NULL, key, strlen(key), err);
}

static sotto_status write_statement(const sotto_options *options, const sotto_dataset *data,
                                    const sotto_result *result, sotto_error *err) {
  char *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_statement_json(&text, options, data, result, err));
  SOTTO_TRY(write_account(options->out, result, err));
  SOTTO_TRY(sotto_i_folder_write(options->out, &statement_file, NULL, options, text, strlen(text), err));
done:
  sotto_statement_free(text);
  return status;
}

sotto_status sotto_i_statement_write(const sotto_options *options, const sotto_dataset *data,
                                     const sotto_result *result, const sotto_i_signer *signer,
                                     sotto_error *err) {
  const sotto_status status = write_statement(options, data, result, err);
  return status == SOTTO_OK ? sotto_i_evidence_write(options->out, signer, err) : status;
}

static void move_member(json_t *to, json_t *from, const char *key) {
  json_t *value = json_object_get(from, key);
  if (value != NULL) json_object_set(to, key, value);
  (void)json_object_del(from, key);
}

/* Paths of this machine: the file that may be handed on has the name of the run, and names in its folder. */
static void move_paths(json_t *to, json_t *from, const char *folder) {
  const char *model = json_string_value(json_object_get(from, "model"));
  const size_t length = strlen(folder);
  const bool inside = model != NULL && strncmp(model, folder, length) == 0;
  char run[256], file[256];
  sotto_i_last_name(run, sizeof run, folder);
  if (inside)
    (void)snprintf(file, sizeof file, "%.255s", model + length + strspn(model + length, "/"));
  else
    sotto_i_last_name(file, sizeof file, model == NULL ? "" : model);
  move_member(to, from, "run");
  move_member(to, from, "model");
  json_object_set_new(from, "run", json_string(run));
  json_object_set_new(from, "model", json_string(file));
}

/* What the folder may hand on; how much memory the run took, and where it lies, are the owner's affair. */
static sotto_status write_result(const char *text, const sotto_options *options, sotto_error *err) {
  json_t *root = json_loads(text, 0, NULL), *memory = json_object();
  sotto_status status;
  move_member(memory, root, "peak_rss_mb");
  move_member(memory, root, "peak_own_mb");
  move_paths(memory, root, options->out);
  SOTTO_TRY(sotto_i_folder_save_json(json_incref(root), options->out, &result_file, options,
                                     JSON_COMPACT | JSON_REAL_PRECISION(10), err));
  SOTTO_TRY(sotto_i_folder_save_json(json_incref(memory), options->out, &memory_file, options,
                                     JSON_COMPACT | JSON_REAL_PRECISION(10), err));
done:
  json_decref(root);
  json_decref(memory);
  return status;
}

sotto_status sotto_i_result_write(const sotto_options *options, const sotto_dataset *data,
                                  const sotto_result *result, const sotto_i_signer *signer,
                                  sotto_error *err) {
  char *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_result_json(&text, options, data, result, err));
  SOTTO_TRY(write_result(text, options, err));
  SOTTO_TRY(sotto_i_statement_write(options, data, result, signer, err));
done:
  sotto_statement_free(text);
  return status;
}
