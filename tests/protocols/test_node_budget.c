/* The Gaussian that stands beside a training by DP-SGD lies above it at every delta; what a budget's shares
 * get. */
#include <math.h>

#include "check.h"
#include "protocols/node_budget.h"

/* delta at epsilon with mpmath 1.3, mp.dps = 700. One step: rate delta_mu(log(1 + (e^epsilon - 1) / rate))
 * exactly for batches without replacement, which show more than Poisson's, delta_mu that of N(0, 1) and
 * N(mu, 1) (Balle, Barthe and Gaboardi 2018, theorem 9). More steps: a lower bound for both, by the event
 * that every batch holds the record: rate^steps delta_mu(epsilon - steps log rate), mu that of all steps.
 * `noise` is over how far a record's two vectors may be apart, twice the clip. */
static const struct {
  uint64_t batch, population;
  double noise;
  uint64_t steps;
  double epsilon, delta;
} golden[] = {
    {1, 10, 1, 1, 0.322175, 0.00499998908685},     {1, 10, 1, 1, 0.649885, 0.000999998938168},
    {1, 10, 1, 1, 4.60825, 9.99986446369e-13},     {1, 10, 1, 1, 5.56959, 9.99985634951e-16},
    {1, 10, 1, 1, 9.23781, 9.99967422741e-31},     {1, 10, 1, 1, 19.2161, 1.00068280939e-100},
    {1, 10, 1, 1, 28.2126, 1.00043493034e-200},    {1, 10, 1, 1, 35.084, 9.99337711977e-301},
    {1, 100, 0.5, 1, 0.672296, 0.000499999861586}, {1, 100, 0.5, 1, 0.365025, 0.00100000043893},
    {1, 100, 0.5, 1, 9.66898, 1.0000065455e-12},   {1, 100, 0.5, 1, 11.6735, 1.00006172478e-15},
    {1, 100, 0.5, 1, 19.1722, 9.99731803283e-31},  {1, 100, 0.5, 1, 39.2753, 1.00004293867e-100},
    {1, 100, 0.5, 1, 57.316, 1.00021550581e-200},  {1, 100, 0.5, 1, 71.0794, 9.99332221043e-301},
    {9, 10, 2, 1, 0.473222, 0.0450000130097},      {9, 10, 2, 1, 1.25825, 0.000999992071982},
    {9, 10, 2, 1, 3.33962, 1.00006443817e-12},     {9, 10, 2, 1, 3.8075, 9.99951425959e-16},
    {9, 10, 2, 1, 5.60866, 1.00005881394e-30},     {9, 10, 2, 1, 10.5651, 1.00004257139e-100},
    {9, 10, 2, 1, 15.0525, 9.9926654676e-201},     {9, 10, 2, 1, 18.4834, 1.00365499151e-300},
    {1, 4, 20, 1, 0.0131852, 0.000999999598889},   {1, 4, 20, 1, 0.0858578, 9.99995186479e-13},
    {1, 4, 20, 1, 0.101755, 1.0001554403e-15},     {1, 4, 20, 1, 0.166229, 9.99912450714e-31},
    {1, 4, 20, 1, 0.380164, 1.00035364274e-100},   {1, 4, 20, 1, 0.625327, 9.99615597987e-201},
    {1, 4, 20, 1, 0.845242, 1.00034472367e-300},   {9, 10, 3, 20, 0.797107, 0.00607883321055},
    {9, 10, 3, 20, 1.99222, 0.000999998053679},    {9, 10, 3, 20, 8.66574, 1.00001400962e-12},
    {9, 10, 3, 20, 10.0939, 9.99931659603e-16},    {9, 10, 3, 20, 15.5355, 1.00030277234e-30},
    {9, 10, 3, 20, 30.3772, 9.99605294837e-101},   {9, 10, 3, 20, 43.7766, 1.00005033363e-200},
    {9, 10, 3, 20, 54.0146, 1.00053940197e-300},   {1, 2, 1, 100, 157.393, 1.00056126545e-100},
    {1, 2, 1, 100, 258.4, 1.00012028058e-200},     {1, 2, 1, 100, 331.535, 9.98580204157e-301},
};

