/* Method best at node level: the table of classes and clusters, what one node can move of it, and what it
 * gains. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/best/best_node.h"
#include "release/plan.h"
#include "sotto/generate.h"

enum { most_nodes = 40, classes = 4 };
static sotto_i_random stream;

static uint32_t draw(uint32_t below) {
  return (uint32_t)sotto_i_random_below(&stream, below);
}

/* Nodes with a label, a cluster and edges; the first `train` are training nodes. */
typedef struct world {
  uint32_t nodes, train;
  bool edge[most_nodes][most_nodes];
  int32_t label[most_nodes];
  uint32_t cluster[most_nodes];
} world;

static uint32_t degree(const world *w, uint32_t v) {
  uint32_t count = 0;
  for (uint32_t u = 0; u < w->nodes; u++) count += w->edge[v][u];
  return count;
}

/* The slow obvious table: over all pairs. */
static void reference(double table[classes][classes], const world *w) {
  memset(table, 0, sizeof(double) * classes * classes);
  for (uint32_t v = 0; v < w->train; v++)
    for (uint32_t u = 0; u < w->nodes; u++)
      if (w->edge[v][u]) table[w->label[v]][w->cluster[u]]++;
}

static void join(world *w, uint32_t a, uint32_t b, bool edge) {
  w->edge[a][b] = w->edge[b][a] = edge;
}

/* Random edges at `v`, with no degree above `most`. */
static void draw_node(world *w, uint32_t v, uint32_t most) {
  for (uint32_t u = 0; u < w->nodes; u++) join(w, v, u, false);
  const uint32_t wanted = draw(most + 1);
  for (uint32_t tries = 0; tries < 200 && degree(w, v) < wanted; tries++) {
    const uint32_t u = draw(w->nodes);
    if (u != v && degree(w, u) < most) join(w, v, u, true);
  }
  w->label[v] = (int32_t)draw(classes);
  w->cluster[v] = draw(classes);
}

static world draw_world(uint32_t most) {
  world w = {.nodes = 12 + draw(most_nodes - 12)};
  w.train = 1 + draw(w.nodes);
  for (uint32_t v = 0; v < w.nodes; v++) draw_node(&w, v, most);
  return w;
}

static double distance(double a[classes][classes], double b[classes][classes]) {
  double sum = 0;
  for (int c = 0; c < classes; c++)
    for (int j = 0; j < classes; j++) sum += (a[c][j] - b[c][j]) * (a[c][j] - b[c][j]);
  return sqrt(sum);
}

/* How far one node moves the table: any node of a random graph, or the worst that the adversary knows. */
static double moved(const world *before, const world *after) {
  double a[classes][classes], b[classes][classes];
  reference(a, before);
  reference(b, after);
  return distance(a, b);
}

/* Node 0 and its neighbours are of one class and one cluster, before and after of different ones. */
static world star(uint32_t most, int32_t label, uint32_t first) {
  world w = {.nodes = 1 + 2 * most, .train = 1 + 2 * most};
  for (uint32_t v = 1; v < w.nodes; v++) {
    w.label[v] = v <= most ? 0 : 1;
    w.cluster[v] = v <= most ? 0 : 1;
  }
  w.label[0] = label;
  w.cluster[0] = (uint32_t)label;
  for (uint32_t k = 0; k < most; k++) join(&w, 0, first + k, true);
  return w;
}

static void one_node_moves_the_table_by_the_bound_at_most(void **state) {
  (void)state;
  double reached = 0;
  const uint32_t most = 8;
  for (int round = 0; round < 3000; round++) {
    const world before = draw_world(most);
    world after = before;
    draw_node(&after, draw(before.nodes), most);
    reached = fmax(reached, moved(&before, &after));
  }
  assert_true(reached <= sotto_i_class_table_sensitivity(most));
  const world before = star(most, 0, 1), after = star(most, 1, 1 + most);
  const double worst = moved(&before, &after), bound = sotto_i_class_table_sensitivity(most);
  assert_true(worst <= bound * (1 + 1e-12));
  assert_true(worst >= 0.999 * bound); /* it is met */
  print_message("  random search %.3f, adversary %.3f of %.3f\n", reached, worst, bound);
}

static sotto_graph graph_of(const world *w) {
  sotto_graph graph;
  uint32_t from[most_nodes * most_nodes], to[most_nodes * most_nodes];
  size_t count = 0;
  for (uint32_t a = 0; a < w->nodes; a++)
    for (uint32_t b = 0; b < a; b++)
      if (w->edge[a][b]) from[count] = a, to[count++] = b;
  CHECK_OK(sotto_graph_from_pairs(&graph, w->nodes, from, to, count, &err));
  return graph;
}

