/* Combinations of layers: values and gradients against the formulas. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/nn.h"
#include "nn/combine.h"

enum { layers = 3, width = 4 };
static const char *const names[] = {"cat", "sum", "max", "mean", "attention", "gru"};

typedef struct fixture {
  sotto_params *params;
  sotto_i_combiner combiner;
} fixture;

static fixture make(sotto_i_combination kind, uint64_t seed) {
  fixture f;
  sotto_key key;
  sotto_key_public(&key, seed);
  CHECK_OK(sotto_params_new(&f.params, &err));
  CHECK_OK(
      sotto_i_combiner_new(&f.combiner, f.params, kind, layers, width, SOTTO_ACTIVATION_TANH, &key, &err));
  return f;
}

static void drop(fixture *f) {
  sotto_i_combiner_free(&f->combiner);
  sotto_params_free(f->params);
}

static sotto_var apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  const fixture *f = context;
  return sotto_i_combiner_apply(&f->combiner, f->params, tape, x[0]);
}

/* x W + b of one row. */
static void affine(double *y, const double *x, const fixture *f, const sotto_linear *linear) {
  const sotto_matrix *w = sotto_params_value(f->params, linear->weight);
  const sotto_matrix *b = sotto_params_value(f->params, linear->bias);
  for (size_t j = 0; j < width; j++) {
    y[j] = (double)b->data[j];
    for (size_t i = 0; i < width; i++) y[j] += x[i] * (double)w->data[i * width + j];
  }
}

/* tanh(x W + b) of one row. */
static void dense(double *y, const double *x, const fixture *f, const sotto_linear *linear) {
  affine(y, x, f, linear);
  for (size_t j = 0; j < width; j++) y[j] = tanh(y[j]);
}

/* PyTorch's GRUCell, gate by gate, from a zero state: h' = (1 - u) m + u h. */
static void sequence(double *h, const double *x, const fixture *f) {
  for (size_t j = 0; j < width; j++) h[j] = 0;
  for (size_t k = 0; k < layers; k++) {
    double in[3][width], from[3][width];
    for (int gate = 0; gate < 3; gate++) {
      affine(in[gate], x + k * width, f, &f->combiner.gru.input[gate]);
      affine(from[gate], h, f, &f->combiner.gru.state[gate]);
    }
    for (size_t j = 0; j < width; j++) {
      double r = 1 / (1 + exp(-in[0][j] - from[0][j])), u = 1 / (1 + exp(-in[1][j] - from[1][j]));
      double m = tanh(in[2][j] + r * from[2][j]);
      h[j] = (1 - u) * m + u * h[j];
    }
  }
}

static void attention(double *y, double h[layers][width], const fixture *f) {
  const float *query = sotto_params_value(f->params, f->combiner.query)->data;
  double weight[layers], total = 0;
  for (size_t k = 0; k < layers; k++) {
    double hidden[width], score = 0;
    dense(hidden, h[k], f, &f->combiner.score);
    for (size_t j = 0; j < width; j++) score += hidden[j] * (double)query[j];
    total += weight[k] = exp(score);
  }
  for (size_t j = 0; j < width; j++) {
    y[j] = 0;
    for (size_t k = 0; k < layers; k++) y[j] += weight[k] / total * h[k][j];
  }
}

static void combine_row(double *y, const double *x, const fixture *f) {
  double h[layers][width];
  if (f->combiner.kind == SOTTO_I_COMBINE_CAT) {
    memcpy(y, x, sizeof h);
    return;
  }
  if (f->combiner.kind == SOTTO_I_COMBINE_GRU) {
    sequence(y, x, f);
    return;
  }
  for (size_t k = 0; k < layers; k++) dense(h[k], x + k * width, f, &f->combiner.each[k]);
  if (f->combiner.kind == SOTTO_I_COMBINE_ATTENTION) {
    attention(y, h, f);
    return;
  }
  for (size_t j = 0; j < width; j++) {
    double sum = h[0][j] + h[1][j] + h[2][j];
    y[j] = f->combiner.kind == SOTTO_I_COMBINE_SUM    ? sum
           : f->combiner.kind == SOTTO_I_COMBINE_MEAN ? sum / layers
                                                      : fmax(h[0][j], fmax(h[1][j], h[2][j]));
  }
}

static void reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const fixture *f = context;
  for (size_t i = 0; i < x->rows; i++) combine_row(y->data + i * y->cols, x->data + i * x->cols, f);
}

static void every_combination_and_its_gradient_is_its_formula(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fixture f = make((sotto_i_combination)i, sotto_i_random_u64(&random));
    const gradient_op op = {names[i], 1, apply, reference, &f, 1e-4};
    const size_t shapes[][2] = {{7, (size_t)layers * width}};
    assert_int_equal(sotto_i_combiner_width(&f.combiner), i == 0 ? layers * width : width);
    check_gradient(&op, shapes, &random);
    drop(&f);
  }
}

/* The checker must see a wrong formula: here, a mean that forgets to divide. */
static void a_wrong_combination_is_caught(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(SOTTO_I_COMBINE_MEAN, 1);
  float values[layers * width];
  for (size_t j = 0; j < sizeof values / sizeof *values; j++) values[j] = 0.1F + (float)j / 16;
  const sotto_matrix x = {values, 1, (size_t)layers * width};
  char why[200];
  const gradient_op op = {"mean", 1, apply, reference, &f, 1e-4};
  assert_true(gradient_holds(&op, &x, &random, why, sizeof why));
  fixture wrong = f;
  wrong.combiner.kind = SOTTO_I_COMBINE_SUM;
  const gradient_op planted = {"sum for mean", 1, apply, reference, &wrong, 1e-4};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  const sotto_var in = sotto_tape_constant(tape, &x);
  const sotto_matrix got = sotto_tape_value(tape, apply(&f, tape, &in));
  double right[layers * width], wide[layers * width];
  for (size_t j = 0; j < sizeof values / sizeof *values; j++) wide[j] = (double)values[j];
  combine_row(right, wide, planted.context);
  assert_true(fabs(right[0] - (double)got.data[0]) > 1e-2);
  sotto_tape_free(tape);
  drop(&f);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  sotto_key key;
  sotto_status status = SOTTO_NOMEM;
  sotto_key_public(&key, 1);
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    fixture f;
    CHECK_OK(sotto_params_new(&f.params, &err));
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_i_combiner_new(&f.combiner, f.params, SOTTO_I_COMBINE_ATTENTION, layers, width,
                                  SOTTO_ACTIVATION_TANH, &key, NULL);
    (void)sotto_i_memory_fail_at(0);
    drop(&f);
    assert_true(nth < 200);
  }
  assert_int_equal(status, SOTTO_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_and_its_gradient_is_its_formula),
      cmocka_unit_test(a_wrong_combination_is_caught),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
