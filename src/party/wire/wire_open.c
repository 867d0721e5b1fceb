/* A wire's options and thread: opening, the main loop, and freeing. */
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "lobby.h"
#include "mesh_state.h"
#include "tls.h"
#include "wire.h"

enum { frames_a_round = 64, most_sockets = SOTTO_I_MOST_GUESTS + 2 };

/* Closes the connection. The peer closes it after it got the reason; a connection that broke may have lost
 * it. */
static void hang_up(sotto_wire *wire) {
  if (wire->stop_sent && wire->conn->ended && sotto_i_conn_idle(wire->conn)) sotto_i_wire_heard(wire);
  wire->stop_sent = false;
  sotto_i_conn_free(wire->conn);
  wire->conn = NULL;
}

static void drop_connection(sotto_wire *wire, const char *why) {
  char text[400] = "";
  const bool quiet = sotto_i_wire_gone(wire) || atomic_load(&wire->stopping);
  if (!wire->session.peer_finished && !quiet && sotto_i_wire_routine(wire))
    (void)snprintf(text, sizeof text, "the connection broke: %.250s; trying again for %g s", why,
                   wire->options.grace);
  if (!quiet) sotto_i_wire_event(wire, SOTTO_EVENT_LOST, NULL, text);
  if (!quiet) sotto_i_wire_problem(wire, why, SOTTO_TROUBLE_OTHER);
  hang_up(wire);
  wire->lost = sotto_i_seconds();
  wire->next_try = 0;
}

/* Drops the connection after a frame that the protocol does not allow. The peer, or its memory, may be
 * faulty; only repeated faults end the run. */
static void drop_faulty(sotto_wire *wire, const char *why) {
  char text[300];
  if (++wire->faults >= SOTTO_I_MOST_FAULTS) {
    (void)snprintf(text, sizeof text, "%s broke the protocol %u times: %.150s", wire->options.peer,
                   wire->faults, why);
    sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, text);
  }
  if (wire->session.peer_finished) /* whose connection may otherwise end without a message */
    sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "the connection is dropped: %s", why);
  drop_connection(wire, why);
}

/* Handles a frame. After this side's stop, further frames are read and ignored: closing a socket with unread
 * bytes resets the connection, and the peer may lose the reason. */
static sotto_status handle_frame(sotto_wire *wire, const sotto_i_frame *frame, sotto_i_cutter *cutter,
                                 sotto_error *err) {
  if (atomic_load(&wire->stopping) && frame->kind != SOTTO_I_FRAME_STOP) return SOTTO_OK;
  if (sotto_i_frame_rule_of(frame->kind)->counted)
    return sotto_i_session_take(&wire->session, frame, &cutter->bulk, cutter->bulk_size, err);
  if (frame->kind == SOTTO_I_FRAME_ACK) return sotto_i_session_acked(&wire->session, frame->number, err);
  if (frame->kind == SOTTO_I_FRAME_STOP) sotto_i_wire_stopped(wire, frame->reason);
  return SOTTO_OK;
}

