/* The hash table of ids. */
#include <sodium.h>
#include <string.h>

#include "base/memory.h"
#include "csv.h"

void sotto_i_ids_init(sotto_i_ids *ids) {
  *ids = (sotto_i_ids){0};
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_shorthash_keygen(ids->key);
}

void sotto_i_ids_close(sotto_i_ids *ids) {
  sotto_i_free(ids->slots);
  sotto_i_free(ids->plain);
  ids->slots = NULL;
  ids->plain = NULL;
  ids->plain_room = ids->slot_count = 0;
}

void sotto_i_ids_free(sotto_i_ids *ids) {
  sotto_i_ids_close(ids);
  for (uint8_t *block = ids->texts, *before; block != NULL; block = before) {
    memcpy(&before, block, sizeof before);
    sotto_i_free(block);
  }
  sotto_i_free(ids->names);
  sotto_i_free(ids->items);
  *ids = (sotto_i_ids){0};
}

void sotto_i_ids_expect(sotto_i_ids *ids, size_t bytes) {
  enum { each = 4 };
  const uint64_t most = UINT64_C(1) << 31;
  SOTTO_I_CHECK(ids->count == 0);
  ids->plain_below = bytes / each < most ? bytes / each : most;
}

void sotto_i_ids_copy(sotto_i_ids *ids) {
  SOTTO_I_CHECK(ids->count == 0);
  ids->copies = true;
}

/* The value of an id that is a small number as C prints one; UINT64_MAX for other ids. */
static uint64_t plain_value(const sotto_i_ids *ids, const sotto_i_field *name) {
  uint64_t value = 0;
  if (name->size == 0 || name->size > SOTTO_I_PLAIN_ROOM || (name->text[0] == '0' && name->size > 1))
    return UINT64_MAX;
  for (size_t i = 0; i < name->size; i++) {
    const uint8_t digit = (uint8_t)(name->text[i] - '0');
    if (digit > 9) return UINT64_MAX;
    value = value * 10 + digit;
  }
  return value < ids->plain_below ? value : UINT64_MAX;
}

static sotto_status grow_plain(sotto_i_ids *ids, uint64_t value, sotto_error *err) {
  const size_t before = ids->plain_room;
  const sotto_status status =
      sotto_i_grow(&ids->plain, &ids->plain_room, (size_t)value + 1, sizeof *ids->plain, err);
  if (ids->plain_room > before)
    memset(ids->plain + before, 0, (ids->plain_room - before) * sizeof *ids->plain);
  return status;
}

enum { short_bytes = 8 };

/* The slot of an id without its number; *hash is the hash of the name. */
static sotto_i_id_slot make_slot(const sotto_i_ids *ids, const sotto_i_field *name, uint64_t *hash) {
  sotto_i_id_slot out = {.size = name->size <= short_bytes ? (uint32_t)name->size : short_bytes + 1};
  crypto_shorthash((uint8_t *)hash, name->text, name->size, ids->key);
  if (name->size > short_bytes)
    out.word = *hash;
  else if (name->size > 0)
    memcpy(&out.word, name->text, name->size);
  return out;
}

/* The name of an id that has a slot. */
static sotto_i_field *hashed_name(const sotto_i_ids *ids, size_t number) {
  return &ids->names[ids->plain_below == 0 ? number : ids->items[number] - ids->plain_below];
}

/* The slot that contains the name, or the free slot where it belongs. */
static size_t find_slot(const sotto_i_ids *ids, const sotto_i_field *name, const sotto_i_id_slot *wanted,
                        uint64_t hash) {
  size_t at = hash & (ids->slot_count - 1);
  for (; ids->slots[at].number != 0; at = (at + 1) & (ids->slot_count - 1)) {
    const sotto_i_id_slot *slot = &ids->slots[at];
    if (slot->word != wanted->word || slot->size != wanted->size) continue;
    const sotto_i_field *there = hashed_name(ids, slot->number - 1);
    if (slot->size <= short_bytes ||
        (there->size == name->size && memcmp(there->text, name->text, name->size) == 0))
      break;
  }
  return at;
}

uint32_t sotto_i_ids_find(const sotto_i_ids *ids, const sotto_i_field *name) {
  uint64_t hash;
  const uint64_t value = plain_value(ids, name);
  if (value != UINT64_MAX) return sotto_i_ids_plain(ids, value);
  if (ids->hashed == 0) return UINT32_MAX;
  const sotto_i_id_slot wanted = make_slot(ids, name, &hash);
  return ids->slots[find_slot(ids, name, &wanted, hash)].number - 1; /* 0 in a free slot */
}

