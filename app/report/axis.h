/* Layout of a line chart: its sheet, its axes and their ticks. */
#ifndef SOTTO_APP_REPORT_AXIS_H
#define SOTTO_APP_REPORT_AXIS_H

#include "chart.h"

/* Lengths in drawing units. On a page a chart is narrow, so that its letters can be read on a phone, and
 * the legend is below. A file may be narrow too. */
typedef struct chart_place {
  int left, right, top, bottom, plot, height; /* height: without the parts below the name of the x axis */
  bool titled, narrow; /* the title is part of the drawing; names of lines are below it */
} chart_place;
extern const chart_place chart_on_file, chart_on_narrow_file, chart_on_page;

typedef struct chart_axis {
  bool logarithmic;
  double low, high; /* in axis units: logarithms on a logarithmic axis */
  double infinity;  /* position of x = INFINITY; NAN: not drawn */
  chart_place at;
} chart_axis;

/* Finds the ranges of both axes. False: no point can be drawn. */
bool chart_ranges(chart_axis *x, chart_axis *y, const app_chart *chart, chart_place at);
bool chart_drawable(const chart_axis *a, double value);
/* Positions of drawable values. */
double chart_x(const chart_axis *x, double value);
double chart_y(const chart_axis *y, double value);
/* Grid lines with their numbers. */
void chart_ticks(FILE *out, const chart_axis *x, const chart_axis *y, const app_chart *chart);

#endif
