/* What every mechanism keeps, taken from the table: names, refusals, bounds, order of the accountants,
 * calibration, canary statistics. A new mechanism is held to it by its line in the table
 * (docs/add-a-mechanism.md). */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "dp/account/bounds.h"
#include "dp/mechanisms/mechanism.h"

#define ONE(name, symbol) +1
enum { kinds = 0 SOTTO_MECHANISM_LIST(ONE) };
#undef ONE

static const double deltas[] = {1e-3, 1e-5, 1e-9};
enum { points = sizeof deltas / sizeof *deltas };

static sotto_mechanism example_of(sotto_mechanism_kind kind) {
  const sotto_i_descriptor *d = sotto_i_descriptor_of(kind);
  char line[256];
  sotto_mechanism *list, out;
  size_t count;
  const int used = snprintf(line, sizeof line, "%s %s", d->name, d->example);
  CHECK_OK(sotto_mechanisms_parse(&list, &count, line, (size_t)used, &err));
  assert_int_equal(count, 1);
  out = list[0];
  sotto_mechanisms_free(list);
  return out;
}

static double epsilon_of(const sotto_mechanism *m, double delta, sotto_accountant accountant) {
  double epsilon;
  CHECK_OK(sotto_account_epsilon(&epsilon, m, 1, delta, accountant, &err));
  return epsilon;
}

static void a_name_is_one_mechanisms_and_has_a_text(void **state) {
  (void)state;
  for (unsigned i = 0; i < kinds; i++) {
    const sotto_i_descriptor *d = sotto_i_descriptor_of((sotto_mechanism_kind)i);
    sotto_mechanism_kind found;
    CHECK_OK(sotto_mechanism_from_name(&found, d->name, &err));
    assert_int_equal(found, i);
    assert_string_equal(sotto_mechanism_name((sotto_mechanism_kind)i), d->name);
    assert_true(strlen(d->text) > 0 && strchr(d->text, '\n') == NULL);
    assert_int_equal(example_of((sotto_mechanism_kind)i).kind, i);
    assert_int_equal(d->norm != SOTTO_I_NORM_NONE, (d->fields & SOTTO_I_FIELD_SENSITIVITY) != 0);
    assert_int_equal(d->unstated & ~d->fields, 0);
  }
}

static void a_field_that_a_mechanism_does_not_read_is_refused(void **state) {
  (void)state;
  for (unsigned i = 0; i < kinds; i++) {
    const sotto_mechanism_kind kind = (sotto_mechanism_kind)i;
    const unsigned fields = sotto_i_descriptor_of(kind)->fields;
    for (unsigned bit = 1; bit <= SOTTO_I_FIELD_SAMPLE; bit *= 2) {
      sotto_mechanism m = example_of(kind);
      if (fields & bit) continue;
      if (bit == SOTTO_I_FIELD_NOISE) m.noise = 0.25;
      if (bit == SOTTO_I_FIELD_SENSITIVITY) m.sensitivity = 2;
      if (bit == SOTTO_I_FIELD_RATE) m.rate = 0.5;
      if (bit == SOTTO_I_FIELD_POPULATION) m.population = 7;
      if (bit == SOTTO_I_FIELD_LAYERS) m.layers = 2;
      if (bit == SOTTO_I_FIELD_LIPSCHITZ) m.lipschitz = 0.5;
      if (bit == SOTTO_I_FIELD_EPSILON) m.epsilon = 1;
      if (bit == SOTTO_I_FIELD_CHOICES) m.choices = 3;
      if (bit == SOTTO_I_FIELD_SAMPLED) m.sampled = 2;
      if (bit == SOTTO_I_FIELD_EPOCHS) m.epochs = 2;
      if (bit == SOTTO_I_FIELD_SAMPLE) m.sample = 2;
      assert_int_equal(sotto_mechanism_check(&m, NULL), SOTTO_INVALID);
    }
  }
}

static void an_answer_lies_between_the_bounds_and_falls_with_delta(void **state) {
  (void)state;
  for (unsigned i = 0; i < kinds; i++) {
    sotto_mechanism m = example_of((sotto_mechanism_kind)i);
    double first = -1, before = 0;
    for (size_t p = 0; p < points; p++) {
      const sotto_i_bounds_query query = {.delta = deltas[p]};
      double upper, epsilon;
      if (sotto_account_epsilon(&epsilon, &m, 1, deltas[p], SOTTO_ACCOUNTANT_PLD, NULL) == SOTTO_RANGE)
        continue; /* more than this delta is lost outright */
      CHECK_OK(sotto_i_bounds_upper(&upper, NULL, &m, 1, &query, true, &err));
      const double lower = sotto_i_bounds_lower(&m, 1, &query);
      assert_true(epsilon >= lower * (1 - 1e-6) && epsilon <= upper * (1 + 1e-9) && epsilon >= before);
      before = epsilon;
      if (p == 0) first = epsilon;
    }
    m.count *= 3;
    assert_true(first >= 0 && epsilon_of(&m, deltas[0], SOTTO_ACCOUNTANT_PLD) >= first);
  }
}

