/* Releases by the code of ranks, of which there is one with all nodes: the layers of one process, to the bit.
 */
#include <math.h>

#include "check.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "pmp/release_ranks.h"
#include "small_graph.h"

enum { nodes = 150, cols = 19 };

/* All layers, one after the other. */
typedef struct taken {
  float values[4 * nodes * cols];
  size_t count;
} taken;

static sotto_status take(void *context, const float *values, size_t count, sotto_error *error) {
  taken *t = context;
  (void)error;
  assert_true(t->count + count <= sizeof t->values / sizeof *t->values);
  memcpy(t->values + t->count, values, count * sizeof *values);
  t->count += count;
  return SOTTO_OK;
}

static sotto_i_block block_of(const sotto_graph *graph, uint32_t own[nodes], uint64_t none[2]) {
  for (uint32_t v = 0; v < nodes; v++) own[v] = v;
  return (sotto_i_block){
      .nodes = nodes, .own = own, .count = nodes, .graph = *graph, .halo_first = none, .send_first = none};
}

static void are_layers_of(const taken *t, const sotto_release *release, uint32_t layers) {
  assert_int_equal(t->count, (size_t)layers * nodes * cols);
  for (uint32_t k = 0; k < layers; k++)
    assert_memory_equal(t->values + (size_t)k * nodes * cols, sotto_release_layer(release, k)->data,
                        nodes * cols * sizeof(float));
}

static void one_rank_makes_the_layers_of_one_process(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 400);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  uint32_t own[nodes];
  uint64_t none[2] = {0, 0};
  const sotto_i_block block = block_of(&graph, own, none);
  for (int kind = SOTTO_AGGREGATOR_SUM; kind <= SOTTO_AGGREGATOR_GCN; kind++)
    for (uint32_t layers = 1; layers <= 3; layers++) {
      const sotto_pmp_options options =
          check_release_options((sotto_aggregator)kind, layers, SOTTO_ACTIVATION_TANH);
      static taken t;
      const sotto_i_release_sink sink = {.take = take, .context = &t};
      sotto_release *release;
      sotto_pmp_plan plan;
      sotto_key key;
      t.count = 0;
      sotto_key_system(&key);
      CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
      CHECK_OK(sotto_release_new(&release, &plan, &graph, &x, &key, "id", "run", "a test", NULL, &err));
      CHECK_OK(sotto_i_release_layers_ranks(&plan, &block, &x, &key, &sink, NULL, &err));
      are_layers_of(&t, release, layers + 1);
      sotto_release_free(release);
    }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void one_rank_makes_the_last_iterate_of_one_process(void **state) {
  (void)state;
  const sotto_contractive_options options = {
      .layers = 4, .degree_floor = 3, .contraction = 0.7, .graph_weight = 0.6, .residual = 1};
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 400);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  uint32_t own[nodes];
  uint64_t none[2] = {0, 0};
  const sotto_i_block block = block_of(&graph, own, none);
  static taken t;
  const sotto_i_release_sink sink = {.take = take, .context = &t};
  sotto_release *release;
  sotto_contractive_plan plan;
  sotto_key key;
  t.count = 0;
  sotto_key_system(&key);
  CHECK_OK(sotto_contractive_plan_new(&plan, &options, nodes, cols, 4, 1e-6, &err));
  CHECK_OK(sotto_contractive_release(&release, &plan, &graph, &x, &key, "id", "run", "a test", NULL, &err));
  CHECK_OK(sotto_i_contractive_layers_ranks(&plan, &block, &x, &key, &sink, NULL, &err)); /* overwrites x */
  are_layers_of(&t, release, 2);
  sotto_release_free(release);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_rank_makes_the_layers_of_one_process),
      cmocka_unit_test(one_rank_makes_the_last_iterate_of_one_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
