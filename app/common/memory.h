/* Memory of the program: from the C library, with the errors of sotto. Free with free(). */
#ifndef SOTTO_APP_COMMON_MEMORY_H
#define SOTTO_APP_COMMON_MEMORY_H

#include <stdlib.h>

#include "error.h"

/* Zeroed memory for `count` items of `size` bytes in *out (a `T **`); none at all gives a pointer that may be
 * freed and not read. On failure *out is NULL. Errors: NOMEM, also when the product overflows. */
sotto_status app_new(void *out, size_t count, size_t size, sotto_error *err);

/* Grows *items (a `T **`) to room for at least `need` items, doubling *capacity; old contents are kept. */
sotto_status app_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err);

sotto_status app_strdup(char **out, const char *text, sotto_error *err);

#endif
