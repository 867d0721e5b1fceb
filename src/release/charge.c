/* Charges of the items of a release to the accounts that pay for it.
 *
 * Locking: charges of one process are made one at a time, under `charging`; threads of several parties share
 * the ledger's connection, and its transactions must not mix. */
#include "charge.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"

static pthread_mutex_t charging = PTHREAD_MUTEX_INITIALIZER;

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

/* Charges of all items; the ids go into `ids`. */
typedef struct bill {
  sotto_charge charges[most_items];
  char ids[most_items][SOTTO_I_CHARGE_ID];
  size_t count;
} bill;

static void add_charge(bill *b, const sotto_i_artifact *a, size_t item, const char *token) {
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

/* Draws of disjoint parts, one charge after the other. */
static sotto_status charge_draws(sotto_i_receipt *out, const sotto_i_artifact *a, const bill *b,
                                 const sotto_cost_account *account, sotto_error *err) {
  char among[SOTTO_I_CHARGE_ID];
  bill own = {.count = b->count};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < own.count; i++) { /* an id is one account's */
    (void)snprintf(own.ids[i], SOTTO_I_CHARGE_ID, "%.180s-own", b->ids[i]);
    own.charges[i] = b->charges[i];
    own.charges[i].id = own.ids[i];
  }
  sotto_i_charge_number(among, a->owner.cost, a->owner.run_id, a->owner.seed, a->item, a->number);
  if (a->part_data != NULL && a->own_part == 0)
    SOTTO_TRY(sotto_i_receipt_charge(out, a->owner.ledger, a->part_data->account, a->part_data->name,
                                     own.charges, own.count, err));
  for (size_t i = 0; a->part_data != NULL && a->own_part > 0 && i < own.count; i++)
    SOTTO_TRY(sotto_i_receipt_draw(out, a->owner.ledger, a->part_data->account, a->part_data->name,
                                   &own.charges[i], among, a->own_part, err));
  for (size_t i = 0; i < b->count; i++)
    SOTTO_TRY(sotto_i_receipt_draw(out, a->owner.ledger, account->digest, account->name, &b->charges[i],
                                   among, a->part, err));
done:
  return status;
}

/* Under `charging`. A method of many releases is not slowed by adding up. */
static void tell_spent(const sotto_i_artifact *a, const sotto_cost_account *account) {
  static double told;
  const double now = sotto_i_seconds();
  if (told > 0 && now - told < 5) return;
  told = now;
  sotto_i_tell_spent(a->owner.observer, a->owner.ledger, account->digest, account->name,
                     a->owner.cost->items[a->item].adjacency);
}

sotto_status sotto_i_artifact_charge(sotto_i_receipt *out, const sotto_i_artifact *a,
                                     const sotto_i_draw *draw, sotto_error *err) {
  char token[SOTTO_I_TOKEN_HEX];
  bill b = {.count = 0};
  const sotto_cost_account *account = &a->owner.cost->accounts[a->owner.cost->items[a->item].account];
  const size_t items = a->items == 0 ? 1 : a->items;
  sotto_status status;
  SOTTO_I_CHECK(items <= most_items && account->here && (a->part == 0 || items == 1));
  sotto_i_draw_token(token, draw);
  for (size_t i = a->item; i < a->item + items; i++) add_charge(&b, a, i, token);
  (void)pthread_mutex_lock(&charging);
  if (a->part > 0)
    status = charge_draws(out, a, &b, account, err);
  else
    status =
        sotto_i_receipt_charge(out, a->owner.ledger, account->digest, account->name, b.charges, b.count, err);
  if (status == SOTTO_OK) tell_spent(a, account);
  (void)pthread_mutex_unlock(&charging);
  return status;
}
