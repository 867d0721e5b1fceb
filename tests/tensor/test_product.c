/* Dense products against a triple loop in double precision. */
#include <math.h>

#include "check.h"
#include "small_graph.h"
#include "tensor/product.h"

static double term(const sotto_matrix *m, bool transpose, size_t i, size_t j) {
  return (double)(transpose ? m->data[j * m->cols + i] : m->data[i * m->cols + j]);
}

/* Largest difference between c and alpha op(a) op(b) + beta before, over the sum of absolute terms. */
static double worst(const sotto_matrix *c, const sotto_matrix *before, const sotto_i_product *p) {
  size_t terms = p->transpose_a ? p->a->rows : p->a->cols;
  double most = 0;
  for (size_t i = 0; i < c->rows; i++)
    for (size_t j = 0; j < c->cols; j++) {
      /* With beta 0 whatever stood there must not count, be it NaN. */
      double start = p->beta == 0 ? 0 : (double)p->beta * (double)before->data[i * c->cols + j];
      double sum = start, size = fabs(start) + 1e-3;
      for (size_t k = 0; k < terms; k++) {
        double each = (double)p->alpha * term(p->a, p->transpose_a, i, k) * term(p->b, p->transpose_b, k, j);
        sum += each;
        size += fabs(each);
      }
      double gap = fabs((double)c->data[i * c->cols + j] - sum) / size;
      if (!(gap <= most)) most = gap;
    }
  return most;
}

static void check_product(sotto_i_random *random, const size_t shape[3], bool ta, bool tb, float alpha,
                          float beta) {
  size_t rows = shape[0], terms = shape[1], cols = shape[2];
  sotto_matrix a = check_random_matrix(random, ta ? terms : rows, ta ? rows : terms);
  sotto_matrix b = check_random_matrix(random, tb ? cols : terms, tb ? terms : cols);
  sotto_matrix c = check_random_matrix(random, rows, cols), before;
  const sotto_i_product p = {&a, &b, ta, tb, alpha, beta};
  if (beta == 0)
    for (size_t i = 0; i < rows * cols; i++) c.data[i] = NAN;
  CHECK_OK(sotto_matrix_new(&before, rows, cols, &err));
  memcpy(before.data, c.data, rows * cols * sizeof(float));
  size_t floats = sotto_i_gemm_scratch(&p);
  float *scratch = malloc(floats * sizeof *scratch + 1);
  assert_true(sotto_i_product_fits(&c, &p));
  sotto_i_gemm(&c, &p, scratch);
  double gap = worst(&c, &before, &p);
  if (!(gap < 2e-6))
    fail_msg("%zu x %zu x %zu, transposed %d %d, alpha %g, beta %g: off by %g of the terms", rows, terms,
             cols, ta, tb, (double)alpha, (double)beta, gap);
  free(scratch);
  sotto_matrix_free(&a);
  sotto_matrix_free(&b);
  sotto_matrix_free(&c);
  sotto_matrix_free(&before);
}

/* Every transposition with the scales that the tape uses and others. */
static void check_shape(sotto_i_random *random, const size_t shape[3]) {
  static const float scales[][2] = {{1, 0}, {1, 1}, {-0.5F, 2}, {0, 0.5F}};
  for (int transposed = 0; transposed < 4; transposed++)
    for (int s = 0; s < 4; s++)
      check_product(random, shape, (transposed & 1) != 0, (transposed & 2) != 0, scales[s][0], scales[s][1]);
}

static void products_of_odd_shapes_equal_the_triple_loop(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 30; round++) {
    const size_t shape[3] = {1 + sotto_i_random_below(&random, 40), 1 + sotto_i_random_below(&random, 40),
                             1 + sotto_i_random_below(&random, 40)};
    check_shape(&random, shape);
  }
}

static void products_without_rows_columns_or_terms_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][3] = {{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {0, 0, 0}, {1, 1, 1}};
  for (size_t i = 0; i < 5; i++) check_shape(&random, shapes[i]);
}

/* Borders of the cuts: 512 rows to a call, 128 where transposed from 256 on, sums of 1024 terms. */
static void products_across_block_borders_equal_the_triple_loop(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][3] = {{511, 3, 2},  {512, 3, 2},  {513, 5, 3},  {255, 1025, 2}, {256, 1025, 2},
                                     {389, 70, 2}, {3, 1024, 5}, {3, 1025, 5}, {2, 2049, 3}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_shape(&random, shapes[i]);
}

/* 16, 32 or 64 columns at once, up to 256 in all; sums of 128 terms where a is transposed, else of 1024; a
 * transposed b is turned over from 64 rows on. */
static void products_by_narrow_factors_equal_the_triple_loop(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][3] = {{1, 7, 16},    {63, 5, 32},   {64, 5, 32},  {7, 129, 64}, {513, 3, 48},
                                     {1, 1025, 16}, {1, 4200, 16}, {65, 2, 256}, {65, 2, 272}, {6, 257, 80}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_shape(&random, shapes[i]);
}

static void very_long_sums_are_cut_into_at_most_64_parts(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const size_t shape[3] = {3, 70001, 2};
  check_product(&random, shape, true, false, 1, 1);
  check_product(&random, shape, false, true, 1, 0);
  const sotto_matrix a = {NULL, 70001, 3}, b = {NULL, 70001, 2};
  const sotto_i_product p = {&a, &b, true, false, 1, 0};
  assert_true(sotto_i_gemm_scratch(&p) <= (size_t)64 * 3 * 2);
}

