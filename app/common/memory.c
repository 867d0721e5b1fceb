/* calloc and realloc with sotto's errors. */
#include "memory.h"

#include <string.h>

#include "base/error.h"

sotto_status app_new(void *out, size_t count, size_t size, sotto_error *err) {
  void *memory = calloc(count == 0 ? 1 : count, size);
  *(void **)out = memory;
  if (memory != NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOMEM, "no memory for %zu items of %zu bytes", count, size);
}

sotto_status app_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err) {
  void **slot = items, *larger = NULL;
  size_t wanted = *capacity < 8 ? 8 : *capacity;
  if (need <= *capacity) return SOTTO_OK;
  while (wanted < need && wanted <= SIZE_MAX / 2) wanted *= 2;
  if (wanted >= need && wanted <= SIZE_MAX / size) larger = realloc(*slot, wanted * size);
  if (larger == NULL)
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for %zu items of %zu bytes", need, size);
  *slot = larger;
  *capacity = wanted;
  return SOTTO_OK;
}

sotto_status app_strdup(char **out, const char *text, sotto_error *err) {
  *out = strdup(text);
  return *out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for a text");
}
