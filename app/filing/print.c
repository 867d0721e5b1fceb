/* The answers as a page of HTML, and as sheets of A4 in a PDF. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "common/memory.h"
#include "parts.h"
#include "report/chart.h"
#include "report/page/html.h"
#include "report/page/write.h"
#include "report/picture.h"

static const char by_person[] = "A person must say.";

static const char *answer_of(const json_t *answer) {
  const char *text = json_string_value(json_object_get(answer, "answer"));
  return text != NULL ? text : by_person;
}

/* A question, its answer and where that stands, one below the other, so that a narrow screen shows all. */
static void put_part(page *p, const json_t *part) {
  size_t i;
  json_t *answer;
  page_section(p, page_words(part, "key"), page_words(part, "title"));
  page_put(p, "<p class=\"small\">");
  page_say(p, "%s", page_words(part, "source"));
  page_put(p, "</p>\n");
  json_array_foreach(json_object_get(part, "answers"), i, answer) {
    const char *from = page_words(answer, "from");
    const bool open = strcmp(from, "person") == 0 || strcmp(from, "owner") == 0;
    page_put(p, "<h3>");
    page_say(p, "%s", page_words(answer, "question"));
    page_put(p, open ? "</h3>\n<p class=\"note\">" : "</h3>\n<p>");
    page_say(p, "%s", answer_of(answer));
    page_put(p, " <span class=\"small\">(");
    page_say(p, "%s", from);
    page_put(p, ")</span></p>\n");
  }
  page_section_end(p);
}

sotto_status filing_html(const char *path, const json_t *document, sotto_error *err) {
  const json_t *parts = json_object_get(document, "parts");
  page_link links[8] = {{NULL, NULL}};
  char title[300], note[200], *text = NULL;
  size_t size = 0, i;
  json_t *part;
  page p = {.out = NULL};
  sotto_status status;
  json_array_foreach(parts, i, part) {
    if (i + 1 < PAGE_COUNT(links)) links[i] = (page_link){page_words(part, "key"), page_words(part, "title")};
  }
  (void)snprintf(title, sizeof title, "For the regulator: %s", page_words(document, "run"));
  (void)snprintf(note, sizeof note,
                 "%.0f of %.0f questions are answered by the program; the others a person must answer.",
                 page_number(document, "answered"), page_number(document, "asked"));
  SOTTO_TRY(page_open(&p, &text, &size, err));
  page_begin(&p, title, note, links);
  json_array_foreach(parts, i, part) put_part(&p, part);
  page_end(&p);
  status = page_close(&p, &text, &size, path, err);
done:
  page_abandon(&p, &text);
  return status;
}

/* Sheets of A4 in points. */
enum { sheet_width = 595, sheet_height = 842, margin = 42, widest_line = 98, most_sheets = APP_MOST_SHEETS };

typedef struct sheets {
  char *text[most_sheets];
  size_t size[most_sheets], count;
  FILE *out;
  double y;
  sotto_status status;
} sheets;

static void end_sheet(sheets *s) {
  if (s->out == NULL) return;
  (void)fputs("</svg>\n", s->out);
  if (fclose(s->out) != 0) s->status = SOTTO_NOMEM;
  s->out = NULL;
}

static void begin_sheet(sheets *s) {
  end_sheet(s);
  if (s->count == most_sheets) {
    s->status = SOTTO_RANGE; /* a part would be missing without a word */
    return;
  }
  s->out = open_memstream(&s->text[s->count], &s->size[s->count]);
  if (s->out == NULL) {
    s->status = SOTTO_NOMEM;
    return;
  }
  s->count++;
  s->y = margin;
  (void)fprintf(
      s->out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%dpt\" height=\"%dpt\" viewBox=\"0 0 %d %d\" "
      "font-family=\"DejaVu Sans, sans-serif\">\n",
      sheet_width, sheet_height, sheet_width, sheet_height);
}

static void put_line(sheets *s, const char *text, size_t length, double size, bool bold) {
  char line[4 * widest_line + 1];
  if (s->out == NULL || s->y + 1.4 * size > sheet_height - margin) begin_sheet(s);
  if (s->out == NULL) return;
  (void)snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text);
  s->y += 1.4 * size;
  (void)fprintf(s->out, "<text x=\"%d\" y=\"%.1f\" font-size=\"%.1f\"%s>", margin, s->y, size,
                bold ? " font-weight=\"bold\"" : "");
  app_svg_text(s->out, line);
  (void)fputs("</text>\n", s->out);
}

/* Breaks a text into lines at spaces, or within a word that is wider than a line. */
static void put_lines(sheets *s, const char *text, double size, bool bold) {
  const size_t widest = (size_t)(widest_line * 8.5 / size);
  while (*text != '\0' && s->status == SOTTO_OK) {
    size_t length = strlen(text), cut = length;
    if (length > widest) {
      for (cut = widest; cut > widest / 2 && text[cut] != ' ';) cut--;
      if (text[cut] != ' ') cut = widest;
      while (cut > 1 && ((unsigned char)text[cut] & 0xc0U) == 0x80U) cut--; /* not within a character */
    }
    put_line(s, text, cut, size, bold);
    text += cut;
    while (*text == ' ') text++;
  }
}

static void put_sheets(sheets *s, const json_t *document) {
  char title[300];
  size_t i, k;
  json_t *part, *answer;
  (void)snprintf(title, sizeof title, "For the regulator: %s", page_words(document, "run"));
  put_lines(s, title, 15, true);
  json_array_foreach(json_object_get(document, "parts"), i, part) {
    s->y += 14;
    put_lines(s, page_words(part, "title"), 11.5, true);
    put_lines(s, page_words(part, "source"), 8.5, false);
    json_array_foreach(json_object_get(part, "answers"), k, answer) {
      s->y += 5;
      put_lines(s, page_words(answer, "question"), 8.5, true);
      put_lines(s, answer_of(answer), 8.5, false);
    }
  }
  end_sheet(s);
}

sotto_status filing_pdf(bool *made, const char *path, const json_t *document, sotto_error *err) {
  sheets s = {.status = SOTTO_OK};
  sotto_status status = SOTTO_OK;
  *made = false;
  put_sheets(&s, document);
  if (s.status != SOTTO_OK)
    status = sotto_i_fail(err, s.status,
                          s.status == SOTTO_RANGE ? "%s: needs more than %d sheets"
                                                  : "%s: no memory for its %d sheets",
                          path, (int)most_sheets);
  else
    status = app_sheets_write(made, path, (const char *const *)s.text, s.size, s.count, err);
  for (size_t i = 0; i < s.count; i++) free(s.text[i]);
  return status;
}
