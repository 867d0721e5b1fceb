/* SVM with the kernel exp(-gamma distance), using libsvm. */
#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gw/folds.h"

/* Limit on item visits: each libsvm step visits every item. It bounds one training to a few tenths of a
 * second. */
static const double most_work = 1e8;

/* Iterations of the latest training on this thread; libsvm reports them only in its printed output. */
static _Thread_local double printed_iterations;

static void parse_iterations(const char *text) {
  static const char prefix[] = "#iter = ";
  const char *at = strstr(text, prefix);
  if (at != NULL) printed_iterations = fmax(printed_iterations, strtod(at + sizeof prefix - 1, NULL));
}

void sotto_i_gw_svm_quiet(void) {
  svm_set_print_string_function(parse_iterations);
}

/* A row of the precomputed kernel in libsvm's format: its number, the values, an end mark. */
static void kernel_row(struct svm_node *out, const sotto_i_gw_task *task, uint32_t row, uint32_t number) {
  const sotto_gw_table *t = task->table;
  out[0] = (struct svm_node){.index = 0, .value = number};
  for (size_t k = 0; k < task->train_count; k++)
    out[k + 1] =
        (struct svm_node){(int)k + 1, exp(-task->gamma * t->distance[row * t->count + task->train[k]])};
  out[task->train_count + 1] = (struct svm_node){.index = -1};
}

typedef struct kernel {
  struct svm_node *nodes, **rows; /* one row of `width` nodes for each train item, then for each test item */
  double *labels;                 /* of the train items */
  int32_t *predicted;             /* of the test items */
  size_t width;
} kernel;

static sotto_status build_kernel(kernel *k, const sotto_i_gw_task *task, sotto_error *err) {
  const size_t n = task->train_count, all = n + task->test_count;
  sotto_status status;
  k->width = n + 2;
  SOTTO_TRY(sotto_i_new_raw(&k->nodes, all * k->width, sizeof *k->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&k->rows, all, sizeof(struct svm_node *), err));
  SOTTO_TRY(sotto_i_new_raw(&k->labels, n, sizeof *k->labels, err));
  SOTTO_TRY(sotto_i_new_raw(&k->predicted, task->test_count, sizeof *k->predicted, err));
  for (uint32_t i = 0; i < all; i++) {
    k->rows[i] = k->nodes + i * k->width;
    kernel_row(k->rows[i], task, i < n ? task->train[i] : task->test[i - n], i < n ? i + 1 : 0);
    if (i < n) k->labels[i] = task->table->labels[task->train[i]];
  }
done:
  return status;
}

static double train_and_test(const kernel *k, const sotto_i_gw_task *task, double penalty) {
  const size_t n = task->train_count;
  const struct svm_problem problem = {.l = (int)n, .y = k->labels, .x = k->rows};
  const struct svm_parameter parameter = {.svm_type = C_SVC,
                                          .kernel_type = PRECOMPUTED,
                                          .cache_size = 16,
                                          .eps = 1e-3,
                                          .C = penalty,
                                          .shrinking = 1};
  struct svm_model *model = svm_train(&problem, &parameter);
  for (size_t i = 0; i < task->test_count; i++) k->predicted[i] = (int32_t)svm_predict(model, k->rows[n + i]);
  svm_free_and_destroy_model(&model);
  return sotto_i_gw_count_right(task, k->predicted);
}

sotto_status sotto_i_gw_svm(double *right, const sotto_i_gw_task *task, const double *penalties, size_t count,
                            sotto_error *err) {
  kernel k = {0};
  sotto_status status;
  printed_iterations = 0;
  SOTTO_TRY(build_kernel(&k, task, err));
  for (size_t i = 0; i < count; i++)
    right[i] = i > 0 && printed_iterations * (double)task->train_count > most_work
                   ? right[i - 1]
                   : train_and_test(&k, task, penalties[i]);
done:
  sotto_i_free(k.nodes);
  sotto_i_free(k.rows);
  sotto_i_free(k.labels);
  sotto_i_free(k.predicted);
  return status;
}
