/* Memory that can fail, and can be made to fail in tests. */
#ifndef SOTTO_SRC_BASE_MEMORY_H
#define SOTTO_SRC_BASE_MEMORY_H

#include "error.h"

/* 64-byte aligned, zeroed memory for `count` items of `size` bytes in *out (a `T **`), to be freed with
 * sotto_i_free. count * size == 0 gives a pointer that may be freed and not read. On failure *out is NULL.
 * Errors: NOMEM, also when the product overflows. */
sotto_status sotto_i_new(void *out, size_t count, size_t size, sotto_error *err);

/* Same, not zeroed. */
sotto_status sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err);

/* The same, but never elsewhere (below): for what is read at random. */
sotto_status sotto_i_held_new(void *out, size_t count, size_t size, sotto_error *err);

/* Grows *items (a `T **`) to room for at least `need` items, doubling *capacity; old contents are kept. */
sotto_status sotto_i_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err);

sotto_status sotto_i_strdup(char **out, const char *text, sotto_error *err);

/* Frees what the functions above gave; NULL is fine. */
void sotto_i_free(void *memory);

/* A place for large arrays that is not memory (files/spill.c). `take` gives zeroed bytes, or NULL with errno;
 * `give_back` says whether they were its own; `note` is called before a large block of memory goes. Arrays of
 * `least` bytes and more go there; 0: none. `place` NULL: the one before. Not to be called while another
 * thread allocates. */
typedef struct sotto_i_elsewhere {
  void *(*take)(size_t bytes);
  bool (*give_back)(void *memory);
  void (*note)(void);
} sotto_i_elsewhere;
void sotto_i_memory_elsewhere(const sotto_i_elsewhere *place, size_t least);

/* For tests: the nth allocation of this process from now on fails (1 is the next); 0 switches that off.
 * Returns how many allocations were made since the last call. Not thread-safe. */
uint64_t sotto_i_memory_fail_at(uint64_t nth);
/* For tests: the bytes that were held at most since the last call, of memory that the functions above gave.
 * Not thread-safe. */
uint64_t sotto_i_memory_peak(void);
/* Is this the allocation that has to fail? For whatever allocates by itself; counts it. */
bool sotto_i_memory_fails(void);

#endif
