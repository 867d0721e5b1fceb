/* A chart: frame, ticks at round numbers, a line a series, a legend. */
#include "chart.h"

#include <math.h>
#include <stdio.h>

#include "colours.h"
#include "common/error.h"

/* Where things stand, in units of the drawing. On a page a chart is narrow, so that its letters can be read
 * on a telephone too, and the legend stands below. */
typedef struct place {
  int left, right, top, bottom, plot, height; /* height: without a legend below */
  bool paged;
} place;
static const place on_file = {76, 20, 40, 56, 544, 420, false};
static const place on_page = {58, 14, 14, 48, 400, 300, true};
enum { legend_width = 130, legend_row = 20, legend_top = 8, most_marks = 24 };

typedef struct axis {
  bool logarithmic;
  double low, high; /* in drawing units: the logarithm on a logarithmic axis */
  double infinity;  /* where x = INFINITY is drawn; NAN: nowhere */
  place at;
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

static bool find_ranges(axis *x, axis *y, const app_chart *chart, place at) {
  *x = (axis){chart->log_x, INFINITY, -INFINITY, NAN, at};
  *y = (axis){chart->log_y, INFINITY, -INFINITY, NAN, at};
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
  return a->at.left + (u - a->low) / (a->high - a->low) * a->at.plot;
}

static double place_y(const axis *a, double u) {
  const place *p = &a->at;
  return p->height - p->bottom - (u - a->low) / (a->high - a->low) * (p->height - p->top - p->bottom);
}

/* A step of 1, 2 or 5 times a power of ten that gives about six ticks; whole powers on a logarithmic axis. */
static double tick_step(const axis *a) {
  double raw = (a->high - a->low) / 6;
  if (a->logarithmic) return fmax(1, ceil(raw));
  double power = pow(10, floor(log10(raw))), lead = raw / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void label_tick(FILE *out, const axis *a, double u) {
  if (a->logarithmic)
    (void)fprintf(out, "%g", pow(10, u));
  else
    (void)fprintf(out, "%g", fabs(u) < 1e-12 ? 0 : u);
}

static void draw_x_tick(FILE *out, const axis *x, double u) {
  const double at = place_x(x, u);
  const int floor = x->at.height - x->at.bottom;
  (void)fprintf(
      out,
      "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/><text x='%.1f' y='%d' text-anchor='middle'>",
      at, x->at.top, at, floor, at, floor + 18);
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
  const int left = y->at.left;
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
        left, at, left + y->at.plot, at, left - 6, at + 4);
    label_tick(out, y, (double)k * step);
    (void)fputs("</text>\n", out);
  }
}

/* A page has the title above the drawing. */
static void draw_frame(FILE *out, const app_chart *chart, const place *p) {
  const int middle = p->left + p->plot / 2;
  (void)fprintf(out, "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>\n", p->left, p->top, p->plot,
                p->height - p->top - p->bottom);
  if (!p->paged) {
    (void)fprintf(out, "<text x='%d' y='24' text-anchor='middle' font-weight='bold'>", middle);
    app_svg_text(out, chart->title);
    (void)fputs("</text>\n", out);
  }
  (void)fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>", middle, p->height - (p->paged ? 10 : 14));
  app_svg_text(out, chart->x_label);
  (void)fprintf(out, "</text>\n<text transform='translate(%d %d) rotate(-90)' text-anchor='middle'>",
                p->paged ? 14 : 18, (p->top + p->height - p->bottom) / 2);
  app_svg_text(out, chart->y_label);
  (void)fputs("</text>\n", out);
}

