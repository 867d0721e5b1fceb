/* Cells of a long computation over ranks, with a file of finished cells. */
#ifndef SOTTO_SRC_RANKS_CELLS_H
#define SOTTO_SRC_RANKS_CELLS_H

#include "ranks.h"

/* Cells are numbered from 0 and computed in turns. In a turn each rank computes a block of consecutive
 * cells, rank 0 the first block; then rank 0 appends all of them to the file. So the file always holds the
 * first cells, and the computation can continue with any number of ranks. Set the upper members, zero the
 * rest. */
typedef struct sotto_i_cells {
  const char *path;     /* NULL: no file */
  const char *kind;     /* kind of the file: at most 7 letters */
  const char *holds;    /* the cells in messages: "pairs" */
  bool anew;            /* true: a file of other cells is overwritten; false: it is an error */
  uint8_t identity[32]; /* hash of everything that the cells depend on */
  void *lead;           /* drawn once for all cells and stored before them; NULL: nothing */
  size_t lead_bytes;
  void *values; /* total x bytes, owned by the caller, in every rank */
  size_t bytes; /* bytes per cell */
  size_t total;
  size_t block; /* maximum number of cells per rank and turn */
  sotto_ranks *ranks;

  size_t done; /* finished cells, at rank 0 */
  bool is_open;
  int descriptor; /* rank 0: the open file, if there is a path */
  double synced;  /* time of the last sync, by sotto_i_seconds */
} sotto_i_cells;

/* Computes cells first to first + count - 1 into `values`. *finished is the number of leading cells that
 * finished, also after a failure. */
typedef sotto_status (*sotto_i_cells_make)(void *context, void *values, size_t first, size_t count,
                                           size_t *finished, sotto_error *err);

/* Reads the file, or creates it (mode 0600). `done` becomes the number of cells in it, whose values rank 0
 * has. All ranks get the lead of the file, or that of rank 0. An incomplete last cell is dropped. Close
 * also after an error. Errors: INVALID (ranks differ in what their cells depend on), CORRUPT (without
 * `anew`: the file belongs to other cells), IO (also: another process has it open). */
sotto_status sotto_i_cells_open(sotto_i_cells *cells, sotto_error *err);
/* Computes all unfinished cells; rank 0 has all values afterwards. After a failed turn, rank 0's own cells
 * are saved. `stage` is for the observer. Errors: those of make, IO, those of another rank. */
sotto_status sotto_i_cells_run(sotto_i_cells *cells, sotto_i_cells_make make, void *context,
                               const char *stage, const sotto_observer *observer, sotto_error *err);
/* Sends all values to all ranks. */
sotto_status sotto_i_cells_share(const sotto_i_cells *cells, sotto_error *err);
void sotto_i_cells_close(sotto_i_cells *cells, bool remove);

/* Loads the file at rank 0. */
sotto_status sotto_i_cells_load(sotto_i_cells *cells, sotto_error *err);
/* Appends cells. Syncs when the last sync was a second ago, or with `now`. Errors: IO. */
sotto_status sotto_i_cells_append(sotto_i_cells *cells, const void *values, size_t count, bool now,
                                  sotto_error *err);

#endif
