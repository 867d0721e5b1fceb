/* The summary of predictions: for people or as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "common/print.h"
#include "predict.h"

static const char *const part_words[] = {"labelled", "training", "validation", "test"};

/* null if a number is not defined. */
static json_t *number(double value) {
  return isnan(value) ? json_null() : json_real(value);
}

/* Each takes ownership of the value. NULL: out of memory here, or in an earlier step. */
static json_t *with_item(json_t *array, json_t *value) {
  if (json_array_append_new(array, value) == 0) return array;
  json_decref(array);
  return NULL;
}

static json_t *with_key(json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) == 0) return object;
  json_decref(object);
  return NULL;
}

static json_t *accuracy_json(const predict_measures *m) {
  json_t *out = json_object();
  out = with_key(out, "train", number(m->accuracy[SOTTO_PART_TRAIN]));
  out = with_key(out, "validation", number(m->accuracy[SOTTO_PART_VALIDATION]));
  return with_key(out, "test", number(m->accuracy[SOTTO_PART_TEST]));
}

static json_t *confusion_json(const sotto_confusion *c) {
  json_t *classes = json_array(), *counts = json_array();
  for (size_t i = 0; i < c->listed; i++) classes = with_item(classes, json_integer(c->classes[i]));
  for (size_t i = 0; i < c->lines; i++) {
    json_t *line = json_array();
    for (size_t j = 0; j < c->lines; j++) line = with_item(line, json_integer((json_int_t)c->counts[i][j]));
    counts = with_item(counts, line);
  }
  json_t *out = with_key(json_object(), "classes", classes);
  out = with_key(out, "rest", json_boolean(c->lines > c->listed));
  return with_key(out, "counts", counts);
}

static double upper_bound(size_t bin) {
  return (double)bin / SOTTO_CALIBRATION_BINS;
}

static json_t *bin_json(const struct sotto_calibration_bin *bin, size_t b, size_t nodes) {
  json_t *out = json_pack("{s:f,s:f,s:I,s:f}", "above", upper_bound(b), "to", upper_bound(b + 1), "nodes",
                          (json_int_t)bin->count, "share", (double)bin->count / (double)nodes);
  out = with_key(out, "probability", number(bin->probability));
  return with_key(out, "accuracy", number(bin->accuracy));
}

static json_t *calibration_json(const sotto_calibration *c, size_t nodes) {
  json_t *bins = json_array();
  for (size_t b = 0; b < SOTTO_CALIBRATION_BINS; b++) bins = with_item(bins, bin_json(&c->bins[b], b, nodes));
  return with_key(json_pack("{s:f}", "error", c->error), "bins", bins);
}

static json_t *names_json(const sotto_names *names) {
  json_t *out = json_array();
  for (uint64_t i = 0; i < names->count; i++) out = with_item(out, json_string(sotto_name(names, i)));
  return out;
}

static json_t *unseen_json(const sotto_unseen *u) {
  return json_pack("{s:I,s:I,s:I,s:s}", "count", (json_int_t)u->count, "nodes", (json_int_t)u->nodes,
                   "labels", (json_int_t)u->labels, "words", u->words);
}

/* The rare class; null: the run has none. */
static json_t *rare_json(const predict_measures *m) {
  const predict_alerts *a = m->alerts;
  if (a == NULL) return json_null();
  json_t *out = json_pack("{s:i,s:f,s:I}", "class", (int)a->rule.class_number, "alert_rate",
                          predict_alert_rate(a), "alerts", (json_int_t)a->alerted);
  const sotto_ranking *k = &m->ranking;
  const bool known = k->count > 0;
  out = with_key(out, "average_precision", number(known ? k->average_precision : NAN));
  out = with_key(out, "auc", number(known ? k->auc : NAN));
  out = with_key(out, "recall", number(known ? k->recall : NAN));
  return with_key(out, "found", known ? json_integer((json_int_t)m->found) : json_null());
}

/* The keys are always the same, null if not known, with one exception: test_accuracy for the run's own
 * data, accuracy for other data. NULL: out of memory. */
static json_t *summary_json(const sotto_matrix *rows, const predict_measures *m, const sotto_names *classes,
                            const sotto_unseen *unseen, const char *path) {
  const bool own = m->part == SOTTO_PART_TEST;
  const size_t nodes = m->nodes[m->part];
  json_t *root = json_pack("{s:I,s:I,s:s,s:o,s:s,s:I}", "nodes", (json_int_t)rows->rows, "classes",
                           (json_int_t)rows->cols, "file", path, "rare", rare_json(m), "measured_on",
                           part_words[m->part], "measured_nodes", (json_int_t)nodes);
  if (nodes > 0) root = with_key(root, own ? "test_accuracy" : "accuracy", number(m->accuracy[m->part]));
  root = with_key(root, "accuracy_by_part", own ? accuracy_json(m) : json_null());
  root = with_key(root, "confusion", nodes > 0 ? confusion_json(&m->confusion) : json_null());
  root = with_key(root, "calibration", nodes > 0 ? calibration_json(&m->calibration, nodes) : json_null());
  root = with_key(root, "unseen", unseen == NULL ? json_null() : unseen_json(unseen));
  return with_key(root, "class_names", classes->count == 0 ? json_null() : names_json(classes));
}

