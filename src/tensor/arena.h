/* Arena: memory handed out in order and released all at once. */
#ifndef SOTTO_SRC_TENSOR_ARENA_H
#define SOTTO_SRC_TENSOR_ARENA_H

#include "sotto/base.h"

typedef struct sotto_i_chunk {
  char *data;
  size_t size;
} sotto_i_chunk;

/* Zero-initialise. Chunks are used in order. A chunk too small for a request is skipped until the next
 * reset; new chunks are added at the end. So a series of requests that was met once is met again after a
 * reset without allocating. */
typedef struct sotto_i_arena {
  sotto_i_chunk *chunks;
  size_t count, capacity;
  size_t current, used; /* the current chunk, and its bytes handed out */
  size_t total;         /* bytes of all chunks */
} sotto_i_arena;

void sotto_i_arena_free(sotto_i_arena *arena);

#endif
