/* Connections that have not greeted yet: few, each for a short time, and none of them a danger to the run. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "lobby.h"
#include "mesh.h"
#include "wire.h"

void sotto_i_wire_log(sotto_wire *wire, sotto_log_level level, const char *format, ...) {
  char text[700];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  sotto_i_log(wire->options.observer, level, "%s: %s", wire->options.peer, text);
}

void sotto_i_wire_event(sotto_wire *wire, sotto_event_kind kind, const sotto_i_conn *guest,
                        const char *text) {
  char whole[700];
  sotto_event event = {.kind = kind,
                       .peer = wire->options.peer,
                       .address = guest == NULL ? wire->options.address : guest->with,
                       .version = guest == NULL ? NULL : guest->theirs.version};
  if (kind == SOTTO_EVENT_WAITING) event.seconds = sotto_i_seconds() - wire->lost;
  if (text[0] != '\0') {
    (void)snprintf(whole, sizeof whole, "%.127s: %s", wire->options.peer, text);
    sotto_text_clean(whole, false);
    event.text = whole;
  }
  sotto_i_event(wire->options.observer, &event);
}

bool sotto_i_wire_routine(sotto_wire *wire) {
  return sotto_i_refusal_logged(&wire->routine);
}

void sotto_i_wire_problem(sotto_wire *wire, const char *why, sotto_trouble trouble) {
  pthread_mutex_lock(&wire->session.lock);
  wire->trouble = trouble;
  (void)snprintf(wire->last_problem, sizeof wire->last_problem, "%.199s", why);
  pthread_mutex_unlock(&wire->session.lock);
}

sotto_trouble sotto_i_wire_trouble(sotto_wire *wire) {
  pthread_mutex_lock(&wire->session.lock);
  sotto_trouble trouble = wire->trouble;
  pthread_mutex_unlock(&wire->session.lock);
  return trouble;
}

/* A connector says each problem once; a listener the first hundred refusals, and then each hundredth. A peer
 * whose last word came may be gone, and that it cannot be called again is no news. */
static void note_problem(sotto_wire *wire, const char *with, const char *why, sotto_trouble trouble) {
  if (wire->mesh != NULL && wire->session.peer_finished) return; /* it has all, and may be gone */
  pthread_mutex_lock(&wire->session.lock);
  bool known = strcmp(wire->last_problem, why) == 0;
  pthread_mutex_unlock(&wire->session.lock);
  if (wire->lobby != NULL) {
    if (sotto_i_refusal_logged(&wire->refused))
      sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "refused a connection from %s: %s", with, why);
  } else if (!known && !wire->session.peer_finished) {
    sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "could not be reached at %s: %s", wire->options.address, why);
  }
  sotto_i_wire_problem(wire, why, trouble);
}

/* A check of the peer that it calls needs no second try to know of a refused certificate. */
static void end_check(sotto_wire *wire, const sotto_i_conn *guest, const char *why) {
  char text[400];
  if (!wire->options.check || wire->lobby != NULL || !guest->judged) return;
  (void)snprintf(text, sizeof text, "no connection with '%s' (at %s): %.150s", wire->options.peer,
                 wire->options.address, why);
  sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, text);
}

void sotto_i_wire_drop_guest(sotto_wire *wire, size_t i, const char *why) {
  if (why != NULL) note_problem(wire, wire->guests[i]->with, why, wire->guests[i]->trouble);
  if (why != NULL) end_check(wire, wire->guests[i], why);
  sotto_i_conn_free(wire->guests[i]);
  wire->guests[i] = NULL;
}

void sotto_i_wire_drop_guests(sotto_wire *wire) {
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++)
    if (wire->guests[i] != NULL) sotto_i_wire_drop_guest(wire, i, NULL);
}

/* A free place among guests, or that of the one that has waited longest: all are the peer's. */
static size_t place_for_guest(sotto_wire *wire) {
  size_t oldest = 0;
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++) {
    if (wire->guests[i] == NULL) return i;
    if (wire->guests[i]->deadline < wire->guests[oldest]->deadline) oldest = i;
  }
  sotto_i_wire_drop_guest(wire, oldest, "too many connections that did not greet; the oldest went");
  return oldest;
}

