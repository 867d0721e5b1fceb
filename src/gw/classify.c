/* Nested cross-validation of SVM and kNN on a distance table.
 *
 * Work is split by outer fold, gamma of the SVM and k of kNN. Each element of right[] is written by one
 * thread only. */
#include <math.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "gw/folds.h"

/* Assigns items (rows of the table) to `folds` stratified folds: fold[i] is the fold of items[i]. The
 * order within a class is drawn from (key, index). Errors: NOMEM. */
static sotto_status assign_folds(uint32_t *fold, const uint32_t *items, size_t count, const int32_t *labels,
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
  uint32_t next = 0; /* continues from class to class, so fold sizes differ by at most one */
  for (int32_t label = 0; label <= most; label++)
    for (size_t k = 0; k < count; k++)
      if (labels[items[order[k]]] == label) fold[order[k]] = next++ % folds;
  sotto_i_free(order);
  return SOTTO_OK;
}

/* Majority class of the nearest rows. */
static int32_t majority_label(const sotto_gw_table *t, const uint32_t *near, uint32_t count) {
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

/* Counts the right kNN predictions of the task. Ties between classes go to the class of the nearest row. */
static sotto_status count_knn_right(double *right, const sotto_i_gw_task *task, uint32_t neighbours,
                                    sotto_error *err) {
  const sotto_gw_table *t = task->table;
  const size_t n = task->train_count;
  uint32_t *near = NULL;
  int32_t *predicted = NULL;
  const uint32_t wanted = neighbours < n ? neighbours : (uint32_t)n;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&near, wanted, sizeof *near, err));
  SOTTO_TRY(sotto_i_new_raw(&predicted, task->test_count, sizeof *predicted, err));
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
    predicted[i] = majority_label(t, near, held);
  }
  *right = sotto_i_gw_count_right(task, predicted);
done:
  sotto_i_free(near);
  sotto_i_free(predicted);
  return status;
}

enum {
  penalties = 15,
  gammas = 21,
  neighbour_choices = 8,
  most_neighbours = 1000,
  settings = penalties * gammas + neighbour_choices,
  jobs = gammas + neighbour_choices
};

typedef struct fold_split {
  uint32_t *train, *test;
  size_t train_count, test_count;
} fold_split;

typedef struct work {
  const sotto_gw_table *table;
  const fold_split *inner; /* `inner_count` inner partitions of the current outer fold */
  uint32_t inner_count;
  uint32_t neighbours; /* fixed k of kNN; 0: k is chosen */
  /* of reports: what they are, and the rows of the anchors, behind those of the graphs; else NULL */
  const sotto_gw_reported *reported;
  uint32_t *anchors;
  size_t anchor_count;
  double right[settings];
  sotto_status status[jobs];
  sotto_error *errors; /* one per job */
} work;

static double penalty_of(size_t setting) {
  return pow(10, (double)(setting % penalties) - 7);
}

static double gamma_of(size_t setting) {
  return ldexp(1, (int)(setting / penalties) - 10);
}

static uint32_t neighbours_of(const work *w, size_t choice) {
  return w->neighbours > 0 ? w->neighbours : (uint32_t)(2 * choice + 1);
}

static sotto_i_gw_task task_of(const work *w, const fold_split *p, size_t gamma) {
  const bool labels = w->reported == NULL;
  return (sotto_i_gw_task){.table = w->table,
                           .train = p->train,
                           .test = labels ? p->test : w->anchors,
                           .train_count = p->train_count,
                           .test_count = labels ? p->test_count : w->anchor_count,
                           .gamma = ldexp(1, (int)gamma - 10),
                           .reported = w->reported,
                           .judged = p->test,
                           .judged_count = p->test_count};
}

/* Evaluates one job: one gamma with the first `count` penalties, or one k. Fills right[0] to right[count -
 * 1]. */
static sotto_status evaluate_job(double *right, const work *w, const fold_split *p, size_t job, size_t count,
                                 sotto_error *err) {
  double penalty[penalties];
  const sotto_i_gw_task task = task_of(w, p, job);
  if (job >= gammas) return count_knn_right(right, &task, neighbours_of(w, job - gammas), err);
  for (size_t c = 0; c < count; c++) penalty[c] = penalty_of(c);
  return sotto_i_gw_svm(right, &task, penalty, count, err);
}

