/* A chart: frame, ticks at round numbers, a line a series, a legend. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/file.h"

enum { plot = 544, height = 420, left = 76, right = 20, legend = 130, top = 40, bottom = 56 };

const char *const app_chart_colours[APP_CHART_SERIES] = {"#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2",
                                                         "#c28f2c", "#4f4f4f", "#17a2b8", "#7a3e1d",
                                                         "#e07bb0", "#8a9a1b", "#34407a", "#b0b0b0"};

typedef struct axis {
  bool logarithmic;
  double low, high; /* in drawing units: the logarithm on a logarithmic axis */
  double infinity;  /* where x = INFINITY is drawn; NAN: nowhere */
} axis;

static bool drawable(const axis *a, double value) {
  if (isinf(value) && value > 0) return isfinite(a->infinity);
  return isfinite(value) && (!a->logarithmic || value > 0);
}

static double unit(const axis *a, double value) {
  if (isinf(value)) return a->infinity;
  return a->logarithmic ? log10(value) : value;
}

static void widen(axis *a, double value) {
  double u = unit(a, value);
  if (u < a->low) a->low = u;
  if (u > a->high) a->high = u;
}

/* What is infinite stands a bit to the right of the rest. */
static void place_infinity(axis *x, const app_chart *chart) {
  if (chart->x_tick_count == 0 || !isinf(chart->x_ticks[chart->x_tick_count - 1])) return;
  double gap = x->low < x->high ? 0.16 * (x->high - x->low) : 0.3;
  if (!(x->low <= x->high)) x->low = x->high = 0;
  x->infinity = x->high + gap;
  x->high = x->infinity;
}

static bool find_ranges(axis *x, axis *y, const app_chart *chart) {
  *x = (axis){chart->log_x, INFINITY, -INFINITY, NAN};
  *y = (axis){chart->log_y, INFINITY, -INFINITY, NAN};
  for (size_t t = 0; t < chart->x_tick_count; t++)
    if (drawable(x, chart->x_ticks[t])) widen(x, chart->x_ticks[t]);
  for (size_t s = 0; s < chart->series_count; s++)
    for (size_t i = 0; i < chart->series[s].count; i++) {
      const app_series *line = &chart->series[s];
      double spread = line->spread == NULL ? 0 : line->spread[i];
      if (!drawable(y, line->y[i]) || isnan(line->x[i])) continue;
      if (!isinf(line->x[i]) && !drawable(x, line->x[i])) continue;
      if (!isinf(line->x[i])) widen(x, line->x[i]);
      widen(y, line->y[i]);
      if (drawable(y, line->y[i] - spread)) widen(y, line->y[i] - spread);
      if (drawable(y, line->y[i] + spread)) widen(y, line->y[i] + spread);
    }
  place_infinity(x, chart);
  if (!(x->low <= x->high && y->low <= y->high)) return false;
  if (x->low == x->high) x->high = x->low + 1;
  if (y->low == y->high) y->high = y->low + 1;
  double margin = 0.04 * (y->high - y->low);
  y->low -= margin;
  y->high += margin;
  margin = chart->x_tick_count > 0 ? 0.03 * (x->high - x->low) : 0;
  x->low -= margin;
  x->high += margin;
  return true;
}

static double place_x(const axis *a, double u) {
  return left + (u - a->low) / (a->high - a->low) * plot;
}

static double place_y(const axis *a, double u) {
  return height - bottom - (u - a->low) / (a->high - a->low) * (height - top - bottom);
}

