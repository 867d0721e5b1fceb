/* Fixed constants that are mostly 0: their products, gradients and dropout against dense ones. */
#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "check.h"
#include "gradient.h"
#include "inside/tensor.h"
#include "small_graph.h"
#include "sotto/tensor.h"
#include "tensor/kernels.h"
#include "tensor/sparse.h"
#include "tensor/tape.h"

/* One value in `few` is not 0; the last column and the first row are full. */
static sotto_matrix mostly_zero(sotto_i_random *random, size_t rows, size_t cols, unsigned few) {
  sotto_matrix x = check_random_matrix(random, rows, cols);
  for (size_t i = 1; i < rows; i++)
    for (size_t j = 0; j + 1 < cols; j++)
      if (sotto_i_random_below(random, few) != 0) x.data[i * cols + j] = 0;
  return x;
}

typedef struct passed {
  sotto_matrix y, dw, db;
} passed;

/* y = x w + b forwards, and back from a gradient of y; twice on one tape, the second time kept. */
static void pass(passed *out, const sotto_matrix *x, const sotto_matrix *w, const sotto_matrix *b,
                 const sotto_matrix *dy, bool fixed) {
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  CHECK_OK(sotto_matrix_new(&out->y, dy->rows, dy->cols, &err));
  CHECK_OK(sotto_matrix_new(&out->dw, w->rows, w->cols, &err));
  CHECK_OK(sotto_matrix_new(&out->db, b->rows, b->cols, &err));
  for (int again = 0; again < 2; again++) {
    sotto_tape_reset(tape);
    sotto_var vx = fixed ? sotto_tape_fixed(tape, x) : sotto_tape_constant(tape, x);
    sotto_var y = sotto_tape_linear(tape, vx, sotto_tape_parameter(tape, w, &out->dw),
                                    sotto_tape_parameter(tape, b, &out->db));
    CHECK_OK(sotto_tape_backward_from(tape, y, dy, &err));
    memcpy(out->y.data, sotto_tape_value(tape, y).data, dy->rows * dy->cols * sizeof(float));
  }
  sotto_tape_free(tape);
}

static void passed_free(passed *p) {
  sotto_matrix_free(&p->y);
  sotto_matrix_free(&p->dw);
  sotto_matrix_free(&p->db);
}

/* The largest difference, over the sum of the absolute terms that each value can have. */
static double largest_gap(const sotto_matrix *a, const sotto_matrix *b, double terms) {
  double most = 0;
  for (size_t i = 0; i < a->rows * a->cols; i++)
    most = fmax(most, fabs((double)a->data[i] - b->data[i]) / terms);
  return most;
}

static void products_with_few_entries_equal_dense_ones(void **state) {
  (void)state;
  static const size_t shapes[][3] = {{1, 1, 1},    {5, 9, 1},     {40, 33, 15},  {40, 33, 16},
                                     {70, 50, 17}, {130, 90, 64}, {130, 90, 83}, {900, 300, 100}};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const size_t *n = shapes[i];
    sotto_matrix x = mostly_zero(&random, n[0], n[1], 20), w = check_random_matrix(&random, n[1], n[2]);
    sotto_matrix b = check_random_matrix(&random, 1, n[2]), dy = check_random_matrix(&random, n[0], n[2]);
    passed sparse, dense;
    pass(&sparse, &x, &w, &b, &dy, true);
    pass(&dense, &x, &w, &b, &dy, false);
    double terms = 1e-6 * (double)(n[0] + n[1]);
    assert_true(largest_gap(&sparse.y, &dense.y, terms) < 1);
    assert_true(largest_gap(&sparse.dw, &dense.dw, terms) < 1);
    assert_true(largest_gap(&sparse.db, &dense.db, terms) < 1);
    sparse.dw.data[0] += (float)(4 * terms); /* the comparison is not blind */
    assert_false(largest_gap(&sparse.dw, &dense.dw, terms) < 1);
    passed_free(&sparse);
    passed_free(&dense);
    sotto_matrix_free(&x);
    sotto_matrix_free(&w);
    sotto_matrix_free(&b);
    sotto_matrix_free(&dy);
  }
}

