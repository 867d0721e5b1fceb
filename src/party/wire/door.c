/* Connections up to their first flight. */
#include "door.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/progress.h"
#include "tls.h"
#include "wire.h"

void sotto_i_door_init(sotto_i_door *door, int listener, bool tls, double limit, size_t places) {
  *door = (sotto_i_door){.listener = listener, .tls = tls, .limit = limit, .starts = SOTTO_I_STARTS_AT_ONCE};
  door->crowd.size = places;
  door->counted = sotto_i_seconds();
}

static void turn_out(sotto_i_door *door, size_t place, const char *why) {
  sotto_i_knock *knock = &door->knocks[place];
  if (why != NULL) door->refused(door->context, knock->with, why);
  sotto_i_address_reject(knock->fd);
  sotto_i_crowd_leave(&door->crowd, place);
}

/* The socket becomes readable when so many bytes are there, so nobody is looked at for each of them. */
static void wait_for(sotto_i_knock *knock, int bytes) {
  knock->needs = bytes;
  (void)setsockopt(knock->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

void sotto_i_door_look(sotto_i_door *door, size_t place) {
  sotto_i_knock *knock = &door->knocks[place];
  uint8_t first[SOTTO_I_FIRST_BYTES];
  int there = 0;
  ssize_t count = recv(knock->fd, first, sizeof first, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    turn_out(door, place, "it hung up before it had said anything");
    return;
  }
  int needs = door->tls ? sotto_i_tls_first_flight(first, (size_t)count) : 1;
  if (needs < 0) {
    turn_out(door, place, "its first bytes are no TLS");
    return;
  }
  if (ioctl(knock->fd, FIONREAD, &there) != 0) there = (int)count;
  if (needs > 0 && there >= needs)
    door->crowd.places[place].ready = true;
  else
    wait_for(knock, needs > 0 ? needs : SOTTO_I_FIRST_BYTES);
}

void sotto_i_door_admit(sotto_i_door *door) {
  for (int n = 0; n < SOTTO_I_MOST_KNOCKS; n++) { /* the rest waits its turn in the kernel */
    sotto_i_knock knock = {.came = sotto_i_seconds()};
    knock.fd = sotto_i_address_accept(door->listener, knock.with, &knock.source);
    bool full = knock.fd < 0 && (errno == EMFILE || errno == ENFILE);
    if (knock.fd < 0 && !full) return;
    size_t victim = sotto_i_crowd_victim(&door->crowd, full);
    if (victim != SOTTO_I_NO_PLACE)
      turn_out(door, victim, "too many connections that did not greet, most of them from there");
    if (full) { /* of descriptors: not at once again, since nothing may have become free */
      (void)poll(NULL, 0, 1);
      return;
    }
    size_t place = sotto_i_crowd_enter(&door->crowd, &knock.source);
    door->knocks[place] = knock;
    if (door->tls) wait_for(&door->knocks[place], SOTTO_I_FIRST_BYTES);
    sotto_i_door_look(door, place);
  }
}

size_t sotto_i_door_collect(const sotto_i_door *door, struct pollfd *sockets, size_t *owners) {
  size_t count = 0;
  for (size_t i = 0; i < door->crowd.size; i++) {
    if (!door->crowd.places[i].taken || door->crowd.places[i].ready) continue;
    owners[count] = i;
    sockets[count++] = (struct pollfd){.fd = door->knocks[i].fd, .events = POLLIN};
  }
  return count;
}

void sotto_i_door_sweep(sotto_i_door *door, double now) {
  for (size_t i = 0; i < door->crowd.size; i++)
    if (door->crowd.places[i].taken && !door->crowd.places[i].ready &&
        now - door->knocks[i].came > door->limit)
      turn_out(door, i, "the limit 'connect-limit' struck: its first flight took a quarter of it");
}

bool sotto_i_door_next(sotto_i_door *door, double now, sotto_i_knock *out) {
  const int any = 1;
  door->starts += (now - door->counted) * SOTTO_I_STARTS;
  if (door->starts > SOTTO_I_STARTS_AT_ONCE) door->starts = SOTTO_I_STARTS_AT_ONCE;
  door->counted = now;
  if (door->starts < 1) return false;
  size_t place = sotto_i_crowd_serve(&door->crowd);
  if (place == SOTTO_I_NO_PLACE) return false;
  door->starts -= 1;
  *out = door->knocks[place];
  (void)setsockopt(out->fd, SOL_SOCKET, SO_RCVLOWAT, &any, sizeof any);
  sotto_i_crowd_leave(&door->crowd, place);
  return true;
}

bool sotto_i_door_waits(const sotto_i_door *door) {
  for (size_t i = 0; i < door->crowd.size; i++)
    if (door->crowd.places[i].taken && door->crowd.places[i].ready) return true;
  return false;
}

void sotto_i_door_close(sotto_i_door *door) {
  for (size_t i = 0; i < door->crowd.size; i++)
    if (door->crowd.places[i].taken) turn_out(door, i, NULL);
}
