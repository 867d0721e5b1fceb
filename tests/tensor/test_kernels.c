/* The vector kernels of every instruction set of this machine, against double precision and each other. */
#include <float.h>
#include <math.h>

#include "base/cpu.h"
#include "check.h"
#include "small_graph.h"
#include "tensor/kernels.h"

static const sotto_i_kernel_table *const tables[] = {&sotto_i_kernels_plain, &sotto_i_kernels_avx2,
                                                     &sotto_i_kernels_avx512};

/* The tables that this machine can run. */
static int table_count(void) {
  return (int)sotto_i_isa() + 1;
}

static double wide_selu(double x) {
  return 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * expm1(x));
}

static double wide_sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

/* Over [low, high] and at ends of the float range; the error is relative to the value, or to 1e-30. */
static void check_map(sotto_i_map_fn map, double (*right)(double), float low, float high, double slack) {
  enum { steps = 20001 };
  float *x = malloc(steps * sizeof *x), *y = malloc(steps * sizeof *y);
  for (int i = 0; i < steps; i++) x[i] = low + (high - low) * (float)i / (float)(steps - 1);
  for (int i = 0; i < 40; i++) x[i] = ldexpf(low < 0 && i % 2 == 0 ? -1.1F : 1.1F, -3 * i);
  map(y, x, steps);
  for (int i = 0; i < steps; i++) {
    double value = right((double)x[i]), gap = fabs((double)y[i] - value);
    if (!(gap <= slack * fmax(fabs(value), 1e-30)))
      fail_msg("at %.9g: %.9g, should be %.9g", (double)x[i], (double)y[i], value);
  }
  free(x);
  free(y);
}

static void activations_are_right_to_a_few_last_places_over_their_range(void **state) {
  (void)state;
  for (int t = 0; t < table_count(); t++) {
    check_map(tables[t]->exp, exp, -86.9F, 88, 4e-7);
    check_map(tables[t]->tanh, tanh, -30, 30, 6e-7);
    check_map(tables[t]->sigmoid, wide_sigmoid, -86, 86, 6e-7);
    check_map(tables[t]->selu, wide_selu, -100, 100, 6e-7);
  }
}

static void activations_hold_at_the_ends_and_pass_nan_on(void **state) {
  (void)state;
  const float x[4] = {-INFINITY, INFINITY, NAN, -FLT_MAX};
  for (int t = 0; t < table_count(); t++) {
    float y[4];
    tables[t]->relu(y, x, 4);
    assert_true(y[0] == 0 && isinf(y[1]) && isnan(y[2]) && y[3] == 0);
    tables[t]->tanh(y, x, 4);
    assert_true(y[0] == -1 && y[1] == 1 && isnan(y[2]) && y[3] == -1);
    tables[t]->sigmoid(y, x, 4);
    assert_true(y[0] == 0 && y[1] == 1 && isnan(y[2]) && y[3] == 0);
    tables[t]->selu(y, x, 4);
    assert_true(fabsf(y[0] + 1.7580993F) < 1e-6F && isinf(y[1]) && isnan(y[2]) && y[3] == y[0]);
  }
}

static void only_finite_values_are_finite_at_any_place(void **state) {
  (void)state;
  static const float bad[] = {NAN, INFINITY, -INFINITY};
  float x[37];
  for (int i = 0; i < 37; i++) x[i] = i % 2 == 0 ? FLT_MAX : -1e-45F;
  for (int t = 0; t < table_count(); t++)
    for (size_t n = 0; n <= 37; n++) {
      assert_true(tables[t]->finite(x, n));
      for (size_t i = 0; i < 3 * n; i++) {
        float kept = x[i / 3];
        x[i / 3] = bad[i % 3];
        assert_false(tables[t]->finite(x, n));
        x[i / 3] = kept;
      }
    }
}

static void softmax_and_its_logarithm_are_right_at_every_width(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int t = 0; t < table_count(); t++)
    for (size_t cols = 1; cols < 40; cols++) {
      enum { rows = 3 };
      float p[rows * 40], x[rows * 40];
      double lse[rows];
      for (size_t i = 0; i < rows * cols; i++) x[i] = p[i] = 20 * (float)sotto_i_random_normal(&random);
      tables[t]->softmax(p, lse, rows, cols);
      for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < cols; j++) sum += exp((double)x[i * cols + j]);
        CHECK_NEAR(lse[i], log(sum), 1e-6);
        for (size_t j = 0; j < cols; j++)
          CHECK_NEAR((double)p[i * cols + j], exp((double)x[i * cols + j]) / sum, 1e-6);
      }
    }
}

