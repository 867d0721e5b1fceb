/* Line charts, scatter plots and heat maps as SVG. */
#ifndef SOTTO_APP_REPORT_CHART_H
#define SOTTO_APP_REPORT_CHART_H

#include <stdio.h>

#include "sotto/base.h"

enum { APP_CHART_SERIES = 12 };

/* One line. Points that are not finite, or not positive on a logarithmic axis, are left out; but x = INFINITY
 * is drawn where x_ticks has it. */
typedef struct app_series {
  const char *name; /* NULL: not in the legend, which stands at the right of the frame */
  const double *x, *y;
  const double *spread; /* half the length of a bar at each point; NULL: no bars, and no marks */
  size_t count;
} app_series;

typedef struct app_chart {
  const char *title, *x_label, *y_label;
  bool log_x, log_y;
  const double *x_ticks; /* where to label the x axis, ascending; NULL: at round numbers. INFINITY, the last,
                            is "inf" at the right end */
  size_t x_tick_count;
  const app_series *series;
  size_t series_count; /* 1 to APP_CHART_SERIES */
} app_chart;

/* Writes the chart to `path`, whole or not at all. Errors: INVALID (no point to draw), IO, NOMEM. */
sotto_status app_chart_write(const app_chart *chart, const char *path, sotto_error *err);

/* Points in the plane, coloured by group; groups below 0 are grey, and those from 8 on share colours. */
typedef struct app_scatter {
  const char *title;
  const double *places; /* count x 2 */
  const int32_t *groups;
  size_t count;
} app_scatter;
/* Errors: INVALID (no point, or one that is not finite), IO, NOMEM. */
sotto_status app_scatter_write(const app_scatter *scatter, const char *path, sotto_error *err);

/* A square table as shades of one colour, its rows and columns in `order` (NULL: as they are). Tables of more
 * than 400 rows are drawn by means of cells. Errors: as above. */
sotto_status app_heat_map_write(const char *title, const double *values, const uint32_t *order, size_t count,
                                const char *path, sotto_error *err);

/* Text with what XML gives a meaning to written otherwise. */
void app_svg_text(FILE *out, const char *text);
/* Ends a drawing made in memory, and writes it. */
sotto_status app_svg_finish(FILE *out, char **text, const size_t *size, const char *path, sotto_error *err);
extern const char *const app_chart_colours[APP_CHART_SERIES];

#endif
