/* Summaries of a run, an alignment or an audit: tables, and lines of JSON. */
#ifndef SOTTO_APP_REPORT_REPORT_H
#define SOTTO_APP_REPORT_REPORT_H

#include <jansson.h>

#include "sotto/align.h"
#include "sotto/attack.h"

/* The table that is printed after training, from the text of sotto_run_result and the line of
 * sotto_report_spent (NULL: none). The caller frees texts of this header with sotto_report_free_text. */
sotto_status sotto_report_table(char **out, const char *result, const char *spent, sotto_error *err);
/* Total spending, over all runs, of the account that paid for a run, by its current ledger: one line, for
 * the owner only. *out is NULL if this party paid nothing or the ledger is missing. Errors: NOMEM. */
sotto_status sotto_report_spent(char **out, const char *run, sotto_error *err);
void sotto_report_free_text(char *text);
/* Colour of a line of that table, by the class of its verdict; NULL: no verdict. */
const char *sotto_report_colour(const json_t *result, const char *line);

/* Does a result measure numbers, not classes? */
bool report_of_numbers(const json_t *result);
/* The measure of an expected gain, as it is written for people: such as "AUC". */
const char *report_measure_word(const json_t *expected);
/* The mean of part.key over the seeds of a rare class's results; NAN where one has no such number. */
double report_mean_over(const json_t *seeds, const char *part, const char *key);

/* Key of that account, from owner-only/account.key; *found: the file exists. Errors: IO, NOMEM. */
sotto_status sotto_report_account_key(uint8_t out[32], bool *found, const char *run, sotto_error *err);
/* Opens the ledger that the run was charged to: the one in its settings, else the user's own. Errors:
 * NOT_FOUND, and those of sotto_ledger_open. */
sotto_status sotto_report_open_ledger(sotto_ledger **out, const char *run, sotto_error *err);

/* The statement of one party after an alignment, indented: role, sizes, what it learnt, what was exposed,
 * assumptions, limits, bytes by kind, and work done. */
sotto_status sotto_report_alignment(char **out, const sotto_alignment *alignment, sotto_error *err);

/* Findings of attacks: one line of JSON, a table for people, and owner-only/audit.json in the run folder.
 * That file has numbers from the true data and must not be handed on. */
sotto_status sotto_report_findings(char **out, const sotto_findings *findings, sotto_error *err);
sotto_status sotto_report_findings_table(char **out, const sotto_findings *findings, sotto_error *err);
sotto_status sotto_report_findings_write(const sotto_findings *findings, const char *folder,
                                         sotto_error *err);

#endif
