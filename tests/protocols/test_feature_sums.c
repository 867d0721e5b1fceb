/* Sums of neighbours' features: how long a row is, and how far one edge moves all releases. */
#include "protocols/feature_sums.h"

#include <math.h>

#include "check.h"
#include "protocols/counts.h"
#include "protocols/pilots.h"

enum { nodes = 12, columns = 5, pairs = nodes * (nodes - 1) / 2 };

static double norm_of(const float *row, size_t cols) {
  double norm = 0;
  for (size_t j = 0; j < cols; j++) norm += fabs((double)row[j]);
  return norm;
}

/* Random rows of all lengths; the first two have a value that is no number, the third one has zeros alone. */
static void fill_rows(sotto_matrix *x, sotto_i_random *random) {
  for (size_t i = 0; i < x->rows * x->cols; i++)
    x->data[i] = (float)(pow(10, 4 * sotto_i_random_double(random) - 2) * sotto_i_random_normal(random));
  x->data[0] = NAN;
  x->data[x->cols] = INFINITY;
  for (size_t j = 0; j < x->cols; j++) x->data[2 * x->cols + j] = 0;
}

/* Every row has whole numbers within the bound. Returns the largest norm. */
static double check_rows(const sotto_matrix *x) {
  double most = 0;
  for (size_t v = 0; v < x->rows; v++) {
    const float *row = x->data + v * x->cols;
    const double norm = norm_of(row, x->cols);
    assert_true(norm <= SOTTO_I_SUM_UNITS);
    most = fmax(most, norm);
    for (size_t j = 0; j < x->cols; j++) assert_true(row[j] == truncf(row[j]));
  }
  assert_true(norm_of(x->data + 2 * x->cols, x->cols) == 0);
  return most;
}

/* Rows of one value alone, of many, of none, and with values that are no numbers. */
static void a_row_has_whole_numbers_and_a_bounded_norm(void **state) {
  enum { rows = 3000, wide = 64 };
  sotto_i_random random = check_random();
  double most = 0;
  (void)state;
  for (size_t cols = 1; cols <= wide; cols += wide - 1) {
    sotto_matrix x;
    CHECK_OK(sotto_matrix_new(&x, rows, cols, &err));
    fill_rows(&x, &random);
    sotto_i_feature_sums_rows(&x);
    most = fmax(most, check_rows(&x));
    if (cols == 1) assert_true(norm_of(x.data, cols) == 0 && norm_of(x.data + cols, cols) == 0);
    sotto_matrix_free(&x);
  }
  assert_true(most >= SOTTO_I_SUM_UNITS - wide);
}

/* Along directions too, of any length, and a row that is no number. */
static void a_directed_row_has_whole_numbers_and_a_bounded_norm(void **state) {
  enum { rows = 3000, wide = 8 };
  sotto_i_random random = check_random();
  double most = 0;
  (void)state;
  for (size_t cols = 1; cols <= wide; cols += 7) {
    sotto_matrix x;
    CHECK_OK(sotto_matrix_new(&x, rows, cols, &err));
    fill_rows(&x, &random);
    sotto_i_directed_rows(&x);
    most = fmax(most, check_rows(&x));
    assert_true(norm_of(x.data, cols) == 0 && norm_of(x.data + cols, cols) == 0);
    sotto_matrix_free(&x);
  }
  assert_true(most >= SOTTO_I_SUM_UNITS - wide);
}

/* At the bound a row more or less still moves a sum by itself at most, in any order. */
static void sums_that_are_held_move_no_more(void **state) {
  sotto_i_random random = check_random();
  bool held = false;
  (void)state;
  for (int round = 0; round < 2000; round++) {
    float with = (float)(SOTTO_I_MOST_SUM - sotto_i_random_below(&random, 600)), without = with;
    const uint64_t left = sotto_i_random_below(&random, 8);
    double moved = 0;
    for (uint64_t i = 0; i < 8; i++) {
      const float row = (float)sotto_i_random_below(&random, 2 * SOTTO_I_SUM_UNITS + 1) - SOTTO_I_SUM_UNITS;
      const float times = (float)(1 + i % 2);
      sotto_i_feature_sums_add(&with, &row, 1, times);
      if (i == left)
        moved = fabs((double)row * (double)times);
      else
        sotto_i_feature_sums_add(&without, &row, 1, times);
    }
    assert_true(fabs((double)with - (double)without) <= moved);
    held = held || with == (float)SOTTO_I_MOST_SUM;
  }
  assert_true(held);
}

