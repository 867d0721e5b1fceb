/* Line charts, bars, scatter plots and heat maps as SVG files and as parts of a page. */
#ifndef SOTTO_APP_REPORT_CHART_H
#define SOTTO_APP_REPORT_CHART_H

#include <stdio.h>

#include "sotto/base.h"

enum { APP_CHART_SERIES = 12 };

/* One line. Points that are not finite, or not positive on a logarithmic axis, are left out, except x =
 * INFINITY if x_ticks contains it. */
typedef struct app_series {
  const char *name; /* NULL: no name. Names are at the ends of lines; on a page, below the frame */
  const double *x, *y;
  const double *spread; /* half the height of the error band at each point; NULL: no band */
  size_t count;
} app_series;

typedef struct app_chart {
  const char *title, *x_label, *y_label;
  const char *description; /* a sentence for screen readers; NULL: made from the names */
  const char *note;        /* a line below the drawing, such as what bands mean; NULL: none */
  bool log_x, log_y;
  bool narrow;           /* of a file: as narrow as on a page, for documents that are read on a phone */
  const double *x_ticks; /* labels of the x axis, ascending, INFINITY last ("inf"); NULL: round numbers */
  size_t x_tick_count;
  const app_series *series;
  size_t series_count; /* 1 to APP_CHART_SERIES */
} app_chart;

/* Writes the chart to `path`, complete or not at all: PNG if it ends in ".png" (picture.h), else SVG.
 * Errors: INVALID (no point to draw), UNSUPPORTED (PNG without its program), IO, NOMEM. */
sotto_status app_chart_write(const app_chart *chart, const char *path, sotto_error *err);
/* Draws the chart into a page, in the page's colours. `id` is unique in the page. False: there is no point
 * to draw, and nothing was written. */
bool app_chart_draw(FILE *out, const app_chart *chart, const char *id);

/* Horizontal bars from 0, one below the other, each with its value; a value that is not finite has no bar.
 * marks (may be NULL): a finite entry draws a mark at that value, such as a limit for comparison. */
typedef struct app_bars {
  const char *title, *description, *note; /* as for a chart */
  const char *const *names;
  const double *values, *marks;
  const double *spreads; /* half the length of each error bar; NULL: none */
  size_t count;
  const char *unit; /* written after each value: " %" */
  bool of_epsilon;  /* written rounded up; the axis is logarithmic where one value is over 20 times another */
  const char *mark_name;
} app_bars;
bool app_bars_draw(FILE *out, const app_bars *bars, const char *id);
/* Errors: INVALID (no bar), IO, NOMEM. */
sotto_status app_bars_write(const app_bars *bars, const char *path, sotto_error *err);

/* Points in the plane, coloured by group, with a legend. Groups below 0 are grey; groups from 12 on share
 * colours. */
typedef struct app_scatter {
  const char *title;
  const char *group;    /* what a group is, for the legend: "label" */
  const double *places; /* count x 2 */
  const int32_t *groups;
  size_t count;
} app_scatter;
/* Errors: INVALID (no point, or one that is not finite), IO, NOMEM. */
sotto_status app_scatter_write(const app_scatter *scatter, const char *path, sotto_error *err);

/* A square table as shades of one colour, with rows and columns in `order` (NULL: unchanged). A table of
 * more than 400 rows is drawn as means over blocks. Errors: as above. */
sotto_status app_heat_map_write(const char *title, const double *values, const uint32_t *order, size_t count,
                                const char *path, sotto_error *err);

/* Escapes a text for XML, in attributes too. Control characters, marks that change the direction of text,
 * and invalid UTF-8 become "?". */
void app_svg_text(FILE *out, const char *text);
/* Begins a drawing. `id` not NULL: in a page, with title and description for screen readers. Else a file of
 * its own, for light and dark backgrounds. */
void app_svg_begin(FILE *out, int width, int height, const char *id, const char *title,
                   const char *description);
/* Style rules of drawings in a page, without colours. */
void app_svg_style(FILE *out);
/* Upper bound of a text's width, in the unit of `size`, the height of its letters. */
double app_svg_width(const char *text, double size);
/* The heading of a file, and a line below a drawing, in letters small enough for `room`. */
void app_svg_title(FILE *out, const char *title, int x, int y, int room);
void app_svg_note(FILE *out, const char *note, int x, int y, int room);
/* The mark of a series at a position: each series has its own form and colour. */
void app_svg_mark(FILE *out, size_t series, double x, double y, double radius);
/* Writes the name of the class that gives a series its colour. */
void app_svg_class(FILE *out, size_t series);
/* Ends a drawing in memory, and writes it. */
sotto_status app_svg_finish(FILE *out, char **text, const size_t *size, const char *path, sotto_error *err);

#endif