static void run_jobs(void *context, size_t begin, size_t end) {
  work *w = context;
  for (size_t j = begin; j < end; j++) {
    const size_t count = j < gammas ? penalties : 1;
    double *sum = w->right + (j < gammas ? j * penalties : penalties * gammas + j - gammas);
    w->status[j] = SOTTO_OK;
    for (size_t c = 0; c < count; c++) sum[c] = 0;
    for (uint32_t f = 0; f < w->inner_count && w->status[j] == SOTTO_OK; f++) {
      double right[penalties] = {0};
      w->status[j] = sotto_i_check_interrupt(&w->errors[j]);
      if (w->status[j] == SOTTO_OK)
        w->status[j] = evaluate_job(right, w, &w->inner[f], j, count, &w->errors[j]);
      for (size_t c = 0; c < count; c++) sum[c] += right[c];
    }
  }
}

/* Splits items into out->train and out->test by fold number. The caller lends the memory. */
static void split_by_fold(fold_split *out, const uint32_t *items, const uint32_t *fold, size_t count,
                          uint32_t which) {
  out->train_count = out->test_count = 0;
  for (size_t k = 0; k < count; k++) {
    if (fold[k] == which)
      out->test[out->test_count++] = items[k];
    else
      out->train[out->train_count++] = items[k];
  }
}

/* Estimates of equal hits may differ by rounding; counts differ by one or more, estimates by 1 or more as
 * well. */
static const double tie_gap = 1e-6;

/* The best setting in [begin, end). Among equals, the middle one: it is farthest from the borders of the
 * grid. */
static size_t best_setting(const work *w, size_t begin, size_t end) {
  double most = w->right[begin];
  size_t ties = 0;
  for (size_t s = begin; s < end; s++) most = fmax(most, w->right[s]);
  for (size_t s = begin; s < end; s++) ties += w->right[s] >= most - tie_gap;
  size_t skip = ties / 2;
  for (size_t s = begin; s < end; s++)
    if (w->right[s] >= most - tie_gap && skip-- == 0) return s;
  return begin;
}

/* Evaluates every setting on all inner partitions. */
static sotto_status evaluate_settings(work *w, const fold_split *inner, sotto_error *err) {
  w->inner = inner;
  for (size_t j = 0; j < jobs; j++) w->errors[j] = (sotto_error){0};
  sotto_i_parallel(jobs, 1, run_jobs, w);
  for (size_t j = 0; j < jobs; j++)
    if (w->status[j] != SOTTO_OK) return sotto_i_fail(err, w->status[j], "%s", w->errors[j].text);
  return SOTTO_OK;
}

static sotto_status run_inner_folds(work *w, fold_split *inner, const fold_split *outer, uint32_t *fold,
                                    const sotto_key *key, uint64_t index, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(assign_folds(fold, outer->train, outer->train_count, w->table->labels, w->inner_count, key, index,
                         err));
  for (uint32_t f = 0; f < w->inner_count; f++)
    split_by_fold(&inner[f], outer->train, fold, outer->train_count, f);
  SOTTO_TRY(evaluate_settings(w, inner, err));
done:
  return status;
}

static void mean_and_deviation(double *mean, double *deviation, const double *values, size_t count) {
  double sum = 0, square = 0;
  for (size_t k = 0; k < count; k++) sum += values[k] / (double)count;
  for (size_t k = 0; k < count; k++) square += (values[k] - sum) * (values[k] - sum);
  *mean = sum;
  *deviation = count < 2 ? 0 : sqrt(square / (double)(count - 1));
}

static size_t most_frequent(const size_t *values, size_t count) {
  size_t best = values[0], most = 0;
  for (size_t i = 0; i < count; i++) {
    size_t times = 0;
    for (size_t k = 0; k < count; k++) times += values[k] == values[i];
    if (times > most) {
      most = times;
      best = values[i];
    }
  }
  return best;
}

enum { most_folds = 100 };

static void fill_judgement(sotto_gw_judgement *out, const work *w, double accuracy[2][most_folds],
                           size_t chosen[2][most_folds], uint32_t folds) {
  mean_and_deviation(&out->svm, &out->svm_deviation, accuracy[0], folds);
  mean_and_deviation(&out->knn, &out->knn_deviation, accuracy[1], folds);
  out->penalty = penalty_of(most_frequent(chosen[0], folds));
  out->gamma = gamma_of(most_frequent(chosen[0], folds));
  out->neighbours = neighbours_of(w, most_frequent(chosen[1], folds) - penalties * gammas);
}

