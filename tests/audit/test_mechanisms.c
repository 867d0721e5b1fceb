/* Every mechanism, and whole releases: what a test shows stays under what is stated, and reaches at least 70%
 * of it where the analysis is tight. */
#include <math.h>

#include "check.h"
#include "sotto/audit.h"

/* A bound holds 19 times of 20 or more, and there are twenty here: three times in a row above is no accident.
 * Nor is it three times below `share` of what is stated. */
static sotto_audit_result audited(const char *name, const sotto_audit_options *options, double share) {
  sotto_audit_result result;
  for (int attempt = 0; attempt < 3; attempt++) {
    CHECK_OK(sotto_audit_mechanism(&result, name, options, NULL, &err));
    (void)printf("  %-20s layers %u  stated %.4f  shown %.4f  (%.0f%%)\n", name, options->layers,
                 result.stated, result.lower, 100 * result.lower / result.stated);
    assert_true(result.holds == (result.lower <= result.stated));
    if (result.holds && result.lower >= share * result.stated) break;
  }
  return result;
}

/* Releases take longer; at a larger delta fewer trials show as much. */
static void check_mechanism(const char *name, uint32_t layers, uint64_t trials, double delta, double share) {
  sotto_audit_options options = {.epsilon = 2, .delta = delta, .trials = trials, .layers = layers};
  sotto_audit_result result = audited(name, &options, share);
  if (!result.holds) fail_msg("%s shows %.4f and states %.4f", name, result.lower, result.stated);
  if (result.lower < share * result.stated) fail_msg("%s shows only %.4f", name, result.lower);
  assert_true(result.stated < 1.02 * options.epsilon);
}

static void noise_and_answers_show_what_they_state(void **state) {
  (void)state;
  static const char *const names[] = {
      "gaussian", "discrete-gaussian",   "laplace",           "randomized-response",
      "multibit", "subsampled-gaussian", "replaced-gaussian", "subset-selection"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_mechanism(names[i], 1, 120000, 0.01, 0.7);
}

static void releases_of_one_to_four_layers_show_what_they_state(void **state) {
  (void)state;
  for (uint32_t layers = 1; layers <= 4; layers++) check_mechanism("release", layers, 40000, 0.05, 0.7);
}

/* Tight for one layer; hidden layers between are not known to leak what the bound allows for. */
static void contractive_releases_show_less_than_they_state(void **state) {
  (void)state;
  for (uint32_t layers = 1; layers <= 4; layers++)
    check_mechanism("contractive", layers, 40000, 0.05, layers == 1 ? 0.7 : 0);
}

static void released_edges_show_what_they_state(void **state) {
  (void)state;
  check_mechanism("edge-response", 1, 20000, 0.01, 0.7);
  check_mechanism("lapgraph", 1, 20000, 0.01, 0); /* one pair of six; what the others show is given away */
}

static void gaussian_noise_is_tight_at_other_budgets(void **state) {
  (void)state;
  static const double epsilons[] = {1, 4}, deltas[] = {1e-2, 1e-3};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      sotto_audit_options options = {
          .epsilon = epsilons[i], .delta = deltas[j], .trials = 120000, .layers = 1};
      sotto_audit_result result = audited("gaussian", &options, 0.7);
      assert_true(result.holds && result.lower >= 0.7 * result.stated);
    }
}

static void options_out_of_range_are_refused_by_name(void **state) {
  (void)state;
  sotto_audit_result result;
  sotto_audit_options options = {.epsilon = 2, .delta = 0.01, .trials = 1000, .layers = 1};
  CHECK_FAILS(SOTTO_NOT_FOUND, "'gaussian'", sotto_audit_mechanism(&result, "gausian", &options, NULL, &err));
  options.trials = 10;
  CHECK_FAILS(SOTTO_RANGE, "trials", sotto_audit_mechanism(&result, "gaussian", &options, NULL, &err));
  options.trials = 1000;
  options.epsilon = 0;
  CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_audit_mechanism(&result, "gaussian", &options, NULL, &err));
  options.epsilon = 2;
  options.delta = 0;
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_audit_mechanism(&result, "gaussian", &options, NULL, &err));
  options.delta = 0.01;
  options.layers = 0;
  CHECK_FAILS(SOTTO_RANGE, "layers", sotto_audit_mechanism(&result, "release", &options, NULL, &err));
}

/* Sampled: a release allocates in each of its thousand trials. */
static void every_allocation_that_fails_is_reported(void **state) {
  (void)state;
  static const char *const names[] = {"gaussian", "discrete-gaussian", "multibit",
                                      "release",  "lapgraph",          "subset-selection"};
  for (size_t i = 0; i < 6; i++) {
    sotto_audit_options options = {.epsilon = 2, .delta = 0.01, .trials = 1000, .layers = 1};
    sotto_audit_result result;
    (void)sotto_i_memory_fail_at(0);
    CHECK_OK(sotto_audit_mechanism(&result, names[i], &options, NULL, &err));
    uint64_t count = sotto_i_memory_fail_at(0), few = count < 60 ? count : 40;
    for (uint64_t nth = 1; nth <= count; nth += nth < few ? 1 : count / 10 + 1) {
      sotto_error err = {0};
      (void)sotto_i_memory_fail_at(nth);
      sotto_status status = sotto_audit_mechanism(&result, names[i], &options, NULL, &err);
      (void)sotto_i_memory_fail_at(0);
      if (status != SOTTO_NOMEM)
        fail_msg("%s, allocation %llu: %s", names[i], (unsigned long long)nth, err.text);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_and_answers_show_what_they_state),
      cmocka_unit_test(releases_of_one_to_four_layers_show_what_they_state),
      cmocka_unit_test(contractive_releases_show_less_than_they_state),
      cmocka_unit_test(released_edges_show_what_they_state),
      cmocka_unit_test(gaussian_noise_is_tight_at_other_budgets),
      cmocka_unit_test(options_out_of_range_are_refused_by_name),
      cmocka_unit_test(every_allocation_that_fails_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
