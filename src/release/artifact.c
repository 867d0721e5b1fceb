/* Find or make, save, charge, load. */
#include "artifact.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/secret.h"
#include "charge.h"

static size_t items_of(const sotto_i_artifact *a) {
  return a->items == 0 ? 1 : a->items;
}

static bool has_item(const sotto_i_artifact *a) {
  return a->item != SOTTO_I_NO_ITEM;
}

/* Whatever the other parties asked for. */
static sotto_status check_number(const sotto_i_artifact *a, sotto_error *err) {
  if (!has_item(a)) return SOTTO_OK;
  SOTTO_I_CHECK(a->owner.cost != NULL && a->item + items_of(a) <= a->owner.cost->count);
  for (size_t i = a->item; i < a->item + items_of(a); i++) {
    const sotto_cost_item *item = &a->owner.cost->items[i];
    SOTTO_I_CHECK(a->owner.ledger != NULL && item->times > 0);
    if (a->number >= item->times)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "%s: release %llu is asked for, and the plan has %llu; nothing was released",
                          a->file, (unsigned long long)a->number + 1, (unsigned long long)item->times);
  }
  return SOTTO_OK;
}

static void noise_key(sotto_key *key, const sotto_i_artifact *a) {
  sotto_i_release_owner owner = a->owner;
  if (a->run_key) owner.seed = owner.options->seed;
  sotto_i_release_noise_key(key, &owner);
}

/* With an insecure seed the nonce is as repeatable as the noise. */
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

/* Is there a draw to be made? Then all ranks make it, with rank 0's key. */
static sotto_status give_key(sotto_key *key, bool *found, sotto_ranks *ranks, sotto_error *err) {
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

static bool is_kept(const sotto_i_artifact *a) {
  return a->kept || a->owner.kept;
}

/* `sotto_i_draw_find` says when the options differ, so what is forgotten here is of the same options. */
static sotto_status find_or_make(sotto_i_draw *draw, const sotto_i_artifact *a, const char *path,
                                 sotto_error *err) {
  bool found;
  sotto_key *key = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_draw_find(draw, &found, path, a->made_with, err));
  SOTTO_TRY(sotto_i_new_secret(&key, 1, sizeof *key, err));
  if (!found && !is_kept(a)) noise_key(key, a);
  if (found || !is_kept(a)) SOTTO_TRY(give_key(key, &found, a->owner.ranks, err));
  if (found) goto done;
  if (is_kept(a)) {
    status =
        sotto_i_fail(err, SOTTO_NOT_FOUND,
                     "%s: this release of the run is not there, or its bytes were changed; bring back the "
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

static const char *folder_of(const sotto_i_artifact *a) {
  bool once = has_item(a) && a->owner.cost->items[a->item].once;
  return once ? a->owner.options->out : a->owner.folder;
}

/* What ranks but the first do: they help to make it, and wait until it is charged before they read it. */
static sotto_status help(const sotto_i_artifact *a, sotto_error *err) {
  sotto_i_receipt receipt = {{0}};
  sotto_key *key = NULL;
  char *path = NULL;
  bool found = true;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder_of(a), a->file, err));
  SOTTO_TRY(sotto_i_new_secret(&key, 1, sizeof *key, err));
  SOTTO_TRY(give_key(key, &found, a->owner.ranks, err));
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
  sotto_status status;
  if (!sotto_i_ranks_first(a->owner.ranks)) return help(a, err);
  SOTTO_TRY(check_number(a, err));
  SOTTO_TRY(sotto_i_join(&path, folder_of(a), a->file, err));
  SOTTO_TRY(find_or_make(&draw, a, path, err));
  if (has_item(a)) SOTTO_TRY(sotto_i_artifact_charge(&receipt, a, &draw, err));
  SOTTO_TRY(sotto_i_receipt_give(&receipt, a->owner.ranks, err));
  sotto_i_draw_token(token, &draw);
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