/* Tests the best settings of the inner folds on the outer fold. */
static sotto_status test_best_settings(double accuracy[2][most_folds], size_t chosen[2][most_folds],
                                       const work *w, const fold_split *outer, uint32_t fold,
                                       sotto_error *err) {
  chosen[0][fold] = best_setting(w, 0, penalties * gammas);
  chosen[1][fold] = best_setting(w, penalties * gammas, settings);
  const size_t last = chosen[0][fold] % penalties;
  double right[2][penalties];
  sotto_status status;
  SOTTO_TRY(evaluate_job(right[0], w, outer, chosen[0][fold] / penalties, last + 1, err));
  SOTTO_TRY(evaluate_job(right[1], w, outer, chosen[1][fold] - penalties * gammas + gammas, 1, err));
  accuracy[0][fold] = right[0][last] / (double)outer->test_count;
  accuracy[1][fold] = right[1][0] / (double)outer->test_count;
done:
  return status;
}

static sotto_status run_outer_folds(sotto_gw_judgement *out, work *w, fold_split *parts, uint32_t *fold,
                                    uint32_t *inner_fold, const uint32_t *items, uint32_t folds,
                                    const sotto_key *key, const sotto_observer *observer, sotto_error *err) {
  double accuracy[2][most_folds];
  size_t chosen[2][most_folds];
  sotto_status status;
  SOTTO_TRY(assign_folds(fold, items, out->graphs, w->table->labels, folds, key, 0, err));
  for (uint32_t f = 0; f < folds; f++) {
    fold_split *outer = &parts[0];
    split_by_fold(outer, items, fold, out->graphs, f);
    SOTTO_TRY(run_inner_folds(w, parts + 1, outer, inner_fold, key, f + 1, err));
    SOTTO_TRY(test_best_settings(accuracy, chosen, w, outer, f, err));
    sotto_i_progress(observer, "folds", f + 1, folds, NULL);
  }
  fill_judgement(out, w, accuracy, chosen, folds);
done:
  return status;
}

/* Lists the labelled rows and computes the share of the largest class. Errors: RANGE. */
static sotto_status list_labelled(sotto_gw_judgement *out, uint32_t *items, const sotto_gw_table *t,
                                  uint32_t folds, sotto_error *err) {
  size_t largest = 0;
  for (uint32_t g = 0; g < t->count; g++)
    if (t->labels[g] >= 0) items[out->graphs++] = g;
  for (size_t i = 0; i < out->graphs; i++) {
    size_t same = 0;
    for (size_t k = 0; k < out->graphs; k++) same += t->labels[items[k]] == t->labels[items[i]];
    if (same > largest) largest = same;
  }
  if (out->graphs < 2 * (size_t)folds || largest == out->graphs)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "%zu labelled graphs, %zu of one class: at least two classes and %u graphs are needed", out->graphs,
        largest, 2 * folds);
  out->majority = (double)largest / (double)out->graphs;
  return SOTTO_OK;
}

static sotto_status new_work(work **out, const sotto_gw_table *t, uint32_t neighbours, sotto_error *err) {
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  (*out)->table = t;
  (*out)->neighbours = neighbours;
  sotto_i_gw_svm_quiet();
  if (neighbours > most_neighbours)
    return sotto_i_fail(err, SOTTO_RANGE, "%u neighbours are more than %d", neighbours, most_neighbours);
  return sotto_i_new_raw(&(*out)->errors, jobs, sizeof *(*out)->errors, err);
}

static void free_work(work *w) {
  if (w != NULL) {
    sotto_i_free(w->errors);
    sotto_i_free(w->anchors);
  }
  sotto_i_free(w);
}

static sotto_status check_folds(uint32_t folds, uint32_t inner, const sotto_key *key, sotto_error *err) {
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key of the folds is empty");
  if (folds < 2 || folds > most_folds || inner < 2 || inner > most_folds)
    return sotto_i_fail(err, SOTTO_RANGE, "%u outer and %u inner folds: 2 to %d are possible", folds, inner,
                        most_folds);
  return SOTTO_OK;
}

static sotto_status run_nested(sotto_gw_judgement *out, work *w, uint32_t folds, uint32_t inner,
                               const sotto_key *key, const sotto_observer *observer, sotto_error *err) {
  const size_t n = w->table->count;
  fold_split parts[most_folds + 1];
  uint32_t *memory = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&memory, n, (3 + 2 * ((size_t)inner + 1)) * sizeof *memory, err));
  SOTTO_TRY(list_labelled(out, memory, w->table, folds, err));
  if (w->reported != NULL)
    out->majority = sotto_i_gw_largest_reported(w->reported, memory, out->graphs, w->anchor_count);
  for (uint32_t k = 0; k <= inner; k++) {
    parts[k].train = memory + (3 + 2 * (size_t)k) * n;
    parts[k].test = parts[k].train + n;
  }
  w->inner_count = inner;
  SOTTO_TRY(run_outer_folds(out, w, parts, memory + n, memory + 2 * n, memory, folds, key, observer, err));