static sotto_cost_item cost_of(uint64_t batch, uint64_t population, double noise, uint64_t steps) {
  const double rate = (double)batch / (double)population;
  sotto_i_sgd_plan plan = {.dpsgd = {.clip = 1, .sampling = {.population = population, .rate = rate}},
                           .steps = steps,
                           .group = 1,
                           .parameters = 10};
  const sotto_i_budget_use use = {.what = "training", .sgd = &plan};
  sotto_cost cost = {.count = 0};
  CHECK_OK(sotto_i_sgd_plan_noise(&plan, 2 * noise, &err));
  sotto_i_node_cost_sgd(&cost, &use);
  assert_int_equal(cost.count, 1);
  return cost.items[0];
}

static void the_gaussian_lies_above_the_training_down_to_a_delta_of_1e_300(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
    const sotto_cost_item item =
        cost_of(golden[i].batch, golden[i].population, golden[i].noise, golden[i].steps);
    double delta = sotto_gdp_delta(item.mu, golden[i].epsilon);
    if (!(delta >= golden[i].delta * (1 - 1e-6))) /* what rounding to a grid of noise takes */
      fail_msg("batch %u of %u, noise %g, %u steps, epsilon %g: delta %g by mu %.6g, and it is at least %g",
               (unsigned)golden[i].batch, (unsigned)golden[i].population, golden[i].noise,
               (unsigned)golden[i].steps, golden[i].epsilon, delta, item.mu, golden[i].delta);
  }
}

static void a_training_on_whole_batches_is_its_gaussian(void **state) {
  (void)state;
  const sotto_cost_item item = cost_of(40, 40, 3, 25);
  CHECK_NEAR(item.mu, 5.0 / 3, 1e-9);
}

static sotto_mechanism used(const sotto_i_budget_use *use, double factor) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  if (use->sgd != NULL) return sotto_i_sgd_ideal(use->sgd, use->noise * factor);
  m.noise = use->noise * factor;
  return m;
}

/* A training beside two releases, of random shares. */
static void the_factor_of_all_noises_is_enough_and_two_thousandths_less_is_not(void **state) {
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 4; round++) {
    const double epsilon = 0.5 + 8 * sotto_i_random_double(&random), delta = 1e-6;
    const double share = 0.2 + 0.6 * sotto_i_random_double(&random);
    sotto_i_sgd_plan plan = {.dpsgd = {.clip = 1, .sampling = {.population = 200, .rate = 0.1}},
                             .steps = 40,
                             .group = 1,
                             .parameters = 10};
    sotto_i_budget_use uses[3] = {
        {.what = "training", .share = share, .sgd = &plan},
        {.what = "one", .share = 0.7 * (1 - share), .kind = SOTTO_MECHANISM_GAUSSIAN},
        {.what = "other", .share = 0.3 * (1 - share), .kind = SOTTO_MECHANISM_GAUSSIAN}};
    CHECK_OK(sotto_i_node_budget(uses, 3, epsilon, delta, &err));
    for (int less = 0; less < 2; less++) {
      sotto_mechanism list[3];
      double reached;
      for (size_t i = 0; i < 3; i++) list[i] = used(&uses[i], less ? 1 - 2e-3 : 1);
      CHECK_OK(sotto_account_epsilon(&reached, list, 3, delta, SOTTO_ACCOUNTANT_PLD, &err));
      print_message("epsilon %g of %g, share %g\n", reached, epsilon, share);
      if ((reached > epsilon * (1 - 1e-3)) != less) fail_msg("epsilon %g of %g", reached, epsilon);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gaussian_lies_above_the_training_down_to_a_delta_of_1e_300),
      cmocka_unit_test(the_factor_of_all_noises_is_enough_and_two_thousandths_less_is_not),
      cmocka_unit_test(a_training_on_whole_batches_is_its_gaussian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
