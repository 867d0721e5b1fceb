/* Adam and SGD against PyTorch, and what they refuse. Golden numbers: torch.optim of PyTorch 1.13 in float64,
 * from the values and gradients below, one row after each step. */
#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "sotto/nn.h"

enum { steps = 4, count = 6 };
static const float start[count] = {0.5F, -1.25F, 2, 0, -0.375F, 1.5F};
static const float gradients[steps][count] = {{0.1F, -0.2F, 0.3F, -0.4F, 0.5F, -0.6F},
                                              {0.05F, 0.25F, -1.5F, 0, 2, -0.01F},
                                              {-0.7F, 0.6F, 0.5F, -0.4F, 0.3F, -0.2F},
                                              {1e-4F, -1e-3F, 10, 3, -5, 0}};

/* Adam(lr=0.01, weight_decay=0.1) */
static const double adam_decay[steps][count] = {
    {0.490000000667, -1.24000000031, 1.9900000002, 0.00999999975, -0.384999999784, 1.50999999978},
    {0.480308033213, -1.23644396597, 1.99454379275, 0.0166819484243, -0.393779972232, 1.5141677885},
    {0.484477406572, -1.23997870602, 1.9948161062, 0.0248499801555, -0.401330537599, 1.51802779067},
    {0.487467599802, -1.24160635338, 1.98910513506, 0.0203736631499, -0.398250776179, 1.51926411902}};
/* Adam() */
static const double adam_plain[steps][count] = {
    {0.4990000001, -1.24900000005, 1.99900000003, 0.000999999975, -0.37599999998, 1.50099999998},
    {0.498067820579, -1.2491627323, 1.99959835421, 0.00167005820544, -0.376884376465, 1.50168237185},
    {0.498585103001, -1.24978560415, 1.99983940956, 0.00248806114434, -0.377652909025, 1.5023849031},
    {0.499008747258, -1.25029496724, 1.99929699418, 0.00204101630551, -0.377358311656, 1.50296037395}};
/* SGD(lr=0.1, momentum=0.9, weight_decay=0.01) */
static const double sgd_momentum[steps][count] = {
    {0.4895, -1.22875, 1.968, 0.04, -0.424625, 1.5585},
    {0.4745605, -1.23339625, 2.087232, 0.07596, -0.668862875, 1.6105915},
    {0.5306403895, -1.29634447875, 2.142453568, 0.14824804, -0.918008099625, 1.6758632585},
    {0.580571649661, -1.35160154015, 1.19001052563, -0.08684097204, -0.641320793688, 1.73293197789}};
/* SGD(lr=0.1) */
static const double sgd_plain[steps][count] = {{0.49, -1.23, 1.97, 0.04, -0.425, 1.56},
                                               {0.485, -1.255, 2.12, 0.04, -0.625, 1.561},
                                               {0.555, -1.315, 2.07, 0.08, -0.655, 1.581},
                                               {0.55499, -1.3149, 1.07, -0.22, -0.155, 1.581}};

/* One trained parameter of 2 x 3, and a buffer that nothing may move. */
static sotto_params *new_params(void) {
  sotto_params *params;
  sotto_key key;
  size_t number;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_params_add(params, &number, "x", 2, 3, SOTTO_INIT_ZERO, true, &key, &err));
  CHECK_OK(sotto_params_add(params, &number, "buffer", 1, 2, SOTTO_INIT_ONE, false, &key, &err));
  memcpy(sotto_params_value(params, 0)->data, start, sizeof start);
  return params;
}

static void check_path_of(const sotto_adam *adam, const sotto_sgd *sgd, const double right[steps][count]) {
  sotto_params *params = new_params();
  for (int k = 0; k < steps; k++) {
    float *gradient = sotto_params_gradient(params, 0)->data;
    memcpy(gradient, gradients[k], sizeof gradients[k]);
    if (adam != NULL)
      CHECK_OK(sotto_adam_step(params, adam, &err));
    else
      CHECK_OK(sotto_sgd_step(params, sgd, &err));
    for (int i = 0; i < count; i++)
      CHECK_NEAR((double)sotto_params_value(params, 0)->data[i], right[k][i], 3e-7);
    assert_memory_equal(gradient, gradients[k], sizeof gradients[k]); /* left as they are */
    assert_true(sotto_params_value(params, 1)->data[0] == 1);
  }
  sotto_params_free(params);
}

