/* Watching a long-running verb: its flags, its observer, its board. */
#ifndef SOTTO_APP_CLI_WATCH_H
#define SOTTO_APP_CLI_WATCH_H

#include "say.h"
#include "watch/history.h"

/* Output style and state of this process. Guarded by the locks of watch.c. */
typedef struct watch {
  watch_style style;
  watch_state state;
  watch_history history;
  bool open;     /* style of lines */
  double shown;  /* when progress was last shown */
  double waited; /* when waiting was last shown */
} watch;

/* Called under the lock. */
void watch_show_progress(watch *w, double now);
void watch_show_event(watch *w, const sotto_event *event, double now);
void watch_show_line(watch *w, watch_level level, const char *name, const char *text);
/* Ends the line that is drawn over. */
void watch_close_line(watch *w);

#endif
