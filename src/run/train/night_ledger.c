/* Entries of nights in the ledger: that a night was made, and that its graph is of the plan's account. */
#include <sodium.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "dp/inside/dp.h"
#include "dp/ledger/home.h"
#include "dp/ledger/ledger.h"
#include "nights.h"
#include "run/spending/cost.h"

/* The ledger has an entry of each night, without a cost: an old copy of the folder, which does not know of a
 * night that was released, would release it again for other edges. The id has what was drawn for the night,
 * and not what was counted: it is the folder that is known again, whatever the data is. With `all` the
 * beginning of any entry of that night. */
static void night_id(char out[SOTTO_I_CHARGE_ID], const sotto_i_nights *n, const sotto_i_night_log *of,
                     bool all) {
  crypto_generichash_state state;
  uint8_t digest[16];
  char hex[2 * sizeof digest + 1] = "";
  crypto_generichash_init(&state, n->key->key.bytes, sizeof n->key->key.bytes, sizeof digest);
  crypto_generichash_update(&state, of->mark, sizeof of->mark);
  crypto_generichash_update(&state, of->rows, sizeof of->rows);
  crypto_generichash_final(&state, digest, sizeof digest);
  if (!all) sotto_i_hex(hex, digest, sizeof digest);
  (void)snprintf(out, SOTTO_I_CHARGE_ID, "%.32s-night-%u-%s", n->run.id, (unsigned)of->night, hex);
}

sotto_status sotto_i_nights_check(const sotto_i_nights *n, const sotto_i_night_log *of, sotto_error *err) {
  char id[SOTTO_I_CHARGE_ID];
  uint64_t all, own;
  sotto_status status;
  night_id(id, n, of, true);
  SOTTO_TRY(sotto_i_ledger_count(n->run.ledger, &all, n->own.account, "edge", id, err));
  night_id(id, n, of, false);
  SOTTO_TRY(sotto_i_ledger_count(n->run.ledger, &own, n->own.account, "edge", id, err));
  if (all > own)
    status = sotto_i_fail(
        err, SOTTO_REFUSED,
        "%s: is an old copy: the ledger has night %u of this plan from another one, and it may have been "
        "released; nothing was released now. Bring back the latest copy of the folder",
        n->path, (unsigned)of->night);
done:
  return status;
}

sotto_status sotto_i_nights_record(const sotto_i_nights *n, const sotto_i_night_log *of, sotto_error *err) {
  char id[SOTTO_I_CHARGE_ID], description[80];
  night_id(id, n, of, false);
  (void)snprintf(description, sizeof description, "night %u of %llu, which the plan has paid",
                 (unsigned)of->night, (unsigned long long)n->plan.nights);
  const sotto_charge entry = {.id = id,
                              .run = n->options.out,
                              .mechanism = sotto_mechanism_name(SOTTO_MECHANISM_GAUSSIAN),
                              .adjacency = "edge",
                              .description = description,
                              .insecure = n->options.insecure_seed != SOTTO_UNSET};
  const sotto_status status = sotto_i_nights_check(n, of, err);
  return status == SOTTO_OK ? sotto_ledger_charge(n->run.ledger, n->own.account, n->own.name, &entry, 1, err)
                            : status;
}

/* Tonight's graph is a version of the run's data, and of the account that pays for that. */
sotto_status sotto_i_nights_know(const sotto_i_nights *n, const sotto_dataset *data, sotto_error *err) {
  sotto_i_thing tonight = sotto_i_thing_of(data, true);
  const char *declared = n->options.account[0] == '\0' ? NULL : n->options.account;
  sotto_ledger_place_found found;
  sotto_status status;
  tonight.kin = n->own.account;
  SOTTO_TRY(
      sotto_i_ledger_settle(n->run.ledger, &found, data, &tonight, declared, SOTTO_PLACING_KNOW, true, err));
  status = sotto_i_ledger_remember_data(found.forgotten, n->run.ledger, data->path, err);
done:
  return status;
}
