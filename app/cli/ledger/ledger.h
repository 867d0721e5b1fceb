/* Code shared by the verbs of `sotto ledger`. */
#ifndef SOTTO_APP_CLI_LEDGER_LEDGER_H
#define SOTTO_APP_CLI_LEDGER_LEDGER_H

#include "cli/cli.h"

enum { LEDGER_MOST_WORDS = 3 };

typedef struct ledger_request {
  const char *words[LEDGER_MOST_WORDS]; /* the words after the verb */
  size_t word_count;
  const char *ledger, *epsilon, *delta, *adjacency, *reason, *account;
  bool json, help;
} ledger_request;

/* The account named by --account or by the dataset words[0]; *given is false if both are missing. Returns
 * an exit status; other than 0 after a message. */
int ledger_find_account(sotto_ledger_account *out, bool *given, const ledger_request *request,
                        sotto_ledger *ledger, sotto_placing how);
/* The account of a dataset (sotto_ledger_place); reports on stderr of which account the dataset is a
 * version. */
sotto_status ledger_place(sotto_ledger_account *out, sotto_ledger *ledger, const sotto_dataset *data,
                          const ledger_request *request, const char *account, sotto_placing how,
                          sotto_error *err);
/* --reason, or "". */
const char *ledger_reason(const ledger_request *request);

/* Verbs that get an open ledger; each returns the exit status. */
int ledger_show(const ledger_request *request, sotto_ledger *ledger);
int ledger_budget(const ledger_request *request, sotto_ledger *ledger);
int ledger_lock(const ledger_request *request, sotto_ledger *ledger);
int ledger_close(const ledger_request *request, sotto_ledger *ledger);
int ledger_account(const ledger_request *request, sotto_ledger *ledger);
int ledger_move(const ledger_request *request, sotto_ledger *ledger);
int ledger_export(const ledger_request *request, sotto_ledger *ledger);
int ledger_backup(const ledger_request *request, sotto_ledger *ledger);
int ledger_verify(const ledger_request *request, sotto_ledger *ledger);
/* Verbs that open no ledger, or open it themselves. */
int ledger_init(const ledger_request *request);
int ledger_verify_file(const ledger_request *request); /* an export or a backup */
int ledger_restore(const ledger_request *request);

/* Prints "  NAME, edge level: 2 charges, epsilon ...". */
void ledger_print_spent(const char *name, const char *adjacency, const sotto_spent *spent);

#endif
