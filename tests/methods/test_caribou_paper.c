/* CARIBOU as its paper accounts for it: the claim, and what the same noise gives on every graph. */
#include "methods/layers_then_classify/caribou_paper.h"

#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "sotto/claims.h"

enum { ring = 12 };

/* Every node has two neighbours. */
static sotto_graph ring_graph(uint64_t offsets[ring + 1], uint32_t targets[2 * ring]) {
  for (uint32_t v = 0; v <= ring; v++) offsets[v] = 2 * v;
  for (uint32_t v = 0; v < ring; v++) {
    uint32_t before = (v + ring - 1) % ring, after = (v + 1) % ring;
    targets[2 * v] = before < after ? before : after;
    targets[2 * v + 1] = before < after ? after : before;
  }
  return (sotto_graph){.nodes = ring, .entries = 2 * ring, .offsets = offsets, .targets = targets};
}

static sotto_options options_of(const char *epsilon, const char *layers) {
  const char *const settings[][2] = {{"method", "caribou"},  {"data", "made"},     {"accounting", "paper"},
                                     {"epsilon", epsilon},   {"layers", layers},   {"alpha", "0.5"},
                                     {"contraction", "0.9"}, {"adjacency", "edge"}};
  sotto_options options;
  sotto_options_default(&options);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    CHECK_OK(sotto_options_set(&options, settings[i][0], settings[i][1], &err));
  sotto_options_resolve(&options);
  CHECK_OK(sotto_options_check(&options, &err));
  return options;
}

/* Theorem 3 with the paper's sensitivity, written out. */
static double claimed_mu(double sensitivity, double noise, int layers, double l) {
  double power = pow(l, layers);
  return sensitivity / noise * sqrt((1 - power) / (1 + power) * (1 + l) / (1 - l));
}

static void the_noise_is_the_papers_and_the_charge_is_what_holds(void **state) {
  (void)state;
  uint64_t offsets[ring + 1];
  uint32_t targets[2 * ring];
  const sotto_graph graph = ring_graph(offsets, targets);
  for (int layers = 1; layers <= 3; layers++) {
    const char *const words[] = {"1", "2", "3"};
    const sotto_options options = options_of("2", words[layers - 1]);
    sotto_contractive_plan plan;
    sotto_paper_claim claim;
    double wanted;
    CHECK_OK(sotto_i_caribou_paper_plan(&plan, &claim, &options, &graph, &err));
    CHECK_OK(sotto_gdp_mu(&wanted, 2, options.delta, &err));
    assert_int_equal(claim.least_degree, 2);
    /* C(3) = 3 (1/2 - 1/sqrt 5) = 0.158359 */
    CHECK_NEAR(claim.sensitivity, sqrt(2) * 0.45 * (1.0 / 12 + 0.1583592 / sqrt(3) + 1.0 / 4), 1e-6);
    CHECK_NEAR(claimed_mu(claim.sensitivity, claim.noise, layers, 0.9) / wanted, 1, 1e-4);
    CHECK_NEAR(plan.mu / wanted,
               0.45 * sotto_edge_sensitivity(SOTTO_AGGREGATOR_GCN, 0, true) / claim.sensitivity, 1e-4);
    assert_true(plan.mu > wanted);
  }
}

static void without_privacy_nothing_is_claimed(void **state) {
  (void)state;
  uint64_t offsets[ring + 1];
  uint32_t targets[2 * ring];
  const sotto_graph graph = ring_graph(offsets, targets);
  const sotto_options options = options_of("inf", "2");
  sotto_contractive_plan plan;
  sotto_paper_claim claim;
  CHECK_OK(sotto_i_caribou_paper_plan(&plan, &claim, &options, &graph, &err));
  assert_true(plan.grid.sigma == 0 && isinf(plan.mu) && claim.epsilon == 0);
}

/* The change of one row, by search over degrees: theorem 4's terms bound it where no degree is below the
 * least. */
static void the_formula_bounds_a_row_where_the_least_degree_is_the_graphs(void **state) {
  (void)state;
  for (uint64_t least = 1; least <= 12; least++) {
    double sensitivity, worst = 0, d = (double)least;
    CHECK_OK(sotto_paper_caribou(&sensitivity, 0.5, 1, least, &err));
    for (double a = d; a < d + 60; a++) { /* of the end, before the edge is added */
      double own = 1 / (a + 1) - 1 / (a + 2);
      double around = a * (1 / sqrt(a + 1) - 1 / sqrt(a + 2)) / sqrt(d + 1),
             edge = 1 / sqrt((a + 2) * (d + 2));
      if (own + around + edge > worst) worst = own + around + edge;
    }
    assert_true(sqrt(2) * 0.5 * worst <= sensitivity + 1e-12);
    if (least > 3) CHECK_NEAR(sqrt(2) * 0.5 * worst, sensitivity, 1e-12);
  }
  double unused;
  CHECK_FAILS(SOTTO_RANGE, "contraction", sotto_paper_caribou(&unused, 1, 1, 2, &err));
  CHECK_FAILS(SOTTO_RANGE, "graph_weight", sotto_paper_caribou(&unused, 0.5, 2, 2, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_noise_is_the_papers_and_the_charge_is_what_holds),
      cmocka_unit_test(without_privacy_nothing_is_claimed),
      cmocka_unit_test(the_formula_bounds_a_row_where_the_least_degree_is_the_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
