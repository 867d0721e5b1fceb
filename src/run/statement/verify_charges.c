/* Verification of a statement against the ledger: the run's charges must compose to its epsilon. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/ledger/state.h"
#include "verify.h"

/* The accounts of a run's charges, by their names in mechanisms, and the place of their epsilon in the
 * statement. */
static const struct {
  const char *name, *object, *epsilon;
} accounts[] = {{"data", NULL, "total_epsilon"},
                {"labels", "labels", "epsilon"},
                {"label edges", "label_edges", "total_epsilon"}};
enum { account_count = sizeof accounts / sizeof *accounts };

/* Keys of the accounts that a run charged: several if clients' data are in one process, each paying for its
 * own. */
typedef struct payers {
  uint8_t (*keys)[32];
  size_t count, room;
} payers;

/* Charges of one run to one account, by plan item; items are in the order of the statement's mechanisms. */
typedef struct tally {
  const json_t *mechanisms;
  const char *id, *account;
  const uint8_t *payer; /* NULL: count all, and add their keys to `found` */
  payers *found;
  uint64_t entries;                       /* length of the chain at the end of the run */
  uint64_t *counts, charges, later, last; /* last: number of the last charge */
  uint64_t fixed;                         /* charges of them with noise from a fixed seed */
  char level[16];                         /* of the charges; of several the smallest */
  sotto_i_sums sums;
  double pure;
  bool has_mu;
  sotto_status status;
  sotto_error *err;
} tally;

static sotto_status add_payer(payers *p, const uint8_t key[32], sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < p->count; i++)
    if (memcmp(p->keys[i], key, 32) == 0) return SOTTO_OK;
  if (p->count == p->room) {
    const size_t room = p->room == 0 ? 8 : 2 * p->room;
    uint8_t(*keys)[32];
    SOTTO_TRY(sotto_i_new(&keys, room, sizeof *keys, err));
    if (p->count > 0) memcpy(keys, p->keys, p->count * sizeof *keys);
    sotto_i_free(p->keys);
    p->keys = keys;
    p->room = room;
  }
  memcpy(p->keys[p->count++], key, 32);
done:
  return status;
}

static sotto_status add_row(sotto_i_sums *sums, const sotto_ledger_row *row, unsigned moves,
                            sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_CHARGE,
                     .mu = row->charge.mu,
                     .epsilon = row->charge.epsilon,
                     .has_release = row->charge.release != NULL};
  if (e.has_release) e.release = *row->charge.release;
  return sotto_i_sums_add(sums, &e, moves, err);
}

static int count_row(void *context, const sotto_ledger_row *row) {
  tally *t = context;
  size_t item;
  if (!sotto_i_verify_item(&item, row->charge.id, t->id)) return 0;
  if (strcmp(sotto_i_verify_words(json_array_get(t->mechanisms, item), "account"), t->account) != 0) return 0;
  if (t->payer == NULL) {
    t->status = add_payer(t->found, row->digest, t->err);
    return t->status != SOTTO_OK;
  }
  if (memcmp(t->payer, row->digest, 32) != 0) return 0;
  if (row->number > t->entries) {
    t->later++;
    return 0;
  }
  t->counts[item]++;
  t->charges++;
  t->fixed += row->charge.insecure;
  t->last = row->number;
  if (t->level[0] == '\0' || sotto_i_level_of(row->charge.adjacency) < sotto_i_level_of(t->level))
    (void)snprintf(t->level, sizeof t->level, "%.15s", row->charge.adjacency);
  t->pure += row->charge.epsilon;
  t->has_mu = t->has_mu || row->charge.mu > 0;
  t->status = add_row(&t->sums, row, 1, t->err);
  return t->status != SOTTO_OK;
}

