/* DP-SGD: clipped sums against a slow loop over examples on the tape, noise, refusals. */
#include <math.h>

#include "check.h"
#include "dp/noise/noise.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/dpsgd.h"
#include "small_graph.h"

enum { examples = 40, features = 7, classes = 4 };

typedef struct fixture {
  sotto_params *params;
  sotto_mlp mlp;
  sotto_matrix x;
  int32_t labels[examples];
  uint32_t rows[examples];
} fixture;

static fixture make(sotto_i_random *random, size_t layers, sotto_activation activation) {
  fixture f = {0};
  sotto_mlp_options options = {.widths = {features}, .layers = layers, .activation = activation};
  for (size_t l = 1; l < layers; l++) options.widths[l] = 5 + l;
  options.widths[layers] = classes;
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_u64(random));
  CHECK_OK(sotto_params_new(&f.params, &err));
  CHECK_OK(sotto_mlp_new(&f.mlp, f.params, "net", &options, 0, &key, &err));
  f.x = check_random_matrix(random, examples, features);
  for (uint32_t i = 0; i < examples; i++) {
    f.labels[i] = (int32_t)sotto_i_random_below(random, classes);
    f.rows[i] = examples - 1 - i;
  }
  return f;
}

static void drop(fixture *f) {
  sotto_params_free(f->params);
  sotto_matrix_free(&f->x);
}

/* The gradient of one example, by the tape, cut to norm `clip`, added to sum. */
static void slow_example(double *sum, const fixture *f, uint32_t row, double clip) {
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_params_zero_gradients(f->params);
  const sotto_pass pass = {.tape = tape};
  sotto_var y = sotto_mlp_apply(&f->mlp, f->params, &pass, sotto_tape_constant(tape, &f->x));
  CHECK_OK(sotto_tape_backward(tape, sotto_tape_cross_entropy(tape, y, f->labels, &row, 1), &err));
  double square = 0;
  for (size_t p = 0; p < sotto_params_count(f->params); p++) {
    const sotto_matrix *g = sotto_params_gradient(f->params, p);
    for (size_t j = 0; j < g->rows * g->cols; j++) square += (double)g->data[j] * g->data[j];
  }
  double factor = fmin(1, clip / sqrt(square));
  for (size_t p = 0, at = 0; p < sotto_params_count(f->params); p++) {
    const sotto_matrix *g = sotto_params_gradient(f->params, p);
    for (size_t j = 0; j < g->rows * g->cols; j++) sum[at++] += factor * g->data[j];
  }
  sotto_tape_free(tape);
}

static void clipped_sums_equal_the_loop_over_examples(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int kind = SOTTO_ACTIVATION_NONE; kind <= SOTTO_ACTIVATION_SIGMOID; kind++)
    for (size_t layers = 1; layers <= 3; layers++) {
      fixture f = make(&random, layers, (sotto_activation)kind);
      double slow[400] = {0}, clip = 1.0; /* cuts some of them */
      for (uint32_t i = 0; i < examples; i++) slow_example(slow, &f, i, clip);
      uint32_t batch[examples];
      for (uint32_t i = 0; i < examples; i++) batch[i] = i;
      sotto_i_clipped c = {.mlp = &f.mlp,
                           .params = f.params,
                           .x = &f.x,
                           .labels = f.labels,
                           .rows = f.rows,
                           .batch = batch,
                           .count = examples,
                           .clip = clip};
      CHECK_OK(sotto_i_clipped_new(&c, &err));
      sotto_i_clipped_sum(&c);
      for (size_t l = 0, at = 0; l < layers; l++) {
        size_t values = (f.mlp.options.widths[l] + 1) * f.mlp.options.widths[l + 1];
        for (size_t j = 0; j < values; j++) CHECK_NEAR(c.sum[l][j], slow[at++], 1e-5);
      }
      sotto_i_clipped_free(&c);
      drop(&f);
    }
}

static sotto_i_clipped begun_of(const fixture *f, const uint32_t *batch, size_t count) {
  sotto_i_clipped c = {.mlp = &f->mlp,
                       .params = f->params,
                       .x = &f->x,
                       .labels = f->labels,
                       .rows = f->rows,
                       .batch = batch,
                       .count = count,
                       .clip = 1};
  CHECK_OK(sotto_i_clipped_new(&c, &err));
  return c;
}

