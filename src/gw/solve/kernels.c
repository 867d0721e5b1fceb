/* Choice of the kernels for this machine. */
#include "gw/solve/kernels.h"

#include "base/cpu.h"

const sotto_i_gw_kernel_table *sotto_i_gw_kernels(void) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return &sotto_i_gw_kernels_avx512;
  case SOTTO_I_ISA_AVX2:
    return &sotto_i_gw_kernels_avx2;
  default:
    return &sotto_i_gw_kernels_plain;
  }
}
