/* Support vector machines on a distance table, for cross-validation. */
#ifndef SOTTO_SRC_GW_FOLDS_H
#define SOTTO_SRC_GW_FOLDS_H

#include "sotto/gw.h"

/* Train on some rows of a table, predict others. */
typedef struct sotto_i_gw_task {
  const sotto_gw_table *table;
  const uint32_t *train, *test;
  size_t train_count, test_count;
  double gamma; /* of the SVM's kernel */
} sotto_i_gw_task;

/* Redirects libsvm's output, which goes to stdout by default. Call it before libsvm is used. */
void sotto_i_gw_svm_quiet(void);

/* Number of correct predictions of `test` by an SVM with each of `count` penalties, in ascending order.
 * Where libsvm does not converge quickly (more than 10^8 item visits, so the classes are far from
 * separable), larger penalties are skipped and get the same result. */
sotto_status sotto_i_gw_svm(size_t *right, const sotto_i_gw_task *task, const double *penalties, size_t count,
                            sotto_error *err);

#endif