static void results_do_not_depend_on_threads(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = mostly_zero(&random, 700, 200, 15), w = check_random_matrix(&random, 200, 64);
  sotto_matrix b = check_random_matrix(&random, 1, 64), dy = check_random_matrix(&random, 700, 64);
  passed one, three;
  CHECK_OK(sotto_threads_set(1, &err));
  pass(&one, &x, &w, &b, &dy, true);
  CHECK_OK(sotto_threads_set(3, &err));
  pass(&three, &x, &w, &b, &dy, true);
  assert_memory_equal(one.y.data, three.y.data, 700 * 64 * sizeof(float));
  assert_memory_equal(one.dw.data, three.dw.data, 200 * 64 * sizeof(float));
  passed_free(&one);
  passed_free(&three);
  sotto_matrix_free(&x);
  sotto_matrix_free(&w);
  sotto_matrix_free(&b);
  sotto_matrix_free(&dy);
}

/* The entries that stay after dropout are the dense value's, so a product of either is the same. */
static void dropout_keeps_entries_and_their_dense_values_alike(void **state) {
  (void)state;
  enum { rows = 300, cols = 60, width = 20 };
  sotto_i_random random = check_random();
  sotto_matrix x = mostly_zero(&random, rows, cols, 12), w = check_random_matrix(&random, cols, width);
  sotto_matrix dw, dy = check_random_matrix(&random, rows, width), plain;
  sotto_tape *tape;
  sotto_key key;
  size_t entries = 0, kept = 0;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_matrix_new(&dw, cols, width, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var dropped = sotto_tape_dropout(tape, sotto_tape_fixed(tape, &x), 0.25F, &key, 1, 2);
  sotto_var y = sotto_tape_matmul(tape, dropped, sotto_tape_parameter(tape, &w, &dw));
  CHECK_OK(sotto_tape_backward_from(tape, y, &dy, &err));
  plain = sotto_tape_value(tape, dropped);
  for (size_t i = 0; i < (size_t)rows * cols; i++) {
    entries += x.data[i] != 0;
    kept += plain.data[i] != 0;
    assert_true(plain.data[i] == 0 || plain.data[i] == x.data[i] * (1 / 0.75F));
  }
  assert_true(fabs((double)kept - 0.75 * (double)entries) < 6 * sqrt(0.1875 * (double)entries));
  for (size_t k = 0; k < cols; k++)
    for (size_t j = 0; j < width; j++) {
      double sum = 0;
      for (size_t i = 0; i < rows; i++) sum += (double)plain.data[i * cols + k] * dy.data[i * width + j];
      assert_true(fabs(sum - dw.data[k * width + j]) < 1e-3);
    }
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < width; j++) {
      double sum = 0;
      for (size_t k = 0; k < cols; k++) sum += (double)plain.data[i * cols + k] * w.data[k * width + j];
      assert_true(fabs(sum - sotto_tape_value(tape, y).data[i * width + j]) < 1e-4);
    }
  sotto_tape_free(tape);
  sotto_matrix_free(&x);
  sotto_matrix_free(&w);
  sotto_matrix_free(&dw);
  sotto_matrix_free(&dy);
}

static void columns_are_the_rows_turned(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = mostly_zero(&random, 31, 47, 9);
  sotto_i_sparse s;
  CHECK_OK(sotto_i_sparse_new(&s, &x, &err));
  assert_true(s.worth);
  CHECK_OK(sotto_i_sparse_make_columns(&s, &err));
  size_t seen = 0;
  for (size_t j = 0; j < 47; j++)
    for (size_t e = s.by_column.offsets[j]; e < s.by_column.offsets[j + 1]; e++, seen++) {
      assert_true(e == s.by_column.offsets[j] || s.by_column.index[e - 1] < s.by_column.index[e]);
      assert_true(x.data[s.by_column.index[e] * 47 + j] == s.by_column.values[e]);
      assert_true(s.by_row.values[s.order[e]] == s.by_column.values[e]);
    }
  assert_int_equal(seen, sotto_i_sparse_entries(&s));
  sotto_i_sparse_free(&s);
  sotto_matrix_free(&x);
}

static void half_full_matrices_are_left_to_dense_products(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (unsigned few = 2; few <= 3; few++) {
    sotto_matrix x = mostly_zero(&random, 60, 60, few);
    sotto_i_sparse s;
    CHECK_OK(sotto_i_sparse_new(&s, &x, &err));
    assert_int_equal(s.worth, few == 3);
    sotto_i_sparse_free(&s);
    sotto_matrix_free(&x);
  }
}

