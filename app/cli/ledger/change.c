/* sotto ledger init, budget, lock, close, account, move, export, backup. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/json.h"
#include "cli/output.h"
#include "common/print.h"
#include "ledger.h"
#include "sotto/graph.h"

int ledger_init(const ledger_request *r) {
  sotto_error err = {0};
  sotto_ledger *ledger = NULL;
  const char *path = r->word_count == 1 ? r->words[0] : r->ledger;
  if (sotto_ledger_init(path, &err) != SOTTO_OK || sotto_ledger_open(&ledger, path, &err) != SOTTO_OK)
    return cli_error(&err);
  int code = EXIT_DONE;
  if (r->json)
    code = cli_print_json(json_pack("{s:s}", "ledger", sotto_ledger_path(ledger)));
  else
    app_print(stdout, "  made %s\n", sotto_ledger_path(ledger));
  sotto_ledger_close(ledger);
  return code;
}

static json_t *budget_json(const sotto_budget *budget) {
  return budget->epsilon > 0 ? json_pack("{s:f,s:f}", "epsilon", budget->epsilon, "delta", budget->delta)
                             : json_null();
}

int ledger_budget(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  sotto_budget budget = {.epsilon = 0, .delta = 1e-6};
  sotto_ledger_account account;
  sotto_spent spent;
  bool given;
  const char *adjacency = r->adjacency == NULL ? "edge" : r->adjacency;
  if (r->epsilon == NULL) return cli_usage("budget needs --epsilon");
  if (!cli_real(&budget.epsilon, r->epsilon, "epsilon") || !cli_real(&budget.delta, r->delta, "delta"))
    return EXIT_USAGE;
  if (!(budget.epsilon > 0)) return cli_usage("epsilon: must be above 0");
  if (!(budget.delta >= 0 && budget.delta < 1)) return cli_usage("delta: must be at least 0 and below 1");
  int code = ledger_find_account(&account, &given, r, ledger, SOTTO_PLACING_KNOW);
  if (code != EXIT_DONE) return code;
  if (!given) return cli_usage("budget needs a dataset: sotto ledger budget DATA --epsilon E");
  if (sotto_ledger_set_budget(ledger, account.key, account.name, adjacency, &budget, ledger_reason(r),
                              &err) != SOTTO_OK ||
      sotto_ledger_spent(ledger, &spent, account.key, adjacency, &err) != SOTTO_OK)
    return cli_error(&err);
  if (r->json)
    return cli_print_json(json_pack("{s:s,s:s,s:I,s:f,s:f,s:o}", "account", account.name, "adjacency",
                                    adjacency, "charges", (json_int_t)spent.charges, "epsilon", spent.epsilon,
                                    "delta", spent.delta, "budget", budget_json(&spent.budget)));
  ledger_print_spent(account.name, adjacency, &spent);
  return EXIT_DONE;
}

int ledger_lock(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  sotto_ledger_account account;
  bool given;
  int code = ledger_find_account(&account, &given, r, ledger, SOTTO_PLACING_KNOW);
  if (code != EXIT_DONE) return code;
  if (!given) return cli_usage("lock needs a dataset, or --account NAME");
  if (sotto_ledger_lock_account(ledger, account.key, account.name, ledger_reason(r), &err) != SOTTO_OK)
    return cli_error(&err);
  if (r->json) return cli_print_json(json_pack("{s:s,s:b}", "account", account.name, "locked", 1));
  app_print(stdout, "  %s is locked: its budgets can only be lowered\n", account.name);
  return EXIT_DONE;
}

int ledger_close(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  sotto_ledger_account account;
  bool given;
  int code = ledger_find_account(&account, &given, r, ledger, SOTTO_PLACING_KNOW);
  if (code != EXIT_DONE) return code;
  if (!given) return cli_usage("close needs a dataset, or --account NAME");
  if (sotto_ledger_close_account(ledger, account.key, account.name, ledger_reason(r), &err) != SOTTO_OK)
    return cli_error(&err);
  if (r->json) return cli_print_json(json_pack("{s:s,s:b}", "account", account.name, "closed", 1));
  app_print(stdout, "  %s is closed: it takes no more charges\n", account.name);
  return EXIT_DONE;
}

typedef struct listing {
  sotto_ledger *ledger;
  json_t *json; /* NULL: print lines */
} listing;

