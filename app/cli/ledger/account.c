/* sotto ledger: the account that a command names, and its spending. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "common/levels.h"
#include "common/print.h"
#include "ledger.h"
#include "sotto/graph.h"
#include "sotto/guarantee.h"

const char *ledger_reason(const ledger_request *r) {
  return r->reason == NULL ? "" : r->reason;
}

int ledger_find_account(sotto_ledger_account *out, bool *given, const ledger_request *r, sotto_ledger *ledger,
                        sotto_placing how) {
  sotto_error err = {0};
  sotto_dataset data = {0};
  *given = r->account != NULL || r->word_count > 0;
  if (!*given) return EXIT_DONE;
  if (r->account != NULL && r->word_count > 0)
    return cli_usage("name a dataset or --account, not both: '%s' and '%s'", r->words[0], r->account);
  if (r->account != NULL)
    return sotto_ledger_account_named(ledger, out, r->account, &err) == SOTTO_OK ? EXIT_DONE
                                                                                 : cli_error(&err);
  if (sotto_dataset_open(&data, r->words[0], NULL, &err) != SOTTO_OK) return cli_error(&err);
  const sotto_status status = ledger_place(out, ledger, &data, r, NULL, how, &err);
  sotto_dataset_free(&data);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

sotto_status ledger_place(sotto_ledger_account *out, sotto_ledger *ledger, const sotto_dataset *data,
                          const ledger_request *r, const char *account, sotto_placing how, sotto_error *err) {
  const bool of_nodes = r->adjacency != NULL && strcmp(r->adjacency, "node") == 0;
  sotto_ledger_place_found found;
  const sotto_status status = sotto_ledger_place(ledger, &found, data, account, !of_nodes, how, err);
  if (status != SOTTO_OK) return status;
  if (found.by != NULL && account == NULL)
    app_print(stderr, "%s is a version of %s, by the same %s: one account covers both\n", data->name,
              found.of, found.by);
  if (found.forgotten[0] != '\0')
    app_print(stderr, "%s does not remember its ledger, and another one would not be refused: %s\n",
              data->name, found.forgotten);
  *out = found.account;
  return SOTTO_OK;
}

void ledger_print_spent(const char *name, const char *adjacency, const sotto_spent *s) {
  char delta[SOTTO_DELTA_WORDS], epsilon[SOTTO_EPSILON_WORDS], bare[APP_UNPROTECTED_WORDS];
  app_unprotected_words(bare, s->unprotected);
  sotto_delta_words(delta, s->delta);
  sotto_epsilon_words(epsilon, s->epsilon);
  app_print(stdout, "  %s, %s level: %llu charges, epsilon %s at delta %s; ", name, adjacency,
            (unsigned long long)s->charges, epsilon, delta);
  sotto_delta_words(delta, s->budget.delta);
  if (s->budget.epsilon > 0)
    app_print(stdout, "budget %.4g at delta %s", s->budget.epsilon, delta);
  else
    app_print(stdout, "no budget set");
  app_print(stdout, "%s%s\n", bare[0] == '\0' ? "" : "; ", bare);
}
