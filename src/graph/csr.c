/* Pairs to CSR: count, scatter, sort each row, drop repeats. */
#include "csr.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum { pair_grain = 1 << 16, node_grain = 1 << 12, insertion_limit = 24, near = 8, far = 24, little = 8 };

static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "counters are plain 64-bit words");

typedef struct build {
  uint64_t nodes, count;
  const uint32_t *sources, *targets;
  _Atomic uint64_t *cursor; /* nodes + 1: degree of v, then where the next entry of v goes, then its end */
  _Atomic uint64_t bad;     /* first pair with an id out of range, or count */
  uint64_t *offsets;        /* nodes + 1: where rows begin before repeats are dropped, then after */
  uint32_t *scattered;      /* both directions of each pair, by row */
  uint32_t *packed;         /* the same without repeats, or NULL */
  unsigned top_bit;         /* highest bit that an id may have */
} build;

void sotto_i_atomic_min(_Atomic uint64_t *least, uint64_t value) {
  uint64_t seen = atomic_load_explicit(least, memory_order_relaxed);
  while (value < seen && !atomic_compare_exchange_weak_explicit(least, &seen, value, memory_order_relaxed,
                                                                memory_order_relaxed)) {
  }
}

/* Asks for the counters of a pair that comes later. */
static void ask_counters(const build *b, size_t i) {
  if (i + far >= b->count) return;
  __builtin_prefetch((const void *)&b->cursor[b->sources[i + far]], 1);
  __builtin_prefetch((const void *)&b->cursor[b->targets[i + far]], 1);
}

/* Asks for the places where entries of a pair go; others may go there before. */
static void ask_places(const build *b, size_t i) {
  if (i + near >= b->count) return;
  const uint32_t u = b->sources[i + near], v = b->targets[i + near];
  __builtin_prefetch(&b->scattered[atomic_load_explicit(&b->cursor[u], memory_order_relaxed)], 1);
  __builtin_prefetch(&b->scattered[atomic_load_explicit(&b->cursor[v], memory_order_relaxed)], 1);
}

static void count_pairs(void *context, size_t begin, size_t end) {
  build *b = context;
  for (size_t i = begin; i < end; i++) {
    uint32_t u = b->sources[i], v = b->targets[i];
    if (u >= b->nodes || v >= b->nodes) {
      sotto_i_atomic_min(&b->bad, i);
      return;
    }
    if (u == v) continue;
    atomic_fetch_add_explicit(&b->cursor[u], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&b->cursor[v], 1, memory_order_relaxed);
  }
}

/* The order inside a row depends on the threads here; sorting the rows takes that away. */
static void scatter_pairs(void *context, size_t begin, size_t end) {
  build *b = context;
  for (size_t i = begin; i < end; i++) {
    uint32_t u = b->sources[i], v = b->targets[i];
    ask_counters(b, i);
    ask_places(b, i);
    if (u == v) continue;
    b->scattered[atomic_fetch_add_explicit(&b->cursor[u], 1, memory_order_relaxed)] = v;
    b->scattered[atomic_fetch_add_explicit(&b->cursor[v], 1, memory_order_relaxed)] = u;
  }
}

static void sort_short(uint32_t *row, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint32_t id = row[i];
    size_t j = i;
    for (; j > 0 && row[j - 1] > id; j--) row[j] = row[j - 1];
    row[j] = id;
  }
}

/* Radix exchange: in place, and at most 32 passes over a row whatever its ids, so no input makes it slow. */
static void sort_row(uint32_t *row, size_t count, unsigned bit) { /* NOLINT(misc-no-recursion) */
  while (count > insertion_limit) {
    size_t low = 0, high = count;
    while (low < high) {
      if ((row[low] >> bit & 1U) == 0) {
        low++;
      } else {
        uint32_t id = row[low];
        row[low] = row[--high];
        row[high] = id;
      }
    }
    if (bit == 0) return;
    bit--;
    sort_row(row, low, bit);
    row += low;
    count -= low;
  }
  sort_short(row, count);
}

size_t sotto_i_row_tidy(uint32_t *row, size_t count) {
  enum { top_bit = 31 };
  size_t kept = 0;
  sort_row(row, count, top_bit);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || row[i] != row[i - 1]) row[kept++] = row[i];
  return kept;
}

/* Leaves the distinct ids of each row at its front and their number in the cursor. */
static void sort_rows(void *context, size_t begin, size_t end) {
  build *b = context;
  for (size_t v = begin; v < end; v++) {
    uint32_t *row = b->scattered + b->offsets[v];
    size_t count = b->offsets[v + 1] - b->offsets[v], kept = 0;
    sort_row(row, count, b->top_bit);
    for (size_t i = 0; i < count; i++)
      if (i == 0 || row[i] != row[i - 1]) row[kept++] = row[i];
    atomic_store_explicit(&b->cursor[v], kept, memory_order_relaxed);
  }
}

/* Copies the front of each old row (beginning at offsets[v]) to its new place (beginning at cursor[v]). */
static void pack_rows(void *context, size_t begin, size_t end) {
  build *b = context;
  for (size_t v = begin; v < end; v++) {
    uint64_t from = b->cursor[v], to = b->cursor[v + 1];
    if (to > from) memcpy(b->packed + from, b->scattered + b->offsets[v], (to - from) * sizeof *b->packed);
  }
}

