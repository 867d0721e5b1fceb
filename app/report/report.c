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
#include "run/method.h"

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

static json_t *result_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  bool federated = sotto_i_method_of(report->options)->federated;
  bool holders = sotto_i_has_holders(report->options);
  json_t *wire = json_pack("{s:o,s:o}",
                           federated ? "clients_to_server"
                           : holders ? "holders"
                                     : "data_to_label",
                           bytes_json(r->data_party.sent),
                           federated ? "server_to_clients"
                           : holders ? "server"
                                     : "label_to_data",
                           bytes_json(r->label_party.sent));
  if (holders) {
    json_object_set_new(wire, "setup_bytes", json_integer((json_int_t)r->setup_bytes));
    json_object_set_new(wire, "epoch_bytes", json_integer((json_int_t)r->round_bytes));
    json_object_set_new(wire, "epoch_seconds", json_real(r->round_seconds));
  }
  return json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:f,s:f,s:s}", "method", report->options->method, "data",
                   report->data->name, "run", report->options->out, "test", quality_json(r, false),
                   "baseline", quality_json(r, true), "privacy", sotto_i_privacy_json(report), "wire", wire,
                   "seconds", report->seconds, "peak_rss_mb", (double)app_peak_rss() / 1e6, "model",
                   r->model);
}

static sotto_status dump(char **out, json_t *root, size_t flags, sotto_error *err) {
  *out = root == NULL ? NULL : json_dumps(root, flags | JSON_REAL_PRECISION(10));
  json_decref(root);
  return *out != NULL ? SOTTO_OK : app_fail(err, SOTTO_NOMEM, "no memory for the report");
}

sotto_status sotto_report_result(char **out, const sotto_report *report, sotto_error *err) {
  return dump(out, result_json(report), JSON_COMPACT, err);
}

sotto_status sotto_report_privacy(char **out, const sotto_report *report, sotto_error *err) {
  return dump(out, sotto_i_privacy_json(report), JSON_INDENT(2), err);
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

sotto_status sotto_report_write(const sotto_report *report, sotto_error *err) {
  char *result = NULL, *privacy = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_report_result(&result, report, err));
  SOTTO_TRY(sotto_report_privacy(&privacy, report, err));
  SOTTO_TRY(write_text(report->options->out, "result.json", result, err));
  SOTTO_TRY(write_text(report->options->out, "privacy.json", privacy, err));
done:
  free(result);
  free(privacy);
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

static void table_privacy(FILE *out, const sotto_report *report) {
  const sotto_result *r = report->result;
  const char *level = !r->central ? "edge" : r->cost.neighbours > 0 ? "k-neighbour" : r->cost.adjacency;
  if (sotto_i_method_of(report->options)->federated) {
    if (r->graph_epsilon.releases > 0)
      fprintf(out, "\n  privacy   embeddings: epsilon %.4g to %.4g for each graph, %llu times; ledger %s",
              r->graph_epsilon.least, r->graph_epsilon.most,
              (unsigned long long)(r->graph_epsilon.releases * r->seed_count), r->ledger);
    fprintf(out, "\n  privacy   NOT PRIVATE: models were averaged without noise%s\n",
            report->options->secure_aggregation ? "; each client's update was hidden in a sum" : "");
  } else if (r->epsilon == 0) {
    fprintf(out, "\n  privacy   no edge was used\n");
  } else if (!r->private_edges) {
    fprintf(out, "\n  privacy   NOT PRIVATE: edges were used without noise\n");
  } else {
    fprintf(out, "\n  privacy   epsilon %.4g at delta %.3g for each training, %s level%s\n", r->epsilon,
            report->options->delta, level,
            r->insecure                                 ? "; NOT PRIVATE: noise from a fixed seed"
            : report->options->degree_cut && r->central ? ", for graphs as cut"
                                                        : "");
    if (r->cost.claim.epsilon > 0)
      fprintf(out, "            the paper claims epsilon %.4g, which does not hold: privacy.json says why\n",
              r->cost.claim.epsilon);
    if (r->seed_count > 1)
      fprintf(out, "            epsilon %.4g at delta %.3g for all %zu together\n", r->total_epsilon,
              report->options->delta, r->seed_count);
    if (r->ledger[0] == '\0') return; /* the other party's, which made the releases */
    fprintf(out, "  ledger    %s: %llu charges, epsilon %.4g at delta %.3g", r->ledger,
            (unsigned long long)r->spent.charges, r->spent.epsilon, r->spent.delta);
    if (r->spent.budget.epsilon > 0)
      fprintf(out, ", budget %.4g\n", r->spent.budget.epsilon);
    else
      fprintf(out, ", no budget set\n");
  }
}

sotto_status sotto_report_table(char **out, const sotto_report *report, sotto_error *err) {
  const sotto_result *r = report->result;
  text t = {0};
  *out = NULL;
  t.stream = open_memstream(&t.data, &t.size);
  if (t.stream == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the table");
  fprintf(t.stream, "  %-16s  %14s  %14s  %14s   (test, per cent)\n", "", "accuracy", "auc", "macro F1");
  table_row(t.stream, report->options->method, r, false);
  bool federated = sotto_i_method_of(report->options)->federated;
  if (strcmp(report->options->method, "mlp") != 0 && !federated && !sotto_i_has_holders(report->options))
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