static void element_kernels_touch_just_their_elements_at_every_length(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int t = 0; t < table_count(); t++)
    for (size_t n = 0; n < 70; n++) {
      float a[71], b[71], y[71];
      for (size_t i = 0; i <= n; i++) {
        a[i] = (float)sotto_i_random_normal(&random);
        b[i] = (float)sotto_i_random_normal(&random);
        y[i] = 1;
      }
      tables[t]->axpy(y, a, 2, true, n);
      for (size_t i = 0; i < n; i++) assert_true(y[i] == 2 * a[i] + 1);
      tables[t]->axpy(y, a, 2, false, n);
      for (size_t i = 0; i < n; i++) assert_true(y[i] == 2 * a[i]);
      tables[t]->subtract(y, a, b, n);
      for (size_t i = 0; i < n; i++) assert_true(y[i] == a[i] - b[i]);
      tables[t]->product(y, a, b, false, n);
      for (size_t i = 0; i < n; i++) assert_true(y[i] == a[i] * b[i]);
      tables[t]->relu_slope(y, a, b, false, n);
      for (size_t i = 0; i < n; i++) assert_true(y[i] == (b[i] > 0 ? a[i] : 0));
      assert_true(y[n] == 1);
      double sum = 0, size = 1;
      for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
        size += fabs((double)a[i] * (double)b[i]);
      }
      assert_true(fabs((double)tables[t]->dot(a, b, n) - sum) < 1e-6 * size);
    }
}

/* Every width from 1 to over two blocks, from 0 and from what stands, with a guard behind the last value. */
static void gathered_sums_are_right_at_every_width(void **state) {
  (void)state;
  enum { rows = 9, most = 150, entries = 5 };
  static const uint32_t index[entries] = {0, 3, 3, 7, 8};
  static const float values[entries] = {1.5F, -2, 0.25F, 3, -1};
  float x[rows * most], y[most + 1];
  for (size_t i = 0; i < rows * most; i++) x[i] = (float)(i * 37 % 101) - 50;
  for (int t = 0; t < table_count(); t++)
    for (size_t width = 1; width <= most; width++)
      for (int stands = 0; stands < 2; stands++) {
        for (size_t j = 0; j <= most; j++) y[j] = (float)j;
        tables[t]->gather(y, stands ? y : NULL, index, values, entries, x, width);
        for (size_t j = 0; j < width; j++) {
          double sum = stands ? (double)j : 0;
          for (size_t e = 0; e < entries; e++) sum += (double)values[e] * (double)x[index[e] * width + j];
          assert_true(sum == (double)y[j]); /* small halves and quarters: exact */
        }
        assert_true(y[width] == (float)width);
      }
}

typedef struct narrow_case {
  sotto_i_narrow product;
  float *a, *b, *start, *c;
} narrow_case;

enum { narrow_most_rows = 15, narrow_most_inner = 40, narrow_most_cols = 144 };

/* Values of a have gaps of `skip` between them, and of another call's before and behind. */
static void narrow_new(narrow_case *n, sotto_i_random *random, size_t rows, size_t inner, size_t cols,
                       bool turned) {
  const size_t skip = 3, floats = (narrow_most_rows + skip) * (narrow_most_inner + skip);
  n->a = malloc(floats * sizeof *n->a);
  n->b = malloc(narrow_most_inner * narrow_most_cols * sizeof *n->b);
  n->start = malloc(narrow_most_rows * narrow_most_cols * sizeof *n->start);
  n->c = malloc((narrow_most_rows * narrow_most_cols + 1) * sizeof *n->c);
  for (size_t i = 0; i < floats; i++) n->a[i] = (float)sotto_i_random_normal(random);
  for (size_t i = 0; i < narrow_most_inner * narrow_most_cols; i++)
    n->b[i] = (float)sotto_i_random_normal(random);
  for (size_t i = 0; i < narrow_most_rows * narrow_most_cols; i++)
    n->c[i] = n->start[i] = (float)sotto_i_random_normal(random);
  n->c[rows * cols] = 7;
  n->product = (sotto_i_narrow){.c = n->c,
                                .a = n->a,
                                .b = n->b,
                                .row_step = turned ? 1 : inner + skip,
                                .inner_step = turned ? rows + skip : 1,
                                .rows = rows,
                                .inner = inner,
                                .cols = cols,
                                .ahead = turned ? 1 : 0};
}

static void narrow_free(narrow_case *n) {
  free(n->a);
  free(n->b);
  free(n->start);
  free(n->c);
}