static sotto_i_clipped clipped_of(const fixture *f, const uint32_t *batch, size_t count) {
  sotto_i_clipped c = begun_of(f, batch, count);
  sotto_i_clipped_sum(&c);
  return c;
}

/* A fixture of 300 features, so that rows go through several blocks; every third row has 9 that are not 0. */
static fixture make_wide(sotto_i_random *random) {
  fixture f = make(random, 1, SOTTO_ACTIVATION_SELU);
  const sotto_mlp_options options = {
      .widths = {300, 37, classes}, .layers = 2, .activation = SOTTO_ACTIVATION_SELU};
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_u64(random));
  drop(&f);
  CHECK_OK(sotto_params_new(&f.params, &err));
  CHECK_OK(sotto_mlp_new(&f.mlp, f.params, "net", &options, 0, &key, &err));
  f.x = check_random_matrix(random, examples, 300);
  for (size_t i = 0; i < examples; i += 3)
    for (size_t k = 0; k < 300; k++)
      if (k % 33 != 5) f.x.data[i * 300 + k] = 0;
  return f;
}

static void wide_and_sparse_sums_equal_the_loop_over_examples(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make_wide(&random);
  static double slow[301 * 37 + 38 * classes];
  uint32_t batch[examples];
  for (uint32_t i = 0; i < examples; i++) {
    batch[i] = i;
    slow_example(slow, &f, i, 1);
  }
  sotto_i_clipped c = clipped_of(&f, batch, examples);
  for (size_t j = 0; j < 301 * 37; j++) CHECK_NEAR(c.sum[0][j], slow[j], 1e-5);
  for (size_t j = 0; j < 38 * classes; j++) CHECK_NEAR(c.sum[1][j], slow[301 * 37 + j], 1e-5);
  sotto_i_clipped_free(&c);
  drop(&f);
}

/* In whole steps: parameters one after the other, each example by itself no longer than it may be. */
static void sums_in_whole_steps_equal_the_loop_over_examples(void **state) {
  enum { size = 301 * 37 + 38 * classes, bits = 20 };
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make_wide(&random);
  static double slow[size];
  static int64_t whole[size];
  memset(slow, 0, sizeof slow);
  memset(whole, 0, sizeof whole);
  for (uint32_t i = 0; i < examples; i++) {
    static int64_t one[size];
    uint64_t square = 0;
    slow_example(slow, &f, i, 1);
    memset(one, 0, sizeof one);
    sotto_i_clipped c = begun_of(&f, &i, 1);
    CHECK_OK(sotto_i_clipped_steps(one, &c, ldexp(1, -bits), 1 << bits, &err));
    sotto_i_clipped_free(&c);
    for (size_t j = 0; j < size; j++) square += (uint64_t)(one[j] * one[j]);
    assert_true(square <= (uint64_t)1 << (2 * bits));
  }
  uint32_t batch[examples];
  for (uint32_t i = 0; i < examples; i++) batch[i] = i;
  sotto_i_clipped c = begun_of(&f, batch, examples);
  CHECK_OK(sotto_i_clipped_steps(whole, &c, ldexp(1, -bits), 1 << bits, &err));
  for (size_t j = 0; j < size; j++) CHECK_NEAR(ldexp((double)whole[j], -bits), slow[j], 1e-4);
  sotto_i_clipped_free(&c);
  drop(&f);
}

/* What the sensitivity rests on: the same bits. */
static void an_example_is_the_same_whoever_else_is_in_the_batch(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make_wide(&random);
  uint32_t batch[examples];
  for (uint32_t i = 0; i < examples; i++) batch[i] = i;
  sotto_i_clipped all = clipped_of(&f, batch, examples);
  for (uint32_t i = 0; i < examples; i++) {
    uint32_t some[2] = {i, (i + 7) % examples};
    for (size_t count = 1; count <= 2; count++) {
      sotto_i_clipped c = clipped_of(&f, some, count);
      for (size_t l = 0; l < 2; l++) {
        size_t padded = sotto_i_tile_pad(f.mlp.options.widths[l + 1]);
        assert_memory_equal(c.delta[l], all.delta[l] + i * padded,
                            f.mlp.options.widths[l + 1] * sizeof(double));
        assert_memory_equal(c.inputs[l + 1], all.inputs[l + 1] + i * padded,
                            f.mlp.options.widths[l + 1] * sizeof(float));
      }
      sotto_i_clipped_free(&c);
    }
  }
  sotto_i_clipped_free(&all);
  drop(&f);
}

