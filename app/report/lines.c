/* A line chart: frame, ticks, a line with error band for each series, and names at line ends or below. */
#include "chart.h"

#include <math.h>
#include <stdio.h>

#include "axis.h"
#include "base/error.h"
#include "colours.h"

enum {
  legend_row = 20,
  legend_top = 8,
  note_height = 20,
  most_marks = 24,
  label_row = 17,
  label_gap = 26, /* between the frame and the names, where leaders are drawn */
  key_width = 30,
  edge = 12
};

/* On a page the title is above the drawing. */
static void draw_frame(FILE *out, const app_chart *chart, const chart_place *p, int width) {
  const int middle = p->left + p->plot / 2;
  (void)fprintf(out, "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>\n", p->left, p->top, p->plot,
                p->height - p->top - p->bottom);
  if (p->titled) app_svg_title(out, chart->title, edge, 27, width - 2 * edge);
  (void)fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>", middle, p->height - (p->narrow ? 10 : 16));
  app_svg_text(out, chart->x_label);
  (void)fprintf(out, "</text>\n<text transform='translate(%d %d) rotate(-90)' text-anchor='middle'>",
                p->narrow ? 14 : 18, (p->top + p->height - p->bottom) / 2);
  app_svg_text(out, chart->y_label);
  (void)fputs("</text>\n", out);
}

static bool is_drawable(const app_series *line, size_t i, const chart_axis *x, const chart_axis *y) {
  return chart_drawable(x, line->x[i]) && chart_drawable(y, line->y[i]);
}

static double low_of(const app_series *line, size_t i, const chart_axis *y) {
  const double low = line->y[i] - line->spread[i];
  return chart_y(y, chart_drawable(y, low) ? low : line->y[i]);
}

/* Number of points that a band joins: those with a finite position. */
static size_t count_joined(const app_series *line, const chart_axis *x, const chart_axis *y) {
  size_t count = 0;
  for (size_t i = 0; i < line->count; i++) count += !isinf(line->x[i]) && is_drawable(line, i, x, y);
  return count;
}

/* The error band; a bar for a single point. */
static void draw_spread(FILE *out, const app_series *line, const chart_axis *x, const chart_axis *y) {
  const bool band = count_joined(line, x, y) > 1;
  if (line->spread == NULL) return;
  for (size_t i = 0; i < line->count; i++) {
    if (!is_drawable(line, i, x, y) || line->spread[i] <= 0 || (band && !isinf(line->x[i]))) continue;
    const double at = chart_x(x, line->x[i]);
    (void)fprintf(out, "<path d='M%.1f %.1fV%.1f' class='bar'/>", at, low_of(line, i, y),
                  chart_y(y, line->y[i] + line->spread[i]));
  }
  if (!band) return;
  (void)fputs("<polygon class='band' points='", out);
  for (size_t i = 0; i < line->count; i++)
    if (!isinf(line->x[i]) && is_drawable(line, i, x, y))
      (void)fprintf(out, "%.1f,%.1f ", chart_x(x, line->x[i]), chart_y(y, line->y[i] + line->spread[i]));
  for (size_t i = line->count; i-- > 0;)
    if (!isinf(line->x[i]) && is_drawable(line, i, x, y))
      (void)fprintf(out, "%.1f,%.1f ", chart_x(x, line->x[i]), low_of(line, i, y));
  (void)fputs("'/>\n", out);
}

/* Marks only some points of a long line, so that marks do not hide it. */
static void draw_marks(FILE *out, const app_series *line, size_t series, const chart_axis *x,
                       const chart_axis *y) {
  const size_t each = line->count <= most_marks ? 1 : (line->count + 11) / 12;
  for (size_t i = 0; i < line->count; i++)
    if (is_drawable(line, i, x, y) && (i + each * series / APP_HUES) % each == 0)
      app_svg_mark(out, series, chart_x(x, line->x[i]), chart_y(y, line->y[i]), 4);
}

/* The line is interrupted before a point at infinity. */
static void draw_line(FILE *out, const app_series *line, size_t series, const chart_axis *x,
                      const chart_axis *y) {
  (void)fputs("<g class='", out);
  app_svg_class(out, series);
  (void)fputs("'>", out);
  draw_spread(out, line, x, y);
  if (count_joined(line, x, y) > 0) {
    (void)fprintf(out, "<polyline class='curve%s' points='", series < APP_HUES ? "" : " broken");
    for (size_t i = 0; i < line->count; i++)
      if (!isinf(line->x[i]) && is_drawable(line, i, x, y))
        (void)fprintf(out, "%.1f,%.1f ", chart_x(x, line->x[i]), chart_y(y, line->y[i]));
    (void)fputs("'/>\n", out);
  }
  draw_marks(out, line, series, x, y);
  (void)fputs("</g>\n", out);
}

static void draw_legend_entry(FILE *out, const char *name, size_t series, int at, double row) {
  (void)fputs("<g class='", out);
  app_svg_class(out, series);
  (void)fprintf(out, "'><path d='M%d %.1fh24' class='curve%s'/>", at, row - 4,
                series < APP_HUES ? "" : " broken");
  app_svg_mark(out, series, at + 12, row - 4, 3.6);
  (void)fprintf(out, "</g><text x='%d' y='%.1f'>", at + key_width, row);
  app_svg_text(out, name);
  (void)fputs("</text>\n", out);
}

/* A name in the column at the right: at the height of its line's last point, or as near as other names
 * allow. */
