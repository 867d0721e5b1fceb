/* Export of the chain as JSON, for an auditor without the ledger and the owner's key. */
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger.h"

enum { form = 1 };

static json_t *hex_value(const uint8_t *bytes, size_t size) {
  char text[2 * SOTTO_I_SIGNATURE + 1];
  sotto_i_hex(text, bytes, size);
  return json_string(text);
}

static sotto_status add_entries(json_t *list, const sotto_ledger *ledger, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  int code;
  sotto_status status =
      sotto_i_store_prepare(&ledger->store, &s, "SELECT number, text, hash FROM entry ORDER BY number", err);
  if (status != SOTTO_OK) return status;
  while ((code = sqlite3_step(s)) == SQLITE_ROW)
    json_array_append_new(list, json_pack("{s:I,s:s,s:o}", "number", (json_int_t)sqlite3_column_int64(s, 0),
                                          "text", (const char *)sqlite3_column_text(s, 1), "hash",
                                          hex_value(sqlite3_column_blob(s, 2), 32)));
  if (code != SQLITE_DONE) status = sotto_i_store_fail(&ledger->store, code, "read it", err);
  (void)sqlite3_finalize(s);
  return status;
}

sotto_status sotto_ledger_export(sotto_ledger *ledger, const char *path, sotto_error *err) {
  json_t *list = json_array(), *root = NULL;
  char *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  SOTTO_TRY(add_entries(list, ledger, err));
  root = json_pack("{s:i,s:o,s:O,s:{s:I,s:o,s:o}}", "sotto-ledger", form, "owner",
                   hex_value(ledger->state.owner, 32), "entries", list, "head", "count",
                   (json_int_t)ledger->seen.count, "hash", hex_value(ledger->seen.hash, 32), "signature",
                   hex_value(ledger->seen.signature, SOTTO_I_SIGNATURE));
  if (json_array_size(list) == ledger->seen.count && root != NULL) text = json_dumps(root, JSON_INDENT(1));
  if (text == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the export of %s", ledger->store.path);
    goto done;
  }
  SOTTO_TRY(sotto_i_write_file(path, text, strlen(text), err));
done:
  sotto_i_ledger_end(ledger);
  json_decref(list);
  json_decref(root);
  free(text);
  return status;
}

sotto_status sotto_ledger_prove(sotto_ledger *ledger, sotto_ledger_proof *out, sotto_error *err) {
  sotto_status status = sotto_i_ledger_begin(ledger, false, err);
  sotto_i_ledger_end(ledger);
  *out = (sotto_ledger_proof){.entries = ledger->seen.count};
  memcpy(out->owner, ledger->state.owner, 32);
  memcpy(out->head, ledger->seen.hash, 32);
  return status;
}

static bool take_hex(uint8_t *out, size_t size, const json_t *value) {
  size_t used = 0;
  const char *text = json_string_value(value);
  return text != NULL && strlen(text) == 2 * size &&
         sodium_hex2bin(out, size, text, 2 * size, NULL, &used, NULL) == 0 && used == size;
}

/* Refuses members that an export does not have: nothing signs them, so anyone who passed the export on may
 * have added them. `names` ends with NULL. */
static sotto_status check_members(json_t *object, const char *const *names, const char *where,
                                  sotto_error *err) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    size_t i = 0;
    while (names[i] != NULL && strcmp(names[i], key) != 0) i++;
    if (names[i] == NULL)
      return sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s has a member '%.40s', which no export has: the file was changed", where, key);
  }
  return SOTTO_OK;
}

