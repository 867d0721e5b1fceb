/* Line charts as SVG. */
#ifndef SOTTO_SRC_REPORT_CHART_H
#define SOTTO_SRC_REPORT_CHART_H

#include "sotto/base.h"

/* One line. Points that are not finite, or not positive on a logarithmic axis, are left out. */
typedef struct sotto_i_series {
  const char *name; /* NULL: not in the legend */
  const double *x, *y;
  size_t count;
} sotto_i_series;

typedef struct sotto_i_chart {
  const char *title, *x_label, *y_label;
  bool log_x, log_y;
  const sotto_i_series *series;
  size_t series_count; /* 1 to 8 */
} sotto_i_chart;

/* Writes the chart to `path`, whole or not at all. Errors: INVALID (no point to draw), IO, NOMEM. */
sotto_status sotto_i_chart_write(const sotto_i_chart *chart, const char *path, sotto_error *err);

#endif
