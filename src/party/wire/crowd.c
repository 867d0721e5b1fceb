/* Places for unidentified connections, shared by source. */
#include "crowd.h"

#include <string.h>

#include "base/error.h"

static bool same_source(const sotto_i_origin *a, const sotto_i_origin *b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_known(const sotto_i_crowd *c, const sotto_i_origin *source) {
  size_t count = c->known_count < SOTTO_I_MOST_KNOWN ? c->known_count : SOTTO_I_MOST_KNOWN;
  for (size_t i = 0; i < count; i++)
    if (same_source(&c->known[i], source)) return true;
  return false;
}

/* The source's group, or a free one that becomes it: there are as many groups as places. */
static uint16_t find_group(sotto_i_crowd *c, const sotto_i_origin *source) {
  size_t free_one = c->size;
  for (size_t i = 0; i < c->size; i++) {
    if (c->groups[i].count > 0 && same_source(&c->groups[i].source, source)) return (uint16_t)i;
    if (c->groups[i].count == 0) free_one = i;
  }
  SOTTO_I_CHECK(free_one < c->size);
  c->groups[free_one] = (sotto_i_group){.source = *source, .known = is_known(c, source)};
  return (uint16_t)free_one;
}

size_t sotto_i_crowd_enter(sotto_i_crowd *c, const sotto_i_origin *source) {
  size_t place = 0;
  SOTTO_I_CHECK(c->taken < c->size);
  while (c->places[place].taken) place++;
  uint16_t group = find_group(c, source);
  c->groups[group].count++;
  c->places[place] = (sotto_i_crowd_place){.taken = true, .group = group, .came = ++c->turns};
  c->taken++;
  return place;
}

void sotto_i_crowd_leave(sotto_i_crowd *c, size_t place) {
  SOTTO_I_CHECK(c->places[place].taken);
  c->groups[c->places[place].group].count--;
  c->places[place].taken = false;
  c->taken--;
}

static int group_weight(const sotto_i_group *group) {
  return group->count - (group->known ? SOTTO_I_FAVOUR : 0);
}

size_t sotto_i_crowd_victim(const sotto_i_crowd *c, bool now) {
  int most = -SOTTO_I_FAVOUR;
  size_t waiting = SOTTO_I_NO_PLACE, ready = SOTTO_I_NO_PLACE;
  if (!now && c->taken < c->size) return SOTTO_I_NO_PLACE;
  for (size_t i = 0; i < c->size; i++)
    if (c->groups[i].count > 0 && group_weight(&c->groups[i]) > most) most = group_weight(&c->groups[i]);
  for (size_t i = 0; i < c->size; i++) {
    const sotto_i_crowd_place *place = &c->places[i];
    if (!place->taken || group_weight(&c->groups[place->group]) < most) continue;
    if (!place->ready && (waiting == SOTTO_I_NO_PLACE || place->came < c->places[waiting].came)) waiting = i;
    if (place->ready && (ready == SOTTO_I_NO_PLACE || place->came > c->places[ready].came)) ready = i;
  }
  return waiting != SOTTO_I_NO_PLACE ? waiting : ready;
}

/* Is a served before b? */
static bool is_before(const sotto_i_crowd *c, const sotto_i_crowd_place *a, const sotto_i_crowd_place *b) {
  const sotto_i_group *of_a = &c->groups[a->group], *of_b = &c->groups[b->group];
  if (of_a->served != of_b->served) return of_a->served < of_b->served;
  return a->came < b->came;
}

size_t sotto_i_crowd_serve(sotto_i_crowd *c) {
  size_t next = SOTTO_I_NO_PLACE;
  for (size_t i = 0; i < c->size; i++) {
    const sotto_i_crowd_place *place = &c->places[i];
    if (!place->taken || !place->ready) continue;
    if (next == SOTTO_I_NO_PLACE || is_before(c, place, &c->places[next])) next = i;
  }
  if (next != SOTTO_I_NO_PLACE) c->groups[c->places[next].group].served = ++c->turns;
  return next;
}

void sotto_i_crowd_know(sotto_i_crowd *c, const sotto_i_origin *source) {
  if (is_known(c, source)) return;
  c->known[c->known_count++ % SOTTO_I_MOST_KNOWN] = *source;
  for (size_t i = 0; i < c->size; i++)
    if (c->groups[i].count > 0 && same_source(&c->groups[i].source, source)) c->groups[i].known = true;
}