/* Checks and adds one entry, as when a ledger is read. */
static sotto_status add_exported_entry(sotto_i_head *head, sotto_i_state *state, json_t *row,
                                       sotto_error *err) {
  static const char *const members[] = {"number", "text", "hash", NULL};
  const char *text = json_string_value(json_object_get(row, "text"));
  char where[40];
  uint8_t kept[32], hash[32];
  sotto_i_entry entry = {.time = NULL};
  sotto_status status = SOTTO_OK;
  const unsigned long long number = head->count + 1;
  if (text == NULL || !take_hex(kept, 32, json_object_get(row, "hash")) ||
      json_integer_value(json_object_get(row, "number")) != (json_int_t)number)
    return sotto_i_fail(err, SOTTO_CORRUPT, "entry %llu is missing, or not whole", number);
  (void)snprintf(where, sizeof where, "entry %llu", number);
  SOTTO_TRY(check_members(row, members, where, err));
  sotto_i_entry_hash(hash, head->hash, text);
  if (memcmp(hash, kept, 32) != 0) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "entry %llu does not follow from the one before", number);
    goto done;
  }
  SOTTO_TRY(sotto_i_entry_read(&entry, text, err));
  if ((entry.kind == SOTTO_I_ENTRY_LEDGER) != (number == 1)) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "entry %llu: a ledger does not begin like this", number);
    goto done;
  }
  SOTTO_TRY(sotto_i_state_add(state, &entry, err));
  memcpy(head->hash, hash, 32);
  if (number == 1) memcpy(head->ledger, hash, 32);
  head->count++;
done:
  sotto_i_entry_free(&entry);
  return status;
}

static sotto_status verify_root(sotto_ledger_proof *out, json_t *root, sotto_error *err) {
  static const char *const members[] = {"sotto-ledger", "owner", "entries", "head", NULL},
                           *const of_head[] = {"count", "hash", "signature", NULL};
  json_t *list = json_object_get(root, "entries"), *said = json_object_get(root, "head");
  sotto_i_head head = {.count = 0};
  sotto_i_state state = {.count = 0};
  uint8_t owner[32], hash[32];
  sotto_status status = SOTTO_OK;
  if (json_integer_value(json_object_get(root, "sotto-ledger")) != form ||
      !take_hex(owner, 32, json_object_get(root, "owner")) ||
      !take_hex(hash, 32, json_object_get(said, "hash")) ||
      !take_hex(head.signature, SOTTO_I_SIGNATURE, json_object_get(said, "signature")))
    return sotto_i_fail(err, SOTTO_CORRUPT, "is not the export of a ledger");
  SOTTO_TRY(check_members(root, members, "it", err));
  SOTTO_TRY(check_members(said, of_head, "head", err));
  for (size_t i = 0; i < json_array_size(list); i++)
    SOTTO_TRY(add_exported_entry(&head, &state, json_array_get(list, i), err));
  if (json_integer_value(json_object_get(said, "count")) != (json_int_t)head.count ||
      memcmp(hash, head.hash, 32) != 0)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "its head is not that of its %llu entries",
                          (unsigned long long)head.count);
  else if (memcmp(owner, state.owner, 32) != 0 || !sotto_i_head_holds(&head, owner))
    status = sotto_i_fail(err, SOTTO_CORRUPT, "its head was not signed by the owner that it names");
  *out = (sotto_ledger_proof){.entries = head.count};
  memcpy(out->owner, owner, 32);
  memcpy(out->head, head.hash, 32);
done:
  sotto_i_state_free(&state);
  return status;
}

sotto_status sotto_ledger_verify_export(sotto_ledger_proof *out, const char *path, sotto_error *err) {
  sotto_i_map map;
  json_error_t where;
  sotto_error inner = {0};
  *out = (sotto_ledger_proof){0};
  SOTTO_I_CHECK(sodium_init() >= 0);
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  json_t *root = json_loadb((const char *)map.data, map.size, JSON_REJECT_DUPLICATES, &where);
  sotto_i_map_close(&map);
  if (root == NULL)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: is no ledger, no backup and no export of one: line %d: %s",
                        path, where.line, where.text);
  status = verify_root(out, root, &inner);
  json_decref(root);
  return status == SOTTO_OK ? SOTTO_OK : sotto_i_fail(err, status, "%s: %s", path, inner.text);
}