/* Checks the number of releases item by item. *here: this party charged for them. */
static sotto_status check_counts(bool *here, const tally *t, sotto_error *err) {
  *here = false;
  for (size_t i = 0; i < json_array_size(t->mechanisms); i++) {
    const json_t *m = json_array_get(t->mechanisms, i), *made = json_object_get(m, "releases_made");
    if (strcmp(sotto_i_verify_words(m, "account"), t->account) != 0 || !json_is_integer(made)) continue;
    *here = true;
    if ((uint64_t)json_integer_value(made) == t->counts[i]) continue;
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "statement.json: mechanisms[%zu].releases_made is %lld, its ledger has %llu charges: the "
        "file was changed",
        i, (long long)json_integer_value(made), (unsigned long long)t->counts[i]);
  }
  return SOTTO_OK;
}

/* One percent: the run composed the planned releases, this check composes the charges. */
static const double tolerance = 0.01;

static sotto_status check_epsilon(double *epsilon, const tally *t, const json_t *s, size_t account,
                                  sotto_error *err) {
  const char *object = accounts[account].object, *field = accounts[account].epsilon;
  const json_t *of = object == NULL ? s : json_object_get(s, object);
  const double stated = sotto_i_verify_number(of, field), made = sotto_i_verify_number(of, "charges_made");
  const char *dot = object == NULL ? "" : ".";
  if (object == NULL && sotto_i_verify_number(s, "repeats") == 1) field = "epsilon";
  if (object == NULL) object = "";
  *epsilon = t->pure;
  if (made != (double)t->charges && (!isnan(made) || (account == 0 && t->charges > 0)))
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "statement.json: %s%scharges_made is %.0f, its ledger has %llu charges of this run: the "
        "file was changed",
        object, dot, made, (unsigned long long)t->charges);
  if (t->has_mu) {
    const double delta = sotto_i_verify_number(s, "delta");
    const sotto_status status = sotto_i_sums_epsilon(epsilon, &t->sums, delta, err);
    if (status != SOTTO_OK) return status;
  }
  if (isnan(stated)) return SOTTO_OK; /* no guarantee is stated */
  if (fabs(*epsilon - stated) <= tolerance * fmax(stated, *epsilon)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_CORRUPT,
      "statement.json: %s%s%s is %.6g, the charges of its ledger compose to %.6g: the file was "
      "changed",
      object, dot, field, stated, *epsilon);
}

bool sotto_i_verify_hex(uint8_t *out, size_t size, const char *text) {
  static const char digits[] = "0123456789abcdef";
  if (strlen(text) != 2 * size) return false;
  for (size_t i = 0; i < size; i++) {
    const char *high = strchr(digits, text[2 * i]), *low = strchr(digits, text[2 * i + 1]);
    if (high == NULL || low == NULL) return false;
    out[i] = (uint8_t)(16 * (high - digits) + (low - digits));
  }
  return true;
}

bool sotto_i_verify_mark(sotto_ledger_mark *out, const json_t *statement) {
  const json_t *ledger = json_object_get(statement, "ledger");
  return sotto_i_verify_hex(out->ledger, 32, sotto_i_verify_words(ledger, "id")) &&
         sotto_i_verify_hex(out->chain, 32, sotto_i_verify_words(ledger, "chain"));
}

static sotto_status add_up(tally *t, sotto_ledger *ledger, sotto_error *err) {
  const sotto_status status = sotto_ledger_visit(ledger, NULL, count_row, t, err);
  return status == SOTTO_OK ? t->status : status;
}

/* Charges of an account after an entry, at one level. */
typedef struct since {
  uint64_t after, charges;
  const char *level;
  sotto_i_sums sums;
  double pure;
  bool has_mu;
  sotto_status status;
  sotto_error *err;
} since;

static int add_since(void *context, const sotto_ledger_row *row) {
  since *s = context;
  if (row->number <= s->after) return 0;
  const unsigned moves =
      sotto_i_level_moves(sotto_i_level_of(row->charge.adjacency), sotto_i_level_of(s->level));
  if (moves == 0) return 0;
  s->charges++;
  s->pure += moves * row->charge.epsilon;
  s->has_mu = s->has_mu || row->charge.mu > 0;
  s->status = add_row(&s->sums, row, moves, s->err);
  return s->status != SOTTO_OK;
}

