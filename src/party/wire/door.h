/* The door of a lobby: connections that were accepted and have not sent their first flight. Each costs a
 * descriptor and a line of a table; TLS begins with those whose first flight is whole, in turn by source, and
 * at most SOTTO_I_STARTS times a second, so that a flood takes neither the places nor the processor. */
#ifndef SOTTO_SRC_PARTY_WIRE_DOOR_H
#define SOTTO_SRC_PARTY_WIRE_DOOR_H

#include <poll.h>

#include "crowd.h"

enum { SOTTO_I_MOST_KNOCKS = SOTTO_I_MOST_PLACES, SOTTO_I_STARTS = 1000, SOTTO_I_STARTS_AT_ONCE = 16 };

typedef struct sotto_i_knock {
  int fd;
  int needs; /* bytes that have to come before it is looked at again */
  double came;
  char with[80]; /* its address, for people */
  sotto_i_origin source;
} sotto_i_knock;

typedef struct sotto_i_door {
  int listener; /* borrowed */
  bool tls;
  double limit; /* seconds that a first flight may take */
  void (*refused)(void *context, const char *with, const char *why);
  void *context;
  sotto_i_crowd crowd;
  sotto_i_knock knocks[SOTTO_I_MOST_KNOCKS];
  double starts, counted; /* starts that are allowed now, counted up to this time */
} sotto_i_door;

#endif