/* One that left hears that in the place of a greeting. */
static void say_hello(sotto_wire *wire, sotto_i_conn *guest) {
  sotto_i_frame hello = {.kind = SOTTO_I_FRAME_HELLO};
  if (sotto_i_wire_gone(wire)) {
    sotto_i_frame stop = {.kind = SOTTO_I_FRAME_STOP};
    (void)snprintf(stop.reason, sizeof stop.reason, "the run goes on without %s", wire->options.peer);
    sotto_i_conn_begin(guest, &stop, NULL, 0);
    return;
  }
  sotto_i_greet_fill(&guest->mine, wire);
  hello.hello = guest->mine;
  sotto_i_conn_begin(guest, &hello, NULL, 0);
}

void sotto_i_wire_arrived(sotto_wire *wire, sotto_i_conn *guest) {
  sotto_i_conn *none = NULL, **place = &none;
  pthread_mutex_lock(&wire->session.lock);
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS && place == &none; i++)
    if (wire->arrived[i] == NULL) place = &wire->arrived[i];
  *place = guest;
  pthread_mutex_unlock(&wire->session.lock);
  if (none != NULL) sotto_i_conn_free(none); /* the peer comes again */
  sotto_i_session_wake(&wire->session);
}

void sotto_i_wire_admit(sotto_wire *wire) {
  for (size_t n = 0; n < SOTTO_I_MOST_GUESTS; n++) {
    pthread_mutex_lock(&wire->session.lock);
    sotto_i_conn *guest = wire->arrived[n];
    wire->arrived[n] = NULL;
    pthread_mutex_unlock(&wire->session.lock);
    if (guest == NULL) continue;
    wire->guests[place_for_guest(wire)] = guest;
    guest->sent = &wire->counted[0];
    guest->received = &wire->counted[1];
    if (guest->came) wire->counted[1] += guest->cutter.at;
    say_hello(wire, guest);
  }
}

static void add_dialled(sotto_wire *wire, int fd) {
  sotto_error problem = {0};
  const char *with = wire->options.address;
  size_t i = place_for_guest(wire);
  if (sotto_i_conn_new(&wire->guests[i], fd, wire->context, false, true, with, &problem) != SOTTO_OK) {
    note_problem(wire, with, problem.text, SOTTO_TROUBLE_OTHER);
    return;
  }
  if (wire->options.proxy[0] != '\0' && sotto_i_conn_by_proxy(wire->guests[i], with, &problem) != SOTTO_OK) {
    sotto_i_wire_drop_guest(wire, i, problem.text);
    return;
  }
  wire->guests[i]->deadline = sotto_i_seconds() + wire->options.connect_limit;
  wire->guests[i]->sent = &wire->counted[0];
  wire->guests[i]->received = &wire->counted[1];
}

void sotto_i_wire_dial(sotto_wire *wire) {
  const double longest = 5;
  const char *proxy = wire->options.proxy[0] != '\0' ? wire->options.proxy : NULL;
  sotto_error problem = {0};
  sotto_trouble trouble;
  int fd;
  wire->next_try = sotto_i_seconds() + wire->pause;
  wire->pause = wire->pause * 2 < longest ? wire->pause * 2 : longest;
  if (sotto_i_address_dial(&fd, &trouble, proxy != NULL ? proxy : wire->options.address,
                           wire->context == NULL, &problem) == SOTTO_OK) {
    add_dialled(wire, fd);
    return;
  }
  if (proxy != NULL) sotto_i_error_prefix(&problem, "the proxy");
  note_problem(wire, wire->options.address, problem.text, proxy != NULL ? SOTTO_TROUBLE_PROXY : trouble);
}

/* The handshake has proved that the certificate is the peer's; it may be a new one under the same key. */
static void take_renewed(sotto_wire *wire, const sotto_i_conn *guest) {
  sotto_error problem = {0};
  bool renewed = false;
  char ends[32] = "";
  X509 *certificate = guest->ssl == NULL ? NULL : SSL_get1_peer_certificate(guest->ssl);
  if (certificate == NULL) return;
  if (sotto_i_trusted_renewed(&renewed, ends, wire->trusted, certificate, &problem) != SOTTO_OK)
    sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "its new certificate could not be kept: %s", problem.text);
  else if (renewed)
    sotto_i_wire_log(wire, SOTTO_LOG_INFO, "has a new certificate under the same key, until %s", ends);
  X509_free(certificate);
}

static void open_guest(sotto_wire *wire, sotto_i_conn *guest) {
  sotto_i_conn_free(wire->conn);
  wire->conn = guest;
  guest->state = SOTTO_I_CONN_OPEN;
  guest->cutter.bulk_allowed = true;
  wire->pause = 0.1;
  sotto_i_wire_problem(wire, "", SOTTO_TROUBLE_NONE);
}

