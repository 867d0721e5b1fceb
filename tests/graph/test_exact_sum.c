/* Exact neighbour sums: every variant against one loop. */
#include "base/cpu.h"
#include "check.h"
#include "graph/kernels/exact_sum.h"
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

typedef void (*scaled_variant)(int64_t *, const sotto_graph *, uint64_t, const sotto_i_scaled_rows *);

/* Rows of 150 neighbours and more: several runs of sums in 32 bits, all of them as large as they may be. */
static void scaled_agrees(scaled_variant sum, size_t cols, bool own_factors, sotto_i_random *random) {
  enum { nodes = 400 };
  sotto_graph graph = check_random_graph(random, nodes, 40000);
  sotto_matrix x = check_random_matrix(random, nodes, cols);
  float factor[nodes];
  int64_t *out = calloc(cols, sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < nodes * cols; i++)
    x.data[i] = i % 2 == 0 ? 1 : 2 * (float)sotto_i_random_double(random) - 1;
  for (size_t v = 0; v < nodes; v++) factor[v] = 0x1p24F * (float)sotto_i_random_double(random);
  const sotto_i_scaled_rows rows = {x.data, own_factors ? factor : NULL, 0x1p24F, cols};
  for (uint64_t v = 0; v < nodes; v++) {
    sum(out, &graph, v, &rows);
    for (size_t j = 0; j < cols; j++) {
      int64_t expected = 0;
      for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) {
        uint32_t u = graph.targets[e];
        volatile float product = x.data[u * cols + j] * (own_factors ? factor[u] : 0x1p24F);
        expected += (int64_t)product;
      }
      assert_true(out[j] == expected);
    }
  }
  free(out);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void every_variant_cuts_scaled_rows_and_sums_exactly(void **state) {
  (void)state;
  static const size_t widths[] = {1, 16, 63, 64, 65, 130};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
    size_t cols = widths[i / 2];
    scaled_agrees(sotto_i_exact_sum_scaled_plain, cols, i % 2 == 0, &random);
    if (sotto_i_isa() >= SOTTO_I_ISA_AVX2)
      scaled_agrees(sotto_i_exact_sum_scaled_avx2, cols, i % 2 == 0, &random);
    if (sotto_i_isa() >= SOTTO_I_ISA_AVX512)
      scaled_agrees(sotto_i_exact_sum_scaled_avx512, cols, i % 2 == 0, &random);
    scaled_agrees(sotto_i_exact_sum_scaled, cols, i % 2 == 0, &random);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_sums_exactly_at_every_width),
                                     cmocka_unit_test(every_variant_cuts_scaled_rows_and_sums_exactly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
