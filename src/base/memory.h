/* Memory allocation, with failures that tests can inject. */
#ifndef SOTTO_SRC_BASE_MEMORY_H
#define SOTTO_SRC_BASE_MEMORY_H

#include "error.h"

/* 64-byte aligned, zeroed memory for `count` items of `size` bytes in *out (a `T **`), to be freed with
 * sotto_i_free. count * size == 0 gives a pointer that may be freed and not read. On failure *out is NULL.
 * Errors: NOMEM, also when the product overflows. */
sotto_status sotto_i_new(void *out, size_t count, size_t size, sotto_error *err);

/* The same, not zeroed. */
sotto_status sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err);

/* The same, but always in memory and never in another store (below): for arrays accessed at random. */
sotto_status sotto_i_held_new(void *out, size_t count, size_t size, sotto_error *err);

/* Grows *items (a `T **`) to at least `need` items by doubling *capacity. Old contents stay. */
sotto_status sotto_i_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err);

sotto_status sotto_i_strdup(char **out, const char *text, sotto_error *err);

/* Frees memory from the functions above; NULL is allowed. */
void sotto_i_free(void *memory);

/* A store for large arrays other than memory (files/spill.c).
 *
 * - `take` returns zeroed bytes, or NULL with errno set.
 * - `give_back` frees them; it returns false for memory that is not its own.
 * - `note` is called before a large block of memory is freed.
 *
 * Arrays of `least` bytes or more go to the store; 0: none do. `place` NULL keeps the previous store. Do
 * not call it while another thread allocates. */
typedef struct sotto_i_elsewhere {
  void *(*take)(size_t bytes);
  bool (*give_back)(void *memory);
  void (*note)(void);
} sotto_i_elsewhere;
void sotto_i_memory_elsewhere(const sotto_i_elsewhere *place, size_t least);

/* For tests: the nth allocation of this process from now on fails (1 is the next); 0 disables this.
 * Returns the number of allocations since the last call. Not thread-safe. */
uint64_t sotto_i_memory_fail_at(uint64_t nth);
/* For tests: peak bytes allocated by the functions above since the last call. Not thread-safe. */
uint64_t sotto_i_memory_peak(void);
/* Counts an allocation and returns whether it has to fail. For code that allocates by other means. */
bool sotto_i_memory_fails(void);

#endif
