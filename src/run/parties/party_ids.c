/* The common nodes of two parties or of holders: rows of a party's data, chosen and ordered by ids. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/dataset.h"
#include "graph/tables/row_ids.h"
#include "inside/graph.h"
#include "inside/party.h"
#include "party_roles.h"

/* Writes the row of the list to `room`. */
static sotto_status read_id(sotto_i_field *out, uint8_t room[SOTTO_MOST_ID_BYTES], const sotto_ids *list,
                            size_t i, sotto_error *err) {
  size_t size = 0;
  const sotto_status status = sotto_ids_get(room, &size, list, i, err);
  *out = (sotto_i_field){room, size};
  return status;
}

/* Also true for ids that are the numbers of rows, which are not stored: the schema has their column. */
static bool has_id_column(const sotto_dataset *data) {
  if (data->node_ids.count > 0) return true;
  for (uint64_t j = 0; data->schema != NULL && j < data->schema->column_count; j++)
    if (data->schema->columns[j].kind == SOTTO_COLUMN_ID) return true;
  return false;
}

/* items[i]: row of the i-th id of the list, or UINT32_MAX where no row has it. */
static sotto_status find_rows(uint32_t *items, size_t *found, const sotto_ids *list,
                              const sotto_dataset *data, sotto_error *err) {
  uint8_t room[SOTTO_MOST_ID_BYTES];
  sotto_i_ids rows;
  sotto_i_field id;
  sotto_status status;
  *found = 0;
  SOTTO_TRY(sotto_i_row_ids(&rows, data, data->graph.nodes, err));
  for (size_t i = 0; i < sotto_ids_count(list); i++) {
    SOTTO_TRY(read_id(&id, room, list, i, err));
    items[i] = sotto_i_ids_find(&rows, &id);
    *found += items[i] != UINT32_MAX;
  }
done:
  sotto_i_ids_free(&rows);
  return status;
}

static bool is_in_order(const uint32_t *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (items[i] != i) return false;
  return true;
}

static sotto_status fail_absent(const uint32_t *items, const sotto_ids *list, const sotto_dataset *data,
                                const char *path, size_t found, sotto_error *err) {
  uint8_t room[SOTTO_MOST_ID_BYTES];
  sotto_i_field id;
  size_t i = 0;
  while (items[i] != UINT32_MAX) i++;
  const sotto_status status = read_id(&id, room, list, i, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: id %zu is '%.*s', which no row of %s has; %zu of %zu ids were found. Give the ids that "
      "all parties have in common (sotto align)",
      path, i + 1, id.size > 80 ? 80 : (int)id.size, (const char *)id.text, data->name, found,
      sotto_ids_count(list));
}

/* Data without ids: line i is the id of row i, unless the lines could as well be numbers of rows. */
static sotto_status check_lines(const uint32_t *items, const sotto_ids *list, const sotto_dataset *data,
                                const char *path, size_t found, sotto_error *err) {
  const size_t count = sotto_ids_count(list);
  if (count != data->graph.nodes)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has %zu ids, and the data %llu nodes", path, count,
                        (unsigned long long)data->graph.nodes);
  if (found < count || is_in_order(items, count)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: %s has no ids, and these may be numbers of its rows in another order, or ids of its "
      "rows in their order. Import the data with a table that has a column of ids",
      path, data->name);
}

static sotto_status take_rows(sotto_dataset *data, const uint32_t *items, size_t count, sotto_error *err) {
  sotto_dataset taken = {0};
  if (count == data->graph.nodes && is_in_order(items, count)) return SOTTO_OK;
  if (data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: ids choose nodes, and this is a collection of graphs",
                        data->name);
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_dataset_take(&taken, data, items, count, data->name, err));
  sotto_i_parts *stored = taken.storage;
  if (data->path != NULL) SOTTO_TRY(sotto_i_strdup(&stored->path, data->path, err));
  taken.path = stored->path;
  /* edges among common nodes are edges of the whole: they are charged to its account */
  if (data->graph.entries > 0) memcpy(taken.account, data->account, sizeof taken.account);
  sotto_dataset_free(data);
  *data = taken;
  taken = (sotto_dataset){0};
done:
  sotto_dataset_free(&taken);
  return status;
}

sotto_status sotto_i_party_take_ids(sotto_dataset *data, uint8_t digest[32], const char *path,
                                    sotto_error *err) {
  sotto_ids *list = NULL;
  uint32_t *items = NULL;
  size_t found = 0;
  sotto_status status;
  SOTTO_TRY(sotto_ids_open(&list, path, "", err));
  const size_t count = sotto_ids_count(list);
  SOTTO_TRY(sotto_i_new_raw(&items, count, sizeof *items, err));
  SOTTO_TRY(find_rows(items, &found, list, data, err));
  if (!has_id_column(data))
    SOTTO_TRY(check_lines(items, list, data, path, found, err));
  else if (found < count)
    SOTTO_TRY(fail_absent(items, list, data, path, found, err));
  else
    SOTTO_TRY(take_rows(data, items, count, err));
  SOTTO_TRY(sotto_ids_digest(digest, list, NULL, count, err));
done:
  sotto_i_free(items);
  sotto_ids_free(list);
  return status;
}

void sotto_i_party_digest_ids(uint8_t digest[32], const sotto_dataset *data) {
  crypto_generichash_state hash;
  char number[24];
  crypto_generichash_init(&hash, NULL, 0, 32);
  for (uint64_t i = 0; i < data->graph.nodes; i++) {
    const char *id = sotto_name(&data->node_ids, i);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)i);
    if (id == NULL) id = number;
    crypto_generichash_update(&hash, (const uint8_t *)id, strlen(id));
    crypto_generichash_update(&hash, (const uint8_t *)"\n", 1);
  }
  crypto_generichash_final(&hash, digest, 32);
}
