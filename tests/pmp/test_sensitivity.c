/* Sensitivities: the tabled values, the maximum behind the closed form, and pairs of graphs that come close.
 */
#include <math.h>

#include "check.h"
#include "inside/graph.h"
#include "inside/pmp.h"
#include "small_graph.h"
#include "sotto/pmp.h"

static void gcn_values_are_those_of_the_derivation(void **state) {
  (void)state;
  static const struct {
    uint64_t floor;
    double value;
  } rows[] = {{2, 0.6109}, {3, 0.4744}, {5, 0.3278}, {10, 0.1849}, {20, 0.0988}, {40, 0.0512}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_NEAR(sotto_edge_sensitivity(SOTTO_AGGREGATOR_GCN, rows[i].floor, true), rows[i].value, 6e-5);
}

/* docs/privacy/edge-level.md: R(a, b) and C(a) for an edge between nodes of degrees a and b before it is
 * removed. */
static double scale(double degree, double floor_degree) {
  return 1 / sqrt(fmax(degree, floor_degree) + 1);
}
static double own_change(double a, double b, double d, bool self) {
  double now = scale(a, d), then = scale(a - 1, d), own = self ? fabs(now * now - then * then) : 0;
  return own + now * scale(b, d) + (a - 1) * fabs(now - then) / sqrt(fmax(d, 1) + 1);
}
static double others_change(double a, double d) {
  return sqrt(a - 1) * fabs(scale(a, d) - scale(a - 1, d)) / sqrt(fmax(d, 1) + 1);
}

static void the_gcn_maximum_is_where_the_closed_form_says(void **state) {
  (void)state;
  for (int i = 0; i <= 121; i++) {
    int d = i / 2;
    bool self = i % 2 == 0;
    double most = 0;
    for (int a = 1; a <= 4 * d + 40; a++)
      for (int b = 1; b <= a; b++) {
        double x = own_change(a, b, d, self), y = own_change(b, a, d, self),
               c = others_change(a, d) + others_change(b, d);
        most = fmax(most, sqrt(x * x + y * y + c * c));
      }
    CHECK_NEAR(sotto_edge_sensitivity(SOTTO_AGGREGATOR_GCN, (uint64_t)d, self), most, 1e-12);
  }
}

static double change(const sotto_graph *with, const sotto_graph *without, const sotto_matrix *x,
                     sotto_aggregator kind, uint64_t floor_degree, bool self) {
  sotto_operator *a, *b;
  sotto_matrix ya, yb;
  double square = 0;
  CHECK_OK(sotto_operator_new(&a, with, kind, floor_degree, self, &err));
  CHECK_OK(sotto_operator_new(&b, without, kind, floor_degree, self, &err));
  CHECK_OK(sotto_matrix_new(&ya, x->rows, x->cols, &err));
  CHECK_OK(sotto_matrix_new(&yb, x->rows, x->cols, &err));
  CHECK_OK(sotto_operator_apply(a, &ya, x, &err));
  CHECK_OK(sotto_operator_apply(b, &yb, x, &err));
  for (size_t i = 0; i < x->rows * x->cols; i++) square += pow((double)ya.data[i] - yb.data[i], 2);
  sotto_matrix_free(&ya);
  sotto_matrix_free(&yb);
  sotto_operator_free(a);
  sotto_operator_free(b);
  return sqrt(square);
}

/* Two hubs of `degree` neighbours each (the other hub among them) that share the rest when `shared`; all rows
 * equal: the worst case of the derivation. */
static double hub_change(uint32_t degree, bool shared, sotto_aggregator kind, uint64_t floor_degree,
                         bool self) {
  uint32_t sources[4096], targets[4096];
  uint32_t count = 0, nodes = 2 + 2 * (degree - 1);
  for (uint32_t hub = 0; hub < 2; hub++)
    for (uint32_t i = 0; i + 1 < degree; i++) {
      sources[count] = hub;
      targets[count++] = 2 + i + (shared ? 0 : hub * (degree - 1));
    }
  sources[count] = 0;
  targets[count] = 1;
  sotto_graph with, without;
  sotto_matrix x;
  CHECK_OK(sotto_graph_from_pairs(&with, nodes, sources, targets, count + 1, &err));
  CHECK_OK(sotto_graph_from_pairs(&without, nodes, sources, targets, count, &err));
  CHECK_OK(sotto_matrix_new(&x, nodes, 1, &err));
  double most = 0;
  /* The hubs' own rows with every choice of signs. */
  for (int signs = 0; signs < 4; signs++) {
    for (uint32_t i = 0; i < nodes; i++) x.data[i] = i < 2 && (signs >> i & 1) != 0 ? -1 : 1;
    most = fmax(most, change(&with, &without, &x, kind, floor_degree, self));
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&with);
  sotto_graph_free(&without);
  return most;
}

static void hubs_stay_under_every_bound_and_come_close(void **state) {
  (void)state;
  static const sotto_aggregator kinds[] = {SOTTO_AGGREGATOR_SUM, SOTTO_AGGREGATOR_MEAN, SOTTO_AGGREGATOR_GCN};
  for (int k = 0; k < 3; k++)
    for (uint64_t d = 0; d <= 20; d += 5)
      for (int self = 0; self < 2; self++) {
        double bound = sotto_edge_sensitivity(kinds[k], d, self), most = 0;
        for (uint32_t degree = 1; degree <= 2 * d + 6; degree++)
          for (int shared = 0; shared < 2; shared++) {
            double found = hub_change(degree, shared, kinds[k], d, self);
            assert_true(found <= bound * (1 + 1e-6));
            most = fmax(most, found);
          }
        if (self) assert_true(most >= 0.7 * bound);
      }
}

static void random_graphs_stay_under_every_bound(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const sotto_aggregator kinds[] = {SOTTO_AGGREGATOR_SUM, SOTTO_AGGREGATOR_MEAN, SOTTO_AGGREGATOR_GCN};
  for (int round = 0; round < 60; round++) {
    uint32_t nodes = 2 + (uint32_t)sotto_i_random_below(&random, 20),
             edges = (uint32_t)sotto_i_random_below(&random, 60);
    uint32_t sources[61], targets[61];
    for (uint32_t i = 0; i < edges; i++) {
      sources[i] = (uint32_t)sotto_i_random_below(&random, nodes);
      targets[i] = (uint32_t)sotto_i_random_below(&random, nodes);
    }
    sotto_graph without, with;
    CHECK_OK(sotto_graph_from_pairs(&without, nodes, sources, targets, edges, &err));
    sources[edges] = 0;
    targets[edges] = 1;
    CHECK_OK(sotto_graph_from_pairs(&with, nodes, sources, targets, edges + 1, &err));
    sotto_matrix x = check_random_matrix(&random, nodes, 3);
    for (uint32_t i = 0; i < nodes; i++) {
      float *row = x.data + 3 * (size_t)i;
      float norm = sqrtf(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
      for (int j = 0; j < 3; j++) row[j] /= norm;
    }
    uint64_t d = sotto_i_random_below(&random, 12);
    for (int k = 0; k < 3; k++)
      for (int self = 0; self < 2; self++)
        assert_true(change(&with, &without, &x, kinds[k], d, self) <=
                    sotto_edge_sensitivity(kinds[k], d, self) * (1 + 1e-6));
    sotto_matrix_free(&x);
    sotto_graph_free(&with);
    sotto_graph_free(&without);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gcn_values_are_those_of_the_derivation),
      cmocka_unit_test(the_gcn_maximum_is_where_the_closed_form_says),
      cmocka_unit_test(hubs_stay_under_every_bound_and_come_close),
      cmocka_unit_test(random_graphs_stay_under_every_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
