/* Memory for long-lived keys: locked (never swapped), excluded from core dumps, between guard pages, and
 * wiped when freed. If the system has no more lockable memory, only the protection from swapping is lost. */
#ifndef SOTTO_SRC_BASE_SECRET_H
#define SOTTO_SRC_BASE_SECRET_H

#include "error.h"

/* Zeroed memory for `count` items of `size` bytes in *out (a `T **`), aligned to 64 bytes, freed with
 * sotto_i_free_secret. Costs at least four pages and several system calls: not for hot loops. On failure
 * *out is NULL. Errors: NOMEM. */
sotto_status sotto_i_new_secret(void *out, size_t count, size_t size, sotto_error *err);
/* Wipes and frees; NULL is allowed. */
void sotto_i_free_secret(void *memory);

#endif
