/* What all drawings share: text, style, marks, beginning and end. */
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "colours.h"
#include "common/error.h"
#include "common/file.h"

static void escape(FILE *out, const char *text) {
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

/* Cut at 4095 bytes: no name in a report is longer, and no name of a stranger shall fill the page. */
void app_svg_text(FILE *out, const char *text) {
  char clean[4096];
  if (text == NULL) return;
  (void)snprintf(clean, sizeof clean, "%s", text);
  sotto_text_clean(clean, false);
  escape(out, clean);
}

void app_svg_style(FILE *out) {
  for (int hue = 0; hue < APP_HUES; hue++) (void)fprintf(out, ".k%d{color:var(--c%d)}", hue, hue);
  (void)fputs("svg{font-family:system-ui,sans-serif}svg text{fill:var(--ink)}.grid{stroke:var(--line)}"
              ".frame{stroke:var(--frame);fill:none}.curve{fill:none;stroke:currentColor;stroke-width:2}"
              ".broken{stroke-dasharray:6 4}.solid{fill:currentColor;stroke:currentColor}"
              ".hollow{fill:var(--paper);stroke:currentColor;stroke-width:1.5}.grey{color:var(--frame)}",
              out);
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
  if (id != NULL) return;
  (void)fputs("<style>svg{", out);
  app_colours_write(out, false);
  (void)fputc('}', out);
  app_svg_style(out);
  (void)fputs("</style>\n<rect width='100%' height='100%' fill='white'/>\n", out);
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
    status = app_fail(err, SOTTO_NOMEM, "no memory for the chart %s", path);
  else
    status = app_write_file(path, *text, *size, err);
  free(*text);
  return status;
}
