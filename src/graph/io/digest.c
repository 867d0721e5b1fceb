/* Checksums of arrays, and the digest that names a dataset by its content.
 *
 * A checksum is BLAKE2b-256 over the BLAKE2b-256 of each piece of 1 MiB, so that all threads can work on one
 * array; the digest is BLAKE2b-256 over the counts and the checksums of the arrays. The native format keeps
 * the same checksums, so a file that was verified on open is not read a second time for its digest. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "graph/dataset.h"

enum { piece_size = 1 << 20 };

typedef struct hashing {
  const uint8_t *data;
  size_t size;
  uint8_t (*pieces)[32];
} hashing;

static void hash_pieces(void *context, size_t begin, size_t end) {
  hashing *h = context;
  for (size_t i = begin; i < end; i++) {
    size_t at = i * piece_size;
    size_t size = h->size - at < piece_size ? h->size - at : piece_size;
    crypto_generichash(h->pieces[i], 32, h->data + at, size, NULL, 0);
  }
}

sotto_status sotto_i_checksum(uint8_t out[32], const void *data, size_t size, sotto_error *err) {
  hashing h = {.data = data, .size = size};
  size_t count = (size + piece_size - 1) / piece_size;
  SOTTO_I_CHECK(sodium_init() >= 0);
  sotto_status status = sotto_i_new(&h.pieces, count, sizeof *h.pieces, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(count, 1, hash_pieces, &h);
  crypto_generichash(out, 32, (const uint8_t *)h.pieces, count * sizeof *h.pieces, NULL, 0);
  sotto_i_free(h.pieces);
  return SOTTO_OK;
}

/* Pieces of rows that are held as entries, a little at a time. */
typedef struct expanding {
  const sotto_entries *entries;
  uint64_t width, cells;
  uint8_t (*pieces)[32];
} expanding;

/* Cells first to first + count - 1 of the dense table. */
static void expand(float *out, const expanding *x, uint64_t first, size_t count) {
  memset(out, 0, count * sizeof *out);
  for (uint64_t v = first / x->width; v * x->width < first + count; v++) {
    const uint64_t row = v * x->width, from = row < first ? first - row : 0;
    uint64_t low = x->entries->offsets[v], high = x->entries->offsets[v + 1];
    const uint64_t end = high;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (x->entries->columns[middle] < from)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < end && row + x->entries->columns[low] < first + count; low++)
      out[row + x->entries->columns[low] - first] = x->entries->values[low];
  }
}

static void hash_entries(void *context, size_t begin, size_t end) {
  const expanding *x = context;
  const uint64_t cells = piece_size / sizeof(float);
  float some[2048];
  for (size_t i = begin; i < end; i++) {
    crypto_generichash_state state;
    const uint64_t last = (i + 1) * cells < x->cells ? (i + 1) * cells : x->cells;
    crypto_generichash_init(&state, NULL, 0, 32);
    for (uint64_t at = i * cells; at < last;) {
      const size_t count = last - at < 2048 ? (size_t)(last - at) : 2048;
      expand(some, x, at, count);
      crypto_generichash_update(&state, (const uint8_t *)some, count * sizeof *some);
      at += count;
    }
    crypto_generichash_final(&state, x->pieces[i], 32);
  }
}

