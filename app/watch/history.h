/* What a live board shows beside the state: which run it is, its learning curves so far, what happened last.
 * Nothing here says more than metrics.jsonl and report.html do: no name of a peer, no address, no path. */
#ifndef SOTTO_APP_WATCH_HISTORY_H
#define SOTTO_APP_WATCH_HISTORY_H

#include "state.h"

enum { WATCH_CURVES = 12, WATCH_POINTS = 128, WATCH_SAID = 12, WATCH_WORDS = 128 };

/* Which run it is; method "" until that is known. */
typedef struct watch_run {
  char method[64], adjacency[32];
  char data[128];             /* its name; empty: this party has none */
  char role[SOTTO_ROLE_SIZE]; /* of a party; empty: all parties are in this process */
  char folder[1024];
  uint64_t seed, seeds; /* the first, and how many */
} watch_run;

typedef struct watch_point {
  uint64_t epoch;
  double loss, validation; /* NAN: not known */
} watch_point;

/* A stage of the present training repetition. Of a long stage every few epochs are kept, and the last. */
typedef struct watch_curve {
  char name[64];
  watch_point points[WATCH_POINTS]; /* by ascending epoch */
  size_t count;
  uint64_t each, since; /* one of so many epochs is kept; how many came since */
  bool loose;           /* the last point goes when another comes */
} watch_curve;

typedef struct watch_said {
  char time[12]; /* UTC */
  char words[WATCH_WORDS];
} watch_said;

/* A plain value; none of the functions locks. */
typedef struct watch_history {
  watch_run run;
  uint64_t seed; /* which repetition the curves are of, from 1; 0: of none */
  watch_curve curves[WATCH_CURVES];
  size_t curve_count;
  watch_said said[WATCH_SAID]; /* oldest first */
  size_t said_count;
} watch_history;

/* After the state has heard of the same. */
void watch_history_progress(watch_history *history, const watch_state *state, const char *stage);
void watch_history_event(watch_history *history, const watch_state *state, const sotto_event *event);
/* An epoch that comes again, after a restart, takes the place of the earlier one and of what followed it. */
void watch_history_epoch(watch_history *history, uint64_t seed, const char *stage, const watch_point *point);
void watch_history_say(watch_history *history, const char *format, ...) SOTTO_PRINTF(2, 3);
/* The epochs of the last repetition in the metrics of an earlier start of this run; nothing where there are
 * none. */
void watch_history_load(watch_history *history);

#endif
