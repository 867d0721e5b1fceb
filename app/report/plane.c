/* Scatter plots and heat maps. */
#include <math.h>
#include <stdio.h>

#include "chart.h"
#include "common/error.h"

enum { side = 520, margin = 24, top = 40, most_cells = 400 };

static FILE *begin(char **text, size_t *size, const char *title) {
  FILE *out = open_memstream(text, size);
  if (out == NULL) return NULL;
  app_svg_begin(out, side + 2 * margin, side + margin + top, NULL, title, NULL);
  (void)fprintf(out, "<text x='%d' y='24' text-anchor='middle' font-weight='bold'>", side / 2 + margin);
  app_svg_text(out, title);
  (void)fputs("</text>\n", out);
  return out;
}

sotto_status app_scatter_write(const app_scatter *s, const char *path, sotto_error *err) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  char *text = NULL;
  size_t size = 0;
  for (size_t k = 0; k < 2 * s->count; k++) {
    if (!isfinite(s->places[k])) return app_fail(err, SOTTO_INVALID, "%s: point %zu is nowhere", path, k / 2);
    low[k % 2] = fmin(low[k % 2], s->places[k]);
    high[k % 2] = fmax(high[k % 2], s->places[k]);
  }
  if (s->count == 0) return app_fail(err, SOTTO_INVALID, "%s: there is no point to draw", path);
  FILE *out = begin(&text, &size, s->title);
  if (out == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  const double widest = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-300);
  for (size_t i = 0; i < s->count; i++) {
    const size_t series = s->groups[i] < 0 ? 0 : (size_t)s->groups[i] % APP_CHART_SERIES;
    (void)fputs("<g class='", out);
    if (s->groups[i] < 0)
      (void)fputs("grey", out);
    else
      app_svg_class(out, series);
    (void)fprintf(out, "'><title>%zu, group %d</title>", i, (int)s->groups[i]);
    app_svg_mark(out, series, margin + side * (s->places[2 * i] - low[0]) / widest,
                 top + side * (s->places[2 * i + 1] - low[1]) / widest, 4);
    (void)fputs("</g>\n", out);
  }
  return app_svg_finish(out, &text, &size, path, err);
}

/* The mean of the values that one drawn cell stands for. */
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

sotto_status app_heat_map_write(const char *title, const double *values, const uint32_t *order, size_t count,
                                const char *path, sotto_error *err) {
  double largest = 0;
  char *text = NULL;
  size_t size = 0;
  const size_t cells = count < most_cells ? count : most_cells;
  for (size_t k = 0; k < count * count; k++) {
    if (!isfinite(values[k])) return app_fail(err, SOTTO_INVALID, "%s: value %zu is not finite", path, k);
    largest = fmax(largest, values[k]);
  }
  if (count == 0) return app_fail(err, SOTTO_INVALID, "%s: there is nothing to draw", path);
  FILE *out = begin(&text, &size, title);
  if (out == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  const double step = (double)side / (double)cells;
  for (size_t i = 0; i < cells; i++)
    for (size_t j = 0; j < cells; j++) {
      const double value = cell_mean(values, order, count, cells, i, j);
      const int shade = (int)lround(255 * (1 - sqrt(largest > 0 ? fmax(0, value) / largest : 0)));
      (void)fprintf(out, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='#%02x%02xff'/>\n",
                    margin + step * (double)j, top + step * (double)i, step, step, shade, shade);
    }
  (void)fprintf(out, "<text x='%d' y='%d' text-anchor='end'>white 0, blue %.4g (square root scale)</text>\n",
                margin + side, top + side + 16, largest);
  return app_svg_finish(out, &text, &size, path, err);
}
