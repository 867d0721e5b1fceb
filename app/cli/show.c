/* Progress display of a verb. On a terminal one line is redrawn. Elsewhere a line is printed every 30
 * seconds and at the end of each stage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "common/print.h"
#include "watch.h"

enum { narrow = 40, widest = 160 };
static const double interval = 30; /* seconds between lines */

static bool on_terminal(const watch *w) {
  return !w->style.json && isatty(STDERR_FILENO) != 0;
}

/* Width of the terminal, read before each drawing so that the line fits a window that became narrower. If
 * the terminal does not report it, $COLUMNS is used. */
static size_t columns(void) {
  struct winsize size;
  uint64_t wide = 0;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) wide = size.ws_col;
  const char *said = getenv("COLUMNS");
  if (wide < 2 && said != NULL) (void)sotto_i_parse_u64(&wide, said, "COLUMNS", NULL);
  if (wide < 2) wide = narrow;
  return wide > widest ? widest - 1 : (size_t)wide - 1; /* the cursor needs a column */
}

void watch_close_line(watch *w) {
  if (w->open) (void)fputc('\n', stderr);
  w->open = false;
}

static void draw_line(watch *w, const char *text) {
  (void)fputs("\r\033[K", stderr);
  app_print(stderr, "%s", text);
  w->open = true;
}

void watch_show_line(watch *w, watch_level level, const char *name, const char *text) {
  watch_close_line(w);
  if (w->style.json)
    watch_say_json(&w->style, level, name, NULL, text);
  else
    watch_say_text(&w->style, level, w->state.networked, text);
}

static void end_stage(watch *w) {
  char text[160];
  const watch_state *s = &w->state;
  size_t used = 0;
  if (s->seeds > 1)
    used = (size_t)snprintf(text, sizeof text, "seed %llu/%llu ", (unsigned long long)s->seed,
                            (unsigned long long)s->seeds);
  int length;
  const char *unit = watch_stage_unit(&length, s->stage);
  (void)snprintf(text + used, sizeof text - used, "%.*s done (%llu%s)", length, s->stage,
                 (unsigned long long)s->total, unit);
  watch_show_line(w, WATCH_INFO, "stage", text);
}

void watch_show_progress(watch *w, double now) {
  char text[widest + 1];
  const bool ended = w->state.done == w->state.total;
  if (on_terminal(w)) {
    if (w->style.level < WATCH_INFO || (!ended && now - w->shown < 0.1)) return;
    watch_line(text, sizeof text, columns(), &w->state, now);
    draw_line(w, text);
    if (ended) watch_close_line(w);
  } else if (ended) {
    end_stage(w);
  } else {
    if (w->shown == 0) w->shown = now;
    if (now - w->shown < interval) return;
    watch_line(text, sizeof text, widest, &w->state, now);
    watch_show_line(w, WATCH_INFO, "progress", text);
  }
  w->shown = now;
}

static void show_waiting(watch *w, const sotto_event *event, double now) {
  char text[widest + 1], time[12];
  const bool first = event->seconds < 1;
  if (!on_terminal(w) && !first && now - w->waited < interval) return;
  watch_duration(time, event->seconds);
  if (on_terminal(w)) {
    (void)snprintf(text, sizeof text, "waiting for %.20s (%s)", event->peer, time);
    text[columns() < widest ? columns() : widest] = '\0';
    if (w->style.level >= WATCH_INFO) draw_line(w, text);
    return;
  }
  w->waited = now;
  (void)snprintf(text, sizeof text, first ? "waiting for %.63s at %.60s" : "waiting for %.63s at %.60s (%s)",
                 event->peer, event->address, time);
  if (w->style.json)
    watch_say_json(&w->style, WATCH_INFO, NULL, event, text);
  else
    watch_say_text(&w->style, WATCH_INFO, true, text);
}

void watch_show_event(watch *w, const sotto_event *event, double now) {
  const sotto_event_kind kind = event->kind;
  const bool figures = kind == SOTTO_EVENT_EPOCH || kind == SOTTO_EVENT_PAYLOAD ||
                       kind == SOTTO_EVENT_SPENT || kind == SOTTO_EVENT_PLANNED;
  const watch_level level = figures ? WATCH_DEBUG : kind == SOTTO_EVENT_LOST ? WATCH_WARN : WATCH_INFO;
  if (event->kind == SOTTO_EVENT_WAITING) {
    show_waiting(w, event, now);
  } else if (w->style.json) {
    watch_say_json(&w->style, event->text == NULL ? WATCH_DEBUG : level, NULL, event, event->text);
  } else if (event->text != NULL) {
    watch_close_line(w);
    watch_say_text(&w->style, level, true, event->text);
  }
}
