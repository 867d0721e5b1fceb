/* Scatter plots and heat maps. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "chart.h"
#include "colours.h"

enum {
  side = 520,
  margin = 24,
  top = 48,
  most_cells = 400,
  legend_gap = 16,
  legend_row = 19,
  legend_key = 18,
  scale_steps = 32,
  scale_height = 240,
  scale_width = 16
};

static FILE *begin_drawing(char **text, size_t *size, const char *title, const char *description,
                           int legend) {
  FILE *out = open_memstream(text, size);
  const int width = side + 2 * margin + legend;
  if (out == NULL) return NULL;
  app_svg_begin(out, width, side + margin + top, NULL, title, description);
  app_svg_title(out, title, margin, 27, width - 2 * margin);
  return out;
}

static size_t style_of(int32_t group) {
  return (size_t)group % APP_CHART_SERIES;
}

static void begin_group(FILE *out, int32_t group) {
  (void)fputs("<g class='", out);
  if (group < 0)
    (void)fputs("grey", out);
  else
    app_svg_class(out, style_of(group));
  (void)fputs("'>", out);
}

static void put_mark(FILE *out, int32_t group, double x, double y) {
  app_svg_mark(out, group < 0 ? 0 : style_of(group), x, y, 4);
}

/* The styles in use, and whether a style stands for more than one group; [APP_CHART_SERIES]: no group. */
typedef struct groups {
  bool used[APP_CHART_SERIES + 1], shared;
} groups;

static groups find_groups(const app_scatter *s) {
  groups out = {.shared = false};
  for (size_t i = 0; i < s->count; i++) {
    out.used[s->groups[i] < 0 ? APP_CHART_SERIES : style_of(s->groups[i])] = true;
    out.shared |= s->groups[i] >= APP_CHART_SERIES;
  }
  return out;
}

static void draw_legend(FILE *out, const app_scatter *s, const groups *found) {
  const int x = side + 2 * margin + legend_gap;
  int y = top + 8;
  for (int32_t k = 0; k <= APP_CHART_SERIES; k++) {
    if (!found->used[k]) continue;
    const int32_t group = k == APP_CHART_SERIES ? -1 : k;
    begin_group(out, group);
    put_mark(out, group, x, y - 4);
    (void)fprintf(out, "</g><text x='%d' y='%d'>", x + legend_key, y);
    app_svg_text(out, group < 0 ? "no " : s->group);
    if (group < 0)
      app_svg_text(out, s->group);
    else
      (void)fprintf(out, " %d%s", (int)group, found->shared ? "*" : "");
    (void)fputs("</text>\n", out);
    y += legend_row;
  }
  if (found->shared) app_svg_note(out, "* and each twelfth after it", x - 4, y, 110);
}

sotto_status app_scatter_write(const app_scatter *s, const char *path, sotto_error *err) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  char *text = NULL, words[160];
  size_t size = 0;
  for (size_t k = 0; k < 2 * s->count; k++) {
    if (!isfinite(s->places[k]))
      return sotto_i_fail(err, SOTTO_INVALID, "%s: point %zu is nowhere", path, k / 2);
    low[k % 2] = fmin(low[k % 2], s->places[k]);
    high[k % 2] = fmax(high[k % 2], s->places[k]);
  }
  if (s->count == 0) return sotto_i_fail(err, SOTTO_INVALID, "%s: there is no point to draw", path);
  (void)snprintf(words, sizeof words, "%zu points in the plane, with a colour and a mark for each %s.",
                 s->count, s->group);
  FILE *out = begin_drawing(&text, &size, s->title, words, 120);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  const double widest = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-300);
  const groups found = find_groups(s);
  for (int k = 0; k < 2; k++)
    low[k] -= (widest - (high[k] - low[k])) / 2; /* the narrower dimension is centred */
  (void)fputs("<g fill-opacity='.75' stroke-opacity='.75'>\n", out);
  for (size_t i = 0; i < s->count; i++) {
    begin_group(out, s->groups[i]);
    (void)fprintf(out, "<title>%zu, group %d</title>", i, (int)s->groups[i]);
    put_mark(out, s->groups[i], margin + side * (s->places[2 * i] - low[0]) / widest,
             top + side * (s->places[2 * i + 1] - low[1]) / widest);
    (void)fputs("</g>\n", out);
  }
  (void)fputs("</g>\n", out);
  draw_legend(out, s, &found);
  return app_svg_finish(out, &text, &size, path, err);
}

/* Mean of the values that one drawn cell represents. */
static double cell_mean(const double *values, const uint32_t *order, size_t count, size_t cells, size_t row,
                        size_t col) {
  const size_t top_row = row * count / cells, end_row = (row + 1) * count / cells;
  const size_t left = col * count / cells, right = (col + 1) * count / cells;
  double sum = 0;
  for (size_t i = top_row; i < end_row; i++)
    for (size_t j = left; j < right; j++)
      sum += values[(order == NULL ? i : order[i]) * count + (order == NULL ? j : order[j])];
  return sum / (double)((end_row - top_row) * (right - left));
}

/* A shade from white to the first hue of colours.c, by the square root of the share of the largest value. */
static void put_shade(FILE *out, double x, double y, double width, double height, double share) {
  static const int hue[3] = {0x28, 0x4e, 0xca};
  const double strength = sqrt(fmin(1, fmax(0, share)));
  int colour[3];
  for (int k = 0; k < 3; k++) colour[k] = (int)lround(255 - strength * (255 - hue[k]));
  (void)fprintf(out, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='#%02x%02x%02x'/>\n", x, y,
                width, height, (unsigned)colour[0], (unsigned)colour[1], (unsigned)colour[2]);
}

static void draw_scale(FILE *out, double largest) {
  const int x = side + margin + legend_gap;
  const double step = (double)scale_height / scale_steps;
  for (int k = 0; k < scale_steps; k++) {
    const double level = (scale_steps - 1 - k) / (scale_steps - 1.0);
    put_shade(out, x, top + step * k, scale_width, step + 0.2, level * level);
  }
  (void)fprintf(out, "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>\n", x, top, scale_width,
                scale_height);
  for (int k = 0; k <= 4; k++) /* equal steps of colour: the numbers grow quadratically */
    (void)fprintf(out, "<text x='%d' y='%d'>%.3g</text>\n", x + scale_width + 6,
                  top + scale_height - k * scale_height / 4 + 4, largest * k * k / 16.0);
}

sotto_status app_heat_map_write(const char *title, const double *values, const uint32_t *order, size_t count,
                                const char *path, sotto_error *err) {
  double largest = 0;
  char *text = NULL, words[160];
  size_t size = 0;
  const size_t cells = count < most_cells ? count : most_cells;
  for (size_t k = 0; k < count * count; k++) {
    if (!isfinite(values[k])) return sotto_i_fail(err, SOTTO_INVALID, "%s: value %zu is not finite", path, k);
    largest = fmax(largest, values[k]);
  }
  if (count == 0) return sotto_i_fail(err, SOTTO_INVALID, "%s: there is nothing to draw", path);
  (void)snprintf(words, sizeof words, "A table of %zu rows and columns; white is 0, the darkest colour %.4g.",
                 count, largest);
  FILE *out = begin_drawing(&text, &size, title, words, 96);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  const double step = (double)side / (double)cells;
  for (size_t i = 0; i < cells; i++)
    for (size_t j = 0; j < cells; j++)
      put_shade(out, margin + step * (double)j, top + step * (double)i, step, step,
                largest > 0 ? cell_mean(values, order, count, cells, i, j) / largest : 0);
  draw_scale(out, largest);
  return app_svg_finish(out, &text, &size, path, err);
}
