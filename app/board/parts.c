/* The page of a board, and four of its parts: curves, bytes sent, latest events, and the run. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/page/write.h"
#include "sections.h"

static const char files[] = "<link rel=\"stylesheet\" href=\"board.css\"/>\n"
                            "<link rel=\"icon\" type=\"image/svg+xml\" href=\"board.svg\"/>\n"
                            "<script src=\"board.js\" defer=\"defer\"></script>\n";

static size_t curve_points(double *x, double *y, const watch_curve *c, bool loss) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) {
    const double value = loss ? c->points[i].loss : 100 * c->points[i].validation;
    if (!isfinite(value)) continue;
    x[count] = (double)c->points[i].epoch;
    y[count++] = value;
  }
  return count;
}

static bool draw_curve(page *p, const watch_history *h, bool loss) {
  double x[WATCH_CURVES][WATCH_POINTS], y[WATCH_CURVES][WATCH_POINTS];
  app_series series[WATCH_CURVES];
  size_t used = 0;
  for (size_t i = 0; i < h->curve_count; i++) {
    const size_t count = curve_points(x[used], y[used], &h->curves[i], loss);
    if (count == 0) continue;
    series[used] = (app_series){.name = h->curves[i].name, .x = x[used], .y = y[used], .count = count};
    used++;
  }
  page_curve(p, series, used, loss);
  return used > 0;
}

static void draw_curves(page *p, const board_view *view, double now) {
  const watch_history *h = &view->history;
  (void)now;
  page_section(p, "curves", "Learning curves");
  if (h->run.seeds > 1 && h->seed > 0)
    page_paragraph(p, "Of repeat %llu of %llu. Each line is one stage of the training.",
                   (unsigned long long)h->seed, (unsigned long long)h->run.seeds);
  page_put(p, "<div class=\"pair\">\n");
  const bool scored = draw_curve(p, h, false), drawn = draw_curve(p, h, true) || scored;
  page_put(p, "</div>\n");
  if (view->state.hides)
    page_paragraph(p,
                   "Losses and scores follow from private data in this run, so this page does not show them. "
                   "The owner finds them in the run folder, in owner-only/metrics.jsonl.");
  else if (!drawn)
    page_paragraph(p, "No epoch with a loss or a score has ended yet.");
  page_section_end(p);
}

static void draw_traffic(page *p, const board_view *view, double now) {
  static const char *const heads[] = {"Kind", "Sent", "Received", "What it may show"};
  const watch_state *s = &view->state;
  bool exposed = false;
  (void)now;
  page_section(p, "sent", "What was sent");
  if (s->payloads[0][0] == '\0') {
    page_paragraph(p, "No message between parties so far.");
    page_section_end(p);
    return;
  }
  page_paragraph(p, "%s",
                 view->history.run.role[0] == '\0'
                     ? "The parties of this run are in one process. Their messages are counted together."
                     : "The messages of this party, by kind.");
  page_table(p, "Bytes of messages by kind", heads, PAGE_COUNT(heads));
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    const char *name = sotto_wire_kind_name((sotto_wire_kind)kind);
    char there[32], back[32];
    for (size_t i = 0; i < SOTTO_WIRE_KINDS; i++) {
      if (strcmp(s->payloads[i], name) != 0) continue;
      exposed |= kind == SOTTO_WIRE_EXPOSED && s->sent[i] > 0;
      page_amount(there, sizeof there, (double)s->sent[i]);
      page_amount(back, sizeof back, (double)s->received[i]);
      page_cell(p, "%s", name);
      page_cell(p, "%s", there);
      page_cell(p, "%s", back);
      page_cell(p, "%s", page_kind((sotto_wire_kind)kind));
    }
  }
  page_table_end(p);
  if (exposed) page_put(p, "<p class=\"note\">Raw values were sent. The report says which, and why.</p>\n");
  page_section_end(p);
}

static void draw_events(page *p, const board_view *view, double now) {
  const watch_history *h = &view->history;
  (void)now;
  page_section(p, "said", "What happened last");
  if (h->said_count == 0) page_paragraph(p, "Nothing yet.");
  page_put(p, "<ol class=\"said\">\n");
  for (size_t i = h->said_count; i-- > 0;) {
    page_put(p, "<li><span class=\"when\">");
    page_say(p, "%s", h->said[i].time);
    page_put(p, "</span> ");
    page_say(p, "%s", h->said[i].words);
    page_put(p, "</li>\n");
  }
  page_put(p, "</ol>\n");
  if (h->said_count > 0) page_put(p, "<p class=\"small\">Times are UTC, the newest first.</p>\n");
  page_section_end(p);
}

static const sotto_method_info *method_of(const char *name) {
  size_t count;
  const sotto_method_info *all = sotto_method_table(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].name, name) == 0) return &all[i];
  return NULL;
}

static void draw_run(page *p, const board_view *view, double now) {
  static const char *const heads[] = {"What", "Value"};
  const watch_run *r = &view->history.run;
  const sotto_method_info *method = method_of(r->method);
  const char *slash = strrchr(r->folder, '/');
  (void)now;
  page_section(p, "run", "The run");
  if (r->method[0] == '\0') {
    page_paragraph(p, "It is not known yet which run this will be.");
    page_section_end(p);
    return;
  }
  page_table(p, "What is trained, on which data", heads, PAGE_COUNT(heads));
  page_row(p, "Method", r->method);
  if (method != NULL) page_row(p, "What the method does", method->summary);
  page_row(p, "Dataset", r->data);
  page_row(p, "Level of protection", r->adjacency);
  page_row(p, "This party", r->role);
  page_row(p, "Run folder", slash == NULL ? r->folder : slash + 1);
  page_cell(p, "Repeats of the training");
  page_cell(p, "%llu", (unsigned long long)r->seeds);
  page_row(p, "Program", "sotto " SOTTO_VERSION);
  page_table_end(p);
  page_section_end(p);
}

const char *const board_ids[BOARD_PARTS] = {"part-now",  "part-curves", "part-privacy",
                                            "part-sent", "part-said",   "part-run"};
static void (*const draw[BOARD_PARTS])(page *p, const board_view *view, double now) = {
    board_now, draw_curves, board_privacy, draw_traffic, draw_events, draw_run};
static const page_link sections[] = {{"now", "Now"},
                                     {"curves", "Learning curves"},
                                     {"privacy", "Privacy so far"},
                                     {"sent", "What was sent"},
                                     {"said", "What happened last"},
                                     {"run", "The run"},
                                     {NULL, NULL}};

/* Element ids of a part's drawings start with the part's number, so that no two parts share one. */
static void draw_part(page *p, const board_view *view, size_t part, double now) {
  p->drawings = 10 * (unsigned)part;
  draw[part](p, view, now);
}

