/* The audit of all methods by themselves: what it covers, and faults that it objects to. */
#include "check.h"
#include "faults/extra_hop.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "sotto/attack.h"

static size_t number_of(const char *method) {
  size_t i = 0;
  for (const char *name; (name = sotto_self_method(i)) != NULL && strcmp(name, method) != 0;) i++;
  return i;
}

static sotto_self_result *audited(size_t number) {
  static sotto_self_result result;
  sotto_dataset data;
  sotto_audit_ask ask = sotto_audit_ask_default();
  ask.trials = 1000;
  CHECK_OK(sotto_self_data(&data, &err));
  CHECK_OK(sotto_self_audit(&result, number, &data, &ask, NULL, &err));
  sotto_dataset_free(&data);
  for (size_t i = 0; i < result.findings.count; i++) {
    const sotto_finding *f = &result.findings.items[i];
    (void)printf("  %s %s %s: %s, mu %.3f of %.3f\n", result.method, result.adjacency, f->attack,
                 f->holds ? "holds" : "FAILED", f->is_one_run ? f->one_run.mu_lower : f->canary.mu_lower,
                 f->is_one_run ? f->one_run.mu_stated : f->canary.mu_stated);
    assert_true(f->decides && f->is_one_run + f->is_canary + f->is_release == 1);
  }
  return &result;
}

static void every_method_with_a_private_variant_is_there(void **state) {
  (void)state;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    sotto_i_option row;
    bool private_variant = sotto_i_option_find(&row, &sotto_i_methods()[m]->options, "prototype-noise");
    for (size_t v = 0; v < sotto_i_methods()[m]->variant_count; v++)
      private_variant |= (sotto_i_methods()[m]->variants[v].adjacencies & ~(unsigned)SOTTO_I_NONE) != 0;
    assert_true((sotto_self_method(number_of(sotto_i_methods()[m]->name)) != NULL) == private_variant);
  }
  assert_null(sotto_self_method(number_of("no method")));
}

static void an_honest_method_holds_and_one_run_shows_some_of_its_mu(void **state) {
  (void)state;
  const sotto_self_result *r = audited(number_of("gap"));
  assert_true(r->findings.count >= 3 && r->why[0] == 0);
  assert_true(sotto_findings_hold(&r->findings));
  const sotto_one_run_result *first = &r->findings.items[0].one_run;
  assert_true(r->findings.items[0].is_one_run && first->mu_lower > first->mu_stated / 4);
  assert_true(first->canaries == 5000 && first->correct <= first->guesses);
}

/* Two counts of Laplace noise: near what any audit with so many canaries can show at this confidence. */
static void counts_show_most_of_their_epsilon_in_one_training(void **state) {
  (void)state;
  const sotto_self_result *r = audited(number_of("best") + 1); /* the first one learns numbers */
  assert_string_equal(r->variant, "");
  assert_string_equal(r->adjacency, "edge");
  assert_true(sotto_findings_hold(&r->findings) && r->findings.items[0].is_one_run);
  assert_true(r->findings.items[0].one_run.lower > 0.65 * r->findings.items[0].one_run.stated);
}

/* The hop without noise is in the training itself: rows of its one release are alike where there is an edge.
 */
static void a_hop_without_noise_is_objected_to_and_seen_in_one_training(void **state) {
  (void)state;
  const size_t number = number_of("caribou");
  double seen[2];
  for (int planted = 0; planted < 2; planted++) {
    check_plant_hop(planted == 1);
    const sotto_self_result *r = audited(number);
    check_plant_hop(false);
    assert_true(sotto_findings_hold(&r->findings) == (planted == 0));
    seen[planted] = r->findings.items[1].one_run.mu_lower;
  }
  assert_true(seen[1] > seen[0] + 0.15);
}

static void a_number_beyond_the_last_is_refused(void **state) {
  (void)state;
  static sotto_self_result result;
  const sotto_audit_ask ask = sotto_audit_ask_default();
  const sotto_dataset none = {.name = "none"};
  CHECK_FAILS(SOTTO_RANGE, "variants",
              sotto_self_audit(&result, number_of("no method"), &none, &ask, NULL, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_with_a_private_variant_is_there),
      cmocka_unit_test(an_honest_method_holds_and_one_run_shows_some_of_its_mu),
      cmocka_unit_test(counts_show_most_of_their_epsilon_in_one_training),
      cmocka_unit_test(a_hop_without_noise_is_objected_to_and_seen_in_one_training),
      cmocka_unit_test(a_number_beyond_the_last_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
