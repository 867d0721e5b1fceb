/* Exact neighbour sums: every variant against one loop. */
#include "base/cpu.h"
#include "check.h"
#include "graph/exact_sum.h"
#include "small_graph.h"

typedef void (*variant)(int64_t *, const sotto_graph *, uint64_t, const int32_t *, size_t);

static void agrees(variant sum, size_t cols, sotto_i_random *random) {
  sotto_graph graph = check_random_graph(random, 40, 200);
  int32_t *x = calloc(40 * cols, sizeof *x);
  int64_t *out = calloc(cols, sizeof *out);
  assert_non_null(x);
  assert_non_null(out);
  for (size_t i = 0; i < 40 * cols; i++) x[i] = (int32_t)sotto_i_random_u32(random);
  for (uint64_t v = 0; v < graph.nodes; v++) {
    sum(out, &graph, v, x, cols);
    for (size_t j = 0; j < cols; j++) {
      int64_t expected = 0;
      for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++)
        expected += x[graph.targets[e] * cols + j];
      assert_true(out[j] == expected);
    }
  }
  free(x);
  free(out);
  sotto_graph_free(&graph);
}

static void every_variant_sums_exactly_at_every_width(void **state) {
  (void)state;
  static const size_t widths[] = {1, 3, 16, 63, 64, 65, 128, 200};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    agrees(sotto_i_exact_sum_plain, widths[i], &random);
    if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) agrees(sotto_i_exact_sum_avx2, widths[i], &random);
    if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) agrees(sotto_i_exact_sum_avx512, widths[i], &random);
    agrees(sotto_i_exact_sum, widths[i], &random);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_sums_exactly_at_every_width)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
