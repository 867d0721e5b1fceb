/* Allocation: overflow-checked, aligned for vector loads, with failures that tests can inject. */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t alignment = 64;
static const size_t large_block = 1 << 18; /* bytes; before a larger block is freed, the peak is measured */
static _Atomic uint64_t allocations;
static _Atomic uint64_t fail_at;
static _Atomic uint64_t held, most_held; /* bytes */
static _Atomic(const sotto_i_elsewhere *) other_store;
static _Atomic size_t least_in_store; /* bytes of the smallest array that goes to the store; 0: none does */

void sotto_i_memory_elsewhere(const sotto_i_elsewhere *place, size_t least) {
  if (place != NULL) atomic_store(&other_store, place);
  atomic_store(&least_in_store, least);
}

static bool belongs_in_store(size_t bytes) {
  const size_t least = atomic_load(&least_in_store);
  return least > 0 && bytes >= least;
}

static void add_held(void *memory) {
  const uint64_t now = atomic_fetch_add(&held, malloc_usable_size(memory)) + malloc_usable_size(memory);
  uint64_t most = atomic_load(&most_held);
  while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now)) continue;
}

uint64_t sotto_i_memory_peak(void) {
  return atomic_exchange(&most_held, atomic_load(&held));
}

uint64_t sotto_i_memory_fail_at(uint64_t nth) {
  uint64_t count = atomic_exchange(&allocations, 0);
  atomic_store(&fail_at, nth);
  return count;
}

/* Large arrays are accessed at random. 2 MB pages avoid most TLB misses, and the system zeroes one faster
 * than 512 small pages. Best effort. */
static void ask_for_large_pages(void *memory, size_t bytes) {
  const uintptr_t page = (uintptr_t)1 << 21;
  uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)memory + bytes) / page * page;
  if (bytes >= 2 * page && end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

bool sotto_i_memory_fails(void) {
  uint64_t number = atomic_fetch_add(&allocations, 1) + 1;
  return number == atomic_load(&fail_at);
}

static sotto_status new_in_store(void **out, size_t bytes, sotto_error *err) {
  errno = ENOMEM;
  *out = sotto_i_memory_fails() ? NULL : atomic_load(&other_store)->take(bytes);
  if (*out != NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOMEM, "could not set aside %zu bytes in the run folder: %s", bytes,
                      strerror(errno));
}

static sotto_status new_block(void **out, size_t count, size_t size, bool in_memory, sotto_error *err) {
  size_t bytes;
  *out = NULL;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - alignment)
    return sotto_i_fail(err, SOTTO_NOMEM, "%zu items of %zu bytes are more than memory can hold", count,
                        size);
  if (!in_memory && belongs_in_store(bytes)) return new_in_store(out, bytes, err);
  bytes = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
  if (!sotto_i_memory_fails()) *out = aligned_alloc(alignment, bytes);
  if (*out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "could not allocate %zu bytes", bytes);
  ask_for_large_pages(*out, bytes);
  add_held(*out);
  return SOTTO_OK;
}

sotto_status sotto_i_new_raw(void *out, size_t count, size_t size, sotto_error *err) {
  return new_block(out, count, size, false, err);
}

sotto_status sotto_i_held_new(void *out, size_t count, size_t size, sotto_error *err) {
  return new_block(out, count, size, true, err);
}

sotto_status sotto_i_new(void *out, size_t count, size_t size, sotto_error *err) {
  sotto_status status = sotto_i_new_raw(out, count, size, err);
  void *memory = *(void **)out;
  if (memory != NULL && count * size > 0 && !belongs_in_store(count * size)) memset(memory, 0, count * size);
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
  const sotto_i_elsewhere *other = atomic_load(&other_store);
  if (memory == NULL || (other != NULL && other->give_back(memory))) return;
  const size_t bytes = malloc_usable_size(memory);
  atomic_fetch_sub(&held, bytes);
  if (bytes >= large_block && other != NULL) other->note();
  free(memory);
}

void sotto_text_free(char *text) {
  sotto_i_free(text);
}
