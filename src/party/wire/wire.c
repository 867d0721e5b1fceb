/* The method's side of a wire: meeting the peer, the transport of links, the end. */
#include "wire.h"

#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "link/transport.h"

sotto_status sotto_wire_meet(sotto_wire *wire, sotto_progress *common, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(wire->options.observer);
  sotto_i_wire_session *s = &wire->session;
  sotto_status status = SOTTO_OK;
  sotto_i_item_free(wire->incoming);
  wire->incoming = NULL;
  wire->anew = false;
  pthread_mutex_lock(&s->lock);
  while (!s->failed && (s->generation == wire->entered || s->withdrawn) &&
         (status = sotto_i_check_interrupt(err)) == SOTTO_OK)
    sotto_i_session_wait(s);
  if (s->failed) status = sotto_i_fail(err, s->failure.status, "%s", s->failure.text);
  wire->entered = s->generation;
  *common = s->common;
  pthread_mutex_unlock(&s->lock);
  return status;
}

static sotto_status wire_send_header(void *state, const sotto_i_header *header, sotto_error *err) {
  sotto_wire *wire = state;
  sotto_i_item *item;
  sotto_status status = sotto_i_new(&item, 1, sizeof *item, err);
  if (status != SOTTO_OK) return status;
  item->kind = SOTTO_I_FRAME_PAYLOAD;
  item->header = *header;
  return sotto_i_session_push(&wire->session, wire->entered, item, &wire->anew, err);
}

static sotto_status send_chunk(sotto_wire *wire, const uint8_t *bytes, size_t size, sotto_error *err) {
  sotto_i_item *item;
  sotto_status status = sotto_i_new(&item, 1, sizeof *item, err);
  if (status != SOTTO_OK) return status;
  item->kind = SOTTO_I_FRAME_CHUNK;
  item->size = size;
  status = sotto_i_new_raw(&item->bytes, size, 1, err);
  if (status != SOTTO_OK) {
    sotto_i_item_free(item);
    return status;
  }
  memcpy(item->bytes, bytes, size);
  return sotto_i_session_push(&wire->session, wire->entered, item, &wire->anew, err);
}

static sotto_status wire_send_bytes(void *state, const void *bytes, size_t size, sotto_error *err) {
  const uint8_t *at = bytes;
  while (size > 0) {
    size_t piece = size < SOTTO_I_CHUNK ? size : SOTTO_I_CHUNK;
    sotto_status status = send_chunk(state, at, piece, err);
    if (status != SOTTO_OK) return status;
    at += piece;
    size -= piece;
  }
  return SOTTO_OK;
}

/* Takes the next frame, which must be of one kind. */
static sotto_status next_item(sotto_wire *wire, sotto_i_item **out, sotto_i_frame_kind kind,
                              sotto_error *err) {
  static const char *const names[] = {"a greeting", "a payload", "a piece of a payload", "the end"};
  sotto_i_item *item;
  sotto_status status = sotto_i_session_get(&wire->session, wire->entered, &item, &wire->anew, err);
  if (status != SOTTO_OK) return status;
  if (item->kind == kind) {
    *out = item;
    return SOTTO_OK;
  }
  (void)sotto_i_fail(err, SOTTO_PROTOCOL, "%s sent %s where %s should come", wire->options.peer,
                     names[item->kind], names[kind]);
  sotto_i_item_free(item);
  sotto_wire_stop(wire, SOTTO_I_BREACH_REASON);
  return SOTTO_PROTOCOL;
}

static sotto_status wire_receive_header(void *state, sotto_i_header *out, sotto_error *err) {
  sotto_i_item *item = NULL;
  sotto_status status = next_item(state, &item, SOTTO_I_FRAME_PAYLOAD, err);
  if (status != SOTTO_OK) return status;
  *out = item->header;
  sotto_i_item_free(item);
  return SOTTO_OK;
}

static sotto_status wire_receive_bytes(void *state, void *out, size_t size, sotto_error *err) {
  sotto_wire *wire = state;
  uint8_t *to = out;
  while (size > 0) {
    if (wire->incoming == NULL) {
      sotto_status status = next_item(wire, &wire->incoming, SOTTO_I_FRAME_CHUNK, err);
      if (status != SOTTO_OK) return status;
    }
    sotto_i_item *item = wire->incoming;
    size_t piece = item->size - item->taken < size ? item->size - item->taken : size;
    memcpy(to, item->bytes + item->taken, piece);
    item->taken += piece;
    to += piece;
    size -= piece;
    if (item->taken < item->size) continue;
    sotto_i_item_free(item);
    wire->incoming = NULL;
  }
  return SOTTO_OK;
}

void sotto_i_wire_request_stop(sotto_wire *wire, const char *reason) {
  pthread_mutex_lock(&wire->session.lock);
  if (!atomic_load(&wire->stopping)) {
    (void)snprintf(wire->stop, sizeof wire->stop, "%s", reason);
    atomic_store(&wire->stopping, true);
  }
  pthread_mutex_unlock(&wire->session.lock);
  sotto_i_session_wake(&wire->session);
}

bool sotto_i_wire_gone(sotto_wire *wire) {
  if (!wire->may_leave) return false;
  pthread_mutex_lock(&wire->session.lock);
  bool gone = wire->session.failed && wire->session.generation > 0;
  pthread_mutex_unlock(&wire->session.lock);
  return gone;
}

/* A peer that may leave gets the reason while the run goes on. */
static void wire_close(void *state, const char *reason) {
  sotto_wire *wire = state;
  if (wire->may_leave) {
    sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, reason);
    sotto_i_wire_request_stop(wire, reason);
  } else {
    sotto_wire_stop(wire, reason);
  }
}

static bool wire_lost(void *state) {
  return sotto_i_wire_gone(state);
}