/* The other thing that it rests on: no gradient is longer than it may be, not even by rounding. */
static void no_clipped_gradient_is_longer_than_the_clip(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make_wide(&random);
  uint32_t batch[examples];
  size_t cut = 0;
  for (uint32_t i = 0; i < examples; i++) batch[i] = i;
  for (int power = -60; power <= 60; power += 10) {
    for (size_t j = 0; j < (size_t)examples * 300; j++) f.x.data[j] *= power == -60 ? 0x1p-60F : 0x1p10F;
    sotto_i_clipped c = clipped_of(&f, batch, examples);
    for (size_t i = 0; i < examples; i++) {
      long double square = 0;
      for (size_t l = 0; l < 2; l++) {
        const double *delta = c.delta[l] + i * sotto_i_tile_pad(f.mlp.options.widths[l + 1]);
        const float *input = sotto_i_clipped_input(&c, l, i);
        for (size_t j = 0; j < f.mlp.options.widths[l + 1]; j++) {
          square += (long double)delta[j] * delta[j];
          for (size_t k = 0; k < f.mlp.options.widths[l]; k++) {
            const long double value = (long double)input[k] * delta[j];
            square += value * value;
          }
        }
      }
      assert_true(square <= 1);
      cut += square > 1 - 1e-9L;
    }
    sotto_i_clipped_free(&c);
  }
  assert_true(cut > 5 * examples); /* the bound is met, not only kept */
  drop(&f);
}

/* One clipped gradient at a time, by its own norm over all layers. */
static void norms_equal_those_of_the_loop(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make_wide(&random);
  for (uint32_t i = 0; i < examples; i++) {
    static double slow[301 * 37 + 38 * classes];
    double wanted = 0, found = 0;
    memset(slow, 0, sizeof slow);
    slow_example(slow, &f, f.rows[i], 1e9);
    for (size_t j = 0; j < sizeof slow / sizeof *slow; j++) wanted += slow[j] * slow[j];
    sotto_i_clipped c = {.mlp = &f.mlp, .params = f.params, .x = &f.x, .labels = f.labels, .rows = f.rows};
    c.batch = &i;
    c.count = 1;
    c.clip = 1e9;
    CHECK_OK(sotto_i_clipped_new(&c, &err));
    sotto_i_clipped_sum(&c);
    for (size_t j = 0; j < 301 * 37; j++) found += c.sum[0][j] * c.sum[0][j];
    for (size_t j = 0; j < 38 * classes; j++) found += c.sum[1][j] * c.sum[1][j];
    CHECK_NEAR(sqrt(found), sqrt(wanted), 1e-5);
    sotto_i_clipped_free(&c);
  }
  drop(&f);
}

static sotto_status take_gradient(const fixture *f, const sotto_dpsgd *options, const sotto_key *key,
                                  uint32_t step, sotto_error *error) {
  const sotto_i_dpsgd_examples of = {.x = &f->x, .labels = f->labels, .rows = f->rows};
  return sotto_i_dpsgd_gradient(&f->mlp, f->params, &of, options, key, step, error);
}

static const sotto_sampling everybody = {.population = examples, .rate = 1};

static void the_gradient_is_the_noisy_sum_over_the_expected_batch(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random, 2, SOTTO_ACTIVATION_TANH);
  double slow[400] = {0};
  for (uint32_t i = 0; i < examples; i++) slow_example(slow, &f, i, 0.5);
  sotto_dpsgd options = {.clip = 0.5, .sampling = everybody};
  CHECK_OK(sotto_grid_new(&options.grid, 0.4, &err));
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(take_gradient(&f, &options, &key, 9, &err));
  uint64_t row = 0;
  for (size_t p = 0, at = 0; p < sotto_params_count(f.params); p++) {
    const sotto_matrix *g = sotto_params_gradient(f.params, p);
    for (size_t i = 0; i < g->rows; i++, row++) {
      int32_t noise[16];
      sotto_i_noise_steps(noise, g->cols, options.grid.sigma / options.grid.step, &key, 9, row);
      for (size_t j = 0; j < g->cols; j++) {
        double clean = g->data[i * g->cols + j] * (double)examples - noise[j] * options.grid.step;
        assert_true(fabs(clean - slow[at++]) <= 0.6 * options.grid.step + 1e-5);
      }
    }
  }
  drop(&f);
}

