/* Losses of the generator of missing neighbours against their definitions, with gradients by differences. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "methods/feddep/generator_loss.h"

enum { nodes = 5, most = 3, width = 2, pool = 6 };
static float pool_values[pool * width];
static const sotto_matrix candidates = {pool_values, pool, width};
static const uint32_t rows[] = {0, 2, 4}, made[nodes] = {2, 0, 3, 1, 0};
static const uint32_t list[] = {0, 3, 5, 1, 2, 4};
static const uint32_t group_of[nodes] = {2, 9, 0, 9, 1};
static const size_t own_begin[] = {0, 2, 2, 6}, shared_begin[] = {0, 3, 3, 6};

/* How rows come to groups: each has its own, all ask all, each asks one of the shared ones. */
enum { own, shared, chosen, ways };

static sotto_i_nearest_row near_of(int way, uint32_t *nearest) {
  return (sotto_i_nearest_row){.rows = rows,
                               .made = made,
                               .count = 3,
                               .most = most,
                               .width = width,
                               .groups = 3,
                               .shared = way == shared,
                               .group_of = way == chosen ? group_of : NULL,
                               .begin = way == own ? own_begin : shared_begin,
                               .list = list,
                               .candidates = &candidates,
                               .nearest = nearest};
}

static sotto_var apply_near(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_nearest_row_var(context, tape, x[0]);
}

static double slow_group(const gradient_matrix *x, uint32_t v, size_t p, size_t begin, size_t end) {
  double best = begin == end ? 0 : INFINITY;
  for (size_t k = begin; k < end; k++) {
    double here = 0;
    for (size_t j = 0; j < width; j++)
      here += pow(x->data[v * x->cols + p * width + j] - pool_values[list[k] * width + j], 2);
    best = fmin(best, here);
  }
  return best;
}

static void slow_near(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_nearest_row *c = context;
  y->data[0] = 0;
  for (size_t i = 0; i < 3; i++)
    for (size_t p = 0; p < made[rows[i]]; p++) {
      double sum = 0;
      size_t one = c->group_of != NULL ? group_of[rows[i]] : 0;
      if (c->group_of != NULL)
        sum = slow_group(x, rows[i], p, shared_begin[one], shared_begin[one + 1]);
      else if (!c->shared)
        sum = slow_group(x, rows[i], p, own_begin[i], own_begin[i + 1]);
      for (size_t g = 0; c->shared && g < 3; g++)
        sum += slow_group(x, rows[i], p, shared_begin[g], shared_begin[g + 1]);
      y->data[0] += sum / made[rows[i]] / 3;
    }
}

static void distances_to_the_nearest_are_those_of_the_definition(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][2] = {{nodes, most * width}};
  uint32_t nearest[3 * most * 3];
  for (int i = 0; i < 20; i++) {
    const sotto_i_nearest_row near = near_of(i % ways, nearest);
    for (size_t j = 0; j < pool * width; j++) pool_values[j] = (float)sotto_i_random_normal(&random);
    const gradient_op op = {"nearest", 1, apply_near, slow_near, &near, 1e-4};
    check_gradient(&op, shapes, &random);
  }
}

static const float wanted[nodes] = {0, 2, 0.4F, 7, 1};

static sotto_var apply_smooth(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_smooth_l1_var(context, tape, x[0]);
}

static void slow_smooth(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  y->data[0] = 0;
  for (int i = 0; i < 3; i++) {
    double gap = fabs(x->data[rows[i]] - wanted[rows[i]]);
    y->data[0] += (gap < 1 ? gap * gap / 2 : gap - 0.5) / 3;
  }
}

static sotto_var apply_mean(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_made_mean_var(context, tape, x[0]);
}

static void slow_mean(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  for (size_t v = 0; v < nodes; v++)
    for (size_t j = 0; j < width; j++) {
      y->data[v * width + j] = 0;
      for (size_t p = 0; p < made[v]; p++)
        y->data[v * width + j] += x->data[v * x->cols + p * width + j] / made[v];
    }
}

static void counts_and_means_are_those_of_the_definition(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t one[][2] = {{nodes, 1}}, all[][2] = {{nodes, most * width}};
  const sotto_i_smooth_l1 smooth = {wanted, rows, 3};
  const sotto_i_made_mean mean = {made, most, width};
  const gradient_op count = {"smooth l1", 1, apply_smooth, slow_smooth, &smooth, 1e-4};
  const gradient_op means = {"mean of what is made", 1, apply_mean, slow_mean, &mean, 0};
  for (int i = 0; i < 10; i++) {
    check_gradient(&count, one, &random);
    check_gradient(&means, all, &random);
  }
}

static void nothing_to_judge_costs_nothing(void **state) {
  (void)state;
  float values[nodes * most * width] = {1};
  const sotto_matrix x = {values, nodes, most * width}, count = {values, nodes, 1};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_i_nearest_row near = near_of(shared, NULL);
  const sotto_i_smooth_l1 smooth = {wanted, rows, 0};
  near.count = 0;
  sotto_var a = sotto_i_nearest_row_var(&near, tape, sotto_tape_constant(tape, &x));
  sotto_var b = sotto_i_smooth_l1_var(&smooth, tape, sotto_tape_constant(tape, &count));
  CHECK_OK(sotto_tape_check(tape, &err));
  assert_true(sotto_tape_value(tape, a).data[0] == 0 && sotto_tape_value(tape, b).data[0] == 0);
  sotto_tape_free(tape);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_to_the_nearest_are_those_of_the_definition),
      cmocka_unit_test(counts_and_means_are_those_of_the_definition),
      cmocka_unit_test(nothing_to_judge_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
