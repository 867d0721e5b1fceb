/* Connections that have not greeted yet: few, each for a short time, and none of them a danger to the run. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "wire.h"

void sotto_i_wire_log(sotto_wire *wire, sotto_log_level level, const char *format, ...) {
  char text[700];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  sotto_i_log(wire->options.observer, level, "%s: %s", wire->options.peer, text);
}

/* A connector says each problem once; a listener the first hundred refusals, and then each hundredth. */
static void note_problem(sotto_wire *wire, const char *with, const char *why) {
  if (wire->listener >= 0) {
    wire->refused++;
    if (wire->refused <= 100 || wire->refused % 100 == 0)
      sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "refused a connection from %s: %s", with, why);
  } else if (strcmp(wire->last_problem, why) != 0) {
    sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "could not be reached at %s: %s", wire->options.address, why);
  }
  (void)snprintf(wire->last_problem, sizeof wire->last_problem, "%s", why);
}

void sotto_i_wire_drop_guest(sotto_wire *wire, size_t i, const char *why) {
  if (why != NULL) note_problem(wire, wire->guests[i]->with, why);
  sotto_i_conn_free(wire->guests[i]);
  wire->guests[i] = NULL;
}

/* A free place; when there is none, that of the guest that has waited longest. */
static size_t place_for_guest(sotto_wire *wire) {
  size_t oldest = 0;
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++) {
    if (wire->guests[i] == NULL) return i;
    if (wire->guests[i]->deadline < wire->guests[oldest]->deadline) oldest = i;
  }
  sotto_i_wire_drop_guest(wire, oldest, "too many connections that did not greet; the oldest went");
  return oldest;
}

static void add_guest(sotto_wire *wire, int fd, const char *with) {
  sotto_error problem = {0};
  size_t i = place_for_guest(wire);
  bool accepts = wire->listener >= 0;
  if (sotto_i_conn_new(&wire->guests[i], fd, wire->context, accepts, !accepts, with, &problem) != SOTTO_OK) {
    note_problem(wire, with, problem.text);
    return;
  }
  wire->guests[i]->deadline = sotto_i_seconds() + wire->options.connect_limit;
  wire->guests[i]->sent = &wire->counted[0];
  wire->guests[i]->received = &wire->counted[1];
}

void sotto_i_wire_admit(sotto_wire *wire) {
  char with[80];
  for (int i = 0; i < SOTTO_I_MOST_GUESTS; i++) { /* the rest waits its turn in the kernel */
    int fd = sotto_i_address_accept(wire->listener, with);
    if (fd < 0) return;
    add_guest(wire, fd, with);
  }
}

void sotto_i_wire_dial(sotto_wire *wire) {
  const double longest = 5;
  sotto_error problem = {0};
  int fd;
  wire->next_try = sotto_i_seconds() + wire->pause;
  wire->pause = wire->pause * 2 < longest ? wire->pause * 2 : longest;
  if (sotto_i_address_dial(&fd, wire->options.address, wire->context == NULL, &problem) == SOTTO_OK)
    add_guest(wire, fd, wire->options.address);
  else
    note_problem(wire, wire->options.address, problem.text);
}

static void open_guest(sotto_wire *wire, sotto_i_conn *guest) {
  sotto_i_conn_free(wire->conn);
  wire->conn = guest;
  guest->state = SOTTO_I_CONN_OPEN;
  guest->cutter.bulk_allowed = true;
  wire->pause = 0.1;
  wire->last_problem[0] = '\0';
}

static bool same_session(const sotto_i_hello *mine, const sotto_i_hello *theirs) {
  static const uint8_t none[16];
  return memcmp(mine->session, none, 16) != 0 && memcmp(mine->session, theirs->session, 16) == 0;
}

