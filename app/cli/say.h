/* Lines on stderr: text for people, or JSON for programs. */
#ifndef SOTTO_APP_CLI_SAY_H
#define SOTTO_APP_CLI_SAY_H

#include "sotto/base.h"

typedef enum watch_level { WATCH_ERROR, WATCH_WARN, WATCH_INFO, WATCH_DEBUG } watch_level;

/* How lines are written; the usual way until it is set. */
typedef struct watch_style {
  bool json;
  watch_level level; /* and all that is more serious */
} watch_style;

/* Finds a level by its name; false when it is none. */
bool watch_level_read(watch_level *out, const char *name);

/* A line of text; `timed`: it begins with the local time. */
void watch_say_text(const watch_style *style, watch_level level, bool timed, const char *text);
/* A line of JSON: time (UTC), level, event, the event's members, text. `event` may be NULL: then `name` says
 * what it is. */
void watch_say_json(const watch_style *style, watch_level level, const char *name, const sotto_event *event,
                    const char *text);

#endif
