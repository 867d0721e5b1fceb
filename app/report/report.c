/* The table for people after training, from the result as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "common/memory.h"
#include "report.h"
#include "sotto/guarantee.h"

void sotto_report_free_text(char *text) {
  free(text);
}

static double number_at(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static const char *text_at(const json_t *object, const char *key) {
  const char *found = json_string_value(json_object_get(object, key));
  return found == NULL ? "" : found;
}

bool report_of_numbers(const json_t *result) {
  return json_object_get(json_object_get(result, "test"), "r2") != NULL;
}

const char *report_measure_word(const json_t *expected) {
  const char *measure = json_string_value(json_object_get(expected, "measure"));
  if (measure == NULL) return "accuracy";
  return strcmp(measure, "auc") == 0 ? "AUC" : strcmp(measure, "macro_f1") == 0 ? "macro F1" : measure;
}

static void put_share(FILE *out, const json_t *measure) {
  if (!json_is_number(json_object_get(measure, "mean")))
    fprintf(out, "  %14s", "-");
  else if (json_array_size(json_object_get(measure, "runs")) > 1)
    fprintf(out, "  %6.2f +- %4.2f", 100 * number_at(measure, "mean"), 100 * number_at(measure, "std"));
  else
    fprintf(out, "  %14.2f", 100 * number_at(measure, "mean"));
}

static void table_row(FILE *out, const char *name, const json_t *measures) {
  static const char *const names[] = {"accuracy", "auc", "macro_f1"};
  fprintf(out, "  %-16s", name);
  for (int m = 0; m < 3; m++) put_share(out, json_object_get(measures, names[m]));
  fputc('\n', out);
}

/* Their size differs from data to data, so they are in no columns. */
static void number_row(FILE *out, const char *name, const json_t *measures) {
  static const char *const names[][2] = {{"r2", "R2"}, {"rmse", "RMSE"}, {"mae", "MAE"}};
  fprintf(out, "  %-16s", name);
  for (int m = 0; m < 3; m++) {
    const json_t *measure = json_object_get(measures, names[m][0]);
    fprintf(out, "%s %s ", m > 0 ? "," : "", names[m][1]);
    if (json_is_number(json_object_get(measure, "mean")))
      fprintf(out, m == 0 ? "%.4f" : "%.5g", number_at(measure, "mean"));
    else
      fputc('-', out);
    if (json_array_size(json_object_get(measure, "runs")) > 1)
      fprintf(out, " +- %.2g", number_at(measure, "std"));
  }
  fputs("   (test)\n", out);
}

double report_mean_over(const json_t *seeds, const char *part, const char *key) {
  const json_t *one;
  size_t i;
  double sum = 0;
  json_array_foreach(seeds, i, one) {
    const json_t *value = json_object_get(json_object_get(one, part), key);
    sum += json_is_number(value) ? json_number_value(value) : NAN;
  }
  return sum / (double)json_array_size(seeds);
}

static void put_percent(FILE *out, const json_t *seeds, const char *key) {
  const double value = report_mean_over(seeds, "test", key);
  if (isnan(value))
    fprintf(out, "  %14s", "-");
  else
    fprintf(out, "  %14.2f", 100 * value);
}

