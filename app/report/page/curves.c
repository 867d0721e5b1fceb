/* Learning curves: loss and validation score by epoch. */
#include <math.h>

#include "parts.h"

size_t page_curve_of(double *x, double *y, const page_stage *stage, bool loss) {
  const double *sums = loss ? stage->loss : stage->validation;
  const uint32_t *counts = loss ? stage->losses : stage->validations;
  size_t count = 0, there = 0, last = 0;
  for (size_t e = 0; e < stage->epochs; e++)
    if (counts[e] > 0) there++, last = e;
  const size_t each = there / PAGE_CURVE + 1;
  for (size_t e = 0, seen = 0; e < stage->epochs && count < PAGE_CURVE; e++) {
    if (counts[e] == 0 || (seen++ % each != 0 && e != last)) continue;
    x[count] = (double)(e + 1);
    y[count++] = (loss ? 1 : 100) * sums[e] / counts[e];
  }
  return count;
}

enum { table_rows = 10 };

static void put_numbers(page *p, const app_chart *chart) {
  static const char *const heads[] = {"Stage", "Epoch", "Value"};
  page_figure_table(p, chart->title, heads, PAGE_COUNT(heads));
  for (size_t s = 0; s < chart->series_count; s++) {
    const app_series *line = &chart->series[s];
    const size_t each = (line->count + table_rows - 1) / table_rows;
    for (size_t i = 0; i < line->count; i++) {
      if (i % each != 0 && i + 1 != line->count) continue;
      page_cell(p, "%s", line->name);
      page_cell(p, "%.0f", line->x[i]);
      page_cell(p, "%.4g", line->y[i]);
    }
  }
  page_figure_end(p);
}

/* Stages of very different lengths share a logarithmic axis, on which the short ones can be seen. */
static bool lengths_differ(const app_series *series, size_t count) {
  const double factor = 4;
  double least = INFINITY, most = 0;
  for (size_t s = 0; s < count; s++) {
    const double last = series[s].x[series[s].count - 1];
    if (last > 1) least = fmin(least, last);
    most = fmax(most, last);
  }
  return most > factor * least;
}

void page_curve(page *p, const app_series *series, size_t count, bool loss) {
  if (count == 0) return;
  const bool differ = lengths_differ(series, count);
  const app_chart chart = {
      .title = loss ? "Training loss by epoch" : "Validation score by epoch",
      .description =
          loss ? "A line for each stage of the training. A falling line means that the model learns."
               : "A line for each stage of the training. A rising line means that the model learns.",
      .x_label = differ ? "epoch, logarithmic" : "epoch",
      .log_x = differ,
      .y_label = loss ? "loss" : "validation score, per cent",
      .series = series,
      .series_count = count};
  page_figure(p, chart.title);
  (void)app_chart_draw(p->out, &chart, p->id);
  put_numbers(p, &chart);
}

static void draw_curve(page *p, const page_run *run, bool loss) {
  double x[PAGE_STAGES][PAGE_CURVE], y[PAGE_STAGES][PAGE_CURVE];
  app_series series[PAGE_STAGES];
  size_t used = 0;
  for (size_t s = 0; s < run->stage_count; s++) {
    const size_t count = page_curve_of(x[used], y[used], &run->stages[s], loss);
    if (count == 0) continue;
    series[used] = (app_series){.name = run->stages[s].name, .x = x[used], .y = y[used], .count = count};
    used++;
  }
  page_curve(p, series, used, loss);
}

/* Are there points to draw? DP-SGD does not report its loss. */
static bool has_points(const page_run *run) {
  for (size_t s = 0; s < run->stage_count; s++)
    for (size_t e = 0; e < run->stages[s].epochs; e++)
      if (run->stages[s].losses[e] > 0 || run->stages[s].validations[e] > 0) return true;
  return false;
}

void page_curves(page *p, const page_run *run) {
  if (!has_points(run)) return;
  page_section(p, "curves", "Learning curves");
  page_paragraph(p, "A training has stages. Each line is one stage, as the mean over repeats.");
  page_put(p, "<div class=\"pair\">\n");
  draw_curve(p, run, false);
  draw_curve(p, run, true);
  page_put(p, "</div>\n");
  page_section_end(p);
}
