/* Use of an artifact: find or make it, save it, charge it, and load it; and the two usual forms, tables and
 * keys.
 *
 * Locking: charges of one process are made one at a time, under `charging`. Threads of several parties share
 * the ledger's connection, and its transactions must not mix. */
#include "artifact.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/secret.h"
#include "base/text.h"
#include "dp/ledger/draws.h"
#include "draw.h"
#include "inside/dp.h"

static pthread_mutex_t charging = PTHREAD_MUTEX_INITIALIZER;

static size_t items_of(const sotto_i_artifact *a) {
  return a->items == 0 ? 1 : a->items;
}

static bool has_item(const sotto_i_artifact *a) {
  return a->item != SOTTO_I_NO_ITEM;
}

static const sotto_cost_account *account_of(const sotto_i_artifact *a) {
  return &a->owner.cost->accounts[a->owner.cost->items[a->item].account];
}

/* Whichever party asks, a release beyond the plan is refused. */
static sotto_status check_number(const sotto_i_artifact *a, sotto_error *err) {
  if (!has_item(a)) return SOTTO_OK;
  SOTTO_I_CHECK(a->owner.cost != NULL && a->item + items_of(a) <= a->owner.cost->count);
  for (size_t i = a->item; i < a->item + items_of(a); i++) {
    const sotto_cost_item *item = &a->owner.cost->items[i];
    SOTTO_I_CHECK(a->owner.ledger != NULL && item->times > 0);
    if (a->number >= item->times)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "%s: release %llu was requested, and the plan has %llu; nothing was released",
                          a->file, (unsigned long long)a->number + 1, (unsigned long long)item->times);
  }
  return SOTTO_OK;
}

static void noise_key(sotto_key *key, const sotto_i_artifact *a) {
  sotto_i_release_owner owner = a->owner;
  if (a->run_key) owner.seed = owner.options->seed;
  sotto_i_release_noise_key(key, &owner);
}

/* With an insecure seed the nonce must be as repeatable as the noise. */
static void draw_nonce(uint8_t nonce[SOTTO_I_NONCE], const sotto_i_artifact *a, const sotto_key *key) {
  crypto_generichash_state state;
  if (a->owner.options->insecure_seed == SOTTO_UNSET) {
    randombytes_buf(nonce, SOTTO_I_NONCE);
    return;
  }
  crypto_generichash_init(&state, NULL, 0, SOTTO_I_NONCE);
  crypto_generichash_update(&state, key->bytes, sizeof key->bytes);
  crypto_generichash_update(&state, (const uint8_t *)a->file, strlen(a->file));
  crypto_generichash_final(&state, nonce, SOTTO_I_NONCE);
}

/* Rank 0 decides whether a new draw is needed. All ranks then make it with rank 0's key. */
static sotto_status share_key(sotto_key *key, bool *found, sotto_ranks *ranks, sotto_error *err) {
  struct {
    sotto_key key;
    bool found;
  } given = {.found = *found};
  if (!*found) given.key = *key;
  const sotto_status status = sotto_i_ranks_give(ranks, &given, sizeof given, err);
  *found = given.found;
  *key = given.key;
  sodium_memzero(&given, sizeof given);
  return status;
}

static bool is_cached_only(const sotto_i_artifact *a) {
  return a->kept || a->owner.kept;
}

/* sotto_i_draw_find fails when the options differ, so only draws of the same options are removed here. */
static sotto_status find_or_make(sotto_i_draw *draw, const sotto_i_artifact *a, const char *path,
                                 sotto_error *err) {
  bool found;
  sotto_key *key = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_draw_find(draw, &found, path, a->made_with, err));
  SOTTO_TRY(sotto_i_new_secret(&key, 1, sizeof *key, err));
  if (!found && !is_cached_only(a)) noise_key(key, a);
  if (found || !is_cached_only(a)) SOTTO_TRY(share_key(key, &found, a->owner.ranks, err));
  if (found) goto done;
  if (is_cached_only(a)) {
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: this release of the run is missing, or its bytes were changed; restore the "
                          "file and %s.made from a copy of the folder, or train again",
                          path, a->file);
    goto done;
  }
  sotto_i_draw_forget(path);
  draw_nonce(draw->nonce, a, key);
  SOTTO_TRY(a->make(a->context, path, key, err));
  SOTTO_TRY(sotto_i_draw_save(draw, path, a->made_with, err));