/* Ranking and alerts of a rare class: before accuracy, which is high there for almost any model. */
static void table_rare(FILE *out, const json_t *rare) {
  const json_t *seeds = json_object_get(rare, "seeds"), *cost;
  const json_t *costs = json_object_get(json_object_get(json_array_get(seeds, 0), "test"), "costs");
  const char *name = text_at(rare, "name");
  size_t i;
  if (json_array_size(seeds) == 0) return;
  fprintf(out, "  rare class        %.0f%s%.60s, %.2f%% of the labels\n", number_at(rare, "class"),
          name[0] == '\0' ? "" : ": ", name, 100 * number_at(rare, "share"));
  fprintf(out, "  %-16s  %14s  %14s  recall at %.3g%% alerts   (test, per cent)\n", "", "avg. precision",
          "auc", 100 * number_at(rare, "alert_rate"));
  fprintf(out, "  %-16s", "ranking");
  put_percent(out, seeds, "average_precision");
  put_percent(out, seeds, "auc");
  put_percent(out, seeds, "recall");
  fputc('\n', out);
  fprintf(out, "  alerts            by %s: %.4g nodes of %.4g, among them %.4g of %.4g of the class\n",
          text_at(rare, "alert_by"), report_mean_over(seeds, "alerts", "nodes"),
          report_mean_over(seeds, "test", "nodes"), report_mean_over(seeds, "alerts", "found"),
          report_mean_over(seeds, "test", "members"));
  fprintf(out, "  cost curve        least cost a node, by false alarms that a missed one costs:");
  json_array_foreach(costs, i, cost)
      fprintf(out, " %.4g: %.3g%s", number_at(cost, "missed_costs"), number_at(cost, "cost"),
              i + 1 < json_array_size(costs) ? "," : "\n\n");
}

/* Was the same model trained without edges, and does it differ from this run in its edges? */
static bool has_baseline(const json_t *result) {
  const json_t *epsilon = json_object_get(json_object_get(result, "privacy"), "epsilon");
  const char *measure = report_of_numbers(result) ? "r2" : "accuracy";
  const json_t *runs = json_object_get(json_object_get(json_object_get(result, "baseline"), measure), "runs");
  return !(json_is_number(epsilon) && json_number_value(epsilon) == 0) &&
         json_is_number(json_array_get(runs, 0));
}

/* Epsilon of one seed and of all seeds together; nothing without a guarantee. */
static void table_epsilon(FILE *out, const json_t *statement, size_t seeds) {
  char delta[SOTTO_DELTA_WORDS], epsilon[SOTTO_EPSILON_WORDS];
  sotto_delta_words(delta, number_at(statement, "delta"));
  sotto_epsilon_words(epsilon, number_at(statement, "epsilon"));
  if (!json_is_number(json_object_get(statement, "epsilon"))) return;
  if (strcmp(text_at(statement, "adjacency"), "none") == 0) return;
  fprintf(out, "  privacy   epsilon %s at delta %s for each training, %s level%s\n", epsilon, delta,
          text_at(statement, "adjacency"),
          json_is_false(json_object_get(statement, "sound")) ? ", within the limits of the verdict" : "");
  if (seeds <= 1) return;
  sotto_epsilon_words(epsilon, number_at(statement, "total_epsilon"));
  fprintf(out, "            epsilon %s at delta %s for all %zu together\n", epsilon, delta, seeds);
}

static void table_verdicts(FILE *out, const json_t *list) {
  const json_t *v;
  size_t i;
  json_array_foreach(list, i, v) fprintf(out, "  %-8s  %s\n", i == 0 ? "verdict" : "", text_at(v, "text"));
}

static void table_privacy(FILE *out, const json_t *statement, size_t seeds, const char *spent) {
  const json_t *claim = json_object_get(statement, "claim"), *labels = json_object_get(statement, "labels");
  fputc('\n', out);
  table_epsilon(out, statement, seeds);
  table_verdicts(out, json_object_get(statement, "verdicts"));
  if (json_is_object(claim))
    fprintf(out, "            published: epsilon %.4g, which does not hold; statement.json says why\n",
            number_at(claim, "epsilon"));
  if (spent != NULL) fprintf(out, "  ledger    %s\n", spent);
  if (json_object_get(labels, "subject") != NULL)
    fprintf(out, "  clusters  epsilon %.4g for %s\n", number_at(labels, "epsilon"),
            text_at(labels, "subject"));
  else if (json_is_object(labels))
    fprintf(out, "  labels    epsilon %.4g for each against the data party, once for all trainings\n",
            number_at(labels, "epsilon"));
}

