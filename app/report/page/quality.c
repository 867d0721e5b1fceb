/* Confusion matrix, calibration, accuracy by class and by degree: for the owner only. */
#include <math.h>

#include "owner.h"
#include "report/chart.h"
#include "report/colours.h"

enum { cell = 44, label = 96 };

static void class_name(char *out, size_t size, const sotto_confusion *c, size_t i) {
  if (i < c->listed)
    (void)snprintf(out, size, "class %u", (unsigned)c->classes[i]);
  else
    (void)snprintf(out, size, "all other");
}

static uint64_t line_sum(const sotto_confusion *c, size_t truth) {
  uint64_t sum = 0;
  for (size_t i = 0; i < c->lines; i++) sum += c->counts[truth][i];
  return sum;
}

static uint64_t column_sum(const sotto_confusion *c, size_t predicted) {
  uint64_t sum = 0;
  for (size_t i = 0; i < c->lines; i++) sum += c->counts[i][predicted];
  return sum;
}

/* The area of a square is its share of the true class. Numbers are in the table, and in squares that are
 * large enough. */
static void draw_confusion(page *p, const sotto_confusion *c) {
  char name[32];
  const int side = label + cell * (int)c->lines;
  app_svg_begin(
      p->out, side + 8, side + 8, p->id, "Confusion matrix",
      "A row for each true class, a column for each predicted one. Larger squares are larger shares of the "
      "true class. Squares on the diagonal are right answers.");
  for (size_t t = 0; t < c->lines; t++) {
    const uint64_t sum = line_sum(c, t);
    class_name(name, sizeof name, c, t);
    (void)fprintf(p->out, "<text x='%d' y='%d' text-anchor='end'>%s</text>", label - 8,
                  label + cell * (int)t + cell / 2 + 4, name);
    (void)fprintf(p->out, "<text transform='translate(%d %d) rotate(-60)'>%s</text>",
                  label + cell * (int)t + cell / 2 + 2, label - 8, name);
    for (size_t q = 0; q < c->lines; q++) {
      const double share = sum == 0 ? 0 : (double)c->counts[t][q] / (double)sum,
                   size = (cell - 4) * sqrt(share);
      const double x = label + cell * ((double)q + 0.5), y = label + cell * ((double)t + 0.5);
      (void)fprintf(p->out, "<rect x='%.1f' y='%.1f' width='%d' height='%d' class='grid' fill='none'/>",
                    x - cell / 2.0, y - cell / 2.0, cell, cell);
      if (share > 0)
        (void)fprintf(p->out,
                      "<g class='k%d'><rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='%s'/></g>",
                      q == t ? 0 : 1, x - size / 2, y - size / 2, size, size, q == t ? "solid" : "hollow");
    }
  }
  page_put(p, "</svg>\n");
}

static void put_confusion(page *p, const sotto_confusion *c) {
  const char *heads[SOTTO_CONFUSION_CLASSES + 1];
  char names[SOTTO_CONFUSION_CLASSES][32];
  heads[0] = "True class";
  for (size_t i = 0; i < c->lines; i++) {
    class_name(names[i], sizeof names[i], c, i);
    heads[i + 1] = names[i];
  }
  page_figure(p, "Confusion matrix of the test part: rows true, columns predicted");
  draw_confusion(p, c);
  page_figure_table(p, "Nodes by true class and predicted class", heads, c->lines + 1);
  for (size_t t = 0; t < c->lines; t++) {
    page_cell(p, "%s", names[t]);
    for (size_t q = 0; q < c->lines; q++) page_cell(p, "%llu", (unsigned long long)c->counts[t][q]);
  }
  page_figure_end(p);
}

static void put_classes(page *p, const sotto_confusion *c) {
  static const char *const heads[] = {"True class", "Nodes", "Found, per cent",
                                      "Right of predicted, per cent"};
  const char *names[SOTTO_CONFUSION_CLASSES];
  char texts[SOTTO_CONFUSION_CLASSES][32];
  double found[SOTTO_CONFUSION_CLASSES];
  for (size_t i = 0; i < c->listed; i++) {
    const uint64_t sum = line_sum(c, i);
    class_name(texts[i], sizeof texts[i], c, i);
    names[i] = texts[i];
    found[i] = sum == 0 ? NAN : 100 * (double)c->counts[i][i] / (double)sum;
  }
  const app_bars bars = {.title = "Accuracy by true class",
                         .description = "A bar for each class: the share of its nodes that the model finds.",
                         .names = names,
                         .values = found,
                         .count = c->listed,
                         .unit = " %"};
  page_figure(p, bars.title);
  (void)app_bars_draw(p->out, &bars, p->id);
  page_figure_table(p, bars.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < c->listed; i++) {
    const uint64_t predicted = column_sum(c, i);
    page_cell(p, "%s", names[i]);
    page_cell(p, "%llu", (unsigned long long)line_sum(c, i));
    page_cell_number(p, found[i], "-");
    page_cell_number(p, predicted == 0 ? NAN : 100 * (double)c->counts[i][i] / (double)predicted, "-");
  }
  page_figure_end(p);
}

