/* Folds by class; SVM and kNN on the rows of a table. */
#include "gw/folds.h"

#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

sotto_status sotto_i_gw_deal(uint32_t *fold, const uint32_t *items, size_t count, const int32_t *labels,
                             uint32_t folds, const sotto_key *key, uint64_t index, sotto_error *err) {
  sotto_i_random random;
  uint32_t *order = NULL;
  int32_t most = 0;
  sotto_status status = sotto_i_new_raw(&order, count, sizeof *order, err);
  if (status != SOTTO_OK) return status;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_SPLIT, 0, index);
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i;
    if (labels[items[i]] > most) most = labels[items[i]];
  }
  sotto_i_random_shuffle(&random, order, count);
  uint32_t next = 0; /* runs on from class to class, so that folds differ in size by one at most */
  for (int32_t label = 0; label <= most; label++)
    for (size_t k = 0; k < count; k++)
      if (labels[items[order[k]]] == label) fold[order[k]] = next++ % folds;
  sotto_i_free(order);
  return SOTTO_OK;
}

/* A row of the kernel as libsvm takes it: its number, the values, an end mark. */
static void kernel_row(struct svm_node *out, const sotto_gw_table *t, uint32_t row, uint32_t number,
                       const uint32_t *train, size_t count, double gamma) {
  out[0] = (struct svm_node){.index = 0, .value = number};
  for (size_t k = 0; k < count; k++)
    out[k + 1] = (struct svm_node){(int)k + 1, exp(-gamma * t->distance[row * t->count + train[k]])};
  out[count + 1] = (struct svm_node){.index = -1};
}

static void say_nothing(const char *text) {
  (void)text;
}

void sotto_i_gw_svm_quiet(void) {
  svm_set_print_string_function(say_nothing);
}

sotto_status sotto_i_gw_svm(size_t *right, const sotto_gw_table *t, const uint32_t *train, size_t n,
                            const uint32_t *test, size_t test_count, double penalty, double gamma,
                            sotto_error *err) {
  struct svm_node *nodes = NULL, **rows = NULL;
  double *labels = NULL;
  sotto_status status;
  *right = 0;
  SOTTO_TRY(sotto_i_new_raw(&nodes, (n + 1) * (n + 2), sizeof *nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&rows, n, sizeof(struct svm_node *), err));
  SOTTO_TRY(sotto_i_new_raw(&labels, n, sizeof *labels, err));
  for (uint32_t k = 0; k < n; k++) {
    rows[k] = nodes + k * (n + 2);
    kernel_row(rows[k], t, train[k], k + 1, train, n, gamma);
    labels[k] = t->labels[train[k]];
  }
  const struct svm_problem problem = {.l = (int)n, .y = labels, .x = rows};
  const struct svm_parameter parameter = {
      .svm_type = C_SVC, .kernel_type = PRECOMPUTED, .cache_size = 16, .eps = 1e-3, .C = penalty};
  struct svm_model *model = svm_train(&problem, &parameter);
  struct svm_node *row = nodes + n * (n + 2);
  for (size_t k = 0; k < test_count; k++) {
    kernel_row(row, t, test[k], 0, train, n, gamma);
    *right += svm_predict(model, row) == t->labels[test[k]];
  }
  svm_free_and_destroy_model(&model);
done:
  sotto_i_free(nodes);
  sotto_i_free(rows);
  sotto_i_free(labels);
  return status;
}

/* The class that most of the nearest have. */
static int32_t vote(const sotto_gw_table *t, const uint32_t *near, uint32_t count) {
  int32_t best = t->labels[near[0]];
  uint32_t most = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t votes = 0;
    for (uint32_t k = 0; k < count; k++) votes += t->labels[near[k]] == t->labels[near[i]];
    if (votes > most) {
      most = votes;
      best = t->labels[near[i]];
    }
  }
  return best;
}

sotto_status sotto_i_gw_knn(size_t *right, const sotto_gw_table *t, const uint32_t *train, size_t n,
                            const uint32_t *test, size_t test_count, uint32_t neighbours, sotto_error *err) {
  uint32_t *near = NULL;
  const uint32_t wanted = neighbours < n ? neighbours : (uint32_t)n;
  *right = 0;
  sotto_status status = sotto_i_new_raw(&near, wanted, sizeof *near, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < test_count; i++) {
    const double *row = t->distance + test[i] * t->count;
    uint32_t held = 0;
    for (size_t k = 0; k < n; k++) {
      uint32_t at = held < wanted ? held++ : wanted;
      if (at == wanted && !(row[train[k]] < row[near[wanted - 1]])) continue;
      if (at == wanted) at--;
      for (; at > 0 && row[near[at - 1]] > row[train[k]]; at--) near[at] = near[at - 1];
      near[at] = train[k];
    }
    *right += vote(t, near, held) == t->labels[test[i]];
  }
  sotto_i_free(near);
  return SOTTO_OK;
}
