/* Allocation: overflow-checked, aligned for vector loads, with a fault that tests can plant. */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t alignment = 64;
static const size_t large_block = 1 << 18; /* memory that cannot be dropped is looked at before one goes */
static _Atomic uint64_t made;
static _Atomic uint64_t fail_at;
static _Atomic uint64_t held, most_held; /* bytes */
static _Atomic(const sotto_i_elsewhere *) elsewhere;
static _Atomic size_t least_elsewhere; /* bytes of an array that goes there; 0: none does */

void sotto_i_memory_elsewhere(const sotto_i_elsewhere *place, size_t least) {
  if (place != NULL) atomic_store(&elsewhere, place);
  atomic_store(&least_elsewhere, least);
}

static bool goes_elsewhere(size_t bytes) {
  const size_t least = atomic_load(&least_elsewhere);
  return least > 0 && bytes >= least;
}

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

/* Large arrays are read at random: pages of 2 MB spare most misses of the table of pages, and the system
 * clears one of them in far less time than 512 small ones. Best effort. */
static void ask_for_large_pages(void *memory, size_t bytes) {
  const uintptr_t page = (uintptr_t)1 << 21;
  uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)memory + bytes) / page * page;
  if (bytes >= 2 * page && end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

bool sotto_i_memory_fails(void) {
  uint64_t number = atomic_fetch_add(&made, 1) + 1;
  return number == atomic_load(&fail_at);
}

static sotto_status new_elsewhere(void **out, size_t bytes, sotto_error *err) {
  errno = ENOMEM;
  *out = sotto_i_memory_fails() ? NULL : atomic_load(&elsewhere)->take(bytes);
  if (*out != NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOMEM, "could not set aside %zu bytes in the run folder: %s", bytes,
                      strerror(errno));
}

static sotto_status new_block(void **out, size_t count, size_t size, bool held_always, sotto_error *err) {
  size_t bytes;
  *out = NULL;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - alignment)
    return sotto_i_fail(err, SOTTO_NOMEM, "%zu items of %zu bytes are more than memory can hold", count,
                        size);
  if (!held_always && goes_elsewhere(bytes)) return new_elsewhere(out, bytes, err);
  bytes = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
  if (!sotto_i_memory_fails()) *out = aligned_alloc(alignment, bytes);
  if (*out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "could not allocate %zu bytes", bytes);
  ask_for_large_pages(*out, bytes);
  note_held(*out);
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
  if (memory != NULL && count * size > 0 && !goes_elsewhere(count * size)) memset(memory, 0, count * size);
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
  const sotto_i_elsewhere *other = atomic_load(&elsewhere);
  if (memory == NULL || (other != NULL && other->give_back(memory))) return;
  const size_t bytes = malloc_usable_size(memory);
  atomic_fetch_sub(&held, bytes);
  if (bytes >= large_block && other != NULL) other->note();
  free(memory);
}
