/* Rows of a dataset by the ids of their nodes. */
#ifndef SOTTO_SRC_GRAPH_TABLES_ROW_IDS_H
#define SOTTO_SRC_GRAPH_TABLES_ROW_IDS_H

#include "graph/io/csv.h"

/* The ids of the first `count` rows, numbered by row; a row without an id has its number. To be freed with
 * sotto_i_ids_free in any case. Errors: NOMEM. */
sotto_status sotto_i_row_ids(sotto_i_ids *out, const sotto_dataset *data, uint64_t count, sotto_error *err);

#endif
