/* Detection of the vector instruction sets of this processor. */
#include "cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"plain", "avx2", "avx512"};

static sotto_i_isa_level machine_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  /* The instruction sets that -march=haswell and then -march=skylake-avx512 let the compiler use. */
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
    return SOTTO_I_ISA_PLAIN;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl"))
    return SOTTO_I_ISA_AVX2;
  return SOTTO_I_ISA_AVX512;
#else
  return SOTTO_I_ISA_PLAIN;
#endif
}

static sotto_i_isa_level wanted_level(void) {
  sotto_i_isa_level level = machine_level();
  const char *asked = getenv("SOTTO_ISA");
  if (asked == NULL) return level;
  for (int i = 0; i < (int)level; i++)
    if (strcmp(asked, level_names[i]) == 0) return (sotto_i_isa_level)i;
  return level;
}

sotto_i_isa_level sotto_i_isa(void) {
  static _Atomic int known; /* level + 1, or 0 before detection; a race writes the same value twice */
  int level = atomic_load_explicit(&known, memory_order_relaxed);
  if (level == 0) {
    level = (int)wanted_level() + 1;
    atomic_store_explicit(&known, level, memory_order_relaxed);
  }
  return (sotto_i_isa_level)(level - 1);
}

const char *sotto_i_isa_name(sotto_i_isa_level level) {
  return level_names[level];
}
