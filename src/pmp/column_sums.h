/* Sums over neighbours of rows that are larger than memory: some columns of all rows at a time. */
#ifndef SOTTO_SRC_PMP_COLUMN_SUMS_H
#define SOTTO_SRC_PMP_COLUMN_SUMS_H

#include "sotto/graph.h"

/* `width` columns of all rows are held as integers, 4 bytes each, while their sums are made. Sums lie block
 * after block of so many columns, row after row. Integers have no order in which they are added up, so the
 * sums are those of sotto_i_exact_sum. */
typedef struct sotto_i_column_sums {
  const sotto_graph *graph;
  size_t cols, width;
  int32_t *held; /* rows x width, of one block */
  int64_t *sums; /* of all blocks; before these are made, the integers of a block lie in its place */
  int32_t *slab; /* some rows, whole */
  size_t first;  /* of them */
  size_t block;  /* first column of the one in hand */
  /* Fills `to` with all integers of row v; from several threads at once. */
  void (*integers)(const void *context, int32_t *to, uint64_t v);
  const void *context;
} sotto_i_column_sums;

/* How many columns are held at once, of a graph's rows: all of them where these fit into the memory that
 * sotto_memory_set allows a table. */
size_t sotto_i_columns_held(const sotto_graph *graph, size_t cols);

/* Zeroed before; free in any case. Errors: NOMEM. */
sotto_status sotto_i_column_sums_new(sotto_i_column_sums *out, const sotto_graph *graph, size_t cols,
                                     size_t width, sotto_error *err);
/* Sums of the rows that `integers` gives now. Errors: INTERRUPTED. */
sotto_status sotto_i_column_sums_make(sotto_i_column_sums *sums,
                                      void (*integers)(const void *context, int32_t *to, uint64_t v),
                                      const void *context, sotto_error *err);
/* The sums of node v. */
void sotto_i_column_sums_row(int64_t *out, const sotto_i_column_sums *sums, uint64_t v);
void sotto_i_column_sums_free(sotto_i_column_sums *sums);

#endif
