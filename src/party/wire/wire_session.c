/* How a wire comes to a session, and leaves it: between two parties, and in a run of several. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "inside/party.h"
#include "mesh_state.h"
#include "wire.h"

static const uint8_t none[16];

static bool stands(const uint8_t session[16]) {
  return memcmp(session, none, sizeof none) != 0;
}

static void tell_connected(sotto_wire *wire, const sotto_i_conn *guest, const char *again) {
  char text[200] = "";
  if (sotto_i_wire_routine(wire))
    (void)snprintf(text, sizeof text, "connected%s (%s), runs sotto %s, terms agree", again, guest->with,
                   guest->theirs.version);
  sotto_i_wire_event(wire, SOTTO_EVENT_CONNECTED, guest, text);
}

static sotto_status go_on(sotto_wire *wire, const sotto_i_conn *guest, uint64_t received, sotto_error *err) {
  sotto_status status = sotto_i_session_resume(&wire->session, received, err);
  if (status == SOTTO_OK) tell_connected(wire, guest, " again");
  return status;
}

static void begin(sotto_wire *wire, const sotto_i_conn *guest, const uint8_t session[16],
                  sotto_progress common) {
  memcpy(wire->session_id, session, sizeof wire->session_id);
  pthread_mutex_lock(&wire->session.lock);
  memcpy(wire->session.id, session, sizeof wire->session.id);
  pthread_mutex_unlock(&wire->session.lock);
  sotto_i_session_begin(&wire->session, wire->attempt, common);
  tell_connected(wire, guest, "");
}

/* Only one start of a party can take part. One that is gone without a word is missed after the idle limit. */
static sotto_status twice(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_PROTOCOL,
                      "a session with another start of the same party goes on; is it running twice?");
}

/* Not with this connection, but with one that follows: nothing is wrong. */
static sotto_status later(sotto_wire *wire, const char *why) {
  if (sotto_i_wire_routine(wire)) sotto_i_wire_log(wire, SOTTO_LOG_INFO, "%s", why);
  return SOTTO_PROTOCOL;
}

/* Between two, every greeting that does not name the session of both begins a new one. */
static sotto_status enter_of_two(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine, *theirs = &guest->theirs;
  uint8_t session[16];
  sotto_progress common;
  if (stands(mine->session) && memcmp(mine->session, theirs->session, 16) == 0)
    return go_on(wire, guest, theirs->received, err);
  if (!mine->check && (mine->busy || theirs->busy || wire->conn != NULL)) return twice(err);
  sotto_i_greet_session(session, &common, mine, theirs);
  begin(wire, guest, session, common);
  return SOTTO_OK;
}

/* Among several a session is named by the two starts and the attempt, so either side knows what it has to be.
 * A side that holds one with another start has seen that program end: all begin anew, in the next attempt. */
static sotto_status enter_of_several(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine, *theirs = &guest->theirs;
  bool have = stands(mine->session), has = stands(theirs->session);
  uint8_t session[16];
  sotto_progress common;
  sotto_i_greet_session(session, &common, mine, theirs);
  if (mine->check) {
    begin(wire, guest, session, common);
    return SOTTO_OK;
  }
  if (theirs->attempt > mine->attempt) {
    sotto_i_mesh_raise(wire->mesh, theirs->attempt);
    return later(wire, "the run begins anew, and this side goes along");
  }
  if (theirs->attempt < mine->attempt) return later(wire, "it has yet to hear that the run begins anew");
  if (have && memcmp(mine->session, session, 16) != 0) {
    if (mine->busy || wire->conn != NULL) return twice(err);
    sotto_i_mesh_raise(wire->mesh, mine->attempt + 1);
    return later(wire, "its program began anew, and so does the run");
  }
  if (has && memcmp(theirs->session, session, 16) != 0)
    return later(wire, "it has yet to see that this program began anew");
  if (have) return go_on(wire, guest, has ? theirs->received : 0, err);
  begin(wire, guest, session, common);
  return SOTTO_OK;
}

sotto_status sotto_i_wire_enter(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err) {
  const sotto_i_hello *mine = &guest->mine;
  bool changed = memcmp(mine->session, wire->session_id, 16) != 0;
  bool later = wire->mesh != NULL && mine->attempt != sotto_i_mesh_attempt(wire->mesh);
  if (later || (changed && (stands(mine->session) || wire->mesh != NULL)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "its greeting crossed with another");
  return wire->mesh == NULL ? enter_of_two(wire, guest, err) : enter_of_several(wire, guest, err);
}

void sotto_i_wire_follow(sotto_wire *wire) {
  if (wire->mesh == NULL) return;
  if (!wire->passed_on && sotto_i_session_failed(&wire->session)) {
    wire->passed_on = true;
    if (sotto_i_wire_gone(wire))
      sotto_i_wire_event(wire, SOTTO_EVENT_LEFT, NULL, "");
    else if (!wire->options.check)
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
