/* Horizontal bars with their values, for a page or a file. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "chart.h"
#include "colours.h"

enum {
  bar_width = 420,
  bar_row = 44,
  bar_thick = 14,
  margin = 4,
  most_letters = 42,
  file_edge = 16,
  file_top = 44
};

static double largest_of(const app_bars *bars) {
  double most = 0;
  for (size_t i = 0; i < bars->count; i++) {
    const double spread = bars->spreads == NULL ? 0 : bars->spreads[i];
    if (isfinite(bars->values[i])) most = fmax(most, bars->values[i] + spread);
    if (bars->marks != NULL && isfinite(bars->marks[i])) most = fmax(most, bars->marks[i]);
  }
  return most;
}

static void put_value(FILE *out, const app_bars *bars, size_t i) {
  const double value = bars->values[i];
  if (isfinite(value) && bars->spreads != NULL && bars->spreads[i] > 0)
    (void)fprintf(out, "%.2f ± %.2f%s", value, bars->spreads[i], bars->unit);
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

static void draw_spread(FILE *out, double value, double spread, int top, double scale) {
  const double low = scale * fmax(0, value - spread), high = scale * (value + spread);
  (void)fprintf(out, "<path d='M%.1f %dH%.1fM%.1f %dv6M%.1f %dv6' class='limit whisker'/>\n", low,
                top + 22 + bar_thick / 2, high, low, top + 19 + bar_thick / 2, high,
                top + 19 + bar_thick / 2);
}

/* The value is written after the name, clear of long bars and marks. */
static void draw_bar(FILE *out, const app_bars *bars, size_t i, double scale) {
  const int top = bar_row * (int)i;
  const double value = bars->values[i], length = isfinite(value) ? fmax(0, value) * scale : 0;
  (void)fprintf(out, "<text x='0' y='%d'>", top + 15);
  put_name(out, bars->names[i]);
  (void)fputs(" <tspan font-weight='bold'>", out);
  put_value(out, bars, i);
  (void)fputs("</tspan></text><g class='", out);
  app_svg_class(out, i % APP_HUES);
  (void)fprintf(out, "'><rect x='0' y='%d' width='%.1f' height='%d' fill='currentColor'/></g>\n", top + 22,
                length, bar_thick);
  if (bars->spreads != NULL && isfinite(value) && bars->spreads[i] > 0)
    draw_spread(out, value, bars->spreads[i], top, scale);
  if (bars->marks != NULL && isfinite(bars->marks[i]))
    (void)fprintf(out, "<path d='M%.1f %dv%d' class='limit'/>\n", fmax(1.5, bars->marks[i] * scale), top + 18,
                  bar_thick + 8);
}

static bool has_marks(const app_bars *bars) {
  bool marked = false;
  for (size_t i = 0; bars->marks != NULL && i < bars->count; i++) marked |= isfinite(bars->marks[i]);
  return marked;
}

static void draw_bars(FILE *out, const app_bars *bars) {
  const double most = largest_of(bars);
  const int rows = bar_row * (int)bars->count;
  for (size_t i = 0; i < bars->count; i++) draw_bar(out, bars, i, most > 0 ? bar_width / most : 0);
  if (!has_marks(bars)) return;
  (void)fprintf(out, "<path d='M2 %dv16' class='limit'/><text x='12' y='%d'>", rows + 4, rows + 17);
  app_svg_text(out, bars->mark_name);
  (void)fputs("</text>\n", out);
}

bool app_bars_draw(FILE *out, const app_bars *bars, const char *id) {
  if (bars->count == 0) return false;
  app_svg_begin(out, bar_width + margin, bar_row * (int)bars->count + (has_marks(bars) ? 26 : 4), id,
                bars->title, bars->description);
  draw_bars(out, bars);
  (void)fputs("</svg>\n", out);
  return true;
}

sotto_status app_bars_write(const app_bars *bars, const char *path, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  const int rows = bar_row * (int)bars->count + (has_marks(bars) ? 26 : 4), width = bar_width + 2 * file_edge;
  if (bars->count == 0) return sotto_i_fail(err, SOTTO_INVALID, "%s: there is no bar to draw", path);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  app_svg_begin(out, width, file_top + rows + (bars->note == NULL ? 8 : 28), NULL, bars->title,
                bars->description);
  app_svg_title(out, bars->title, file_edge, 27, width - 2 * file_edge);
  (void)fprintf(out, "<g transform='translate(%d %d)'>\n", file_edge, file_top);
  draw_bars(out, bars);
  (void)fputs("</g>\n", out);
  if (bars->note != NULL)
    app_svg_note(out, bars->note, file_edge, file_top + rows + 16, width - 2 * file_edge);
  return app_svg_finish(out, &text, &size, path, err);
}
