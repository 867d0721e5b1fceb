/* Privacy loss distributions against closed forms and direct convolution: never below, close above. */
#include <math.h>

#include "check.h"
#include "dp/account/pld.h"

/* The claim of dp.h, and what the planted faults must break: true <= value <= (1 + 1e-3) true. `share` allows
 * for the rounding of the reference itself. */
static bool sound(double value, double truth, double share) {
  return value >= truth * (1 - share);
}
static bool tight(double value, double truth) {
  return value <= truth * (1 + 1e-3) + 1e-300;
}
#define CHECK_BOUND(value, truth)                                                                            \
  do {                                                                                                       \
    double bound_value = (value), bound_truth = (truth);                                                     \
    if (!sound(bound_value, bound_truth, 1e-9) || !tight(bound_value, bound_truth))                          \
      fail_msg("%s = %.15g, truth %.15g (%+.2e)", #value, bound_value, bound_truth,                          \
               bound_value / bound_truth - 1);                                                               \
  } while (0)

static sotto_mechanism mechanism(sotto_mechanism_kind kind, double noise, uint64_t count) {
  sotto_mechanism m = sotto_mechanism_default(kind);
  m.noise = noise;
  m.count = count;
  return m;
}

static double delta_of(const sotto_mechanism *m, size_t count, double epsilon) {
  double delta = NAN;
  CHECK_OK(sotto_account_delta(&delta, m, count, epsilon, SOTTO_ACCOUNTANT_PLD, &err));
  return delta;
}

static double epsilon_of(const sotto_mechanism *m, size_t count, double delta) {
  double epsilon = NAN;
  CHECK_OK(sotto_account_epsilon(&epsilon, m, count, delta, SOTTO_ACCOUNTANT_PLD, &err));
  return epsilon;
}

static double phi(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752440);
}

/* epsilon of one Gaussian PLD composed `runs` times by transforms, without the closed form's help. */
static double composed(double mu, double runs, double width, double delta) {
  sotto_i_pld pld;
  sotto_i_pld_work work = {0};
  sotto_i_pld_answer answer;
  const sotto_i_pld_query query = {.delta = delta};
  CHECK_OK(sotto_i_pld_gaussian(&pld, mu, width, 1e-9 * delta / runs, &err));
  pld.runs = runs;
  CHECK_OK(sotto_i_pld_compose(&answer, &work, &pld, 1, &query, &err));
  sotto_i_pld_free(&pld);
  sotto_i_pld_work_free(&work);
  return answer.epsilon;
}

static void composed_gaussians_meet_the_exact_epsilon_down_to_tiny_deltas(void **state) {
  (void)state;
  static const double deltas[] = {0.3, 1e-2, 1e-6, 1e-10, 1e-16, 1e-30, 1e-99};
  for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
    double exact = NAN;
    CHECK_OK(sotto_gdp_epsilon(&exact, 1, deltas[i], &err));
    CHECK_BOUND(composed(0.1, 100, 0.002, deltas[i]), exact);
    if (i % 3 != 0) continue; /* the long ones take their time */
    CHECK_OK(sotto_gdp_epsilon(&exact, 2, deltas[i], &err));
    CHECK_BOUND(composed(0.02, 10000, 0.0004, deltas[i]), exact);
  }
}

static void laplace_once_meets_its_closed_form(void **state) {
  (void)state;
  static const double scales[] = {0.1, 0.7, 1, 30, 1e4};
  for (size_t i = 0; i < 5; i++) {
    sotto_mechanism m = mechanism(SOTTO_MECHANISM_LAPLACE, scales[i], 1);
    for (int tenth = 0; tenth < 10; tenth++) {
      double epsilon = tenth / 10.0 / scales[i];
      CHECK_BOUND(delta_of(&m, 1, epsilon), -expm1((epsilon - 1 / scales[i]) / 2));
    }
    assert_true(delta_of(&m, 1, 1 / scales[i]) == 0);
  }
}

/* delta of k binary answers of odds e: sum over how many of them lie. */
static double binomial_delta(double e, int k, double epsilon) {
  double delta = 0, p = 1 / (1 + exp(-e));
  for (int lies = 0; lies <= k; lies++) {
    double loss = (k - 2 * lies) * e;
    double log_mass =
        lgamma(k + 1) - lgamma(lies + 1) - lgamma(k - lies + 1) + (k - lies) * log(p) + lies * log1p(-p);
    if (loss > epsilon) delta += exp(log_mass) * -expm1(epsilon - loss);
  }
  return delta;
}

static void randomised_responses_compose_to_the_binomial_sum(void **state) {
  (void)state;
  static const int counts[] = {1, 2, 7, 100};
  for (size_t i = 0; i < 4; i++) {
    sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
    m.epsilon = 0.3;
    m.count = (uint64_t)counts[i];
    sotto_mechanism bits = sotto_mechanism_default(SOTTO_MECHANISM_MULTIBIT);
    bits.sampled = (uint64_t)counts[i];
    bits.epsilon = 0.3 * counts[i];
    for (double epsilon = 0.1; epsilon < 0.29 * counts[i]; epsilon += 0.04 * counts[i]) {
      CHECK_BOUND(delta_of(&m, 1, epsilon), binomial_delta(0.3, counts[i], epsilon));
      CHECK_BOUND(delta_of(&bits, 1, epsilon), binomial_delta(0.3, counts[i], epsilon));
    }
  }
}

