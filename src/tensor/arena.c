/* Memory chunks that grow with earlier requests. */
#include "arena.h"

#include "base/memory.h"

static const size_t least_chunk = (size_t)1 << 18;
static const size_t alignment = 64;

static sotto_status add_chunk(sotto_i_arena *arena, size_t need, sotto_error *err) {
  sotto_status status =
      sotto_i_grow(&arena->chunks, &arena->capacity, arena->count + 1, sizeof *arena->chunks, err);
  if (status != SOTTO_OK) return status;
  size_t size = arena->total / 2 < least_chunk ? least_chunk : arena->total / 2;
  if (size < need) size = need;
  sotto_i_chunk *chunk = &arena->chunks[arena->count];
  status = sotto_i_new_raw(&chunk->data, size, 1, err);
  if (status != SOTTO_OK) return status;
  chunk->size = size;
  arena->total += size;
  arena->current = arena->count++;
  arena->used = 0;
  return SOTTO_OK;
}

sotto_status sotto_i_arena_take(sotto_i_arena *arena, void *out, size_t count, size_t size,
                                sotto_error *err) {
  void **slot = out;
  *slot = NULL;
  size_t need;
  if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX - alignment)
    return sotto_i_fail(err, SOTTO_NOMEM, "%zu items of %zu bytes are more than memory can hold", count,
                        size);
  need = (need + alignment - 1) / alignment * alignment;
  while (arena->current < arena->count && arena->chunks[arena->current].size - arena->used < need) {
    arena->current++;
    arena->used = 0;
  }
  if (arena->current >= arena->count) {
    sotto_status status = add_chunk(arena, need, err);
    if (status != SOTTO_OK) return status;
  }
  *slot = arena->chunks[arena->current].data + arena->used;
  arena->used += need;
  return SOTTO_OK;
}

void sotto_i_arena_reset(sotto_i_arena *arena) {
  arena->current = 0;
  arena->used = 0;
}

void sotto_i_arena_free(sotto_i_arena *arena) {
  for (size_t i = 0; i < arena->count; i++) sotto_i_free(arena->chunks[i].data);
  sotto_i_free(arena->chunks);
  *arena = (sotto_i_arena){0};
}
