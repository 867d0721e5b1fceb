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

/* `places`: 1 to SOTTO_I_MOST_KNOCKS. */
void sotto_i_door_init(sotto_i_door *door, int listener, bool tls, double limit, size_t places);
/* Accepts what there is, up to a table full. */
void sotto_i_door_admit(sotto_i_door *door);
/* Adds the sockets to wait for, at most SOTTO_I_MOST_KNOCKS, and whose they are; returns how many. */
size_t sotto_i_door_collect(const sotto_i_door *door, struct pollfd *sockets, size_t *owners);
/* Looks at one whose socket has events. */
void sotto_i_door_look(sotto_i_door *door, size_t place);
/* Turns those out whose time is over. */
void sotto_i_door_sweep(sotto_i_door *door, double now);
/* The next one for TLS, which is the caller's then. False: none, or not now. */
bool sotto_i_door_next(sotto_i_door *door, double now, sotto_i_knock *out);
/* Is one ready that has to wait for its start? */
bool sotto_i_door_waits(const sotto_i_door *door);
void sotto_i_door_close(sotto_i_door *door);

#endif
