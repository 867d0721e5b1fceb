/* Canaries of whole releases: honest runs pass, and show most of what they state. */
#include <math.h>

#include "audit/graph_less.h"
#include "canaries.h"
#include "check.h"
#include "inside/dp.h"
#include "small_graph.h"

static const char *const gap_two[] = {"method", "gap", "epsilon", "4", "hidden", "8", "layers", "2", NULL},
                         *const mean[] = {"method",       "vesper",  "publication", "layers", "aggregator",
                                          "mean",         "epsilon", "4",           "hidden", "8",
                                          "degree-floor", "3",       "layers",      "1",      NULL},
                         *const weights[] = {
                             "method", "vesper", "publication", "layers",        "epsilon", "4", "hidden",
                             "8",      "layers", "3",           "layer-weights", "true",    NULL};

static void honest_runs_pass_and_layers_show_most_of_what_they_state(void **state) {
  (void)state;
  const sotto_options sum = check_canary_options(check_canary_gap), two = check_canary_options(gap_two),
                      gcns = check_canary_options(check_canary_gcn), means = check_canary_options(mean),
                      hidden = check_canary_options(check_canary_caribou),
                      counts = check_canary_options(check_canary_best),
                      weighed = check_canary_options(weights);
  check_honest("gap, one layer, a pair", &sum, SOTTO_I_CANARY_PAIR, 0.8, 6000);
  check_honest("gap, two layers, a pair", &two, SOTTO_I_CANARY_PAIR, 0.8, 6000);
  check_honest("gcn, stars", &gcns, SOTTO_I_CANARY_STARS, 0.7, 6000);
  check_honest("mean, stars", &means, SOTTO_I_CANARY_STARS, 0.7, 6000);
  check_honest("caribou, a pair", &hidden, SOTTO_I_CANARY_PAIR, 0, 2000);
  check_honest("caribou, stars", &hidden, SOTTO_I_CANARY_STARS, 0, 2000);
  check_honest("vesper, weights between layers, a pair", &weighed, SOTTO_I_CANARY_PAIR, 0.7, 6000);
  check_honest("best", &counts, SOTTO_I_CANARY_PAIR, 0, 20000);
}

static void halve_all(sotto_i_canary *c) {
  check_halve_noise(c);
  check_halve_beside(c);
}

static void halve_parts(sotto_i_canary *c) {
  sotto_discrete_gaussian *each = &c->summed.each;
  CHECK_OK(sotto_discrete_gaussian_new(each, each->sigma / 2, &err));
}

/* One client leaves its part out. */
static void one_part_less(sotto_i_canary *c) {
  c->summed.counted = 1;
}

static void halve_laplace(sotto_i_canary *c) {
  CHECK_OK(sotto_laplace_grid_whole(&c->grid, c->grid.scale / 2, &err));
}

static void halve_flips(sotto_i_canary *c) {
  c->clusters.flip /= 2;
}

/* An edge between two clients, in the tables of both; and what a client reports of a node. */
static void edges_between_clients_show_most_of_what_they_state(void **state) {
  (void)state;
  const char *const settings[] = {"method",  "fedavg", "adjacency", "edge",         "epsilon", "2",
                                  "clients", "3",      "partition", "linked:alike", NULL};
  const sotto_options linked = check_canary_options(settings);
  assert_true(sotto_i_canary_fits(SOTTO_I_CANARY_CLUSTER, &linked));
  check_honest("fedavg, an edge between clients", &linked, SOTTO_I_CANARY_PAIR, 0, 20000);
  check_honest("fedavg, a reported cluster", &linked, SOTTO_I_CANARY_CLUSTER, 0, 20000);
  check_caught("fedavg, an edge between clients, noise is halved", &linked, SOTTO_I_CANARY_PAIR,
               halve_laplace, 20000);
  check_caught("fedavg, a reported cluster, half the flips", &linked, SOTTO_I_CANARY_CLUSTER, halve_flips,
               20000);
}

/* Clients add noise together; a node turns round in every round. */
static void a_node_of_a_federation_shows_most_of_what_all_rounds_state(void **state) {
  (void)state;
  const char *const settings[] = {"method", "fedavg", "adjacency",  "node",    "epsilon",
                                  "4",      "delta",  "1e-4",       "clients", "3",
                                  "rounds", "10",     "batch-rate", "1",       NULL},
                    *const central[] = {"method",     "fedavg", "adjacency", "node",    "epsilon", "4",
                                        "delta",      "1e-4",   "clients",   "3",       "rounds",  "10",
                                        "batch-rate", "1",      "noise",     "central", NULL};
  const char *const clients[] = {"method", "fedavg",  "adjacency", "client", "epsilon", "4", "delta",
                                 "1e-4",   "clients", "3",         "rounds", "10",      NULL};
  const sotto_options together = check_canary_options(settings), trusted = check_canary_options(central),
                      whole = check_canary_options(clients);
  check_honest("fedavg, a node", &together, SOTTO_I_CANARY_NODE, 0.7, 3000);
  check_honest("fedavg, a node, a trusted server", &trusted, SOTTO_I_CANARY_NODE, 0.7, 3000);
  check_honest("fedavg, a client", &whole, SOTTO_I_CANARY_NODE, 0.7, 3000);
  check_caught("fedavg, a client, noise is halved", &whole, SOTTO_I_CANARY_NODE, halve_parts, 3000);
  check_caught("fedavg, a node, noise is halved", &together, SOTTO_I_CANARY_NODE, halve_parts, 3000);
  check_caught("fedavg, a node, two parts are missing", &together, SOTTO_I_CANARY_NODE, one_part_less, 3000);
}

