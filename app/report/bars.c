/* Horizontal bars with their numbers, for a page. */
#include <math.h>
#include <string.h>

#include "chart.h"
#include "colours.h"

enum { bar_width = 420, bar_row = 44, bar_thick = 14, margin = 4, most_letters = 42 };

static double largest_of(const app_bars *bars) {
  double most = 0;
  for (size_t i = 0; i < bars->count; i++) {
    if (isfinite(bars->values[i])) most = fmax(most, bars->values[i]);
    if (bars->marks != NULL && isfinite(bars->marks[i])) most = fmax(most, bars->marks[i]);
  }
  return most;
}

static void number(FILE *out, const app_bars *bars, double value) {
  if (isfinite(value))
    (void)fprintf(out, "%.4g%s", value, bars->unit);
  else
    (void)fputs(isinf(value) ? "no bound" : "not known", out);
}

/* A name that is too long for its line is cut; the table behind the drawing has it whole. */
static void name(FILE *out, const char *text) {
  char cut[256];
  size_t end = 0, letters = 0;
  (void)snprintf(cut, sizeof cut, "%s", text);
  while (cut[end] != '\0' && letters < most_letters) {
    end++;
    while (((unsigned char)cut[end] & 0xc0) == 0x80) end++; /* the rest of one character */
    letters++;
  }
  const bool whole = cut[end] == '\0';
  cut[end] = '\0';
  app_svg_text(out, cut);
  if (!whole) (void)fputs("...", out);
}

/* The number stands behind the name, where neither a long bar nor a mark is in its way. */
static void draw_bar(FILE *out, const app_bars *bars, size_t i, double scale) {
  const int top = bar_row * (int)i;
  const double value = bars->values[i], length = isfinite(value) ? fmax(0, value) * scale : 0;
  (void)fprintf(out, "<text x='0' y='%d'>", top + 15);
  name(out, bars->names[i]);
  (void)fputs(" <tspan font-weight='bold'>", out);
  number(out, bars, value);
  (void)fputs("</tspan></text><g class='", out);
  app_svg_class(out, i % APP_HUES);
  (void)fprintf(out, "'><rect x='0' y='%d' width='%.1f' height='%d' fill='currentColor'/></g>\n", top + 22,
                length, bar_thick);
  if (bars->marks != NULL && isfinite(bars->marks[i]))
    (void)fprintf(out, "<path d='M%.1f %dv%d' stroke='var(--ink)' stroke-width='3'/>\n",
                  fmax(1.5, bars->marks[i] * scale), top + 18, bar_thick + 8);
}

bool app_bars_draw(FILE *out, const app_bars *bars, const char *id) {
  const double most = largest_of(bars);
  bool marked = false;
  if (bars->count == 0) return false;
  for (size_t i = 0; bars->marks != NULL && i < bars->count; i++) marked |= isfinite(bars->marks[i]);
  const int rows = bar_row * (int)bars->count;
  app_svg_begin(out, bar_width + margin, rows + (marked ? 26 : 4), id, bars->title, bars->description);
  for (size_t i = 0; i < bars->count; i++) draw_bar(out, bars, i, most > 0 ? bar_width / most : 0);
  if (marked) {
    (void)fprintf(out, "<path d='M2 %dv16' stroke='var(--ink)' stroke-width='3'/><text x='12' y='%d'>",
                  rows + 4, rows + 17);
    app_svg_text(out, bars->mark_name);
    (void)fputs("</text>\n", out);
  }
  (void)fputs("</svg>\n", out);
  return true;
}
