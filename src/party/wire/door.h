/* The door of a lobby: accepted connections that have not sent their first flight.
 *
 * Each costs a descriptor and an entry of a table. TLS begins with those whose first flight is complete, in
 * turn by source, and at most SOTTO_I_STARTS times a second. So a flood takes neither the places nor the
 * processor. */
#ifndef SOTTO_SRC_PARTY_WIRE_DOOR_H
#define SOTTO_SRC_PARTY_WIRE_DOOR_H

#include <poll.h>

#include "crowd.h"

enum { SOTTO_I_MOST_KNOCKS = SOTTO_I_MOST_PLACES, SOTTO_I_STARTS = 1000, SOTTO_I_STARTS_AT_ONCE = 16 };

typedef struct sotto_i_knock {
  int fd;
  double came;
  char with[80]; /* its address, for messages */
  sotto_i_origin source;
} sotto_i_knock;

typedef struct sotto_i_door {
  int listener; /* borrowed */
  bool tls;
  double limit; /* seconds allowed for a first flight */
  void (*refused)(void *context, const char *with, const char *why);
  void *context;
  sotto_i_crowd crowd;
  sotto_i_knock knocks[SOTTO_I_MOST_KNOCKS];
  double starts, counted; /* starts allowed now, computed up to this time */
} sotto_i_door;

#endif