sotto_status sotto_i_checksum_rows(uint8_t out[32], const sotto_entries *entries, uint64_t rows, size_t width,
                                   sotto_error *err) {
  expanding x = {.entries = entries, .width = width, .cells = rows * width};
  const size_t count = (size_t)((x.cells * sizeof(float) + piece_size - 1) / piece_size);
  SOTTO_I_CHECK(sodium_init() >= 0);
  sotto_status status = sotto_i_new(&x.pieces, count, sizeof *x.pieces, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(count, 1, hash_entries, &x);
  crypto_generichash(out, 32, (const uint8_t *)x.pieces, count * sizeof *x.pieces, NULL, 0);
  sotto_i_free(x.pieces);
  return SOTTO_OK;
}

static sotto_status sum_arrays(sotto_i_parts *p, sotto_error *err) {
  const uint64_t entries = p->offsets[p->nodes];
  const struct {
    const void *data;
    size_t size;
  } arrays[SOTTO_I_SUMS] = {
      [SOTTO_I_SUM_OFFSETS] = {p->offsets, (p->nodes + 1) * sizeof *p->offsets},
      [SOTTO_I_SUM_TARGETS] = {p->targets, entries * sizeof *p->targets},
      [SOTTO_I_SUM_FEATURES] = {p->width == 0 ? NULL : p->features, p->nodes * p->width * sizeof(float)},
      [SOTTO_I_SUM_LABELS] = {p->labels, p->nodes * sizeof *p->labels},
      [SOTTO_I_SUM_SPLIT] = {p->split, p->nodes},
      [SOTTO_I_SUM_GRAPH_FIRST] = {p->graph_count == 0 ? NULL : p->graph_first,
                                   (p->graph_count + 1) * sizeof *p->graph_first},
      [SOTTO_I_SUM_GRAPH_LABELS] = {p->graph_count == 0 ? NULL : p->graph_labels,
                                    p->graph_count * sizeof *p->graph_labels},
  };
  for (size_t i = 0; i < SOTTO_I_SUMS; i++) {
    if (arrays[i].data == NULL) continue;
    sotto_status status = sotto_i_checksum(p->sums[i], arrays[i].data, arrays[i].size, err);
    if (status != SOTTO_OK) return status;
  }
  p->summed = true;
  return SOTTO_OK;
}

static uint64_t entries_of(const sotto_i_parts *parts) {
  return parts->offsets == NULL ? parts->edge_entries : parts->offsets[parts->nodes];
}

/* An array that is absent has a checksum of zeros. */
sotto_status sotto_i_parts_digest(uint8_t digest[32], sotto_i_parts *parts, sotto_error *err) {
  crypto_generichash_state state;
  const uint64_t counts[6] = {parts->nodes,       entries_of(parts), parts->width,
                              parts->graph_count, parts->classes,    parts->graph_classes};
  sotto_status status = parts->summed ? SOTTO_OK : sum_arrays(parts, err);
  if (status == SOTTO_OK && parts->entries.offsets != NULL) {
    const sotto_entries entries = {parts->entries.offsets, parts->entries.columns, parts->entries.values};
    status =
        sotto_i_checksum_rows(parts->sums[SOTTO_I_SUM_FEATURES], &entries, parts->nodes, parts->width, err);
  }
  if (status != SOTTO_OK) return status;
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)counts, sizeof counts);
  crypto_generichash_update(&state, (const uint8_t *)parts->sums, sizeof parts->sums);
  crypto_generichash_final(&state, digest, 32);
  return SOTTO_OK;
}

void sotto_i_parts_account(uint8_t account[32], const uint8_t digest[32], const sotto_i_parts *parts) {
  static const char domain[] = "sotto edges";
  const uint64_t counts[2] = {parts->nodes, entries_of(parts)};
  crypto_generichash_state state;
  if (counts[1] == 0) {
    memcpy(account, digest, 32);
    return;
  }
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
  crypto_generichash_update(&state, (const uint8_t *)counts, sizeof counts);
  crypto_generichash_update(&state, parts->sums[SOTTO_I_SUM_OFFSETS], sizeof parts->sums[0]);
  crypto_generichash_update(&state, parts->sums[SOTTO_I_SUM_TARGETS], sizeof parts->sums[0]);
  crypto_generichash_final(&state, account, 32);
}

void sotto_i_parts_features(uint8_t digest[32], const sotto_i_parts *parts) {
  static const char domain[] = "sotto features";
  const uint64_t counts[2] = {parts->nodes, parts->width};
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
  crypto_generichash_update(&state, (const uint8_t *)counts, sizeof counts);
  crypto_generichash_update(&state, parts->sums[SOTTO_I_SUM_FEATURES], sizeof parts->sums[0]);
  crypto_generichash_final(&state, digest, 32);
}
