/* Sessions of a wire: beginning, continuing and withdrawing them, between two parties and in a run of
 * several. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "inside/party.h"
#include "mesh_state.h"
#include "wire.h"

static const uint8_t none[16];

static bool has_session(const uint8_t session[16]) {
  return memcmp(session, none, sizeof none) != 0;
}

static void tell_connected(sotto_wire *wire, const sotto_i_conn *guest, const char *again) {
  char text[200] = "";
  if (sotto_i_wire_routine(wire))
    (void)snprintf(text, sizeof text, "connected%s (%s), runs sotto %s, terms agree", again, guest->with,
                   guest->theirs.version);
  sotto_i_wire_event(wire, SOTTO_EVENT_CONNECTED, guest, text);
}

static sotto_status continue_session(sotto_wire *wire, const sotto_i_conn *guest, uint64_t received,
                                     sotto_error *err) {
  sotto_status status = sotto_i_session_resume(&wire->session, received, err);
  if (status == SOTTO_OK) tell_connected(wire, guest, " again");
  return status;
}

static void begin_session(sotto_wire *wire, const sotto_i_conn *guest, const uint8_t session[16],
                          sotto_progress common) {
  memcpy(wire->session_id, session, sizeof wire->session_id);
  pthread_mutex_lock(&wire->session.lock);
  memcpy(wire->session.id, session, sizeof wire->session.id);
  wire->session.peer_checks = guest->theirs.check;
  pthread_mutex_unlock(&wire->session.lock);
  sotto_i_session_begin(&wire->session, wire->attempt, common);
  tell_connected(wire, guest, "");
}

/* Only one start of a party can take part. One that vanished without a message is noticed after the idle
 * limit. */
static sotto_status fail_twice(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_PROTOCOL,
                      "a session with another start of the same party goes on; is it running twice?");
}

/* Refuses this connection without an error: a later one will succeed. */
static sotto_status refuse_for_now(sotto_wire *wire, const char *why) {
  if (sotto_i_wire_routine(wire)) sotto_i_wire_log(wire, SOTTO_LOG_INFO, "%s", why);
  return SOTTO_PROTOCOL;
}

/* Between two parties, every greeting without the common session's id begins a new session. */
static sotto_status enter_of_two(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine, *theirs = &guest->theirs;
  uint8_t session[16];
  sotto_progress common;
  if (has_session(mine->session) && memcmp(mine->session, theirs->session, 16) == 0)
    return continue_session(wire, guest, theirs->received, err);
  if (!mine->check && (mine->busy || theirs->busy || wire->conn != NULL)) return fail_twice(err);
  sotto_i_greet_session(session, &common, mine, theirs);
  begin_session(wire, guest, session, common);
  return SOTTO_OK;
}

/* Among several parties the two starts and the attempt determine the session's id, so either side can compute
 * it. A side whose session is with another start knows that that program ended: all restart, in the next
 * attempt. */
static sotto_status enter_of_several(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine, *theirs = &guest->theirs;
  bool have = has_session(mine->session), has = has_session(theirs->session);
  uint8_t session[16];
  sotto_progress common;
  sotto_i_greet_session(session, &common, mine, theirs);
  if (mine->check) {
    begin_session(wire, guest, session, common);
    return SOTTO_OK;
  }
  if (theirs->attempt > mine->attempt) {
    sotto_i_mesh_raise(wire->mesh, theirs->attempt);
    return refuse_for_now(wire, "the run restarts, and this side with it");
  }
  if (theirs->attempt < mine->attempt)
    return refuse_for_now(wire, "it does not know yet that the run restarts");
  if (have && memcmp(mine->session, session, 16) != 0) {
    if (mine->busy || wire->conn != NULL) return fail_twice(err);
    sotto_i_mesh_raise(wire->mesh, mine->attempt + 1);
    return refuse_for_now(wire, "its program restarted, and the run with it");
  }
  if (has && memcmp(theirs->session, session, 16) != 0)
    return refuse_for_now(wire, "it does not know yet that this program restarted");
  if (have) return continue_session(wire, guest, has ? theirs->received : 0, err);
  begin_session(wire, guest, session, common);
  return SOTTO_OK;
}

sotto_status sotto_i_wire_enter(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine;
  bool changed = memcmp(mine->session, wire->session_id, 16) != 0;
  bool later = wire->mesh != NULL && mine->attempt != sotto_i_mesh_attempt(wire->mesh);
  if (later || (changed && (has_session(mine->session) || wire->mesh != NULL)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "its greeting crossed with another one");
  return wire->mesh == NULL ? enter_of_two(wire, guest, err) : enter_of_several(wire, guest, err);
}

void sotto_i_wire_follow(sotto_wire *wire) {
  if (wire->mesh == NULL) return;
  if (!wire->passed_on && sotto_i_session_failed(&wire->session)) {
    wire->passed_on = true;
    if (sotto_i_wire_gone(wire))
      sotto_i_wire_event(wire, SOTTO_EVENT_LEFT, NULL, "");
    else if (!wire->options.check && !sotto_i_mesh_declines(wire->mesh))
      sotto_i_mesh_fail(wire->mesh, &wire->session.failure);
  }
  uint64_t attempt = sotto_i_mesh_attempt(wire->mesh);
  if (attempt == wire->attempt) return;
  wire->attempt = attempt;
  sotto_i_session_withdraw(&wire->session);
  sotto_i_wire_drop_guests(wire);
  sotto_i_conn_free(wire->conn);
  wire->conn = NULL;
  wire->stop_sent = false;
  memcpy(wire->session_id, none, sizeof none);
  wire->lost = sotto_i_seconds();
  wire->next_try = 0;
  wire->pause = SOTTO_I_FIRST_PAUSE;
}

sotto_status sotto_i_wire_stand(sotto_wire *wire, const sotto_i_mesh *mesh, uint64_t attempt, bool *stands,
                                sotto_error *err) {
  sotto_i_wire_session *s = &wire->session;
  sotto_status status = SOTTO_OK;
  pthread_mutex_lock(&s->lock);
  while (!s->failed && (s->generation == 0 || s->withdrawn || s->attempt != attempt) &&
         attempt == sotto_i_mesh_attempt(mesh) && (status = sotto_i_check_interrupt(err)) == SOTTO_OK)
    sotto_i_session_wait(s);
  if (s->failed) status = sotto_i_fail(err, s->failure.status, "%s", s->failure.text);
  *stands = s->attempt == attempt && attempt == sotto_i_mesh_attempt(mesh);
  wire->entered = s->generation;
  s->until = 0;
  pthread_mutex_unlock(&s->lock);
  sotto_i_item_free(wire->incoming);
  wire->incoming = NULL;
  wire->anew = false;
  return status;
}
