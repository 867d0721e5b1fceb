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
  METHOD,
  DATASET,
  DATE,
  VERSION,
  VERDICT,
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

static const char *const fact_names[FACTS] = {[METHOD] = "Method",
                                              [DATASET] = "Dataset",
                                              [DATE] = "Date (UTC)",
                                              [VERSION] = "Version of the program",
                                              [VERDICT] = "Verdict",
                                              [LEVEL] = "Protected",
                                              [EPSILON] = "Epsilon, all repeats",
                                              [DELTA] = "Delta",
                                              [GUESS] = "A guess between two neighbours is right",
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
    page_cell_number(p, page_epsilon(run), "-");
  else if (f == DELTA)
    page_cell_delta(p, page_delta(run));
  else
    page_cell(p, "%s", coin);
}

static void fact_cell(page *p, const page_run *run, fact f) {
  char bytes[48];
  const json_t *s = run->statement;
  switch (f) {
  case METHOD:
    page_cell(p, "%s", method_of(run));
    break;
  case DATASET:
    page_cell(p, "%s", data_of(run, "name"));
    break;
  case DATE:
    page_cell(p, "%s", page_words(s, "date"));
    break;
  case VERSION:
    page_cell(p, "%s", page_words(json_object_get(s, "program"), "version"));
    break;
  case VERDICT:
    page_cell(p, "%s%s%s", page_is_alone(run) ? "" : "This run alone: ", page_words(s, "verdict"),
              run->check.unchecked[0] == '\0' || !run->asked ? ""
                                                             : "; NOT SIGNED by a key that is known here");
    break;
  case ACCURACY:
    page_measure_cell(p, run->result, "test", "accuracy");
    break;
  case AUC:
    page_measure_cell(p, run->result, "test", "auc");
    break;
  case MACRO_F1:
    page_measure_cell(p, run->result, "test", "macro_f1");
    break;
  case EDGELESS:
    page_measure_cell(p, run->result, "baseline", "accuracy");
    break;
  case R2:
    page_measure_cell(p, run->result, "test", "r2");
    break;
  case RMSE:
    page_measure_cell(p, run->result, "test", "rmse");
    break;
  case R2_EDGELESS:
    page_measure_cell(p, run->result, "baseline", "r2");
    break;
  case EXPOSED:
    page_amount(bytes, sizeof bytes, exposed_bytes(run));
    page_cell(p, "%s", bytes);
    break;
  case TIME:
    if (isfinite(page_number(run->result, "seconds")))
      page_cell(p, "%.3g s", page_number(run->result, "seconds"));
    else
      page_cell(p, "not known");
    break;
  default:
    privacy_fact(p, run, f);
  }
}

/* Does the fact say something of one of the runs: a measure of classes, or of numbers? */
static bool applies(fact f, const page_run *runs, size_t count) {
  if (f < ACCURACY || f > R2_EDGELESS) return true;
  for (size_t i = 0; i < count; i++)
    if (report_of_numbers(runs[i].result) == (f >= R2)) return true;
  return false;
}

static void put_comparison(page *p, const page_run *runs, size_t count) {
  const char *heads[APP_CHART_SERIES + 1] = {"What"};
  for (size_t i = 0; i < count; i++) heads[i + 1] = runs[i].name;
  page_section(p, "side", "Side by side");
  put_same_data(p, runs, count);
  page_table(p, "The runs side by side", heads, count + 1);
  for (int f = 0; f < FACTS; f++) {
    if (!applies((fact)f, runs, count)) continue;
    page_cell(p, "%s", fact_names[f]);
    for (size_t i = 0; i < count; i++) fact_cell(p, &runs[i], (fact)f);
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
    page_cell_number(p, values[i], measure ? "not known" : "no bound");
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

void page_several(page *p, const page_run *runs, size_t count) {
  char id[24];
  put_comparison(p, runs, count);
  page_section(p, "pictures", "Pictures");
  page_put(p, "<div class=\"pair\">\n");
  draw_bars(p, runs, count, true);
  draw_bars(p, runs, count, false);
  draw_curves(p, runs, count);
  page_put(p, "</div>\n");
  page_section_end(p);
  page_section(p, "uncovered", "What is not covered, run by run");
  for (size_t i = 0; i < count; i++) {
    const json_t *list = json_object_get(runs[i].statement, "not_covered"), *item;
    size_t k;
    (void)snprintf(id, sizeof id, "run-%zu", i + 1);
    (void)fprintf(p->out, "<h3 id=\"%s\">", id);
    page_say(p, "%s: %s", runs[i].name, method_of(&runs[i]));
    page_put(p, "</h3>\n<ul>\n");
    json_array_foreach(list, k, item) {
      if (page_full(p)) break;
      if (json_is_string(item)) page_item(p, "%s", json_string_value(item));
    }
    if (json_array_size(list) == 0) page_item(p, "nothing is listed");
    page_put(p, "</ul>\n");
    page_cut(p, k, json_array_size(list));
  }
  page_section_end(p);
}