static int list_account(void *context, const sotto_ledger_account *a) {
  listing *l = context;
  char key[65];
  sotto_i_hex(key, a->key, 32);
  if (l->json != NULL) {
    json_array_append_new(l->json, json_pack("{s:s,s:s,s:b,s:b,s:b,s:o,s:o,s:o}", "name", a->name, "key", key,
                                             "named", a->named, "locked", a->locked, "closed", a->closed,
                                             "transfer", budget_json(&a->transfer), "edge",
                                             budget_json(&a->edge), "node", budget_json(&a->node)));
    return 0;
  }
  app_print(stdout, "  %-24s %.16s  %s%s%s", a->name, key, a->named ? "named" : "a dataset's own",
            a->locked ? ", locked" : "", a->closed ? ", closed" : "");
  if (a->transfer.epsilon > 0) app_print(stdout, ", transfer budget %.4g", a->transfer.epsilon);
  if (a->edge.epsilon > 0) app_print(stdout, ", edge budget %.4g", a->edge.epsilon);
  if (a->node.epsilon > 0) app_print(stdout, ", node budget %.4g", a->node.epsilon);
  (void)puts("");
  return 0;
}

static int list_accounts(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  listing l = {ledger, r->json ? json_array() : NULL};
  sotto_status status = sotto_ledger_visit_accounts(ledger, list_account, &l, &err);
  if (r->json && status == SOTTO_OK) return cli_print_json(l.json);
  json_decref(l.json);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

static int add_version(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  sotto_dataset data = {0};
  if (sotto_dataset_open(&data, r->words[2], NULL, &err) != SOTTO_OK) return cli_error(&err);
  sotto_ledger_account account;
  const sotto_status status = ledger_place(&account, ledger, &data, r, r->words[1], SOTTO_PLACING_KNOW, &err);
  if (status == SOTTO_OK && r->json)
    (void)cli_print_json(json_pack("{s:s,s:s}", "account", r->words[1], "version", data.name));
  else if (status == SOTTO_OK)
    app_print(stdout, "  %s is a version of account '%s'\n", data.name, r->words[1]);
  sotto_dataset_free(&data);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

int ledger_account(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  const char *verb = r->word_count > 0 ? r->words[0] : "";
  if (strcmp(verb, "list") == 0 && r->word_count == 1) return list_accounts(r, ledger);
  if (strcmp(verb, "add") == 0 && r->word_count == 3) return add_version(r, ledger);
  if (strcmp(verb, "new") != 0 || r->word_count != 2)
    return cli_usage("account: say new NAME, add NAME DATA, or list");
  if (sotto_ledger_account_new(ledger, r->words[1], r->reason, &err) != SOTTO_OK) return cli_error(&err);
  if (r->json) return cli_print_json(json_pack("{s:s}", "account", r->words[1]));
  app_print(stdout, "  made account '%s'\n", r->words[1]);
  return EXIT_DONE;
}

int ledger_move(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  if (r->word_count < 1)
    return cli_usage("move needs a dataset or a run folder: sotto ledger move DATA --reason TEXT");
  if (r->reason == NULL)
    return cli_usage(
        "move needs --reason: charges in the other ledger count no more, and an auditor asks why");
  if (sotto_ledger_move(ledger, r->words[0], r->reason, &err) != SOTTO_OK) return cli_error(&err);
  if (r->json)
    return cli_print_json(json_pack("{s:s,s:s}", "moved", r->words[0], "ledger", sotto_ledger_path(ledger)));
  app_print(stdout, "  %s is charged to %s from now on; what another ledger has of it does not count here\n",
            r->words[0], sotto_ledger_path(ledger));
  return EXIT_DONE;
}

int ledger_export(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  if (r->word_count < 1) return cli_usage("export needs a file to write: sotto ledger export FILE");
  if (!cli_named(r->words[0], "export", "a file of its own") ||
      !cli_may_write(r->words[0], &(cli_output){.flag = "export"}))
    return EXIT_USAGE;
  if (sotto_ledger_export(ledger, r->words[0], &err) != SOTTO_OK) return cli_error(&err);
  return r->json ? cli_print_json(json_pack("{s:s}", "file", r->words[0])) : EXIT_DONE;
}

int ledger_backup(const ledger_request *r, sotto_ledger *ledger) {
  sotto_error err = {0};
  if (r->word_count < 1) return cli_usage("backup needs a file to write: sotto ledger backup FILE");
  if (!cli_named(r->words[0], "backup", "a file of its own") ||
      !cli_may_write(r->words[0], &(cli_output){.flag = "backup"}))
    return EXIT_USAGE;
  if (sotto_ledger_backup(ledger, r->words[0], &err) != SOTTO_OK) return cli_error(&err);
  return r->json ? cli_print_json(json_pack("{s:s}", "file", r->words[0])) : EXIT_DONE;
}
