/* A library for LD_PRELOAD: in the place of a processor that OpenBLAS does not know. Each copy of OpenBLAS is
 * told Prescott when it is loaded, which is what it would choose there, and nothing tells of it later. Copies
 * are those of files with "blas" or "_sotto" (the extension of Python) in their names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;
static void *seen[64];

static int is_first_of(void *object) {
  int i = 0;
  while (i < 63 && seen[i] != NULL && seen[i] != object) i++;
  const int first = seen[i] == NULL;
  seen[i] = object;
  return first;
}

char *getenv(const char *name) {
  const size_t length = strlen(name);
  Dl_info from;
  for (char **at = environ; at != NULL && *at != NULL; at++)
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') return *at + length + 1;
  if (strcmp(name, "OPENBLAS_CORETYPE") != 0 || dladdr(__builtin_return_address(0), &from) == 0) return NULL;
  const int openblas = strstr(from.dli_fname, "blas") != NULL || strstr(from.dli_fname, "_sotto") != NULL;
  return openblas && is_first_of(from.dli_fbase) ? (char *)"Prescott" : NULL;
}
