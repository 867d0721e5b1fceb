/* The kernels of every instruction set that this machine has against plain loops, and bit by bit against one
 * another: plans may not depend on the machine. */
#include <math.h>

#include "base/cpu.h"
#include "check.h"
#include "gw/solve/kernels.h"

enum { most = 67 };

/* The tables that can run here, the plain one first. */
static size_t tables(const sotto_i_gw_kernel_table *out[3]) {
  size_t count = 0;
  out[count++] = &sotto_i_gw_kernels_plain;
  if (sotto_i_isa() != SOTTO_I_ISA_PLAIN) out[count++] = &sotto_i_gw_kernels_avx2;
  if (sotto_i_isa() == SOTTO_I_ISA_AVX512) out[count++] = &sotto_i_gw_kernels_avx512;
  return count;
}

static void fill(double *x, size_t count, sotto_i_random *random) {
  for (size_t i = 0; i < count; i++) x[i] = sotto_i_random_normal(random);
}

static void sums_and_products(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (size_t n = 0; n <= most; n++) {
    double x[most + 1], y[most + 1], plain_dot = 0, slow = 0;
    fill(x, most + 1, &random);
    fill(y, most + 1, &random);
    for (size_t i = 0; i < n; i++) slow += x[i] * y[i];
    for (size_t k = 0; k < count; k++) {
      double z[most + 1];
      const double dot = kernels[k]->dot(x, y, n);
      CHECK_NEAR(dot, slow, 1e-13);
      if (k == 0) plain_dot = dot;
      assert_memory_equal(&dot, &plain_dot, sizeof dot);
      memcpy(z, y, sizeof z);
      kernels[k]->add(z, 0.3, x, n);
      for (size_t i = 0; i <= most; i++) assert_true(z[i] == (i < n ? y[i] + 0.3 * x[i] : y[i]));
    }
  }
}

static void blocks(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  enum { terms = 9, half_stride = 6, right_stride = 11, block_stride = 10 };
  double half[terms * half_stride], right[terms * right_stride];
  fill(half, terms * half_stride, &random);
  fill(right, terms * right_stride, &random);
  for (size_t k = 0; k < count; k++) {
    double block[SOTTO_I_GW_ROWS * block_stride] = {0};
    kernels[k]->block(block, block_stride, half, half_stride, right, right_stride, terms);
    for (size_t r = 0; r < SOTTO_I_GW_ROWS; r++)
      for (size_t c = 0; c < block_stride; c++) {
        double sum = 0;
        for (size_t t = 0; c < SOTTO_I_GW_COLS && t < terms; t++)
          sum += half[t * half_stride + r] * right[t * right_stride + c];
        assert_true(block[r * block_stride + c] == sum);
      }
  }
}

enum { points = 80, cells = 96 }; /* more than tables that stay in registers have */

static void fill_singles(float *x, size_t count, sotto_i_random *random) {
  for (size_t i = 0; i < count; i++) x[i] = (float)sotto_i_random_normal(random);
}

static void outer_products(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 16, 31, 32, 33, 64, points};
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (size_t round = 0; round < 7 * 4; round++) {
    const size_t size = sizes[round % 7];
    float left[points + 64] = {0}, right[points + 64] = {0}, begun[points * points], at_begun[cells];
    uint32_t row[cells], col[cells];
    double x[points], y[points];
    fill_singles(left, size, &random);
    fill_singles(right, size, &random);
    fill_singles(begun, points * points, &random);
    fill_singles(at_begun, cells, &random);
    fill(x, points, &random);
    fill(y, points, &random);
    for (size_t t = 0; t < cells; t++) {
      row[t] = (uint32_t)sotto_i_random_below(&random, size);
      col[t] = (uint32_t)sotto_i_random_below(&random, size);
    }
    for (size_t k = 0; k < count; k++) {
      float z[points * points], at[cells], narrow[points], difference[points];
      memcpy(z, begun, sizeof z);
      memcpy(at, at_begun, sizeof at);
      kernels[k]->rank_one(z, left, size, right, points);
      for (size_t i = 0; i < size * points; i++) {
        const float step = left[i / points] * right[i % points];
        assert_true(z[i] == begun[i] + step);
      }
      kernels[k]->rank_one_at(at, left, row, size, right, col, size, cells);
      for (size_t t = 0; t < cells; t++) {
        const float step = left[row[t]] * right[col[t]];
        assert_true(at[t] == at_begun[t] + step);
      }
      kernels[k]->narrow(narrow, x, 0.3, size);
      kernels[k]->difference(difference, x, y, 0.3, size);
      for (size_t i = 0; i < size; i++)
        assert_true(narrow[i] == (float)(0.3 * x[i]) && difference[i] == (float)(0.3 * (x[i] - y[i])));
    }
  }
}

/* Gain of the exchange with cell t, in double precision. */
static double slow_gain(const sotto_i_gw_scan *s, size_t t) {
  const double linear = (double)s->here + s->own[t] - s->of_row[s->col[t]] - s->of_col[s->row[t]];
  const double curvature = (double)s->coupling * s->left[s->row[t]] * s->right[s->col[t]];
  double mass = fmin(s->held, s->mass[t]);
  if (!s->concave && curvature < 0) mass = fmax(0, fmin(mass, -linear / (2 * curvature)));
  const double rate = linear + curvature * mass;
  return rate > s->noise ? mass * rate : 0;
}