static void fill_slot(sotto_i_ids *ids, const sotto_i_field *name, uint32_t number) {
  uint64_t hash;
  sotto_i_id_slot slot = make_slot(ids, name, &hash);
  slot.number = number;
  ids->slots[find_slot(ids, name, &slot, hash)] = slot;
}

/* Grows the table so that it is at most half full. */
static sotto_status grow_slots(sotto_i_ids *ids, sotto_error *err) {
  if (2 * (ids->hashed + 1) <= ids->slot_count) return SOTTO_OK;
  sotto_i_ids larger = *ids;
  larger.slot_count = ids->slot_count == 0 ? 64 : 2 * ids->slot_count;
  sotto_status status = sotto_i_new(&larger.slots, larger.slot_count, sizeof *larger.slots, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < ids->slot_count; i++) {
    const sotto_i_id_slot *slot = &ids->slots[i];
    const sotto_i_field in_slot = {.text = (const uint8_t *)&slot->word, .size = slot->size};
    if (slot->number == 0) continue;
    fill_slot(&larger, slot->size <= short_bytes ? &in_slot : hashed_name(ids, slot->number - 1),
              slot->number);
  }
  sotto_i_free(ids->slots);
  *ids = larger;
  return SOTTO_OK;
}

/* Copies the text, with a zero byte at the end. */
static sotto_status copy_text(sotto_i_ids *ids, sotto_i_field *name, sotto_error *err) {
  enum { usual = 1 << 16 };
  const size_t need = name->size + 1, head = sizeof ids->texts;
  if (need > ids->texts_left) {
    uint8_t *block = NULL;
    const size_t size = need > usual - head ? need : usual - head;
    const sotto_status status = sotto_i_new_raw(&block, head + size, 1, err);
    if (status != SOTTO_OK) return status;
    memcpy(block, &ids->texts, head);
    ids->texts = block;
    ids->texts_left = size;
    ids->texts_next = block + head;
  }
  uint8_t *copy = ids->texts_next;
  if (name->size > 0) memcpy(copy, name->text, name->size);
  copy[name->size] = '\0';
  name->text = copy;
  ids->texts_next += need;
  ids->texts_left -= need;
  return SOTTO_OK;
}

/* Makes room for one more id and stores its item. */
static sotto_status add_item(sotto_i_ids *ids, uint64_t item, sotto_error *err) {
  if (ids->count == UINT32_MAX - 1 || item >= UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "a graph holds fewer than 2^32 - 1 ids");
  if (ids->plain_below == 0) return SOTTO_OK;
  const sotto_status status =
      sotto_i_grow(&ids->items, &ids->item_room, ids->count + 1, sizeof *ids->items, err);
  if (status == SOTTO_OK) ids->items[ids->count] = (uint32_t)item;
  return status;
}

sotto_status sotto_i_ids_add_plain(sotto_i_ids *ids, uint32_t value, sotto_error *err) {
  sotto_status status;
  if (value >= ids->plain_room) SOTTO_TRY(grow_plain(ids, value, err));
  SOTTO_TRY(add_item(ids, value, err));
  ids->plain[value] = (uint32_t)++ids->count;
done:
  return status;
}

sotto_status sotto_i_ids_add(sotto_i_ids *ids, const sotto_i_field *name, sotto_error *err) {
  sotto_status status;
  sotto_i_field kept = *name;
  const uint64_t value = plain_value(ids, name);
  if (value != UINT64_MAX) return sotto_i_ids_add_plain(ids, (uint32_t)value, err);
  SOTTO_TRY(grow_slots(ids, err));
  SOTTO_TRY(sotto_i_grow(&ids->names, &ids->room, ids->hashed + 1, sizeof *ids->names, err));
  if (ids->copies) SOTTO_TRY(copy_text(ids, &kept, err));
  SOTTO_TRY(add_item(ids, ids->plain_below + ids->hashed, err));
  ids->names[ids->hashed++] = kept;
  fill_slot(ids, &kept, (uint32_t)++ids->count);
done:
  return status;
}

size_t sotto_i_ids_size(const sotto_i_ids *ids, size_t number) {
  size_t digits = 1;
  if (!sotto_i_ids_is_plain(ids, number)) return hashed_name(ids, number)->size;
  for (uint64_t least = 10; ids->items[number] >= least; least *= 10) digits++;
  return digits;
}

sotto_i_field sotto_i_ids_name(const sotto_i_ids *ids, size_t number, uint8_t room[SOTTO_I_PLAIN_ROOM]) {
  if (!sotto_i_ids_is_plain(ids, number)) return *hashed_name(ids, number);
  uint8_t *at = room + SOTTO_I_PLAIN_ROOM;
  uint32_t left = ids->items[number];
  do {
    *--at = (uint8_t)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  return (sotto_i_field){at, (size_t)(room + SOTTO_I_PLAIN_ROOM - at)};
}
