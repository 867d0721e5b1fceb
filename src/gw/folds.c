/* Folds by class, and kNN on the rows of a table. */
#include "gw/folds.h"

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

sotto_status sotto_i_gw_knn(size_t *right, const sotto_i_gw_task *task, uint32_t neighbours,
                            sotto_error *err) {
  const sotto_gw_table *t = task->table;
  const size_t n = task->train_count;
  uint32_t *near = NULL;
  const uint32_t wanted = neighbours < n ? neighbours : (uint32_t)n;
  *right = 0;
  sotto_status status = sotto_i_new_raw(&near, wanted, sizeof *near, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < task->test_count; i++) {
    const double *row = t->distance + task->test[i] * t->count;
    uint32_t held = 0;
    for (size_t k = 0; k < n; k++) {
      const uint32_t item = task->train[k];
      uint32_t at = held < wanted ? held++ : wanted;
      if (at == wanted && !(row[item] < row[near[wanted - 1]])) continue;
      if (at == wanted) at--;
      for (; at > 0 && row[near[at - 1]] > row[item]; at--) near[at] = near[at - 1];
      near[at] = item;
    }
    *right += vote(t, near, held) == t->labels[task->test[i]];
  }
  sotto_i_free(near);
  return SOTTO_OK;
}