static sotto_status print_json(json_t *root, sotto_error *err) {
  char *text = root == NULL ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
  json_decref(root);
  if (text == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the summary of predictions");
  (void)puts(text);
  free(text);
  return SOTTO_OK;
}

static void print_rare(const predict_measures *m, const sotto_names *classes) {
  const predict_alerts *a = m->alerts;
  const sotto_ranking *k = &m->ranking;
  const char *name = a == NULL ? NULL : sotto_name(classes, (uint64_t)a->rule.class_number);
  if (a == NULL) return;
  app_print(
      stdout,
      "  rare class       %d%s%.60s, %.2f%% of the labels of the training; columns score, rank, alert\n",
      (int)a->rule.class_number, name == NULL ? "" : ": ", name == NULL ? "" : name, 100 * a->rule.share);
  app_print(stdout, "  alerts           %zu of the nodes written\n", a->alerted);
  if (k->count == 0 || k->members == 0) return;
  app_print(stdout,
            "  ranking          average precision %.4f, auc %.4f, recall %.4f at %.3g%% of %zu %s nodes\n",
            k->average_precision, k->auc, k->recall, 100 * k->rate, (size_t)k->count, part_words[m->part]);
  app_print(stdout, "  found            %zu of %zu %s nodes of the class have an alert\n", m->found,
            (size_t)k->members, part_words[m->part]);
}

static void print_accuracy(const predict_measures *m) {
  const char *title = "accuracy";
  for (int part = m->part; part >= 0; part--) {
    if (m->nodes[part] == 0 || (part == SOTTO_PART_NONE && m->part != SOTTO_PART_NONE)) continue;
    app_print(stdout, "  %-16s %.4f of %zu %s %s\n", title, m->accuracy[part], m->nodes[part],
              part_words[part], m->items);
    title = "";
  }
}

/* Label of a row: its class, or "rest". */
static void name_line(char text[16], const sotto_confusion *c, size_t line) {
  if (line < c->listed)
    (void)snprintf(text, 16, "%u", c->classes[line]);
  else
    (void)snprintf(text, 16, "rest");
}

static int width_of(const sotto_confusion *c) {
  uint64_t most = 0;
  for (size_t i = 0; i < c->lines; i++)
    for (size_t j = 0; j < c->lines; j++)
      if (c->counts[i][j] > most) most = c->counts[i][j];
  int digits = snprintf(NULL, 0, "%llu", (unsigned long long)most);
  int name = c->listed == 0 ? 0 : snprintf(NULL, 0, "%u", c->classes[c->listed - 1]);
  int least = digits > name ? digits : name;
  return 2 + (least > 4 ? least : 4);
}

static void print_confusion(const sotto_confusion *c, const char *of, const char *items) {
  const int width = width_of(c);
  char name[16];
  app_print(stdout,
            "  confusion        of %s %s: a row for each true class, a column for each predicted one\n", of,
            items);
  app_print(stdout, "  %*s", width, "");
  for (size_t j = 0; j < c->lines; j++) {
    name_line(name, c, j);
    app_print(stdout, "%*s", width, name);
  }
  app_print(stdout, "\n");
  for (size_t i = 0; i < c->lines; i++) {
    name_line(name, c, i);
    app_print(stdout, "  %*s", width, name);
    for (size_t j = 0; j < c->lines; j++)
      app_print(stdout, "%*llu", width, (unsigned long long)c->counts[i][j]);
    app_print(stdout, "\n");
  }
}

/* The class names of the numbers in the confusion matrix. */
static void print_names(const sotto_confusion *c, const sotto_names *classes) {
  if (classes->count == 0) return;
  for (size_t i = 0; i < c->listed; i++)
    app_print(stdout, "  %-16s %u is %.60s\n", i == 0 ? "classes" : "", c->classes[i],
              sotto_name(classes, c->classes[i]));
}

static void print_calibration(const sotto_calibration *c, const char *of, size_t nodes, const char *items) {
  app_print(stdout, "  calibration      expected error %.4f of %s %s\n", c->error, of, items);
  app_print(stdout, "     probability  share of %s  mean probability  accuracy\n", items);
  for (size_t b = 0; b < SOTTO_CALIBRATION_BINS; b++) {
    app_print(stdout, "      %.1f to %.1f  %14.4f", upper_bound(b), upper_bound(b + 1),
              (double)c->bins[b].count / (double)nodes);
    if (c->bins[b].count > 0)
      app_print(stdout, "  %16.4f  %8.4f\n", c->bins[b].probability, c->bins[b].accuracy);
    else
      app_print(stdout, "  %16s  %8s\n", "-", "-");
  }
}

sotto_status predict_print(const sotto_matrix *rows, const predict_measures *m, const sotto_names *classes,
                           const sotto_unseen *unseen, const char *path, bool json, sotto_error *err) {
  if (json) return print_json(summary_json(rows, m, classes, unseen, path), err);
  app_print(stdout, "  %-16s %zu, of %zu classes\n  written to       %s\n", m->items, rows->rows, rows->cols,
            path);
  print_rare(m, classes);
  print_accuracy(m);
  if (m->nodes[m->part] == 0) return SOTTO_OK;
  print_confusion(&m->confusion, part_words[m->part], m->items);
  print_names(&m->confusion, classes);
  print_calibration(&m->calibration, part_words[m->part], m->nodes[m->part], m->items);
  return SOTTO_OK;
}
