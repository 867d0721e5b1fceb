/* The result of a run as JSON, as files, and as a table. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "report.h"

sotto_mean sotto_mean_of(const double *values, size_t count) {
  double mean = 0, square = 0;
  if (count == 0) return (sotto_mean){NAN, NAN};
  for (size_t i = 0; i < count; i++) mean += values[i] / (double)count;
  for (size_t i = 0; i < count; i++) square += (values[i] - mean) * (values[i] - mean);
  return (sotto_mean){mean, count > 1 ? sqrt(square / (double)(count - 1)) : mean * 0};
}

enum { measures = 3 };
static const char *const measure_names[measures] = {"accuracy", "auc", "macro_f1"};

static double measure_value(const sotto_quality *q, int measure) {
  const double values[measures] = {q->accuracy, q->auc, q->macro_f1};
  return values[measure];
}

static sotto_mean mean_over_seeds(const sotto_result *r, bool baseline, int measure) {
  double values[10000];
  size_t count = r->seed_count < 10000 ? r->seed_count : 10000;
  for (size_t i = 0; i < count; i++)
    values[i] = measure_value(baseline ? &r->seeds[i].baseline_test : &r->seeds[i].test, measure);
  return sotto_mean_of(values, count);
}

static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *quality_json(const sotto_result *r, bool baseline) {
  json_t *object = json_object();
  for (int m = 0; m < measures; m++) {
    sotto_mean mean = mean_over_seeds(r, baseline, m);
    json_t *runs = json_array();
    for (size_t i = 0; i < r->seed_count; i++)
      json_array_append_new(
          runs, number(measure_value(baseline ? &r->seeds[i].baseline_test : &r->seeds[i].test, m)));
    json_object_set_new(
        object, measure_names[m],
        json_pack("{s:o,s:o,s:o}", "mean", number(mean.mean), "std", number(mean.deviation), "runs", runs));
  }
  return object;
}

static json_t *bytes_json(const uint64_t *bytes) {
  json_t *object = json_object();
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    json_object_set_new(object, sotto_wire_kind_name((sotto_wire_kind)kind),
                        json_integer((json_int_t)bytes[kind]));
  return object;
}

static const sotto_method_info *method_of(const app_report *report) {
  size_t count;
  const sotto_method_info *methods = sotto_method_table(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(methods[i].name, report->options->method) == 0) return &methods[i];
  return &methods[0];
}

/* The statement, parsed; NULL when memory is out. */
static json_t *statement_of(const app_report *report) {
  char *text = NULL;
  if (sotto_statement_json(&text, report->options, report->data, report->result, NULL) != SOTTO_OK)
    return NULL;
  json_t *statement = json_loads(text, 0, NULL);
  sotto_statement_free(text);
  return statement;
}

static json_t *result_json(const app_report *report) {
  static const char *const sides[][2] = {
      [SOTTO_ONE_OWNER] = {"data_to_label", "label_to_data"},
      [SOTTO_TWO_PARTIES] = {"data_to_label", "label_to_data"},
      [SOTTO_HOLDERS_AND_SERVER] = {"holders", "server"},
      [SOTTO_CLIENTS_AND_SERVER] = {"clients_to_server", "server_to_clients"}};
  const sotto_result *r = report->result;
  const sotto_topology topology = method_of(report)->topology;
  json_t *wire = json_pack("{s:o,s:o}", sides[topology][0], bytes_json(r->data_party.sent),
                           sides[topology][1], bytes_json(r->label_party.sent));
  if (topology == SOTTO_HOLDERS_AND_SERVER) {
    json_object_set_new(wire, "setup_bytes", json_integer((json_int_t)r->setup_bytes));
    json_object_set_new(wire, "epoch_bytes", json_integer((json_int_t)r->round_bytes));
    json_object_set_new(wire, "epoch_seconds", json_real(r->round_seconds));
  }
  return json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:f,s:f,s:s}", "method", report->options->method, "data",
                   report->data->name, "run", report->options->out, "test", quality_json(r, false),
                   "baseline", quality_json(r, true), "privacy", statement_of(report), "wire", wire,
                   "seconds", report->seconds, "peak_rss_mb", (double)app_peak_rss() / 1e6, "model",
                   r->model);
}

static sotto_status dump(char **out, json_t *root, size_t flags, sotto_error *err) {
  *out = root == NULL ? NULL : json_dumps(root, flags | JSON_REAL_PRECISION(10));
  json_decref(root);
  return *out != NULL ? SOTTO_OK : app_fail(err, SOTTO_NOMEM, "no memory for the report");
}

sotto_status sotto_report_result(char **out, const app_report *report, sotto_error *err) {
  return dump(out, result_json(report), JSON_COMPACT, err);
}

void sotto_report_free_text(char *text) {
  free(text);
}

