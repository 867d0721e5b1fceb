/* Start of OpenBLAS: its kernels for this processor, and one thread. */
#include "begin.h"

#include <cblas.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* How OpenBLAS forgets its kernels and chooses them, as it does when it is loaded. No header declares them. A
 * build of OpenBLAS for one processor lacks them, and has nothing to choose. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

/* OpenBLAS's name for the kernels of this processor's instructions; NULL: none is known. */
static const char *core_of_processor(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return NULL;
}

/* Only this copy of OpenBLAS chooses again, also where the process has others (numpy's). The variable is the
 * one way to tell it, and is taken back: a child, or another copy that is loaded later, makes its own choice.
 */
static void choose_core(void) {
  static const char variable[] = "OPENBLAS_CORETYPE", unknown[] = "Prescott";
  const char *core = core_of_processor();
  if (core == NULL || getenv(variable) != NULL || strcmp(openblas_get_corename(), unknown) != 0) return;
  if (gotoblas_dynamic_quit == NULL || gotoblas_dynamic_init == NULL) return;
  if (setenv(variable, core, 0) != 0) return;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  (void)unsetenv(variable);
}

static void begin(void) {
  choose_core();
  openblas_set_num_threads(1);
}

void sotto_i_blas_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, begin);
}
