/* Lines on stderr. */
#include "say.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/print.h"

static const char *const names[] = {"error", "warn", "info", "debug"};

bool watch_level_read(watch_level *out, const char *name) {
  for (watch_level level = WATCH_ERROR; level <= WATCH_DEBUG; level++) {
    if (strcmp(name, names[level]) != 0) continue;
    *out = level;
    return true;
  }
  return false;
}

void watch_say_text(const watch_style *style, watch_level level, bool timed, const char *text) {
  char time_of_day[16] = "";
  struct tm local;
  const time_t now = time(NULL);
  if (level > style->level) return;
  if (timed && localtime_r(&now, &local) != NULL)
    (void)strftime(time_of_day, sizeof time_of_day, "%H:%M:%S ", &local);
  const bool colour = app_has_colours(stderr);
  (void)fputs(time_of_day, stderr);
  if (level == WATCH_WARN) (void)fputs(colour ? "\033[33mwarning:\033[0m " : "warning: ", stderr);
  app_print(stderr, "%s\n", text);
}

static void put_text(json_t *line, const char *key, const char *text) {
  char clean[1200];
  if (text == NULL) return;
  (void)snprintf(clean, sizeof clean, "%s", text);
  sotto_text_clean(clean, false);
  (void)json_object_set_new(line, key, json_string(clean));
}

/* A number, or null if it is not finite: JSON has no such number. */
static void put_number(json_t *line, const char *key, double number) {
  (void)json_object_set_new(line, key, isfinite(number) ? json_real(number) : json_null());
}

static void put_count(json_t *line, const char *key, uint64_t count) {
  (void)json_object_set_new(line, key, json_integer((json_int_t)count));
}

static void put_event(json_t *line, const sotto_event *e) {
  put_text(line, "peer", e->peer);
  put_text(line, "address", e->address);
  put_text(line, "version", e->version);
  if (e->kind == SOTTO_EVENT_WAITING) put_number(line, "seconds", floor(e->seconds));
  if (e->kind == SOTTO_EVENT_EPOCH) {
    put_text(line, "stage", e->stage);
    put_count(line, "done", e->done);
    put_count(line, "total", e->total);
    put_number(line, "loss", e->loss);
    put_number(line, "validation", e->validation);
  }
  if (e->kind == SOTTO_EVENT_PAYLOAD) {
    put_text(line, "kind", e->payload);
    put_count(line, "sent", e->sent);
    put_count(line, "received", e->received);
    if (e->total > 0) put_count(line, "done", e->done);
    if (e->total > 0) put_count(line, "total", e->total);
  }
  if (e->kind == SOTTO_EVENT_SPENT || e->kind == SOTTO_EVENT_PLANNED) {
    put_number(line, "epsilon", e->epsilon);
    put_number(line, "delta", e->delta);
    if (e->budget > 0) put_number(line, "budget", e->budget);
  }
}

void watch_say_json(const watch_style *style, watch_level level, const char *name, const sotto_event *event,
                    const char *text) {
  char when[80];
  struct timespec now;
  struct tm utc;
  if (level > style->level) return;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  (void)gmtime_r(&now.tv_sec, &utc);
  const size_t used = strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
  (void)snprintf(when + used, sizeof when - used, ".%03ldZ", now.tv_nsec / 1000000);
  json_t *line = json_object();
  put_text(line, "time", when);
  put_text(line, "level", names[level]);
  put_text(line, "event", event == NULL ? name : sotto_event_name(event->kind));
  if (event != NULL) put_event(line, event);
  put_text(line, "text", text);
  char *whole = line == NULL ? NULL : json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(8));
  if (whole != NULL) app_print(stderr, "%s\n", whole);
  free(whole);
  json_decref(line);
}
