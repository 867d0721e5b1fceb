/* Checksums of arrays, and the digest that identifies a dataset by its content.
 *
 * A checksum is BLAKE2b-256 over the BLAKE2b-256 of each piece of 1 MiB, so that threads and vector lanes
 * can work on one array. The digest is BLAKE2b-256 over the counts and the checksums of the arrays. The
 * native format stores the same checksums, so a file verified on open is not read again for its digest. */
#include <sodium.h>
#include <string.h>

#include "base/blake2b/blake2b.h"
#include "base/memory.h"
#include "base/threads.h"
#include "graph/features.h"

enum { piece_size = 1 << 20, some_bytes = 4096 };

typedef struct hashing {
  const uint8_t *data;
  const sotto_entries *entries; /* instead of data: a sparse table of `width` columns */
  uint64_t width;
  size_t size, whole; /* bytes, and whole pieces */
  uint8_t (*pieces)[32];
} hashing;

/* Bytes `at` to at + size - 1: in place, or expanded from the entries into `room`. */
static const uint8_t *get_bytes(const hashing *h, float *room, size_t at, size_t size) {
  if (h->entries == NULL) return h->data + at;
  sotto_i_entries_expand(room, h->entries, h->width, at / sizeof(float), size / sizeof(float));
  return (const uint8_t *)room;
}

/* Hashes groups of as many pieces as there are lanes. In the last group, spare lanes hash any piece. */
static void hash_groups(void *context, size_t begin, size_t end) {
  hashing *h = context;
  const size_t lanes = sotto_i_blake2b_lanes(), step = h->entries == NULL ? piece_size : some_bytes;
  float some[SOTTO_I_BLAKE2B_MOST][some_bytes / sizeof(float)];
  for (size_t first = begin * lanes; first < end * lanes && first < h->whole; first += lanes) {
    const size_t count = h->whole - first < lanes ? h->whole - first : lanes;
    sotto_i_blake2b state;
    sotto_i_blake2b_begin(&state);
    for (size_t at = 0; at < piece_size; at += step) {
      const uint8_t *places[SOTTO_I_BLAKE2B_MOST];
      for (size_t l = 0; l < lanes; l++) {
        const size_t piece = l < count ? first + l : first;
        places[l] = get_bytes(h, some[l], piece * piece_size + at, step);
      }
      sotto_i_blake2b_add(&state, places, step / SOTTO_I_BLAKE2B_BLOCK, at + step == piece_size);
    }
    for (size_t l = 0; l < count; l++) sotto_i_blake2b_digest(&state, l, h->pieces[first + l]);
  }
}

/* Hashes the bytes behind the whole pieces. */
static void hash_rest(const hashing *h) {
  float some[some_bytes / sizeof(float)];
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof h->pieces[0]);
  for (size_t at = h->whole * piece_size; at < h->size; at += some_bytes) {
    const size_t size = h->size - at < some_bytes ? h->size - at : some_bytes;
    crypto_generichash_update(&state, get_bytes(h, some, at, size), size);
  }
  crypto_generichash_final(&state, h->pieces[h->whole], sizeof h->pieces[0]);
}

static sotto_status checksum_of(uint8_t out[32], hashing *h, sotto_error *err) {
  const size_t count = (h->size + piece_size - 1) / piece_size, lanes = sotto_i_blake2b_lanes();
  SOTTO_I_CHECK(sodium_init() >= 0);
  sotto_status status = sotto_i_new(&h->pieces, count, sizeof *h->pieces, err);
  if (status != SOTTO_OK) return status;
  h->whole = h->size / piece_size;
  sotto_i_parallel((h->whole + lanes - 1) / lanes, 1, hash_groups, h);
  if (h->whole < count) hash_rest(h);
  crypto_generichash(out, 32, (const uint8_t *)h->pieces, count * sizeof *h->pieces, NULL, 0);
  sotto_i_free(h->pieces);
  return SOTTO_OK;
}

sotto_status sotto_i_checksum(uint8_t out[32], const void *data, size_t size, sotto_error *err) {
  return checksum_of(out, &(hashing){.data = data, .size = size}, err);
}

