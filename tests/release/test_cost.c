/* Prices of methods of one owner: what is charged adds up to what was asked, and is never less. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "made_run.h"
#include "methods/dpdgc/dpdgc.h"
#include "methods/pertgraph/pertgraph.h"
#include "protocols/counts.h"
#include "protocols/private_mlp.h"
#include "release/plan.h"
#include "sotto/generate.h"

typedef sotto_status (*price_fn)(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

static sotto_dataset make_data(void) {
  const sotto_sbm_options sbm = {.nodes = 200,
                                 .classes = 4,
                                 .features = 8,
                                 .degree_inside = 4,
                                 .degree_outside = 1,
                                 .feature_signal = 1};
  return check_communities(&sbm);
}

static sotto_options make_options(const char *method, double epsilon) {
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(sotto_options_set(&o, "method", method, &err));
  o.epsilon = epsilon;
  o.hidden = 8;
  return o;
}

static sotto_cost price(price_fn f, const sotto_options *o, const sotto_dataset *data) {
  sotto_cost cost;
  const sotto_i_job job = {.options = o, .data = data, .seed = 1};
  CHECK_OK(f(&cost, &job, &err));
  return cost;
}

static void pure_prices_add_up_to_epsilon(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  static const char *const ways[] = {"asymmetric", "edgerand", "lapgraph"};
  for (size_t i = 0; i < 5; i++) {
    sotto_options o = make_options(i < 3 ? "pertgraph" : i < 4 ? "lpgnet" : "best", 3);
    if (i < 3) CHECK_OK(sotto_options_set(&o, "publication", ways[i], &err));
    const sotto_cost cost = price(i < 3 ? sotto_i_pertgraph_price : sotto_i_counts_price, &o, &data);
    double charged = 0, accounted, stated;
    sotto_mechanism list[SOTTO_MOST_COSTS];
    for (size_t k = 0; k < cost.count; k++) {
      assert_true(cost.items[k].mu == 0);
      charged += cost.items[k].epsilon;
      list[k] = cost.items[k].mechanism;
    }
    CHECK_OK(sotto_account_epsilon(&accounted, list, cost.count, 0, SOTTO_ACCOUNTANT_PLD, &err));
    CHECK_OK(sotto_i_cost_epsilon(&stated, &cost, 5, 1e-6, &err));
    CHECK_NEAR(charged, 3, 1e-12);
    CHECK_NEAR(stated, 15, 1e-9);
    assert_true(accounted <= 3 * (1 + 1e-9));
  }
  sotto_dataset_free(&data);
}

static void the_price_of_one_noisy_sum_is_one_gaussian_release(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  const sotto_options o = make_options("dpdgc", 2);
  const sotto_cost cost = price(sotto_i_dpdgc_price, &o, &data);
  const sotto_mechanism *m = &cost.items[0].mechanism;
  double epsilon;
  assert_int_equal(cost.count, 1);
  assert_true(m->sensitivity >= sqrt(2));
  CHECK_NEAR(cost.items[0].mu, m->sensitivity / m->noise, 1e-12);
  CHECK_OK(sotto_i_cost_epsilon(&epsilon, &cost, 1, o.delta, &err));
  assert_true(epsilon <= 2 * (1 + 1e-9) && epsilon > 1.99);
  sotto_dataset_free(&data);
}

static void what_dpsgd_is_charged_lies_above_what_it_shows(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  sotto_options o = make_options("mlp", 2);
  CHECK_OK(sotto_options_set(&o, "adjacency", "node", &err));
  check_set(&o, "batch-rate", "0.02"); /* few small batches: far from a Gaussian */
  check_set(&o, "steps", "20");
  const sotto_cost cost = price(sotto_i_private_mlp_price, &o, &data);
  const sotto_cost_item *item = &cost.items[0];
  double epsilon;
  assert_string_equal(cost.adjacency, "node");
  CHECK_OK(sotto_i_cost_epsilon(&epsilon, &cost, 1, o.delta, &err));
  assert_true(epsilon <= 2 && epsilon > 1.98);
  /* Between the places where the curves were compared, and for several runs together. */
  for (uint64_t runs = 1; runs <= 4; runs *= 2)
    for (double delta = 4e-3; delta > 2e-12; delta /= 7) {
      double charged;
      sotto_mechanism list = item->mechanism;
      list.count *= runs;
      CHECK_OK(sotto_account_epsilon(&epsilon, &list, 1, delta, SOTTO_ACCOUNTANT_PLD, &err));
      CHECK_OK(sotto_gdp_epsilon(&charged, item->mu * sqrt((double)runs), delta, &err));
      assert_true(charged >= epsilon);
    }
  /* The comparison can fail: a charge at the stated epsilon and delta alone is too small elsewhere. */
  double naive, charged, above = 0;
  CHECK_OK(sotto_gdp_mu(&naive, 2, o.delta, &err));
  for (double delta = 4e-3; delta > 2e-12; delta /= 7) {
    CHECK_OK(sotto_account_epsilon(&epsilon, &item->mechanism, 1, delta, SOTTO_ACCOUNTANT_PLD, &err));
    CHECK_OK(sotto_gdp_epsilon(&charged, naive, delta, &err));
    above += epsilon > charged;
  }
  assert_true(above > 0);
  sotto_dataset_free(&data);
}

