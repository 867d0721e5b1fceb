/* Rows scaled to unit Euclidean norm, on a tape. */
#include <math.h>

#include "base/threads.h"
#include "kernels.h"
#include "tape.h"

static const double least_norm = 1e-12;

typedef struct job {
  sotto_matrix y, x;
  const float *dy; /* backward: then y is dx */
  double *inverse; /* one per row: 1 / norm, or 0 for a row that stays zero */
  bool add;
} job;

/* Squares of floats neither overflow nor vanish in double precision, so rows need no scaling first. */
static void normalise_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  size_t cols = j->x.cols;
  for (size_t i = begin; i < end; i++) {
    const float *x = j->x.data + i * cols;
    double square = 0;
    for (size_t k = 0; k < cols; k++) square += (double)x[k] * (double)x[k];
    /* Written so that NaN passes through. */
    j->inverse[i] = sqrt(square) < least_norm ? 0 : 1 / sqrt(square);
    for (size_t k = 0; k < cols; k++) j->y.data[i * cols + k] = (float)((double)x[k] * j->inverse[i]);
  }
}

/* With u = x / |x|: dx = (dy - u (u . dy)) / |x|. */
static void gradient_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  size_t cols = j->x.cols;
  for (size_t i = begin; i < end; i++) {
    const float *x = j->x.data + i * cols, *dy = j->dy + i * cols;
    float *dx = j->y.data + i * cols;
    double along = 0, inverse = j->inverse[i];
    for (size_t k = 0; k < cols; k++) along += (double)x[k] * inverse * (double)dy[k];
    for (size_t k = 0; k < cols; k++) {
      float slope = (float)(((double)dy[k] - (double)x[k] * inverse * along) * inverse);
      dx[k] = j->add ? dx[k] + slope : slope;
    }
  }
}

static void normalise_backward(sotto_tape *tape, uint32_t self) {
  sotto_matrix dx;
  job j = {.inverse = sotto_i_tape_node(tape, self)->saved};
  if (!sotto_i_tape_sink(tape, self, 0, &dx, &j.add)) return;
  j.x = sotto_i_tape_input_value(tape, self, 0);
  j.dy = sotto_i_tape_node(tape, self)->gradient.data;
  j.y = dx;
  sotto_i_parallel(dx.rows, sotto_i_row_grain(dx.cols), gradient_range, &j);
}

sotto_var sotto_tape_normalise_rows(sotto_tape *tape, sotto_var x) {
  sotto_matrix vx = sotto_tape_value(tape, x);
  sotto_var y = sotto_i_tape_push(tape, &x, 1, vx.rows, vx.cols, normalise_backward);
  job j = {.x = vx, .inverse = sotto_i_tape_memory(tape, vx.rows, sizeof(double))};
  if (j.inverse == NULL) return sotto_i_tape_void();
  j.y = sotto_tape_value(tape, y);
  sotto_i_tape_node(tape, y.index)->saved = j.inverse;
  sotto_i_parallel(vx.rows, sotto_i_row_grain(vx.cols), normalise_range, &j);
  return y;
}
