/* Counts of neighbours by cluster: against a plain reference, and how far one edge moves them. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/dp.h"
#include "protocols/counts.h"
#include "protocols/training_part.h"

enum { nodes = 30, clusters = 4, most_edges = nodes * (nodes - 1) / 2 };

typedef struct problem {
  uint32_t from[most_edges], to[most_edges];
  uint64_t edges;
  uint8_t levels[nodes];
  float scores[nodes * clusters];
} problem;

static problem make_problem(sotto_i_random *random) {
  problem p = {.edges = 0};
  double density = sotto_i_random_double(random);
  for (uint32_t u = 0; u < nodes; u++) {
    p.levels[u] = (uint8_t)sotto_i_random_below(random, 3);
    for (uint32_t v = u + 1; v < nodes; v++) {
      if (sotto_i_random_double(random) > density && u > 0) continue; /* so there is an edge */
      p.from[p.edges] = u;
      p.to[p.edges++] = v;
    }
  }
  for (size_t i = 0; i < nodes * clusters; i++) p.scores[i] = (float)sotto_i_random_double(random);
  return p;
}

static size_t cluster_of(const problem *p, uint32_t node) {
  size_t best = 0;
  for (size_t j = 0; j < clusters; j++)
    if (p->scores[node * clusters + j] > p->scores[node * clusters + best]) best = j;
  return best;
}

/* The released counts without noise, each in a folder of its own. */
static void counts_of(float out[nodes * clusters], problem *p, bool levels) {
  static unsigned number;
  char name[32];
  sotto_options o;
  sotto_options_default(&o);
  sotto_dataset data = {.name = "made"}, released;
  CHECK_OK(sotto_graph_from_pairs(&data.graph, nodes, p->from, p->to, p->edges, &err));
  (void)snprintf(name, sizeof name, "seed-%u", number++);
  const sotto_i_job job = {.options = &o, .data = &data, .folder = check_path(name), .seed = 1};
  CHECK_OK(sotto_i_make_folder(job.folder, &err));
  const sotto_matrix scores = {p->scores, nodes, clusters};
  sotto_i_clusters of;
  CHECK_OK(sotto_i_clusters_largest(&of, &scores, &err));
  const sotto_i_counts counts = {.job = &job, .clusters = &of, .levels = levels ? p->levels : NULL};
  CHECK_OK(sotto_i_counts_release(&released, NULL, &counts, &err));
  memcpy(out, released.features.data, nodes * clusters * sizeof *out);
  sotto_i_clusters_free(&of);
  sotto_dataset_free(&released);
  sotto_graph_free(&data.graph);
}

static void counts_are_those_of_a_plain_loop(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 20; round++) {
    problem p = make_problem(&random);
    bool levels = round % 2 == 1;
    float got[nodes * clusters], wanted[nodes * clusters] = {0};
    for (uint64_t e = 0; e < p.edges; e++)
      for (int end = 0; end < 2; end++) {
        uint32_t v = end == 0 ? p.from[e] : p.to[e], u = end == 0 ? p.to[e] : p.from[e];
        const int own = levels ? p.levels[v] : 1, other = levels ? p.levels[u] : 1;
        wanted[v * clusters + cluster_of(&p, u)] += own == 0 || own < other ? 0 : own == other ? 1 : 2;
      }
    counts_of(got, &p, levels);
    assert_memory_equal(got, wanted, sizeof got);
  }
}

/* Every edge of a graph in its turn: 2 unless nobody reads it, then 0; and 2 is reached both ways. */
static void an_edge_moves_counts_by_two_at_most(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  int one_end = 0, both_ends = 0;
  for (int round = 0; round < 6; round++) {
    problem p = make_problem(&random);
    bool levels = round % 3 != 0;
    float whole[nodes * clusters], less[nodes * clusters];
    counts_of(whole, &p, levels);
    for (int pick = 0; pick < 10; pick++) {
      uint64_t e = sotto_i_random_below(&random, p.edges);
      problem without = p;
      without.from[e] = p.from[p.edges - 1];
      without.to[e] = p.to[p.edges - 1];
      without.edges--;
      counts_of(less, &without, levels);
      double moved = 0;
      for (size_t i = 0; i < nodes * clusters; i++) moved += fabs((double)whole[i] - less[i]);
      const int a = levels ? p.levels[p.from[e]] : 1, b = levels ? p.levels[p.to[e]] : 1;
      assert_true(moved == (a > 0 || b > 0 ? 2 : 0));
      one_end += a != b;
      both_ends += a == b && a > 0;
    }
  }
  assert_true(one_end > 0 && both_ends > 0);
}

/* What is charged is what the mechanism gives: sensitivity over scale is never above epsilon / layers. */
static void noise_is_wide_enough_for_its_share(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_options o;
  sotto_options_default(&o);
  for (int round = 0; round < 1000; round++) {
    sotto_laplace_grid grid;
    o.layers = 1 + sotto_i_random_below(&random, 5);
    o.epsilon = (double)o.layers * exp(sotto_i_random_double(&random) * 11 - 4.5);
    CHECK_OK(sotto_i_counts_grid(&grid, &o, &err));
    double each = o.epsilon / (double)o.layers;
    assert_true(sotto_laplace_grid_sensitivity(&grid, 2, 0) / grid.scale <= each);
    assert_true(2 / grid.scale > each * (1 - 0x1p-12));
  }
  o.layers = 64;
  o.epsilon = 0.5;
  sotto_laplace_grid grid;
  CHECK_FAILS(SOTTO_RANGE, "0.01 to 1000 each", sotto_i_counts_grid(&grid, &o, &err));
}

static void a_training_part_keeps_the_rows_asked_for(void **state) {
  (void)state;
  uint32_t rows[5] = {4, 1, 3, 0, 7};
  int32_t labels[5] = {0, 1, 2, 3, 4};
  uint8_t keep[8] = {1, 0, 1, 1, 0, 0, 0, 1};
  sotto_i_parted all = {0}, part;
  all.split.rows[SOTTO_PART_TRAIN] = rows;
  all.split.count[SOTTO_PART_TRAIN] = 5;
  all.labels[SOTTO_PART_TRAIN] = labels;
  CHECK_OK(sotto_i_training_part(&part, &all, keep, &err));
  assert_int_equal(part.split.count[SOTTO_PART_TRAIN], 3);
  assert_memory_equal(part.split.rows[SOTTO_PART_TRAIN], ((uint32_t[]){3, 0, 7}), 3 * sizeof(uint32_t));
  assert_memory_equal(part.labels[SOTTO_PART_TRAIN], ((int32_t[]){2, 3, 4}), 3 * sizeof(int32_t));
  sotto_i_training_part_free(&part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_a_plain_loop),
      cmocka_unit_test(an_edge_moves_counts_by_two_at_most),
      cmocka_unit_test(noise_is_wide_enough_for_its_share),
      cmocka_unit_test(a_training_part_keeps_the_rows_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