done:
  sotto_i_free(memory);
  return status;
}

sotto_status sotto_gw_classify(sotto_gw_judgement *out, const sotto_gw_table *t, uint32_t folds,
                               uint32_t inner, uint32_t neighbours, const sotto_key *key,
                               const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  work *w = NULL;
  sotto_status status;
  *out = (sotto_gw_judgement){0};
  SOTTO_TRY(check_folds(folds, inner, key, err));
  SOTTO_TRY(new_work(&w, t, neighbours, err));
  SOTTO_TRY(run_nested(out, w, folds, inner, key, observer, err));
done:
  free_work(w);
  return status;
}

sotto_status sotto_gw_classify_codes(sotto_gw_judgement *out, const sotto_gw_codes *codes, uint32_t folds,
                                     uint32_t inner, uint32_t neighbours, const sotto_key *key,
                                     const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_gw_table table = {0};
  work *w = NULL;
  sotto_status status;
  *out = (sotto_gw_judgement){0};
  SOTTO_TRY(check_folds(folds, inner, key, err));
  SOTTO_TRY(sotto_i_gw_reported_table(&table, codes, err));
  SOTTO_TRY(new_work(&w, &table, neighbours, err));
  w->reported = &codes->reported;
  w->anchor_count = codes->posterior.cols;
  SOTTO_TRY(sotto_i_new_raw(&w->anchors, w->anchor_count, sizeof *w->anchors, err));
  for (size_t a = 0; a < w->anchor_count; a++) w->anchors[a] = (uint32_t)(codes->posterior.rows + a);
  SOTTO_TRY(run_nested(out, w, folds, inner, key, observer, err));
done:
  free_work(w);
  sotto_gw_table_free(&table);
  return status;
}

/* Lists the labelled graphs of parts `low` to `high`. */
static size_t list_labelled_part(uint32_t *out, const sotto_gw_table *t, const uint8_t *parts, uint8_t low,
                                 uint8_t high) {
  size_t count = 0;
  for (uint32_t g = 0; g < t->count; g++)
    if (t->labels[g] >= 0 && parts[g] >= low && parts[g] <= high) out[count++] = g;
  return count;
}

sotto_status sotto_gw_classify_parts(sotto_gw_judgement *out, const sotto_gw_table *t, const uint8_t *parts,
                                     uint32_t neighbours, sotto_error *err) {
  double accuracy[2][most_folds];
  size_t chosen[2][most_folds];
  const size_t n = t->count;
  work *w = NULL;
  uint32_t *memory = NULL;
  sotto_status status;
  *out = (sotto_gw_judgement){0};
  SOTTO_TRY(new_work(&w, t, neighbours, err));
  SOTTO_TRY(sotto_i_new_raw(&memory, n, 4 * sizeof *memory, err));
  fold_split inner = {.train = memory, .test = memory + n},
             outer = {.train = memory + 2 * n, .test = memory + 3 * n};
  inner.train_count = list_labelled_part(inner.train, t, parts, SOTTO_PART_TRAIN, SOTTO_PART_TRAIN);
  inner.test_count = list_labelled_part(inner.test, t, parts, SOTTO_PART_VALIDATION, SOTTO_PART_VALIDATION);
  outer.test_count = list_labelled_part(outer.test, t, parts, SOTTO_PART_TEST, SOTTO_PART_TEST);
  if (inner.train_count == 0 || inner.test_count == 0 || outer.test_count == 0) {
    status = sotto_i_fail(err, SOTTO_RANGE,
                          "%zu labelled graphs in train, %zu in validation, %zu in test: each part needs one",
                          inner.train_count, inner.test_count, outer.test_count);
    goto done;
  }
  w->inner_count = 1;
  SOTTO_TRY(list_labelled(out, outer.train, t, 1, err));
  outer.train_count = list_labelled_part(outer.train, t, parts, SOTTO_PART_TRAIN, SOTTO_PART_VALIDATION);
  SOTTO_TRY(evaluate_settings(w, &inner, err));
  SOTTO_TRY(test_best_settings(accuracy, chosen, w, &outer, 0, err));
  fill_judgement(out, w, accuracy, chosen, 1);
done:
  sotto_i_free(memory);
  free_work(w);
  return status;
}
