/* Sums by blocks of columns, and releases that are made of them. */
#include "plain_files.h"
#include "pmp/column_sums.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/reader.h"
#include "check.h"
#include "graph/kernels/exact_sum.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "nn/rows/batch.h"
#include "pmp/contractive.h"
#include "small_graph.h"

enum { nodes = 700, edges = 3000, cols = 11 };

typedef struct table {
  int32_t *values; /* nodes x cols */
} table;

static void row_of(const void *context, int32_t *to, uint64_t v) {
  memcpy(to, ((const table *)context)->values + v * cols, cols * sizeof *to);
}

static table random_table(sotto_i_random *random) {
  table t;
  CHECK_OK(sotto_i_new(&t.values, nodes * cols, sizeof *t.values, &err));
  for (size_t i = 0; i < nodes * cols; i++)
    t.values[i] = (int32_t)sotto_i_random_below(random, UINT64_C(1) << 31) - (1 << 30);
  return t;
}

/* Rows that differ from sums over neighbours, one after the other. */
static size_t wrong_rows(const sotto_i_column_sums *sums, const sotto_graph *graph, const table *t) {
  size_t wrong = 0;
  for (uint64_t v = 0; v < nodes; v++) {
    int64_t wanted[cols] = {0}, found[cols];
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      for (size_t j = 0; j < cols; j++) wanted[j] += t->values[(size_t)graph->targets[e] * cols + j];
    sotto_i_column_sums_row(found, sums, v);
    wrong += memcmp(wanted, found, sizeof wanted) != 0;
  }
  return wrong;
}

static void sums_are_those_of_neighbours_whatever_the_width(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, edges);
  sotto_i_batch_rows_set(64); /* many slabs */
  for (size_t width = 1; width <= cols; width++) {
    table t = random_table(&random);
    sotto_i_column_sums sums;
    CHECK_OK(sotto_i_column_sums_new(&sums, &graph, cols, width, &err));
    for (int again = 0; again < 2; again++) { /* the next layer's, in the place of the one before */
      CHECK_OK(sotto_i_column_sums_make(&sums, row_of, &t, &err));
      assert_int_equal(wrong_rows(&sums, &graph, &t), 0);
      t.values[cols * 5 + 3] += 1;
    }
    sotto_i_column_sums_free(&sums);
    sotto_i_free(t.values);
  }
  sotto_i_batch_rows_set(0);
  sotto_graph_free(&graph);
}

/* The check above would see a block that lies in another's place, and one that is a row too far. */
static void a_block_in_a_wrong_place_is_found(void **state) {
  (void)state;
  enum { width = 4 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, edges);
  table t = random_table(&random);
  sotto_i_column_sums sums;
  CHECK_OK(sotto_i_column_sums_new(&sums, &graph, cols, width, &err));
  CHECK_OK(sotto_i_column_sums_make(&sums, row_of, &t, &err));
  int64_t *first = sums.sums, *second = sums.sums + nodes * width;
  for (size_t i = 0; i < nodes * width; i++) {
    const int64_t kept = first[i];
    first[i] = second[i];
    second[i] = kept;
  }
  assert_true(wrong_rows(&sums, &graph, &t) > nodes / 2);
  CHECK_OK(sotto_i_column_sums_make(&sums, row_of, &t, &err));
  memmove(second + width, second, (nodes - 1) * width * sizeof *second);
  assert_true(wrong_rows(&sums, &graph, &t) > nodes / 2);
  sotto_i_column_sums_free(&sums);
  sotto_i_free(t.values);
  sotto_graph_free(&graph);
}

static void columns_that_are_held_fit_the_allowed_memory(void **state) {
  (void)state;
  const sotto_graph graph = {.nodes = 1000};
  assert_int_equal(sotto_i_columns_held(&graph, 64), 64);
  for (uint64_t limit = 1; limit < 2000000; limit = limit * 3 / 2 + 1) {
    sotto_memory_set(limit);
    const size_t held = sotto_i_columns_held(&graph, 64);
    assert_true(held >= 1 && held <= 64);
    assert_true(held == 1 || held * graph.nodes * 4 <= sotto_i_memory_table());
    assert_true(held == 64 || 2 * held * graph.nodes * 4 + 8 * graph.nodes > sotto_i_memory_table());
  }
  sotto_memory_set(0);
}

static void begin_limit(void) {
  CHECK_OK(sotto_i_make_folder(check_path("spilled"), &err));
  sotto_memory_set((uint64_t)nodes * 4 * 3 * 4); /* four of eleven columns fit */
  sotto_i_spill_into(check_path("spilled"));
}

static void end_limit(void) {
  sotto_i_spill_into(NULL);
  sotto_memory_set(0);
}

static void layers_have_the_same_bytes_under_a_limit(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, edges);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (uint32_t kind = 0; kind < 6; kind++) {
    sotto_pmp_options options =
        check_release_options((sotto_aggregator)(kind % 3), 1 + kind / 2, SOTTO_ACTIVATION_TANH);
    options.raw = kind == 4;
    sotto_pmp_plan plan;
    sotto_release *made;
    sotto_key key;
    sotto_key_insecure(&key, 5);
    CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
    CHECK_OK(sotto_release_write(&made, check_path("whole"), &plan, &graph, &x, &key, "id", "run", "a test",
                                 NULL, &err));
    sotto_release_free(made);
    begin_limit();
    assert_int_equal(sotto_i_columns_held(&graph, cols), 4);
    CHECK_OK(sotto_release_write(&made, check_path("blocks"), &plan, &graph, &x, &key, "id", "run", "a test",
                                 NULL, &err));
    end_limit();
    sotto_release_free(made);
    check_same_files(check_path("whole"), check_path("blocks"));
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static sotto_release *contractive(const sotto_contractive_plan *plan, const sotto_graph *graph,
                                  const sotto_matrix *from, const char *path) {
  sotto_release *made;
  sotto_matrix x;
  sotto_key key;
  sotto_key_insecure(&key, 3);
  CHECK_OK(sotto_matrix_new(&x, from->rows, from->cols, &err));
  memcpy(x.data, from->data, from->rows * from->cols * sizeof *x.data);
  CHECK_OK(sotto_i_contractive_write(&made, path, plan, graph, &x, check_folder(), &key, "id", "run",
                                     "a test", NULL, &err));
  sotto_matrix_free(&x);
  return made;
}

static void contractive_layers_have_the_same_bytes_under_a_limit(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, edges);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (uint32_t layers = 1; layers <= 4; layers++) {
    const sotto_contractive_options options = {
        .layers = layers, .degree_floor = 4, .contraction = 0.8, .graph_weight = 0.7, .residual = 0.6};
    sotto_contractive_plan plan;
    CHECK_OK(sotto_contractive_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
    sotto_release_free(contractive(&plan, &graph, &x, check_path("whole")));
    begin_limit();
    sotto_release_free(contractive(&plan, &graph, &x, check_path("blocks")));
    end_limit();
    check_same_files(check_path("whole"), check_path("blocks"));
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_neighbours_whatever_the_width),
      cmocka_unit_test(a_block_in_a_wrong_place_is_found),
      cmocka_unit_test(columns_that_are_held_fit_the_allowed_memory),
      cmocka_unit_test(layers_have_the_same_bytes_under_a_limit),
      cmocka_unit_test(contractive_layers_have_the_same_bytes_under_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