static size_t fill_row(const void *context, size_t row, uint32_t *columns, float *values) {
  const sotto_matrix *x = context;
  size_t count = 0;
  for (size_t j = 0; j < x->cols; j++) {
    if (x->data[row * x->cols + j] == 0) continue;
    columns[count] = (uint32_t)j;
    values[count++] = x->data[row * x->cols + j];
  }
  return count;
}

/* The bytes of products, gradients and dropout of a fixed matrix, which has its values as well. */
static void entries_alone_give_what_a_fixed_matrix_gives(void **state) {
  (void)state;
  enum { rows = 200, cols = 50, width = 20 };
  sotto_i_random random = check_random();
  sotto_matrix x = mostly_zero(&random, rows, cols, 12), w = check_random_matrix(&random, cols, width);
  sotto_matrix dw[2], dy = check_random_matrix(&random, rows, width), y[2];
  sotto_i_sparse s = {.of = NULL};
  sotto_key key;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_i_sparse_of_rows(&s, rows, cols, rows * cols, fill_row, &x, &err));
  for (int dropout = 0; dropout < 2; dropout++) {
    for (int i = 0; i < 2; i++) {
      sotto_tape *tape;
      CHECK_OK(sotto_tape_new(&tape, &err));
      CHECK_OK(sotto_matrix_new(&dw[i], cols, width, &err));
      sotto_var v =
          i == 0 ? sotto_tape_fixed(tape, &x) : sotto_i_tape_entries(tape, &(sotto_i_sparse_view){&s, NULL});
      assert_int_equal(sotto_i_tape_is_entries(tape, v), i == 1);
      if (dropout > 0) v = sotto_tape_dropout(tape, v, 0.4F, &key, 1, 2);
      const sotto_var product = sotto_tape_matmul(tape, v, sotto_tape_parameter(tape, &w, &dw[i]));
      CHECK_OK(sotto_tape_backward_from(tape, product, &dy, &err));
      CHECK_OK(sotto_tape_copy(&y[i], tape, product, &err));
      sotto_tape_free(tape);
    }
    assert_memory_equal(y[0].data, y[1].data, rows * width * sizeof(float));
    assert_memory_equal(dw[0].data, dw[1].data, cols * width * sizeof(float));
    for (int i = 0; i < 2; i++) {
      sotto_matrix_free(&y[i]);
      sotto_matrix_free(&dw[i]);
    }
  }
  sotto_i_sparse_free(&s);
  sotto_matrix_free(&x);
  sotto_matrix_free(&w);
  sotto_matrix_free(&dy);
}

static sotto_var entries_product(const void *context, sotto_tape *tape, const sotto_var *x) {
  const sotto_i_sparse_view view = {(sotto_i_sparse *)(uintptr_t)context, NULL};
  return sotto_tape_matmul(tape, sotto_i_tape_entries(tape, &view), x[0]);
}

static void reference_product(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_sparse_lines *lines = &((const sotto_i_sparse *)context)->by_row;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++) {
      double sum = 0;
      for (size_t e = lines->offsets[i]; e < lines->offsets[i + 1]; e++)
        sum += (double)lines->values[e] * x->data[lines->index[e] * x->cols + j];
      y->data[i * y->cols + j] = sum;
    }
}

static void gradients_of_entries_are_those_of_differences(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = mostly_zero(&random, 30, 12, 6);
  sotto_i_sparse s = {.of = NULL};
  CHECK_OK(sotto_i_sparse_of_rows(&s, x.rows, x.cols, x.rows * x.cols, fill_row, &x, &err));
  const gradient_op op = {.name = "entries",
                          .inputs = 1,
                          .apply = entries_product,
                          .reference = reference_product,
                          .context = &s};
  check_gradient(&op, (const size_t[][2]){{12, 5}}, &random);
  sotto_i_sparse_free(&s);
  sotto_matrix_free(&x);
}

