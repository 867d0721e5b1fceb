/* Faults in noise, one by the environment's SOTTO_FAULT: `row`, the first row of every release has none;
 * `again`, every release has the draws of the first one; `hop`, releases of layers end with one more
 * aggregate over the private graph after the last noise. The linker puts these functions in the place of the
 * library's
 * (--wrap, tests/CMakeLists.txt). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "dp/noise/noise.h"
#include "inside/dp.h"
#include "inside/graph.h"
#include "inside/pmp.h"
#include "run/method/method.h"
#include "unnoised.h"

bool check_is_planted(const char *name) {
  const char *fault = getenv("SOTTO_FAULT");
  return fault != NULL && strcmp(fault, name) == 0;
}

typedef void steps_fn(int32_t *out, size_t count, double sigma_in_steps, const sotto_key *key, uint32_t sub,
                      uint64_t row);
typedef void rows_fn(int32_t *out, size_t rows, size_t cols, double sigma_in_steps, const sotto_key *key,
                     uint32_t sub, uint64_t first);
typedef sotto_status grid_fn(sotto_matrix *x, const sotto_grid *grid, const sotto_key *key, uint32_t sub,
                             sotto_error *err);
typedef sotto_status laplace_fn(sotto_matrix *x, const sotto_laplace_grid *grid, const sotto_key *key,
                                uint32_t sub, sotto_error *err);
typedef sotto_status discrete_fn(int64_t *values, size_t count, const sotto_discrete_gaussian *noise,
                                 const sotto_key *key, uint32_t sub, sotto_error *err);
steps_fn __real_sotto_i_noise_steps, __wrap_sotto_i_noise_steps;
rows_fn __real_sotto_i_noise_steps_rows, __wrap_sotto_i_noise_steps_rows;
grid_fn __real_sotto_grid_add_noise, __wrap_sotto_grid_add_noise;
laplace_fn __real_sotto_laplace_grid_add_noise, __wrap_sotto_laplace_grid_add_noise;
discrete_fn __real_sotto_discrete_gaussian_add, __wrap_sotto_discrete_gaussian_add;

const sotto_key *check_fault_key(const sotto_key *key) {
  static const sotto_key one = {.bytes = {1}, .origin = SOTTO_KEY_SYSTEM};
  return check_is_planted("again") ? &one : key;
}

void __wrap_sotto_i_noise_steps(int32_t *out, size_t count, double sigma_in_steps, const sotto_key *key,
                                uint32_t sub, uint64_t row) {
  __real_sotto_i_noise_steps(out, count, sigma_in_steps, check_fault_key(key), sub, row);
  if (row == 0 && check_is_planted("row")) memset(out, 0, count * sizeof *out);
}

void __wrap_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma_in_steps,
                                     const sotto_key *key, uint32_t sub, uint64_t first) {
  __real_sotto_i_noise_steps_rows(out, rows, cols, sigma_in_steps, check_fault_key(key), sub, first);
  if (first == 0 && check_is_planted("row")) memset(out, 0, cols * sizeof *out);
}

/* x without its first row. */
static sotto_matrix later(const sotto_matrix *x) {
  const bool less = check_is_planted("row") && x->rows > 0;
  return less ? (sotto_matrix){x->data + x->cols, x->rows - 1, x->cols} : *x;
}

sotto_status __wrap_sotto_grid_add_noise(sotto_matrix *x, const sotto_grid *grid, const sotto_key *key,
                                         uint32_t sub, sotto_error *err) {
  sotto_matrix rows = later(x);
  return __real_sotto_grid_add_noise(&rows, grid, check_fault_key(key), sub, err);
}

sotto_status __wrap_sotto_laplace_grid_add_noise(sotto_matrix *x, const sotto_laplace_grid *grid,
                                                 const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_matrix rows = later(x);
  return __real_sotto_laplace_grid_add_noise(&rows, grid, check_fault_key(key), sub, err);
}

sotto_status __wrap_sotto_discrete_gaussian_add(int64_t *values, size_t count,
                                                const sotto_discrete_gaussian *noise, const sotto_key *key,
                                                uint32_t sub, sotto_error *err) {
  const size_t skip = check_is_planted("row") && count > 0 ? 1 : 0;
  return __real_sotto_discrete_gaussian_add(values + skip, count - skip, noise, check_fault_key(key), sub,
                                            err);
}

typedef sotto_status compute_fn(sotto_release **out, const sotto_i_job *job,
                                const sotto_i_release_request *request, const sotto_key *key, const char *id,
                                const char *description, sotto_error *err);
compute_fn __real_sotto_i_job_compute, __wrap_sotto_i_job_compute;

sotto_status __wrap_sotto_i_job_compute(sotto_release **out, const sotto_i_job *job,
                                        const sotto_i_release_request *request, const sotto_key *key,
                                        const char *id, const char *description, sotto_error *err) {
  sotto_status status = __real_sotto_i_job_compute(out, job, request, key, id, description, err);
  sotto_operator *gcn = NULL;
  sotto_matrix hopped = {0};
  if (status != SOTTO_OK || !check_is_planted("hop")) return status;
  const sotto_matrix *last = sotto_release_layer(*out, sotto_release_plan(*out)->options.layers);
  SOTTO_TRY(sotto_operator_new(&gcn, &job->data->graph, SOTTO_AGGREGATOR_GCN, 0, true, err));
  SOTTO_TRY(sotto_matrix_new(&hopped, last->rows, last->cols, err));
  SOTTO_TRY(sotto_operator_apply(gcn, &hopped, last, err));
  memcpy(last->data, hopped.data, last->rows * last->cols * sizeof(float));
done:
  sotto_operator_free(gcn);
  sotto_matrix_free(&hopped);
  return status;
}
