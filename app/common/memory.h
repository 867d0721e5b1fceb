/* Memory of the program: from the C library, with sotto's errors. Free with free(). */
#ifndef SOTTO_APP_COMMON_MEMORY_H
#define SOTTO_APP_COMMON_MEMORY_H

#include <stdlib.h>

#include "base/error.h"

/* Zeroed memory for `count` items of `size` bytes in *out (a `T **`). For no items the pointer can be freed
 * but not read. On failure *out is NULL. Errors: NOMEM, also if the product overflows. */
sotto_status app_new(void *out, size_t count, size_t size, sotto_error *err);

/* Grows *items (a `T **`) to at least `need` items, doubling *capacity; the contents stay. */
sotto_status app_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err);

sotto_status app_strdup(char **out, const char *text, sotto_error *err);

#endif
