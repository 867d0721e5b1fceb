/* The checker of gradients. */
#include "gradient.h"

#include <math.h>

#include "check.h"
#include "inside/tensor.h"
#include "small_graph.h"

enum { elements_tried = 16 };

typedef struct probe {
  const gradient_op *op;
  gradient_error error; /* NULL: the slack holds */
  const sotto_matrix *x;
  sotto_matrix u; /* the gradient that comes from above */
  gradient_matrix wide[GRADIENT_INPUTS], y;
  double slack;
  char *why;
  size_t size;
} probe;

static gradient_matrix widen(const sotto_matrix *x) {
  gradient_matrix wide = {calloc(x->rows * x->cols + 1, sizeof(double)), x->rows, x->cols};
  if (wide.data == NULL) abort();
  for (size_t i = 0; i < x->rows * x->cols; i++) wide.data[i] = (double)x->data[i];
  return wide;
}

static bool value_near(const probe *p, double got, double right) {
  double allowed = p->error == NULL ? p->slack * fmax(1, fabs(right))
                                    : p->error(p->op->context, p->wide, GRADIENT_VALUE, 1, 0);
  return fabs(got - right) <= allowed;
}

/* The differences have errors of their own: five times the slack of a value, or, beside a bound, what is left
 * of 1e-16 n / 1e-5 for sums of n values in double precision. */
static bool slope_near(const probe *p, double got, double right, size_t at, double before) {
  double above = p->u.data[0];
  double allowed = p->error == NULL
                       ? 5 * p->slack * fmax(1, fabs(right))
                       : p->error(p->op->context, p->wide, at, above, before) + 1e-7 * (1 + fabs(above));
  return fabs(got - right) <= allowed;
}

static bool value_holds(probe *p, const sotto_matrix *y) {
  p->op->reference(p->op->context, &p->y, p->wide);
  for (size_t i = 0; i < y->rows * y->cols; i++)
    if (!value_near(p, (double)y->data[i], p->y.data[i])) {
      (void)snprintf(p->why, p->size, "%s: value %zu of %zu x %zu is %.9g, should be %.9g", p->op->name, i,
                     y->rows, y->cols, (double)y->data[i], p->y.data[i]);
      return false;
    }
  return true;
}

/* sum of u f(x), with element `at` of input `which` moved by `by`. */
static double moved(probe *p, size_t which, size_t at, double by) {
  double *element = &p->wide[which].data[at], kept = *element, sum = 0;
  *element += by;
  p->op->reference(p->op->context, &p->y, p->wide);
  for (size_t i = 0; i < p->y.rows * p->y.cols; i++) sum += (double)p->u.data[i] * p->y.data[i];
  *element = kept;
  return sum;
}

static bool slopes_hold(probe *p, size_t which, const sotto_matrix *gradient, const sotto_matrix *before,
                        sotto_i_random *random) {
  const double step = 1e-5;
  size_t count = p->x[which].rows * p->x[which].cols;
  for (size_t k = 0; k < count && k < elements_tried; k++) {
    size_t at = count <= elements_tried ? k : (size_t)sotto_i_random_below(random, count);
    double right = (moved(p, which, at, step) - moved(p, which, at, -step)) / (2 * step);
    double start = before != NULL && before->data != NULL ? (double)before->data[at] : 0;
    right += start;
    if (slope_near(p, (double)gradient->data[at], right, at, start)) continue;
    (void)snprintf(p->why, p->size, "%s: gradient %zu of input %zu (%zu x %zu)%s is %.9g, should be %.9g",
                   p->op->name, at, which, p->x[which].rows, p->x[which].cols,
                   before == NULL ? "" : ", added to what stood,", (double)gradient->data[at], right);
    return false;
  }
  return true;
}

/* One run forwards and backwards; with `before`, inputs are parameters whose gradients start from it. */
static bool run_holds(probe *p, const sotto_matrix *before, sotto_i_random *random) {
  sotto_tape *tape;
  sotto_var v[GRADIENT_INPUTS];
  sotto_matrix sums[GRADIENT_INPUTS] = {{0}};
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (size_t i = 0; i < p->op->inputs; i++) {
    const sotto_matrix *x = &p->x[i];
    if (before != NULL) {
      CHECK_OK(sotto_matrix_new(&sums[i], x->rows, x->cols, &err));
      if (before[i].data != NULL) memcpy(sums[i].data, before[i].data, x->rows * x->cols * sizeof(float));
      v[i] = sotto_tape_parameter(tape, x, &sums[i]);
    } else {
      v[i] = sotto_tape_input(tape, x);
    }
  }
  sotto_var out = p->op->apply(p->op->context, tape, v);
  CHECK_OK(sotto_tape_check(tape, &err));
  sotto_matrix y = sotto_tape_value(tape, out);
  if (p->u.data == NULL) {
    p->u = check_random_matrix(random, y.rows, y.cols);
    p->y = widen(&p->u);
  }
  bool right = value_holds(p, &y);
  CHECK_OK(sotto_tape_backward_from(tape, out, &p->u, &err));
  for (size_t i = 0; right && i < p->op->inputs; i++) {
    sotto_matrix gradient = sotto_tape_gradient(tape, v[i]);
    right = slopes_hold(p, i, &gradient, before == NULL ? NULL : &before[i], random);
  }
  sotto_tape_free(tape);
  for (size_t i = 0; i < p->op->inputs; i++) sotto_matrix_free(&sums[i]);
  return right;
}

bool gradient_holds_within(const gradient_op *op, gradient_error error, const sotto_matrix *x,
                           sotto_i_random *random, char *why, size_t size) {
  probe p = {
      .op = op, .error = error, .x = x, .why = why, .size = size, .slack = op->slack > 0 ? op->slack : 2e-5};
  sotto_matrix before[GRADIENT_INPUTS] = {{0}};
  for (size_t i = 0; i < op->inputs; i++) {
    p.wide[i] = widen(&x[i]);
    before[i] = check_random_matrix(random, x[i].rows, x[i].cols);
  }
  bool right = run_holds(&p, NULL, random) && run_holds(&p, before, random);
  for (size_t i = 0; i < op->inputs; i++) {
    free(p.wide[i].data);
    sotto_matrix_free(&before[i]);
  }
  free(p.y.data);
  sotto_matrix_free(&p.u);
  return right;
}

bool gradient_holds(const gradient_op *op, const sotto_matrix *x, sotto_i_random *random, char *why,
                    size_t size) {
  return gradient_holds_within(op, NULL, x, random, why, size);
}

void check_gradient_within(const gradient_op *op, gradient_error error, const size_t shapes[][2],
                           sotto_i_random *random) {
  sotto_matrix x[GRADIENT_INPUTS];
  char why[300];
  for (size_t i = 0; i < op->inputs; i++) {
    x[i] = check_random_matrix(random, shapes[i][0], shapes[i][1]);
    for (size_t k = 0; k < x[i].rows * x[i].cols; k++)
      if (fabsf(x[i].data[k]) < 1e-3F) x[i].data[k] = 1e-3F;
  }
  bool right = gradient_holds_within(op, error, x, random, why, sizeof why);
  for (size_t i = 0; i < op->inputs; i++) sotto_matrix_free(&x[i]);
  if (!right) fail_msg("%s", why);
}

void check_gradient(const gradient_op *op, const size_t shapes[][2], sotto_i_random *random) {
  check_gradient_within(op, NULL, shapes, random);
}
