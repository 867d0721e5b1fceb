/* Losses on a tape: cross entropy, sum. */
#include <string.h>

#include "base/threads.h"
#include "inside/tensor.h"
#include "kernels.h"
#include "tape.h"

typedef struct cross_entropy {
  sotto_matrix x; /* scores */
  const int32_t *labels;
  const uint32_t *rows;
  size_t count, grain;
  bool distinct;    /* no row occurs twice */
  float *p;         /* count x cols: softmax of the chosen rows */
  double *lse;      /* log-sum-exp of each row */
  double *partials; /* one loss per range */
  float *dx;
  float factor;
} cross_entropy;

static size_t selected_row(const cross_entropy *e, size_t i) {
  return e->rows == NULL ? i : e->rows[i];
}

static void entropy_forward(void *context, size_t begin, size_t end) {
  const cross_entropy *e = context;
  size_t cols = e->x.cols;
  float *p = e->p + begin * cols;
  for (size_t i = begin; i < end; i++)
    memcpy(e->p + i * cols, e->x.data + selected_row(e, i) * cols, cols * sizeof *p);
  sotto_i_kernels()->softmax(p, e->lse + begin, end - begin, cols);
  double sum = 0.0;
  for (size_t i = begin; i < end; i++) {
    size_t row = selected_row(e, i);
    sum += e->lse[i] - (double)e->x.data[row * cols + (size_t)e->labels[row]];
  }
  e->partials[begin / e->grain] = sum;
}

/* d loss / d x(row, j) = (softmax - [j is the label]) / count. */
static void cross_entropy_gradient(void *context, size_t begin, size_t end) {
  const cross_entropy *e = context;
  size_t cols = e->x.cols;
  for (size_t i = begin; i < end; i++) {
    size_t row = selected_row(e, i);
    float *dx = e->dx + row * cols;
    const float *p = e->p + i * cols;
    for (size_t j = 0; j < cols; j++) dx[j] += e->factor * p[j];
    dx[e->labels[row]] -= e->factor;
  }
}

static void entropy_backward(sotto_tape *tape, uint32_t self) {
  cross_entropy e = *(cross_entropy *)sotto_i_tape_node(tape, self)->saved;
  sotto_matrix dx;
  bool add;
  float dy = sotto_i_tape_node(tape, self)->gradient.data[0];
  if (!sotto_i_tape_sink(tape, self, 0, &dx, &add)) return;
  if (!add) memset(dx.data, 0, dx.rows * dx.cols * sizeof *dx.data);
  e.dx = dx.data;
  e.factor = dy / (float)e.count;
  sotto_i_parallel(e.count, e.distinct ? e.grain : e.count, cross_entropy_gradient, &e);
}

/* Checks rows and labels. Notes whether rows ascend; only then may threads process them at once. */
static bool check_labels(sotto_tape *tape, cross_entropy *e) {
  if (e->count == 0) {
    (void)sotto_i_tape_fail(tape, SOTTO_INVALID, "the mean loss of 0 rows is not defined");
    return false;
  }
  e->distinct = true;
  for (size_t i = 0; i < e->count; i++) {
    size_t row = selected_row(e, i);
    if (row >= e->x.rows) {
      (void)sotto_i_tape_fail(tape, SOTTO_RANGE, "row %zu of the loss is not below %zu", row, e->x.rows);
      return false;
    }
    if (i > 0 && row <= selected_row(e, i - 1)) e->distinct = false;
    if (e->labels[row] < 0 || (size_t)e->labels[row] >= e->x.cols) {
      (void)sotto_i_tape_fail(tape, SOTTO_RANGE, "the label %d of row %zu is not below %zu",
                              (int)e->labels[row], row, e->x.cols);
      return false;
    }
  }
  return true;
}

sotto_var sotto_tape_cross_entropy(sotto_tape *tape, sotto_var x, const int32_t *labels, const uint32_t *rows,
                                   size_t count) {
  if (sotto_i_tape_failed(tape)) return sotto_i_tape_void();
  cross_entropy e = {.x = sotto_tape_value(tape, x), .labels = labels, .rows = rows, .count = count};
  e.grain = sotto_i_row_grain(8 * e.x.cols); /* an exponential costs about as much as eight moves */
  (void)check_labels(tape, &e);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, 1, 1, entropy_backward);
  size_t ranges = (count + e.grain - 1) / e.grain;
  e.p = sotto_i_tape_memory(tape, count * e.x.cols, sizeof *e.p);
  e.lse = sotto_i_tape_memory(tape, count, sizeof *e.lse);
  e.partials = sotto_i_tape_memory(tape, ranges, sizeof *e.partials);
  cross_entropy *saved = sotto_i_tape_memory(tape, 1, sizeof *saved);
  if (saved == NULL) return sotto_i_tape_void();
  sotto_i_parallel(count, e.grain, entropy_forward, &e);
  double sum = 0.0;
  for (size_t i = 0; i < ranges; i++) sum += e.partials[i];
  sotto_tape_value(tape, y).data[0] = (float)(sum / (double)count);
  *saved = e;
  sotto_i_tape_node(tape, y.index)->saved = saved;
  return y;
}

typedef struct sum_job {
  float *values;
  double *partials;
  float add; /* backward: the value added to every element */
  bool keep;
} sum_job;

static void sum_range(void *context, size_t begin, size_t end) {
  const sum_job *t = context;
  double sum = 0.0;
  for (size_t i = begin; i < end; i++) sum += (double)t->values[i];
  t->partials[begin / SOTTO_I_GRAIN] = sum;
}

static void spread_range(void *context, size_t begin, size_t end) {
  const sum_job *t = context;
  for (size_t i = begin; i < end; i++) t->values[i] = t->keep ? t->values[i] + t->add : t->add;
}

static void sum_backward(sotto_tape *tape, uint32_t self) {
  sotto_matrix dx;
  sum_job t = {.add = sotto_i_tape_node(tape, self)->gradient.data[0]};
  if (!sotto_i_tape_sink(tape, self, 0, &dx, &t.keep)) return;
  t.values = dx.data;
  sotto_i_parallel(dx.rows * dx.cols, SOTTO_I_GRAIN, spread_range, &t);
}

sotto_var sotto_tape_sum(sotto_tape *tape, sotto_var x) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  size_t count = vx.rows * vx.cols, ranges = (count + SOTTO_I_GRAIN - 1) / SOTTO_I_GRAIN;
  sotto_var y = sotto_i_tape_push(tape, &x, 1, 1, 1, sum_backward);
  sum_job t = {.values = vx.data, .partials = sotto_i_tape_memory(tape, ranges, sizeof(double))};
  if (t.partials == NULL) return sotto_i_tape_void();
  sotto_i_parallel(count, SOTTO_I_GRAIN, sum_range, &t);
  double sum = 0.0;
  for (size_t i = 0; i < ranges; i++) sum += t.partials[i];
  sotto_tape_value(tape, y).data[0] = (float)sum;
  return y;
}
