/* Ids distributed over ranks: registered, counted and looked up in rounds. */
#include "shared_ids.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { block_size = 1 << 18 };

sotto_status sotto_i_shared_ids_new(sotto_i_shared_ids *out, sotto_ranks *ranks, uint64_t bytes,
                                    sotto_error *err) {
  enum { each = 4 };
  sotto_status status;
  *out = (sotto_i_shared_ids){.small_below = bytes / each < UINT32_MAX ? bytes / each : UINT32_MAX};
  sotto_i_ids_init(&out->texts);
  SOTTO_TRY(sotto_i_exchange_new(&out->mail, ranks, err));
  SOTTO_TRY(sotto_i_exchange_new(&out->answers, ranks, err));
  crypto_shorthash_keygen(out->key);
  SOTTO_TRY(sotto_i_ranks_give(ranks, out->key, sizeof out->key, err));
done:
  return status;
}

void sotto_i_shared_ids_free(sotto_i_shared_ids *ids) {
  for (size_t i = 0; i < ids->block_count; i++) sotto_i_free(ids->blocks[i]);
  sotto_i_free(ids->blocks);
  sotto_i_free(ids->items);
  sotto_i_free(ids->small);
  sotto_i_free(ids->text_items);
  sotto_i_ids_free(&ids->texts);
  sotto_i_exchange_free(&ids->mail);
  sotto_i_exchange_free(&ids->answers);
  *ids = (sotto_i_shared_ids){0};
}

/* Whether an id is a small number as C prints one. */
static bool is_small(uint32_t *value, const sotto_i_shared_ids *ids, const sotto_i_field *id) {
  enum { most_digits = 10 };
  uint64_t number = 0;
  if (id->size == 0 || id->size > most_digits || (id->text[0] == '0' && id->size > 1)) return false;
  for (size_t i = 0; i < id->size; i++) {
    if (id->text[i] < '0' || id->text[i] > '9') return false;
    number = number * 10 + (uint64_t)(id->text[i] - '0');
  }
  *value = (uint32_t)number;
  return number < ids->small_below;
}

uint32_t sotto_i_shared_ids_owner(const sotto_i_shared_ids *ids, const sotto_i_field *id) {
  uint32_t value = 0;
  uint64_t hash = 0;
  if (is_small(&value, ids, id)) return value % ids->mail.count;
  crypto_shorthash((uint8_t *)&hash, id->text, id->size, ids->key);
  return (uint32_t)(hash % ids->mail.count);
}

sotto_status sotto_i_shared_ids_put(sotto_i_shared_ids *ids, const sotto_i_field *id, sotto_i_id_note note,
                                    sotto_error *err) {
  const uint32_t to = sotto_i_shared_ids_owner(ids, id);
  note.size = note.value = 0;
  if (!is_small(&note.value, ids, id))
    note = (sotto_i_id_note){note.seen, note.count, note.number, (uint32_t)id->size, 0};
  const sotto_status status = sotto_i_exchange_put(&ids->mail, to, &note, sizeof note, err);
  return status == SOTTO_OK ? sotto_i_exchange_put(&ids->mail, to, id->text, note.size, err) : status;
}

/* Takes the next note of a rank; false when it has no more. */
static bool take_note(sotto_i_shared_ids *ids, uint32_t from, sotto_i_id_note *note, sotto_i_field *text) {
  const void *message = sotto_i_exchange_take(&ids->mail, from, sizeof *note);
  if (message == NULL) return false;
  memcpy(note, message, sizeof *note);
  *text = (sotto_i_field){sotto_i_exchange_take(&ids->mail, from, note->size), note->size};
  SOTTO_I_CHECK(text->text != NULL);
  return true;
}

/* Index of an id in items, or SIZE_MAX. */
static size_t find_item(const sotto_i_shared_ids *ids, const sotto_i_id_note *note,
                        const sotto_i_field *text) {
  if (note->size == 0) {
    const size_t place = note->value / ids->mail.count;
    return place < ids->small_room && ids->small[place] > 0 ? ids->small[place] - 1 : SIZE_MAX;
  }
  const uint32_t at = sotto_i_ids_find(&ids->texts, text);
  return at == UINT32_MAX ? SIZE_MAX : ids->text_items[at];
}

/* Copies a text into the blocks. */
static sotto_status copy_text(sotto_i_shared_ids *ids, sotto_i_field *text, sotto_error *err) {
  if (ids->block_count == 0 || text->size > block_size - ids->block_used) {
    sotto_status status =
        sotto_i_grow(&ids->blocks, &ids->block_rooms, ids->block_count + 1, sizeof *ids->blocks, err);
    if (status == SOTTO_OK)
      status = sotto_i_new_raw(&ids->blocks[ids->block_count],
                               text->size > block_size ? text->size : block_size, 1, err);
    if (status != SOTTO_OK) return status;
    ids->block_count++;
    ids->block_used = 0;
  }
  char *to = ids->blocks[ids->block_count - 1] + ids->block_used;
  memcpy(to, text->text, text->size);
  ids->block_used += text->size < block_size ? text->size : block_size;
  text->text = (const uint8_t *)to;
  return SOTTO_OK;
}

