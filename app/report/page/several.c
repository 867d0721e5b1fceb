/* The page of several runs, compared. */
#include "several.h"

#include <math.h>
#include <string.h>

#include "report/chart.h"
#include "report/report.h"

static const char *data_of(const page_run *run, const char *key) {
  return page_words(json_object_get(run->statement, "dataset"), key);
}

static const char *method_of(const page_run *run) {
  return page_words(json_object_get(run->statement, "method"), "name");
}

/* "FOLDER: METHOD": the name of a run in drawings. */
static void label(char *out, size_t size, const page_run *run) {
  (void)snprintf(out, size, "%.60s: %.30s", run->name, method_of(run));
}

static double exposed_bytes(const page_run *run) {
  const json_t *parties = json_object_get(run->statement, "parties"), *one;
  double sum = 0;
  size_t i;
  json_array_foreach(parties, i, one) sum += page_number(json_object_get(one, "sent_bytes"), "exposed");
  return sum;
}

static void put_same_data(page *p, const page_run *runs, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const char *a = data_of(&runs[i], "digest"), *b = data_of(&runs[0], "digest");
    if (strcmp(data_of(&runs[i], "name"), data_of(&runs[0], "name")) == 0 &&
        (a[0] == '\0' || b[0] == '\0' ||
         strcmp(a, b) == 0)) /* a digest is stated only if features are public */
      continue;
    page_put(p, "<p class=\"note\">");
    page_say(p, "The runs are of different datasets. Compare their results with care.");
    page_put(p, "</p>\n");
    return;
  }
}

typedef enum fact {
  LEVEL,
  EPSILON,
  DELTA,
  GUESS,
  ACCURACY,
  AUC,
  MACRO_F1,
  EDGELESS,
  R2,
  RMSE,
  R2_EDGELESS,
  EXPOSED,
  TIME,
  FACTS
} fact;

static const char *const fact_names[FACTS] = {[LEVEL] = "Protected",
                                              [EPSILON] = "Epsilon, all repeats",
                                              [DELTA] = "Delta",
                                              [GUESS] = "A guess is right",
                                              [ACCURACY] = "Accuracy",
                                              [AUC] = "AUC",
                                              [MACRO_F1] = "Macro F1",
                                              [EDGELESS] = "Accuracy without edges",
                                              [R2] = "R2",
                                              [RMSE] = "RMSE",
                                              [R2_EDGELESS] = "R2 without edges",
                                              [EXPOSED] = "Bytes sent raw",
                                              [TIME] = "Time"};

static void privacy_fact(page *p, const page_run *run, fact f) {
  char coin[80];
  const char *level = page_words(run->statement, "adjacency");
  if (!page_guarantees(run)) {
    page_cell(p, f == LEVEL ? "nothing is proven" : "-");
    return;
  }
  page_coin(coin, sizeof coin, page_epsilon(run), page_delta(run));
  if (f == LEVEL)
    page_cell(p, "%s level", level);
  else if (f == EPSILON)
    page_cell_epsilon(p, page_epsilon(run), "-");
  else if (f == DELTA)
    page_cell_delta(p, page_delta(run));
  else
    page_cell(p, "%s", coin);
}

static void fact_cell(page *p, const page_run *run, fact f) {
  static const struct {
    const char *part, *measure;
  } measures[FACTS] = {
      [ACCURACY] = {"test", "accuracy"},     [AUC] = {"test", "auc"}, [MACRO_F1] = {"test", "macro_f1"},
      [EDGELESS] = {"baseline", "accuracy"}, [R2] = {"test", "r2"},   [RMSE] = {"test", "rmse"},
      [R2_EDGELESS] = {"baseline", "r2"}};
  char bytes[48];
  if (f < ACCURACY) {
    privacy_fact(p, run, f);
  } else if (f < EXPOSED) {
    page_measure_cell(p, run->result, measures[f].part, measures[f].measure);
  } else if (f == EXPOSED) {
    page_amount(bytes, sizeof bytes, exposed_bytes(run));
    page_cell(p, "%s", bytes);
  } else if (isfinite(page_number(run->result, "seconds"))) {
    page_cell(p, "%.3g s", page_number(run->result, "seconds"));
  } else {
    page_cell(p, "not known");
  }
}

/* Does the fact say something of one of the runs: a measure of classes, or of numbers? */
static bool applies(fact f, const page_run *runs, size_t count) {
  if (f < ACCURACY || f > R2_EDGELESS) return true;
  for (size_t i = 0; i < count; i++)
    if (report_of_numbers(runs[i].result) == (f >= R2)) return true;
  return false;
}

/* A row for each run, so that twelve runs are no wider than two. */
static void put_comparison(page *p, const page_run *runs, size_t count) {
  const char *heads[FACTS + 1] = {"Run"};
  char name[160];
  size_t shown = 1;
  for (int f = 0; f < FACTS; f++)
    if (applies((fact)f, runs, count)) heads[shown++] = fact_names[f];
  page_section(p, "side", "Side by side");
  put_same_data(p, runs, count);
  page_table(p, "The runs side by side", heads, shown);
  for (size_t i = 0; i < count; i++) {
    label(name, sizeof name, &runs[i]);
    page_cell(p, "%s", name);
    for (int f = 0; f < FACTS; f++)
      if (applies((fact)f, runs, count)) fact_cell(p, &runs[i], (fact)f);
  }
  page_table_end(p);
  page_section_end(p);
}

/* The first measure of those runs that have the same one as the first run. */
static double first_value(const page_run *runs, size_t i, const char *part) {
  const bool alike = strcmp(page_first_of(runs[i].result).key, page_first_of(runs[0].result).key) == 0;
  return alike ? page_first_value(runs[i].result, part) : NAN;
}

