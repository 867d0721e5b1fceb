/* A library for LD_PRELOAD: in the place of a processor that OpenBLAS does not know. Each copy of OpenBLAS is
 * told Prescott when it is loaded, which is what it would choose there, and nothing tells of it later. So it
 * is where the user's choice names no kernels: it is empty, or has a number. Copies are those of files with
 * "blas" or "_sotto" (the extension of Python) in their names. */
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
  const char *asked = NULL;
  Dl_info from;
  for (char **at = environ; at != NULL && *at != NULL; at++)
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') asked = *at + length + 1;
  if (strcmp(name, "OPENBLAS_CORETYPE") != 0 || dladdr(__builtin_return_address(0), &from) == 0)
    return (char *)asked;
  if (asked != NULL && asked[0] != '\0' && strpbrk(asked, "0123456789") == NULL) return (char *)asked;
  const int openblas = strstr(from.dli_fname, "blas") != NULL || strstr(from.dli_fname, "_sotto") != NULL;
  return openblas && is_first_of(from.dli_fbase) ? (char *)"Prescott" : (char *)asked;
}
