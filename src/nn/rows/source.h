/* Rows of all nodes, and some of them as constants of a tape: dense, or entries alone. */
#ifndef SOTTO_SRC_NN_ROWS_SOURCE_H
#define SOTTO_SRC_NN_ROWS_SOURCE_H

#include "sotto/graph.h"
#include "tensor/sparse.h"

/* Rows of all nodes: in memory, or read in windows. */
typedef struct sotto_i_row_source {
  size_t rows, cols;
  const sotto_matrix *matrix; /* borrowed; NULL: `read` gives rows first to first + count - 1 */
  /* Borrowed; not NULL: the rows are sparse. What makes constants of a tape reads these, each row times its
   * factor (NULL: 1), and never makes them dense; `read` gives the same values. */
  const sotto_entries *entries;
  const float *factor;
  sotto_status (*read)(void *context, float *out, size_t first, size_t count, sotto_error *err);
  void *context;
} sotto_i_row_source;
sotto_i_row_source sotto_i_row_source_of(const sotto_matrix *matrix);
/* Rows that a window has at most. */
enum { SOTTO_I_WINDOW_ROWS = 1 << 12 };
/* Rows first to first + count - 1: where they stand in memory, or read into `room`, which has room for them.
 */
sotto_status sotto_i_row_source_rows(sotto_matrix *out, const sotto_i_row_source *source, float *room,
                                     size_t first, size_t count, sotto_error *err);
/* Rows[i] to out + i * stride. `window` has room for SOTTO_I_WINDOW_ROWS rows; it is not used for rows in
 * memory, which may be in any order. Others ascend. */
sotto_status sotto_i_row_source_gather(float *out, size_t stride, const sotto_i_row_source *source,
                                       const uint32_t *rows, size_t count, float *window, sotto_error *err);

/* The same in a fresh matrix. */
sotto_status sotto_i_row_source_take(sotto_matrix *out, const sotto_i_row_source *source,
                                     const uint32_t *rows, size_t count, sotto_error *err);

/* What rows of a source need to be constants of a tape. A zeroed one is fine to begin with;
 * sotto_i_row_room_free in any case. */
typedef struct sotto_i_row_room {
  float *rows;
  size_t held; /* floats that there is room for */
  sotto_i_sparse entries;
} sotto_i_row_room;
/* Rows first to first + count - 1: a constant of the tape, as sotto_tape_fixed makes it. One call between two
 * resets. */
sotto_var sotto_i_row_source_var(sotto_i_row_room *room, sotto_tape *tape, const sotto_i_row_source *source,
                                 size_t first, size_t count);
void sotto_i_row_room_free(sotto_i_row_room *room);

/* Rows rows[0..count) of a source that has entries, in the place of what was in *out. Errors: NOMEM, RANGE.
 */
sotto_status sotto_i_row_source_entries(sotto_i_sparse *out, const sotto_i_row_source *source,
                                        const uint32_t *rows, size_t count, sotto_error *err);

#endif
