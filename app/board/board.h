/* The live board: the web page of a running command, and its health, readiness and metrics for programs. A
 * thread of its server draws it from a copy of the run's state, so that no reader delays the run. At the
 * end the page turns into the run's report. */
#ifndef SOTTO_APP_BOARD_BOARD_H
#define SOTTO_APP_BOARD_BOARD_H

#include "view.h"

typedef struct board board;

typedef struct board_options {
  const char *address;           /* HOST:PORT, [HOST]:PORT, or unix:PATH */
  const char *token_file, *flag; /* as in http_options */
  void (*look)(board_view *out); /* fills a copy; called by a thread of the server */
  bool page;                     /* false: only /health, /ready and /metrics */
} board_options;

enum { BOARD_READERS = 16 }; /* readers that follow a run at the same time */

/* Listens, and answers requests until board_close. Errors: those of http_open. */
sotto_status board_open(board **out, const board_options *options, sotto_error *err);
/* Serves the final state for up to `seconds` to the readers that are connected. NULL is allowed. */
void board_close(board *board, double seconds);

#endif