static app_bars measure_bars(const page_run *runs) {
  const page_first first = page_first_of(runs[0].result);
  return (app_bars){.title = first.title,
                    .description = "A bar for each run. The mark is the same method without edges.",
                    .unit = first.unit};
}

static void draw_bars(page *p, const page_run *runs, size_t count, bool measure) {
  static const char *const heads[] = {"Run", "Value"};
  char texts[APP_CHART_SERIES][160];
  const char *names[APP_CHART_SERIES];
  double values[APP_CHART_SERIES], marks[APP_CHART_SERIES];
  for (size_t i = 0; i < count; i++) {
    label(texts[i], sizeof texts[i], &runs[i]);
    names[i] = texts[i];
    values[i] = measure                     ? first_value(runs, i, "test")
                : page_guarantees(&runs[i]) ? page_epsilon(&runs[i])
                                            : INFINITY;
    marks[i] = measure ? first_value(runs, i, "baseline") : NAN;
  }
  app_bars drawing = {.title = "Epsilon of all repeats: less is more private",
                      .description = "A bar for each run. Runs without a proven bound have none.",
                      .unit = "",
                      .of_epsilon = true};
  if (measure) drawing = measure_bars(runs);
  drawing.names = names;
  drawing.values = values;
  drawing.marks = marks;
  drawing.count = count;
  drawing.mark_name = "the same without edges";
  page_figure(p, drawing.title);
  (void)app_bars_draw(p->out, &drawing, p->id);
  page_figure_table(p, drawing.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < count; i++) {
    page_cell(p, "%s", names[i]);
    if (measure)
      page_cell_number(p, values[i], "not known");
    else
      page_cell_epsilon(p, values[i], "no bound");
  }
  page_figure_end(p);
}

/* The last stage with scores: the one that produces the model. */
static const page_stage *last_stage(const page_run *run) {
  double x[PAGE_CURVE], y[PAGE_CURVE];
  for (size_t s = run->stage_count; s > 0; s--)
    if (page_curve_of(x, y, &run->stages[s - 1], false) > 1) return &run->stages[s - 1];
  return NULL;
}

static void draw_curves(page *p, const page_run *runs, size_t count) {
  static const char *const heads[] = {"Run", "Stage", "Epochs", "Last score, per cent"};
  static double x[APP_CHART_SERIES][PAGE_CURVE], y[APP_CHART_SERIES][PAGE_CURVE];
  const page_stage *stages[APP_CHART_SERIES];
  const page_run *shown[APP_CHART_SERIES];
  char texts[APP_CHART_SERIES][160];
  app_series series[APP_CHART_SERIES];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const page_stage *stage = last_stage(&runs[i]);
    if (stage == NULL) continue;
    label(texts[used], sizeof texts[used], &runs[i]);
    series[used] = (app_series){.name = texts[used],
                                .x = x[used],
                                .y = y[used],
                                .count = page_curve_of(x[used], y[used], stage, false)};
    shown[used] = &runs[i];
    stages[used++] = stage;
  }
  if (used == 0) return;
  const app_chart chart = {.title = "Validation score by epoch, last stage of each training",
                           .description = "A line for each run.",
                           .x_label = "epoch",
                           .y_label = "validation score, per cent",
                           .series = series,
                           .series_count = used};
  page_figure(p, chart.title);
  (void)app_chart_draw(p->out, &chart, p->id);
  page_figure_table(p, chart.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < used; i++) {
    page_cell(p, "%s", shown[i]->name);
    page_cell(p, "%s", stages[i]->name);
    page_cell(p, "%zu", stages[i]->epochs);
    page_cell(p, "%.4g", series[i].y[series[i].count - 1]);
  }
  page_figure_end(p);
}

/* What the guarantee does not cover, or the earlier run with the same list. */
static void put_limits(page *p, const page_run *runs, size_t i) {
  const json_t *list = json_object_get(runs[i].statement, "not_covered"), *item;
  size_t k;
  for (size_t j = 0; j < i; j++)
    if (json_equal(list, json_object_get(runs[j].statement, "not_covered")) == 1) {
      page_paragraph(p, "Not covered: the same as in %s.", runs[j].name);
      return;
    }
  page_paragraph(p, "Not covered:");
  page_put(p, "<ul>\n");
  json_array_foreach(list, k, item) {
    if (page_full(p)) break;
    if (json_is_string(item)) page_item(p, "%s", json_string_value(item));
  }
  if (json_array_size(list) == 0) page_item(p, "nothing is listed");
  page_put(p, "</ul>\n");
  page_cut(p, k, json_array_size(list));
}

static void put_each(page *p, const page_run *runs, size_t count) {
  page_section(p, "each", "Run by run");
  for (size_t i = 0; i < count; i++) {
    (void)fprintf(p->out, "<h3 id=\"run-%zu\">", i + 1);
    page_say(p, "%s: %s", runs[i].name, method_of(&runs[i]));
    page_put(p, "</h3>\n");
    page_paragraph(p, "Dataset %s, %s, sotto %s.", data_of(&runs[i], "name"),
                   page_words(runs[i].statement, "date"),
                   page_words(json_object_get(runs[i].statement, "program"), "version"));
    page_verdict(p, &runs[i]);
    put_limits(p, runs, i);
  }
  page_section_end(p);
}

void page_several(page *p, const page_run *runs, size_t count) {
  put_comparison(p, runs, count);
  page_section(p, "pictures", "Pictures");
  page_put(p, "<div class=\"pair\">\n");
  draw_bars(p, runs, count, true);
  draw_bars(p, runs, count, false);
  draw_curves(p, runs, count);
  page_put(p, "</div>\n");
  page_section_end(p);
  put_each(p, runs, count);
}