sotto_status sotto_i_checksum_rows(uint8_t out[32], const sotto_entries *entries, uint64_t rows, size_t width,
                                   sotto_error *err) {
  return checksum_of(
      out, &(hashing){.entries = entries, .width = width, .size = rows * width * sizeof(float)}, err);
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

static uint64_t count_entries(const sotto_i_parts *parts) {
  return parts->offsets == NULL ? parts->edge_entries : parts->offsets[parts->nodes];
}

/* Kinds, and their names, which give the numbers a meaning. The word parts them from all other checksums. */
static void add_kinds(crypto_generichash_state *state, const uint8_t sums[2][32]) {
  static const char word[] = "sotto kinds";
  crypto_generichash_update(state, (const uint8_t *)word, sizeof word);
  crypto_generichash_update(state, sums[0], sizeof sums[0]);
  crypto_generichash_update(state, sums[1], sizeof sums[1]);
}

static sotto_status add_own_kinds(crypto_generichash_state *state, const sotto_i_transfers *t,
                                  sotto_error *err) {
  uint8_t sums[2][32];
  if (t->kinds == NULL) return SOTTO_OK;
  sotto_status status = sotto_i_checksum(sums[0], t->kinds, t->count, err);
  if (status == SOTTO_OK)
    status = sotto_i_checksum(sums[1], t->kind_names.starts, sotto_i_names_size(&t->kind_names), err);
  if (status == SOTTO_OK) add_kinds(state, (const uint8_t(*)[32])sums);
  return status;
}

/* Datasets without transfers have the digest that they always had. Of transfers that stay in their file the
 * checksums count that the file has. */
static sotto_status add_transfers(crypto_generichash_state *state, const sotto_i_parts *parts,
                                  sotto_error *err) {
  const sotto_i_transfers *t = &parts->transfers;
  const struct {
    const void *data;
    size_t size;
  } arrays[] = {{t->sources, sizeof *t->sources},
                {t->targets, sizeof *t->targets},
                {t->amounts, sizeof *t->amounts},
                {t->times, sizeof *t->times}};
  for (size_t i = 0; parts->transfer_sums != NULL && i < sizeof arrays / sizeof *arrays; i++)
    crypto_generichash_update(state, parts->transfer_sums[i], sizeof parts->transfer_sums[i]);
  if (parts->transfer_sums != NULL && parts->kind_sums)
    add_kinds(state, parts->transfer_sums + sizeof arrays / sizeof *arrays);
  if (t->count == 0) return SOTTO_OK;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    uint8_t sum[32] = {0};
    const sotto_status status = arrays[i].data == NULL
                                    ? SOTTO_OK
                                    : sotto_i_checksum(sum, arrays[i].data, t->count * arrays[i].size, err);
    if (status != SOTTO_OK) return status;
    crypto_generichash_update(state, sum, sizeof sum);
  }
  return add_own_kinds(state, t, err);
}

/* One more checksum, where transfers add four or none and edges to others two or none: no dataset of another
 * kind has the same bytes. */
static sotto_status add_numbers(crypto_generichash_state *state, const sotto_i_parts *parts,
                                sotto_error *err) {
  uint8_t sum[32];
  if (parts->numbers == NULL) return SOTTO_OK;
  const sotto_status status =
      sotto_i_checksum(sum, parts->numbers, parts->nodes * sizeof *parts->numbers, err);
  if (status == SOTTO_OK) crypto_generichash_update(state, sum, sizeof sum);
  return status;
}

/* Two more checksums, of nodes and of ids: the other ends have nothing but their ids. */
static sotto_status add_foreign(crypto_generichash_state *state, const sotto_i_parts *parts,
                                sotto_error *err) {
  const sotto_i_foreign *f = &parts->foreign;
  uint8_t sums[2][32];
  if (f->nodes == NULL) return SOTTO_OK;
  sotto_status status = sotto_i_checksum(sums[0], f->nodes, f->ids.count * sizeof *f->nodes, err);
  if (status == SOTTO_OK) status = sotto_i_checksum(sums[1], f->ids.starts, sotto_i_names_size(&f->ids), err);
  if (status == SOTTO_OK) crypto_generichash_update(state, (const uint8_t *)sums, sizeof sums);
  return status;
}

/* An absent array has a checksum of zeros. */
sotto_status sotto_i_parts_digest(uint8_t digest[32], sotto_i_parts *parts, sotto_error *err) {
  crypto_generichash_state state;
  const uint64_t counts[6] = {parts->nodes,       count_entries(parts), parts->width,
                              parts->graph_count, parts->classes,       parts->graph_classes};
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
  status = add_transfers(&state, parts, err);
  if (status == SOTTO_OK) status = add_numbers(&state, parts, err);
  if (status == SOTTO_OK) status = add_foreign(&state, parts, err);
  crypto_generichash_final(&state, digest, 32);
  return status;
}

void sotto_i_parts_account(uint8_t account[32], const uint8_t digest[32], const sotto_i_parts *parts) {
  static const char domain[] = "sotto edges";
  const uint64_t counts[2] = {parts->nodes, count_entries(parts)};
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