/* cursor[v] = sum of what it held before v, for v = 0 .. nodes. */
static uint64_t running_sum(_Atomic uint64_t *cursor, uint64_t nodes) {
  uint64_t sum = 0;
  for (uint64_t v = 0; v <= nodes; v++) {
    uint64_t here = atomic_load_explicit(&cursor[v], memory_order_relaxed);
    atomic_store_explicit(&cursor[v], sum, memory_order_relaxed);
    sum += here;
  }
  return sum;
}

static void copy_cursor(build *b) {
  for (uint64_t v = 0; v <= b->nodes; v++)
    b->offsets[v] = atomic_load_explicit(&b->cursor[v], memory_order_relaxed);
}

static sotto_status check_bounds(const build *b, sotto_error *err) {
  uint64_t bad = b->bad;
  if (bad == b->count) return SOTTO_OK;
  uint32_t id = b->sources[bad] >= b->nodes ? b->sources[bad] : b->targets[bad];
  return sotto_i_fail(err, SOTTO_RANGE, "pair %llu: node id %u is not below %llu", (unsigned long long)bad,
                      id, (unsigned long long)b->nodes);
}

/* Moves each row to its new place, which is never behind its old one. */
static void move_rows(build *b) {
  for (uint64_t v = 0; v < b->nodes; v++) {
    const uint64_t from = b->cursor[v], to = b->cursor[v + 1];
    memmove(b->scattered + from, b->scattered + b->offsets[v], (to - from) * sizeof *b->scattered);
  }
  copy_cursor(b);
}

/* Packs the rows if anything was dropped; in fresh memory, unless that spares little of the old. */
static sotto_status pack(build *b, sotto_error *err) {
  uint64_t before = b->offsets[b->nodes];
  uint64_t after = running_sum(b->cursor, b->nodes);
  if (after == before) return SOTTO_OK;
  if (before - after <= before / little) {
    move_rows(b);
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_new_raw(&b->packed, after, sizeof *b->packed, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(b->nodes, node_grain, pack_rows, b);
  copy_cursor(b);
  sotto_i_free(b->scattered);
  b->scattered = b->packed;
  return SOTTO_OK;
}

sotto_status sotto_i_csr_from_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes,
                                    const uint32_t *sources, const uint32_t *pair_targets, uint64_t count,
                                    sotto_error *err) {
  sotto_status status;
  build b = {.nodes = nodes, .count = count, .sources = sources, .targets = pair_targets, .bad = count};
  *offsets = NULL;
  *targets = NULL;
  if (nodes > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%llu nodes are too many; a graph holds fewer than 2^32",
                        (unsigned long long)nodes);
  while (b.top_bit < 31 && nodes >> (b.top_bit + 1) != 0) b.top_bit++;
  SOTTO_TRY(sotto_i_new(&b.cursor, nodes + 1, sizeof *b.cursor, err));
  sotto_i_parallel(count, pair_grain, count_pairs, &b);
  SOTTO_TRY(check_bounds(&b, err));
  SOTTO_TRY(sotto_i_new_raw(&b.offsets, nodes + 1, sizeof *b.offsets, err));
  uint64_t scattered = running_sum(b.cursor, nodes);
  SOTTO_TRY(sotto_i_new_raw(&b.scattered, scattered, sizeof *b.scattered, err));
  copy_cursor(&b);
  sotto_i_parallel(count, pair_grain, scatter_pairs, &b);
  sotto_i_parallel(nodes, node_grain, sort_rows, &b);
  atomic_store_explicit(&b.cursor[nodes], 0, memory_order_relaxed);
  SOTTO_TRY(pack(&b, err));
  *offsets = b.offsets;
  *targets = b.scattered;
done:
  sotto_i_free((void *)(uintptr_t)b.cursor);
  if (status != SOTTO_OK) {
    sotto_i_free(b.offsets);
    sotto_i_free(b.scattered);
  }
  return status;
}

uint64_t sotto_i_edge_sign(uint64_t u, uint64_t v, uint64_t key) {
  const uint64_t low = u < v ? u : v, high = u < v ? v : u;
  uint64_t x = (low << 32 | high) ^ key;
  for (int i = 0; i < 2; i++) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    x ^= x >> 31;
  }
  return u < v ? x : 0 - x;
}

sotto_status sotto_graph_from_pairs(sotto_graph *out, uint64_t nodes, const uint32_t *sources,
                                    const uint32_t *targets, uint64_t count, sotto_error *err) {
  uint64_t *offsets = NULL;
  uint32_t *row_targets = NULL;
  *out = (sotto_graph){0};
  sotto_status status = sotto_i_csr_from_pairs(&offsets, &row_targets, nodes, sources, targets, count, err);
  if (status == SOTTO_OK && offsets != NULL)
    *out =
        (sotto_graph){.nodes = nodes, .entries = offsets[nodes], .offsets = offsets, .targets = row_targets};
  return status;
}

void sotto_graph_free(sotto_graph *graph) {
  sotto_i_free((void *)(uintptr_t)graph->offsets);
  sotto_i_free((void *)(uintptr_t)graph->targets);
  *graph = (sotto_graph){0};
}
