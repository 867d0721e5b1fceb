/* Pairs to CSR: distributes entries to buckets of rows; within each bucket counts, scatters, sorts each
 * row and removes repeats.
 *
 * A bucket has as many rows as fit into the cache with their entries. Only the first pass, which appends
 * each entry to its bucket, goes over all memory. */
#include "csr.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum {
  insertion_limit = 24,
  little = 8,
  least_range = 1 << 16, /* minimum pairs per thread range; there are at most most_ranges ranges */
  most_ranges = 16,
  bucket_entries = 1 << 15, /* target size; there are at most 2^most_bucket_bits buckets */
  most_bucket_bits = 12,
  word_bits = 32
};

/* An entry packs its row within the bucket above its target: in 32 bits, or in 64 with `wide`. */
typedef struct build {
  uint64_t nodes, count;
  const uint32_t *sources, *targets;
  /* bits of an id; of these, the last row_bits number the row within its bucket */
  unsigned target_bits, row_bits;
  bool wide;
  size_t buckets, ranges, range; /* range: number of pairs in a range */
  uint64_t *starts; /* ranges x buckets: counts, then where the range writes its next entry of the bucket */
  uint64_t *begins; /* buckets + 1: where the entries of each bucket begin */
  uint64_t *unique; /* entries of each bucket without repeats */
  void *entries;
  uint64_t *offsets; /* nodes + 1: number of entries of each row, then where it begins */
  /* by row; rows of a bucket are contiguous, with a gap behind them where repeats were removed */
  uint32_t *scattered;
  _Atomic uint64_t bad; /* first pair with an id out of range, or `count` */
} build;

static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "counters are plain 64-bit words");

void sotto_i_atomic_min(_Atomic uint64_t *least, uint64_t value) {
  uint64_t seen = atomic_load_explicit(least, memory_order_relaxed);
  while (value < seen && !atomic_compare_exchange_weak_explicit(least, &seen, value, memory_order_relaxed,
                                                                memory_order_relaxed)) {
  }
}

static size_t range_end(const build *b, size_t range) {
  return (range + 1) * b->range < b->count ? (range + 1) * b->range : b->count;
}

static void count_range(build *b, size_t range) {
  uint64_t *counts = b->starts + range * b->buckets;
  for (size_t i = range * b->range; i < range_end(b, range); i++) {
    const uint32_t u = b->sources[i], v = b->targets[i];
    if (u >= b->nodes || v >= b->nodes) {
      sotto_i_atomic_min(&b->bad, i);
      return;
    }
    counts[u >> b->row_bits] += u != v;
    counts[v >> b->row_bits] += u != v;
  }
}

static void count_pairs(void *context, size_t begin, size_t end) {
  for (size_t range = begin; range < end; range++) count_range(context, range);
}

/* Writes the row and target of an entry. */
static inline void put_entry(const build *b, bool wide, uint64_t *next, uint32_t row, uint32_t target) {
  const uint32_t low = row & (uint32_t)((UINT64_C(1) << b->row_bits) - 1);
  const uint64_t at = next[row >> b->row_bits]++;
  if (wide)
    ((uint64_t *)b->entries)[at] = (uint64_t)low << word_bits | target;
  else
    ((uint32_t *)b->entries)[at] = (uint32_t)((uint64_t)low << b->target_bits) | target;
}

static inline void distribute_range(const build *b, bool wide, size_t range) {
  uint64_t *next = b->starts + range * b->buckets;
  for (size_t i = range * b->range; i < range_end(b, range); i++) {
    const uint32_t u = b->sources[i], v = b->targets[i];
    if (u == v) continue;
    put_entry(b, wide, next, u, v);
    put_entry(b, wide, next, v, u);
  }
}

static void distribute_pairs(void *context, size_t begin, size_t end) {
  const build *b = context;
  for (size_t range = begin; range < end; range++)
    if (b->wide)
      distribute_range(b, true, range);
    else
      distribute_range(b, false, range);
}

static inline void sort_two(uint32_t *row, size_t i, size_t j) {
  const uint32_t low = row[i] < row[j] ? row[i] : row[j], high = row[i] < row[j] ? row[j] : row[i];
  row[i] = low;
  row[j] = high;
}

/* Sorts up to four with a branch-free network: most rows of large graphs are that short. */
static void sort_short(uint32_t *row, size_t count) {
  if (count == 4) sort_two(row, 0, 1), sort_two(row, 2, 3), sort_two(row, 0, 2), sort_two(row, 1, 3);
  if (count == 3) sort_two(row, 0, 2), sort_two(row, 0, 1);
  if (count >= 3 && count <= 4) sort_two(row, 1, 2);
  if (count == 2) sort_two(row, 0, 1);
  for (size_t i = 1; i < count && count > 4; i++) {
    uint32_t id = row[i];
    size_t j = i;
    for (; j > 0 && row[j - 1] > id; j--) row[j] = row[j - 1];
    row[j] = id;
  }
}

