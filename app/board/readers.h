/* Readers of a board: the updates for each of them, as server-sent events. */
#ifndef SOTTO_APP_BOARD_READERS_H
#define SOTTO_APP_BOARD_READERS_H

#include <pthread.h>

#include "http/http.h"
#include "parts.h"

/* The parts as drawn last, shared by all readers and redrawn at most about once a second. Versions say
 * which parts a reader lacks; nothing is queued, so a slow reader skips what it missed.
 *
 * Locking: `lock` guards all members. The run never takes it. */
typedef struct board_readers {
  pthread_mutex_t lock;
  void (*look)(board_view *out);
  board_view view;
  double drawn; /* time of the last drawing; 0: never */
  char *parts[BOARD_PARTS], *report;
  uint64_t versions[BOARD_PARTS], latest;
} board_readers;

void board_readers_begin(board_readers *readers, void (*look)(board_view *out));
void board_readers_end(board_readers *readers);
/* The run has ended: the next updates are the last ones. */
void board_readers_last(board_readers *readers);
/* A new reader, which first gets all parts. False: out of memory. */
bool board_reader_new(http_stream *out, board_readers *readers);

#endif
