/* Reports of a wire on its peer and connections, and its record of failed connections. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "inside/party.h"
#include "wire.h"

bool sotto_i_refusal_logged(uint64_t *refused) {
  const uint64_t n = ++*refused;
  return n <= 100 || n % 10000 == 0 || (n < 10000 && n % 100 == 0);
}

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

/* A connecting side reports each problem once; a listener the first hundred refusals, and then each
 * hundredth. */
void sotto_i_wire_report(sotto_wire *wire, const char *with, const char *why) {
  pthread_mutex_lock(&wire->session.lock);
  bool known = strcmp(wire->last_problem, why) == 0;
  pthread_mutex_unlock(&wire->session.lock);
  if (wire->lobby != NULL) {
    if (sotto_i_refusal_logged(&wire->refused))
      sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "refused a connection from %s: %s", with, why);
  } else if (!known && !wire->session.peer_finished) {
    sotto_i_wire_log(wire, SOTTO_LOG_WARNING, "could not be reached at %s: %s", wire->options.address, why);
  }
}

/* A side whose certificate is refused hears why in one attempt, and in another that the connection broke: the
 * reason stays. */
static bool hides_refusal(sotto_wire *wire, const sotto_i_conn *guest) {
  const sotto_trouble before = sotto_i_wire_trouble(wire);
  return !guest->judged &&
         (guest->trouble == SOTTO_TROUBLE_STRANGER || guest->trouble == SOTTO_TROUBLE_REFUSED) &&
         (before == SOTTO_TROUBLE_DATES || before == SOTTO_TROUBLE_REFUSED);
}

/* After a peer's last message it may be gone, so a failed call is no news: it needs nothing more. */
static bool is_no_news(const sotto_wire *wire) {
  return wire->mesh != NULL && wire->session.peer_finished;
}

void sotto_i_wire_note_problem(sotto_wire *wire, const char *with, const char *why, sotto_trouble trouble) {
  if (is_no_news(wire)) return;
  sotto_i_wire_report(wire, with, why);
  sotto_i_wire_problem(wire, why, trouble);
}

/* A check that calls the peer ends at the first refused certificate. */
static void end_check(sotto_wire *wire, const sotto_i_conn *guest, const char *why) {
  char text[400];
  if (!wire->options.check || wire->lobby != NULL || !guest->judged) return;
  (void)snprintf(text, sizeof text, "no connection with '%s' (at %s): %.150s", wire->options.peer,
                 wire->options.address, why);
  sotto_i_session_fail(&wire->session, SOTTO_PROTOCOL, text);
}

void sotto_i_wire_drop_guest(sotto_wire *wire, size_t i, const char *why) {
  if (why != NULL && !is_no_news(wire)) {
    sotto_i_wire_report(wire, wire->guests[i]->with, why);
    if (!hides_refusal(wire, wire->guests[i])) sotto_i_wire_problem(wire, why, wire->guests[i]->trouble);
  }
  if (why != NULL) end_check(wire, wire->guests[i], why);
  sotto_i_conn_free(wire->guests[i]);
  wire->guests[i] = NULL;
}

void sotto_i_wire_drop_guests(sotto_wire *wire) {
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++)
    if (wire->guests[i] != NULL) sotto_i_wire_drop_guest(wire, i, NULL);
}
