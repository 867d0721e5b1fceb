/* Features of a dataset, dense or sparse: the choice, how they are made row by row, and how they are read. */
#ifndef SOTTO_SRC_GRAPH_FEATURES_H
#define SOTTO_SRC_GRAPH_FEATURES_H

#include <string.h>

#include "dataset.h"

/* All bits 0: what no entry is. */
static inline bool sotto_i_is_zero(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == 0;
}
/* out: cells first to first + count - 1 of the dense table, row after row. */
void sotto_i_entries_expand(float *out, const sotto_entries *entries, uint64_t width, uint64_t first,
                            uint64_t count);

/* Whether features with at most so many entries that are not 0 are held as entries. */
bool sotto_i_features_sparse(uint64_t nodes, uint64_t width, uint64_t entries);
/* For tests: true makes them sparse whatever their size and their entries. */
void sotto_i_features_sparse_always(bool set);

/* Where rows of features come from. */
typedef struct sotto_i_feature_reader {
  const void *context;
  void (*add)(const void *context, uint64_t v, float *row); /* adds row v to a row of zeros */
  /* Row v as entries, and how many; SIZE_MAX where it does not have them ascending, once each and none 0. May
   * be NULL. */
  size_t (*entries)(const void *context, uint64_t v, uint32_t *columns, float *values);
} sotto_i_feature_reader;
/* Features of all parts->nodes nodes, parts->width wide, row by row: as entries, of which there are `most` or
 * fewer, or dense. Errors: NOMEM. */
sotto_status sotto_i_features_fill(sotto_i_parts *parts, bool sparse, uint64_t most,
                                   const sotto_i_feature_reader *rows, sotto_error *err);
/* Refuses (RANGE) a table that takes more than 64 MB as a dense one, and more than 256 times the `bytes` of
 * the file: bags of words in published graphs take up to 200 times. Of sparse ones 2048 times. */
sotto_status sotto_i_features_check_size(uint64_t nodes, uint64_t width, bool sparse, const char *file,
                                         size_t bytes, sotto_error *err);
/* The same of a file of so many bytes: sparse where sotto_i_features_sparse says so. Errors: also RANGE. */
sotto_status sotto_i_features_read(sotto_i_parts *parts, uint64_t most, const sotto_i_feature_reader *rows,
                                   const char *file, size_t bytes, sotto_error *err);
/* Rows rows[0..count) of the data become the parts' features, in the form that they have there. */
sotto_status sotto_i_features_of_rows(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *rows,
                                      uint64_t count, sotto_error *err);
/* Columns `columns[0..count)` of all rows, ascending or not. */
sotto_status sotto_i_features_of_columns(sotto_i_parts *parts, const sotto_dataset *data,
                                         const uint32_t *columns, size_t count, sotto_error *err);

/* All rows, dense: those of the data, borrowed, or *made, which the caller frees in either case. */
sotto_status sotto_i_features_dense(const sotto_matrix **out, sotto_matrix *made, const sotto_dataset *data,
                                    sotto_error *err);

#endif
