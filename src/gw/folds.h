/* Folds by class, and kernel machines on a table. */
#ifndef SOTTO_SRC_GW_FOLDS_H
#define SOTTO_SRC_GW_FOLDS_H

#include "sotto/gw.h"

/* Learn from some rows of a table, answer for others. */
typedef struct sotto_i_gw_task {
  const sotto_gw_table *table;
  const uint32_t *train, *test;
  size_t train_count, test_count;
  double gamma; /* of the SVM's kernel */
} sotto_i_gw_task;

/* Keeps libsvm, which prints to stdout, silent; to be called before it is used. */
void sotto_i_gw_svm_quiet(void);

/* How many of `test` get the right label by an SVM with each of `count` penalties, in rising order. Where
 * libsvm takes very long (10^8 items looked at, which is far from separable), greater penalties are not
 * tried: they have the answer of that one. */
sotto_status sotto_i_gw_svm(size_t *right, const sotto_i_gw_task *task, const double *penalties, size_t count,
                            sotto_error *err);

#endif
