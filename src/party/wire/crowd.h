/* Admission of unidentified connections: places are shared by network address, so that a source that takes
 * many of them displaces its own. No sockets here.
 *
 * A place is taken from the source with the most places, and sources are served in turn. A source from which
 * a peer came before counts SOTTO_I_FAVOUR places less. This keeps its place and no more, since not every
 * machine behind an address is a peer. */
#ifndef SOTTO_SRC_PARTY_WIRE_CROWD_H
#define SOTTO_SRC_PARTY_WIRE_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_I_MOST_PLACES = 256, SOTTO_I_MOST_KNOWN = 32, SOTTO_I_FAVOUR = 8, SOTTO_I_NO_PLACE = 0xFFFF };

/* An IPv4 address, or the first half of an IPv6 address, which is assigned to a site; followed by zeros. */
typedef struct sotto_i_origin {
  uint8_t bytes[16];
} sotto_i_origin;

typedef struct sotto_i_crowd_place {
  bool taken, ready; /* ready: may be served */
  uint16_t group;
  uint64_t came; /* order of arrival */
} sotto_i_crowd_place;

/* The places of one source. */
typedef struct sotto_i_group {
  sotto_i_origin source;
  uint16_t count; /* 0: the group is free */
  bool known;
  uint64_t served; /* order of its last service among all */
} sotto_i_group;

/* Zero-initialise all but `size`, the number of places, 1 to SOTTO_I_MOST_PLACES. */
typedef struct sotto_i_crowd {
  size_t size, taken;
  uint64_t turns;
  sotto_i_crowd_place places[SOTTO_I_MOST_PLACES];
  sotto_i_group groups[SOTTO_I_MOST_PLACES];
  sotto_i_origin known[SOTTO_I_MOST_KNOWN];
  size_t known_count; /* in all; the list is a ring */
} sotto_i_crowd;

/* Takes a free place for a connection from `source`; there must be one. */
size_t sotto_i_crowd_enter(sotto_i_crowd *crowd, const sotto_i_origin *source);
void sotto_i_crowd_leave(sotto_i_crowd *crowd, size_t place);
/* The place to give up: of a source with the most, the oldest that is not ready, else the newest.
 * SOTTO_I_NO_PLACE when none is taken, or, without `now`, when one is free. */
size_t sotto_i_crowd_victim(const sotto_i_crowd *crowd, bool now);
/* The ready place to serve next: the oldest of the source that was served longest ago. SOTTO_I_NO_PLACE: none
 * is ready. The caller calls sotto_i_crowd_leave for it. */
size_t sotto_i_crowd_serve(sotto_i_crowd *crowd);
/* Records that a peer came from this source. */
void sotto_i_crowd_know(sotto_i_crowd *crowd, const sotto_i_origin *source);

#endif
