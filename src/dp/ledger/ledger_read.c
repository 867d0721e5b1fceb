/* Reading the ledger entry by entry. Nothing is locked between two of them: a reader that waits, for a
 * terminal or a pipe, does not delay a writer. */
#include <string.h>

#include "ledger.h"

static const char *or_empty(const char *text) {
  return text == NULL ? "" : text;
}

static sotto_ledger_row row_of(const sotto_i_entry *e) {
  sotto_ledger_row row = {.name = or_empty(e->name),
                          .time = e->time,
                          .charge = {.id = or_empty(e->id),
                                     .run = or_empty(e->run),
                                     .mechanism = or_empty(e->mechanism),
                                     .adjacency = or_empty(e->level),
                                     .description = or_empty(e->reason),
                                     .mu = e->mu,
                                     .epsilon = e->epsilon,
                                     .insecure = e->insecure,
                                     .release = e->has_release ? &e->release : NULL},
                          .user = or_empty(e->user)};
  memcpy(row.digest, e->account, 32);
  return row;
}

/* Calls one of the two for each entry; the other one is NULL. */
typedef struct visitor {
  int (*charge)(void *context, const sotto_ledger_row *row);
  int (*change)(void *context, const sotto_ledger_change *change);
  void *context;
} visitor;

static int show_charge(const visitor *v, const sotto_i_entry *e, int64_t number) {
  sotto_ledger_row row = row_of(e);
  row.number = (uint64_t)number;
  return v->charge(v->context, &row);
}

static int show_change(const visitor *v, const sotto_i_entry *e, int64_t number) {
  sotto_ledger_change change = {.number = (uint64_t)number,
                                .kind = sotto_i_entry_kind_name(e->kind),
                                .time = e->time,
                                .user = or_empty(e->user),
                                .name = or_empty(e->name),
                                .adjacency = or_empty(e->level),
                                .reason = or_empty(e->reason),
                                .run = or_empty(e->run),
                                .budget = {e->epsilon, e->delta}};
  memcpy(change.key, e->account, 32);
  return v->change(v->context, &change);
}

static sotto_status visit_all(sotto_ledger *ledger, const uint8_t *key, const visitor *v, sotto_error *err) {
  sotto_i_entry e;
  int64_t number = 0;
  int stop = 0;
  sotto_status status = sotto_i_ledger_begin(ledger, false, err);
  sotto_i_ledger_end(ledger);
  while (status == SOTTO_OK && stop == 0) {
    status = sotto_i_ledger_next(&e, &number, ledger, err);
    if (status != SOTTO_OK || number == 0) break;
    const bool charge = e.kind == SOTTO_I_ENTRY_CHARGE;
    const bool draw = e.kind == SOTTO_I_ENTRY_DRAW || e.kind == SOTTO_I_ENTRY_DATA; /* not shown to people */
    if (key == NULL || sotto_i_state_contains(&ledger->state, key, e.account)) {
      if (charge && v->charge != NULL) stop = show_charge(v, &e, number);
      if (!charge && !draw && v->change != NULL) stop = show_change(v, &e, number);
    }
    sotto_i_entry_free(&e);
  }
  return status;
}

sotto_status sotto_ledger_visit(sotto_ledger *ledger, const uint8_t *key,
                                int (*visit)(void *context, const sotto_ledger_row *row), void *context,
                                sotto_error *err) {
  const visitor v = {.charge = visit, .context = context};
  return visit_all(ledger, key, &v, err);
}

sotto_status sotto_ledger_visit_changes(sotto_ledger *ledger, const uint8_t *key,
                                        int (*visit)(void *context, const sotto_ledger_change *change),
                                        void *context, sotto_error *err) {
  const visitor v = {.change = visit, .context = context};
  return visit_all(ledger, key, &v, err);
}
