/* Horizontal bars with their values, for a page or a file. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "chart.h"
#include "colours.h"
#include "sotto/guarantee.h"

enum {
  bar_width = 420,
  page_width = 380, /* letters are legible on a telephone */
  scale_row = 22,
  bar_row = 44,
  bar_thick = 14,
  margin = 4,
  most_letters = 42,
  file_edge = 16,
  file_top = 44
};

/* The axis of the bars: linear from 0, or logarithmic from the power of ten below the least value. */
typedef struct extent {
  int width;
  double low, most;
  bool logarithmic;
} extent;

static void widen(extent *e, double least, double most) {
  if (!isfinite(most)) return;
  e->most = fmax(e->most, most);
  if (least > 0) e->low = fmin(e->low, least);
}

static extent extent_of(const app_bars *bars, int width) {
  const double dwarfs = 20, most_decades = 6;
  extent e = {.width = width, .low = INFINITY};
  for (size_t i = 0; i < bars->count; i++) {
    widen(&e, bars->values[i], bars->values[i] + (bars->spreads == NULL ? 0 : bars->spreads[i]));
    if (bars->marks != NULL) widen(&e, bars->marks[i], bars->marks[i]);
  }
  e.logarithmic = bars->of_epsilon && e.most > dwarfs * e.low;
  if (e.logarithmic) e.low = pow(10, floor(log10(fmax(e.low, e.most * pow(10, -most_decades)) * 0.999)));
  return e;
}

/* Distance of a value from the left edge. */
static double place_of(const extent *e, double value) {
  if (!(value > 0) || !(e->most > 0)) return 0;
  if (!e->logarithmic) return value / e->most * e->width;
  return fmax(0, log10(value / e->low) / log10(e->most / e->low) * e->width);
}

static void put_value(FILE *out, const app_bars *bars, size_t i) {
  char words[SOTTO_EPSILON_WORDS];
  const double value = bars->values[i];
  sotto_epsilon_words(words, value);
  if (isfinite(value) && bars->spreads != NULL && bars->spreads[i] > 0)
    (void)fprintf(out, "%.2f ± %.2f%s", value, bars->spreads[i], bars->unit);
  else if (isfinite(value) && bars->of_epsilon)
    (void)fputs(words, out);
  else if (isfinite(value))
    (void)fprintf(out, "%.4g%s", value, bars->unit);
  else
    (void)fputs(isinf(value) ? "no bound" : "not known", out);
}

/* Writes a name, truncated if it is too long for its line; the table after the drawing has the whole name. */
static void put_name(FILE *out, const char *text) {
  char cut[256];
  size_t end = 0, letters = 0;
  (void)snprintf(cut, sizeof cut, "%s", text);
  while (cut[end] != '\0' && letters < most_letters) {
    end++;
    while (((unsigned char)cut[end] & 0xc0) == 0x80) end++; /* the remaining bytes of one character */
    letters++;
  }
  const bool whole = cut[end] == '\0';
  cut[end] = '\0';
  app_svg_text(out, cut);
  if (!whole) (void)fputs("...", out);
}

static void draw_spread(FILE *out, double value, double spread, int top, const extent *e) {
  const double low = place_of(e, value - spread), high = place_of(e, value + spread);
  (void)fprintf(out, "<path d='M%.1f %dH%.1fM%.1f %dv6M%.1f %dv6' class='limit whisker'/>\n", low,
                top + 22 + bar_thick / 2, high, low, top + 19 + bar_thick / 2, high,
                top + 19 + bar_thick / 2);
}

