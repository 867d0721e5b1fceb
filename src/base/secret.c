/* Secret memory by libsodium's guarded allocation. */
#include "secret.h"

#include <sodium.h>
#include <string.h>

#include "memory.h"

enum { alignment = 64 };

sotto_status sotto_i_new_secret(void *out, size_t count, size_t size, sotto_error *err) {
  size_t bytes;
  void *memory = NULL;
  SOTTO_I_CHECK(sodium_init() >= 0);
  if (!__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 2 && !sotto_i_memory_fails()) {
    /* the block ends at a page border */
    bytes = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
    memory = sodium_malloc(bytes);
  }
  *(void **)out = memory;
  if (memory == NULL)
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for %zu secrets of %zu bytes", count, size);
  memset(memory, 0, bytes);
  return SOTTO_OK;
}

void sotto_i_free_secret(void *memory) {
  sodium_free(memory);
}