typedef struct world {
  uint8_t group[nodes], usual[nodes];
  sotto_matrix rows;
  sotto_i_clusters clusters;
} world;

/* All releases of the first round in units of one neighbour: those of pilots by class are counts, the others
 * are sums. */
static void fill_releases(double *out, const world *w, const sotto_graph *graph) {
  const sotto_i_pilots p = {.group = (uint8_t *)(uintptr_t)w->group};
  for (sotto_i_pilot_stage stage = SOTTO_I_STAGE_CLASS; stage < SOTTO_I_STAGES; stage++) {
    const bool counts = stage == SOTTO_I_STAGE_CLASS;
    uint8_t levels[nodes];
    sotto_matrix table;
    memcpy(levels, w->usual, nodes);
    if (stage == SOTTO_I_STAGE_OTHERS)
      sotto_i_pilots_spent(levels, nodes, &p);
    else
      sotto_i_pilots_levels(levels, nodes, &p, stage);
    CHECK_OK(sotto_matrix_new(&table, nodes, columns, &err));
    if (counts)
      sotto_i_counts_fill(&table, graph, &w->clusters, levels);
    else
      sotto_i_counts_fill_sums(&table, graph, &w->rows, levels);
    for (size_t i = 0; i < (size_t)nodes * columns; i++)
      *out++ = (double)table.data[i] / (counts ? 1 : SOTTO_I_SUM_UNITS);
    sotto_matrix_free(&table);
  }
}

static void make_world(world *w, sotto_i_random *random) {
  static const uint8_t groups[] = {0, 0, SOTTO_I_STAGE_CLASS, SOTTO_I_STAGE_DIRECTIONS, SOTTO_I_STAGE_SUMS};
  CHECK_OK(sotto_matrix_new(&w->rows, nodes, columns, &err));
  CHECK_OK(sotto_i_clusters_new(&w->clusters, nodes, columns, &err));
  for (size_t v = 0; v < nodes; v++) {
    w->group[v] = groups[sotto_i_random_below(random, sizeof groups)];
    w->usual[v] = (uint8_t)sotto_i_random_below(random, SOTTO_I_MOST_LEVEL + 1);
    w->clusters.of[v] = (uint16_t)(v % columns);
    for (size_t j = 0; j < columns; j++)
      w->rows.data[v * columns + j] = v % 2 == 0 && j > 0 ? 0 : (float)sotto_i_random_normal(random);
  }
  sotto_i_feature_sums_rows(&w->rows);
}

/* Search over graphs, rows, groups and levels: the first pair comes or goes. */
static void an_edge_moves_all_sums_by_two_at_most(void **state) {
  static double with[SOTTO_I_STAGES * nodes * columns], without[SOTTO_I_STAGES * nodes * columns];
  sotto_i_random random = check_random();
  double most = 0;
  (void)state;
  for (int round = 0; round < 1000; round++) {
    uint32_t from[pairs], to[pairs];
    size_t count = 0;
    world w;
    sotto_graph graph, less;
    make_world(&w, &random);
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = u + 1; v < nodes; v++) {
        if (count > 0 && sotto_i_random_below(&random, 2) == 0) continue;
        from[count] = u;
        to[count++] = v;
      }
    CHECK_OK(sotto_graph_from_pairs(&graph, nodes, from, to, count, &err));
    CHECK_OK(sotto_graph_from_pairs(&less, nodes, from + 1, to + 1, count - 1, &err));
    fill_releases(with, &w, &graph);
    fill_releases(without, &w, &less);
    double moved = 0;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) moved += fabs(with[i] - without[i]);
    assert_true(moved <= 2);
    most = fmax(most, moved);
    sotto_graph_free(&graph);
    sotto_graph_free(&less);
    sotto_matrix_free(&w.rows);
    sotto_i_clusters_free(&w.clusters);
  }
  print_message("the most is %.3f of 2\n", most);
  assert_true(most > 1.7); /* within 15% */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_has_whole_numbers_and_a_bounded_norm),
      cmocka_unit_test(a_directed_row_has_whole_numbers_and_a_bounded_norm),
      cmocka_unit_test(sums_that_are_held_move_no_more),
      cmocka_unit_test(an_edge_moves_all_sums_by_two_at_most),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