/* The value is written after the name, clear of long bars and marks. */
static void draw_bar(FILE *out, const app_bars *bars, size_t i, const extent *e) {
  const int top = bar_row * (int)i;
  const double value = bars->values[i], length = isfinite(value) ? place_of(e, value) : 0;
  (void)fprintf(out, "<text x='0' y='%d'>", top + 15);
  put_name(out, bars->names[i]);
  (void)fputs(" <tspan font-weight='bold'>", out);
  put_value(out, bars, i);
  (void)fputs("</tspan></text><g class='", out);
  app_svg_class(out, i % APP_HUES);
  (void)fprintf(out, "'><rect x='0' y='%d' width='%.1f' height='%d' fill='currentColor'/></g>\n", top + 22,
                length, bar_thick);
  if (bars->spreads != NULL && isfinite(value) && bars->spreads[i] > 0)
    draw_spread(out, value, bars->spreads[i], top, e);
  if (bars->marks != NULL && isfinite(bars->marks[i]))
    (void)fprintf(out, "<path d='M%.1f %dv%d' class='limit'/>\n", fmax(1.5, place_of(e, bars->marks[i])),
                  top + 18, bar_thick + 8);
}

static bool has_marks(const app_bars *bars) {
  bool marked = false;
  for (size_t i = 0; bars->marks != NULL && i < bars->count; i++) marked |= isfinite(bars->marks[i]);
  return marked;
}

/* Powers of ten below the bars of a logarithmic axis. */
static void draw_scale(FILE *out, const extent *e, int y) {
  const double first = ceil(log10(e->low) - 1e-9), last = log10(e->most) + 1e-9;
  const double step = fmax(1, ceil((last - first) / 5));
  for (double power = first; power <= last; power += step) {
    const double x = place_of(e, pow(10, power));
    (void)fprintf(out,
                  "<path d='M%.1f %dv6' class='frame'/><text x='%.1f' y='%d' text-anchor='%s'>%g</text>\n", x,
                  y, x, y + 19,
                  x < 10              ? "start"
                  : x > e->width - 20 ? "end"
                                      : "middle",
                  pow(10, power));
  }
  (void)fprintf(out, "<path d='M0 %dH%d' class='frame'/>\n", y, e->width);
}

static int rows_of(const app_bars *bars, const extent *e) {
  return bar_row * (int)bars->count + (has_marks(bars) ? 26 : 4) + (e->logarithmic ? 2 * scale_row : 0);
}

static void draw_bars(FILE *out, const app_bars *bars, const extent *e) {
  int y = bar_row * (int)bars->count;
  for (size_t i = 0; i < bars->count; i++) draw_bar(out, bars, i, e);
  if (e->logarithmic) {
    draw_scale(out, e, y + 2);
    (void)fprintf(
        out, "<text x='0' y='%d' class='soft'>Logarithmic scale: each mark is ten times the last.</text>\n",
        y + 2 * scale_row - 3);
    y += 2 * scale_row;
  }
  if (!has_marks(bars)) return;
  (void)fprintf(out, "<path d='M2 %dv16' class='limit'/><text x='12' y='%d'>", y + 4, y + 17);
  app_svg_text(out, bars->mark_name);
  (void)fputs("</text>\n", out);
}

bool app_bars_draw(FILE *out, const app_bars *bars, const char *id) {
  if (bars->count == 0) return false;
  extent e = extent_of(bars, page_width);
  if (strcmp(bars->unit, " %") == 0) e.most = fmax(e.most, 100); /* a full bar is 100 per cent */
  app_svg_begin(out, page_width + margin, rows_of(bars, &e), id, bars->title, bars->description);
  draw_bars(out, bars, &e);
  (void)fputs("</svg>\n", out);
  return true;
}

sotto_status app_bars_write(const app_bars *bars, const char *path, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  const extent e = extent_of(bars, bar_width);
  const int rows = rows_of(bars, &e), width = bar_width + 2 * file_edge;
  if (bars->count == 0) return sotto_i_fail(err, SOTTO_INVALID, "%s: there is no bar to draw", path);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  app_svg_begin(out, width, file_top + rows + (bars->note == NULL ? 8 : 28), NULL, bars->title,
                bars->description);
  app_svg_title(out, bars->title, file_edge, 27, width - 2 * file_edge);
  (void)fprintf(out, "<g transform='translate(%d %d)'>\n", file_edge, file_top);
  draw_bars(out, bars, &e);
  (void)fputs("</g>\n", out);
  if (bars->note != NULL)
    app_svg_note(out, bars->note, file_edge, file_top + rows + 16, width - 2 * file_edge);
  return app_svg_finish(out, &text, &size, path, err);
}
