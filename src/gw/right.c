/* Right predictions: by labels, or estimated from reports under local privacy, which hide each label. */
#include <string.h>

#include "base/memory.h"
#include "gw/folds.h"

static double count_by_labels(const sotto_i_gw_task *task, const int32_t *predicted) {
  size_t right = 0;
  for (size_t i = 0; i < task->test_count; i++) right += predicted[i] == task->table->labels[task->test[i]];
  return (double)right;
}

/* A report contains its true value with probability `truth` and each other value with probability `other`. Of
 * the values (anchor, label) one a anchor is right, so that a graph's report contains an expected number of
 * (truth - other) [its own value is right] + other * anchors right values. Solved for the sum over graphs. */
double sotto_i_gw_count_right(const sotto_i_gw_task *task, const int32_t *predicted) {
  const sotto_gw_reported *r = task->reported;
  if (r == NULL) return count_by_labels(task, predicted);
  size_t hits = 0;
  for (size_t i = 0; i < task->judged_count; i++) {
    const int32_t *report = r->reports + task->judged[i] * r->members;
    for (size_t m = 0; m < r->members; m++)
      hits += predicted[(uint32_t)report[m] / r->classes] == (int32_t)((uint32_t)report[m] % r->classes);
  }
  return ((double)hits - (double)task->judged_count * (double)task->test_count * r->other) /
         (r->truth - r->other);
}

double sotto_i_gw_largest_reported(const sotto_gw_reported *r, const uint32_t *graphs, size_t count,
                                   size_t anchors) {
  double largest = 0;
  for (uint32_t c = 0; c < r->classes; c++) {
    size_t hits = 0;
    for (size_t i = 0; i < count; i++)
      for (size_t m = 0; m < r->members; m++)
        hits += (uint32_t)r->reports[graphs[i] * r->members + m] % r->classes == c;
    const double share = ((double)hits / (double)count - (double)anchors * r->other) / (r->truth - r->other);
    if (share > largest) largest = share;
  }
  return largest < 1 ? largest : 1;
}

sotto_status sotto_i_gw_reported_table(sotto_gw_table *out, const sotto_gw_codes *codes, sotto_error *err) {
  const sotto_gw_reported *r = &codes->reported;
  const size_t graphs = codes->posterior.rows, anchors = codes->posterior.cols, all = graphs + anchors;
  sotto_matrix posterior = {0};
  sotto_status status;
  if (r->reports == NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "the codes come without reports: those of a run without noise, or of an older one");
  SOTTO_TRY(sotto_matrix_new(&posterior, all, anchors, err));
  memcpy(posterior.data, codes->posterior.data, graphs * anchors * sizeof *posterior.data);
  for (size_t a = 0; a < anchors; a++) posterior.data[(graphs + a) * anchors + a] = 1;
  out->count = all;
  SOTTO_TRY(sotto_i_new_raw(&out->distance, all * all, sizeof *out->distance, err));
  SOTTO_TRY(sotto_i_new_raw(&out->labels, all, sizeof *out->labels, err));
  for (size_t g = 0; g < all; g++) {
    const int32_t first = g < graphs ? r->reports[g * r->members] : -1;
    out->labels[g] = first < 0        ? -1
                     : r->members > 1 ? r->answers[g]
                                      : (int32_t)((uint32_t)first % r->classes);
  }
  SOTTO_TRY(sotto_i_gw_compare_codes(out->distance, &posterior, &codes->distance, err));
done:
  sotto_matrix_free(&posterior);
  return status;
}
