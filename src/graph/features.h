/* Features of a dataset, dense or sparse: the choice, building them row by row, and reading them. */
#ifndef SOTTO_SRC_GRAPH_FEATURES_H
#define SOTTO_SRC_GRAPH_FEATURES_H

#include <string.h>

#include "dataset.h"

/* Whether all bits are 0; such values are never stored as entries. */
static inline bool sotto_i_is_zero(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == 0;
}
/* Expands cells first to first + count - 1 of the dense table, row after row, into `out`. */
void sotto_i_entries_expand(float *out, const sotto_entries *entries, uint64_t width, uint64_t first,
                            uint64_t count);

/* Values of a feature, added in the order of nodes: of all nodes that have one, and of those that train. */
typedef struct sotto_i_feature_sum {
  double sum[2];
  uint64_t count[2];
} sotto_i_feature_sum;
void sotto_i_features_sum(sotto_i_feature_sum *out, const sotto_i_parts *parts, size_t j);
/* The mean of those that train, or of all where none of these has a value; 0 where none has. */
double sotto_i_features_mean(const sotto_i_feature_sum *of);
/* Gives nodes without a value this one. */
void sotto_i_features_replace(sotto_i_parts *parts, size_t j, float value);

/* Whether features with at most `entries` nonzero cells are stored sparse. */
bool sotto_i_features_sparse(uint64_t nodes, uint64_t width, uint64_t entries);
/* For tests: true makes all features sparse. */
void sotto_i_features_sparse_always(bool set);

/* Source of feature rows. */
typedef struct sotto_i_feature_reader {
  const void *context;
  void (*add)(const void *context, uint64_t v, float *row); /* adds row v to a row of zeros */
  /* Writes row v as entries and returns their number; SIZE_MAX if it cannot provide them ascending, unique
   * and nonzero. May be NULL. */
  size_t (*entries)(const void *context, uint64_t v, uint32_t *columns, float *values);
} sotto_i_feature_reader;
/* Fills the features of all parts->nodes nodes, parts->width wide, row by row: sparse with at most `most`
 * entries, or dense. Errors: NOMEM. */
sotto_status sotto_i_features_fill(sotto_i_parts *parts, bool sparse, uint64_t most,
                                   const sotto_i_feature_reader *rows, sotto_error *err);
/* Refuses (RANGE) a table that takes more than 64 MB when dense and more than 256 times the `bytes` of the
 * file; sparse ones, 2048 times. Bags of words in published graphs take up to 200 times. */
sotto_status sotto_i_features_check_size(uint64_t nodes, uint64_t width, bool sparse, const char *file,
                                         size_t bytes, sotto_error *err);
/* The same for a file of `bytes` bytes, sparse if sotto_i_features_sparse decides so. Errors: also RANGE. */
sotto_status sotto_i_features_read(sotto_i_parts *parts, uint64_t most, const sotto_i_feature_reader *rows,
                                   const char *file, size_t bytes, sotto_error *err);
/* Copies rows rows[0..count) of the data to the parts' features, in the same form. */
sotto_status sotto_i_features_of_rows(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *rows,
                                      uint64_t count, sotto_error *err);
/* Copies columns columns[0..count) of all rows; columns need not ascend, and of UINT32_MAX is 0. */
sotto_status sotto_i_features_of_columns(sotto_i_parts *parts, const sotto_dataset *data,
                                         const uint32_t *columns, size_t count, sotto_error *err);

/* All rows in dense form: borrowed from the data, or in *made, which the caller frees in either case. */
sotto_status sotto_i_features_dense(const sotto_matrix **out, sotto_matrix *made, const sotto_dataset *data,
                                    sotto_error *err);

#endif
