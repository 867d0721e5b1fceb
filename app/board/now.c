/* The part "Now" of the board: one sentence, the progress, and current figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sections.h"

enum { stopped = 130, refused = 3 };

static const char *ending_sentence(const watch_state *s) {
  if (s->code == 0) return "The run is done.";
  if (s->code == stopped) return "The run was stopped on request. It goes on with the same command.";
  if (s->code == refused) return "The privacy budget refused the run. Its log says by how much.";
  return "The run failed. Its log says why.";
}

void board_sentence(char *out, size_t size, const board_view *view) {
  const watch_state *s = &view->state;
  const size_t there = watch_state_connected(s);
  if (s->ended)
    (void)snprintf(out, size, "%s", ending_sentence(s));
  else if (s->networked && there < s->peer_count)
    (void)snprintf(out, size, "Waiting for other parties: %zu of %zu are connected.", there, s->peer_count);
  else if (s->stage[0] == '\0')
    (void)snprintf(out, size, "Getting ready.");
  else
    (void)snprintf(out, size, "At work: %s, %llu of %llu.", s->stage, (unsigned long long)s->done,
                   (unsigned long long)s->total);
}

static void put_tile(page *p, const char *name, const char *value) {
  page_put(p, "<div><dt>");
  page_say(p, "%s", name);
  page_put(p, "</dt><dd>");
  page_say(p, "%s", value);
  page_put(p, "</dd></div>\n");
}

static void put_count_tile(page *p, const char *name, uint64_t done, uint64_t all) {
  char text[64];
  if (all == 0) return;
  (void)snprintf(text, sizeof text, "%llu of %llu", (unsigned long long)done, (unsigned long long)all);
  put_tile(p, name, text);
}

static void put_number_tile(page *p, const char *name, const char *format, double value) SOTTO_PRINTF(3, 0);
static void put_number_tile(page *p, const char *name, const char *format, double value) {
  char text[64];
  if (!isfinite(value)) return;
  (void)snprintf(text, sizeof text, format, value);
  put_tile(p, name, text);
}

static void put_time_tile(page *p, const char *name, double seconds) {
  char text[12];
  if (!isfinite(seconds)) return;
  watch_duration(text, seconds);
  put_tile(p, name, text);
}

/* The loss and the score of the newest epoch; DP-SGD reports no loss. */
static void put_quality_tiles(page *p, const watch_state *s) {
  if (s->epochs == 0) return;
  put_number_tile(p, "Loss", "%.4g", s->loss);
  put_number_tile(p, "Validation score", "%.1f %%", 100 * s->validation);
}

/* Is this stage a training stage, which has epochs? */
static bool is_training(const board_view *view) {
  for (size_t i = 0; i < view->history.curve_count; i++)
    if (strcmp(view->history.curves[i].name, view->state.stage) == 0) return true;
  return false;
}

static void put_tiles(page *p, const board_view *view, double now) {
  const watch_state *s = &view->state;
  page_put(p, "<dl class=\"tiles\">\n");
  if (s->stage[0] != '\0') put_tile(p, "Stage", s->stage);
  put_count_tile(p, is_training(view) ? "Epoch" : "Step", s->done, s->total);
  if (s->seeds > 1) put_count_tile(p, "Repeat", s->seed, s->seeds);
  put_quality_tiles(p, s);
  if (!s->ended) {
    put_number_tile(p, is_training(view) ? "Epochs a second" : "Steps a second", "%.3g", watch_rate(s, now));
    put_time_tile(p, "Left in this stage, about", watch_left(s, now));
  }
  if (s->networked) put_count_tile(p, "Other parties connected", watch_state_connected(s), s->peer_count);
  put_time_tile(p, s->ended ? "Time in all" : "Since the start", now - s->begun);
  page_put(p, "</dl>\n");
}

void board_now(page *p, const board_view *view, double now) {
  const watch_state *s = &view->state;
  char text[200];
  const char *look = !s->ended ? "live" : s->code == 0 ? "good" : s->code == stopped ? "warn" : "bad";
  const char *sign = !s->ended            ? "\xe2\x96\xb6"
                     : s->code == 0       ? "\xe2\x9c\x93"
                     : s->code == stopped ? "!"
                                          : "\xe2\x9c\x95"; /* triangle, check, cross */
  board_sentence(text, sizeof text, view);
  page_section(p, "now", s->ended ? "How it ended" : "Now");
  (void)fprintf(p->out, "<p class=\"verdict %s\">", look);
  page_say(p, "%s %s", sign, text);
  page_put(p, "</p>\n");
  if (!s->ended && s->total > 0)
    (void)fprintf(p->out,
                  "<progress aria-label=\"Progress of this stage\" max=\"%llu\" value=\"%llu\"></progress>\n",
                  (unsigned long long)s->total, (unsigned long long)s->done);
  put_tiles(p, view, now);
  page_section_end(p);
}