static void put_calibration(page *p, const sotto_calibration *c) {
  static const char *const heads[] = {"Stated probability, per cent", "Nodes", "Mean stated", "Right"};
  static const double line[] = {0, 100};
  double x[SOTTO_CALIBRATION_BINS], y[SOTTO_CALIBRATION_BINS];
  size_t count = 0;
  for (size_t b = 0; b < SOTTO_CALIBRATION_BINS; b++) {
    if (c->bins[b].count == 0) continue;
    x[count] = 100 * c->bins[b].probability;
    y[count++] = 100 * c->bins[b].accuracy;
  }
  const app_series series[] = {{.name = "this model", .x = x, .y = y, .count = count},
                               {.name = "a calibrated model", .x = line, .y = line, .count = 2}};
  const app_chart chart = {.title = "Calibration: stated probability and share that is right",
                           .description =
                               "A point for each tenth of the stated probability. Points below the line "
                               "are answers that are surer than they are right.",
                           .x_label = "stated probability, per cent",
                           .y_label = "right, per cent",
                           .series = series,
                           .series_count = 2};
  page_put(p, "<div>");
  page_figure(p, chart.title);
  (void)app_chart_draw(p->out, &chart, p->id);
  page_figure_table(p, "Calibration", heads, PAGE_COUNT(heads));
  for (size_t b = 0; b < SOTTO_CALIBRATION_BINS; b++) {
    page_cell(p, "%zu to %zu", 10 * b, 10 * b + 10);
    page_cell(p, "%zu", (size_t)c->bins[b].count);
    page_cell_number(p, 100 * c->bins[b].probability, "-");
    page_cell_number(p, 100 * c->bins[b].accuracy, "-");
  }
  page_figure_end(p);
  page_paragraph(p, "Expected calibration error: %.3g %%.", 100 * c->error);
  page_put(p, "</div>\n");
}

static void put_degrees(page *p, const page_answers *a) {
  static const char *const heads[] = {"Neighbours", "Nodes", "Right, per cent"};
  const char *names[PAGE_DEGREES];
  char texts[PAGE_DEGREES][48];
  double right[PAGE_DEGREES];
  uint64_t nodes[PAGE_DEGREES];
  size_t count = 0;
  for (size_t b = 0; b < PAGE_DEGREES; b++) {
    const unsigned least = b == 0 ? 0 : 1U << (b - 1), most = b == 0 ? 0 : (1U << b) - 1;
    if (a->nodes_of[b] == 0) continue;
    if (least == most)
      (void)snprintf(texts[count], sizeof texts[count], "%u", least);
    else
      (void)snprintf(texts[count], sizeof texts[count], b + 1 == PAGE_DEGREES ? "%u or more" : "%u to %u",
                     least, most);
    names[count] = texts[count];
    nodes[count] = a->nodes_of[b];
    right[count++] = 100 * (double)a->right_of[b] / (double)a->nodes_of[b];
  }
  const app_bars bars = {.title = "Accuracy by number of neighbours",
                         .description =
                             "A bar for each range of degrees: the share of test nodes that is right.",
                         .names = names,
                         .values = right,
                         .count = count,
                         .unit = " %"};
  page_figure(p, bars.title);
  (void)app_bars_draw(p->out, &bars, p->id);
  page_figure_table(p, bars.title, heads, PAGE_COUNT(heads));
  for (size_t i = 0; i < count; i++) {
    page_cell(p, "%s", names[i]);
    page_cell(p, "%llu", (unsigned long long)nodes[i]);
    page_cell(p, "%.4g", right[i]);
  }
  page_figure_end(p);
}

void page_quality(page *p, const page_answers *a) {
  page_section(p, "quality", "Quality by class and degree");
  if (!a->there) {
    page_paragraph(p, "The run's model gave no answers for this page: %s.", a->why);
    page_section_end(p);
    return;
  }
  page_paragraph(p, "These figures follow from true labels and true edges. They are of the first repeat.");
  page_put(p, "<div class=\"pair\">\n");
  put_confusion(p, &a->confusion);
  put_calibration(p, &a->calibration);
  put_classes(p, &a->confusion);
  put_degrees(p, a);
  page_put(p, "</div>\n");
  page_section_end(p);
}
