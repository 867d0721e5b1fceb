/* The service's metrics and health as text. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "common/print.h"
#include "http/metrics.h"
#include "service.h"

const double serve_bounds[SERVE_BUCKETS] = {0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002,
                                            0.005,   0.01,   0.02,   0.05,   0.1,   1};

static double read_counter(const _Atomic uint64_t *counter) {
  return (double)atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_requests(http_metrics *m, const serve_service *s) {
  static const char name[] = "sotto_http_requests_total", times[] = "sotto_predict_seconds_bucket";
  char text[24];
  double count = 0;
  http_metrics_begin(m, name, "counter", "Requests that were answered, by HTTP status.");
  for (unsigned code = 1; code < SERVE_CODES; code++) {
    if (read_counter(&s->codes[code]) == 0) continue;
    (void)snprintf(text, sizeof text, "%u", code);
    http_metrics_value(m, name, "code", text, read_counter(&s->codes[code]));
  }
  http_metrics_begin(m, "sotto_predict_seconds", "histogram",
                     "Seconds from the head of a request for predictions to its answer.");
  for (size_t i = 0; i <= SERVE_BUCKETS; i++) {
    count += read_counter(&s->buckets[i]);
    if (i < SERVE_BUCKETS)
      (void)snprintf(text, sizeof text, "%g", serve_bounds[i]);
    else
      (void)snprintf(text, sizeof text, "+Inf");
    http_metrics_value(m, times, "le", text, count);
  }
  http_metrics_value(m, "sotto_predict_seconds_sum", NULL, NULL, read_counter(&s->nanoseconds) / 1e9);
  http_metrics_value(m, "sotto_predict_seconds_count", NULL, NULL, count);
}

typedef double (*reader)(const serve_slot *slot); /* NAN: no value */

static double predictions_of(const serve_slot *slot) {
  return read_counter(&slot->predictions);
}
static double generation_of(const serve_slot *slot) {
  return (double)slot->generation;
}
static double loaded_of(const serve_slot *slot) {
  return slot->run == NULL ? NAN : (double)slot->run->loaded;
}
static double failed_of(const serve_slot *slot) {
  return slot->problem[0] == '\0' ? 0 : 1;
}
static double epsilon_of(const serve_slot *slot) {
  return slot->run == NULL ? NAN : slot->run->epsilon;
}
static double spent_of(const serve_slot *slot) {
  return slot->spent.known ? slot->spent.epsilon : NAN;
}
static double budget_of(const serve_slot *slot) {
  return slot->spent.known && slot->spent.budget > 0 ? slot->spent.budget : NAN;
}
static double left_of(const serve_slot *slot) {
  const double left = budget_of(slot) - spent_of(slot);
  return left < 0 ? 0 : left;
}

/* locking: lock held. */
static void add_runs(http_metrics *m, const serve_service *s) {
  static const struct {
    const char *name, *type, *help;
    reader read;
  } rows[] = {
      {"sotto_predictions_total", "counter", "Nodes that were answered for.", predictions_of},
      {"sotto_run_generation", "gauge", "How often the run was loaded.", generation_of},
      {"sotto_run_loaded_timestamp_seconds", "gauge", "When the run was loaded.", loaded_of},
      {"sotto_run_reload_failed", "gauge", "1 when the last reload failed; /health says why.", failed_of},
      {"sotto_run_epsilon", "gauge", "Epsilon of the run by its statement.", epsilon_of},
      {"sotto_epsilon_spent", "gauge", "Epsilon that the account of the data has spent.", spent_of},
      {"sotto_epsilon_budget", "gauge", "Epsilon that the account may spend.", budget_of},
      {"sotto_epsilon_left", "gauge", "Epsilon of the budget that is not spent.", left_of}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    bool begun = false;
    for (size_t i = 0; i < s->count; i++) {
      const double value = rows[k].read(&s->slots[i]);
      if (isnan(value)) continue;
      if (!begun) http_metrics_begin(m, rows[k].name, rows[k].type, rows[k].help);
      begun = true;
      http_metrics_value(m, rows[k].name, "run", s->slots[i].name, value);
    }
  }
}

static void add_bytes(http_metrics *m, const char *name, const char *help, const uint64_t *bytes) {
  http_metrics_begin(m, name, "counter", help);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    http_metrics_value(m, name, "kind", sotto_wire_kind_name((sotto_wire_kind)kind), (double)bytes[kind]);
}

