/* The live board: the page of a run that goes on, and its health, readiness and metrics for programs. It is
 * drawn from a copy of what watches the run, by a thread of its server, so that no reader holds the run up;
 * at the end the page turns into the run's report. */
#ifndef SOTTO_APP_BOARD_BOARD_H
#define SOTTO_APP_BOARD_BOARD_H

#include "view.h"

typedef struct board board;

typedef struct board_options {
  const char *address;           /* HOST:PORT, [HOST]:PORT, or unix:PATH */
  const char *token_file, *flag; /* as of http_options */
  void (*look)(board_view *out); /* fills a copy; called by a thread of the server */
  bool page;                     /* false: /health, /ready and /metrics alone */
} board_options;

enum { BOARD_READERS = 16 }; /* that follow a run at a time */

/* Listens, and answers from now on. Errors: those of http_open. */
sotto_status board_open(board **out, const board_options *options, sotto_error *err);
/* Readers get what there is to see at the end, for up to `seconds`. NULL is taken. */
void board_close(board *board, double seconds);

#endif
