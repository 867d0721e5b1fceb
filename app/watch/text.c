/* A state as metrics and health for programs. */
#include <jansson.h>
#include <math.h>

#include "http/metrics.h"
#include "state.h"

static void add_work(http_metrics *m, const watch_state *s, double now) {
  http_metrics_one(m, "sotto_up_seconds", "gauge", "Seconds since the verb began.", now - s->begun);
  http_metrics_one(m, "sotto_ready", "gauge", "1 while the work is under way with all its peers.",
                   watch_state_is_ready(s) ? 1 : 0);
  http_metrics_one(m, "sotto_progress_ratio", "gauge", "Part of the present stage that is done, 0 to 1.",
                   s->total == 0 ? 0 : (double)s->done / (double)s->total);
  http_metrics_begin(m, "sotto_stage_steps", "gauge", "Steps of the present stage that are done.");
  http_metrics_value(m, "sotto_stage_steps", "stage", s->stage, (double)s->done);
  http_metrics_begin(m, "sotto_stage_steps_total", "gauge", "Steps that the present stage has.");
  http_metrics_value(m, "sotto_stage_steps_total", "stage", s->stage, (double)s->total);
  http_metrics_one(m, "sotto_seed", "gauge", "Training repetition at work, from 1.", (double)s->seed);
  http_metrics_one(m, "sotto_seeds", "gauge", "Training repetitions of the run.", (double)s->seeds);
  http_metrics_one(m, "sotto_epochs_total", "counter", "Epochs that ended since the start.",
                   (double)s->epochs);
  if (s->epochs == 0 || s->hides) return;
  http_metrics_one(m, "sotto_loss", "gauge", "Loss of the last epoch.", s->loss);
  http_metrics_one(m, "sotto_validation", "gauge", "Quality on the validation part after the last epoch.",
                   s->validation);
}

static void add_bytes(http_metrics *m, const watch_state *s, const char *name, const char *help,
                      const uint64_t *bytes) {
  if (s->payloads[0][0] == '\0') return;
  http_metrics_begin(m, name, "counter", help);
  for (size_t kind = 0; kind < SOTTO_WIRE_KINDS && s->payloads[kind][0] != '\0'; kind++)
    http_metrics_value(m, name, "kind", s->payloads[kind], (double)bytes[kind]);
}

static void add_privacy(http_metrics *m, const watch_state *s) {
  if (!s->spent) return;
  http_metrics_one(m, "sotto_epsilon_spent", "gauge",
                   "Epsilon that the account of the data has spent, at its delta.", s->epsilon);
  http_metrics_one(m, "sotto_delta", "gauge", "Delta at which epsilon is stated.", s->delta);
  if (s->budget <= 0) return;
  http_metrics_one(m, "sotto_epsilon_budget", "gauge", "Epsilon that the account may spend.", s->budget);
  http_metrics_one(m, "sotto_epsilon_left", "gauge", "Epsilon of the budget that is not spent.",
                   s->budget > s->epsilon ? s->budget - s->epsilon : 0);
}

static void add_peers(http_metrics *m, const watch_state *s, double now) {
  if (s->certificate)
    http_metrics_one(m, "sotto_certificate_days_left", "gauge", "Days until this party's certificate ends.",
                     s->certificate_days - floor((now - s->certificate_read) / 86400));
  if (!s->networked) return;
  http_metrics_one(m, "sotto_peers", "gauge", "Other parties that this one talks to.", (double)s->peer_count);
  http_metrics_one(m, "sotto_peers_connected", "gauge", "Other parties that are connected.",
                   (double)watch_state_connected(s));
  http_metrics_begin(m, "sotto_peer_connected", "gauge", "1 while this party is connected.");
  for (size_t i = 0; i < s->peer_count; i++)
    http_metrics_value(m, "sotto_peer_connected", "peer", s->peers[i].name, s->peers[i].connected ? 1 : 0);
}

char *watch_metrics(const watch_state *s, double now) {
  http_metrics m = {NULL, 0, 0, false};
  http_metrics_begin(&m, "sotto_info", "gauge", "The program; its value is 1.");
  http_metrics_value(&m, "sotto_info", "version", SOTTO_VERSION, 1);
  add_work(&m, s, now);
  add_bytes(&m, s, "sotto_sent_bytes_total", "Payload bytes that this process sent, by kind.", s->sent);
  add_bytes(&m, s, "sotto_received_bytes_total", "Payload bytes that this process received, by kind.",
            s->received);
  add_privacy(&m, s);
  add_peers(&m, s, now);
  return http_metrics_take(&m);
}

char *watch_health(const watch_state *s, double now) {
  json_t *health = json_pack("{sssssfsbsssIsI}", "verb", s->verb, "version", SOTTO_VERSION, "seconds",
                             floor(now - s->begun), "ready", watch_state_is_ready(s), "stage", s->stage,
                             "done", (json_int_t)s->done, "total", (json_int_t)s->total);
  char *text = health == NULL ? NULL : json_dumps(health, JSON_COMPACT);
  json_decref(health);
  return text;
}