/* A step of 1, 2 or 5 times a power of ten that gives about six ticks; whole powers on a logarithmic axis. */
static double tick_step(const axis *a) {
  double raw = (a->high - a->low) / 6;
  if (a->logarithmic) return fmax(1, ceil(raw));
  double power = pow(10, floor(log10(raw))), lead = raw / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

void app_svg_text(FILE *out, const char *text) {
  for (; text != NULL && *text != '\0'; text++) {
    if (*text == '<')
      (void)fputs("&lt;", out);
    else if (*text == '&')
      (void)fputs("&amp;", out);
    else
      (void)fputc(*text, out);
  }
}

static void label_tick(FILE *out, const axis *a, double u) {
  if (a->logarithmic)
    (void)fprintf(out, "%g", pow(10, u));
  else
    (void)fprintf(out, "%g", fabs(u) < 1e-12 ? 0 : u);
}

static void draw_x_tick(FILE *out, const axis *x, double u) {
  double at = place_x(x, u);
  (void)fprintf(
      out,
      "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/><text x='%.1f' y='%d' text-anchor='middle'>",
      at, top, at, height - bottom, at, height - bottom + 18);
  if (u == x->infinity)
    (void)fputs("inf", out);
  else
    label_tick(out, x, u);
  (void)fputs("</text>\n", out);
}

/* The labels that were asked for, but for those that would run into the one before. */
static void draw_given_ticks(FILE *out, const axis *x, const app_chart *chart) {
  double last = -INFINITY;
  for (size_t t = 0; t < chart->x_tick_count; t++) {
    if (!drawable(x, chart->x_ticks[t])) continue;
    double u = unit(x, chart->x_ticks[t]);
    if (place_x(x, u) - last < 22) continue;
    last = place_x(x, u);
    draw_x_tick(out, x, u);
  }
}

static void draw_ticks(FILE *out, const axis *x, const axis *y, const app_chart *chart) {
  double step = tick_step(x);
  draw_given_ticks(out, x, chart);
  for (long k = (long)ceil(x->low / step); chart->x_tick_count == 0 && (double)k * step <= x->high + 1e-9;
       k++)
    draw_x_tick(out, x, (double)k * step);
  step = tick_step(y);
  for (long k = (long)ceil(y->low / step); (double)k * step <= y->high + 1e-9; k++) {
    double at = place_y(y, (double)k * step);
    (void)fprintf(
        out,
        "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' class='grid'/><text x='%d' y='%.1f' text-anchor='end'>",
        left, at, left + plot, at, left - 6, at + 4);
    label_tick(out, y, (double)k * step);
    (void)fputs("</text>\n", out);
  }
}

static void draw_frame(FILE *out, const app_chart *chart) {
  (void)fprintf(out,
                "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#333'/>\n"
                "<text x='%d' y='24' text-anchor='middle' font-weight='bold'>",
                left, top, plot, height - top - bottom, left + plot / 2);
  app_svg_text(out, chart->title);
  (void)fprintf(out, "</text>\n<text x='%d' y='%d' text-anchor='middle'>", left + plot / 2, height - 14);
  app_svg_text(out, chart->x_label);
  (void)fprintf(out, "</text>\n<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>",
                (top + height - bottom) / 2);
  app_svg_text(out, chart->y_label);
  (void)fputs("</text>\n", out);
}

static void draw_marks(FILE *out, const app_series *line, const char *colour, const axis *x, const axis *y) {
  for (size_t i = 0; line->spread != NULL && i < line->count; i++) {
    if (!drawable(x, line->x[i]) || !drawable(y, line->y[i])) continue;
    double at = place_x(x, unit(x, line->x[i]));
    double low = drawable(y, line->y[i] - line->spread[i]) ? line->y[i] - line->spread[i] : line->y[i];
    (void)fprintf(out,
                  "<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s'/><line x1='%.1f' y1='%.1f' x2='%.1f' "
                  "y2='%.1f' stroke='%s' stroke-opacity='0.5'/>\n",
                  at, place_y(y, unit(y, line->y[i])), colour, at, place_y(y, unit(y, low)), at,
                  place_y(y, unit(y, line->y[i] + line->spread[i])), colour);
  }
}

/* The line breaks before what is infinite, which is no place on the axis. */
static void draw_line(FILE *out, const app_series *line, const char *colour, const axis *x, const axis *y) {
  size_t drawn = 0;
  for (size_t i = 0; i < line->count; i++) {
    if (!drawable(x, line->x[i]) || isinf(line->x[i]) || !drawable(y, line->y[i])) continue;
    if (drawn++ == 0)
      (void)fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
    (void)fprintf(out, "%.1f,%.1f ", place_x(x, unit(x, line->x[i])), place_y(y, unit(y, line->y[i])));
  }
  if (drawn > 0) (void)fputs("'/>\n", out);
  draw_marks(out, line, colour, x, y);
}

static void draw_series(FILE *out, const app_chart *chart, const axis *x, const axis *y) {
  const int at = left + plot + right;
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++) {
    const app_series *line = &chart->series[s];
    draw_line(out, line, app_chart_colours[s], x, y);
    if (line->name == NULL) continue;
    int row = top + 18 + 18 * (int)s;
    (void)fprintf(out,
                  "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='2'/><text x='%d' y='%d'>",
                  at, row - 4, at + 20, row - 4, app_chart_colours[s], at + 26, row);
    app_svg_text(out, line->name);
    (void)fputs("</text>\n", out);
  }
}

/* Room for the legend, when there is one. */
static int width_of(const app_chart *chart) {
  bool named = false;
  for (size_t s = 0; s < chart->series_count; s++) named |= chart->series[s].name != NULL;
  return left + plot + right + (named ? legend : 0);
}

sotto_status app_svg_finish(FILE *out, char **text, const size_t *size, const char *path, sotto_error *err) {
  (void)fputs("</svg>\n", out);
  bool failed = ferror(out) != 0;
  sotto_status status = SOTTO_OK;
  if (fclose(out) != 0 || failed)
    status = app_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  else
    status = app_write_file(path, *text, *size, err);
  free(*text);
  return status;
}

sotto_status app_chart_write(const app_chart *chart, const char *path, sotto_error *err) {
  axis x, y;
  char *text = NULL;
  size_t size = 0;
  if (!find_ranges(&x, &y, chart)) return app_fail(err, SOTTO_INVALID, "%s: there is no point to draw", path);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  (void)fprintf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
                "font-family='sans-serif' font-size='12'>\n<style>.grid{stroke:#ddd}</style>\n"
                "<rect width='100%%' height='100%%' fill='white'/>\n",
                width_of(chart), height, width_of(chart), height);
  draw_ticks(out, &x, &y, chart);
  draw_frame(out, chart);
  draw_series(out, chart, &x, &y);
  return app_svg_finish(out, &text, &size, path, err);
}
