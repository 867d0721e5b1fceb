/* Faults in releases, each caught by a canary and by its name. */
#include <math.h>

#include "audit/statistics/audit.h"
#include "canaries.h"
#include "check.h"
#include "faults/extra_hop.h"
#include "inside/audit.h"
#include "inside/dp.h"
#include "inside/tensor.h"
#include "methods/vesper/as_published/vesper_paper_layers.h"
#include "sotto/claims.h"

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

/* Wu et al. 2023, algorithm 2, with the sensitivity of its proposition 2: on a star whose centre has the
 * least degree D_min, the edge takes the centre's row and those of its neighbours from cut off to whole. */
typedef struct truncated {
  sotto_graph graph[2];
  sotto_options options;
  double sigma;
  sotto_matrix rows, clean[2];
} truncated;

enum { least_degree = 10, star_cols = 4 };

static void one_layer(sotto_matrix *out, const truncated *t, int which) {
  sotto_i_sampler sampler;
  sotto_tape *tape;
  sotto_key key;
  uint32_t roots[least_degree + 1];
  const size_t nodes = t->graph[which].nodes;
  for (uint32_t v = 0; v < nodes; v++) roots[v] = v;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_i_sampler_new(&sampler, &t->options, &t->graph[which], &err));
  CHECK_OK(sotto_i_sampler_draw(&sampler, roots, nodes, &key, &err));
  sotto_matrix x;
  CHECK_OK(sotto_matrix_new(&x, sampler.count, star_cols, &err));
  for (size_t i = 0; i < sampler.count; i++)
    memcpy(x.data + i * star_cols, t->rows.data + sampler.list[i] * star_cols, star_cols * sizeof(float));
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var y = sotto_i_block_var(&sampler.block[0], tape, sotto_tape_constant(tape, &x));
  CHECK_OK(sotto_tape_copy(out, tape, y, &err));
  sotto_tape_free(tape);
  sotto_matrix_free(&x);
  sotto_i_sampler_free(&sampler);
}

static sotto_status draw_truncated(void *context, double *value, bool second, const sotto_key *key,
                                   sotto_error *err) {
  const truncated *t = context;
  const sotto_matrix *clean = &t->clean[second ? 1 : 0];
  sotto_matrix y;
  sotto_grid grid;
  sotto_status status = sotto_matrix_new(&y, clean->rows, clean->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(y.data, clean->data, y.rows * y.cols * sizeof(float));
  SOTTO_TRY(sotto_grid_new(&grid, t->sigma, err));
  SOTTO_TRY(sotto_grid_add_noise(&y, &grid, key, 0, err));
  *value = 0;
  for (size_t i = 0; i < y.rows * y.cols; i++)
    *value += (double)y.data[i] * ((double)t->clean[1].data[i] - (double)t->clean[0].data[i]);
done:
  sotto_matrix_free(&y);
  return status;
}

static void truncated_message_passing_with_the_papers_sensitivity_is_caught_on_a_star(void **state) {
  (void)state;
  static const char *const settings[] = {"method", "vesper", "aggregator",   "gcn", "accounting", "paper",
                                         "layers", "1",      "degree-floor", "10",  NULL};
  truncated t = {.options = check_canary_options(settings)};
  uint32_t from[least_degree], to[least_degree];
  double eta, mu, square = 0;
  for (uint32_t i = 0; i < least_degree; i++) {
    from[i] = 0;
    to[i] = i + 1;
  }
  CHECK_OK(sotto_matrix_new(&t.rows, least_degree + 1, star_cols, &err));
  for (size_t v = 0; v <= least_degree; v++) t.rows.data[v * star_cols] = 1;
  for (uint32_t which = 0; which < 2; which++) {
    CHECK_OK(
        sotto_graph_from_pairs(&t.graph[which], least_degree + 1, from, to, least_degree - 1 + which, &err));
    one_layer(&t.clean[which], &t, (int)which);
  }
  for (size_t i = 0; i < t.clean[0].rows * star_cols; i++)
    square += pow((double)t.clean[1].data[i] - (double)t.clean[0].data[i], 2);
  CHECK_OK(sotto_paper_vesper_eta(&eta, least_degree, &err));
  CHECK_OK(sotto_gdp_mu(&mu, 1, 1e-6, &err));
  t.sigma = eta / mu;
  const sotto_canary canary = {
      .context = &t, .statistics = 1, .draw = draw_truncated, .epsilon = 1, .delta = 1e-6, .mu = mu};
  sotto_canary_result r;
  CHECK_OK(sotto_i_audit_canary(&r, &canary, 2000, &(sotto_i_cells){0}, NULL, &err));
  (void)printf("  star of %d: claimed %.4f, changes by %.4f\n", least_degree, eta, sqrt(square));
  check_say("truncated message passing on a star", &r);
  assert_false(r.holds);
  assert_true(r.lower > 1);
  for (int which = 0; which < 2; which++) {
    sotto_graph_free(&t.graph[which]);
    sotto_matrix_free(&t.clean[which]);
  }
  sotto_matrix_free(&t.rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_that_is_halved_is_caught),
      cmocka_unit_test(a_release_sent_twice_and_charged_once_is_caught),
      cmocka_unit_test(a_floor_that_the_kernel_forgets_is_caught),
      cmocka_unit_test(a_hop_without_noise_at_the_end_is_caught),
      cmocka_unit_test(a_least_degree_read_off_the_graph_is_caught),
      cmocka_unit_test(truncated_message_passing_with_the_papers_sensitivity_is_caught_on_a_star),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
