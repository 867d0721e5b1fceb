/* Methods of one owner, run through the library. */
#include "check.h"
#include "made_run.h"
#include "sotto/generate.h"
#include "sotto/methods.h"

typedef struct fixture {
  sotto_dataset data;
  sotto_options options;
} fixture;

static fixture make(const char *method, const char *folder) {
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  fixture f = {check_communities(&sbm), check_options(method, folder)};
  check_set(&f.options, "hidden", "4");
  check_set(&f.options, "epochs", "2");
  check_set(&f.options, "encoder-epochs", "2");
  return f;
}

static const char *const methods[] = {"gap", "caribou"};

static void a_private_run_spends_what_was_asked_and_exposes_nothing(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture f = make(methods[i], methods[i]);
    sotto_result result;
    check_set(&f.options, "epsilon", "3");
    CHECK_OK(sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
    assert_true(result.private_edges && !result.insecure && result.contractive == (i == 1));
    assert_true(result.epsilon <= 3 + 1e-9 && result.epsilon > 2.99);
    assert_true(result.exposure_count == 0 && result.spent.charges > 0);
    for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) assert_true(result.data_party.sent[kind] == 0);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
}

static void adjacency_none_adds_no_noise_for_any_method(void **state) {
  static const char *const noisy[] = {"vesper", "gap", "caribou"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char folder[32];
    (void)snprintf(folder, sizeof folder, "%s-none", noisy[i]);
    fixture f = make(noisy[i], folder);
    sotto_result result;
    check_set(&f.options, "adjacency", "none");
    CHECK_OK(sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
    assert_true(!result.private_edges && result.epsilon > 1e308 && result.spent.charges == 0);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
}

/* Chains of Zheng et al. 2026: nodes have no features but the first of each, so a class must be carried
 * along. */
static void chains_are_learnt_with_as_many_layers_as_they_are_long(void **state) {
  (void)state;
  const sotto_chains_options chains = {2, 3, 8, 100};
  for (int i = 0; i < 2; i++) {
    char folder[32];
    (void)snprintf(folder, sizeof folder, "%s-chains", methods[i]);
    fixture f = make(methods[i], folder);
    sotto_dataset data;
    sotto_key key;
    sotto_result result;
    sotto_key_public(&key, 1);
    CHECK_OK(sotto_generate_chains(&data, &chains, &key, &err));
    check_set(&f.options, "adjacency", "none");
    check_set(&f.options, "hidden", "16");
    check_set(&f.options, "layers", "8");
    check_set(&f.options, "seeds", "3");
    check_set(&f.options, "encoder-epochs", "30");
    check_set(&f.options, "epochs", "60");
    CHECK_OK(sotto_train(&result, &f.options, &data, NULL, NULL, &err));
    for (size_t s = 0; s < 3; s++) {
      CHECK_NEAR(result.seeds[s].test.of[SOTTO_MEASURE_ACCURACY], 1, 1e-12);
      assert_true(result.seeds[s].baseline_test.of[SOTTO_MEASURE_ACCURACY] < 0.9); /* features alone cannot */
    }
    sotto_result_free(&result);
    sotto_dataset_free(&data);
    sotto_dataset_free(&f.data);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  CHECK_OK(sotto_threads_set(1, &err));
  for (int i = 0; i < 2; i++) {
    char folder[32];
    (void)snprintf(folder, sizeof folder, "%s-fail", methods[i]);
    fixture f = make(methods[i], folder);
    sotto_status status = SOTTO_NOMEM;
    check_set(&f.options, "adjacency", "none");
    for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
      sotto_result result;
      (void)sotto_i_memory_fail_at(nth);
      status = sotto_train(&result, &f.options, &f.data, NULL, NULL, NULL);
      (void)sotto_i_memory_fail_at(0);
      sotto_result_free(&result);
      assert_true(nth < 2000);
    }
    assert_int_equal(status, SOTTO_OK);
    sotto_dataset_free(&f.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_private_run_spends_what_was_asked_and_exposes_nothing),
      cmocka_unit_test(adjacency_none_adds_no_noise_for_any_method),
      cmocka_unit_test(chains_are_learnt_with_as_many_layers_as_they_are_long),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
