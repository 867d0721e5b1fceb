/* Readers of a board: what is new for each of them, as server-sent events. */
#ifndef SOTTO_APP_BOARD_READERS_H
#define SOTTO_APP_BOARD_READERS_H

#include <pthread.h>

#include "http/http.h"
#include "parts.h"

/* The parts as they were drawn last, for all readers together, at most about once a second. What readers lack
 * is told by versions, not kept for them: a slow one skips what it missed.
 *
 * Locking: `lock` guards all members. The run never takes it. */
typedef struct board_readers {
  pthread_mutex_t lock;
  void (*look)(board_view *out);
  board_view view;
  double drawn; /* when; 0: never */
  char *parts[BOARD_PARTS], *report;
  uint64_t versions[BOARD_PARTS], latest;
} board_readers;

void board_readers_begin(board_readers *readers, void (*look)(board_view *out));
void board_readers_end(board_readers *readers);
/* The run ended: what readers get next is the last. */
void board_readers_last(board_readers *readers);
/* A reader that has nothing yet, which gets all. False without memory. */
bool board_reader_new(http_stream *out, board_readers *readers);

#endif