/* Handles the complete frame in the connection's cutter. */
static sotto_status take_frame(sotto_wire *wire, sotto_error *err) {
  sotto_i_cutter *cutter = &wire->conn->cutter;
  sotto_i_frame frame;
  sotto_status status = sotto_i_frame_decode(&frame, cutter->body, cutter->body_size, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_frame_may_come(&frame, false, cutter->body_size, cutter->bulk_size, err);
  if (status == SOTTO_OK) status = handle_frame(wire, &frame, cutter, err);
  sotto_i_frame_clear(&frame);
  if (status == SOTTO_OK) sotto_i_cutter_next(cutter);
  return status;
}

/* True when more may be read at once. */
static bool read_frames(sotto_wire *wire) {
  for (int i = 0; i < frames_a_round; i++) {
    sotto_error problem = {0};
    sotto_i_step step = sotto_i_conn_read(wire->conn, &problem);
    if (step == SOTTO_I_WAIT) return false;
    if (step == SOTTO_I_MOVED && take_frame(wire, &problem) == SOTTO_OK) {
      if (!atomic_load(&wire->stop_heard)) continue;
      hang_up(wire); /* the peer then knows that its reason arrived */
      return false;
    }
    if (problem.status == SOTTO_PROTOCOL)
      drop_faulty(wire, problem.text);
    else
      drop_connection(wire, problem.text);
    return false;
  }
  return true;
}

/* Begins the next frame to write, if there is one. Stop goes first, then Acks, the session's frames, and a
 * Beat after a third of the idle limit without a frame. */
static bool begin_frame(sotto_wire *wire) {
  sotto_i_frame frame = {.kind = SOTTO_I_FRAME_STOP};
  sotto_i_conn *conn = wire->conn;
  conn->numbered = false;
  if (wire->stop_sent) return false;
  if (atomic_load(&wire->stopping)) {
    (void)snprintf(frame.reason, sizeof frame.reason, "%s", wire->stop);
    wire->stop_sent = true;
  } else if (sotto_i_session_ack_due(&wire->session, &frame.number)) {
    frame.kind = SOTTO_I_FRAME_ACK;
  } else {
    const sotto_i_item *item = sotto_i_session_next(&wire->session);
    if (item != NULL) {
      frame.kind = item->kind;
      frame.number = item->number;
      frame.header = item->header;
      conn->numbered = true;
      sotto_i_conn_begin(conn, &frame, item->bytes, item->size);
      return true;
    }
    if (sotto_i_seconds() - conn->spoke < wire->options.idle_limit / 3) return false;
    frame.kind = SOTTO_I_FRAME_BEAT;
  }
  sotto_i_conn_begin(conn, &frame, NULL, 0);
  return true;
}

/* True when more may be written at once. */
static bool write_frames(sotto_wire *wire) {
  for (int i = 0; i < frames_a_round; i++) {
    sotto_error problem = {0};
    if (sotto_i_conn_idle(wire->conn) && !begin_frame(wire)) return false;
    sotto_i_step step = sotto_i_conn_write(wire->conn, &problem);
    if (step == SOTTO_I_WAIT) return false;
    if (step == SOTTO_I_BROKEN) {
      while (read_frames(wire)) continue; /* the peer may have sent a reason before it closed */
      if (wire->conn != NULL) drop_connection(wire, problem.text);
      return false;
    }
    if (wire->conn->numbered) sotto_i_session_sent(&wire->session);
  }
  return true;
}

/* The cause to report without a recorded problem: what this side was waiting for. */
static sotto_trouble default_trouble(const sotto_wire *wire) {
  if (wire->lobby != NULL) return SOTTO_TROUBLE_ABSENT;
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++)
    if (wire->guests[i] != NULL) return sotto_i_conn_late(wire->guests[i]);
  return SOTTO_TROUBLE_SILENT;
}

static void check_limits(sotto_wire *wire) {
  const sotto_wire_options *o = &wire->options;
  double now = sotto_i_seconds();
  char text[460], problem[200];
  if (wire->conn != NULL) {
    if (now - wire->conn->heard > o->idle_limit) {
      (void)snprintf(text, sizeof text, "the limit 'idle-limit' struck: nothing whole came for %g s",
                     o->idle_limit);
      drop_connection(wire, text);
    }
    return;
  }
  if (wire->mesh != NULL && wire->session.peer_finished) return; /* it needs nothing more, and may be gone */
  if (now - wire->reported >= 1 && !wire->session.peer_finished && !atomic_load(&wire->stopping) &&
      !sotto_i_session_failed(&wire->session)) {
    wire->reported = now;
    sotto_i_wire_event(wire, SOTTO_EVENT_WAITING, NULL, "");
  }
  if (now - wire->lost <= o->grace || sotto_i_session_failed(&wire->session)) return;
  pthread_mutex_lock(&wire->session.lock);
  (void)snprintf(problem, sizeof problem, "%s", wire->last_problem);
  if (wire->trouble == SOTTO_TROUBLE_NONE) wire->trouble = default_trouble(wire);
  pthread_mutex_unlock(&wire->session.lock);
  if (o->check)
    (void)snprintf(text, sizeof text, "no connection with '%s' (%s %s) within %g s%s%s", o->peer,
                   o->listen ? "awaited on" : "at", o->address, o->grace, problem[0] == '\0' ? "" : ": ",
                   problem);
  else
    (void)snprintf(
        text, sizeof text,
        "the limit 'grace' struck: no connection with %s (%s %s) for %g s%s%s; start all parties and "
        "look at `sotto run check`",
        o->peer, o->listen ? "awaited on" : "at", o->address, o->grace,
        problem[0] == '\0' ? "" : ", because ", problem);
  if (!o->check) sotto_i_wire_tell_grace(wire);
  sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, text);
}

static bool dialling(const sotto_wire *wire) {
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++)
    if (wire->guests[i] != NULL) return true;
  return false;
}

/* Collects what to wait for: the method and the lobby, guests, the connection. Returns the number of
 * sockets. */
