/* Verification of a statement against each of its run's entries in a ledger: every field is compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inside/dp.h"
#include "verify.h"

typedef struct reading {
  const json_t *statement;
  const char *id;
  uint64_t count;
  sotto_status status;
  sotto_error *err;
} reading;

/* Ids have the form RUN-SEED-ITEM.NUMBER... (cost.h). */
bool sotto_i_verify_item(size_t *item, const char *id, const char *run) {
  char *end;
  const size_t length = strlen(run);
  if (strncmp(id, run, length) != 0 || id[length] != '-') return false;
  const char *at = strchr(id + length + 1, '-');
  if (at == NULL || at[1] < '0' || at[1] > '9') return false;
  const unsigned long long number = strtoull(at + 1, &end, 10);
  *item = (size_t)number;
  return *end == '.';
}

static sotto_status fail_different(sotto_error *err, size_t item, const char *field, const char *stated,
                                   const char *charged) {
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "statement.json: mechanisms[%zu].%s is %.60s, its ledger has %.60s: the file was "
                      "changed",
                      item, field, stated, charged);
}

/* A figure of 0 is not written to the statement. Numbers are written with ten digits. */
static sotto_status check_number(const json_t *m, size_t item, const sotto_i_figure *figure,
                                 sotto_error *err) {
  const double stated = sotto_i_verify_number(m, figure->name);
  char text[32] = "missing", charged[32] = "none";
  if (!(figure->value > 0) && json_object_get(m, figure->name) == NULL) return SOTTO_OK;
  if (fabs(stated - figure->value) <= 1e-8 * fabs(figure->value)) return SOTTO_OK;
  if (!isnan(stated)) (void)snprintf(text, sizeof text, "%.6g", stated);
  if (figure->value > 0) (void)snprintf(charged, sizeof charged, "%.6g", figure->value);
  return fail_different(err, item, figure->name, text, charged);
}

/* Laplace noise is charged as the worst mechanism of its epsilon (cost.c), whose figures do not describe
 * the noise. */
static sotto_status check_figures(const json_t *m, size_t item, const sotto_charge *charge,
                                  sotto_error *err) {
  const sotto_mechanism *release = charge->release;
  const bool own = release != NULL && strcmp(sotto_mechanism_name(release->kind), charge->mechanism) == 0;
  sotto_mechanism none = {.count = 0};
  sotto_i_figure figures[SOTTO_I_FIGURES];
  sotto_status status = SOTTO_OK;
  const size_t count = sotto_i_statement_figures(figures, own ? release : &none, charge->epsilon, charge->mu);
  for (size_t i = own ? 0 : SOTTO_I_FIGURES_OF_RELEASE; i < count; i++)
    SOTTO_TRY(check_number(m, item, &figures[i], err));
done:
  return status;
}

/* Graphs and clients are charged at node level, several edges of a node at edge level. */
static bool level_covers(const char *level, const char *adjacency) {
  static const char *const levels[][4] = {{"transfer", "transfer", NULL, NULL},
                                          {"edge", "edge", "k-neighbour", NULL},
                                          {"node", "node", "graph", "client"}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    for (size_t j = 1; strcmp(level, levels[i][0]) == 0 && j < 4 && levels[i][j] != NULL; j++)
      if (strcmp(adjacency, levels[i][j]) == 0) return true;
  return false;
}

static sotto_status check_level(const json_t *statement, const json_t *m, size_t item, const char *level,
                                sotto_error *err) {
  const char *of = sotto_i_verify_words(m, "adjacency"), *all = sotto_i_verify_words(statement, "adjacency");
  if (strcmp(of, level) != 0) return fail_different(err, item, "adjacency", of, level);
  if (strcmp(sotto_i_verify_words(m, "account"), "data") != 0 || level_covers(level, all)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "statement.json: adjacency is %.40s, its ledger has charges at %s level: the file was "
                      "changed",
                      all, level);
}

static sotto_status check_entry(const json_t *statement, const json_t *m, size_t item,
                                const sotto_charge *charge, sotto_error *err) {
  static const char *const accounts[] = {"data", "labels", "label edges"};
  const char *name = sotto_i_verify_words(m, "mechanism"), *account = sotto_i_verify_words(m, "account");
  bool known = false;
  for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++)
    known = known || strcmp(account, accounts[i]) == 0;
  if (!known) return fail_different(err, item, "account", account, "no such account");
  if (strcmp(name, charge->mechanism) != 0)
    return fail_different(err, item, "mechanism", name, charge->mechanism);
  if (charge->insecure && !json_is_true(json_object_get(statement, "insecure")))
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "statement.json: insecure is false, its ledger has a charge of noise from a fixed "
                        "seed: the file was changed");
  if (!json_is_integer(json_object_get(m, "releases_made")))
    return fail_different(err, item, "releases_made", "no number", "charges");
  const sotto_status status = check_level(statement, m, item, charge->adjacency, err);
  return status == SOTTO_OK ? check_figures(m, item, charge, err) : status;
}

static int read_row(void *context, const sotto_ledger_row *row) {
  reading *r = context;
  const json_t *list = json_object_get(r->statement, "mechanisms");
  size_t item;
  if (!sotto_i_verify_item(&item, row->charge.id, r->id)) return 0;
  r->count++;
  if (r->err == NULL) return 0;
  if (item >= json_array_size(list))
    r->status = sotto_i_fail(r->err, SOTTO_CORRUPT,
                             "statement.json: mechanisms has %zu items, and its ledger has a charge for "
                             "number %zu: the file was changed",
                             json_array_size(list), item);
  else
    r->status = check_entry(r->statement, json_array_get(list, item), item, &row->charge, r->err);
  return r->status != SOTTO_OK;
}

sotto_status sotto_i_verify_entries(const json_t *statement, const char *id, sotto_ledger *ledger,
                                    sotto_error *err) {
  reading r = {.statement = statement, .id = id, .err = err};
  const sotto_status status = sotto_ledger_visit(ledger, NULL, read_row, &r, err);
  return status == SOTTO_OK ? r.status : status;
}

sotto_status sotto_i_verify_none(sotto_ledger *ledger, const char *id, bool named, sotto_error *err) {
  reading r = {.id = id};
  const sotto_status status = sotto_ledger_visit(ledger, NULL, read_row, &r, err);
  if (status != SOTTO_OK || r.count == 0) return status;
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "statement.json: ledger%s, and %s has %llu charges of this run: "
                      "the file was changed",
                      named ? ".id is that of another one" : " is null", sotto_ledger_path(ledger),
                      (unsigned long long)r.count);
}