static double bound_of(uint64_t unprotected, double epsilon) {
  return unprotected > 0 ? INFINITY : epsilon;
}

/* Of several payers: the account that has spent the most. */
static sotto_status add_account(sotto_statement_check *out, const tally *t, sotto_ledger *ledger,
                                sotto_error *err) {
  since s = {.after = t->last, .level = t->level, .err = err};
  sotto_ledger_account account;
  sotto_spent spent;
  double epsilon;
  sotto_status status;
  SOTTO_TRY(sotto_ledger_account_of(ledger, &account, t->payer, "", err));
  SOTTO_TRY(sotto_ledger_spent(ledger, &spent, account.key, t->level, err));
  if (out->account_known &&
      bound_of(spent.unprotected, spent.epsilon) <= bound_of(out->account_unprotected, out->account_epsilon))
    goto done;
  SOTTO_TRY(sotto_ledger_visit(ledger, account.key, add_since, &s, err));
  SOTTO_TRY(s.status);
  epsilon = s.pure;
  if (s.has_mu) SOTTO_TRY(sotto_i_sums_epsilon(&epsilon, &s.sums, spent.delta, err));
  out->account_known = true;
  out->account_alone = spent.charges == t->charges && spent.unprotected == t->fixed;
  out->account_charges = spent.charges;
  out->account_unprotected = spent.unprotected;
  out->account_epsilon = spent.epsilon;
  out->account_delta = spent.delta;
  out->since_charges = s.charges;
  out->since_epsilon = epsilon;
done:
  sotto_i_sums_free(&s.sums);
  return status;
}

/* Checks one account of the statement for one payer. */
static sotto_status check_payer(sotto_statement_check *out, tally *t, const json_t *statement,
                                sotto_ledger *ledger, size_t account, sotto_error *err) {
  double epsilon;
  bool here;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&t->counts, json_array_size(t->mechanisms) + 1, sizeof *t->counts, err));
  if (t->payer != NULL) SOTTO_TRY(add_up(t, ledger, err));
  SOTTO_TRY(check_counts(&here, t, err));
  if (here) SOTTO_TRY(check_epsilon(&epsilon, t, statement, account, err));
  if (here && account == 0) out->epsilon = epsilon;
  if (account == 0 && t->charges > 0) SOTTO_TRY(add_account(out, t, ledger, err));
  out->charges += t->charges;
  out->later += t->later;
done:
  sotto_i_sums_free(&t->sums);
  sotto_i_free(t->counts);
  return status;
}

/* Every payer must have the stated charges, since each client makes the planned releases. */
static sotto_status check_account(sotto_statement_check *out, const tally *of, const json_t *statement,
                                  sotto_ledger *ledger, size_t account, sotto_error *err) {
  payers found = {.keys = NULL};
  tally all = *of;
  sotto_status status;
  all.found = &found;
  SOTTO_TRY(add_up(&all, ledger, err));
  for (size_t i = 0; i < found.count || i == 0; i++) {
    tally t = *of;
    t.payer = found.count == 0 ? NULL : found.keys[i];
    SOTTO_TRY(check_payer(out, &t, statement, ledger, account, err));
  }
done:
  sotto_i_free(found.keys);
  return status;
}

sotto_status sotto_i_verify_charges(sotto_statement_check *out, const json_t *statement, const char *id,
                                    sotto_ledger *ledger, uint64_t entries, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_verify_entries(statement, id, ledger, err));
  for (size_t account = 0; account < account_count; account++) {
    const tally of = {.mechanisms = json_object_get(statement, "mechanisms"),
                      .id = id,
                      .account = accounts[account].name,
                      .entries = entries,
                      .err = err};
    SOTTO_TRY(check_account(out, &of, statement, ledger, account, err));
  }
  out->charges_checked = true;
done:
  return status;
}