/* Both greetings are known. Either the connection goes on with the session, or it begins one. */
static sotto_status enter_session(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine, *theirs = &guest->theirs;
  sotto_progress common;
  if (same_session(mine, theirs)) {
    if (memcmp(mine->session, wire->session_id, 16) != 0)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "its greeting crossed with another");
    sotto_status status = sotto_i_session_resume(&wire->session, theirs->received, err);
    if (status == SOTTO_OK) sotto_i_wire_log(wire, SOTTO_LOG_INFO, "connected again (%s)", guest->with);
    return status;
  }
  /* Only one start of a party can take part. One that is gone without a word is missed after the idle limit.
   */
  if (!mine->check && (mine->busy || theirs->busy || wire->conn != NULL))
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "a session with another start of the same party goes on; is it running twice?");
  sotto_i_greet_session(wire->session_id, &common, mine, theirs);
  sotto_i_session_begin(&wire->session, common);
  sotto_i_wire_log(wire, SOTTO_LOG_INFO, "connected (%s)", guest->with);
  return SOTTO_OK;
}

/* The peer is who it must be and has greeted. */
static void greeted(sotto_wire *wire, size_t i) {
  sotto_i_conn *guest = wire->guests[i];
  char why[500];
  sotto_error problem = {0};
  bool asks = guest->theirs.check || guest->mine.check;
  if (!sotto_i_greet_agree(why, sizeof why, wire, &guest->theirs)) {
    /* Before a session it is a mistake that both should hear of; within one, somebody's second try. */
    if (wire->options.check || (wire->session.generation == 0 && !asks))
      sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, why);
    sotto_i_wire_drop_guest(wire, i, why);
  } else if (asks && !wire->options.check) {
    sotto_i_wire_log(wire, SOTTO_LOG_INFO, "asked whether all is ready, and it is");
    sotto_i_wire_drop_guest(wire, i, NULL);
  } else if (enter_session(wire, guest, &problem) != SOTTO_OK) {
    sotto_i_wire_drop_guest(wire, i, problem.text);
  } else {
    wire->guests[i] = NULL;
    open_guest(wire, guest);
  }
}

/* The first frame of a guest has to be a Hello. */
static void take_greeting(sotto_wire *wire, size_t i) {
  sotto_i_conn *guest = wire->guests[i];
  sotto_i_frame frame;
  sotto_error problem = {0};
  if (sotto_i_frame_decode(&frame, guest->cutter.body, guest->cutter.body_size, &problem) != SOTTO_OK) {
    sotto_i_wire_drop_guest(wire, i, problem.text);
    return;
  }
  if (frame.kind != SOTTO_I_FRAME_HELLO) {
    sotto_i_frame_clear(&frame);
    sotto_i_wire_drop_guest(wire, i, "its first frame is no greeting");
    return;
  }
  guest->theirs = frame.hello; /* takes the terms over */
  sotto_i_cutter_next(&guest->cutter);
  greeted(wire, i);
}

void sotto_i_wire_serve_guest(sotto_wire *wire, size_t i, short events) {
  sotto_i_conn *guest = wire->guests[i];
  sotto_error problem = {0};
  sotto_i_step step = SOTTO_I_MOVED;
  if (sotto_i_seconds() > guest->deadline) {
    sotto_i_wire_drop_guest(wire, i, "the limit 'connect-limit' struck before it had greeted");
    return;
  }
  if (events == 0) return;
  if (guest->state != SOTTO_I_CONN_GREETING) {
    step = sotto_i_conn_advance(guest, &problem);
    if (step == SOTTO_I_MOVED) {
      sotto_i_frame hello = {.kind = SOTTO_I_FRAME_HELLO};
      sotto_i_greet_fill(&guest->mine, wire);
      hello.hello = guest->mine;
      sotto_i_conn_begin(guest, &hello, NULL, 0);
    }
  }
  if (guest->state == SOTTO_I_CONN_GREETING && step == SOTTO_I_MOVED) {
    if (!sotto_i_conn_idle(guest)) step = sotto_i_conn_write(guest, &problem);
    if (step != SOTTO_I_BROKEN && sotto_i_conn_idle(guest)) step = sotto_i_conn_read(guest, &problem);
    if (step == SOTTO_I_MOVED) {
      take_greeting(wire, i);
      return;
    }
  }
  if (step == SOTTO_I_BROKEN) sotto_i_wire_drop_guest(wire, i, problem.text);
}
