/* Watching a verb that runs long: its flags, its observer, its board. */
#ifndef SOTTO_APP_CLI_WATCH_H
#define SOTTO_APP_CLI_WATCH_H

#include "say.h"
#include "watch/history.h"

/* What this process says and knows; `lock` of watch.c guards it, in calls of the observer and of the server.
 */
typedef struct watch {
  watch_style style;
  watch_state state;
  watch_history history;
  bool open;     /* a line stands on the terminal that is drawn over */
  double shown;  /* when progress was last shown */
  double waited; /* when waiting was last shown */
} watch;

/* Under the lock. */
void watch_show_progress(watch *w, double now);
void watch_show_event(watch *w, const sotto_event *event, double now);
void watch_show_line(watch *w, watch_level level, const char *name, const char *text);
/* Ends the line that is drawn over. */
void watch_close_line(watch *w);

#endif
