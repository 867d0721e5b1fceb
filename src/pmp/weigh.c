/* Trained weights between layers: z W instead of z, still inside the unit ball. */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "release.h"
#include "tensor/product.h"

typedef struct weighing {
  const sotto_matrix *from;
  sotto_matrix rows, *weighed;
} weighing;

enum { rows_per_range = 64 };

static double square_of(const float *row, size_t cols) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
  return square;
}

static void scale_rows(void *context, size_t begin, size_t end) {
  const weighing *w = context;
  size_t cols = w->from->cols;
  for (size_t v = begin; v < end; v++) {
    double square = square_of(w->from->data + v * cols, cols);
    double factor = square < 1e-24 ? 0 : 1 / sqrt(square);
    for (size_t j = 0; j < cols; j++)
      w->rows.data[v * cols + j] = (float)(w->from->data[v * cols + j] * factor);
  }
}

/* The norm of W is at most 1, so clipping changes only rows that rounding left above 1, and makes the bound
 * exact. */
static void clip_rows(void *context, size_t begin, size_t end) {
  const weighing *w = context;
  size_t cols = w->weighed->cols;
  for (size_t v = begin; v < end; v++) {
    float *row = w->weighed->data + v * cols;
    double square = square_of(row, cols);
    double factor = square > 1 - 0x1p-22 ? (1 - 0x1p-22) / sqrt(square) : 1;
    for (size_t j = 0; j < cols; j++) row[j] = (float)(row[j] * factor);
  }
}

sotto_status sotto_i_weigh(sotto_matrix *out, const sotto_matrix *rows, const sotto_matrix *weight,
                           sotto_error *err) {
  sotto_status status;
  float *scratch = NULL;
  weighing w = {.from = rows, .weighed = out};
  const sotto_i_product product = {.a = &w.rows, .b = weight, .alpha = 1};
  SOTTO_TRY(sotto_matrix_new(&w.rows, rows->rows, rows->cols, err));
  SOTTO_TRY(sotto_i_new_raw(&scratch, sotto_i_gemm_scratch(&product) + 1, sizeof *scratch, err));
  if (!sotto_i_product_fits(out, &product)) {
    status = sotto_i_fail(err, SOTTO_INVALID, "weights between layers are %zu x %zu, rows have %zu columns",
                          weight->rows, weight->cols, rows->cols);
    goto done;
  }
  sotto_i_parallel(rows->rows, rows_per_range, scale_rows, &w);
  sotto_i_gemm(out, &product, scratch);
  sotto_i_parallel(rows->rows, rows_per_range, clip_rows, &w);
done:
  sotto_i_free(scratch);
  sotto_matrix_free(&w.rows);
  return status;
}