static void one_of_many_choices_has_its_three_point_profile(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  m.noise = 0.4;
  m.choices = 5;
  double top = log(0.6 / 0.1);
  for (int i = 0; i < 9; i++) {
    double epsilon = top * i / 10;
    CHECK_BOUND(delta_of(&m, 1, epsilon), 0.6 - exp(epsilon) * 0.1);
  }
}

static void discrete_gaussian_meets_the_sum_over_the_integers(void **state) {
  (void)state;
  static const double sigmas[] = {0.5, 1, 4, 20};
  for (size_t i = 0; i < 4; i++) {
    for (double shift = 1; shift < 4; shift += 2) {
      sotto_mechanism m = mechanism(SOTTO_MECHANISM_DISCRETE_GAUSSIAN, sigmas[i], 1);
      m.sensitivity = shift;
      double epsilon = 0.6 * shift / sigmas[i], total = 0, delta = 0, square = 2 * sigmas[i] * sigmas[i];
      for (int x = -1000; x <= 1000; x++) total += exp(-x * x / square);
      for (int x = -1000; x <= 1000; x++) {
        double p = exp(-x * x / square) / total, q = exp(-(x - shift) * (x - shift) / square) / total;
        delta += fmax(p - exp(epsilon) * q, 0);
      }
      CHECK_BOUND(delta_of(&m, 1, epsilon), delta);
    }
  }
}

static void one_sampled_step_meets_the_worse_of_both_directions(void **state) {
  (void)state;
  static const double rates[] = {0.01, 0.3, 0.9};
  for (size_t i = 0; i < 3; i++) {
    for (double epsilon = 0.02; epsilon < 2; epsilon *= 3) {
      double q = rates[i], sigma = 0.9, e = exp(epsilon);
      sotto_mechanism m = mechanism(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN, sigma, 1);
      m.rate = q;
      double x = sigma * sigma * log((e - 1 + q) / q) + 0.5;
      double removed = (1 - q - e) * phi(-x / sigma) + q * phi((1 - x) / sigma), added = 0;
      double inside = (1 / e - 1 + q) / q;
      if (inside > 0) {
        double y = sigma * sigma * log(inside) + 0.5;
        added = phi(y / sigma) - e * ((1 - q) * phi(y / sigma) + q * phi((y - 1) / sigma));
      }
      CHECK_BOUND(delta_of(&m, 1, epsilon), fmax(removed, added));
    }
  }
}

static void sampling_without_replacement_meets_its_amplified_profile(void **state) {
  (void)state;
  sotto_mechanism m = mechanism(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN, 1.1, 1);
  m.population = 50;
  m.batch = 10;
  for (double inner = 0.1; inner < 4; inner += 0.5) {
    double epsilon = log1p(0.2 * expm1(inner));
    CHECK_BOUND(delta_of(&m, 1, epsilon), 0.2 * sotto_gdp_delta(1 / 1.1, inner));
  }
}

/* P-masses of three PLDs convolved term by term. */
static double direct_delta(const sotto_i_pld *pld, int runs, double epsilon, double infinity) {
  size_t size = pld->count * (size_t)runs;
  double *sum = calloc(size, sizeof *sum), *next = calloc(size, sizeof *next), delta = 0;
  assert_true(sum != NULL && next != NULL);
  sum[0] = 1;
  for (int run = 0; run < runs; run++) {
    memset(next, 0, size * sizeof *next);
    for (size_t i = 0; i < size; i++)
      for (size_t j = 0; j < pld->count && i + j < size; j++) next[i + j] += sum[i] * pld->mass[j];
    memcpy(sum, next, size * sizeof *sum);
  }
  for (size_t i = 0; i < size; i++) {
    double loss = (double)(runs * pld->first + (int64_t)i) * pld->width;
    if (loss > epsilon) delta += sum[i] * -expm1(epsilon - loss);
  }
  free(sum);
  free(next);
  return delta + infinity;
}

static double transformed_delta(const sotto_i_pld *pld, double epsilon) {
  sotto_i_pld_work work = {0};
  sotto_i_pld_answer answer;
  const sotto_i_pld_query query = {.epsilon = epsilon};
  CHECK_OK(sotto_i_pld_compose(&answer, &work, pld, 1, &query, &err));
  sotto_i_pld_work_free(&work);
  return answer.delta;
}

static void transforms_agree_with_direct_convolution(void **state) {
  (void)state;
  sotto_mechanism m = mechanism(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN, 0.8, 4);
  sotto_i_pld ways[2];
  m.rate = 0.1;
  CHECK_OK(sotto_i_pld_make(&ways[0], &ways[1], &m, 0.05, 1e-12, &err));
  for (int way = 0; way < 2; way++) {
    for (double epsilon = 0; epsilon < 4; epsilon += 0.37) {
      double infinity = 1 - pow(1 - ways[way].infinity, 4);
      double wanted = direct_delta(&ways[way], 4, epsilon, infinity),
             got = transformed_delta(&ways[way], epsilon);
      assert_true(got >= wanted * (1 - 1e-9));
      assert_true(got <= wanted * (1 + 2e-4) + 1e-15);
    }
    sotto_i_pld_free(&ways[way]);
  }
}

