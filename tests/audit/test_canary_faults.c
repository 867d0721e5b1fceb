/* Faults in releases, each caught by a canary and by its name. */
#include "canaries.h"
#include "check.h"
#include "faults/extra_hop.h"

static void send_twice(sotto_i_canary *c) {
  c->releases *= 2;
}

/* The plan says floor 3 and the kernel has none. */
static void forget_floor(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    c->world[which].plan.options.degree_floor = 0;
    sotto_operator_free(c->world[which].spread);
    CHECK_OK(sotto_operator_new(&c->world[which].spread, &c->world[which].graph, SOTTO_AGGREGATOR_GCN, 0,
                                true, &err));
  }
}

static void shrink_laplace(sotto_i_canary *c) {
  CHECK_OK(sotto_laplace_grid_whole(&c->grid, c->grid.scale / 2, &err));
}

static void noise_that_is_halved_is_caught(void **state) {
  (void)state;
  static const char *const weights[] = {"method", "vesper", "publication", "layers", "epsilon",       "4",
                                        "hidden", "8",      "layers",      "2",      "layer-weights", "true",
                                        NULL};
  const sotto_options layers = check_canary_options(check_canary_gap),
                      counts = check_canary_options(check_canary_best),
                      weighed = check_canary_options(weights);
  check_caught("noise is halved", &layers, SOTTO_I_CANARY_PAIR, check_halve_noise, 4000);
  check_caught("noise is halved, weights between layers", &weighed, SOTTO_I_CANARY_PAIR, check_halve_noise,
               4000);
  check_caught("noise of counts is halved", &counts, SOTTO_I_CANARY_PAIR, shrink_laplace, 20000);
}

static void a_release_sent_twice_and_charged_once_is_caught(void **state) {
  (void)state;
  const sotto_options options = check_canary_options(check_canary_gap);
  check_caught("a release is sent twice with fresh noise", &options, SOTTO_I_CANARY_PAIR, send_twice, 6000);
}

static void a_floor_that_the_kernel_forgets_is_caught(void **state) {
  (void)state;
  const sotto_options options = check_canary_options(check_canary_gcn);
  check_caught("the degree floor is forgotten", &options, SOTTO_I_CANARY_PAIR, forget_floor, 4000);
}

/* As the public code of Zheng et al. 2026 ends, at a stated epsilon of 1. */
static void a_hop_without_noise_at_the_end_is_caught(void **state) {
  (void)state;
  const sotto_options options = check_canary_options(check_canary_caribou);
  check_plant_hop(true);
  sotto_canary_result r = check_drawn(&options, SOTTO_I_CANARY_PAIR, NULL, 1000);
  check_plant_hop(false);
  check_say("caribou with one hop without noise at its end", &r);
  assert_false(r.holds);
  assert_true(r.lower > 1);
}

static void a_least_degree_read_off_the_graph_is_caught(void **state) {
  (void)state;
  static const char *const paper[] = {"method",      "caribou", "accounting", "paper",  "epsilon",
                                      "1",           "hidden",  "8",          "layers", "1",
                                      "contraction", "0.9",     "beta",       "2",      NULL};
  const sotto_options options = check_canary_options(paper);
  check_caught("caribou --accounting paper: the least degree", &options, SOTTO_I_CANARY_OWN, NULL, 2000);
}

/* The claim fails, and the noise is that of the plan. */
static void check_claim(const char *what, const sotto_options *o, double least) {
  const sotto_canary_result r = check_drawn(o, SOTTO_I_CANARY_CLAIM, NULL, 4000);
  check_say(what, &r);
  assert_true(r.stated == o->epsilon && r.noise_holds && !r.holds);
  assert_true(r.lower > least);
}

static void halve_grids(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    sotto_grid *grid = &c->world[which].plan.grid;
    CHECK_OK(sotto_grid_new(grid, grid->sigma / 2, &err));
  }
}

/* Wu et al. 2023, algorithm 2: on a star whose centre has the least degree D_min, the edge takes the centre's
 * row from cut off to whole, by more than proposition 2 has. */
static void truncated_message_passing_with_the_papers_sensitivity_is_caught_on_a_star(void **state) {
  static const char *const settings[] = {
      "method",     "vesper",       "aggregator", "gcn",     "accounting", "paper",  "layers",
      "1",          "degree-floor", "10",         "epsilon", "1",          "hidden", "8",
      "batch-size", "16",           "epochs",     "2",       "delta",      "1e-3",   NULL};
  const sotto_options o = check_canary_options(settings);
  (void)state;
  check_claim("vesper --accounting paper, gcn", &o, 2);
  const sotto_canary_result half = check_drawn(&o, SOTTO_I_CANARY_CLAIM, halve_grids, 1000);
  assert_false(half.noise_holds);
}

/* Zhou et al. 2021, algorithm 3: noise for one row of one epoch. */
static void noise_for_one_row_of_one_epoch_is_caught(void **state) {
  static const char *const settings[] = {"method", "vfgnn",   "accounting", "paper",  "layers",
                                         "2",      "epsilon", "1",          "hidden", "8",
                                         "epochs", "4",       "delta",      "1e-3",   NULL};
  const sotto_options o = check_canary_options(settings);
  (void)state;
  check_claim("vfgnn --accounting paper", &o, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_that_is_halved_is_caught),
      cmocka_unit_test(a_release_sent_twice_and_charged_once_is_caught),
      cmocka_unit_test(a_floor_that_the_kernel_forgets_is_caught),
      cmocka_unit_test(a_hop_without_noise_at_the_end_is_caught),
      cmocka_unit_test(a_least_degree_read_off_the_graph_is_caught),
      cmocka_unit_test(truncated_message_passing_with_the_papers_sensitivity_is_caught_on_a_star),
      cmocka_unit_test(noise_for_one_row_of_one_epoch_is_caught),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
