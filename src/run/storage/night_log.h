/* Edges counted so far by a plan of nights: which, since when, and among how many nodes. For the owner alone.
 * */
#ifndef SOTTO_SRC_RUN_STORAGE_NIGHT_LOG_H
#define SOTTO_SRC_RUN_STORAGE_NIGHT_LOG_H

#include "sotto/graph.h"

/* Nights are numbered from 1. An edge is counted from night `since` on, and until before night `until`. */
typedef struct sotto_i_night_edge {
  uint32_t low, high;    /* its nodes, low < high */
  uint16_t since, until; /* until 0: it still is */
} sotto_i_night_edge;

typedef struct sotto_i_night_log {
  uint32_t night;   /* the latest; 0: none */
  uint64_t *nodes;  /* owned: night + 1; nodes[t] of night t, and nodes[0] of the run's own data */
  uint8_t mark[32]; /* of the latest night: drawn when it began, so that copies of the folder differ by it */
  uint8_t rows[32]; /* digest of its rows of features */
  sotto_i_night_edge *edges; /* owned: by low, then high */
  uint64_t edge_count;
} sotto_i_night_log;

/* Before the first night: the run's own data, of which the edges are not counted yet. */
SOTTO_MUST_USE sotto_status sotto_i_night_log_begin(sotto_i_night_log *out, const sotto_dataset *own,
                                                    sotto_error *err);
void sotto_i_night_log_free(sotto_i_night_log *log);

/* The log as it was on a night that was made, in memory: for answers from its release. Of `data` the number
 * of nodes is compared, and the rows of features where it is the latest night; its edges are not. Errors:
 * INVALID (no such night yet; other nodes or features), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_night_log_return(sotto_i_night_log *log, uint64_t night,
                                                     const sotto_dataset *data, sotto_error *err);

/* One night more, of this data. An edge that is gone stays counted with one change an edge (`changes`), and
 * is no longer with two; after its last change nothing moves it. Errors: INVALID, naming what is not of a
 * next night: fewer nodes, or other features of a node; RANGE (nights beyond 65,535). */
SOTTO_MUST_USE sotto_status sotto_i_night_log_advance(sotto_i_night_log *log, const sotto_dataset *data,
                                                      uint32_t changes, sotto_error *err);

/* A file with a checksum, replaced as a whole. Errors: those of files; CORRUPT. */
sotto_status sotto_i_night_log_save(const sotto_i_night_log *log, const char *path, sotto_error *err);
sotto_status sotto_i_night_log_load(sotto_i_night_log *out, const char *path, sotto_error *err);

#endif
