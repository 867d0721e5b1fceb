/* A chart: frame, ticks at round numbers, a line a series, a legend. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"

enum { width = 640, height = 420, left = 76, right = 20, top = 40, bottom = 56, most_series = 8 };

const char *const sotto_i_chart_colours[most_series] = {"#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2",
                                                        "#c28f2c", "#4f4f4f", "#17a2b8", "#7a3e1d"};

typedef struct axis {
  bool logarithmic;
  double low, high; /* in drawing units: the logarithm on a logarithmic axis */
} axis;

static bool drawable(const axis *a, double value) {
  return isfinite(value) && (!a->logarithmic || value > 0);
}

static double unit(const axis *a, double value) {
  return a->logarithmic ? log10(value) : value;
}

static void widen(axis *a, double value) {
  double u = unit(a, value);
  if (u < a->low) a->low = u;
  if (u > a->high) a->high = u;
}

static bool find_ranges(axis *x, axis *y, const sotto_i_chart *chart) {
  *x = (axis){chart->log_x, INFINITY, -INFINITY};
  *y = (axis){chart->log_y, INFINITY, -INFINITY};
  for (size_t s = 0; s < chart->series_count; s++)
    for (size_t i = 0; i < chart->series[s].count; i++) {
      const sotto_i_series *line = &chart->series[s];
      if (!drawable(x, line->x[i]) || !drawable(y, line->y[i])) continue;
      widen(x, line->x[i]);
      widen(y, line->y[i]);
    }
  if (!(x->low <= x->high)) return false;
  if (x->low == x->high) x->high = x->low + 1;
  if (y->low == y->high) y->high = y->low + 1;
  double margin = 0.04 * (y->high - y->low);
  y->low -= margin;
  y->high += margin;
  return true;
}

static double place_x(const axis *a, double u) {
  return left + (u - a->low) / (a->high - a->low) * (width - left - right);
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

void sotto_i_svg_text(FILE *out, const char *text) {
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

static void draw_ticks(FILE *out, const axis *x, const axis *y) {
  double step = tick_step(x);
  for (long k = (long)ceil(x->low / step); (double)k * step <= x->high + 1e-9; k++) {
    double at = place_x(x, (double)k * step);
    (void)fprintf(
        out,
        "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/><text x='%.1f' y='%d' text-anchor='middle'>",
        at, top, at, height - bottom, at, height - bottom + 18);
    label_tick(out, x, (double)k * step);
    (void)fputs("</text>\n", out);
  }
  step = tick_step(y);
  for (long k = (long)ceil(y->low / step); (double)k * step <= y->high + 1e-9; k++) {
    double at = place_y(y, (double)k * step);
    (void)fprintf(
        out,
        "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' class='grid'/><text x='%d' y='%.1f' text-anchor='end'>",
        left, at, width - right, at, left - 6, at + 4);
    label_tick(out, y, (double)k * step);
    (void)fputs("</text>\n", out);
  }
}

static void draw_frame(FILE *out, const sotto_i_chart *chart) {
  (void)fprintf(out,
                "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#333'/>\n"
                "<text x='%d' y='24' text-anchor='middle' font-weight='bold'>",
                left, top, width - left - right, height - top - bottom, width / 2);
  sotto_i_svg_text(out, chart->title);
  (void)fprintf(out, "</text>\n<text x='%d' y='%d' text-anchor='middle'>", (left + width - right) / 2,
                height - 14);
  sotto_i_svg_text(out, chart->x_label);
  (void)fprintf(out, "</text>\n<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>",
                (top + height - bottom) / 2);
  sotto_i_svg_text(out, chart->y_label);
  (void)fputs("</text>\n", out);
}

static void draw_series(FILE *out, const sotto_i_chart *chart, const axis *x, const axis *y) {
  for (size_t s = 0; s < chart->series_count && s < most_series; s++) {
    const sotto_i_series *line = &chart->series[s];
    (void)fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='2' points='",
                  sotto_i_chart_colours[s]);
    for (size_t i = 0; i < line->count; i++)
      if (drawable(x, line->x[i]) && drawable(y, line->y[i]))
        (void)fprintf(out, "%.1f,%.1f ", place_x(x, unit(x, line->x[i])), place_y(y, unit(y, line->y[i])));
    (void)fputs("'/>\n", out);
    if (line->name == NULL) continue;
    int row = top + 18 + 18 * (int)s;
    (void)fprintf(out,
                  "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='2'/><text x='%d' y='%d'>",
                  width - right - 150, row - 4, width - right - 130, row - 4, sotto_i_chart_colours[s],
                  width - right - 124, row);
    sotto_i_svg_text(out, line->name);
    (void)fputs("</text>\n", out);
  }
}

sotto_status sotto_i_svg_finish(FILE *out, char **text, const size_t *size, const char *path,
                                sotto_error *err) {
  (void)fputs("</svg>\n", out);
  bool failed = ferror(out) != 0;
  sotto_status status = SOTTO_OK;
  if (fclose(out) != 0 || failed)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  else
    status = sotto_i_write_file(path, *text, *size, err);
  free(*text);
  return status;
}

sotto_status sotto_i_chart_write(const sotto_i_chart *chart, const char *path, sotto_error *err) {
  axis x, y;
  char *text = NULL;
  size_t size = 0;
  if (!find_ranges(&x, &y, chart))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: there is no point to draw", path);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  (void)fprintf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
                "font-family='sans-serif' font-size='12'>\n<style>.grid{stroke:#ddd}</style>\n"
                "<rect width='100%%' height='100%%' fill='white'/>\n",
                width, height, width, height);
  draw_ticks(out, &x, &y);
  draw_frame(out, chart);
  draw_series(out, chart, &x, &y);
  return sotto_i_svg_finish(out, &text, &size, path, err);
}
