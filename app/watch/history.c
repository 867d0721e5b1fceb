/* Events of a run, and its learning curves. */
#include "history.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "common/file.h"

void watch_history_say(watch_history *h, const char *format, ...) {
  va_list arguments;
  char words[WATCH_WORDS];
  struct tm utc;
  const time_t now = time(NULL);
  va_start(arguments, format);
  (void)vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  if (h->said_count > 0 && strcmp(h->said[h->said_count - 1].words, words) == 0) return;
  if (h->said_count == WATCH_SAID) memmove(h->said, h->said + 1, --h->said_count * sizeof *h->said);
  watch_said *one = &h->said[h->said_count++];
  *one = (watch_said){.time = ""};
  memcpy(one->words, words, sizeof words);
  if (gmtime_r(&now, &utc) != NULL) (void)strftime(one->time, sizeof one->time, "%H:%M:%S", &utc);
}

static watch_curve *curve_of(watch_history *h, const char *stage) {
  for (size_t i = 0; i < h->curve_count; i++)
    if (strncmp(h->curves[i].name, stage, sizeof h->curves[i].name - 1) == 0) return &h->curves[i];
  if (h->curve_count == WATCH_CURVES) return NULL;
  watch_curve *curve = &h->curves[h->curve_count++];
  curve->count = 0;
  curve->each = 1;
  curve->since = 0;
  curve->loose = false;
  (void)snprintf(curve->name, sizeof curve->name, "%.63s", stage);
  return curve;
}

static void drop_every_second(watch_curve *c) {
  for (size_t i = 0; 2 * i < c->count; i++) c->points[i] = c->points[2 * i];
  c->count = (c->count + 1) / 2;
  c->each *= 2;
}

void watch_history_epoch(watch_history *h, uint64_t seed, const char *stage, const watch_point *point) {
  if (seed != h->seed) h->curve_count = 0;
  h->seed = seed;
  watch_curve *c = curve_of(h, stage);
  if (c == NULL) return;
  if (c->loose && c->count > 0) c->count--;
  if (c->count > 0 && c->points[c->count - 1].epoch >= point->epoch) {
    while (c->count > 0 && c->points[c->count - 1].epoch >= point->epoch) c->count--;
    c->since = c->each;
  }
  c->since++;
  c->loose = c->count > 0 && c->since < c->each;
  if (!c->loose) c->since = 0;
  if (c->count == WATCH_POINTS) drop_every_second(c);
  c->points[c->count++] = *point;
}

void watch_history_progress(watch_history *h, const watch_state *s, const char *stage) {
  if (strcmp(stage, "seed") != 0) {
    int length;
    const char *unit = watch_stage_unit(&length, s->stage);
    if (s->done == s->total)
      watch_history_say(h, "%.*s is done (%llu%s)", length, s->stage, (unsigned long long)s->total, unit);
  } else if (s->seeds > 1) {
    watch_history_say(h, "repeat %llu of %llu", (unsigned long long)s->seed, (unsigned long long)s->seeds);
  }
}

/* Reports only how many peers there are: readers of the page may not know who they are. */
void watch_history_event(watch_history *h, const watch_state *s, const sotto_event *event) {
  switch (event->kind) {
  case SOTTO_EVENT_EPOCH:
    watch_history_epoch(
        h, s->seed, event->stage,
        &(watch_point){event->done, s->hides ? NAN : event->loss, s->hides ? NAN : event->validation});
    return;
  case SOTTO_EVENT_CONNECTED:
    watch_history_say(h, "a party connected: %zu of %zu are there", watch_state_connected(s), s->peer_count);
    return;
  case SOTTO_EVENT_LOST:
    watch_history_say(h, "the connection with a party broke: %zu of %zu are there", watch_state_connected(s),
                      s->peer_count);
    return;
  case SOTTO_EVENT_LEFT:
    watch_history_say(h, "the run goes on without a party: %zu are there", watch_state_connected(s));
    return;
  case SOTTO_EVENT_SPENT:
    watch_history_say(h, "the account has spent epsilon %.4g", event->epsilon);
    return;
  case SOTTO_EVENT_LISTENING:
  case SOTTO_EVENT_WAITING:
  case SOTTO_EVENT_PAYLOAD:
  case SOTTO_EVENT_PLANNED:
  case SOTTO_EVENTS:
    return;
  }
}

static double number_of(const json_t *line, const char *key) {
  const json_t *value = json_object_get(line, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

void watch_history_load(watch_history *h) {
  char *path = NULL, *text = NULL;
  size_t size = 0;
  if (app_join(&path, h->run.folder, "metrics.jsonl", NULL) == SOTTO_OK && sotto_i_is_file(path))
    (void)app_read_file(&text, &size, path, NULL);
  for (char *at = text, *end = NULL; at != NULL && (end = strchr(at, '\n')) != NULL; at = end + 1) {
    json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
    const char *stage = json_string_value(json_object_get(line, "stage"));
    const json_int_t seed = json_integer_value(json_object_get(line, "seed")),
                     epoch = json_integer_value(json_object_get(line, "epoch"));
    if (stage != NULL && epoch > 0 && (uint64_t)seed >= h->run.seed)
      watch_history_epoch(
          h, (uint64_t)seed - h->run.seed + 1, stage,
          &(watch_point){(uint64_t)epoch, number_of(line, "loss"), number_of(line, "validation")});
    json_decref(line);
  }
  free(path);
  free(text);
}