/* Of a line with many points every few are marked, so that marks do not hide it. */
static void draw_marks(FILE *out, const app_series *line, size_t series, const axis *x, const axis *y) {
  const size_t each = line->count <= most_marks ? 1 : (line->count + 11) / 12;
  for (size_t i = 0; i < line->count; i++) {
    if (!drawable(x, line->x[i]) || !drawable(y, line->y[i])) continue;
    const double at = place_x(x, unit(x, line->x[i]));
    if (line->spread != NULL) {
      double low = drawable(y, line->y[i] - line->spread[i]) ? line->y[i] - line->spread[i] : line->y[i];
      (void)fprintf(out,
                    "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='currentColor' "
                    "stroke-opacity='0.5'/>\n",
                    at, place_y(y, unit(y, low)), at, place_y(y, unit(y, line->y[i] + line->spread[i])));
    }
    if ((i + each * series / APP_HUES) % each == 0)
      app_svg_mark(out, series, at, place_y(y, unit(y, line->y[i])), x->at.paged ? 4 : 3.2);
  }
}

/* The line breaks before what is infinite, which is no place on the axis. */
static void draw_line(FILE *out, const app_series *line, size_t series, const axis *x, const axis *y) {
  size_t drawn = 0;
  (void)fputs("<g class='", out);
  app_svg_class(out, series);
  (void)fputs("'>", out);
  for (size_t i = 0; i < line->count; i++) {
    if (!drawable(x, line->x[i]) || isinf(line->x[i]) || !drawable(y, line->y[i])) continue;
    if (drawn++ == 0)
      (void)fprintf(out, "<polyline class='curve%s' points='", series < APP_HUES ? "" : " broken");
    (void)fprintf(out, "%.1f,%.1f ", place_x(x, unit(x, line->x[i])), place_y(y, unit(y, line->y[i])));
  }
  if (drawn > 0) (void)fputs("'/>\n", out);
  draw_marks(out, line, series, x, y);
  (void)fputs("</g>\n", out);
}

static void draw_key(FILE *out, const char *name, size_t series, int at, int row) {
  (void)fputs("<g class='", out);
  app_svg_class(out, series);
  (void)fprintf(out, "'><path d='M%d %dh24' class='curve%s'/>", at, row - 4,
                series < APP_HUES ? "" : " broken");
  app_svg_mark(out, series, at + 12, row - 4, 3.6);
  (void)fprintf(out, "</g><text x='%d' y='%d'>", at + 30, row);
  app_svg_text(out, name);
  (void)fputs("</text>\n", out);
}

static void draw_series(FILE *out, const app_chart *chart, const axis *x, const axis *y) {
  const place *p = &x->at;
  int named = 0;
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++) {
    const app_series *line = &chart->series[s];
    draw_line(out, line, s, x, y);
    if (line->name == NULL) continue;
    if (p->paged)
      draw_key(out, line->name, s, p->left, p->height + legend_top + legend_row * ++named - 6);
    else
      draw_key(out, line->name, s, p->left + p->plot + p->right, p->top + 18 + 18 * (int)s);
  }
}

static int named_series(const app_chart *chart) {
  int named = 0;
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++)
    named += chart->series[s].name != NULL;
  return named;
}

static void draw_all(FILE *out, const app_chart *chart, const axis *x, const axis *y, const char *id) {
  const place *p = &x->at;
  const int named = named_series(chart), beside = named > 0 && !p->paged ? legend_width : 0;
  const int below = named > 0 && p->paged ? legend_top + named * legend_row : 0;
  app_svg_begin(out, p->left + p->plot + p->right + beside, p->height + below, id, chart->title,
                chart->description);
  draw_ticks(out, x, y, chart);
  draw_frame(out, chart, p);
  draw_series(out, chart, x, y);
}

bool app_chart_draw(FILE *out, const app_chart *chart, const char *id) {
  axis x, y;
  if (!find_ranges(&x, &y, chart, on_page)) return false;
  draw_all(out, chart, &x, &y, id);
  (void)fputs("</svg>\n", out);
  return true;
}

sotto_status app_chart_write(const app_chart *chart, const char *path, sotto_error *err) {
  axis x, y;
  char *text = NULL;
  size_t size = 0;
  if (!find_ranges(&x, &y, chart, on_file))
    return app_fail(err, SOTTO_INVALID, "%s: there is no point to draw", path);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  draw_all(out, chart, &x, &y, NULL);
  return app_svg_finish(out, &text, &size, path, err);
}
