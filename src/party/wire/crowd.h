/* Who may stay among those that have not shown who they are: places, shared out by the network address that a
 * connection comes from, so that whoever takes many of them loses his own. No sockets here.
 *
 * The place that is given up is one of the source that has most, and sources are served in turn. A source
 * from which a peer came before is counted SOTTO_I_FAVOUR places fewer: that keeps its place, and no more
 * than that, since not every machine behind an address is a peer. */
#ifndef SOTTO_SRC_PARTY_WIRE_CROWD_H
#define SOTTO_SRC_PARTY_WIRE_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_I_MOST_PLACES = 256, SOTTO_I_MOST_KNOWN = 32, SOTTO_I_FAVOUR = 8, SOTTO_I_NO_PLACE = 0xFFFF };

/* An IPv4 address, or the first half of an IPv6 address, which is the part that a site is given; zeros after
 * it. */
typedef struct sotto_i_origin {
  uint8_t bytes[16];
} sotto_i_origin;

typedef struct sotto_i_crowd_place {
  bool taken, ready; /* ready: may be served */
  uint16_t group;
  uint64_t came; /* the order in which they came */
} sotto_i_crowd_place;

/* The places of one source. */
typedef struct sotto_i_group {
  sotto_i_origin source;
  uint16_t count; /* 0: the group is free */
  bool known;
  uint64_t served; /* when one of them was served last, in the order of all */
} sotto_i_group;

/* Begins as zeros, but for `size`: how many places there are, 1 to SOTTO_I_MOST_PLACES. */
typedef struct sotto_i_crowd {
  size_t size, taken;
  uint64_t turns;
  sotto_i_crowd_place places[SOTTO_I_MOST_PLACES];
  sotto_i_group groups[SOTTO_I_MOST_PLACES];
  sotto_i_origin known[SOTTO_I_MOST_KNOWN];
  size_t known_count; /* ever; the list is a ring */
} sotto_i_crowd;

/* Takes a free place for a connection from there; there has to be one. */
size_t sotto_i_crowd_enter(sotto_i_crowd *crowd, const sotto_i_origin *source);
void sotto_i_crowd_leave(sotto_i_crowd *crowd, size_t place);
/* Which place is to be given up: of a source with most of them the oldest that is not ready, else the newest.
 * SOTTO_I_NO_PLACE when none is taken, or, without `now`, when one is free. */
size_t sotto_i_crowd_victim(const sotto_i_crowd *crowd, bool now);
/* Which ready place is served next: of the source that was served longest ago, the oldest. SOTTO_I_NO_PLACE:
 * none is ready. The caller calls sotto_i_crowd_leave for it. */
size_t sotto_i_crowd_serve(sotto_i_crowd *crowd);
/* A peer has come from there. */
void sotto_i_crowd_know(sotto_i_crowd *crowd, const sotto_i_origin *source);

#endif