static void what_reads_all_values_refuses_entries(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = mostly_zero(&random, 6, 6, 6), w = check_random_matrix(&random, 6, 6);
  sotto_i_sparse s = {.of = NULL};
  sotto_tape *tape;
  CHECK_OK(sotto_i_sparse_of_rows(&s, 6, 6, 36, fill_row, &x, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (int which = 0; which < 4; which++) {
    sotto_tape_reset(tape);
    const sotto_var v = sotto_i_tape_entries(tape, &(sotto_i_sparse_view){&s, NULL});
    const sotto_var other = sotto_tape_constant(tape, &w);
    if (which == 0) (void)sotto_tape_relu(tape, v);
    if (which == 1) (void)sotto_tape_matmul(tape, other, v);
    if (which == 2) (void)sotto_tape_concat(tape, other, v);
    if (which == 3) (void)sotto_tape_normalise_rows(tape, v);
    CHECK_FAILS(SOTTO_INVALID, "needs a dense matrix", sotto_tape_check(tape, &err));
  }
  sotto_tape_free(tape);
  sotto_i_sparse_free(&s);
  sotto_matrix_free(&x);
  sotto_matrix_free(&w);
}

/* A view's products against loops, where lines have more entries than are picked at once, rows and columns of
 * all entries dropped and of none. */
static void check_view(size_t width, bool add, sotto_i_random *random) {
  enum { rows = 330, cols = 290 };
  sotto_matrix x = mostly_zero(random, rows, cols, 3), w = check_random_matrix(random, cols, width);
  sotto_matrix dy = check_random_matrix(random, rows, width), bias = check_random_matrix(random, 1, width);
  sotto_matrix y, dw = check_random_matrix(random, cols, width), start;
  sotto_i_sparse s;
  CHECK_OK(sotto_matrix_new(&y, rows, width, &err));
  CHECK_OK(sotto_matrix_new(&start, cols, width, &err));
  memcpy(start.data, dw.data, (size_t)cols * width * sizeof *dw.data);
  CHECK_OK(sotto_i_sparse_new(&s, &x, &err));
  CHECK_OK(sotto_i_sparse_make_columns(&s, &err));
  sotto_matrix view = check_random_matrix(random, 1, sotto_i_sparse_entries(&s));
  for (size_t i = 0; i < rows; i++)
    for (size_t e = s.by_row.offsets[i]; e < s.by_row.offsets[i + 1]; e++) {
      const uint32_t j = s.by_row.index[e];
      if (i % 5 == 1 || j % 7 == 2 || (i % 5 > 1 && j % 7 > 3 && sotto_i_random_below(random, 2) == 0))
        view.data[e] = 0;
      x.data[i * cols + j] = view.data[e];
    }
  sotto_i_sparse_affine(&y, &(sotto_i_sparse_view){&s, view.data}, &w, bias.data);
  sotto_i_sparse_transposed(&dw, &(sotto_i_sparse_view){&s, view.data}, &dy, add);
  for (size_t c = 0; c < width; c++) {
    for (size_t i = 0; i < rows; i++) {
      double sum = bias.data[c];
      for (size_t j = 0; j < cols; j++) sum += (double)x.data[i * cols + j] * w.data[j * width + c];
      CHECK_NEAR(y.data[i * width + c], sum, 1e-4);
    }
    for (size_t j = 0; j < cols; j++) {
      double sum = add ? start.data[j * width + c] : 0;
      for (size_t i = 0; i < rows; i++) sum += (double)x.data[i * cols + j] * dy.data[i * width + c];
      CHECK_NEAR(dw.data[j * width + c], sum, 1e-4);
    }
  }
  sotto_i_sparse_free(&s);
  sotto_matrix *const matrices[] = {&x, &w, &dy, &bias, &y, &dw, &start, &view};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) sotto_matrix_free(matrices[i]);
}

static void products_of_views_equal_loops(void **state) {
  (void)state;
  static const size_t widths[] = {1, 16, 33, 64};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (int add = 0; add < 2; add++) check_view(widths[i], add > 0, &random);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_with_few_entries_equal_dense_ones),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(dropout_keeps_entries_and_their_dense_values_alike),
      cmocka_unit_test(columns_are_the_rows_turned),
      cmocka_unit_test(half_full_matrices_are_left_to_dense_products),
      cmocka_unit_test(entries_alone_give_what_a_fixed_matrix_gives),
      cmocka_unit_test(gradients_of_entries_are_those_of_differences),
      cmocka_unit_test(what_reads_all_values_refuses_entries),
      cmocka_unit_test(products_of_views_equal_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
