/* Entries of nights in the ledger: that a night was made, from which data, and that its graph is of the
 * plan's account. */
#include <sodium.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "nights.h"
#include "run/spending/cost.h"

/* The ledger has an entry of each night, without a cost: an old copy of the folder, which does not know of a
 * night that was released, would release it again for other edges. It is bound to what was counted by the key
 * of the noise, so that it shows nothing of that. With `all` the beginning of any entry of that night. */
static void night_id(char out[SOTTO_I_CHARGE_ID], const sotto_i_nights *n, bool all) {
  crypto_generichash_state state;
  uint8_t digest[16];
  char hex[2 * sizeof digest + 1] = "";
  crypto_generichash_init(&state, n->key->key.bytes, sizeof n->key->key.bytes, sizeof digest);
  crypto_generichash_update(&state, n->log.data, sizeof n->log.data);
  crypto_generichash_update(&state, n->log.rows, sizeof n->log.rows);
  crypto_generichash_final(&state, digest, sizeof digest);
  if (!all) sotto_i_hex(hex, digest, sizeof digest);
  (void)snprintf(out, SOTTO_I_CHARGE_ID, "%.32s-night-%u-%s", n->run.id, (unsigned)n->log.night, hex);
}

static sotto_status check(const sotto_i_nights *n, sotto_error *err) {
  char id[SOTTO_I_CHARGE_ID];
  uint64_t all, own;
  sotto_status status;
  night_id(id, n, true);
  SOTTO_TRY(sotto_i_ledger_count(n->run.ledger, &all, n->own.account, "edge", id, err));
  night_id(id, n, false);
  SOTTO_TRY(sotto_i_ledger_count(n->run.ledger, &own, n->own.account, "edge", id, err));
  if (all > own)
    status = sotto_i_fail(
        err, SOTTO_REFUSED,
        "%s: is an old copy: the ledger has night %u of this plan with other data, and it may have "
        "been released; nothing was released now. Bring back the latest copy of the folder, or "
        "give that night's data",
        n->path, (unsigned)n->log.night);
done:
  return status;
}

static sotto_status record(const sotto_i_nights *n, sotto_error *err) {
  char id[SOTTO_I_CHARGE_ID], description[80];
  night_id(id, n, false);
  (void)snprintf(description, sizeof description, "night %u of %llu, which the plan has paid",
                 (unsigned)n->log.night, (unsigned long long)n->plan.nights);
  const sotto_charge entry = {.id = id,
                              .run = n->options.out,
                              .mechanism = sotto_mechanism_name(SOTTO_MECHANISM_GAUSSIAN),
                              .adjacency = "edge",
                              .description = description,
                              .insecure = n->options.insecure_seed != SOTTO_UNSET};
  return sotto_ledger_charge(n->run.ledger, n->own.account, n->own.name, &entry, 1, err);
}

/* Tonight's graph is of the account that pays, where that has a name. */
static sotto_status know_data(const sotto_i_nights *n, const sotto_dataset *data, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (n->options.account[0] == '\0') return SOTTO_OK;
  SOTTO_TRY(sotto_ledger_know(n->run.ledger, data->account, data->digest, data->name, err));
  SOTTO_TRY(sotto_ledger_account_add(n->run.ledger, n->options.account, data->account, data->name, err));
done:
  return status;
}

sotto_status sotto_i_nights_record(const sotto_i_nights *n, const sotto_dataset *data, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check(n, err));
  if (!n->same) SOTTO_TRY(know_data(n, data, err));
  SOTTO_TRY(record(n, err));
done:
  return status;
}
