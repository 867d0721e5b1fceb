/* Trained weights between layers: z W in the place of z, still inside the unit ball. */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "release.h"
#include "tensor/product.h"

typedef struct weighing {
  const sotto_release *release;
  const sotto_graph *graph;
  sotto_matrix rows, weighed;
  int32_t *to;
  const sotto_matrix *from;
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

/* The norm of W is at most 1, so the cut touches what rounding left above 1, and makes the bound exact. */
static void cut_rows(void *context, size_t begin, size_t end) {
  const weighing *w = context;
  size_t cols = w->weighed.cols;
  for (size_t v = begin; v < end; v++) {
    const float *row = w->weighed.data + v * cols;
    double square = square_of(row, cols),
           scale = sotto_i_scale_before(&w->release->plan.options, w->graph, v);
    double factor = square > 1 - 0x1p-38 ? (1 - 0x1p-40) / sqrt(square) : 1;
    for (size_t j = 0; j < cols; j++) w->to[v * cols + j] = (int32_t)(row[j] * factor * scale * 0x1p24);
  }
}

sotto_status sotto_i_weigh(int32_t *to, const sotto_release *release, uint32_t layer,
                           const sotto_graph *graph, const sotto_matrix *weight, sotto_error *err) {
  sotto_status status;
  float *scratch = NULL;
  weighing w = {.release = release, .graph = graph, .to = to, .from = &release->layers[layer]};
  const sotto_i_product product = {.a = &w.rows, .b = weight, .alpha = 1};
  size_t nodes = w.from->rows, cols = w.from->cols;
  SOTTO_TRY(sotto_matrix_new(&w.rows, nodes, cols, err));
  SOTTO_TRY(sotto_matrix_new(&w.weighed, nodes, cols, err));
  SOTTO_TRY(sotto_i_new_raw(&scratch, sotto_i_gemm_scratch(&product) + 1, sizeof *scratch, err));
  if (!sotto_i_product_fits(&w.weighed, &product)) {
    status = sotto_i_fail(err, SOTTO_INVALID, "weights between layers are %zu x %zu, rows have %zu columns",
                          weight->rows, weight->cols, cols);
    goto done;
  }
  sotto_i_parallel(nodes, rows_per_range, scale_rows, &w);
  sotto_i_gemm(&w.weighed, &product, scratch);
  sotto_i_parallel(nodes, rows_per_range, cut_rows, &w);
done:
  sotto_i_free(scratch);
  sotto_matrix_free(&w.rows);
  sotto_matrix_free(&w.weighed);
  return status;
}