/* Tells the peer why it is refused, as far as that goes at once. */
static void tell_guest(sotto_i_conn *guest, const char *why) {
  sotto_i_frame stop = {.kind = SOTTO_I_FRAME_STOP};
  sotto_error ignored = {0};
  (void)snprintf(stop.reason, sizeof stop.reason, "%.250s", why);
  sotto_i_conn_begin(guest, &stop, NULL, 0);
  (void)sotto_i_conn_write(guest, &ignored);
}

/* Before a session a mistake is one that both should hear of; within one, somebody's second try. */
static void refuse_greeting(sotto_wire *wire, size_t i, const char *why, bool asks) {
  if (wire->options.check || (wire->session.generation == 0 && !asks)) {
    if (wire->mesh != NULL) {
      tell_guest(wire->guests[i], why);
      sotto_i_mesh_tell(wire->mesh, why);
    }
    sotto_i_wire_problem(wire, why, wire->guests[i]->trouble);
    sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, why);
  }
  sotto_i_wire_drop_guest(wire, i, why);
}

/* The peer is who it must be and has greeted. */
static void greeted(sotto_wire *wire, size_t i) {
  sotto_i_conn *guest = wire->guests[i];
  char why[500];
  sotto_error problem = {0};
  bool asks = guest->theirs.check || guest->mine.check;
  take_renewed(wire, guest);
  if (sotto_i_wire_gone(wire)) {
    sotto_i_wire_drop_guest(wire, i, "the run goes on without it");
  } else if (!sotto_i_greet_agree(why, sizeof why, &guest->trouble, wire, &guest->theirs)) {
    refuse_greeting(wire, i, why, asks);
  } else if (asks && !wire->options.check) {
    if (sotto_i_wire_routine(wire))
      sotto_i_wire_log(wire, SOTTO_LOG_INFO, "asked whether all is ready, and it is");
    sotto_i_wire_drop_guest(wire, i, NULL);
  } else if (sotto_i_wire_enter(wire, guest, &problem) != SOTTO_OK) {
    sotto_i_wire_drop_guest(wire, i, problem.text[0] == '\0' ? NULL : problem.text);
  } else {
    wire->guests[i] = NULL;
    open_guest(wire, guest);
  }
}

/* The first frame of a guest has to be a Hello, or, from a peer that has shown who it is or was called, a
 * Stop. */
static void take_greeting(sotto_wire *wire, size_t i) {
  sotto_i_conn *guest = wire->guests[i];
  sotto_i_frame frame;
  sotto_error problem = {0};
  if (sotto_i_frame_decode(&frame, guest->cutter.body, guest->cutter.body_size, &problem) != SOTTO_OK) {
    sotto_i_wire_drop_guest(wire, i, problem.text);
    return;
  }
  if (sotto_i_frame_may_come(&frame, true, guest->cutter.body_size, 0, &problem) != SOTTO_OK) {
    sotto_i_frame_clear(&frame);
    sotto_i_wire_drop_guest(wire, i, problem.text);
    return;
  }
  if (frame.kind == SOTTO_I_FRAME_STOP) {
    if (wire->context != NULL || wire->lobby == NULL) sotto_i_wire_stopped(wire, frame.reason);
    sotto_i_wire_drop_guest(wire, i, "it gave the run up in the place of a greeting");
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
    guest->trouble = sotto_i_conn_late(guest);
    sotto_i_wire_drop_guest(wire, i, "the limit 'connect-limit' struck before it had greeted");
    return;
  }
  if (events == 0) return;
  if (guest->state != SOTTO_I_CONN_GREETING) {
    step = sotto_i_conn_advance(guest, &problem);
    if (step == SOTTO_I_MOVED) say_hello(wire, guest);
  }
  if (guest->state == SOTTO_I_CONN_GREETING && step == SOTTO_I_MOVED) {
    if (!sotto_i_conn_idle(guest)) step = sotto_i_conn_write(guest, &problem);
    if (step != SOTTO_I_BROKEN && sotto_i_conn_idle(guest) && !guest->came)
      step = sotto_i_conn_read(guest, &problem);
    if (step == SOTTO_I_MOVED) {
      take_greeting(wire, i);
      return;
    }
  }
  if (step == SOTTO_I_BROKEN) sotto_i_wire_drop_guest(wire, i, problem.text);
}