static void a_row_of_biases_starts_every_row(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][3] = {{0, 3, 2}, {5, 0, 3}, {4, 3, 0}, {1, 1, 1}, {600, 7, 5}, {600, 7, 80}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    size_t rows = shapes[s][0], terms = shapes[s][1], cols = shapes[s][2];
    sotto_matrix a = check_random_matrix(&random, rows, terms), w = check_random_matrix(&random, terms, cols);
    sotto_matrix bias = check_random_matrix(&random, 1, cols), c = check_random_matrix(&random, rows, cols);
    sotto_i_affine(&c, &a, &w, bias.data);
    for (size_t i = 0; i < rows * cols; i++) {
      double sum = (double)bias.data[i % cols];
      for (size_t k = 0; k < terms; k++)
        sum += (double)a.data[i / cols * terms + k] * (double)w.data[k * cols + i % cols];
      CHECK_NEAR((double)c.data[i], sum, 1e-5);
    }
    sotto_matrix_free(&a);
    sotto_matrix_free(&w);
    sotto_matrix_free(&bias);
    sotto_matrix_free(&c);
  }
}

/* Largest error of the sums over what arithmetic allows, for sums of `times` times x. The order is known:
 * rows in turn, 512 to a partial sum, then the partial sums in turn. Each addition errs by half a unit in the
 * last place of what it gives, so the bound adds up the partial sums that there are (Higham 2002, section
 * 4.2), each taken in double precision and widened by the error it has by then. */
static double worst_sum(const float *sums, const sotto_matrix *x, int times) {
  const double unit = 0x1p-24;
  double most = 0;
  for (size_t j = 0; j < x->cols; j++) {
    double sum = 0, error = 0;
    for (int time = 0; time < times; time++)
      for (size_t begin = 0; begin < x->rows; begin += 512) {
        double part = 0, part_error = 0;
        for (size_t i = begin; i < x->rows && i < begin + 512; i++) {
          part += (double)x->data[i * x->cols + j];
          part_error += i == begin ? 0 : unit * (fabs(part) + part_error);
        }
        sum += part;
        error += part_error;
        if (time > 0 || begin > 0) error += unit * (fabs(sum) + error);
      }
    double gap = fabs((double)sums[j] - sum);
    most = fmax(most, gap == 0 ? 0 : gap / (error + 1e-14 * fabs(sum)));
  }
  return most;
}

/* With `whole`, values are whole numbers from 1 to 2^12, whose sums are exact in any order; there a planted
 * relative error of 3e-5 must be seen. */
static void check_column_sums(sotto_i_random *random, size_t rows, size_t cols, bool whole) {
  sotto_matrix x = check_random_matrix(random, rows, cols), sums = check_random_matrix(random, 1, cols);
  float *scratch = malloc(sotto_i_column_scratch(rows, cols) * sizeof *scratch + 1);
  for (size_t i = 0; whole && i < rows * cols; i++)
    x.data[i] = 1 + (float)sotto_i_random_below(random, 1 << 12);
  for (int add = 0; add < 2; add++) {
    sotto_i_column_sums(sums.data, &x, add == 1, scratch);
    double off = worst_sum(sums.data, &x, add + 1);
    if (!(off <= (whole ? 0 : 1)))
      fail_msg("%zu x %zu, added %d: off by %g times what is allowed", rows, cols, add, off);
  }
  for (size_t j = 0; j < cols; j++) sums.data[j] *= 1 + 3e-5F;
  if (whole && rows > 0) assert_true(worst_sum(sums.data, &x, 2) > 0);
  free(scratch);
  sotto_matrix_free(&x);
  sotto_matrix_free(&sums);
}

static void column_sums_equal_the_loop_and_can_be_added(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][2] = {{0, 3}, {1, 1}, {2, 1}, {511, 5}, {512, 5}, {1300, 17}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int whole = 0; whole < 2; whole++)
      check_column_sums(&random, shapes[s][0], shapes[s][1], whole == 1);
}

static void shapes_that_do_not_meet_or_pass_int_do_not_fit(void **state) {
  (void)state;
  const sotto_matrix a = {NULL, 2, 3}, b = {NULL, 3, 4}, c = {NULL, 2, 4}, huge = {NULL, 3, (size_t)1 << 31};
  const sotto_matrix wide = {NULL, 2, (size_t)1 << 31};
  assert_true(sotto_i_product_fits(&c, &(sotto_i_product){.a = &a, .b = &b}));
  assert_false(sotto_i_product_fits(&c, &(sotto_i_product){.a = &b, .b = &a}));
  assert_false(sotto_i_product_fits(&c, &(sotto_i_product){.a = &a, .b = &b, .transpose_a = true}));
  assert_false(sotto_i_product_fits(&a, &(sotto_i_product){.a = &a, .b = &b}));
  assert_false(sotto_i_product_fits(&wide, &(sotto_i_product){.a = &a, .b = &huge}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_of_odd_shapes_equal_the_triple_loop),
      cmocka_unit_test(products_without_rows_columns_or_terms_are_right),
      cmocka_unit_test(products_across_block_borders_equal_the_triple_loop),
      cmocka_unit_test(products_by_narrow_factors_equal_the_triple_loop),
      cmocka_unit_test(very_long_sums_are_cut_into_at_most_64_parts),
      cmocka_unit_test(a_row_of_biases_starts_every_row),
      cmocka_unit_test(column_sums_equal_the_loop_and_can_be_added),
      cmocka_unit_test(shapes_that_do_not_meet_or_pass_int_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
