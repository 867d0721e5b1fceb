/* Sums over neighbours for rows that exceed memory: some columns of all rows at a time. */
#ifndef SOTTO_SRC_PMP_COLUMN_SUMS_H
#define SOTTO_SRC_PMP_COLUMN_SUMS_H

#include "sotto/graph.h"

/* `width` columns of all rows are in memory as integers, 4 bytes each, while their sums are computed. Sums
 * are stored block by block of so many columns, and row by row within a block. Integer sums do not depend on
 * the order, so the sums are those of sotto_i_exact_sum. */
typedef struct sotto_i_column_sums {
  const sotto_graph *graph;
  size_t cols, width;
  int32_t *held; /* rows x width, of one block */
  int64_t *sums; /* of all blocks; until these are computed, the integers of a block are in its place */
  int32_t *slab; /* some rows, whole */
  size_t first;  /* number of the first of them */
  size_t block;  /* first column of the current one */
  /* Fills `to` with all integers of row v; from several threads at once. */
  void (*integers)(const void *context, int32_t *to, uint64_t v);
  const void *context;
} sotto_i_column_sums;

/* Number of columns in memory at once: all, where the rows fit into the memory that sotto_memory_set allows a
 * table. */
size_t sotto_i_columns_held(const sotto_graph *graph, size_t cols);

/* *out is zeroed before; free it in any case. Errors: NOMEM. */
sotto_status sotto_i_column_sums_new(sotto_i_column_sums *out, const sotto_graph *graph, size_t cols,
                                     size_t width, sotto_error *err);
/* Computes the sums of the rows that `integers` supplies. Errors: INTERRUPTED. */
sotto_status sotto_i_column_sums_make(sotto_i_column_sums *sums,
                                      void (*integers)(const void *context, int32_t *to, uint64_t v),
                                      const void *context, sotto_error *err);
/* The sums of node v. */
void sotto_i_column_sums_row(int64_t *out, const sotto_i_column_sums *sums, uint64_t v);
void sotto_i_column_sums_free(sotto_i_column_sums *sums);

#endif
