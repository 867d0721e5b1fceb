/* Parts of windows of time, for splits by time. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_WINDOW_H
#define SOTTO_SRC_GRAPH_PARTITION_WINDOW_H

#include "sotto/graph.h"

/* The feature that holds the days (since 2000-01-01) of a column of dates of the nodes. `use` says in errors
 * what the days are for, as "the day since which a label is known". Errors: NOT_FOUND (no such column),
 * INVALID (it is of another type, or cells without a day may have been filled). */
sotto_status sotto_i_day_column(size_t *feature, const sotto_dataset *data, const char *column,
                                const char *use, sotto_error *err);

/* All nodes with labels and features as they are, the transfers before that day, and the edges that these
 * are of. `split`, a sotto_part a node, is its published split. Errors: NOT_FOUND (no times), NOMEM. */
sotto_status sotto_i_window_before(sotto_dataset *out, const sotto_dataset *data, double before,
                                   const uint8_t *split, sotto_error *err);

#endif
