/* Memory for keys that live longer than a function: locked, so that it is never swapped out, left out of core
 * dumps, between pages that nobody may touch, and wiped when it is freed. Where the system has no more memory
 * to lock, it is as good but for the swap. */
#ifndef SOTTO_SRC_BASE_SECRET_H
#define SOTTO_SRC_BASE_SECRET_H

#include "error.h"

/* Zeroed memory for `count` items of `size` bytes in *out (a `T **`), aligned to 64 bytes, to be freed with
 * sotto_i_free_secret. Costs at least four pages and some calls of the system: not for a hot loop. On failure
 * *out is NULL. Errors: NOMEM. */
sotto_status sotto_i_new_secret(void *out, size_t count, size_t size, sotto_error *err);
/* Wipes and frees; NULL is fine. */
void sotto_i_free_secret(void *memory);

#endif
