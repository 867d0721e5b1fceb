/* Classifiers on a distance table, for cross-validation, and the count of their right answers. */
#ifndef SOTTO_SRC_GW_FOLDS_H
#define SOTTO_SRC_GW_FOLDS_H

#include "gw/codes.h"

/* Train on some rows of a table, predict others. Of reports the predicted rows are the anchors, and the
 * predictions are counted by the reports of the graphs in `judged`. */
typedef struct sotto_i_gw_task {
  const sotto_gw_table *table;
  const uint32_t *train, *test;
  size_t train_count, test_count;
  double gamma;                      /* of the SVM's kernel */
  const sotto_gw_reported *reported; /* NULL: a prediction is right if it is the label of its row */
  const uint32_t *judged;            /* graphs that reported a label */
  size_t judged_count;
} sotto_i_gw_task;

/* How many of predicted[test_count] are right; of reports an unbiased estimate of how many judged graphs have
 * the label that their anchor got. In right.c. */
double sotto_i_gw_count_right(const sotto_i_gw_task *task, const int32_t *predicted);
/* The share of the largest class among `count` graphs that reported a label, an unbiased estimate for each
 * class. */
double sotto_i_gw_largest_reported(const sotto_gw_reported *reported, const uint32_t *graphs, size_t count,
                                   size_t anchors);
/* The table of graphs by their codes, and behind them of the anchors, which have no label. A graph's label is
 * the one it reported, or of a report of several values the class that the server gives it; -1: none. Owned.
 * Errors: INVALID (codes without reports), NOMEM. */
sotto_status sotto_i_gw_reported_table(sotto_gw_table *out, const sotto_gw_codes *codes, sotto_error *err);

/* Redirects libsvm's output, which goes to stdout by default. Call it before libsvm is used. */
void sotto_i_gw_svm_quiet(void);

/* Right predictions (sotto_i_gw_count_right) by an SVM with each of `count` penalties, in ascending order.
 * Where libsvm does not converge quickly (more than 10^8 item visits, so the classes are far from
 * separable), larger penalties are skipped and get the same result. */
sotto_status sotto_i_gw_svm(double *right, const sotto_i_gw_task *task, const double *penalties, size_t count,
                            sotto_error *err);

#endif