/* The only measure at node level that is not restricted to the owner. */
static void table_published(FILE *out, const json_t *statement) {
  const json_t *list = json_object_get(statement, "published"), *one;
  size_t i;
  json_array_foreach(list, i, one) fprintf(
      out,
      "  %-9s seed %.0f: accuracy %.2f +- %.2f per cent on %.0f test nodes, with noise of epsilon %.4g\n",
      i == 0 ? "published" : "", number_at(one, "seed"), 100 * number_at(one, "accuracy"),
      100 * number_at(one, "half_width_95"), number_at(one, "test_nodes"), number_at(one, "epsilon"));
}

/* The gain by edges: as expected before the charge, and as measured. */
static void table_expected(FILE *out, const json_t *expected) {
  const double least = 100 * number_at(expected, "by_class");
  const double most = 100 * fmax(number_at(expected, "by_others"), number_at(expected, "by_transfers"));
  char range[64];
  if (!json_is_number(json_object_get(expected, "reached"))) return;
  (void)snprintf(range, sizeof range, most > least ? "%.1f to %.1f" : "%.1f", least, most);
  fprintf(out, "  edges add        expected %s points of %s, reached %.1f\n", range,
          report_measure_word(expected), 100 * number_at(expected, "reached"));
}

static void write_table(FILE *out, const json_t *result, const char *spent) {
  const json_t *wire = json_object_get(result, "wire"), *test = json_object_get(result, "test");
  const bool numbers = report_of_numbers(result);
  const size_t seeds =
      json_array_size(json_object_get(json_object_get(test, numbers ? "r2" : "accuracy"), "runs"));
  table_rare(out, json_object_get(result, "rare"));
  const json_t *baseline = has_baseline(result) ? json_object_get(result, "baseline") : NULL;
  if (numbers) {
    number_row(out, text_at(result, "method"), test);
    if (baseline != NULL) number_row(out, "without edges", baseline);
  } else {
    fprintf(out, "  %-16s  %14s  %14s  %14s   (test, per cent)\n", "", "accuracy", "auc", "macro F1");
    table_row(out, text_at(result, "method"), test);
    if (baseline != NULL) table_row(out, "without edges", baseline);
  }
  table_expected(out, json_object_get(result, "expected"));
  table_privacy(out, json_object_get(result, "privacy"), seeds, spent);
  table_published(out, json_object_get(result, "privacy"));
  if (number_at(wire, "epoch_bytes") > 0)
    fprintf(out, "  wire      %.3g MB once, %.3g MB and %.3g s an epoch\n",
            number_at(wire, "setup_bytes") / 1e6, number_at(wire, "epoch_bytes") / 1e6,
            number_at(wire, "epoch_seconds"));
  fprintf(out, "  run       %s (%.1f s)\n", text_at(result, "run"), number_at(result, "seconds"));
}

const char *sotto_report_colour(const json_t *result, const char *line) {
  const json_t *list = json_object_get(json_object_get(result, "privacy"), "verdicts"), *v;
  size_t i;
  json_array_foreach(list, i, v) {
    const char *text = text_at(v, "text");
    const size_t length = strlen(line), wanted = strlen(text);
    if (wanted > 0 && length >= wanted && strcmp(line + length - wanted, text) == 0)
      return text_at(v, "colour");
  }
  return NULL;
}

sotto_status sotto_report_table(char **out, const char *result, const char *spent, sotto_error *err) {
  char *data = NULL;
  size_t size = 0;
  json_t *root = json_loads(result, 0, NULL);
  FILE *stream = root == NULL ? NULL : open_memstream(&data, &size);
  *out = NULL;
  if (stream != NULL) write_table(stream, root, spent);
  bool failed = stream == NULL || ferror(stream) != 0;
  if (stream != NULL && fclose(stream) != 0) failed = true;
  json_decref(root);
  if (!failed) *out = data;
  if (failed) free(data);
  return failed ? sotto_i_fail(err, SOTTO_NOMEM, "no memory for the table") : SOTTO_OK;
}
