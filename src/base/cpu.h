/* Vector instruction sets that the kernels may use. */
#ifndef SOTTO_SRC_BASE_CPU_H
#define SOTTO_SRC_BASE_CPU_H

/* In ascending order; each level includes the previous ones. Files named *_avx2.c and *_avx512.c are
 * compiled for haswell and skylake-avx512. Call their kernels only at their level or above. */
typedef enum sotto_i_isa_level {
  SOTTO_I_ISA_PLAIN,
  SOTTO_I_ISA_AVX2,
  SOTTO_I_ISA_AVX512,
} sotto_i_isa_level;

/* The machine's level, or the lower one set by SOTTO_ISA (plain, avx2 or avx512) in the environment.
 * Detected once; later calls are one load. Unknown values of SOTTO_ISA are ignored. */
sotto_i_isa_level sotto_i_isa(void);

/* "plain", "avx2" or "avx512". */
const char *sotto_i_isa_name(sotto_i_isa_level level);

#endif
