/* Axes of a line chart: ranges, positions, ticks at round numbers. */
#include "axis.h"

#include <math.h>

const chart_place chart_on_file = {64, 12, 44, 56, 540, 420, true, false};
const chart_place chart_on_narrow_file = {58, 14, 44, 48, 330, 340, true, true};
const chart_place chart_on_page = {58, 14, 14, 48, 330, 270, false, true};

enum { tick_distance = 26 };

/* The drawn values can come from a peer: these limits keep sums and differences finite. */
static const double largest = 1e300, least_range = 1e-290;

bool chart_drawable(const chart_axis *a, double value) {
  if (isinf(value) && value > 0) return isfinite(a->infinity);
  return fabs(value) <= largest && (!a->logarithmic || value > 0);
}

static double to_axis_units(const chart_axis *a, double value) {
  if (isinf(value)) return a->infinity;
  return a->logarithmic ? log10(value) : value;
}

static void widen_to(chart_axis *a, double value) {
  double u = to_axis_units(a, value);
  if (u < a->low) a->low = u;
  if (u > a->high) a->high = u;
}

/* Infinite x is drawn a little to the right of the other values. */
static void place_infinity(chart_axis *x, const app_chart *chart) {
  if (chart->x_tick_count == 0 || !isinf(chart->x_ticks[chart->x_tick_count - 1])) return;
  double gap = x->low < x->high ? 0.16 * (x->high - x->low) : 0.3;
  if (!(x->low <= x->high)) x->low = x->high = 0;
  x->infinity = x->high + gap;
  x->high = x->infinity;
}

static void widen_by(chart_axis *x, chart_axis *y, const app_series *line) {
  for (size_t i = 0; i < line->count; i++) {
    double spread = line->spread == NULL ? 0 : line->spread[i];
    if (!chart_drawable(y, line->y[i]) || isnan(line->x[i])) continue;
    if (!isinf(line->x[i]) && !chart_drawable(x, line->x[i])) continue;
    if (!isinf(line->x[i])) widen_to(x, line->x[i]);
    widen_to(y, line->y[i]);
    if (chart_drawable(y, line->y[i] - spread)) widen_to(y, line->y[i] - spread);
    if (chart_drawable(y, line->y[i] + spread)) widen_to(y, line->y[i] + spread);
  }
}

/* Widens a range so that tick steps change the number and are never 0. */
static void open_range(chart_axis *a) {
  const double far = fmax(fabs(a->low), fabs(a->high)), range = a->high - a->low;
  if (!(range > 1e-9 * far) || range < least_range) a->high = a->low + fmax(1, 1e-3 * far);
}

bool chart_ranges(chart_axis *x, chart_axis *y, const app_chart *chart, chart_place at) {
  *x = (chart_axis){chart->log_x, INFINITY, -INFINITY, NAN, at};
  *y = (chart_axis){chart->log_y, INFINITY, -INFINITY, NAN, at};
  for (size_t t = 0; t < chart->x_tick_count; t++)
    if (chart_drawable(x, chart->x_ticks[t])) widen_to(x, chart->x_ticks[t]);
  for (size_t s = 0; s < chart->series_count; s++) widen_by(x, y, &chart->series[s]);
  place_infinity(x, chart);
  if (!(x->low <= x->high && y->low <= y->high)) return false;
  open_range(x);
  open_range(y);
  double margin = 0.04 * (y->high - y->low);
  y->low -= margin;
  y->high += margin;
  margin = chart->x_tick_count > 0 ? 0.03 * (x->high - x->low) : 0;
  x->low -= margin;
  x->high += margin;
  return true;
}

static double place_x(const chart_axis *a, double u) {
  return a->at.left + (u - a->low) / (a->high - a->low) * a->at.plot;
}

static double place_y(const chart_axis *a, double u) {
  const chart_place *p = &a->at;
  return p->height - p->bottom - (u - a->low) / (a->high - a->low) * (p->height - p->top - p->bottom);
}

double chart_x(const chart_axis *x, double value) {
  return place_x(x, to_axis_units(x, value));
}

double chart_y(const chart_axis *y, double value) {
  return place_y(y, to_axis_units(y, value));
}

/* Step of about six ticks, four on a page: 1, 2 or 5 times a power of ten; whole powers on a logarithmic
 * axis. */
static double tick_step(const chart_axis *a) {
  double raw = (a->high - a->low) / (a->at.narrow ? 4 : 6);
  if (a->logarithmic) return fmax(1, ceil(raw));
  double power = pow(10, floor(log10(raw))), lead = raw / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/* The last tick, with a margin for rounding. */
static double last_tick(const chart_axis *a, double step) {
  return a->high + 1e-6 * step;
}

/* Large and small powers of ten are written as powers. */
static void label_tick(FILE *out, const chart_axis *a, double u) {
  if (a->logarithmic && u == floor(u) && (u > 3 || u < -3))
    (void)fprintf(out, "10<tspan dy='-5' font-size='75%%'>%.0f</tspan>", u);
  else if (a->logarithmic)
    (void)fprintf(out, "%g", pow(10, u));
  else
    (void)fprintf(out, "%g", fabs(u) < 1e-12 ? 0 : u);
}

static void draw_x_tick(FILE *out, const chart_axis *x, double u) {
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

/* Draws the requested labels, except those that would overlap the previous one. */
static void draw_given_ticks(FILE *out, const chart_axis *x, const app_chart *chart) {
  double last = -INFINITY;
  for (size_t t = 0; t < chart->x_tick_count; t++) {
    if (!chart_drawable(x, chart->x_ticks[t])) continue;
    double u = to_axis_units(x, chart->x_ticks[t]);
    if (place_x(x, u) - last < tick_distance) continue;
    last = place_x(x, u);
    draw_x_tick(out, x, u);
  }
}

void chart_ticks(FILE *out, const chart_axis *x, const chart_axis *y, const app_chart *chart) {
  const int left = y->at.left;
  double step = tick_step(x);
  draw_given_ticks(out, x, chart);
  for (long k = (long)ceil(x->low / step); chart->x_tick_count == 0 && (double)k * step <= last_tick(x, step);
       k++)
    draw_x_tick(out, x, (double)k * step);
  step = tick_step(y);
  for (long k = (long)ceil(y->low / step); (double)k * step <= last_tick(y, step); k++) {
    double at = place_y(y, (double)k * step);
    (void)fprintf(
        out,
        "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' class='grid'/><text x='%d' y='%.1f' text-anchor='end'>",
        left, at, left + y->at.plot, at, left - 6, at + 4);
    label_tick(out, y, (double)k * step);
    (void)fputs("</text>\n", out);
  }
}