static nfds_t collect_sockets(sotto_wire *wire, struct pollfd *sockets, size_t *owners) {
  nfds_t count = 0;
  sockets[count++] = (struct pollfd){.fd = wire->session.wake, .events = POLLIN};
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++) {
    if (wire->guests[i] == NULL) continue;
    owners[count] = i;
    sockets[count++] =
        (struct pollfd){.fd = wire->guests[i]->fd, .events = sotto_i_conn_events(wire->guests[i], false)};
  }
  if (wire->conn != NULL) {
    owners[count] = SOTTO_I_MOST_GUESTS;
    sockets[count++] =
        (struct pollfd){.fd = wire->conn->fd, .events = sotto_i_conn_events(wire->conn, false)};
  }
  return count;
}

/* Milliseconds to wait for sockets: until the next call of the peer at most. */
static int longest_wait(const sotto_wire *wire, bool hurry) {
  enum { tenth = 100 };
  if (hurry) return 0;
  if (wire->lobby != NULL || wire->conn != NULL || dialling(wire)) return tenth;
  const double left = wire->next_try - sotto_i_seconds();
  return left > 0 && left < 0.1 ? 1 + (int)(1000 * left) : tenth;
}

/* One round. True when the next one should not wait. */
static bool run_round(sotto_wire *wire, bool hurry) {
  struct pollfd sockets[most_sockets];
  size_t owners[most_sockets] = {0};
  uint64_t woken;
  nfds_t count = collect_sockets(wire, sockets, owners);
  if (poll(sockets, count, longest_wait(wire, hurry)) < 0) return false;
  if (sockets[0].revents != 0) {
    ssize_t got = read(wire->session.wake, &woken, sizeof woken);
    (void)got;
  }
  for (nfds_t i = 1; i < count; i++)
    if (owners[i] < SOTTO_I_MOST_GUESTS) sotto_i_wire_serve_guest(wire, owners[i], sockets[i].revents);
  if (wire->lobby != NULL) sotto_i_wire_admit(wire);
  bool more = wire->conn != NULL && read_frames(wire);
  more |= wire->conn != NULL && write_frames(wire);
  return more;
}

static void close_all(sotto_wire *wire) {
  sotto_i_wire_drop_guests(wire);
  sotto_i_conn_free(wire->conn);
  wire->conn = NULL;
}

/* The thread's main function. */
static void *wire_main(void *context) {
  sotto_wire *wire = context;
  sigset_t all;
  bool hurry = false;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, NULL); /* signals are the program's, and a broken pipe is an error */
  wire->lost = sotto_i_seconds();
  wire->pause = SOTTO_I_FIRST_PAUSE;
  while (!atomic_load(&wire->quit)) {
    sotto_i_wire_follow(wire);
    if (wire->lobby == NULL && wire->conn == NULL && !dialling(wire) && sotto_i_seconds() >= wire->next_try &&
        !sotto_i_wire_gone(wire) && !atomic_load(&wire->stop_heard))
      sotto_i_wire_dial(wire);
    hurry = run_round(wire, hurry);
    check_limits(wire);
    atomic_store(&wire->sent, wire->counted[0]);
    atomic_store(&wire->received, wire->counted[1]);
  }
  if (wire->conn != NULL) (void)write_frames(wire); /* the Ack of the other side's last frames */
  close_all(wire);
  return NULL;
}

static sotto_status copy_options(sotto_wire *wire, const sotto_wire_options *from, sotto_error *err) {
  const char **const texts[6] = {&wire->options.folder, &wire->options.peer,  &wire->options.address,
                                 &wire->options.role,   &wire->options.terms, &wire->options.proxy};
  wire->options = *from;
  for (int i = 0; i < 6; i++) {
    const char *text = *texts[i] == NULL ? "" : *texts[i];
    *texts[i] = NULL;
    char *copy;
    sotto_status status = sotto_i_strdup(&copy, text, err);
    if (status != SOTTO_OK) {
      for (int k = i; k < 6; k++) *texts[k] = NULL;
      return status;
    }
    *texts[i] = copy;
  }
  return SOTTO_OK;
}

static void free_options(sotto_wire_options *o) {
  const char *const texts[6] = {o->folder, o->peer, o->address, o->role, o->terms, o->proxy};
  for (int i = 0; i < 6; i++) sotto_i_free((void *)(uintptr_t)texts[i]);
}

static void free_parts(sotto_wire *wire) {
  if (wire->lobby != NULL) sotto_i_lobby_leave(wire->lobby, wire);
  if (wire->own_lobby) sotto_i_lobby_free(wire->lobby);
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++) sotto_i_conn_free(wire->arrived[i]);
  SSL_CTX_free(wire->context);
  sotto_i_trusted_free(wire->trusted);
  sotto_i_session_destroy(&wire->session);
  sotto_i_item_free(wire->incoming);
  free_options(&wire->options);
  sotto_i_free(wire);
}

