/* A hash table over tags, keyed at random, so no choice of tags by the other side makes it slow. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "psi.h"

/* The slot that holds the tag, or the free one where it belongs. */
static size_t slot_of(const sotto_i_tag_table *table, const uint8_t *tag) {
  uint64_t hash;
  crypto_shorthash((uint8_t *)&hash, tag, SOTTO_I_TAG_BYTES, table->key);
  size_t slot = sotto_i_slot_below(hash, table->room);
  for (; table->slots[slot] != 0; slot = slot + 1 == table->room ? 0 : slot + 1)
    if (memcmp(table->tags + SOTTO_I_TAG_BYTES * (size_t)(table->slots[slot] - 1), tag, SOTTO_I_TAG_BYTES) ==
        0)
      break;
  return slot;
}

sotto_status sotto_i_tag_table_new(sotto_i_tag_table *out, const uint8_t *tags, size_t count,
                                   sotto_error *err) {
  *out = (sotto_i_tag_table){.tags = tags, .count = count, .room = count + count / 2 + 1};
  crypto_shorthash_keygen(out->key);
  sotto_status status = sotto_i_new(&out->slots, out->room, sizeof *out->slots, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    size_t slot = slot_of(out, tags + SOTTO_I_TAG_BYTES * i);
    if (out->slots[slot] != 0)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "align.tags: tags %u and %zu are the same, and the ids are not",
                          out->slots[slot] - 1, i);
    out->slots[slot] = (uint32_t)i + 1;
  }
  return SOTTO_OK;
}

uint32_t sotto_i_tag_table_find(const sotto_i_tag_table *table, const uint8_t *tag) {
  return table->slots[slot_of(table, tag)] - 1; /* a free slot holds 0 */
}

void sotto_i_tag_table_free(sotto_i_tag_table *table) {
  sotto_i_free(table->slots);
  *table = (sotto_i_tag_table){0};
}
