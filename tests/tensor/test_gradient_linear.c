/* Products, biases and normalisations: values and gradients. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/tensor.h"

static void product(double *y, const gradient_matrix *a, const gradient_matrix *b) {
  for (size_t i = 0; i < a->rows; i++)
    for (size_t j = 0; j < b->cols; j++) {
      double sum = 0;
      for (size_t k = 0; k < a->cols; k++) sum += a->data[i * a->cols + k] * b->data[k * b->cols + j];
      y[i * b->cols + j] = sum;
    }
}

static void add_bias(gradient_matrix *y, const double *bias) {
  for (size_t i = 0; i < y->rows * y->cols; i++) y->data[i] += bias[i % y->cols];
}

static sotto_var matmul_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_matmul(tape, x[0], x[1]);
}

static void matmul_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  product(y->data, &x[0], &x[1]);
}

static sotto_var linear_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_linear(tape, x[0], x[1], x[2]);
}

static void linear_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  product(y->data, &x[0], &x[1]);
  add_bias(y, x[2].data);
}

/* n, k, m: none, one, odd; more rows than a block of products (512), a sum longer than a chunk (1024) on the
 * way back. */
static const size_t products[][3] = {{0, 3, 2}, {3, 0, 2}, {3, 2, 0},    {1, 1, 1},
                                     {1, 9, 5}, {7, 3, 4}, {600, 13, 3}, {2100, 2, 3}};

static void products_and_their_gradients_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"matmul", 2, matmul_apply, matmul_reference, NULL, 0};
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
    const size_t *p = products[i];
    check_gradient(&op, (const size_t[][2]){{p[0], p[1]}, {p[1], p[2]}}, &random);
  }
}

static void linear_layers_and_their_gradients_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"linear", 3, linear_apply, linear_reference, NULL, 0};
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
    const size_t *p = products[i];
    check_gradient(&op, (const size_t[][2]){{p[0], p[1]}, {p[1], p[2]}, {1, p[2]}}, &random);
  }
}

static sotto_var add_row_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_add_row(tape, x[0], x[1]);
}

static void add_row_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  memcpy(y->data, x[0].data, y->rows * y->cols * sizeof *y->data);
  add_bias(y, x[1].data);
}

static const size_t shapes[][2] = {{0, 5}, {4, 0}, {1, 1}, {1, 7}, {3, 5}, {40, 33}, {683, 49}};
enum { shape_count = sizeof shapes / sizeof *shapes };

static void a_row_added_to_all_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"add_row", 2, add_row_apply, add_row_reference, NULL, 0};
  for (size_t i = 0; i < shape_count; i++)
    check_gradient(&op, (const size_t[][2]){{shapes[i][0], shapes[i][1]}, {1, shapes[i][1]}}, &random);
}

static sotto_var normalise_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_normalise_rows(tape, x[0]);
}

static void normalise_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  for (size_t i = 0; i < y->rows; i++) {
    double square = 0;
    for (size_t j = 0; j < y->cols; j++) square += pow(x->data[i * y->cols + j], 2);
    for (size_t j = 0; j < y->cols; j++) y->data[i * y->cols + j] = x->data[i * y->cols + j] / sqrt(square);
  }
}

static void rows_of_unit_norm_and_their_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"normalise_rows", 1, normalise_apply, normalise_reference, NULL, 0};
  /* A row of one value turns over at 0, where differences say nothing; so width 1 is left to the next test.
   */
  for (size_t i = 0; i < shape_count; i++)
    if (shapes[i][1] != 1) check_gradient(&op, &shapes[i], &random);
}

static void a_row_of_almost_nothing_stays_zero_and_learns_nothing(void **state) {
  (void)state;
  float data[8] = {0, 0, 3e-13F, -4e-13F, 3e-30F, 4e30F, 0, -2e-12F}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const sotto_matrix x = {data, 4, 2}, u = {ones, 4, 2};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var v = sotto_tape_input(tape, &x), y = sotto_tape_normalise_rows(tape, v);
  CHECK_OK(sotto_tape_backward_from(tape, y, &u, &err));
  const float *value = sotto_tape_value(tape, y).data, *slope = sotto_tape_gradient(tape, v).data;
  for (int i = 0; i < 4; i++) assert_true(value[i] == 0 && slope[i] == 0);
  CHECK_NEAR((double)value[5], 1, 1e-7);
  CHECK_NEAR((double)value[7], -1, 1e-7);
  assert_true(slope[7] == 0 && slope[6] > 4.9e11F);
  sotto_tape_free(tape);
}

/* Batch normalisation; the running statistics are copied, so that every run starts from the same. */
typedef struct norm {
  bool training;
} norm;
enum { most_cols = 64 };

