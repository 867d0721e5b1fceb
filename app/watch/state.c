/* The state of a long-running verb. */
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void watch_state_progress(watch_state *s, const char *stage, uint64_t done, uint64_t total, double now) {
  s->working = true;
  if (strcmp(stage, "seed") == 0) {
    s->seeds = total;
    s->seed = done < total ? done + 1 : total;
    return;
  }
  if (strcmp(s->stage, stage) != 0 || done < s->done || total != s->total) {
    (void)snprintf(s->stage, sizeof s->stage, "%.63s", stage);
    s->stage_begun = now;
    s->first = done;
    s->loss = 0;
  }
  s->done = done;
  s->total = total;
}

void watch_state_note(watch_state *s, const char *note) {
  double left = 0;
  if (note != NULL && sotto_i_parse_double(&left, note, "note", NULL) != SOTTO_OK) left = 0;
  s->left = left;
}

static watch_peer *peer_of(watch_state *s, const char *name) {
  for (size_t i = 0; i < s->peer_count; i++)
    if (strncmp(s->peers[i].name, name, sizeof s->peers[i].name - 1) == 0) return &s->peers[i];
  if (s->peer_count == SOTTO_MOST_PEERS) return NULL;
  watch_peer *peer = &s->peers[s->peer_count++];
  (void)snprintf(peer->name, sizeof peer->name, "%.63s", name);
  return peer;
}

static void count_payload(watch_state *s, const sotto_event *event) {
  for (size_t kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    if (s->payloads[kind][0] == '\0')
      (void)snprintf(s->payloads[kind], sizeof s->payloads[kind], "%.15s", event->payload);
    if (strcmp(s->payloads[kind], event->payload) != 0) continue;
    s->sent[kind] += event->sent;
    s->received[kind] += event->received;
    return;
  }
}

void watch_state_event(watch_state *s, const sotto_event *event, double now) {
  (void)now;
  switch (event->kind) {
  case SOTTO_EVENT_LISTENING:
    s->networked = true;
    return;
  case SOTTO_EVENT_WAITING:
  case SOTTO_EVENT_CONNECTED:
  case SOTTO_EVENT_LOST: {
    watch_peer *peer = peer_of(s, event->peer);
    s->networked = true;
    if (peer != NULL) peer->connected = event->kind == SOTTO_EVENT_CONNECTED;
    return;
  }
  case SOTTO_EVENT_LEFT: {
    watch_peer *peer = peer_of(s, event->peer);
    if (peer != NULL) *peer = s->peers[--s->peer_count];
    return;
  }
  case SOTTO_EVENT_EPOCH:
    s->working = true;
    s->epochs++;
    s->loss = s->hides ? NAN : event->loss;
    s->validation = s->hides ? NAN : event->validation;
    return;
  case SOTTO_EVENT_PAYLOAD:
    count_payload(s, event);
    s->exchanged = event->done;
    s->traffic = event->total;
    return;
  case SOTTO_EVENT_SPENT:
    if (!s->spent) s->epsilon_before = event->epsilon;
    s->spent = true;
    s->epsilon = event->epsilon;
    s->delta = event->delta;
    s->budget = event->budget;
    return;
  case SOTTO_EVENT_PLANNED:
    s->planned = true;
    s->planned_epsilon = event->epsilon;
    s->planned_delta = event->delta;
    (void)snprintf(s->verdicts, sizeof s->verdicts, "%s", event->text == NULL ? "" : event->text);
    return;
  case SOTTO_EVENTS:
    return;
  }
}

size_t watch_state_connected(const watch_state *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->peer_count; i++) count += s->peers[i].connected;
  return count;
}

bool watch_state_is_ready(const watch_state *s) {
  if (s->ended) return false;
  return s->networked ? s->peer_count > 0 && watch_state_connected(s) == s->peer_count : s->working;
}