static void halve_table(sotto_i_canary *c) {
  sotto_grid *grid = &c->world[0].plan.grid;
  CHECK_OK(sotto_grid_new(grid, grid->sigma / 2, &err));
}

/* At node level the release has its share of the budget, which is what is stated of it. */
static void a_node_shows_most_of_what_its_release_states(void **state) {
  (void)state;
  const sotto_options gap_node = check_canary_node_options("gap", "1"),
                      caribou_node = check_canary_node_options("caribou", "2");
  check_honest("gap, a node", &gap_node, SOTTO_I_CANARY_NODE, 0.6, 4000);
  check_honest("caribou, a node", &caribou_node, SOTTO_I_CANARY_NODE, 0, 1000);
  const char *const best_settings[] = {"method",     "best", "adjacency", "node", "epsilon",       "8",
                                       "max-degree", "20",   "delta",     "1e-4", "encoder-share", "0.5",
                                       NULL};
  const sotto_options best_node = check_canary_options(best_settings);
  check_honest("best, a node", &best_node, SOTTO_I_CANARY_NODE, 0.7, 4000);
  check_caught("best, a node, noise is halved", &best_node, SOTTO_I_CANARY_NODE, halve_table, 4000);
  check_caught("gap, a node, noise is halved", &gap_node, SOTTO_I_CANARY_NODE, check_halve_noise, 4000);
}

/* Noisy own rows and noisy layers of the same rows, together. */
static void a_node_of_vesper_shows_most_of_what_both_releases_state(void **state) {
  (void)state;
  static const char *const gin[] = {"method",     "vesper", "adjacency", "node", "aggregator", "gin",
                                    "max-degree", "6",      "epsilon",   "8",    "hidden",     "8",
                                    "layers",     "2",      "delta",     "1e-3", NULL},
                           *const gcn_node[] = {"method",        "vesper", "adjacency",  "node",
                                                "aggregator",    "gcn",    "max-degree", "6",
                                                "epsilon",       "8",      "hidden",     "8",
                                                "layers",        "1",      "delta",      "1e-3",
                                                "encoder-share", "0.2",    NULL};
  const sotto_options sums = check_canary_options(gin), weighted = check_canary_options(gcn_node);
  check_honest("vesper gin, a node", &sums, SOTTO_I_CANARY_NODE, 0.6, 4000);
  check_honest("vesper gcn, a node", &weighted, SOTTO_I_CANARY_NODE, 0.5, 4000);
  check_caught("vesper, a node, noise is halved", &sums, SOTTO_I_CANARY_NODE, halve_all, 4000);
  check_caught("vesper, a node, noise of own rows is halved", &sums, SOTTO_I_CANARY_NODE, check_halve_beside,
               4000);
  check_caught("vesper, a node, noise of layers is halved", &weighted, SOTTO_I_CANARY_NODE, check_halve_noise,
               4000);
}

/* Alarms of 200 honest audits are at most Binomial(200, 5%): above 22 once in two thousand times. The noise
 * is the system's, so there is no seed to repeat. */
static void honest_runs_are_failed_no_more_often_than_stated(void **state) {
  (void)state;
  enum { runs = 200, most = 22 };
  const sotto_options options = check_canary_options(check_canary_gap);
  sotto_dataset data = check_ring(20, 7);
  sotto_i_canary canary;
  int alarms = 0;
  double total = 0;
  check_canary(&canary, &options, SOTTO_I_CANARY_PAIR, &data);
  for (int run = 0; run < runs; run++) {
    sotto_canary_result r = check_judged(&canary, 400);
    alarms += r.holds ? 0 : 1;
    total += r.mu_lower / runs;
  }
  (void)printf("  %d alarms of %d honest runs; mu %.3f stated, %.3f shown on the average\n", alarms, runs,
               canary.stated.mu, total);
  assert_true(alarms <= most);
  assert_true(total > canary.stated.mu / 3);
  sotto_i_canary_free(&canary);
  check_ring_free(&data);
}