done:
  sotto_i_free_secret(key);
  return status;
}

void sotto_i_tell_spent(const sotto_observer *observer, sotto_ledger *ledger, const uint8_t digest[32],
                        const char *name, const char *adjacency) {
  sotto_ledger_account account;
  sotto_spent spent;
  if (observer == NULL || observer->event == NULL || ledger == NULL) return;
  if (sotto_ledger_account_of(ledger, &account, digest, name, NULL) != SOTTO_OK ||
      sotto_ledger_spent(ledger, &spent, account.key, adjacency, NULL) != SOTTO_OK)
    return;
  sotto_i_event(observer, &(sotto_event){.kind = SOTTO_EVENT_SPENT,
                                         .epsilon = spent.epsilon,
                                         .delta = spent.delta,
                                         .budget = spent.budget.epsilon});
}

enum { most_items = 8 };

/* The charges of all items of one artifact; their ids are in `ids`. */
typedef struct charge_list {
  sotto_charge charges[most_items];
  char ids[most_items][SOTTO_I_CHARGE_ID];
  size_t count;
} charge_list;

static void add_charge(charge_list *b, const sotto_i_artifact *a, size_t item, const char *token) {
  const sotto_cost_item *i = &a->owner.cost->items[item];
  char *id = b->ids[b->count];
  sotto_i_charge_number(id, a->owner.cost, a->owner.run_id, a->owner.seed, item, a->number);
  size_t used = strlen(id);
  if (a->part > 0) {
    (void)snprintf(id + used, SOTTO_I_CHARGE_ID - used, "p%u-", (unsigned)a->part);
    used = strlen(id);
  }
  (void)snprintf(id + used, SOTTO_I_CHARGE_ID - used, "%s", token);
  sotto_charge *c = &b->charges[b->count++];
  *c = sotto_i_charge_of(id, i, a->owner.options);
  if (a->description != NULL) c->description = a->description;
}

/* Charges for draws of disjoint parts, one after the other. */
static sotto_status charge_draws(const sotto_i_artifact *a, const charge_list *b, sotto_error *err) {
  const sotto_cost_account *account = account_of(a);
  char among[SOTTO_I_CHARGE_ID];
  charge_list own = {.count = b->count};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < own.count; i++) { /* an id belongs to one account */
    (void)snprintf(own.ids[i], SOTTO_I_CHARGE_ID, "%.180s-own", b->ids[i]);
    own.charges[i] = b->charges[i];
    own.charges[i].id = own.ids[i];
  }
  sotto_i_charge_number(among, a->owner.cost, a->owner.run_id, a->owner.seed, a->item, a->number);
  if (a->part_data != NULL && a->own_part == 0)
    SOTTO_TRY(sotto_ledger_charge(a->owner.ledger, a->part_data->account, a->part_data->name, own.charges,
                                  own.count, err));
  for (size_t i = 0; a->part_data != NULL && a->own_part > 0 && i < own.count; i++)
    SOTTO_TRY(sotto_i_ledger_draw(a->owner.ledger, a->part_data->account, a->part_data->name, &own.charges[i],
                                  among, a->own_part, err));
  for (size_t i = 0; i < b->count; i++)
    SOTTO_TRY(sotto_i_ledger_draw(a->owner.ledger, account->digest, account->name, &b->charges[i], among,
                                  a->part, err));
done:
  return status;
}

/* Called under `charging`. At most every five seconds, since composition would slow a method of many
 * releases. */
static void report_spent(const sotto_i_artifact *a) {
  static double reported;
  const double now = sotto_i_seconds();
  if (reported > 0 && now - reported < 5) return;
  reported = now;
  sotto_i_tell_spent(a->owner.observer, a->owner.ledger, account_of(a)->digest, account_of(a)->name,
                     a->owner.cost->items[a->item].adjacency);
}

