/* Index arrays with names and checks, for sotto_dataset_from_arrays. */
#ifndef SOTTO_SRC_GRAPH_IO_ARRAYS_H
#define SOTTO_SRC_GRAPH_IO_ARRAYS_H

#include "read.h"

/* A CSR index in the caller's arrays, and the names of its two arrays for errors. */
typedef struct sotto_i_csr_index {
  const char *start_name, *index_name;
  sotto_i_array starts, indices;
} sotto_i_csr_index;

/* Wraps the caller's array in the array type of the readers; the data is not copied. */
sotto_i_array sotto_i_index_array(const sotto_index_array *from);
/* Element i as an integer; INT64_MAX for larger values. */
int64_t sotto_i_index_at(const sotto_i_array *array, uint64_t i);
/* Whether the data exists and is aligned to `size`. */
bool sotto_i_is_aligned(const void *data, size_t size);

/* Checks rows + 1 starts that ascend from 0 to the number of indices, and every index below `limit`.
 * Errors: INVALID, RANGE, naming the array and the element. */
sotto_status sotto_i_csr_index_check(const sotto_i_csr_index *index, uint64_t rows, uint64_t limit,
                                     sotto_error *err);

/* Fills parts->offsets and parts->targets; parts->nodes is set. */
sotto_status sotto_i_arrays_edges(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err);

#endif