static void exchanges(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  size_t none = 0;
  for (size_t round = 0; round < 2000; round++) {
    float tables_of[4][points + 64] = {{0}}, own[cells], mass[cells] = {0}, scratch[2][2 * points + 16];
    uint32_t row[cells], col[cells];
    sotto_i_gw_scan s = {.of_row = tables_of[0],
                         .of_col = tables_of[1],
                         .left = tables_of[2],
                         .right = tables_of[3],
                         .row = row,
                         .col = col,
                         .own = own,
                         .mass = mass,
                         .of_rows = scratch[0],
                         .of_cols = scratch[1],
                         .coupling = 0.7F,
                         .noise = 1e-5F};
    s.rows = 1 + sotto_i_random_below(&random, points);
    s.cols = 1 + sotto_i_random_below(&random, points);
    s.begin = 16 * sotto_i_random_below(&random, 3);
    s.end = s.begin + 1 + sotto_i_random_below(&random, cells - s.begin);
    s.concave = sotto_i_random_below(&random, 2) == 0;
    for (size_t k = 0; k < 4; k++) fill_singles(tables_of[k], k % 3 == 0 ? s.cols : s.rows, &random);
    fill_singles(own, cells, &random);
    s.here = (float)sotto_i_random_normal(&random) - (round % 2 == 0 ? 0 : 12);
    s.held = (float)sotto_i_random_double(&random);
    double most_gain = 0, greatest = 0;
    size_t best = 0, first = cells;
    for (size_t t = 0; t < cells; t++) {
      row[t] = (uint32_t)sotto_i_random_below(&random, s.rows);
      col[t] = (uint32_t)sotto_i_random_below(&random, s.cols);
      if (t < s.end) mass[t] = (float)sotto_i_random_double(&random);
      if (s.concave) { /* no curvature is negative */
        tables_of[2][row[t]] = fabsf(tables_of[2][row[t]]);
        tables_of[3][col[t]] = fabsf(tables_of[3][col[t]]);
      }
    }
    for (size_t t = s.begin; t < s.end; t++) most_gain = fmax(most_gain, slow_gain(&s, t));
    none += most_gain == 0;
    for (size_t k = 0; k < count; k++) {
      const float gain = kernels[k]->exchange(&best, &s);
      CHECK_NEAR(gain, most_gain, 1e-4);
      if (k == 0) {
        greatest = gain;
        first = best;
      }
      assert_true(gain == greatest && (gain == 0 || best == first));
      if (gain > 0) {
        assert_true(best >= s.begin && best < s.end);
        CHECK_NEAR(slow_gain(&s, best), most_gain, 1e-4);
      }
    }
  }
  assert_true(none > 50 && none < 1950);
}

static void rows_of_negative_reduced_cost(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (int round = 0; round < 2000; round++) {
    enum { rows = 6 };
    const size_t cols = 1 + sotto_i_random_below(&random, 40), begin = sotto_i_random_below(&random, rows);
    double cost[rows * 40], of_row[rows], of_col[40], least[rows], wanted = 0;
    const double slack = sotto_i_random_double(&random) / 4;
    size_t first = rows;
    fill(cost, rows * cols, &random);
    fill(of_col, cols, &random);
    if (cols > 1) of_col[cols - 1] = -INFINITY; /* closed, as in the greedy basis */
    for (size_t i = 0; i < rows; i++) {
      least[i] = INFINITY;
      for (size_t j = 0; j < cols; j++) least[i] = fmin(least[i], cost[i * cols + j] - of_col[j]);
      of_row[i] = least[i] + (sotto_i_random_below(&random, 3) == 0 ? slack * 2 : slack / 2);
    }
    for (size_t i = rows; i-- > begin;)
      if (least[i] - of_row[i] < -slack) {
        first = i;
        wanted = least[i];
      }
    for (size_t k = 0; k < count; k++) {
      double found = 0;
      for (size_t i = 0; i < rows; i++) {
        const double *line = cost + i * cols;
        size_t place = 0;
        while (place + 1 < cols && line[place] - of_col[place] != least[i]) place++;
        assert_true(kernels[k]->row_least(line, of_col, cols) == least[i]);
        assert_int_equal(kernels[k]->first_col(line, of_col, cols, least[i]), place);
        assert_int_equal(kernels[k]->first_col(line, of_col, cols, NAN), cols - 1);
      }
      assert_int_equal(kernels[k]->first_row(&found, cost, of_row, of_col, cols, begin, rows, slack), first);
      assert_true(first == rows || found == wanted);
    }
  }
}

static void the_largest_and_what_is_not_finite(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (size_t n = 1; n <= most; n++) {
    double x[most], wanted = 0;
    fill(x, n, &random);
    for (size_t i = 0; i < n; i++) wanted = fmax(wanted, fabs(x[i]));
    for (size_t k = 0; k < count; k++) assert_true(kernels[k]->largest(x, n) == wanted);
    for (size_t b = 0; b < 3; b++) { /* the planted fault, at any place */
      const size_t at = sotto_i_random_below(&random, n);
      const double was = x[at];
      x[at] = bad[b];
      for (size_t k = 0; k < count; k++) assert_false(isfinite(kernels[k]->largest(x, n)));
      x[at] = was;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_and_products),
                                     cmocka_unit_test(blocks),
                                     cmocka_unit_test(outer_products),
                                     cmocka_unit_test(exchanges),
                                     cmocka_unit_test(rows_of_negative_reduced_cost),
                                     cmocka_unit_test(the_largest_and_what_is_not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
