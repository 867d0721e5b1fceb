/* Activations, linear layers, perceptrons. */
#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "nn/activation.h"
#include "small_graph.h"
#include "sotto/nn.h"

/* Releases apply activations off the tape; both must be the same function. */
static void activations_on_and_off_the_tape_agree(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, 1, 200);
  for (size_t j = 0; j < 200; j++) x.data[j] *= 10;
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (int i = 0; i < 5; i++) {
    float row[200];
    memcpy(row, x.data, sizeof row);
    sotto_i_activate_row(row, 200, (sotto_activation)i);
    sotto_tape_reset(tape);
    sotto_var y = sotto_activate(tape, sotto_tape_constant(tape, &x), (sotto_activation)i);
    CHECK_OK(sotto_tape_check(tape, &err));
    for (size_t j = 0; j < 200; j++)
      CHECK_NEAR((double)row[j], (double)sotto_tape_value(tape, y).data[j], 1e-6);
  }
  sotto_tape_free(tape);
  sotto_matrix_free(&x);
}

typedef struct fixture {
  sotto_params *params;
  sotto_tape *tape;
  sotto_key key;
  sotto_matrix x;
  sotto_mlp mlp;
} fixture;

static void set_up(fixture *f, const sotto_mlp_options *options, size_t rows) {
  sotto_i_random random = check_random();
  sotto_key_public(&f->key, 4);
  CHECK_OK(sotto_params_new(&f->params, &err));
  CHECK_OK(sotto_tape_new(&f->tape, &err));
  f->x = check_random_matrix(&random, rows, options->widths[0]);
  CHECK_OK(sotto_mlp_new(&f->mlp, f->params, "net", options, 3, &f->key, &err));
}

static void tear_down(fixture *f) {
  sotto_params_free(f->params);
  sotto_tape_free(f->tape);
  sotto_matrix_free(&f->x);
}

static sotto_matrix apply(fixture *f, bool training, uint64_t step) {
  const sotto_pass pass = {.tape = f->tape, .key = &f->key, .step = step, .training = training};
  sotto_tape_reset(f->tape);
  sotto_var y = sotto_mlp_apply(&f->mlp, f->params, &pass, sotto_tape_input(f->tape, &f->x));
  CHECK_OK(sotto_tape_check(f->tape, &err));
  return sotto_tape_value(f->tape, y);
}

static void a_linear_layer_is_x_w_plus_bias(void **state) {
  (void)state;
  sotto_linear layer;
  fixture f;
  const sotto_mlp_options options = {.widths = {3, 2}, .layers = 1};
  set_up(&f, &options, 5);
  CHECK_OK(sotto_linear_new(&layer, f.params, "out", 3, 2, &f.key, &err));
  assert_string_equal(sotto_params_name(f.params, layer.weight), "out.weight");
  assert_string_equal(sotto_params_name(f.params, layer.bias), "out.bias");
  const float *w = sotto_params_value(f.params, layer.weight)->data;
  float *bias = sotto_params_value(f.params, layer.bias)->data;
  assert_true(bias[0] == 0 && bias[1] == 0);
  bias[1] = 0.5F;
  sotto_var y = sotto_linear_apply(&layer, f.params, f.tape, sotto_tape_constant(f.tape, &f.x));
  CHECK_OK(sotto_tape_check(f.tape, &err));
  for (size_t i = 0; i < 10; i++) {
    double sum = i % 2 == 1 ? 0.5 : 0;
    for (size_t k = 0; k < 3; k++) sum += (double)f.x.data[i / 2 * 3 + k] * (double)w[k * 2 + i % 2];
    CHECK_NEAR((double)sotto_tape_value(f.tape, y).data[i], sum, 1e-5);
  }
  tear_down(&f);
}

static void names_that_are_too_long_or_stand_already_are_refused(void **state) {
  (void)state;
  fixture f;
  sotto_linear layer;
  const sotto_mlp_options options = {.widths = {3, 2}, .layers = 1};
  char name[200];
  memset(name, 'n', sizeof name);
  name[199] = '\0';
  set_up(&f, &options, 1);
  CHECK_FAILS(SOTTO_INVALID, "too long", sotto_linear_new(&layer, f.params, name, 3, 2, &f.key, &err));
  CHECK_FAILS(SOTTO_INVALID, "net.1.weight",
              sotto_mlp_new(&f.mlp, f.params, "net", &options, 0, &f.key, &err));
  tear_down(&f);
}

static void a_perceptron_has_the_layers_that_were_asked_for(void **state) {
  (void)state;
  fixture f;
  const sotto_mlp_options options = {
      .widths = {7, 5, 4, 3}, .layers = 3, .activation = SOTTO_ACTIVATION_RELU, .batch_norm = true};
  static const char *const wanted[] = {
      "net.1.weight",       "net.1.bias",         "net.norm1.gamma", "net.norm1.beta",  "net.norm1.mean",
      "net.norm1.variance", "net.2.weight",       "net.2.bias",      "net.norm2.gamma", "net.norm2.beta",
      "net.norm2.mean",     "net.norm2.variance", "net.3.weight",    "net.3.bias"};
  set_up(&f, &options, 6);
  assert_int_equal(sotto_params_count(f.params), 14);
  for (size_t i = 0; i < 14; i++) assert_string_equal(sotto_params_name(f.params, i), wanted[i]);
  for (size_t k = 0; k < 3; k++) {
    assert_int_equal(sotto_params_value(f.params, f.mlp.linear[k].weight)->rows, options.widths[k]);
    assert_int_equal(sotto_params_value(f.params, f.mlp.linear[k].weight)->cols, options.widths[k + 1]);
  }
  sotto_matrix y = apply(&f, true, 0);
  assert_true(y.rows == 6 && y.cols == 3);
  tear_down(&f);
}

