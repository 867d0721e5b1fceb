/* Where things of a line chart stand: its sheet, its axes and their ticks. */
#ifndef SOTTO_APP_REPORT_AXIS_H
#define SOTTO_APP_REPORT_AXIS_H

#include "chart.h"

/* Lengths in units of the drawing. On a page a chart is narrow, so that its letters can be read on a
 * telephone too, and the legend stands below. */
typedef struct chart_place {
  int left, right, top, bottom, plot, height; /* height: without what stands below the x axis's name */
  bool paged;
} chart_place;
extern const chart_place chart_on_file, chart_on_page;

typedef struct chart_axis {
  bool logarithmic;
  double low, high; /* in drawing units: the logarithm on a logarithmic axis */
  double infinity;  /* where x = INFINITY is drawn; NAN: nowhere */
  chart_place at;
} chart_axis;

/* False: no point can be drawn. */
bool chart_ranges(chart_axis *x, chart_axis *y, const app_chart *chart, chart_place at);
bool chart_drawable(const chart_axis *a, double value);
/* Places of values that are drawable. */
double chart_x(const chart_axis *x, double value);
double chart_y(const chart_axis *y, double value);
/* Grid lines with their numbers. */
void chart_ticks(FILE *out, const chart_axis *x, const chart_axis *y, const app_chart *chart);

#endif
