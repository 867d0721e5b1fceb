/* Folds by class, and kernel machines on a table. */
#ifndef SOTTO_SRC_GW_FOLDS_H
#define SOTTO_SRC_GW_FOLDS_H

#include "sotto/gw.h"

/* Deals items (rows of the table) into `folds` so that each class is spread evenly: fold[i] of items[i]. The
 * order within a class is drawn from (key, index). Errors: NOMEM. */
sotto_status sotto_i_gw_deal(uint32_t *fold, const uint32_t *items, size_t count, const int32_t *labels,
                             uint32_t folds, const sotto_key *key, uint64_t index, sotto_error *err);

/* Keeps libsvm, which prints to stdout, silent; to be called before it is used from several threads. */
void sotto_i_gw_svm_quiet(void);

/* How many of `test` get the right label. Both are rows of the table. */
sotto_status sotto_i_gw_svm(size_t *right, const sotto_gw_table *table, const uint32_t *train,
                            size_t train_count, const uint32_t *test, size_t test_count, double penalty,
                            double gamma, sotto_error *err);
/* Ties between classes go to the class of the nearest. */
sotto_status sotto_i_gw_knn(size_t *right, const sotto_gw_table *table, const uint32_t *train,
                            size_t train_count, const uint32_t *test, size_t test_count, uint32_t neighbours,
                            sotto_error *err);

#endif
