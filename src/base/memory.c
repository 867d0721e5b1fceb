/* Allocation: overflow-checked, aligned for vector loads, with a fault that tests can plant. */
#include "memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t alignment = 64;
static _Atomic uint64_t made;
static _Atomic uint64_t fail_at;
static _Atomic uint64_t held, most_held; /* bytes */

static void note_held(void *memory) {
  const uint64_t now = atomic_fetch_add(&held, malloc_usable_size(memory)) + malloc_usable_size(memory);
  uint64_t most = atomic_load(&most_held);
  while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now)) continue;
}

uint64_t sotto_i_memory_peak(void) {
  return atomic_exchange(&most_held, atomic_load(&held));
}

uint64_t sotto_i_memory_fail_at(uint64_t nth) {
  uint64_t count = atomic_exchange(&made, 0);
  atomic_store(&fail_at, nth);
  return count;
}

/* Large arrays are read at random: pages of 2 MB spare most misses of the table of pages. Best effort. */
static void ask_for_large_pages(void *memory, size_t bytes) {
  const uintptr_t page = (uintptr_t)1 << 21;
  uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)memory + bytes) / page * page;
  if (bytes >= 8 * page && end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

bool sotto_i_memory_fails(void) {
  uint64_t number = atomic_fetch_add(&made, 1) + 1;
  return number == atomic_load(&fail_at);
}

sotto_status sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err) {
  size_t bytes;
  void *memory = NULL;
  sotto_status status = SOTTO_OK;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - alignment) {
    status =
        sotto_i_fail(err, SOTTO_NOMEM, "%zu items of %zu bytes are more than memory can hold", count, size);
  } else {
    bytes = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
    if (!sotto_i_memory_fails()) memory = aligned_alloc(alignment, bytes);
    if (memory == NULL)
      status = sotto_i_fail(err, SOTTO_NOMEM, "could not allocate %zu bytes", bytes);
    else
      ask_for_large_pages(memory, bytes);
  }
  if (memory != NULL) note_held(memory);
  *(void **)out = memory;
  return status;
}

sotto_status sotto_i_new(void *out, size_t count, size_t size, sotto_error *err) {
  sotto_status status = sotto_i_new_raw(out, count, size, err);
  void *memory = *(void **)out;
  if (memory != NULL && count * size > 0) memset(memory, 0, count * size);
  return status;
}

sotto_status sotto_i_grow(void *items, size_t *capacity, size_t need, size_t size, sotto_error *err) {
  if (need <= *capacity) return SOTTO_OK;
  void **slot = items;
  size_t wanted = *capacity < 8 ? 8 : *capacity;
  while (wanted < need) {
    if (wanted > SIZE_MAX / 2)
      return sotto_i_fail(err, SOTTO_NOMEM, "%zu items are more than memory can hold", need);
    wanted *= 2;
  }
  void *larger = NULL;
  sotto_status status = sotto_i_new_raw(&larger, wanted, size, err);
  if (status != SOTTO_OK) return status;
  if (larger != NULL && *slot != NULL) memcpy(larger, *slot, *capacity * size);
  sotto_i_free(*slot);
  *slot = larger;
  *capacity = wanted;
  return SOTTO_OK;
}

sotto_status sotto_i_strdup(char **out, const char *text, sotto_error *err) {
  size_t bytes = strlen(text) + 1;
  sotto_status status = sotto_i_new_raw(out, bytes, 1, err);
  if (*out != NULL) memcpy(*out, text, bytes);
  return status;
}

void sotto_i_free(void *memory) {
  if (memory != NULL) atomic_fetch_sub(&held, malloc_usable_size(memory));
  free(memory);
}