/* Radix exchange sort: in place, at most 32 passes over a row, so no input makes it slow. */
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

size_t sotto_i_row_sort_unique(uint32_t *row, size_t count) {
  enum { top_bit = 31 };
  size_t unique = 0;
  sort_row(row, count, top_bit);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || row[i] != row[i - 1]) row[unique++] = row[i];
  return unique;
}

/* Moves the entries of a bucket to their rows, contiguous from begins[bucket] on. Afterwards offsets[row] is
 * the end of the row. */
static inline void scatter_bucket(const build *b, bool wide, size_t bucket, uint64_t first, uint64_t end) {
  const uint64_t begin = b->begins[bucket], stop = b->begins[bucket + 1];
  const uint32_t mask = (uint32_t)((UINT64_C(1) << b->target_bits) - 1);
  const uint64_t *far = b->entries;
  const uint32_t *near = b->entries;
  uint64_t *rows = b->offsets + first, at = begin;
  memset(rows, 0, (end - first) * sizeof *rows);
  for (uint64_t i = begin; i < stop; i++)
    rows[wide ? far[i] >> word_bits : (uint64_t)near[i] >> b->target_bits]++;
  for (uint64_t v = 0; v < end - first; v++) {
    const uint64_t count = rows[v];
    rows[v] = at;
    at += count;
  }
  for (uint64_t i = begin; i < stop; i++) {
    const uint64_t row = wide ? far[i] >> word_bits : (uint64_t)near[i] >> b->target_bits;
    b->scattered[rows[row]++] = wide ? (uint32_t)far[i] : near[i] & mask;
  }
}

/* Sorts the rows of a bucket and closes the gaps of removed repeats. Afterwards offsets[row] is the size
 * of the row. */
static void sort_bucket(build *b, size_t bucket) {
  const uint64_t first = (uint64_t)bucket << b->row_bits, next = (uint64_t)(bucket + 1) << b->row_bits;
  const uint64_t end = next < b->nodes ? next : b->nodes;
  uint64_t from = b->begins[bucket], unique = from;
  if (b->wide)
    scatter_bucket(b, true, bucket, first, end);
  else
    scatter_bucket(b, false, bucket, first, end);
  for (uint64_t v = first; v < end; v++) {
    uint32_t *row = b->scattered + from;
    const size_t count = b->offsets[v] - from;
    const uint64_t begin = unique;
    from += count;
    sort_row(row, count, b->target_bits - 1);
    for (size_t i = 0; i < count; i++)
      if (i == 0 || row[i] != row[i - 1]) b->scattered[unique++] = row[i];
    b->offsets[v] = unique - begin;
  }
  b->unique[bucket] = unique - b->begins[bucket];
}

static void sort_buckets(void *context, size_t begin, size_t end) {
  for (size_t bucket = begin; bucket < end; bucket++) sort_bucket(context, bucket);
}

static sotto_status check_bounds(const build *b, sotto_error *err) {
  uint64_t bad = b->bad;
  if (bad == b->count) return SOTTO_OK;
  uint32_t id = b->sources[bad] >= b->nodes ? b->sources[bad] : b->targets[bad];
  return sotto_i_fail(err, SOTTO_RANGE, "pair %llu: node id %u is not below %llu", (unsigned long long)bad,
                      id, (unsigned long long)b->nodes);
}

/* Chooses the number of rows per bucket, and the width of an entry. */
static void choose_buckets(build *b) {
  unsigned bits = 0;
  b->target_bits = 1;
  while (b->target_bits < word_bits && b->nodes >> b->target_bits != 0) b->target_bits++;
  while (bits < most_bucket_bits && (2 * b->count) >> bits > bucket_entries) bits++;
  const unsigned narrow = 2 * b->target_bits > word_bits ? 2 * b->target_bits - word_bits : 0;
  if (narrow <= most_bucket_bits && bits < narrow) bits = narrow;
  b->row_bits = b->target_bits > bits ? b->target_bits - bits : 0;
  b->wide = b->row_bits + b->target_bits > word_bits;
  b->buckets = (size_t)((b->nodes + (UINT64_C(1) << b->row_bits) - 1) >> b->row_bits);
  b->range = b->count / most_ranges + 1 > least_range ? b->count / most_ranges + 1 : least_range;
  b->ranges = (b->count + b->range - 1) / b->range;
}

