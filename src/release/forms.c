/* Artifacts of two forms: graphs and tables, checksummed by their format, and keys, 32 bytes and their
 * origin. */
#include "forms.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

typedef struct table_use {
  const sotto_i_table_artifact *table;
  sotto_dataset *out;
  sotto_i_receipt receipt;
} table_use;

static sotto_status make_table(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  const table_use *u = context;
  sotto_status status;
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  SOTTO_TRY(u->table->make(u->table->context, &graph, &table, key, err));
  if (!sotto_i_ranks_first(u->table->artifact.owner.ranks)) goto done; /* rank 0 writes it */
  if (graph.offsets == NULL) SOTTO_TRY(sotto_graph_from_pairs(&graph, u->table->rows, NULL, NULL, 0, err));
  const sotto_dataset made = {.name = u->table->artifact.file, .graph = graph, .features = table};
  SOTTO_TRY(sotto_dataset_save(&made, path, err));
done:
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  return status;
}

static sotto_status show_table(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                               sotto_error *err) {
  const sotto_i_table_artifact *t = ((table_use *)context)->table;
  return (t->show != NULL ? t->show : t->make)(t->context, graph, table, key, err);
}

static sotto_status compare_table(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                                  sotto_matrix *exact, bool *scaled, sotto_error *err) {
  const sotto_i_table_artifact *t = ((table_use *)context)->table;
  sotto_dataset file = {0};
  sotto_status status;
  *scaled = true;
  if (layer > 1 || t->exact == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_dataset_open(&file, path, NULL, err));
  SOTTO_TRY(t->exact(t->context, exact, err));
  const sotto_matrix *rows = &file.features; /* in memory of the file */
  SOTTO_TRY(sotto_matrix_new(kept, rows->rows, rows->cols, err));
  memcpy(kept->data, rows->data, rows->rows * rows->cols * sizeof *rows->data);
done:
  sotto_dataset_free(&file);
  return status;
}

static sotto_status load_table(void *context, const char *path, const sotto_i_receipt *receipt,
                               sotto_error *err) {
  table_use *u = context;
  u->receipt = *receipt;
  sotto_status status = sotto_dataset_open(u->out, path, NULL, err);
  if (status == SOTTO_OK && u->out->graph.nodes != u->table->rows)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: has %llu rows, not %zu", path,
                          (unsigned long long)u->out->graph.nodes, u->table->rows);
  return status;
}

sotto_status sotto_i_table_use(sotto_dataset *out, sotto_i_receipt *receipt,
                               const sotto_i_table_artifact *table, sotto_error *err) {
  table_use u = {.table = table, .out = out};
  sotto_i_artifact artifact = table->artifact;
  *out = (sotto_dataset){0};
  artifact.context = &u;
  artifact.make = make_table;
  artifact.show = show_table;
  artifact.compare = compare_table;
  artifact.apart = table->show != NULL;
  artifact.is_table = true;
  artifact.load = load_table;
  sotto_status status = sotto_i_artifact_use(&artifact, err);
  if (status != SOTTO_OK) sotto_dataset_free(out);
  if (receipt != NULL) *receipt = u.receipt;
  return status;
}

enum { key_bytes = 33, name_bytes = 8 };

typedef struct key_use {
  sotto_i_drawn_key *out;
  uint64_t number;
} key_use;

static sotto_status make_key(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  uint8_t bytes[key_bytes];
  sotto_key own;
  sotto_i_key_derive(&own, key, ((key_use *)context)->number);
  memcpy(bytes, own.bytes, sizeof own.bytes);
  bytes[key_bytes - 1] = (uint8_t)own.origin;
  sotto_status status = sotto_i_write_file(path, bytes, sizeof bytes, err);
  sodium_memzero(bytes, sizeof bytes);
  sotto_key_wipe(&own);
  return status;
}

static sotto_status load_key(void *context, const char *path, const sotto_i_receipt *receipt,
                             sotto_error *err) {
  sotto_i_drawn_key *out = ((key_use *)context)->out;
  uint8_t digest[16];
  sotto_i_map map = {.data = NULL};
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  if (map.size == key_bytes) {
    memcpy(out->key.bytes, map.data, sizeof out->key.bytes);
    out->key.origin = (sotto_key_origin)map.data[key_bytes - 1];
    crypto_generichash(digest, sizeof digest, map.data, key_bytes, NULL, 0);
    sotto_i_hex(out->name, digest, name_bytes);
    out->receipt = *receipt;
  } else {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: %zu bytes are no key", path, map.size);
  }
  sotto_i_map_close(&map);
  return status;
}

/* The folder owner-only, in the run's folder for items that are made once (as in artifact.c). */
static sotto_status make_folder(const sotto_i_artifact *a, sotto_error *err) {
  const bool once = a->item != SOTTO_I_NO_ITEM && a->owner.cost->items[a->item].once;
  char *folder = NULL;
  sotto_status status =
      sotto_i_join(&folder, once ? a->owner.options->out : a->owner.folder, "owner-only", err);
  if (status == SOTTO_OK) status = sotto_i_make_folder(folder, err);
  sotto_i_free(folder);
  return status;
}

sotto_status sotto_i_artifact_key_use(sotto_i_drawn_key *out, const sotto_i_artifact *artifact,
                                      uint64_t number, sotto_error *err) {
  key_use u = {out, number};
  sotto_i_artifact a = *artifact;
  a.context = &u;
  a.make = make_key;
  a.load = load_key;
  sotto_status status = make_folder(&a, err);
  return status == SOTTO_OK ? sotto_i_artifact_use(&a, err) : status;
}
