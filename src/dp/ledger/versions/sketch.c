/* Sketches of a dataset's nodes: its ids and its rows of features, sampled by keyed hashes. */
#include "sketch.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { digits = 16 };

/* The least hashes so far: a heap whose first is the largest of them. */
typedef struct sample {
  uint64_t least[SOTTO_I_SKETCH];
  size_t count;
  uint8_t key[crypto_shorthash_KEYBYTES];
} sample;

static void start_sample(sample *s, const char *what, const char *of, const sotto_i_owner *owner) {
  crypto_generichash_state state;
  *s = (sample){.count = 0};
  crypto_generichash_init(&state, owner->secret_key, sizeof owner->secret_key, sizeof s->key);
  crypto_generichash_update(&state, (const uint8_t *)what, strlen(what) + 1);
  crypto_generichash_update(&state, (const uint8_t *)of, strlen(of) + 1);
  crypto_generichash_final(&state, s->key, sizeof s->key);
}

static void sift_down(sample *s) {
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= s->count) return;
    if (child + 1 < s->count && s->least[child + 1] > s->least[child]) child++;
    if (s->least[at] >= s->least[child]) return;
    const uint64_t was = s->least[at];
    s->least[at] = s->least[child];
    s->least[child] = was;
    at = child;
  }
}

static void sift_up(sample *s) {
  for (size_t at = s->count - 1; at > 0 && s->least[at] > s->least[(at - 1) / 2]; at = (at - 1) / 2) {
    const uint64_t was = s->least[at];
    s->least[at] = s->least[(at - 1) / 2];
    s->least[(at - 1) / 2] = was;
  }
}

/* An item that was added already is ignored. */
static void add_item(sample *s, const void *item, size_t size) {
  uint64_t hash;
  crypto_shorthash((uint8_t *)&hash, item, size, s->key);
  if (s->count == SOTTO_I_SKETCH && hash >= s->least[0]) return;
  for (size_t i = 0; i < s->count; i++)
    if (s->least[i] == hash) return;
  if (s->count < SOTTO_I_SKETCH) {
    s->least[s->count++] = hash;
    sift_up(s);
  } else {
    s->least[0] = hash;
    sift_down(s);
  }
}

/* Number of different items: all of them, or estimated by the share of all hashes below the last one. */
static double distinct_items(const sample *s) {
  if (s->count < SOTTO_I_SKETCH) return (double)s->count;
  return (SOTTO_I_SKETCH - 1) / ((double)s->least[0] * 0x1p-64);
}

static int ascending(const void *a, const void *b) {
  const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
  return (one > other) - (one < other);
}

static void write_text(char out[SOTTO_I_SKETCH_TEXT], sample *s) {
  qsort(s->least, s->count, sizeof *s->least, ascending);
  for (size_t i = 0; i < s->count; i++)
    (void)snprintf(out + i * digits, digits + 1, "%016llx", (unsigned long long)s->least[i]);
  sodium_memzero(s->key, sizeof s->key);
}

static void sketch_ids(char out[SOTTO_I_SKETCH_TEXT], sample *s, const sotto_names *ids) {
  for (uint64_t v = 0; v < ids->count; v++) {
    const char *id = sotto_name(ids, v);
    add_item(s, id, strlen(id));
  }
  write_text(out, s);
}

/* Rows shared by many nodes, such as those of a one-hot code, do not identify the nodes. */
static sotto_status sketch_rows(char out[SOTTO_I_SKETCH_TEXT], sample *s, const sotto_dataset *data,
                                sotto_error *err) {
  const size_t width = data->features.cols;
  float *row = NULL;
  sotto_status status = sotto_i_new(&row, width, sizeof *row, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    sotto_dataset_rows(row, data, v, 1);
    add_item(s, row, width * sizeof *row);
  }
  if (distinct_items(s) >= 0.5 * (double)data->graph.nodes) write_text(out, s);
  sotto_i_free(row);
  return SOTTO_OK;
}

sotto_status sotto_i_sketches_new(sotto_i_sketches *out, const sotto_dataset *data, const char *what,
                                  const sotto_i_owner *owner, sotto_error *err) {
  sample s;
  *out = (sotto_i_sketches){.ids = ""};
  if (data->node_ids.count > 0) {
    start_sample(&s, what, "ids", owner);
    sketch_ids(out->ids, &s, &data->node_ids);
  }
  if (data->features.cols == 0 || (data->features.data == NULL && data->entries.offsets == NULL) ||
      data->graph.offsets == NULL) /* over ranks: each has some of the rows */
    return SOTTO_OK;
  start_sample(&s, what, "rows", owner);
  return sketch_rows(out->rows, &s, data, err);
}

/* Hash i of a text in a ledger. The ledger's chain was verified; digits that are not a number count as 0. */
static uint64_t hash_at(const char *text, size_t i) {
  char one[digits + 1];
  memcpy(one, text + i * digits, digits);
  one[digits] = '\0';
  return strtoull(one, NULL, 16);
}

bool sotto_i_sketches_alike(const char *one, const char *other) {
  if (one == NULL || other == NULL) return false;
  const size_t ones = strlen(one) / digits, others = strlen(other) / digits;
  size_t a = 0, b = 0, common = 0;
  while (a < ones && b < others) {
    const uint64_t x = hash_at(one, a), y = hash_at(other, b);
    common += x == y;
    a += x <= y;
    b += y <= x;
  }
  /* Counts up to the hash below which both samples are complete: a short sample is its whole set. */
  if (a == ones && ones < SOTTO_I_SKETCH) b = others;
  if (b == others && others < SOTTO_I_SKETCH) a = ones;
  const size_t smaller = a < b ? a : b;
  return smaller > 0 && 5 * common >= 2 * smaller;
}
