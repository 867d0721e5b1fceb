/* sotto ledger show, verify. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/json.h"
#include "common/levels.h"
#include "common/print.h"
#include "ledger.h"
#include "sotto/guarantee.h"

typedef struct listing {
  json_t *json; /* NULL: print lines */
  uint64_t count;
} listing;

static int show_charge(void *context, const sotto_ledger_row *row) {
  listing *l = context;
  const sotto_charge *c = &row->charge;
  l->count++;
  if (l->json != NULL) {
    json_array_append_new(l->json,
                          json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:b}", "time", row->time, "data",
                                    row->name, "id", c->id, "run", c->run, "mechanism", c->mechanism,
                                    "adjacency", c->adjacency, "mu", c->mu, "epsilon", c->epsilon,
                                    "description", c->description, "insecure", c->insecure));
    return 0;
  }
  app_print(stdout, "  %s  %-20s %-9s %-5s ", row->time, row->name, c->mechanism, c->adjacency);
  if (c->mu > 0)
    app_print(stdout, "mu %-9.5g", c->mu);
  else
    app_print(stdout, "eps %-8.5g", c->epsilon);
  app_print(stdout, " %s%s\n", c->description, c->insecure ? " (fixed seed)" : "");
  return 0;
}

static int show_change(void *context, const sotto_ledger_change *c) {
  char delta[SOTTO_DELTA_WORDS];
  (void)context;
  sotto_delta_words(delta, c->budget.delta);
  app_print(stdout, "  %s  %s: %s", c->time, c->kind, c->name);
  if (c->budget.epsilon > 0)
    app_print(stdout, ", %s level, epsilon %.4g at delta %s", c->adjacency, c->budget.epsilon, delta);
  if (c->run[0] != '\0') app_print(stdout, ", run %s", c->run);
  app_print(stdout, " (%s%s%s)\n", c->user, c->reason[0] == '\0' ? "" : ": ", c->reason);
  return 0;
}

/* Shows the level asked for; by default those with a charge or a budget, and edges if there is none. */
static int show_spent(const ledger_request *r, sotto_ledger *ledger, const sotto_ledger_account *account) {
  sotto_error err = {0};
  sotto_spent spent[APP_LEVELS];
  (void)puts("");
  if (app_levels_spent(spent, ledger, account->key, &err) != SOTTO_OK) return cli_error(&err);
  for (int i = 0; i < APP_LEVELS; i++)
    if (r->adjacency != NULL ? strcmp(r->adjacency, app_levels[i]) == 0 : app_level_is_shown(spent, i))
      ledger_print_spent(account->name, app_levels[i], &spent[i]);
  if (account->locked) (void)puts("  locked: budgets can only be lowered");
  if (account->closed) (void)puts("  closed: no charge is taken");
  return EXIT_DONE;
}

int ledger_show(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  sotto_ledger_account account;
  bool given;
  int code = ledger_find_account(&account, &given, r, ledger, SOTTO_PLACING_LOOK);
  if (code != EXIT_DONE) return code;
  const uint8_t *key = given ? account.key : NULL;
  listing l = {.json = r->json ? json_array() : NULL};
  if (!r->json) app_print(stdout, "  ledger %s\n", sotto_ledger_path(ledger));
  sotto_status status = sotto_ledger_visit(ledger, key, show_charge, &l, &err);
  if (r->json && status == SOTTO_OK) return cli_print_json(l.json);
  json_decref(l.json);
  if (status == SOTTO_OK && l.count == 0) (void)puts("  nothing was released");
  if (status == SOTTO_OK) status = sotto_ledger_visit_changes(ledger, key, show_change, NULL, &err);
  if (status != SOTTO_OK) return cli_error(&err);
  return given ? show_spent(r, ledger, &account) : EXIT_DONE;
}

static int print_proof(const ledger_request *r, const char *path, const sotto_ledger_proof *proof) {
  char owner[65], head[65];
  sotto_i_hex(owner, proof->owner, 32);
  sotto_i_hex(head, proof->head, 32);
  if (r->json)
    app_print(stdout, "{\"entries\":%llu,\"owner\":\"%s\",\"head\":\"%s\"}\n",
              (unsigned long long)proof->entries, owner, head);
  else
    app_print(stdout, "  %s: all %llu entries hold\n  last entry %s\n  owner's key %s\n", path,
              (unsigned long long)proof->entries, head, owner);
  return EXIT_DONE;
}

int ledger_verify(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  sotto_ledger_proof proof;
  if (sotto_ledger_prove(ledger, &proof, &err) != SOTTO_OK) return cli_error(&err);
  return print_proof(r, sotto_ledger_path(ledger), &proof);
}

/* A backup is a ledger itself: a file of SQLite. */
static bool is_ledger_file(const char *path) {
  static const char magic[] = "SQLite format 3";
  char begin[sizeof magic] = "";
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  const bool is =
      fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, magic, sizeof magic) == 0;
  (void)fclose(file);
  return is;
}

int ledger_verify_file(const ledger_request *r) {
  sotto_error err = {0};
  sotto_ledger_proof proof;
  if (is_ledger_file(r->words[0])) {
    sotto_ledger *backup = NULL;
    if (sotto_ledger_open(&backup, r->words[0], &err) != SOTTO_OK) return cli_error(&err);
    const int code = ledger_verify(r, backup);
    sotto_ledger_close(backup);
    return code;
  }
  if (sotto_ledger_verify_export(&proof, r->words[0], &err) != SOTTO_OK) return cli_error(&err);
  return print_proof(r, r->words[0], &proof);
}
