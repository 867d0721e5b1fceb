/* Initialisation of OpenBLAS: kernels for this processor, one thread. */
#include "begin.h"

#include <cblas.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* OpenBLAS's functions that forget and choose its kernels, as at load time; no header declares them.
 * Builds of OpenBLAS for one processor lack them and have no choice. */
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern void gotoblas_dynamic_init(void) __attribute__((weak));

/* OpenBLAS's name of the kernels for this processor; NULL: none is known. */
static const char *core_of_processor(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return NULL;
}

/* Makes only this copy of OpenBLAS choose again, even if the process has others (numpy's). The environment
 * variable is its only interface. It has its value of before afterwards, so that child processes and copies
 * loaded later make their own choice. A value that names no kernels is no choice of the user: OpenBLAS goes
 * by the processor then. */
static void choose_core(void) {
  static const char variable[] = "OPENBLAS_CORETYPE", unknown[] = "Prescott";
  const char *core = core_of_processor(), *asked = getenv(variable);
  char *before = NULL;
  if (core == NULL || strcmp(openblas_get_corename(), unknown) != 0) return;
  if (gotoblas_dynamic_quit == NULL || gotoblas_dynamic_init == NULL) return;
  if (asked != NULL && strcasecmp(asked, unknown) == 0) return;
  if (asked != NULL && sotto_i_strdup(&before, asked, NULL) != SOTTO_OK) return;
  if (setenv(variable, core, 1) == 0) {
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
  }
  if (before == NULL || setenv(variable, before, 1) != 0) (void)unsetenv(variable);
  sotto_i_free(before);
}

static void init_once(void) {
  choose_core();
  openblas_set_num_threads(1);
}

void sotto_i_blas_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, init_once);
}