static void an_optimistic_rounding_is_seen(void **state) {
  (void)state;
  sotto_i_pld pld;
  CHECK_OK(sotto_i_pld_gaussian(&pld, 0.1, 0.002, 1e-15, &err));
  pld.runs = 100;
  double truth = sotto_gdp_delta(1, 3), honest = transformed_delta(&pld, 3);
  assert_true(sound(honest, truth, 1e-9) && tight(honest, truth * 1.002));
  for (size_t i = 0; i + 1 < pld.count; i++) { /* half of the mass one point down: rounding to the nearest */
    double moved = pld.mass[i + 1] / 2;
    pld.mass[i + 1] -= moved;
    pld.mass[i] += moved;
  }
  assert_false(sound(transformed_delta(&pld, 3), truth, 1e-9));
  sotto_i_pld_free(&pld);
}

static void a_dropped_infinity_is_seen(void **state) {
  (void)state;
  sotto_i_pld pld;
  CHECK_OK(sotto_i_pld_gaussian(&pld, 1, 0.002, 1e-4, &err)); /* cuts its tails where it can be noticed */
  double truth = sotto_gdp_delta(1, 3.5);
  assert_true(sound(transformed_delta(&pld, 3.5), truth, 1e-9));
  pld.infinity = 0;
  assert_false(sound(transformed_delta(&pld, 3.5), truth, 1e-9));
  sotto_i_pld_free(&pld);
}

/* N(1, sigma^2) and N(-1, sigma^2). */
static sotto_i_pld_edge opposite_edge(const void *parameters, double loss) {
  const double sigma = *(const double *)parameters, x = loss * sigma * sigma / 2;
  sotto_i_pld_edge e;
  sotto_i_normal_tails(&e.p_below, &e.p_above, (x - 1) / sigma);
  sotto_i_normal_tails(&e.q_below, &e.q_above, (x + 1) / sigma);
  return e;
}

static void a_pair_that_is_its_own_mirror_image_has_the_masses_of_both_halves(void **state) {
  const double sigma = 1.7, width = 0.013, high = 6;
  sotto_i_pld whole, mirrored;
  (void)state;
  CHECK_OK(sotto_i_pld_grid(&whole, -high, high, width, &err));
  CHECK_OK(sotto_i_pld_grid(&mirrored, -high, high, width, &err));
  sotto_i_pld_add_continuous(&whole, opposite_edge, &sigma, -high, high);
  whole.mass[0] += opposite_edge(&sigma, (double)whole.first * width).p_below;
  whole.infinity = opposite_edge(&sigma, ceil(high / width) * width).p_above;
  sotto_i_pld_add_mirrored(&mirrored, opposite_edge, &sigma);
  assert_true(mirrored.infinity == whole.infinity && mirrored.count == whole.count);
  for (size_t i = 0; i < whole.count; i++)
    if (!(fabs(mirrored.mass[i] - whole.mass[i]) <= 1e-15 + 1e-9 * whole.mass[i]))
      fail_msg("point %zu of %zu has mass %g, and %g", i, whole.count, mirrored.mass[i], whole.mass[i]);
  sotto_i_pld_free(&whole);
  sotto_i_pld_free(&mirrored);
}

static void pure_lists_stay_below_the_sum_of_their_epsilons(void **state) {
  (void)state;
  sotto_mechanism list[2] = {mechanism(SOTTO_MECHANISM_LAPLACE, 3, 5),
                             sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE)};
  list[1].epsilon = 0.7;
  assert_true(epsilon_of(list, 2, 1e-6) <= 5.0 / 3 + 0.7);
  assert_true(epsilon_of(list, 2, 1e-90) <= 5.0 / 3 + 0.7);
  assert_true(delta_of(list, 2, 5.0 / 3 + 0.71) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(composed_gaussians_meet_the_exact_epsilon_down_to_tiny_deltas),
      cmocka_unit_test(laplace_once_meets_its_closed_form),
      cmocka_unit_test(randomised_responses_compose_to_the_binomial_sum),
      cmocka_unit_test(one_of_many_choices_has_its_three_point_profile),
      cmocka_unit_test(discrete_gaussian_meets_the_sum_over_the_integers),
      cmocka_unit_test(one_sampled_step_meets_the_worse_of_both_directions),
      cmocka_unit_test(sampling_without_replacement_meets_its_amplified_profile),
      cmocka_unit_test(transforms_agree_with_direct_convolution),
      cmocka_unit_test(an_optimistic_rounding_is_seen),
      cmocka_unit_test(a_dropped_infinity_is_seen),
      cmocka_unit_test(a_pair_that_is_its_own_mirror_image_has_the_masses_of_both_halves),
      cmocka_unit_test(pure_lists_stay_below_the_sum_of_their_epsilons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