static void the_last_layer_is_activated_when_asked(void **state) {
  (void)state;
  for (int last = 0; last < 2; last++) {
    fixture f;
    const sotto_mlp_options options = {
        .widths = {9, 30}, .layers = 1, .activation = SOTTO_ACTIVATION_RELU, .activate_last = last == 1};
    bool negative = false;
    set_up(&f, &options, 20);
    sotto_matrix y = apply(&f, false, 0);
    for (size_t i = 0; i < y.rows * y.cols; i++) negative |= y.data[i] < 0;
    assert_true(negative == (last == 0));
    tear_down(&f);
  }
}

static void dropout_happens_in_training_alone_and_anew_at_each_step(void **state) {
  (void)state;
  fixture f;
  float plain[60], first[60];
  const sotto_mlp_options options = {
      .widths = {9, 8, 3}, .layers = 2, .activation = SOTTO_ACTIVATION_TANH, .dropout = 0.5F};
  set_up(&f, &options, 20);
  memcpy(plain, apply(&f, false, 0).data, sizeof plain);
  assert_memory_equal(plain, apply(&f, false, 1).data, sizeof plain);
  memcpy(first, apply(&f, true, 0).data, sizeof first);
  assert_memory_not_equal(first, plain, sizeof plain);
  assert_memory_equal(first, apply(&f, true, 0).data, sizeof first);
  assert_memory_not_equal(first, apply(&f, true, 1).data, sizeof first);
  tear_down(&f);
}

static void input_dropout_zeroes_inputs_in_training_alone(void **state) {
  (void)state;
  fixture f;
  const sotto_mlp_options options = {.widths = {1, 1}, .layers = 1, .input_dropout = 0.5F};
  set_up(&f, &options, 400);
  size_t zeros = 0;
  sotto_matrix y = apply(&f, true, 0);
  for (size_t i = 0; i < 400; i++) zeros += y.data[i] == 0;
  assert_true(zeros > 130 && zeros < 270);
  y = apply(&f, false, 0);
  for (size_t i = 0; i < 400; i++) assert_true(y.data[i] != 0 || f.x.data[i] == 0);
  tear_down(&f);
}

static void running_statistics_move_in_training_alone(void **state) {
  (void)state;
  fixture f;
  const sotto_mlp_options options = {.widths = {4, 3, 2}, .layers = 2, .batch_norm = true};
  set_up(&f, &options, 10);
  const float *mean = sotto_params_value(f.params, f.mlp.mean[0])->data;
  (void)apply(&f, false, 0);
  assert_true(mean[0] == 0 && mean[1] == 0 && mean[2] == 0);
  (void)apply(&f, true, 0);
  assert_true(mean[0] != 0 && mean[1] != 0 && mean[2] != 0);
  tear_down(&f);
}

static void numbers_of_layers_that_no_perceptron_has_are_refused(void **state) {
  (void)state;
  fixture f;
  sotto_mlp_options options = {.widths = {3, 2}, .layers = 1};
  set_up(&f, &options, 1);
  options.layers = 0;
  CHECK_FAILS(SOTTO_RANGE, "0 layers", sotto_mlp_new(&f.mlp, f.params, "a", &options, 0, &f.key, &err));
  options.layers = SOTTO_MLP_LAYERS + 1;
  CHECK_FAILS(SOTTO_RANGE, "9 layers", sotto_mlp_new(&f.mlp, f.params, "a", &options, 0, &f.key, &err));
  tear_down(&f);
}

static void every_failed_allocation_of_a_perceptron_is_reported(void **state) {
  (void)state;
  const sotto_mlp_options options = {.widths = {4, 3, 2}, .layers = 2, .batch_norm = true};
  sotto_key key;
  sotto_key_public(&key, 1);
  sotto_status status;
  uint64_t nth = 0;
  do {
    sotto_params *params = NULL;
    sotto_mlp mlp;
    CHECK_OK(sotto_params_new(&params, &err));
    (void)sotto_i_memory_fail_at(++nth);
    status = sotto_mlp_new(&mlp, params, "net", &options, 0, &key, NULL);
    (void)sotto_i_memory_fail_at(0);
    sotto_params_free(params);
    assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
  } while (status != SOTTO_OK);
  assert_true(nth > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(activations_on_and_off_the_tape_agree),
      cmocka_unit_test(a_linear_layer_is_x_w_plus_bias),
      cmocka_unit_test(names_that_are_too_long_or_stand_already_are_refused),
      cmocka_unit_test(a_perceptron_has_the_layers_that_were_asked_for),
      cmocka_unit_test(the_last_layer_is_activated_when_asked),
      cmocka_unit_test(dropout_happens_in_training_alone_and_anew_at_each_step),
      cmocka_unit_test(input_dropout_zeroes_inputs_in_training_alone),
      cmocka_unit_test(running_statistics_move_in_training_alone),
      cmocka_unit_test(numbers_of_layers_that_no_perceptron_has_are_refused),
      cmocka_unit_test(every_failed_allocation_of_a_perceptron_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