/* Warns in the last month before a certificate ends. A peer's stored certificate may have ended: the peer may
 * present a new one. */
static void warn_of_end(const sotto_wire *wire, const sotto_identity_info *info, bool own) {
  const char *advice = own ? "renew it" : "have its owner renew it";
  if (info->days < 0)
    sotto_i_log(wire->options.observer, SOTTO_LOG_WARNING,
                "the certificate of '%s' ended on %s; %s with `sotto identity renew`", info->name, info->ends,
                advice);
  else if (info->days <= SOTTO_IDENTITY_NOTICE)
    sotto_i_log(wire->options.observer, SOTTO_LOG_WARNING,
                "the certificate of '%s' ends in %lld days, on %s; %s with `sotto identity renew`", info->name,
                (long long)info->days, info->ends, advice);
}

/* Reads this party's certificate and the peer's, and makes the TLS context. */
static sotto_status load_peer(sotto_wire *wire, sotto_error *err) {
  const sotto_wire_options *o = &wire->options;
  sotto_identity_info own, peer;
  sotto_status status;
  SOTTO_TRY(sotto_identity_check(&own, o->folder, err));
  SOTTO_TRY(sotto_identity_check_peer(&peer, o->folder, o->peer, err));
  SOTTO_TRY(sotto_i_trusted_open(&wire->trusted, o->folder, o->peer, err));
  SOTTO_TRY(sotto_i_tls_context(&wire->context, o->folder, wire->trusted, err));
  if (wire->place == 0) warn_of_end(wire, &own, true);
  warn_of_end(wire, &peer, false);
done:
  return status;
}

static sotto_status prepare(sotto_wire *wire, const sotto_wire_options *options, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(copy_options(wire, options, err));
  const sotto_wire_options *o = &wire->options;
  SOTTO_I_CHECK(sodium_init() >= 0);
  randombytes_buf(wire->self, sizeof wire->self);
  SOTTO_TRY(sotto_i_session_init(&wire->session, err));
  wire->session.reached = o->progress;
  if (strlen(o->terms) > SOTTO_I_MOST_TERMS) {
    status = sotto_i_fail(err, SOTTO_INVALID, "the options are longer than a greeting can be");
    goto done;
  }
  SOTTO_TRY(sotto_i_address_check(o->address, o->insecure_loopback, err));
  if (o->proxy[0] != '\0') SOTTO_TRY(sotto_i_address_check(o->proxy, o->insecure_loopback, err));
  if (!o->insecure_loopback) SOTTO_TRY(load_peer(wire, err));
  wire->own_lobby = o->listen && wire->lobby == NULL;
  if (wire->own_lobby) SOTTO_TRY(sotto_i_lobby_open(&wire->lobby, o, err));
  if (wire->lobby != NULL) sotto_i_lobby_enter(wire->lobby, wire);
  if (wire->own_lobby) SOTTO_TRY(sotto_i_lobby_start(wire->lobby, err));
done:
  return status;
}

sotto_status sotto_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_error *err) {
  return sotto_i_wire_open(out, options, NULL, NULL, 0, err);
}

sotto_status sotto_i_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_i_lobby *lobby,
                               sotto_i_mesh *mesh, size_t place, sotto_error *err) {
  sotto_wire *wire;
  *out = NULL;
  sotto_status status = sotto_i_new(&wire, 1, sizeof *wire, err);
  if (status != SOTTO_OK) return status;
  wire->session.wake = -1;
  wire->lobby = lobby;
  wire->mesh = mesh;
  wire->place = place;
  wire->may_leave = mesh != NULL && sotto_i_mesh_may_leave(mesh);
  status = prepare(wire, options, err);
  if (status == SOTTO_OK) {
    wire->running = pthread_create(&wire->thread, NULL, wire_main, wire) == 0;
    if (!wire->running)
      status = sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for the wire");
  }
  if (status == SOTTO_OK)
    *out = wire;
  else
    free_parts(wire);
  return status;
}

void sotto_i_wire_end(sotto_wire *wire) {
  if (wire->own_lobby) sotto_i_lobby_stop(wire->lobby);
  if (!wire->running) return;
  atomic_store(&wire->quit, true);
  sotto_i_session_wake(&wire->session);
  pthread_join(wire->thread, NULL);
  wire->running = false;
}

void sotto_wire_free(sotto_wire *wire) {
  if (wire == NULL) return;
  sotto_i_wire_end(wire);
  free_parts(wire);
}
