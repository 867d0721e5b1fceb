/* James-Stein shrinkage of noisy rows. */
#include <math.h>

#include "base/error.h"
#include "base/threads.h"
#include "inside/dp.h"
#include "noise.h"

enum { rows_per_range = 256 };

typedef struct shrink_job {
  sotto_matrix *x;
  double variance;
  bool positive;
} shrink_job;

static void shrink_rows(void *context, size_t begin, size_t end) {
  const shrink_job *job = context;
  size_t cols = job->x->cols;
  for (size_t i = begin; i < end; i++) {
    float *row = job->x->data + i * cols;
    double square = 0;
    for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
    if (square == 0) continue; /* probability zero under noise; zero is also the limit of the positive part */
    double factor = 1 - ((double)cols - 2) * job->variance / square;
    if (job->positive && factor < 0) factor = 0;
    for (size_t j = 0; j < cols; j++) row[j] = (float)(factor * row[j]);
  }
}

sotto_status sotto_james_stein(sotto_matrix *x, double sigma, bool positive, sotto_error *err) {
  if (x->cols < 3)
    return sotto_i_fail(err, SOTTO_RANGE, "rows of %zu values: shrinkage helps from 3 on", x->cols);
  if (!(sigma >= 0 && sigma <= 1e20))
    return sotto_i_fail(err, SOTTO_RANGE, "noise of standard deviation %g is outside 0 to 1e20", sigma);
  sotto_status status = sotto_i_check_finite(x, err);
  if (status != SOTTO_OK) return status;
  shrink_job job = {.x = x, .variance = sigma * sigma, .positive = positive};
  sotto_i_parallel(x->rows, rows_per_range, shrink_rows, &job);
  return SOTTO_OK;
}
