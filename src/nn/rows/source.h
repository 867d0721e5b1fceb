/* Rows of all nodes, and some of them as constants of a tape, dense or sparse. */
#ifndef SOTTO_SRC_NN_ROWS_SOURCE_H
#define SOTTO_SRC_NN_ROWS_SOURCE_H

#include "rank_rows.h"
#include "sotto/graph.h"
#include "tensor/sparse.h"

/* Rows of all nodes: in memory, or read in windows. */
typedef struct sotto_i_row_source {
  size_t rows, cols;
  const sotto_matrix *matrix;    /* borrowed; NULL: `read` gives rows first to first + count - 1 */
  const sotto_i_rank_rows *held; /* borrowed: the matrix has rows of these nodes alone, and only they are
                               gathered; NULL: of all */
  /* Borrowed; not NULL: the rows are sparse. Constants of a tape are then made from these entries, each row
   * times its factor (NULL: 1), and never made dense; `read` gives the same values. */
  const sotto_entries *entries;
  const float *factor;
  sotto_status (*read)(void *context, float *out, size_t first, size_t count, sotto_error *err);
  void *context;
} sotto_i_row_source;
sotto_i_row_source sotto_i_row_source_of(const sotto_matrix *matrix);
/* Most rows of a window. */
enum { SOTTO_I_WINDOW_ROWS = 1 << 12 };
/* Rows first to first + count - 1: in the source's memory, or read into `room`, which has space for them. */
sotto_status sotto_i_row_source_rows(sotto_matrix *out, const sotto_i_row_source *source, float *room,
                                     size_t first, size_t count, sotto_error *err);
/* Copies row rows[i] to out + i * stride. `window` has space for SOTTO_I_WINDOW_ROWS rows. It is not used for
 * rows in memory. `rows` may have any order, and is fastest where it ascends. */
sotto_status sotto_i_row_source_gather(float *out, size_t stride, const sotto_i_row_source *source,
                                       const uint32_t *rows, size_t count, float *window, sotto_error *err);

/* The same in a fresh matrix. */
sotto_status sotto_i_row_source_take(sotto_matrix *out, const sotto_i_row_source *source,
                                     const uint32_t *rows, size_t count, sotto_error *err);

/* The rows of the nodes in `held` (NULL: all rows), borrowed from the source's memory or from `room`, which
 * is fresh and freed by the caller in any case. */
sotto_status sotto_i_row_source_held(sotto_matrix *out, sotto_matrix *room, const sotto_i_row_source *source,
                                     const sotto_i_rank_rows *held, sotto_error *err);

/* Memory for rows of a source as constants of a tape. Start from a zeroed one; call sotto_i_row_room_free in
 * any case. */
typedef struct sotto_i_row_room {
  float *rows;
  size_t held; /* floats that fit */
  sotto_i_sparse entries;
} sotto_i_row_room;
/* Rows first to first + count - 1 as a constant of the tape, like sotto_tape_fixed. One call between two
 * resets. */
sotto_var sotto_i_row_source_var(sotto_i_row_room *room, sotto_tape *tape, const sotto_i_row_source *source,
                                 size_t first, size_t count);
void sotto_i_row_room_free(sotto_i_row_room *room);

/* Rows rows[0..count) of a source that has entries; replaces *out. Errors: NOMEM, RANGE. */
sotto_status sotto_i_row_source_entries(sotto_i_sparse *out, const sotto_i_row_source *source,
                                        const uint32_t *rows, size_t count, sotto_error *err);

#endif
