/* Choice of the kernel table for this machine. */
#include "kernels.h"

#include "base/cpu.h"

const sotto_i_kernel_table *sotto_i_kernels(void) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return &sotto_i_kernels_avx512;
  case SOTTO_I_ISA_AVX2:
    return &sotto_i_kernels_avx2;
  case SOTTO_I_ISA_PLAIN:
    break;
  }
  return &sotto_i_kernels_plain;
}