typedef struct label {
  size_t series;
  double x, y, row; /* of the last point; height of the name */
} label;

static label label_of(const app_series *line, size_t series, const chart_axis *x, const chart_axis *y) {
  label out = {series, -INFINITY, x->at.height - x->at.bottom, 0};
  for (size_t i = 0; i < line->count; i++)
    if (is_drawable(line, i, x, y) && chart_x(x, line->x[i]) >= out.x) {
      out.x = chart_x(x, line->x[i]);
      out.y = chart_y(y, line->y[i]);
    }
  return out;
}

/* Orders labels by height, with at least a row between them and all inside the frame. */
static size_t place_labels(label *labels, const app_chart *chart, const chart_axis *x, const chart_axis *y) {
  size_t count = 0;
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++) {
    if (chart->series[s].name == NULL) continue;
    const label own = label_of(&chart->series[s], s, x, y);
    size_t at = count++;
    for (; at > 0 && labels[at - 1].y > own.y; at--) labels[at] = labels[at - 1];
    labels[at] = own;
  }
  double next = x->at.top + 6;
  for (size_t i = 0; i < count; i++, next += label_row) next = labels[i].row = fmax(next, labels[i].y);
  next = x->at.height - x->at.bottom - 4;
  for (size_t i = count; i-- > 0; next -= label_row) next = labels[i].row = fmin(next, labels[i].row);
  return count;
}

/* A leader connects a name with its line if the line ends near the frame. */
static void draw_labels(FILE *out, const app_chart *chart, const chart_axis *x, const chart_axis *y) {
  label labels[APP_CHART_SERIES];
  const size_t count = place_labels(labels, chart, x, y);
  const int frame = x->at.left + x->at.plot, at = frame + label_gap;
  for (size_t i = 0; i < count; i++) {
    const label *l = &labels[i];
    if (frame - l->x < 40) {
      (void)fputs("<g class='", out);
      app_svg_class(out, l->series);
      (void)fprintf(out, "'><path d='M%.1f %.1fL%d %.1f' class='leader'/></g>", l->x + 6, l->y, at - 2,
                    l->row);
    }
    draw_legend_entry(out, chart->series[l->series].name, l->series, at, l->row + 4);
  }
}

static void draw_legend(FILE *out, const app_chart *chart, const chart_place *p) {
  int named = 0;
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++)
    if (chart->series[s].name != NULL)
      draw_legend_entry(out, chart->series[s].name, s, p->left,
                        p->height + legend_top + legend_row * ++named - 6);
}

/* Number of series with names, and the width of the widest name. */
static int named_series(double *widest, const app_chart *chart) {
  int named = 0;
  *widest = 0;
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++) {
    if (chart->series[s].name == NULL) continue;
    named++;
    *widest = fmax(*widest, app_svg_width(chart->series[s].name, 12));
  }
  return named;
}

/* The description for screen readers, if the caller has none. */
static void write_description(FILE *words, const app_chart *chart) {
  (void)fprintf(words, "%s against %s.", chart->y_label, chart->x_label);
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++)
    if (chart->series[s].name != NULL)
      (void)fprintf(words, "%s%s", s == 0 ? " Lines: " : ", ", chart->series[s].name);
  if (chart->note != NULL) (void)fprintf(words, ". %s", chart->note);
}

static void draw_all(FILE *out, const app_chart *chart, const chart_axis *x, const chart_axis *y,
                     const char *id) {
  const chart_place *p = &x->at;
  double widest;
  char words[4096] = "";
  const int named = named_series(&widest, chart);
  const int beside = named > 0 && !p->narrow ? label_gap + key_width + (int)ceil(widest) : 0;
  const int below = named > 0 && p->narrow ? legend_top + named * legend_row : 0;
  const int width = p->left + p->plot + p->right + beside, noted = chart->note == NULL ? 0 : note_height;
  FILE *said = fmemopen(words, sizeof words, "w");
  if (said != NULL) {
    write_description(said, chart);
    (void)fclose(said);
  }
  app_svg_begin(out, width, p->height + below + noted, id, chart->title,
                chart->description == NULL ? words : chart->description);
  chart_ticks(out, x, y, chart);
  draw_frame(out, chart, p, width);
  for (size_t s = 0; s < chart->series_count && s < APP_CHART_SERIES; s++)
    draw_line(out, &chart->series[s], s, x, y);
  if (p->narrow)
    draw_legend(out, chart, p);
  else
    draw_labels(out, chart, x, y);
  const int note_at = p->titled ? edge : p->left;
  if (noted > 0)
    app_svg_note(out, chart->note, note_at, p->height + below + (below > 0 ? 12 : 8), width - note_at - edge);
}

bool app_chart_draw(FILE *out, const app_chart *chart, const char *id) {
  chart_axis x, y;
  if (!chart_ranges(&x, &y, chart, chart_on_page)) return false;
  draw_all(out, chart, &x, &y, id);
  (void)fputs("</svg>\n", out);
  return true;
}

sotto_status app_chart_write(const app_chart *chart, const char *path, sotto_error *err) {
  chart_axis x, y;
  char *text = NULL;
  size_t size = 0;
  if (!chart_ranges(&x, &y, chart, chart->narrow ? chart_on_narrow_file : chart_on_file))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: there is no point to draw", path);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  draw_all(out, chart, &x, &y, NULL);
  return app_svg_finish(out, &text, &size, path, err);
}