static void a_fine_grid_costs_next_to_nothing_and_keeps_the_noise(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random, 1, SOTTO_ACTIVATION_NONE);
  sotto_dpsgd options = {.clip = 1, .sampling = everybody};
  CHECK_OK(sotto_i_dpsgd_grid(&options.grid, 3, &err));
  assert_true(sotto_dpsgd_mechanism(&options, 100000, 1).sensitivity < 1.0001);
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  double square = 0, count = 0;
  for (uint32_t step = 0; step < 200; step++) {
    CHECK_OK(take_gradient(&f, &options, &key, step, &err));
    const sotto_matrix *g = sotto_params_gradient(f.params, 0), first = *g;
    for (size_t j = 0; j < first.rows * first.cols; j++, count++)
      square += pow(g->data[j] * (double)examples, 2);
  }
  /* The sum itself is at most 40 in norm, spread over 28 weights in each of which the noise is 3. */
  assert_true(sqrt(square / count) > 2.8 && sqrt(square / count) < 9);
  drop(&f);
}

static void descriptions_count_every_step(void **state) {
  (void)state;
  sotto_dpsgd options = {.clip = 2, .sampling = {.population = 1000, .rate = 0.05}};
  CHECK_OK(sotto_grid_new(&options.grid, 2.4, &err));
  sotto_mechanism mechanism = sotto_dpsgd_mechanism(&options, 100, 300);
  CHECK_OK(sotto_mechanism_check(&mechanism, &err));
  assert_true(mechanism.count == 300 && mechanism.rate == 0.05 && mechanism.noise == 2.4);
  CHECK_NEAR(mechanism.sensitivity, 2 + 10 * options.grid.step, 1e-6);
}

static void wrong_requests_change_no_gradient(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random, 2, SOTTO_ACTIVATION_RELU);
  sotto_dpsgd options = {.clip = 0.5, .sampling = everybody};
  CHECK_OK(sotto_grid_new(&options.grid, 0.4, &err));
  sotto_key key;
  sotto_key_public(&key, 1);
  sotto_params_zero_gradients(f.params);
#define TRY_GRADIENT take_gradient(&f, &options, &key, 0, &err)
  CHECK_FAILS(SOTTO_INVALID, "public", TRY_GRADIENT);
  sotto_key_system(&key);
  f.labels[3] = classes;
  CHECK_FAILS(SOTTO_INVALID, "row 3", TRY_GRADIENT);
  f.labels[3] = 0;
  f.mlp.options.batch_norm = true;
  CHECK_FAILS(SOTTO_INVALID, "batch norm", TRY_GRADIENT);
  f.mlp.options.batch_norm = false;
  options.grid.step *= 2;
  CHECK_FAILS(SOTTO_INVALID, "sotto_grid_new", TRY_GRADIENT);
  CHECK_OK(sotto_i_dpsgd_grid(&options.grid, 0.4, &err));
  options.grid.step /= 2;
  CHECK_FAILS(SOTTO_INVALID, "sotto_grid_new", TRY_GRADIENT);
  CHECK_OK(sotto_i_dpsgd_grid(&options.grid, 0.4, &err));
  options.clip = 0;
  CHECK_FAILS(SOTTO_RANGE, "norm 0", TRY_GRADIENT);
  options.clip = 1;
#undef TRY_GRADIENT
  for (size_t p = 0; p < sotto_params_count(f.params); p++)
    assert_true(sotto_params_gradient(f.params, p)->data[0] == 0);
  drop(&f);
}

/* Weights that make exactly the examples overflow that have feature 0: the first layer's row of it, and the
 * second layer. The other rows of the first layer are 0. */