/* Renyi divergences convert with a loss; what is exact elsewhere is below. */
static void renyi_divergences_show_no_less_than_the_mechanism_loses(void **state) {
  (void)state;
  for (unsigned i = 0; i < kinds; i++) {
    const sotto_mechanism m = example_of((sotto_mechanism_kind)i);
    const sotto_i_descriptor *d = sotto_i_descriptor_of(m.kind);
    double by_renyi;
    const sotto_status status =
        sotto_account_epsilon(&by_renyi, &m, 1, deltas[1], SOTTO_ACCOUNTANT_RDP, NULL);
    assert_int_equal(status, d->renyi != NULL || d->add_renyi != NULL || d->mu != NULL ? SOTTO_OK
                                                                                       : SOTTO_UNSUPPORTED);
    if (status != SOTTO_OK) assert_true(d->no_renyi != NULL);
    if (status == SOTTO_OK)
      assert_true(by_renyi >= epsilon_of(&m, deltas[1], SOTTO_ACCOUNTANT_PLD) * (1 - 2e-3));
    if (d->pure == NULL) continue;
    assert_true(epsilon_of(&m, 0, SOTTO_ACCOUNTANT_PLD) >=
                epsilon_of(&m, deltas[2], SOTTO_ACCOUNTANT_PLD) * (1 - 1e-9));
  }
}

static void a_calibrated_noise_reaches_its_epsilon(void **state) {
  (void)state;
  for (unsigned i = 0; i < kinds; i++) {
    sotto_mechanism m = example_of((sotto_mechanism_kind)i);
    double noise;
    const sotto_status status =
        sotto_account_noise(&noise, &m, 1, 0, 0.7, deltas[1], SOTTO_ACCOUNTANT_PLD, NULL);
    if ((sotto_i_descriptor_of(m.kind)->fields & SOTTO_I_FIELD_NOISE) == 0) {
      assert_int_equal(status, SOTTO_INVALID);
      continue;
    }
    assert_int_equal(status, SOTTO_OK);
    m.noise = noise;
    m.epsilon = 0;
    const double epsilon = epsilon_of(&m, deltas[1], SOTTO_ACCOUNTANT_PLD);
    if (!(epsilon <= 0.7 * (1 + 1e-3) && epsilon > 0.69)) /* the accuracy of pld, on another grid */
      fail_msg("%s: epsilon %.12g", sotto_mechanism_name(m.kind), epsilon);
  }
}

static void canary_statistics_favour_less_noise_near_the_exact_number(void **state) {
  (void)state;
  for (unsigned i = 0; i < kinds; i++) {
    const sotto_mechanism m = example_of((sotto_mechanism_kind)i);
    const sotto_i_descriptor *d = sotto_i_descriptor_of(m.kind);
    for (int pair = 0; d->log_ratio != NULL && pair < 2; pair++) {
      assert_true(fabs(d->log_ratio(1.3, 1, 0, pair)) < 1e-9);
      assert_true(d->log_ratio(0, 0.5, 0, pair) > 0 && d->log_ratio(9, 0.5, 0, pair) < 0);
    }
    if (d->agreement == NULL) continue;
    const double epsilon = 0.8, full = d->agreement(&m, epsilon, 1), half = d->agreement(&m, epsilon, 0.5);
    assert_true(full > 0 && full < half && half < 1 && d->agreement(&m, epsilon, 0) == 1);
  }
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_name_is_one_mechanisms_and_has_a_text),
      cmocka_unit_test(a_field_that_a_mechanism_does_not_read_is_refused),
      cmocka_unit_test(an_answer_lies_between_the_bounds_and_falls_with_delta),
      cmocka_unit_test(renyi_divergences_show_no_less_than_the_mechanism_loses),
      cmocka_unit_test(a_calibrated_noise_reaches_its_epsilon),
      cmocka_unit_test(canary_statistics_favour_less_noise_near_the_exact_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