/* The start of every row is 0, a row of biases, or the row of c itself. */
static void check_narrow(const sotto_i_kernel_table *table, narrow_case *n, int starts) {
  sotto_i_narrow *p = &n->product;
  const float *starts_at[] = {NULL, n->start, n->c};
  p->start = starts_at[starts];
  p->start_step = starts == 2 ? p->cols : 0;
  table->narrow(p);
  for (size_t r = 0; r < p->rows; r++)
    for (size_t j = 0; j < p->cols; j++) {
      double sum = starts == 0 ? 0 : (double)n->start[r * p->start_step + j], size = fabs(sum) + 1e-3;
      for (size_t k = 0; k < p->inner; k++) {
        const double term = (double)p->a[r * p->row_step + k * p->inner_step] * (double)p->b[k * p->cols + j];
        sum += term;
        size += fabs(term);
      }
      if (!(fabs((double)p->c[r * p->cols + j] - sum) <= 2e-6 * size))
        fail_msg("row %zu, column %zu of %zu x %zu x %zu: %g, should be %g", r, j, p->rows, p->inner, p->cols,
                 (double)p->c[r * p->cols + j], sum);
    }
  assert_true(p->c[p->rows * p->cols] == 7);
}

/* A row has the same bits without the others: DP-SGD rests on it. */
static void check_narrow_alone(const sotto_i_kernel_table *table, const narrow_case *n) {
  sotto_i_narrow p = n->product;
  float alone[narrow_most_cols];
  p.c = alone;
  p.rows = 1;
  for (size_t r = 0; r < n->product.rows; r++) {
    p.start = n->product.start == NULL ? NULL : n->start + r * n->product.start_step;
    p.a = n->a + r * p.row_step;
    table->narrow(&p);
    assert_memory_equal(alone, n->c + r * p.cols, p.cols * sizeof *alone);
  }
}

static void narrow_products_equal_the_loop_at_every_shape(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int t = 0; t < table_count(); t++)
    for (size_t rows = 0; rows <= narrow_most_rows; rows++)
      for (size_t cols = 16; cols <= narrow_most_cols; cols += 16)
        for (int kind = 0; kind < 6; kind++) {
          narrow_case n;
          narrow_new(&n, &random, rows, sotto_i_random_below(&random, narrow_most_inner + 1), cols,
                     kind % 2 == 1);
          check_narrow(tables[t], &n, kind / 2);
          check_narrow_alone(tables[t], &n);
          narrow_free(&n);
        }
}

/* The values of `n` entries: `kept` of 16 are not 0, some of them below 0, the least or -0. */
static void draw_values(float *values, size_t n, unsigned kept, sotto_i_random *random) {
  for (size_t e = 0; e < n; e++) {
    const bool full = sotto_i_random_below(random, 16) < kept;
    values[e] = full ? (float)sotto_i_random_double(random) - 0.5F : e % 2 == 0 ? 0.0F : -0.0F;
    if (full && e % 5 == 0) values[e] = -0x1p-149F;
  }
}

/* What is picked are the entries that a loop keeps, and their sum has the bits of that of all entries. */
static void check_pick(const sotto_i_kernel_table *kernels, size_t n, size_t width, unsigned kept,
                       sotto_i_random *random) {
  enum { most = 300, nodes = 50 };
  static uint32_t index[most], picked[most + SOTTO_I_PICK_ROOM];
  static float values[most], found[most + SOTTO_I_PICK_ROOM];
  sotto_matrix x = check_random_matrix(random, nodes, width), y = check_random_matrix(random, 3, width);
  size_t seen = 0;
  draw_values(values, n, kept, random);
  for (size_t e = 0; e < n; e++) index[e] = (uint32_t)sotto_i_random_below(random, nodes);
  const size_t count = kernels->pick(picked, found, index, values, n);
  for (size_t e = 0; e < n; e++) {
    if (values[e] == 0) continue;
    assert_true(seen < count && picked[seen] == index[e] && found[seen] == values[e]);
    seen++;
  }
  assert_int_equal(seen, count);
  float *all = y.data, *some = y.data + width, *start = y.data + 2 * width;
  kernels->gather(all, start, index, values, n, x.data, width);
  kernels->gather(some, start, picked, found, count, x.data, width);
  assert_memory_equal(all, some, width * sizeof *all);
  sotto_matrix_free(&x);
  sotto_matrix_free(&y);
}

static void picked_entries_are_those_that_are_not_0(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, 15, 16, 17, 127, 128, 129, 300};
  sotto_i_random random = check_random();
  for (int level = 0; level < table_count(); level++)
    for (size_t width = 1; width <= 130; width++)
      for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned kept = 0; kept <= 16; kept += 8)
          check_pick(tables[level], counts[i], width, kept, &random);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(activations_are_right_to_a_few_last_places_over_their_range),
      cmocka_unit_test(activations_hold_at_the_ends_and_pass_nan_on),
      cmocka_unit_test(only_finite_values_are_finite_at_any_place),
      cmocka_unit_test(softmax_and_its_logarithm_are_right_at_every_width),
      cmocka_unit_test(element_kernels_touch_just_their_elements_at_every_length),
      cmocka_unit_test(gathered_sums_are_right_at_every_width),
      cmocka_unit_test(narrow_products_equal_the_loop_at_every_shape),
      cmocka_unit_test(picked_entries_are_those_that_are_not_0),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