static void poison(fixture *f, float value) {
  sotto_matrix *first = sotto_params_value(f->params, f->mlp.linear[0].weight);
  sotto_matrix *second = sotto_params_value(f->params, f->mlp.linear[1].weight);
  for (size_t j = 0; j < first->rows * first->cols; j++) first->data[j] = j < first->cols ? value : 0;
  for (size_t j = 0; j < second->rows * second->cols; j++) second->data[j] = value;
}

/* Sums, and whole sums, over a batch with the example that overflows and over the batch without it. */
static void compare_without(const fixture *f, uint32_t who) {
  uint32_t with[examples], without[examples];
  size_t count = 0;
  for (uint32_t i = 0; i < examples; i++) {
    with[i] = i;
    if (i != who) without[count++] = i;
  }
  sotto_i_clipped a = clipped_of(f, with, examples), b = clipped_of(f, without, count);
  for (size_t l = 0; l < 2; l++) {
    const size_t values = (f->mlp.options.widths[l] + 1) * f->mlp.options.widths[l + 1];
    for (size_t j = 0; j < values; j++) CHECK_NEAR(a.sum[l][j], b.sum[l][j], 1e-12);
  }
  sotto_i_clipped_free(&a);
  sotto_i_clipped_free(&b);
  int64_t whole[2][400] = {{0}};
  a = begun_of(f, with, examples);
  b = begun_of(f, without, count);
  CHECK_OK(sotto_i_clipped_steps(whole[0], &a, 0x1p-20, 1 << 20, &err));
  CHECK_OK(sotto_i_clipped_steps(whole[1], &b, 0x1p-20, 1 << 20, &err));
  assert_memory_equal(whole[0], whole[1], sizeof whole[0]);
  sotto_i_clipped_free(&a);
  sotto_i_clipped_free(&b);
}

/* By chosen weights, in a row of many features and in one of few; and by a feature itself. */
static void a_gradient_that_is_not_finite_counts_as_zero(void **state) {
  static const float values[] = {1e25F, 3e38F, INFINITY, NAN};
  (void)state;
  sotto_i_random random = check_random();
  for (size_t v = 0; v < sizeof values / sizeof *values; v++)
    for (int few = 0; few < 2; few++)
      for (int by_feature = 0; by_feature < 2; by_feature++) {
        fixture f = make(&random, 2, SOTTO_ACTIVATION_RELU);
        const uint32_t who = (uint32_t)sotto_i_random_below(&random, examples);
        for (size_t i = 0; i < examples; i++) f.x.data[i * features] = 0;
        float *row = f.x.data + (size_t)f.rows[who] * features;
        for (size_t j = 0; few && j < features; j++) row[j] = 0;
        row[0] = by_feature ? values[v] : 1;
        poison(&f, by_feature ? 1e30F : values[v]);
        compare_without(&f, who);
        drop(&f);
      }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  fixture f = make(&random, 2, SOTTO_ACTIVATION_RELU);
  sotto_dpsgd options = {.clip = 0.5, .sampling = {.population = examples, .batch = 5}};
  CHECK_OK(sotto_grid_new(&options.grid, 0.4, &err));
  sotto_key key;
  sotto_key_system(&key);
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    status = take_gradient(&f, &options, &key, 0, NULL);
    assert_true(nth < 50);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clipped_sums_equal_the_loop_over_examples),
      cmocka_unit_test(wide_and_sparse_sums_equal_the_loop_over_examples),
      cmocka_unit_test(sums_in_whole_steps_equal_the_loop_over_examples),
      cmocka_unit_test(an_example_is_the_same_whoever_else_is_in_the_batch),
      cmocka_unit_test(no_clipped_gradient_is_longer_than_the_clip),
      cmocka_unit_test(norms_equal_those_of_the_loop),
      cmocka_unit_test(the_gradient_is_the_noisy_sum_over_the_expected_batch),
      cmocka_unit_test(a_fine_grid_costs_next_to_nothing_and_keeps_the_noise),
      cmocka_unit_test(descriptions_count_every_step),
      cmocka_unit_test(wrong_requests_change_no_gradient),
      cmocka_unit_test(a_gradient_that_is_not_finite_counts_as_zero),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
