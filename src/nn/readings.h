/* Features from released counts: inputs of BEST's corrections. */
#ifndef SOTTO_SRC_NN_READINGS_H
#define SOTTO_SRC_NN_READINGS_H

#include "inside/dp.h"
#include "rows/rank_rows.h"
#include "sotto/tensor.h"

/* to[i] = from[i] minus the mean of the row; both of the same shape. */
void sotto_i_rows_less_mean(sotto_matrix *to, const sotto_matrix *from);

/* The standard deviation of such noise. */
double sotto_i_laplace_deviation(const sotto_laplace_grid *noise);

/* What a table of counts is of. */
typedef struct sotto_i_counted {
  const sotto_laplace_grid *noise; /* NULL: no noise, and the unit is one neighbour */
  size_t releases; /* number of tables with independent noise whose sum these counts are; 0: one */
  double row;   /* sums of neighbours' rows, whose l1 norm is at most this, in place of counts; 0: counts */
  double times; /* how often each row counts a neighbour, without levels; 0: once */
  bool whole;   /* the sum of a row says how many neighbours there are, whatever their classes */
  const uint8_t *levels;         /* by node, or by row where `held` is NULL; NULL: all alike */
  const sotto_i_rank_rows *held; /* the counts are of these nodes alone; NULL: of all */
  const double *expected;        /* by level: how often one neighbour is counted on the average; NULL: once */
} sotto_i_counted;

/* Number of features from counts of this number of clusters. */
size_t sotto_i_readings_width(size_t clusters, bool whole);

/* Appends columns to `inputs`, which is empty or has as many rows: the asinh of the counts and the direction
 * of the row. Counts are in units of the noise's standard deviation; asinh covers
 * orders of magnitude of neighbours. Rows of more than two counts by class have their mean subtracted first.
 * Others say how many neighbours there are, so they are divided by `expected`; whole counts have their sum
 * too. Sums of rows are divided by `expected` alone; without noise their unit is one row. */
sotto_status sotto_i_readings_append(sotto_matrix *inputs, const sotto_matrix *counts,
                                     const sotto_i_counted *of, sotto_error *err);

#endif
