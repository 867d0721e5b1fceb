/* What people and programs read after a run, an alignment, an audit: tables, and lines of JSON. */
#ifndef SOTTO_APP_REPORT_REPORT_H
#define SOTTO_APP_REPORT_REPORT_H

#include <jansson.h>

#include "sotto/align.h"
#include "sotto/attack.h"

/* Mean and sample standard deviation (0 for one value); values that are NAN make both NAN. */
typedef struct sotto_mean {
  double mean, deviation;
} sotto_mean;
sotto_mean sotto_mean_of(const double *values, size_t count);

/* The table that people read after training, a few lines, from the text of sotto_run_result, and what
 * sotto_report_spent says (NULL: nothing). Texts of this
 * header are in memory of the caller, to be freed with sotto_report_free_text. */
sotto_status sotto_report_table(char **out, const char *result, const char *spent, sotto_error *err);
/* What the account that paid for a run has spent, of all runs, as its ledger has it now: one line, for the
 * owner alone. *out is NULL where this party paid nothing, or the ledger is not at hand. Errors: NOMEM. */
sotto_status sotto_report_spent(char **out, const char *run, sotto_error *err);
void sotto_report_free_text(char *text);
/* The colour of a line of that table, which is that of the class of its verdict; NULL: it is no verdict. */
const char *sotto_report_colour(const json_t *result, const char *line);

/* The key of that account, from owner-only/account.key; *found: it is there. Errors: IO, NOMEM. */
sotto_status sotto_report_account_key(uint8_t out[32], bool *found, const char *run, sotto_error *err);
/* The ledger that the run was charged to: where its settings say, else the user's own. Errors: NOT_FOUND, and
 * those of sotto_ledger_open. */
sotto_status sotto_report_open_ledger(sotto_ledger **out, const char *run, sotto_error *err);

/* The statement of one party after an alignment, indented: role, sizes, what it learnt, what was exposed,
 * assumed and not covered, bytes by kind, and the work done. */
sotto_status sotto_report_alignment(char **out, const sotto_alignment *alignment, sotto_error *err);

/* What attacks found: one line of JSON, a table for people, and owner-only/audit.json in the run
 * folder, which has numbers of the true data and stays when a run folder is handed on. */
sotto_status sotto_report_findings(char **out, const sotto_findings *findings, sotto_error *err);
sotto_status sotto_report_findings_table(char **out, const sotto_findings *findings, sotto_error *err);
sotto_status sotto_report_findings_write(const sotto_findings *findings, const char *folder,
                                         sotto_error *err);

#endif
