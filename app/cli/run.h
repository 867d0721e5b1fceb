/* What the verbs that run a method share. */
#ifndef SOTTO_APP_CLI_RUN_H
#define SOTTO_APP_CLI_RUN_H

#include "cli.h"
#include "report/report.h"

/* The options of a method in groups, common ones first; or, of all methods, those that most users set. */
void cli_print_method_options(const char *method);
void cli_print_common_options(void);
/* Takes --key VALUE or --key=VALUE at argv[*i], and moves *i on; a SWITCH also stands alone. */
bool cli_take_option(sotto_options *options, int argc, char **argv, int *i, sotto_error *err);
/* The dataset that the options name. */
sotto_status cli_open_data(sotto_dataset *out, const sotto_options *options, sotto_error *err);
/* The options of a run folder, and its dataset, or the one at `data` when that is not NULL. */
sotto_status cli_open_run(sotto_options *options, sotto_dataset *out, const char *run, const char *data,
                          sotto_error *err);
/* The table or the line of JSON, on stdout; returns the exit status. */
int cli_print_result(const app_report *report, bool json, sotto_error *err);

#endif
