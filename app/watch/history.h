/* What a live board shows in addition to the state: the run, its learning curves so far, its latest events.
 * Nothing here exceeds metrics.jsonl and report.html: no name of a peer, no address, no path. */
#ifndef SOTTO_APP_WATCH_HISTORY_H
#define SOTTO_APP_WATCH_HISTORY_H

#include "state.h"

enum { WATCH_CURVES = 12, WATCH_POINTS = 128, WATCH_SAID = 12, WATCH_WORDS = 128 };

/* The run; method "" until it is known. */
typedef struct watch_run {
  char method[64], adjacency[32];
  char data[128];             /* name of the data; empty: this party has none */
  char role[SOTTO_ROLE_SIZE]; /* role of a party; empty: all parties are in this process */
  char folder[1024];
  uint64_t seed, seeds; /* the first seed, and their number */
} watch_run;

typedef struct watch_point {
  uint64_t epoch;
  double loss, validation; /* NAN: not known */
} watch_point;

/* A stage of the current training repetition. Of a long stage, every few epochs and the last are stored. */
typedef struct watch_curve {
  char name[64];
  watch_point points[WATCH_POINTS]; /* by ascending epoch */
  size_t count;
  uint64_t each, since; /* one in `each` epochs is stored; epochs since the last stored one */
  bool loose;           /* the next epoch replaces the last point */
} watch_curve;

typedef struct watch_said {
  char time[12]; /* UTC */
  char words[WATCH_WORDS];
} watch_said;

/* A plain value; none of the functions locks. */
typedef struct watch_history {
  watch_run run;
  uint64_t seed; /* repetition that the curves belong to, from 1; 0: none */
  watch_curve curves[WATCH_CURVES];
  size_t curve_count;
  watch_said said[WATCH_SAID]; /* oldest first */
  size_t said_count;
} watch_history;

/* Call after the state has been updated with the same event. */
void watch_history_progress(watch_history *history, const watch_state *state, const char *stage);
void watch_history_event(watch_history *history, const watch_state *state, const sotto_event *event);
/* Adds an epoch. One that is repeated after a restart replaces the earlier one and all that followed. */
void watch_history_epoch(watch_history *history, uint64_t seed, const char *stage, const watch_point *point);
void watch_history_say(watch_history *history, const char *format, ...) SOTTO_PRINTF(2, 3);
/* Loads the epochs of the last repetition from the metrics of an earlier start of this run, if any. */
void watch_history_load(watch_history *history);

#endif