static void wire_limit(void *state, double until) {
  sotto_wire *wire = state;
  pthread_mutex_lock(&wire->session.lock);
  wire->session.until = until;
  pthread_mutex_unlock(&wire->session.lock);
}

static sotto_status wire_stands(void *state, sotto_error *err) {
  sotto_wire *wire = state;
  return sotto_i_session_stands(&wire->session, wire->entered, &wire->anew, err);
}

static void keep_open(void *state) {
  (void)state; /* the wire outlives its links */
}

static const sotto_i_transport wire_transport = {wire_send_header,   wire_send_bytes, wire_receive_header,
                                                 wire_receive_bytes, wire_close,      keep_open,
                                                 wire_lost,          wire_limit,      wire_stands};

sotto_status sotto_wire_link(sotto_wire *wire, sotto_link **out, sotto_error *err) {
  return sotto_i_link_new(out, &wire_transport, wire, err);
}

void sotto_wire_reached(sotto_wire *wire, sotto_progress progress) {
  pthread_mutex_lock(&wire->session.lock);
  wire->session.reached = progress;
  pthread_mutex_unlock(&wire->session.lock);
}

void sotto_i_wire_session_id(sotto_wire *wire, uint8_t out[SOTTO_I_SESSION_ID]) {
  pthread_mutex_lock(&wire->session.lock);
  memcpy(out, wire->session.id, SOTTO_I_SESSION_ID);
  pthread_mutex_unlock(&wire->session.lock);
}

bool sotto_i_wire_peer_checks(sotto_wire *wire) {
  pthread_mutex_lock(&wire->session.lock);
  const bool checks = wire->session.peer_checks;
  pthread_mutex_unlock(&wire->session.lock);
  return checks;
}

bool sotto_wire_anew(sotto_wire *wire) {
  return wire->anew;
}

sotto_status sotto_i_wire_say_finished(sotto_wire *wire, sotto_error *err) {
  sotto_i_item *item = NULL;
  sotto_status status = sotto_i_new(&item, 1, sizeof *item, err);
  if (status != SOTTO_OK) return status;
  item->kind = SOTTO_I_FRAME_FINISHED;
  return sotto_i_session_push(&wire->session, wire->entered, item, &wire->anew, err);
}

sotto_status sotto_i_wire_hear_finished(sotto_wire *wire, sotto_error *err) {
  sotto_i_item *item = NULL;
  sotto_status status = next_item(wire, &item, SOTTO_I_FRAME_FINISHED, err);
  if (status != SOTTO_OK) return status;
  sotto_i_item_free(item);
  sotto_i_session_flush(&wire->session, wire->entered, wire->options.connect_limit);
  return SOTTO_OK;
}

sotto_status sotto_wire_finish(sotto_wire *wire, sotto_error *err) {
  sotto_status status = sotto_i_wire_say_finished(wire, err);
  return status == SOTTO_OK ? sotto_i_wire_hear_finished(wire, err) : status;
}

/* Waits until the other side received the reason, or until `end`; with `hopeless`, also until the wire has
 * failed. */
static void wait_sent(sotto_wire *wire, double end, bool hopeless) {
  pthread_mutex_lock(&wire->session.lock);
  while (!atomic_load(&wire->stop_heard) && !(hopeless && wire->session.failed) && sotto_i_seconds() < end)
    sotto_i_session_wait(&wire->session);
  pthread_mutex_unlock(&wire->session.lock);
}

void sotto_i_wire_heard(sotto_wire *wire) {
  pthread_mutex_lock(&wire->session.lock);
  atomic_store(&wire->stop_heard, true);
  pthread_cond_broadcast(&wire->session.changed);
  pthread_mutex_unlock(&wire->session.lock);
}

void sotto_wire_stop(sotto_wire *wire, const char *reason) {
  sotto_i_wire_request_stop(wire, reason);
  wait_sent(wire, sotto_i_seconds() + SOTTO_I_LONGEST_STOP, true);
}

/* What the others hear of a failure here, and all that they hear: its text may follow from private rows. */
static const char *words_of(sotto_status status) {
  switch (status) {
  case SOTTO_INVALID:
  case SOTTO_RANGE:
  case SOTTO_PARSE:
  case SOTTO_NOT_FOUND:
  case SOTTO_UNSUPPORTED:
    return "its data or options do not fit this run";
  case SOTTO_REFUSED:
    return "its ledger refuses this run";
  case SOTTO_IO:
  case SOTTO_CORRUPT:
    return "a file or folder of its own failed";
  case SOTTO_NOMEM:
    return "its memory is too small";
  case SOTTO_PROTOCOL:
    return "it lost another party, or got what it did not expect";
  default:
    return "its training failed";
  }
}

static void write_reason(char out[160], sotto_status status) {
  (void)snprintf(out, 160, "it stopped: %s; its own terminal says more", words_of(status));
}

void sotto_wire_give_up(sotto_wire *wire, sotto_status status) {
  char reason[160];
  if (status == SOTTO_INTERRUPTED) return;
  write_reason(reason, status);
  sotto_wire_stop(wire, reason);
}

void sotto_i_wires_give_up(sotto_wire *const *wires, size_t count, const char *reason_sent,
                           sotto_status status, double longest) {
  char reason[160];
  double end = sotto_i_seconds() + longest;
  write_reason(reason, status);
  for (size_t i = 0; i < count; i++)
    sotto_i_wire_request_stop(wires[i], reason_sent[0] != '\0' ? reason_sent : reason);
  for (size_t i = 0; i < count; i++) wait_sent(wires[i], end, false);
}

void sotto_wire_bytes(sotto_wire *wire, uint64_t *sent, uint64_t *received) {
  *sent = atomic_load(&wire->sent);
  *received = atomic_load(&wire->received);
}
