/* Which vector instructions the kernels may use. */
#ifndef SOTTO_SRC_BASE_CPU_H
#define SOTTO_SRC_BASE_CPU_H

/* In ascending order; each level includes the ones before it. Kernels in files named *_avx2.c and *_avx512.c
 * are built for haswell and skylake-avx512, and may be called only at their level or above. */
typedef enum sotto_i_isa_level {
  SOTTO_I_ISA_PLAIN,
  SOTTO_I_ISA_AVX2,
  SOTTO_I_ISA_AVX512,
} sotto_i_isa_level;

/* The machine's level, or the lesser one that SOTTO_ISA (plain, avx2 or avx512) in the environment asks for.
 * Found once; every later call is a load. An unknown word in SOTTO_ISA is ignored. */
sotto_i_isa_level sotto_i_isa(void);

/* "plain", "avx2" or "avx512". */
const char *sotto_i_isa_name(sotto_i_isa_level level);

#endif
