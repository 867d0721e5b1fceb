/* What a verb that runs long is doing: filled by the observer, read by the live board. */
#ifndef SOTTO_APP_WATCH_STATE_H
#define SOTTO_APP_WATCH_STATE_H

#include "sotto/methods.h"

typedef struct watch_peer {
  char name[64];
  bool connected;
} watch_peer;

/* Times are seconds of app_seconds. A plain value. */
typedef struct watch_state {
  char verb[16];
  double begun;
  bool working;   /* something was done: a step, an epoch, a connection */
  bool networked; /* it talks to peers, or waits for them */
  bool ended;
  int code; /* exit status, once it ended */
  char stage[64];
  uint64_t done, total, first; /* of the stage, and where this start began it */
  double stage_begun;
  double left;          /* seconds, where the stage itself says how many; 0: they follow from the rate */
  uint64_t seed, seeds; /* the one that is trained, from 1; 0: no seeds */
  uint64_t epochs;      /* that ended since the start, in all stages */
  double loss, validation;
  bool
      hides; /* losses and scores follow from private data: the run folder's owner-only/ has them, not this */
  char payloads[SOTTO_WIRE_KINDS][16]; /* by the order of their first payload */
  uint64_t sent[SOTTO_WIRE_KINDS], received[SOTTO_WIRE_KINDS];
  bool spent;
  double epsilon, delta, budget;
  double epsilon_before; /* when this start first heard of it */
  bool planned;
  double planned_epsilon, planned_delta; /* of all trainings of the run together; INFINITY: no bound */
  char verdicts[3400];                   /* of the plan, as in a statement: with "; " between them */
  bool certificate;
  double certificate_days; /* when it was read, which was at: */
  double certificate_read;
  watch_peer peers[SOTTO_MOST_PEERS];
  size_t peer_count;
} watch_state;

/* Each fills a state of the caller's; none locks. */
void watch_state_progress(watch_state *state, const char *stage, uint64_t done, uint64_t total, double now);
/* A note of a stage is how many seconds are left of it; NULL: it does not say. After watch_state_progress. */
void watch_state_note(watch_state *state, const char *note);
void watch_state_event(watch_state *state, const sotto_event *event, double now);
/* Is the work under way, with all peers that it needs? */
bool watch_state_is_ready(const watch_state *state);
size_t watch_state_connected(const watch_state *state);

/* What a line says of the stage: as much as fits into `columns`, the most important first; without a line
 * feed. `out` holds `size` bytes, more than `columns`. */
void watch_line(char *out, size_t size, size_t columns, const watch_state *state, double now);
/* Epochs a second since this start began the stage, and seconds until it is done; NAN: not known. */
double watch_rate(const watch_state *state, double now);
double watch_left(const watch_state *state, double now);
/* 59 s, 12:03, 1:02:03; at most 11 bytes. */
void watch_duration(char out[12], double seconds);

/* Text of GET /metrics, and of /health and /ready: fresh memory, NULL without memory. */
char *watch_metrics(const watch_state *state, double now);
char *watch_health(const watch_state *state, double now);

#endif
