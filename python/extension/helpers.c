/* The part of the extension that is written by hand: builder.py puts the public headers before it, and cffi
 * what it generates behind it. */
#include <sotto/base.h>

typedef struct sotto_py_watch {
  int stop;
  void *handle;
} sotto_py_watch;

/* Has the processor what OpenBLAS and numpy take for granted (x86-64-v2)? Everything newer is asked for when
 * it is used. */
static bool sotto_py_processor(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
         __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
#else
  return true;
#endif
}

/* The program's main (app/main.c). */
int sotto_py_main(int argc, char **argv);

static void sotto_py_stop(sotto_py_watch *watch) {
  __atomic_store_n(&watch->stop, 1, __ATOMIC_RELEASE);
}

static bool sotto_py_cancelled(void *context) {
  return __atomic_load_n(&((sotto_py_watch *)context)->stop, __ATOMIC_ACQUIRE) != 0;
}
