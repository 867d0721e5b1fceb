/* Edges counted so far in a plan of nights: which edges, from which night on, and among how many nodes. For
 * the owner only. */
#ifndef SOTTO_SRC_RUN_STORAGE_NIGHT_LOG_H
#define SOTTO_SRC_RUN_STORAGE_NIGHT_LOG_H

#include "sotto/graph.h"

/* Nights are numbered from 1. An edge is counted from night `since` to the night before `until`. */
typedef struct sotto_i_night_edge {
  uint32_t low, high;    /* its nodes, low < high */
  uint16_t since, until; /* until 0: it still counts */
} sotto_i_night_edge;

typedef struct sotto_i_night_log {
  uint32_t night;   /* the latest; 0: none */
  uint64_t *nodes;  /* owned: night + 1 entries; nodes[t] of night t, nodes[0] of the run's own data */
  uint8_t mark[32]; /* random mark of the latest night, by which copies of the folder differ */
  uint8_t rows[32]; /* digest of the latest night's feature rows */
  sotto_i_night_edge *edges; /* owned: in ascending order of low, then high */
  uint64_t edge_count;
} sotto_i_night_log;

/* The state before the first night: the run's own data, whose edges are not yet counted. */
SOTTO_MUST_USE sotto_status sotto_i_night_log_begin(sotto_i_night_log *out, const sotto_dataset *own,
                                                    sotto_error *err);
void sotto_i_night_log_free(sotto_i_night_log *log);

/* Sets the log in memory to an earlier night, for predictions from that night's release. Compares the
 * number of nodes with `data`, and for the latest night the feature rows, but not the edges. Errors:
 * INVALID (no such night yet; other nodes or features), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_night_log_return(sotto_i_night_log *log, uint64_t night,
                                                     const sotto_dataset *data, sotto_error *err);

/* Adds one night with this data. An edge that disappeared stays counted if an edge may change once
 * (`changes` 1), and is no longer counted if it may change twice; after its last change it does not change
 * again. Errors: INVALID, naming what does not fit a next night: fewer nodes, or other features of a node;
 * RANGE (nights beyond 65,535). */
SOTTO_MUST_USE sotto_status sotto_i_night_log_advance(sotto_i_night_log *log, const sotto_dataset *data,
                                                      uint32_t changes, sotto_error *err);

/* A file with a checksum, always replaced as a whole. Errors: those of files; CORRUPT. */
sotto_status sotto_i_night_log_save(const sotto_i_night_log *log, const char *path, sotto_error *err);
sotto_status sotto_i_night_log_load(sotto_i_night_log *out, const char *path, sotto_error *err);

#endif
