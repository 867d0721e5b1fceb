/* Choice of the exact-sum kernel for this processor. */
#include "exact_sum.h"

#include "base/cpu.h"

void sotto_i_exact_sum(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x, size_t cols) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    sotto_i_exact_sum_avx512(out, graph, node, x, cols);
    break;
  case SOTTO_I_ISA_AVX2:
    sotto_i_exact_sum_avx2(out, graph, node, x, cols);
    break;
  default:
    sotto_i_exact_sum_plain(out, graph, node, x, cols);
    break;
  }
}

void sotto_i_exact_sum_scaled(int64_t *out, const sotto_graph *graph, uint64_t node,
                              const sotto_i_scaled_rows *rows) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    sotto_i_exact_sum_scaled_avx512(out, graph, node, rows);
    break;
  case SOTTO_I_ISA_AVX2:
    sotto_i_exact_sum_scaled_avx2(out, graph, node, rows);
    break;
  default:
    sotto_i_exact_sum_scaled_plain(out, graph, node, rows);
    break;
  }
}