/* Computes where buckets begin, and where each range writes its entries. */
static void locate_buckets(build *b) {
  uint64_t at = 0;
  for (size_t bucket = 0; bucket < b->buckets; bucket++) {
    b->begins[bucket] = at;
    for (size_t range = 0; range < b->ranges; range++) {
      const uint64_t count = b->starts[range * b->buckets + bucket];
      b->starts[range * b->buckets + bucket] = at;
      at += count;
    }
  }
  b->begins[b->buckets] = at;
}

/* Closes the gaps between buckets where repeats were removed; moves to new memory unless that would save
 * little. */
static sotto_status pack_buckets(build *b, sotto_error *err) {
  const uint64_t before = b->begins[b->buckets];
  uint64_t after = 0;
  for (size_t bucket = 0; bucket < b->buckets; bucket++) after += b->unique[bucket];
  uint32_t *packed = b->scattered;
  if (before - after > before / little) {
    const sotto_status status = sotto_i_new_raw(&packed, after, sizeof *packed, err);
    if (status != SOTTO_OK) return status;
  }
  uint64_t at = 0;
  for (size_t bucket = 0; bucket < b->buckets; bucket++) {
    if (packed + at != b->scattered + b->begins[bucket])
      memmove(packed + at, b->scattered + b->begins[bucket], b->unique[bucket] * sizeof *packed);
    at += b->unique[bucket];
  }
  if (packed != b->scattered) sotto_i_free(b->scattered);
  b->scattered = packed;
  at = 0;
  for (uint64_t v = 0; v < b->nodes; v++) {
    const uint64_t count = b->offsets[v];
    b->offsets[v] = at;
    at += count;
  }
  b->offsets[b->nodes] = at;
  return SOTTO_OK;
}

/* Distributes the entries of all pairs to the buckets. */
static sotto_status fill_buckets(build *b, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&b->starts, b->ranges * b->buckets, sizeof *b->starts, err));
  SOTTO_TRY(sotto_i_new_raw(&b->begins, b->buckets + 1, sizeof *b->begins, err));
  SOTTO_TRY(sotto_i_new(&b->unique, b->buckets, sizeof *b->unique, err));
  sotto_i_parallel(b->ranges, 1, count_pairs, b);
  SOTTO_TRY(check_bounds(b, err));
  locate_buckets(b);
  SOTTO_TRY(sotto_i_new_raw(&b->entries, b->begins[b->buckets], b->wide ? sizeof(uint64_t) : sizeof(uint32_t),
                            err));
  sotto_i_parallel(b->ranges, 1, distribute_pairs, b);
done:
  return status;
}

/* Reuses the memory at *pairs, if given, for the targets as soon as the entries exist: they need no more
 * room. */
static sotto_status build_csr(build *b, uint32_t **pairs, sotto_error *err) {
  sotto_status status;
  if (b->nodes > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "%llu nodes are too many; a graph holds fewer than 2^32",
                        (unsigned long long)b->nodes);
  choose_buckets(b);
  SOTTO_TRY(fill_buckets(b, err));
  if (pairs != NULL) {
    b->scattered = *pairs;
    *pairs = NULL;
  }
  SOTTO_TRY(sotto_i_new_raw(&b->offsets, b->nodes + 1, sizeof *b->offsets, err));
  if (b->scattered == NULL)
    SOTTO_TRY(sotto_i_new_raw(&b->scattered, b->begins[b->buckets], sizeof *b->scattered, err));
  sotto_i_parallel(b->buckets, 1, sort_buckets, b);
  SOTTO_TRY(pack_buckets(b, err));
done:
  sotto_i_free(b->starts);
  sotto_i_free(b->begins);
  sotto_i_free(b->unique);
  sotto_i_free(b->entries);
  if (status != SOTTO_OK) {
    sotto_i_free(b->offsets);
    sotto_i_free(b->scattered);
    b->offsets = NULL;
    b->scattered = NULL;
  }
  return status;
}

sotto_status sotto_i_csr_from_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes,
                                    const uint32_t *sources, const uint32_t *pair_targets, uint64_t count,
                                    sotto_error *err) {
  build b = {.nodes = nodes, .count = count, .sources = sources, .targets = pair_targets, .bad = count};
  const sotto_status status = build_csr(&b, NULL, err);
  *offsets = b.offsets;
  *targets = b.scattered;
  return status;
}

sotto_status sotto_i_csr_take_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes, uint32_t **pairs,
                                    size_t room, uint64_t count, sotto_error *err) {
  const uint32_t *pair_targets = *pairs == NULL ? NULL : *pairs + room;
  build b = {.nodes = nodes, .count = count, .sources = *pairs, .targets = pair_targets, .bad = count};
  const sotto_status status = build_csr(&b, pairs, err);
  *offsets = b.offsets;
  *targets = b.scattered;
  return status;
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
