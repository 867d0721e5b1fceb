/* Selects the row kernels that this processor runs fastest. */
#include "rows.h"

#include "base/cpu.h"

const sotto_i_row_kernels *sotto_i_rows(void) {
#if defined(__x86_64__)
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return &sotto_i_row_kernels_avx512;
  case SOTTO_I_ISA_AVX2:
    return &sotto_i_row_kernels_avx2;
  case SOTTO_I_ISA_PLAIN:
    break;
  }
#endif
  return &sotto_i_row_kernels_plain;
}