static void without_privacy_nothing_is_charged(void **state) {
  (void)state;
  sotto_dataset data = make_data();
  static const struct {
    const char *method;
    price_fn price;
  } rows[] = {{"sage", sotto_i_price_nothing},
              {"pertgraph", sotto_i_pertgraph_price},
              {"dpdgc", sotto_i_dpdgc_price},
              {"best", sotto_i_counts_price},
              {"lpgnet", sotto_i_counts_price}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = make_options(rows[i].method, INFINITY);
    assert_int_equal(price(rows[i].price, &o, &data).count, 0);
    o.epsilon = 1;
    CHECK_OK(sotto_options_set(&o, "adjacency", "none", &err));
    assert_int_equal(price(rows[i].price, &o, &data).count, 0);
  }
  sotto_dataset_free(&data);
}

static void what_a_method_does_not_protect_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *method, *adjacency;
    sotto_status status;
  } rows[] = {{"sage", "edge", SOTTO_UNSUPPORTED},
              {"best", "k-neighbour", SOTTO_UNSUPPORTED},
              {"best", "edge", SOTTO_OK},
              {"vesper", "k-neighbour", SOTTO_UNSUPPORTED},
              {"gnn", "node", SOTTO_UNSUPPORTED},
              {"gap", "k-neighbour", SOTTO_UNSUPPORTED},
              {"mlp", "k-neighbour", SOTTO_UNSUPPORTED},
              {"dpdgc", "k-neighbour", SOTTO_OK},
              {"sage", "none", SOTTO_OK},
              {"lpgnet", "edge", SOTTO_OK},
              {"mlp", "node", SOTTO_OK},
              {"mlp", "edge", SOTTO_OK}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = make_options(rows[i].method, 1);
    CHECK_OK(sotto_options_set(&o, "data", "here", &err));
    CHECK_OK(sotto_options_set(&o, "adjacency", rows[i].adjacency, &err));
    CHECK_FAILS(rows[i].status, rows[i].status == SOTTO_OK ? "" : "does not protect",
                sotto_options_check(&o, &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pure_prices_add_up_to_epsilon),
      cmocka_unit_test(the_price_of_one_noisy_sum_is_one_gaussian_release),
      cmocka_unit_test(what_dpsgd_is_charged_lies_above_what_it_shows),
      cmocka_unit_test(without_privacy_nothing_is_charged),
      cmocka_unit_test(what_a_method_does_not_protect_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
