/* The state of a run that a live board shows. */
#ifndef SOTTO_APP_BOARD_VIEW_H
#define SOTTO_APP_BOARD_VIEW_H

#include "watch/history.h"

/* A plain value: a copy of the watched state. */
typedef struct board_view {
  watch_state state;
  watch_history history;
} board_view;

#endif