char *board_part(const board_view *view, size_t part, double now) {
  page p = {.files = files};
  char *text = NULL;
  size_t size = 0;
  if (page_open(&p, &text, &size, NULL) != SOTTO_OK) return NULL;
  draw_part(&p, view, part, now);
  if (page_finish(&p, NULL) == SOTTO_OK) return text;
  free(text);
  return NULL;
}

static void put_head(page *p, const board_view *view) {
  char title[400], clock[16] = "";
  const watch_run *r = &view->history.run;
  struct tm utc;
  const time_t now = time(NULL);
  if (gmtime_r(&now, &utc) != NULL) (void)strftime(clock, sizeof clock, "%H:%M:%S", &utc);
  if (r->method[0] == '\0')
    (void)snprintf(title, sizeof title, "Live board of sotto %s", view->state.verb);
  else
    (void)snprintf(title, sizeof title, "Live board: %.60s%s%.200s", r->method,
                   r->data[0] == '\0' ? "" : " on ", r->data);
  page_begin(p, title, NULL, sections);
  page_put(p, "<p id=\"link\" class=\"small\">");
  page_say(p, "State at %s UTC. Reload the page for the state now.", clock);
  page_put(p, "</p>\n<p id=\"latest\" class=\"unseen\" role=\"status\" aria-live=\"polite\"></p>\n");
}

char *board_page(const board_view *view, double now) {
  page p = {.files = files};
  char *text = NULL;
  size_t size = 0;
  if (page_open(&p, &text, &size, NULL) != SOTTO_OK) return NULL;
  put_head(&p, view);
  for (size_t i = 0; i < BOARD_PARTS; i++) {
    (void)fprintf(p.out, "<div id=\"%s\">\n", board_ids[i]);
    draw_part(&p, view, i, now);
    page_put(&p, "</div>\n");
  }
  page_put(&p, "<div id=\"report\"></div>\n");
  page_end(&p);
  if (page_finish(&p, NULL) == SOTTO_OK) return text;
  free(text);
  return NULL;
}
