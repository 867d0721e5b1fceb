/* Connections that have not greeted yet: few, each for a short time, and harmless for the run. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "lobby.h"
#include "mesh_state.h"
#include "wire.h"

/* A free place among the guests, or that of the oldest guest: all of them are the peer's. */
static size_t place_for_guest(sotto_wire *wire) {
  size_t oldest = 0;
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++) {
    if (wire->guests[i] == NULL) return i;
    if (wire->guests[i]->deadline < wire->guests[oldest]->deadline) oldest = i;
  }
  sotto_i_wire_drop_guest(wire, oldest, "too many connections that did not greet; the oldest went");
  return oldest;
}

/* Sends the Hello; a peer that has left gets a Stop instead. */
static void send_hello(sotto_wire *wire, sotto_i_conn *guest) {
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
    send_hello(wire, guest);
  }
}

static void add_dialled(sotto_wire *wire, int fd) {
  sotto_error problem = {0};
  const char *with = wire->options.address;
  size_t i = place_for_guest(wire);
  if (sotto_i_conn_new(&wire->guests[i], fd, wire->context, false, true, with, &problem) != SOTTO_OK) {
    sotto_i_wire_note_problem(wire, with, problem.text, SOTTO_TROUBLE_OTHER);
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
  const double longest = SOTTO_I_LONGEST_PAUSE;
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
  sotto_i_wire_note_problem(wire, wire->options.address, problem.text,
                            proxy != NULL ? SOTTO_TROUBLE_PROXY : trouble);
}

/* Stores the peer's certificate, which the handshake has verified; it may be a new one under the same key. */
static void store_renewed(sotto_wire *wire, const sotto_i_conn *guest) {
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
  wire->stop_sent = false;
  guest->state = SOTTO_I_CONN_OPEN;
  guest->cutter.bulk_allowed = true;
  wire->pause = SOTTO_I_FIRST_PAUSE;
  sotto_i_wire_problem(wire, "", SOTTO_TROUBLE_NONE);
}

/* A peer that came only to say that it takes no part does not come again: it needs no reason. It may come
 * while this side already gives up because of another one. */
static bool has_declined(const sotto_i_conn *guest) {
  return guest->trouble == SOTTO_TROUBLE_TABLE || guest->trouble == SOTTO_TROUBLE_DECLINED;
}

/* The reason goes over the guest's connection, which stays open until the peer has read it. Otherwise both
 * sides would wait for another connection, at which each refuses the other again. */
static void keep_refused(sotto_wire *wire, size_t i, const char *why) {
  sotto_i_conn *guest = wire->guests[i];
  sotto_i_wire_report(wire, guest->with, why);
  wire->guests[i] = NULL;
  sotto_i_wire_request_stop(wire, why);
  open_guest(wire, guest);
}

/* Refuses a greeting. Before a session both sides should learn of a mistake; during one, it is another
 * attempt that does not matter. */
static void refuse_greeting(sotto_wire *wire, size_t i, const char *why, bool asks) {
  const sotto_trouble trouble = wire->guests[i]->trouble;
  const bool ends = wire->options.check || (wire->session.generation == 0 && !asks);
  if (ends && wire->mesh != NULL) sotto_i_mesh_tell(wire->mesh, why);
  if (has_declined(wire->guests[i])) sotto_i_wire_heard(wire);
  if (ends && wire->mesh != NULL && !wire->options.check && !has_declined(wire->guests[i]))
    keep_refused(wire, i, why);
  else
    sotto_i_wire_drop_guest(wire, i, why);
  if (!ends) return;
  sotto_i_wire_problem(wire, why, trouble);
  sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, why);
}

/* Handles a guest that is identified and has greeted. */
static void handle_greeted(sotto_wire *wire, size_t i) {
  sotto_i_conn *guest = wire->guests[i];
  char why[500];
  sotto_error problem = {0};
  bool asks = guest->theirs.check || guest->mine.check;
  store_renewed(wire, guest);
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

void sotto_i_wire_tell_grace(sotto_wire *wire) {
  char role[SOTTO_I_ROLE_SIZE], text[250];
  if (wire->mesh == NULL || wire->may_leave) return;
  sotto_i_mesh_role_of(role, wire->mesh, wire->place);
  (void)snprintf(text, sizeof text,
                 "there was no connection with %s for %g s, the limit 'grace'; start all parties again",
                 role[0] != '\0' ? role : wire->options.peer, wire->options.grace);
  sotto_i_mesh_tell(wire->mesh, text);
}

/* Tells the other peers why this one gave up. What it says of itself is passed on with its role. */
static void pass_on(sotto_wire *wire, const char *reason) {
  static const char itself[] = "it ";
  char role[SOTTO_I_ROLE_SIZE], text[300];
  sotto_i_mesh_role_of(role, wire->mesh, wire->place);
  if (role[0] != '\0' && strncmp(reason, itself, strlen(itself)) == 0)
    (void)snprintf(text, sizeof text, "%s %s", role, reason + strlen(itself));
  else
    (void)snprintf(text, sizeof text, "%s", reason);
  sotto_i_mesh_tell(wire->mesh, text);
}

void sotto_i_wire_stopped(sotto_wire *wire, const char *reason) {
  char text[400];
  (void)snprintf(text, sizeof text, "%s gave the run up: %s", wire->options.peer, reason);
  if (wire->mesh != NULL && !wire->may_leave) pass_on(wire, reason);
  sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, text);
  sotto_i_wire_heard(wire);
}

/* The first frame of a guest must be a Hello. A Stop is also allowed from a peer that is identified or was
 * called. */
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
  guest->theirs = frame.hello; /* takes ownership of the terms */
  sotto_i_cutter_next(&guest->cutter);
  handle_greeted(wire, i);
}

void sotto_i_wire_serve_guest(sotto_wire *wire, size_t i, short events) {
  sotto_i_conn *guest = wire->guests[i];
  sotto_error problem = {0};
  sotto_i_step step = SOTTO_I_MOVED;
  if (sotto_i_seconds() > guest->deadline) {
    guest->trouble = sotto_i_conn_late(guest);
    sotto_i_wire_drop_guest(wire, i, "the limit of an attempt struck before it had greeted");
    return;
  }
  if (events == 0) return;
  if (guest->state != SOTTO_I_CONN_GREETING) {
    step = sotto_i_conn_advance(guest, &problem);
    if (step == SOTTO_I_MOVED) send_hello(wire, guest);
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
