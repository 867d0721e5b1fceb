/* Batch normalisation over rows (Ioffe and Szegedy 2015). Work is split by columns. Every sum runs over
 * rows in order, in double precision. */
#include <math.h>

#include "base/threads.h"
#include "tape.h"

enum { columns_per_range = 16 };
static const double variance_floor = 1e-5;

/* Inputs of forward, kept for backward. */
typedef struct norm {
  sotto_matrix x, y;
  const float *gamma, *beta;
  float *mean, *inverse; /* per column: the mean, and 1 / sqrt(variance + 1e-5) */
  sotto_matrix *running_mean, *running_variance;
  float momentum;
  bool training;
  sotto_matrix dy, dx, dgamma, dbeta; /* data NULL where no gradient is wanted */
  bool add_x, add_gamma, add_beta;
} norm;

static void batch_statistics(const norm *n, size_t begin, size_t end) {
  double rows = (double)n->x.rows, sum[columns_per_range] = {0}, square[columns_per_range] = {0};
  for (size_t i = 0; i < n->x.rows; i++)
    for (size_t j = begin; j < end; j++) sum[j - begin] += n->x.data[i * n->x.cols + j];
  for (size_t j = begin; j < end; j++) sum[j - begin] /= rows;
  for (size_t i = 0; i < n->x.rows; i++)
    for (size_t j = begin; j < end; j++) {
      double gap = n->x.data[i * n->x.cols + j] - sum[j - begin];
      square[j - begin] += gap * gap;
    }
  for (size_t j = begin; j < end; j++) {
    double mean = sum[j - begin], variance = square[j - begin] / rows;
    double unbiased = rows > 1 ? square[j - begin] / (rows - 1) : variance;
    n->mean[j] = (float)mean;
    n->inverse[j] = (float)(1 / sqrt(variance + variance_floor));
    n->running_mean->data[j] += n->momentum * ((float)mean - n->running_mean->data[j]);
    n->running_variance->data[j] += n->momentum * ((float)unbiased - n->running_variance->data[j]);
  }
}

static void forward_columns(void *context, size_t begin, size_t end) {
  const norm *n = context;
  if (n->training && n->x.rows > 0) {
    batch_statistics(n, begin, end);
  } else {
    for (size_t j = begin; j < end; j++) {
      n->mean[j] = n->running_mean->data[j];
      n->inverse[j] = (float)(1 / sqrt(n->running_variance->data[j] + variance_floor));
    }
  }
  for (size_t i = 0; i < n->x.rows; i++)
    for (size_t j = begin; j < end; j++) {
      size_t at = i * n->x.cols + j;
      n->y.data[at] = (n->x.data[at] - n->mean[j]) * n->inverse[j] * n->gamma[j] + n->beta[j];
    }
}

static void write_or_add(float *to, double value, bool add) {
  *to = add ? *to + (float)value : (float)value;
}

/* With u = (x - mean) inverse: dbeta = sum dy, dgamma = sum dy u. With the statistics of the batch, dx =
 * gamma inverse (dy - dbeta / n - u dgamma / n). */
static void backward_columns(void *context, size_t begin, size_t end) {
  const norm *n = context;
  size_t cols = n->x.cols;
  double sum[columns_per_range] = {0}, product[columns_per_range] = {0}, rows = (double)n->x.rows;
  for (size_t i = 0; i < n->x.rows; i++)
    for (size_t j = begin; j < end; j++) {
      double dy = n->dy.data[i * cols + j];
      sum[j - begin] += dy;
      product[j - begin] += dy * (n->x.data[i * cols + j] - n->mean[j]) * n->inverse[j];
    }
  for (size_t j = begin; j < end; j++) {
    if (n->dbeta.data != NULL) write_or_add(&n->dbeta.data[j], sum[j - begin], n->add_beta);
    if (n->dgamma.data != NULL) write_or_add(&n->dgamma.data[j], product[j - begin], n->add_gamma);
  }
  if (n->dx.data == NULL) return;
  for (size_t i = 0; i < n->x.rows; i++)
    for (size_t j = begin; j < end; j++) {
      double u = (n->x.data[i * cols + j] - n->mean[j]) * n->inverse[j], gap = n->dy.data[i * cols + j];
      if (n->training) gap -= (sum[j - begin] + u * product[j - begin]) / rows;
      write_or_add(&n->dx.data[i * cols + j], n->gamma[j] * n->inverse[j] * gap, n->add_x);
    }
}

static void norm_backward(sotto_tape *tape, uint32_t self) {
  norm *n = sotto_i_tape_node(tape, self)->saved;
  n->dx = n->dgamma = n->dbeta = (sotto_matrix){0};
  sotto_matrix sink;
  /* In the order in which gradients are written: one variable may be several inputs, and only the first
   * write overwrites. */
  if (sotto_i_tape_sink(tape, self, 2, &sink, &n->add_beta)) n->dbeta = sink;
  if (sotto_i_tape_sink(tape, self, 1, &sink, &n->add_gamma)) n->dgamma = sink;
  if (sotto_i_tape_sink(tape, self, 0, &sink, &n->add_x)) n->dx = sink;
  n->dy = sotto_i_tape_node(tape, self)->gradient;
  sotto_i_parallel(n->x.cols, columns_per_range, backward_columns, n);
}

sotto_var sotto_tape_batch_norm(sotto_tape *tape, sotto_var x, sotto_var gamma, sotto_var beta,
                                sotto_matrix *running_mean, sotto_matrix *running_variance, float momentum,
                                bool training) {
  sotto_matrix vx = sotto_tape_value(tape, x), vg = sotto_tape_value(tape, gamma),
               vb = sotto_tape_value(tape, beta);
  size_t d = vx.cols;
  if (vg.rows != 1 || vb.rows != 1 || vg.cols != d || vb.cols != d || running_mean->rows != 1 ||
      running_variance->rows != 1 || running_mean->cols != d || running_variance->cols != d)
    (void)sotto_i_tape_fail(
        tape, SOTTO_INVALID,
        "batch normalisation of %zu columns: gamma, beta and statistics must have one value per column", d);
  const sotto_var inputs[] = {x, gamma, beta};
  sotto_var y = sotto_i_tape_push(tape, inputs, 3, vx.rows, d, norm_backward);
  norm *n = sotto_i_tape_memory(tape, 1, sizeof *n);
  float *columns = sotto_i_tape_memory(tape, 2 * d, sizeof *columns);
  if (n == NULL || columns == NULL) return sotto_i_tape_void();
  *n = (norm){.x = vx,
              .y = sotto_tape_value(tape, y),
              .gamma = vg.data,
              .beta = vb.data,
              .mean = columns,
              .inverse = columns + d,
              .running_mean = running_mean,
              .running_variance = running_variance,
              .momentum = momentum,
              .training = training};
  sotto_i_tape_node(tape, y.index)->saved = n;
  sotto_i_parallel(d, columns_per_range, forward_columns, n);
  return y;
}