static void a_graph_without_edges_lacks_these_and_no_others(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 30; round++) {
    sotto_dataset data = check_ring(20 + (uint32_t)sotto_i_random_below(&random, 40), 7);
    const uint32_t nodes = (uint32_t)data.graph.nodes;
    sotto_i_edge gone[12];
    bool left_out[60][60] = {{false}};
    sotto_graph less;
    size_t count = sotto_i_random_below(&random, 12);
    for (size_t i = 0; i < count; i++) { /* some of them are no edges, some come twice */
      uint32_t u = (uint32_t)sotto_i_random_below(&random, nodes), v = (u + (i % 3 == 0 ? 5 : 1)) % nodes;
      gone[i] = (sotto_i_edge){u, v};
      left_out[u][v] = left_out[v][u] = true;
    }
    CHECK_OK(sotto_i_graph_less(&less, &data.graph, gone, count, &err));
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = 0; v < nodes; v++)
        assert_true(check_has_edge(&less, u, v) == (check_has_edge(&data.graph, u, v) && !left_out[u][v]));
    sotto_graph_free(&less);
    check_ring_free(&data);
  }
}

static void likelier(sotto_i_canary *c) {
  c->chance = fmin(0.9, 2 * c->chance);
}

/* Graphs are perturbed by the run's own code. An event that is half as likely as stated is objected to. */
static void perturbed_graphs_show_what_their_noise_states(void **state) {
  (void)state;
  static const char *const words[] = {"asymmetric", "edgerand", "lapgraph"};
  for (size_t i = 0; i < 3; i++) {
    const char *const settings[] = {"method", "pertgraph", "publication", words[i], "epsilon", "3", NULL};
    const sotto_options o = check_canary_options(settings);
    check_honest(words[i], &o, SOTTO_I_CANARY_PAIR, 0, 1000);
    if (i != 1) check_honest(words[i], &o, SOTTO_I_CANARY_COUNT, 0, 1000);
    if (i != 1) check_caught(words[i], &o, SOTTO_I_CANARY_COUNT, likelier, 1000);
  }
}

/* Each node of a pair of one level counts the other. */
static void ties_of_counts_are_tested_as_well(void **state) {
  (void)state;
  const sotto_options o = check_canary_options(check_canary_best);
  assert_true(sotto_i_canary_fits(SOTTO_I_CANARY_TIE, &o));
  check_honest("best, a pair of alike nodes", &o, SOTTO_I_CANARY_TIE, 0, 20000);
  assert_true(sotto_i_canary_fits(SOTTO_I_CANARY_PILOT, &o));
  check_honest("best, a pilot and another node", &o, SOTTO_I_CANARY_PILOT, 0, 20000);
  assert_true(sotto_i_canary_fits(SOTTO_I_CANARY_SUM, &o));
  check_honest("best, two nodes whose features are added up", &o, SOTTO_I_CANARY_SUM, 0, 20000);
}

static void what_canaries_do_not_cover_is_refused_by_name(void **state) {
  (void)state;
  static const char *const clear[] = {"method", "gap", "epsilon", "inf", NULL},
                           *const node[] = {"method", "mlp", "adjacency", "node", "max-degree", "10", NULL},
                           *const both[] = {"method",      "vesper", "publication", "layers",
                                            "label-edges", "0.5",    NULL};
  const sotto_options no_noise = check_canary_options(clear), nodes = check_canary_options(node),
                      two = check_canary_options(both);
  sotto_dataset data = check_ring(20, 7);
  sotto_i_canary canary;
  CHECK_FAILS(SOTTO_INVALID, "no noise",
              sotto_i_canary_new(&canary, &no_noise, &data, SOTTO_I_CANARY_PAIR, 1, 1, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "adjacency",
              sotto_i_canary_new(&canary, &nodes, &data, SOTTO_I_CANARY_PAIR, 1, 1, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "label-edges",
              sotto_i_canary_new(&canary, &two, &data, SOTTO_I_CANARY_PAIR, 1, 1, &err));
  check_ring_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(honest_runs_pass_and_layers_show_most_of_what_they_state),
      cmocka_unit_test(a_node_shows_most_of_what_its_release_states),
      cmocka_unit_test(edges_between_clients_show_most_of_what_they_state),
      cmocka_unit_test(a_node_of_a_federation_shows_most_of_what_all_rounds_state),
      cmocka_unit_test(a_node_of_vesper_shows_most_of_what_both_releases_state),
      cmocka_unit_test(honest_runs_are_failed_no_more_often_than_stated),
      cmocka_unit_test(a_graph_without_edges_lacks_these_and_no_others),
      cmocka_unit_test(perturbed_graphs_show_what_their_noise_states),
      cmocka_unit_test(ties_of_counts_are_tested_as_well),
      cmocka_unit_test(what_canaries_do_not_cover_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