static sotto_status add_item(sotto_i_shared_ids *ids, const sotto_i_id_note *note, sotto_i_field text,
                             sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_grow(&ids->items, &ids->room, ids->count + 1, sizeof *ids->items, err));
  if (note->size == 0) {
    const size_t place = note->value / ids->mail.count, before = ids->small_room;
    SOTTO_TRY(sotto_i_grow(&ids->small, &ids->small_room, place + 1, sizeof *ids->small, err));
    if (ids->small_room > before)
      memset(ids->small + before, 0, (ids->small_room - before) * sizeof *ids->small);
    ids->small[place] = (uint32_t)ids->count + 1;
  } else {
    SOTTO_TRY(
        sotto_i_grow(&ids->text_items, &ids->text_room, ids->texts.count + 1, sizeof *ids->text_items, err));
    ids->text_items[ids->texts.count] = (uint32_t)ids->count;
    SOTTO_TRY(copy_text(ids, &text, err));
    SOTTO_TRY(sotto_i_ids_add(&ids->texts, &text, err));
  }
  ids->items[ids->count] = *note;
  /* for a text, `value` is its index */
  if (note->size > 0) ids->items[ids->count].value = (uint32_t)ids->texts.count - 1;
  ids->count++;
done:
  return status;
}

sotto_status sotto_i_shared_ids_name(sotto_i_shared_ids *ids, bool *more, sotto_error *err) {
  sotto_i_id_note note;
  sotto_i_field text;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_pass(&ids->mail, more, err));
  for (uint32_t r = 0; r < ids->mail.count; r++)
    while (take_note(ids, r, &note, &text)) {
      const size_t at = find_item(ids, &note, &text);
      if (at == SIZE_MAX) {
        SOTTO_TRY(add_item(ids, &note, text, err));
        continue;
      }
      if (note.seen < ids->items[at].seen) ids->items[at].seen = note.seen;
      ids->items[at].count += note.count;
    }
done:
  return status;
}

sotto_status sotto_i_shared_ids_list(sotto_i_shared_ids *ids, bool *more, sotto_i_id_note *twice,
                                     sotto_i_field *text, sotto_error *err) {
  sotto_i_id_note note;
  sotto_i_field name;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_pass(&ids->mail, more, err));
  for (uint32_t r = 0; r < ids->mail.count; r++)
    while (take_note(ids, r, &note, &name)) {
      const size_t at = find_item(ids, &note, &name);
      if (at == SIZE_MAX) {
        SOTTO_TRY(add_item(ids, &note, name, err));
        continue;
      }
      const sotto_i_id_note later = note.seen > ids->items[at].seen ? note : ids->items[at];
      if (text->text != NULL && later.seen >= twice->seen) continue;
      *twice = note;
      twice->seen = later.seen;
      *text = name;
    }
done:
  return status;
}

sotto_status sotto_i_shared_ids_count(sotto_i_shared_ids *ids, bool *more, sotto_error *err) {
  sotto_i_id_note note;
  sotto_i_field text;
  const sotto_status status = sotto_i_exchange_pass(&ids->mail, more, err);
  for (uint32_t r = 0; status == SOTTO_OK && r < ids->mail.count; r++)
    while (take_note(ids, r, &note, &text)) {
      const size_t at = find_item(ids, &note, &text);
      if (at != SIZE_MAX) ids->items[at].count += note.count;
    }
  return status;
}

sotto_status sotto_i_shared_ids_ask(sotto_i_shared_ids *ids, bool *more, sotto_error *err) {
  sotto_i_id_note note;
  sotto_i_field text;
  bool none = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange_pass(&ids->mail, more, err));
  for (uint32_t r = 0; r < ids->mail.count; r++)
    while (take_note(ids, r, &note, &text)) {
      const size_t at = find_item(ids, &note, &text);
      const uint32_t number = at == SIZE_MAX ? UINT32_MAX : ids->items[at].number;
      SOTTO_TRY(sotto_i_exchange_put(&ids->answers, r, &number, sizeof number, err));
    }
  SOTTO_TRY(sotto_i_exchange_pass(&ids->answers, &none, err));
done:
  return status;
}

sotto_i_field sotto_i_shared_ids_text(const sotto_i_shared_ids *ids, size_t item, char digits[12]) {
  const sotto_i_id_note *note = &ids->items[item];
  if (note->size > 0) return ids->texts.names[note->value];
  const int size = snprintf(digits, 12, "%u", (unsigned)note->value);
  return (sotto_i_field){(const uint8_t *)digits, (size_t)size};
}
