/* Lines on stderr: text for people, or JSON for programs. */
#ifndef SOTTO_APP_CLI_SAY_H
#define SOTTO_APP_CLI_SAY_H

#include "sotto/base.h"

typedef enum watch_level { WATCH_ERROR, WATCH_WARN, WATCH_INFO, WATCH_DEBUG } watch_level;

/* Format of the lines; text until it is set. */
typedef struct watch_style {
  bool json;
  watch_level level; /* the least serious level that is printed */
} watch_style;

/* Parses the name of a level; false if there is none of this name. */
bool watch_level_read(watch_level *out, const char *name);

/* A line of text; timed: it begins with the local time. */
void watch_say_text(const watch_style *style, watch_level level, bool timed, const char *text);
/* A line of JSON: time (UTC), level, event, the event's members, text. If `event` is NULL, `name` is the
 * name of the event. */
void watch_say_json(const watch_style *style, watch_level level, const char *name, const sotto_event *event,
                    const char *text);

#endif
