/* The file that keeps finished pairs of a comparison. */
#ifndef SOTTO_SRC_GW_STATE_H
#define SOTTO_SRC_GW_STATE_H

#include "sotto/base.h"

/* A header of 48 bytes (magic, what the values belong to, their number), then a double a pair. Appended to by
 * one process at a time. */
typedef struct sotto_i_gw_state {
  int descriptor; /* -1: none is kept */
  const char *path;
  double synced; /* when it was last synced, on the clock of sotto_i_seconds */
} sotto_i_gw_state;

/* Opens or makes the file and reads into values[total] what it has; *done says how many. `identity` is a hash
 * of data and options. A last value that was cut is dropped. Errors: CORRUPT (it belongs to something else,
 * or a value is not a distance), IO. */
sotto_status sotto_i_gw_state_open(sotto_i_gw_state *out, const char *path, const uint8_t identity[32],
                                   double *values, size_t total, size_t *done, sotto_error *err);
/* Appends values, and syncs when the last time is a second ago or `now`. Errors: IO. */
sotto_status sotto_i_gw_state_add(sotto_i_gw_state *state, const double *values, size_t count, bool now,
                                  sotto_error *err);
void sotto_i_gw_state_close(sotto_i_gw_state *state, bool remove);

#endif