static sotto_var norm_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  static float mean[most_cols], variance[most_cols];
  static sotto_matrix means = {mean, 1, 0}, variances = {variance, 1, 0};
  means.cols = variances.cols = sotto_tape_value(tape, x[0]).cols;
  for (size_t j = 0; j < means.cols; j++) {
    mean[j] = 0.25F * (float)j - 1;
    variance[j] = 0.5F + (float)j;
  }
  return sotto_tape_batch_norm(tape, x[0], x[1], x[2], &means, &variances, 0.1F,
                               ((const norm *)context)->training);
}

static void norm_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  bool training = ((const norm *)context)->training;
  for (size_t j = 0; j < y->cols; j++) {
    double mean = 0, square = 0, rows = (double)y->rows;
    for (size_t i = 0; i < y->rows; i++) mean += x->data[i * y->cols + j] / rows;
    for (size_t i = 0; i < y->rows; i++) square += pow(x->data[i * y->cols + j] - mean, 2) / rows;
    if (!training) {
      mean = 0.25 * (double)j - 1;
      square = 0.5 + (double)j;
    }
    for (size_t i = 0; i < y->rows; i++)
      y->data[i * y->cols + j] =
          (x->data[i * y->cols + j] - mean) / sqrt(square + 1e-5) * x[1].data[j] + x[2].data[j];
  }
}

static void batch_normalisation_and_its_gradients_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int training = 0; training < 2; training++) {
    const norm n = {training == 1};
    const gradient_op op = {"batch_norm", 3, norm_apply, norm_reference, &n, 0};
    for (size_t i = 0; i < shape_count; i++) {
      size_t d = shapes[i][1];
      check_gradient(&op, (const size_t[][2]){{shapes[i][0], d}, {1, d}, {1, d}}, &random);
    }
  }
}

/* Golden numbers: torch.nn.BatchNorm1d(2) of PyTorch 1.13 in float64, weight (1.5, -0.5), bias (0.25, 1). */
static void batch_normalisation_and_running_statistics_are_those_of_pytorch(void **state) {
  (void)state;
  static const double trained[8] = {0.666024507132, 0.831065902244, 2.33012253566,   1.64194957147,
                                    -1.83012253566, 1.23650773686,  -0.166024507132, 0.290476789426};
  static const double served[8] = {0.729809690201, -0.0365185950181, 2.649048451,     1.41400305399,
                                   -2.149048451,   0.688742229484,   -0.229809690201, -1.00353302769};
  float data[8] = {1, 2, 3, -1, -2, 0.5F, 0, 4}, gamma[2] = {1.5F, -0.5F}, beta[2] = {0.25F, 1};
  float mean[2] = {0.5F, -0.5F}, variance[2] = {2, 0.25F};
  const sotto_matrix x = {data, 4, 2}, g = {gamma, 1, 2}, b = {beta, 1, 2};
  sotto_matrix means = {mean, 1, 2}, variances = {variance, 1, 2};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (int run = 0; run < 3; run++) {
    sotto_tape_reset(tape);
    sotto_var y = sotto_tape_batch_norm(tape, sotto_tape_constant(tape, &x), sotto_tape_constant(tape, &g),
                                        sotto_tape_constant(tape, &b), &means, &variances, 0.1F, run < 2);
    CHECK_OK(sotto_tape_check(tape, &err));
    const float *value = sotto_tape_value(tape, y).data;
    for (int i = 0; i < 8; i++) CHECK_NEAR((double)value[i], run < 2 ? trained[i] : served[i], 1e-6);
    CHECK_NEAR((double)mean[1], run == 0 ? -0.3125 : -0.14375, 1e-6);
    CHECK_NEAR((double)variance[0], run == 0 ? 2.2333333333 : 2.4433333333, 1e-6);
    CHECK_NEAR((double)variance[1], run == 0 ? 0.68125 : 1.069375, 1e-6);
  }
  sotto_tape_free(tape);
}

static sotto_var twice_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  const sotto_var three[3] = {x[0], x[1], x[1]};
  return norm_apply(context, tape, three);
}

static void twice_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const gradient_matrix three[3] = {x[0], x[1], x[1]};
  norm_reference(context, y, three);
}

static void one_variable_may_be_both_gamma_and_beta(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const norm n = {true};
  const gradient_op op = {"batch_norm of one vector", 2, twice_apply, twice_reference, &n, 0};
  check_gradient(&op, (const size_t[][2]){{9, 40}, {1, 40}}, &random);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_and_their_gradients_are_right),
      cmocka_unit_test(linear_layers_and_their_gradients_are_right),
      cmocka_unit_test(a_row_added_to_all_and_its_gradient_are_right),
      cmocka_unit_test(rows_of_unit_norm_and_their_gradient_are_right),
      cmocka_unit_test(a_row_of_almost_nothing_stays_zero_and_learns_nothing),
      cmocka_unit_test(batch_normalisation_and_its_gradients_are_right),
      cmocka_unit_test(batch_normalisation_and_running_statistics_are_those_of_pytorch),
      cmocka_unit_test(one_variable_may_be_both_gamma_and_beta),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
