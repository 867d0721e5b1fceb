/* Code shared by all drawings: text, style, marks, begin and end. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "chart.h"
#include "colours.h"
#include "picture.h"

static void put_escaped(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '<')
      (void)fputs("&lt;", out);
    else if (*text == '>')
      (void)fputs("&gt;", out);
    else if (*text == '&')
      (void)fputs("&amp;", out);
    else if (*text == '"')
      (void)fputs("&quot;", out);
    else if (*text == '\'')
      (void)fputs("&#39;", out);
    else
      (void)fputc(*text, out);
  }
}

/* Truncates at 4095 bytes: names in a report are shorter, and a foreign name must not fill the page. */
void app_svg_text(FILE *out, const char *text) {
  char clean[4096];
  if (text == NULL) return;
  (void)snprintf(clean, sizeof clean, "%s", text);
  sotto_text_clean(clean, false);
  put_escaped(out, clean);
}

/* A style property whose value is a colour. */
static const struct {
  const char *selector, *property, *colour;
} painted[] = {{"svg text", "fill", "ink"},   {"svg .soft", "fill", "soft"}, {".grid", "stroke", "line"},
               {".frame", "stroke", "frame"}, {".hollow", "fill", "paper"},  {".grey", "color", "frame"},
               {".sheet", "fill", "paper"},   {".limit", "stroke", "ink"},   {".k0", "color", "c0"},
               {".k1", "color", "c1"},        {".k2", "color", "c2"},        {".k3", "color", "c3"},
               {".k4", "color", "c4"},        {".k5", "color", "c5"}};

static const char *colour_literal(const char *name, bool dark) {
  for (size_t i = 0; i < app_colour_count; i++)
    if (strcmp(app_colours[i].name, name) == 0) return dark ? app_colours[i].dark : app_colours[i].light;
  return "none";
}

static void write_forms(FILE *out) {
  (void)fputs(
      "svg{font-family:system-ui,sans-serif}.frame{fill:none}.curve{fill:none;stroke:currentColor;"
      "stroke-width:2}.broken{stroke-dasharray:6 4}.solid{fill:currentColor;stroke:currentColor}"
      ".hollow{stroke:currentColor;stroke-width:1.5}.band{fill:currentColor;fill-opacity:.13;stroke:none}"
      ".bar{fill:none;stroke:currentColor;stroke-opacity:.6;stroke-width:1.5}"
      ".leader{fill:none;stroke:currentColor;stroke-opacity:.5}.limit{fill:none;stroke-width:3}"
      ".whisker{stroke-width:1.5}",
      out);
}

void app_svg_style(FILE *out) {
  for (size_t i = 0; i < sizeof painted / sizeof *painted; i++)
    (void)fprintf(out, "%s{%s:var(--%s)}", painted[i].selector, painted[i].property, painted[i].colour);
  write_forms(out);
}

/* Colours of a separate file are literals: image programs do not support custom properties. */
static void file_style(FILE *out) {
  (void)fputs("<style>", out);
  write_forms(out);
  for (int dark = 0; dark < 2; dark++) {
    if (dark == 1) (void)fputs("\n@media(prefers-color-scheme:dark){", out);
    for (size_t i = 0; i < sizeof painted / sizeof *painted; i++)
      (void)fprintf(out, "%s{%s:%s}", painted[i].selector, painted[i].property,
                    colour_literal(painted[i].colour, dark == 1));
  }
  (void)fputs("}</style>\n<rect width='100%' height='100%' class='sheet'/>\n", out);
}

void app_svg_begin(FILE *out, int width, int height, const char *id, const char *title,
                   const char *description) {
  (void)fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' ",
                width, height, width, height);
  if (id != NULL)
    (void)fprintf(out, "role='img' aria-labelledby='%s-t %s-d' font-size='14'>\n<title id='%s-t'>", id, id,
                  id);
  else
    (void)fputs("role='img' font-size='12'>\n<title>", out);
  app_svg_text(out, title);
  if (id != NULL)
    (void)fprintf(out, "</title>\n<desc id='%s-d'>", id);
  else
    (void)fputs("</title>\n<desc>", out);
  app_svg_text(out, description == NULL ? title : description);
  (void)fputs("</desc>\n", out);
  if (id == NULL) file_style(out);
}

/* Widths of DejaVu Sans in thousandths of its size; it is wider than other fonts that a browser or
 * rsvg-convert may use. Letters beyond ASCII count as wide. */
double app_svg_width(const char *text, double size) {
  double sum = 0;
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if ((c & 0xc0) == 0x80) continue;
    sum += c >= 0x80                                ? 0.85
           : strchr("iljI", c) != NULL              ? 0.30
           : strchr(" ftr.,:;'|!()[]/-", c) != NULL ? 0.41
           : strchr("mwMW%@+=<>~", c) != NULL       ? 0.98
           : c >= 'A' && c <= 'Z'                   ? 0.73
                                                    : 0.64;
  }
  return sum * size;
}

/* Writes text in letters small enough for its line. */
static void put_fitted(FILE *out, const char *text, double size, double room) {
  const double width = app_svg_width(text, size);
  (void)fprintf(out, " font-size='%.1f'>", width <= room ? size : size * room / width);
  app_svg_text(out, text);
  (void)fputs("</text>\n", out);
}

void app_svg_title(FILE *out, const char *title, int x, int y, int room) {
  (void)fprintf(out, "<text x='%d' y='%d' font-weight='bold'", x, y);
  put_fitted(out, title, 14, room / 1.12);
}

void app_svg_note(FILE *out, const char *note, int x, int y, int room) {
  (void)fprintf(out, "<text x='%d' y='%d' class='soft'", x, y);
  put_fitted(out, note, 11.5, room);
}

void app_svg_class(FILE *out, size_t series) {
  (void)fprintf(out, "k%zu", series % APP_HUES);
}

void app_svg_mark(FILE *out, size_t series, double x, double y, double r) {
  const char *kind = series < APP_HUES ? "solid" : "hollow";
  const double d = 0.85 * r, h = 1.25 * r;
  switch (series % APP_HUES) {
  case 0:
    (void)fprintf(out, "<circle cx='%.1f' cy='%.1f' r='%.1f' class='%s'/>", x, y, r, kind);
    break;
  case 1:
    (void)fprintf(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='%s'/>", x - d, y - d, 2 * d,
                  2 * d, kind);
    break;
  case 2:
    (void)fprintf(out, "<path d='M%.1f %.1fl%.1f %.1fh%.1fz' class='%s'/>", x, y - h, h, 2 * d, -2 * h, kind);
    break;
  case 3:
    (void)fprintf(out, "<path d='M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz' class='%s'/>", x, y - h, h, h, -h,
                  h, -h, -h, kind);
    break;
  case 4:
    (void)fprintf(out, "<path d='M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f' class='curve'/>", x - d, y - d, 2 * d,
                  2 * d, -2 * d, -2 * d, 2 * d);
    break;
  default:
    (void)fprintf(out, "<path d='M%.1f %.1fh%.1fl%.1f %.1fz' class='%s'/>", x - h, y - d, 2 * h, -h, 2 * d,
                  kind);
  }
}

sotto_status app_svg_finish(FILE *out, char **text, const size_t *size, const char *path, sotto_error *err) {
  (void)fputs("</svg>\n", out);
  bool failed = ferror(out) != 0;
  sotto_status status = SOTTO_OK;
  if (fclose(out) != 0 || failed)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  else
    status = app_picture_write(path, *text, *size, err);
  free(*text);
  return status;
}
