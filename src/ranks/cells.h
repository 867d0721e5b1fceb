/* Cells of a long computation: ranks share them, and a file keeps those that are finished. */
#ifndef SOTTO_SRC_RANKS_CELLS_H
#define SOTTO_SRC_RANKS_CELLS_H

#include "ranks.h"

/* Cells are numbered from 0 and done in turns. In a turn each rank makes a block of consecutive cells, rank 0
 * the first one; then rank 0 appends all of them to the file. So the file always holds the first cells, and
 * the computation goes on from there over any number of ranks. Set the upper part, zero the rest. */
typedef struct sotto_i_cells {
  const char *path;     /* NULL: none is kept */
  const char *kind;     /* of the file: at most 7 letters */
  const char *holds;    /* for messages: "pairs" */
  bool anew;            /* a file of other cells is begun anew; else it is an error */
  uint8_t identity[32]; /* a hash of all that a cell depends on */
  void *lead;           /* what is drawn once for all cells, and kept before them; NULL: nothing */
  size_t lead_bytes;
  void *values; /* total x bytes, owned by the caller, in every rank */
  size_t bytes; /* of a cell */
  size_t total;
  size_t block; /* the most cells of a rank in a turn */
  sotto_ranks *ranks;

  size_t done; /* cells that are finished, at rank 0 */
  bool is_open;
  int descriptor; /* rank 0, while it is open and has a path */
  double synced;  /* when the file was last synced, on the clock of sotto_i_seconds */
} sotto_i_cells;

/* Makes cells first to first + count - 1 at `values`. *finished says, also of a failure, how many of them,
 * from the first on, are finished. */
typedef sotto_status (*sotto_i_cells_make)(void *context, void *values, size_t first, size_t count,
                                           size_t *finished, sotto_error *err);

/* Reads what the file has, or makes it (mode 0600): `done` says how many cells, and rank 0 has their values.
 * All ranks then have the lead of the file, or that of rank 0. A last cell that was cut is dropped. Close
 * after an error, too. Errors: INVALID (ranks differ in what their cells depend on), CORRUPT (without `anew`:
 * the file belongs to something else), IO (also: another process has it open). */
sotto_status sotto_i_cells_open(sotto_i_cells *cells, sotto_error *err);
/* All cells that are not finished. Rank 0 has all values then. Of a turn that fails rank 0's own cells are
 * kept. `stage` is for the observer. Errors: those of make, IO, those of another rank. */
sotto_status sotto_i_cells_run(sotto_i_cells *cells, sotto_i_cells_make make, void *context,
                               const char *stage, const sotto_observer *observer, sotto_error *err);
/* All values to all ranks. */
sotto_status sotto_i_cells_share(const sotto_i_cells *cells, sotto_error *err);
void sotto_i_cells_close(sotto_i_cells *cells, bool remove);

/* The file, at rank 0. */
sotto_status sotto_i_cells_load(sotto_i_cells *cells, sotto_error *err);
/* Appends cells, and syncs when the last time is a second ago or `now`. Errors: IO. */
sotto_status sotto_i_cells_append(sotto_i_cells *cells, const void *values, size_t count, bool now,
                                  sotto_error *err);

#endif