static void adam_takes_the_steps_of_pytorch(void **state) {
  (void)state;
  sotto_adam adam = sotto_adam_defaults();
  check_path_of(&adam, NULL, adam_plain);
}

static void adam_with_weight_decay_takes_the_steps_of_pytorch(void **state) {
  (void)state;
  sotto_adam adam = sotto_adam_defaults();
  adam.learning_rate = 0.01F;
  adam.weight_decay = 0.1F;
  check_path_of(&adam, NULL, adam_decay);
}

static void sgd_takes_the_steps_of_pytorch(void **state) {
  (void)state;
  check_path_of(NULL, &(sotto_sgd){.learning_rate = 0.1F}, sgd_plain);
}

static void sgd_with_momentum_and_decay_takes_the_steps_of_pytorch(void **state) {
  (void)state;
  check_path_of(NULL, &(sotto_sgd){.learning_rate = 0.1F, .momentum = 0.9F, .weight_decay = 0.01F},
                sgd_momentum);
}

static void the_defaults_of_adam_are_those_of_pytorch(void **state) {
  (void)state;
  sotto_adam adam = sotto_adam_defaults();
  assert_true(adam.learning_rate == 1e-3F && adam.beta1 == 0.9F && adam.beta2 == 0.999F);
  assert_true(adam.epsilon == 1e-8F && adam.weight_decay == 0);
}

/* A refused step between the others leaves no trace: neither in values nor in moments nor in the count. */
static void a_gradient_that_is_not_finite_is_refused_and_changes_nothing(void **state) {
  (void)state;
  static const float bad[] = {NAN, INFINITY, -INFINITY};
  sotto_params *params = new_params();
  sotto_adam adam = sotto_adam_defaults();
  for (int k = 0; k < steps; k++) {
    float *gradient = sotto_params_gradient(params, 0)->data, before[count];
    memcpy(before, sotto_params_value(params, 0)->data, sizeof before);
    for (int i = 0; i < 3 * count; i++) {
      memcpy(gradient, gradients[3], sizeof gradients[3]);
      gradient[i / 3] = bad[i % 3];
      CHECK_FAILS(SOTTO_NUMERIC, "'x'", sotto_adam_step(params, &adam, &err));
      CHECK_FAILS(SOTTO_NUMERIC, "'x'", sotto_sgd_step(params, &(sotto_sgd){.learning_rate = 1}, &err));
    }
    assert_memory_equal(before, sotto_params_value(params, 0)->data, sizeof before);
    memcpy(gradient, gradients[k], sizeof gradients[k]);
    CHECK_OK(sotto_adam_step(params, &adam, &err));
    for (int i = 0; i < count; i++)
      CHECK_NEAR((double)sotto_params_value(params, 0)->data[i], adam_plain[k][i], 3e-7);
  }
  sotto_params_free(params);
}

static void a_clone_starts_the_moments_anew(void **state) {
  (void)state;
  sotto_params *params = new_params(), *clone;
  sotto_adam adam = sotto_adam_defaults();
  memcpy(sotto_params_gradient(params, 0)->data, gradients[2], sizeof gradients[2]);
  CHECK_OK(sotto_adam_step(params, &adam, &err));
  memcpy(sotto_params_value(params, 0)->data, start, sizeof start);
  CHECK_OK(sotto_params_clone(&clone, params, &err));
  memcpy(sotto_params_gradient(clone, 0)->data, gradients[0], sizeof gradients[0]);
  CHECK_OK(sotto_adam_step(clone, &adam, &err));
  for (int i = 0; i < count; i++)
    CHECK_NEAR((double)sotto_params_value(clone, 0)->data[i], adam_plain[0][i], 3e-7);
  sotto_params_free(params);
  sotto_params_free(clone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adam_takes_the_steps_of_pytorch),
      cmocka_unit_test(adam_with_weight_decay_takes_the_steps_of_pytorch),
      cmocka_unit_test(sgd_takes_the_steps_of_pytorch),
      cmocka_unit_test(sgd_with_momentum_and_decay_takes_the_steps_of_pytorch),
      cmocka_unit_test(the_defaults_of_adam_are_those_of_pytorch),
      cmocka_unit_test(a_gradient_that_is_not_finite_is_refused_and_changes_nothing),
      cmocka_unit_test(a_clone_starts_the_moments_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