static sotto_status write_text(const char *folder, const char *name, const char *text, sotto_error *err) {
  char *path = NULL;
  sotto_status status = app_join(&path, folder, name, err);
  if (status == SOTTO_OK) status = app_write_file(path, text, strlen(text), err);
  free(path);
  return status;
}

sotto_status sotto_report_write(const app_report *report, sotto_error *err) {
  char *result = NULL, *statement = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_report_result(&result, report, err));
  SOTTO_TRY(sotto_statement_json(&statement, report->options, report->data, report->result, err));
  SOTTO_TRY(write_text(report->options->out, "result.json", result, err));
  SOTTO_TRY(write_text(report->options->out, "statement.json", statement, err));
done:
  free(result);
  sotto_statement_free(statement);
  return status;
}

typedef struct text {
  char *data;
  size_t size;
  FILE *stream;
} text;

static void table_row(FILE *out, const char *name, const sotto_result *r, bool baseline) {
  fprintf(out, "  %-16s", name);
  for (int m = 0; m < measures; m++) {
    sotto_mean mean = mean_over_seeds(r, baseline, m);
    if (!isfinite(mean.mean))
      fprintf(out, "  %14s", "-");
    else if (r->seed_count > 1)
      fprintf(out, "  %6.2f +- %4.2f", 100 * mean.mean, 100 * mean.deviation);
    else
      fprintf(out, "  %14.2f", 100 * mean.mean);
  }
  fputc('\n', out);
}

static void table_labels(FILE *out, const sotto_result *r) {
  if (!(r->label_epsilon > 0)) return;
  fprintf(out, "  labels    epsilon %.4g for each against the data party, once for all trainings\n",
          r->label_epsilon);
}

static const char *words(const json_t *statement, const char *key) {
  const char *found = json_string_value(json_object_get(statement, key));
  return found == NULL ? "" : found;
}

/* Epsilon, and of all seeds together; nothing where there is none. */
static void table_epsilon(FILE *out, const app_report *report, const json_t *statement) {
  const sotto_result *r = report->result;
  const json_t *epsilon = json_object_get(statement, "epsilon");
  const double delta = json_number_value(json_object_get(statement, "delta"));
  if (!json_is_number(epsilon) || strcmp(words(statement, "adjacency"), "none") == 0) return;
  fprintf(out, "  privacy   epsilon %.4g at delta %.3g for each training, %s level\n",
          json_number_value(epsilon), delta, words(statement, "adjacency"));
  if (r->seed_count > 1)
    fprintf(out, "            epsilon %.4g at delta %.3g for all %zu together\n",
            json_number_value(json_object_get(statement, "total_epsilon")), delta, r->seed_count);
}

static void table_privacy(FILE *out, const app_report *report) {
  const sotto_result *r = report->result;
  json_t *statement = statement_of(report);
  const json_t *claim = json_object_get(statement, "claim");
  fputc('\n', out);
  table_epsilon(out, report, statement);
  fprintf(out, "  verdict   %s\n", words(statement, "verdict"));
  if (json_is_object(claim))
    fprintf(out, "            published: epsilon %.4g, which does not hold; statement.json says why\n",
            json_number_value(json_object_get(claim, "epsilon")));
  if (json_is_object(json_object_get(statement, "ledger"))) {
    fprintf(out, "  ledger    %s: %llu charges, epsilon %.4g at delta %.3g", r->ledger,
            (unsigned long long)r->spent.charges, r->spent.epsilon, r->spent.delta);
    if (r->spent.budget.epsilon > 0)
      fprintf(out, ", budget %.4g\n", r->spent.budget.epsilon);
    else
      fprintf(out, ", no budget set\n");
  }
  json_decref(statement);
}

sotto_status sotto_report_table(char **out, const app_report *report, sotto_error *err) {
  const sotto_result *r = report->result;
  text t = {0};
  *out = NULL;
  t.stream = open_memstream(&t.data, &t.size);
  if (t.stream == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the table");
  fprintf(t.stream, "  %-16s  %14s  %14s  %14s   (test, per cent)\n", "", "accuracy", "auc", "macro F1");
  table_row(t.stream, report->options->method, r, false);
  if (r->epsilon != 0 && r->seed_count > 0 && isfinite(r->seeds[0].baseline_test.accuracy))
    table_row(t.stream, "without edges", r, true);
  table_privacy(t.stream, report);
  table_labels(t.stream, r);
  if (r->round_bytes > 0)
    fprintf(t.stream, "  wire      %.3g MB once, %.3g MB and %.3g s an epoch\n", (double)r->setup_bytes / 1e6,
            (double)r->round_bytes / 1e6, r->round_seconds);
  fprintf(t.stream, "  run       %s (%.1f s)\n", report->options->out, report->seconds);
  bool failed = ferror(t.stream) != 0;
  if (fclose(t.stream) != 0 || failed) {
    free(t.data);
    return app_fail(err, SOTTO_NOMEM, "no memory for the table");
  }
  *out = t.data;
  return SOTTO_OK;
}