static void list_charges(charge_list *b, const sotto_i_artifact *a, const char *token) {
  b->count = 0;
  SOTTO_I_CHECK(items_of(a) <= most_items && account_of(a)->here && (a->part == 0 || items_of(a) == 1));
  for (size_t i = a->item; i < a->item + items_of(a); i++) add_charge(b, a, i, token);
}

static const char *folder_of(const sotto_i_artifact *a) {
  bool once = has_item(a) && a->owner.cost->items[a->item].once;
  return once ? a->owner.options->out : a->owner.folder;
}

/* Ranks other than rank 0 help to make the artifact, and wait for its charge before they load it. */
static sotto_status join_making(const sotto_i_artifact *a, sotto_error *err) {
  sotto_i_receipt receipt = {{0}};
  sotto_key *key = NULL;
  char *path = NULL;
  bool found = true;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder_of(a), a->file, err));
  SOTTO_TRY(sotto_i_new_secret(&key, 1, sizeof *key, err));
  SOTTO_TRY(share_key(key, &found, a->owner.ranks, err));
  if (!found) SOTTO_TRY(a->make(a->context, path, key, err));
  SOTTO_TRY(sotto_i_receipt_give(&receipt, a->owner.ranks, err));
  SOTTO_TRY(a->load(a->context, path, &receipt, err));
done:
  sotto_i_free_secret(key);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_artifact_use(const sotto_i_artifact *a, sotto_error *err) {
  char *path = NULL, token[SOTTO_I_TOKEN_HEX];
  sotto_i_draw draw;
  sotto_i_receipt receipt = {{0}};
  charge_list b;
  sotto_status status;
  if (!sotto_i_ranks_first(a->owner.ranks)) return join_making(a, err);
  SOTTO_TRY(check_number(a, err));
  SOTTO_TRY(sotto_i_join(&path, folder_of(a), a->file, err));
  SOTTO_TRY(find_or_make(&draw, a, path, err));
  sotto_i_draw_token(token, &draw);
  if (has_item(a)) {
    list_charges(&b, a, token);
    (void)pthread_mutex_lock(&charging);
    status = a->part > 0 ? charge_draws(a, &b, err)
                         : sotto_ledger_charge(a->owner.ledger, account_of(a)->digest, account_of(a)->name,
                                               b.charges, b.count, err);
    if (status == SOTTO_OK) status = sotto_i_receipt_of(&receipt, a->owner.ledger, b.charges, b.count, err);
    if (status == SOTTO_OK) report_spent(a);
    (void)pthread_mutex_unlock(&charging);
    if (status != SOTTO_OK) goto done;
  }
  SOTTO_TRY(sotto_i_receipt_give(&receipt, a->owner.ranks, err));
  if (a->owner.drawn != NULL) a->owner.drawn(a->owner.context, token);
  if (a->owner.probe != NULL && has_item(a))
    SOTTO_TRY(a->owner.probe->look(a->owner.probe->context, a, path, err));
  SOTTO_TRY(a->load(a->context, path, &receipt, err));
done:
  sotto_i_free(path);
  return status;
}

void sotto_i_artifact_forget(const char *folder, const char *file) {
  char *path = NULL;
  if (sotto_i_join(&path, folder, file, NULL) == SOTTO_OK) sotto_i_draw_forget(path);
  sotto_i_free(path);
}

/* Tables and graphs, checksummed by their format. */
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
  sotto_ranks *ranks = u->table->artifact.owner.ranks;
  sotto_status status;
  u->receipt = *receipt;
  if (ranks != NULL && u->table->by_rows)
    status = sotto_dataset_open_ranks(u->out, ranks, path, SOTTO_RANK_PARTS_RANDOM, err);
  else
    status = sotto_dataset_open(u->out, path, NULL, err);
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

/* Keys: 32 bytes and their origin. */
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

/* The folder owner-only, in the run's folder for items that are made once, as folder_of has it. */
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