/* Metrics of the other party, if there is one. locking: lock held. */
static void add_peer(http_metrics *m, const serve_service *s) {
  static const char name[] = "sotto_peer_connected";
  const serve_run *run = s->slots[0].run;
  sotto_joint_state state;
  if (run == NULL || run->source.look == NULL) return;
  run->source.look(run->source.context, &state);
  http_metrics_one(m, "sotto_peers", "gauge", "Parties that this one talks to.", (double)state.peers);
  http_metrics_one(m, "sotto_peers_connected", "gauge", "How many of them are connected.",
                   (double)state.peers_connected);
  if (state.peers == 1) {
    http_metrics_begin(m, name, "gauge", "1 while this party is connected.");
    http_metrics_value(m, name, "peer", state.peer, state.connected);
  }
  http_metrics_one(m, "sotto_sessions_total", "counter", "Sessions with the other party that got ready.",
                   (double)state.sessions);
  add_bytes(m, "sotto_sent_bytes_total", "Payload bytes that this process sent, by kind.",
            state.traffic.sent);
  add_bytes(m, "sotto_received_bytes_total", "Payload bytes that this process received, by kind.",
            state.traffic.received);
}

char *serve_metrics(serve_service *s) {
  http_metrics m = {NULL, 0, 0, false};
  const double up = sotto_i_seconds() - s->begun;
  http_metrics_begin(&m, "sotto_info", "gauge", "The program; its value is 1.");
  http_metrics_value(&m, "sotto_info", "version", SOTTO_VERSION, 1);
  http_metrics_one(&m, "sotto_up_seconds", "gauge", "Seconds since the service began.", up);
  http_metrics_one(&m, "sotto_ready", "gauge", "1 when /ready says 200.", serve_is_ready(s, NULL) ? 1 : 0);
  if (s->certificate)
    http_metrics_one(&m, "sotto_certificate_days_left", "gauge", "Days until this party's certificate ends.",
                     s->certificate_days - floor(up / 86400));
  add_requests(&m, s);
  (void)pthread_mutex_lock(&s->lock);
  add_runs(&m, s);
  add_peer(&m, s);
  (void)pthread_mutex_unlock(&s->lock);
  return http_metrics_take(&m);
}

static json_t *peer_of(const sotto_joint_state *state) {
  json_t *out = json_pack("{sssbsbsI}", "name", state->peer, "connected", state->connected, "learns",
                          state->learns, "sessions", (json_int_t)state->sessions);
  if (out != NULL && !state->ready) (void)json_object_set_new(out, "problem", json_string(state->problem));
  return out;
}

/* locking: lock held. */
static json_t *health_of(const serve_slot *slot) {
  const serve_run *run = slot->run;
  sotto_joint_state state = {.ready = run != NULL, .classes = run == NULL ? 0 : run->source.classes};
  if (run != NULL && run->source.look != NULL) run->source.look(run->source.context, &state);
  json_t *out = json_pack("{sssbsI}", "name", slot->name, "ready", state.ready, "generation",
                          (json_int_t)slot->generation);
  if (out != NULL && run != NULL)
    (void)json_object_update_new(
        out, json_pack("{sssIsIsssIsf}", "method", run->facts.method, "nodes", (json_int_t)run->source.nodes,
                       "classes", (json_int_t)state.classes, "verdict", run->verdict, "loaded",
                       (json_int_t)run->loaded, "load_seconds", floor(run->seconds * 1000) / 1000));
  if (out != NULL && run != NULL && run->source.look != NULL)
    (void)json_object_set_new(out, "peer", peer_of(&state));
  if (out != NULL && slot->problem[0] != '\0') {
    char shown[sizeof slot->problem];
    (void)snprintf(shown, sizeof shown, "%s", slot->problem);
    app_hide_folders(shown);
    (void)json_object_set_new(out, "problem", json_string(shown));
  }
  return out;
}

char *serve_health(serve_service *s) {
  json_t *runs = json_array();
  const bool ready = serve_is_ready(s, NULL);
  (void)pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < s->count; i++) (void)json_array_append_new(runs, health_of(&s->slots[i]));
  (void)pthread_mutex_unlock(&s->lock);
  json_t *out = json_pack("{sssbsfso}", "version", SOTTO_VERSION, "ready", ready, "seconds",
                          floor(sotto_i_seconds() - s->begun), "runs", runs);
  char *text = out == NULL ? NULL : json_dumps(out, JSON_COMPACT | JSON_REAL_PRECISION(10));
  json_decref(out);
  return text;
}
