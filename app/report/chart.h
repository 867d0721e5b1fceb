/* Line charts, bars, scatter plots and heat maps as SVG: files of their own, and parts of a page. */
#ifndef SOTTO_APP_REPORT_CHART_H
#define SOTTO_APP_REPORT_CHART_H

#include <stdio.h>

#include "sotto/base.h"

enum { APP_CHART_SERIES = 12 };

/* One line. Points that are not finite, or not positive on a logarithmic axis, are left out; but x = INFINITY
 * is drawn where x_ticks has it. */
typedef struct app_series {
  const char *name; /* NULL: without a name. Names stand at the ends of lines, on a page below the frame */
  const double *x, *y;
  const double *spread; /* half the height of the error band at each point; NULL: no band */
  size_t count;
} app_series;

typedef struct app_chart {
  const char *title, *x_label, *y_label;
  const char *description; /* a sentence for who cannot see it; NULL: it is made of the names */
  const char *note;        /* a line below: what bands are, what is left out; NULL: none */
  bool log_x, log_y;
  const double *x_ticks; /* where to label the x axis, ascending; NULL: at round numbers. INFINITY, the last,
                            is "inf" at the right end */
  size_t x_tick_count;
  const app_series *series;
  size_t series_count; /* 1 to APP_CHART_SERIES */
} app_chart;

/* Writes the chart to `path`, whole or not at all: as PNG where it ends in ".png" (picture.h), else as SVG.
 * Errors: INVALID (no point to draw), UNSUPPORTED (a PNG, without the program for it), IO, NOMEM. */
sotto_status app_chart_write(const app_chart *chart, const char *path, sotto_error *err);
/* Draws it into a page, in the page's colours. `id` is unique in the page. False: there is no point to draw,
 * and nothing was written. */
bool app_chart_draw(FILE *out, const app_chart *chart, const char *id);

/* Bars from 0, one below the other, each with its number; what is not finite has none. A mark stands on a bar
 * where `marks` is not NULL and finite, such as a limit that the bar is compared with. */
typedef struct app_bars {
  const char *title, *description, *note; /* as of a chart */
  const char *const *names;
  const double *values, *marks;
  const double *spreads; /* half the length of the error bar of each; NULL: none */
  size_t count;
  const char *unit; /* stands after each number: " %" */
  const char *mark_name;
} app_bars;
bool app_bars_draw(FILE *out, const app_bars *bars, const char *id);
/* Errors: INVALID (no bar), IO, NOMEM. */
sotto_status app_bars_write(const app_bars *bars, const char *path, sotto_error *err);

/* Points in the plane, coloured by group, with a legend; groups below 0 are grey, and those from 12 on share
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

/* A square table as shades of one colour, its rows and columns in `order` (NULL: as they are). Tables of more
 * than 400 rows are drawn by means of cells. Errors: as above. */
sotto_status app_heat_map_write(const char *title, const double *values, const uint32_t *order, size_t count,
                                const char *path, sotto_error *err);

/* Text with what XML gives a meaning to written otherwise, in attributes too. Control characters, marks that
 * turn the direction of text and bytes that are not UTF-8 become "?". */
void app_svg_text(FILE *out, const char *text);
/* The beginning of a drawing: in a page with its title and description for readers of screens (`id` is not
 * NULL), else a file of its own, for light and for dark surroundings. */
void app_svg_begin(FILE *out, int width, int height, const char *id, const char *title,
                   const char *description);
/* The rules of style that drawings in a page need, without the colours. */
void app_svg_style(FILE *out);
/* How wide a text is at most, in the units of `size`, the height of its letters. */
double app_svg_width(const char *text, double size);
/* The heading of a file, and a line below a drawing, in letters small enough for `room`. */
void app_svg_title(FILE *out, const char *title, int x, int y, int room);
void app_svg_note(FILE *out, const char *note, int x, int y, int room);
/* The mark of a series at a place: its form and colour say which. */
void app_svg_mark(FILE *out, size_t series, double x, double y, double radius);
/* The class of a series, which gives its colour; the attributes of its line. */
void app_svg_class(FILE *out, size_t series);
/* Ends a drawing made in memory, and writes it. */
sotto_status app_svg_finish(FILE *out, char **text, const size_t *size, const char *path, sotto_error *err);

#endif