static void tables_and_answers_are_those_of_the_slow_way(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    world w = draw_world(6);
    sotto_graph graph = graph_of(&w);
    sotto_matrix base, table, out;
    uint32_t rows[most_nodes];
    double wanted[classes][classes];
    sotto_i_parted parted = {.split.rows[SOTTO_PART_TRAIN] = rows,
                             .split.count[SOTTO_PART_TRAIN] = w.train,
                             .labels[SOTTO_PART_TRAIN] = w.label};
    for (uint32_t v = 0; v < w.train; v++) rows[v] = v;
    CHECK_OK(sotto_matrix_new(&base, w.nodes, classes, &err));
    CHECK_OK(sotto_matrix_new(&table, classes, classes, &err));
    for (size_t i = 0; i < base.rows * classes; i++) base.data[i] = -1 - (float)draw(100) / 50;
    for (uint32_t v = 0; v < w.nodes; v++) base.data[v * classes + w.cluster[v]] = -0.5F;
    sotto_i_class_table_fill(&table, &graph, &base, &parted);
    reference(wanted, &w);
    for (int c = 0; c < classes; c++)
      for (int j = 0; j < classes; j++) assert_float_equal(table.data[c * classes + j], wanted[c][j], 0);
    sotto_i_class_table_logs(&table, 0.5);
    for (int c = 0; c < classes; c++) {
      double sum = 0;
      for (int j = 0; j < classes; j++) sum += exp(table.data[c * classes + j]);
      CHECK_NEAR(sum, 1, 1e-6);
    }
    CHECK_OK(sotto_i_class_table_read(&out, &base, &graph, &table, &err));
    for (uint32_t v = 0; v < w.nodes; v++)
      for (int c = 0; c < classes; c++) {
        double sum = 0;
        for (uint32_t u = 0; u < w.nodes; u++)
          if (w.edge[v][u]) sum += table.data[c * classes + (int)w.cluster[u]];
        const double all =
            base.data[v * classes + (uint32_t)c] + (degree(&w, v) == 0 ? 0 : sum / sqrt(degree(&w, v)));
        CHECK_NEAR(out.data[v * classes + (uint32_t)c], all, 1e-4);
      }
    sotto_matrix_free(&base);
    sotto_matrix_free(&table);
    sotto_matrix_free(&out);
    sotto_graph_free(&graph);
  }
}

/* Counts below the least, as noise makes them, stand for the least. */
static void counts_below_the_least_are_raised_to_it(void **state) {
  (void)state;
  float values[] = {-7, 3, 1, 1};
  sotto_matrix table = {values, 2, 2};
  sotto_i_class_table_logs(&table, 1);
  CHECK_NEAR(values[0], log(0.25), 1e-6);
  CHECK_NEAR(values[1], log(0.75), 1e-6);
  CHECK_NEAR(values[3], log(0.5), 1e-6);
}

static sotto_result train(double inside, const char *folder) {
  const sotto_sbm_options sbm = {.nodes = 1500,
                                 .classes = 3,
                                 .features = 6,
                                 .degree_inside = inside,
                                 .degree_outside = 4,
                                 .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  sotto_options o;
  sotto_result result;
  sotto_options_default(&o);
  check_set(&o, "method", "best");
  check_set(&o, "data", "made");
  check_set(&o, "adjacency", "node");
  check_set(&o, "epsilon", "8");
  check_set(&o, "max-degree", "45");
  check_set(&o, "hidden", "8");
  check_set(&o, "epochs", "20");
  check_set(&o, "insecure-seed", "5");
  check_set(&o, "out", check_path(folder));
  check_set(&o, "ledger", check_new_ledger(check_path("ledger.db")));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  CHECK_OK(sotto_train(&result, &o, &data, NULL, NULL, &err));
  sotto_dataset_free(&data);
  return result;
}

static void neighbours_help_where_they_are_alike_and_harm_little_elsewhere(void **state) {
  (void)state;
  sotto_result alike = train(16, "alike"), unlike = train(2, "unlike");
  const double gain = alike.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] -
                      alike.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY],
               loss = unlike.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY] -
                      unlike.seeds[0].test.of[SOTTO_MEASURE_ACCURACY];
  print_message("  gain %.3f, loss %.3f\n", gain, loss);
  assert_true(gain > 0.05);
  assert_true(loss < 0.03);
  sotto_result_free(&alike);
  sotto_result_free(&unlike);
}

/* Where the noise's grid is wider than a count, rounding is paid for: no more than epsilon is asked. */
static void a_wide_grid_costs_no_more_than_epsilon(void **state) {
  (void)state;
  static const char *const bounds[] = {"10", "500", "5000", "1000000"};
  const sotto_sbm_options sbm = {.nodes = 200,
                                 .classes = 20,
                                 .features = 20,
                                 .degree_inside = 3,
                                 .degree_outside = 1,
                                 .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    sotto_options o;
    sotto_cost cost;
    double epsilon;
    sotto_options_default(&o);
    check_set(&o, "method", "best");
    check_set(&o, "data", "made");
    check_set(&o, "adjacency", "node");
    check_set(&o, "epsilon", "0.5");
    check_set(&o, "max-degree", bounds[i]);
    check_set(&o, "steps", "5");
    sotto_options_resolve(&o);
    const sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
    CHECK_OK(sotto_i_best_node_price(&cost, &job, &err));
    CHECK_OK(sotto_i_cost_epsilon(&epsilon, &cost, 1, o.delta, &err));
    if (!(epsilon <= 0.5 && epsilon > 0.48)) fail_msg("max-degree %s: epsilon %.5f", bounds[i], epsilon);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  stream = check_random();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_node_moves_the_table_by_the_bound_at_most),
      cmocka_unit_test(tables_and_answers_are_those_of_the_slow_way),
      cmocka_unit_test(a_wide_grid_costs_no_more_than_epsilon),
      cmocka_unit_test(counts_below_the_least_are_raised_to_it),
      cmocka_unit_test(neighbours_help_where_they_are_alike_and_harm_little_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
