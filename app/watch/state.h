/* The state of a long-running verb: the observer fills it, the live board reads it. */
#ifndef SOTTO_APP_WATCH_STATE_H
#define SOTTO_APP_WATCH_STATE_H

#include "sotto/methods.h"

typedef struct watch_peer {
  char name[64];
  bool connected;
} watch_peer;

/* Times are seconds of sotto_i_seconds. A plain value. */
typedef struct watch_state {
  char verb[16];
  double begun;
  bool working;   /* a step, an epoch or a connection was completed */
  bool networked; /* it communicates with peers or waits for them */
  bool ended;
  int code; /* exit status, if it has ended */
  char stage[64];
  uint64_t done, total, first; /* of the stage; `first`: position at which this start began the stage */
  double stage_begun;
  double left;          /* seconds, if the stage itself reports them; 0: computed from the rate */
  uint64_t seed, seeds; /* the seed in training, from 1; 0: no seeds */
  uint64_t epochs;      /* completed since the start, in all stages */
  double loss, validation;
  bool hides; /* losses and scores follow from private data: only owner-only/ has them */
  char payloads[SOTTO_WIRE_KINDS][16]; /* in the order of their first payload */
  uint64_t sent[SOTTO_WIRE_KINDS], received[SOTTO_WIRE_KINDS];
  uint64_t exchanged, traffic; /* bytes of payloads that are done, of those that are planned; 0: not known */
  bool spent;
  double epsilon, delta, budget;
  double epsilon_before; /* when this start first read it */
  bool planned;
  double planned_epsilon, planned_delta; /* of all trainings of the run together; INFINITY: no bound */
  char verdicts[3400];                   /* of the plan, as in a statement, separated by "; " */
  bool certificate;
  double certificate_days; /* days left at the time certificate_read */
  double certificate_read;
  watch_peer peers[SOTTO_MOST_PEERS];
  size_t peer_count;
} watch_state;

/* Each updates the caller's state; none locks. */
void watch_state_progress(watch_state *state, const char *stage, uint64_t done, uint64_t total, double now);
/* A stage's note is its remaining seconds; NULL: not reported. Call after watch_state_progress. */
void watch_state_note(watch_state *state, const char *note);
void watch_state_event(watch_state *state, const sotto_event *event, double now);
/* Is the work in progress, with all required peers connected? */
bool watch_state_is_ready(const watch_state *state);
size_t watch_state_connected(const watch_state *state);

/* The name of the stage and the unit of its counts, "" or " MB": "reading MB" is "reading", counted in MB. */
const char *watch_stage_unit(int *name_length, const char *stage);
/* A line about the stage: as much as fits into `columns`, the most important first, without a line feed.
 * `out` holds `size` bytes, more than `columns`. */
void watch_line(char *out, size_t size, size_t columns, const watch_state *state, double now);
/* Epochs a second since this start began the stage; remaining seconds of the stage. NAN: not known. */
double watch_rate(const watch_state *state, double now);
double watch_left(const watch_state *state, double now);
/* Formats 59 s, 12:03, 1:02:03; at most 11 bytes. */
void watch_duration(char out[12], double seconds);

/* Texts of GET /metrics, and of /health and /ready, fresh; NULL: out of memory. */
char *watch_metrics(const watch_state *state, double now);
char *watch_health(const watch_state *state, double now);

#endif
