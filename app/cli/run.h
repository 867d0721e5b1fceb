/* What the verbs that run a method share. */
#ifndef SOTTO_APP_CLI_RUN_H
#define SOTTO_APP_CLI_RUN_H

#include "cli.h"
#include "report/report.h"
#include "sotto/methods.h"
#include "sotto/run.h"

/* The options of a method in groups, common ones first, with the values of these resolved options and their
 * conditions; or not `whole`: the common ones that these words take, with values. Returns how many were left
 * out. */
size_t cli_print_method_options(const sotto_options *options, bool whole);
/* The options that most users set of any method. */
void cli_print_common_options(const sotto_options *options);
/* The option's number in sotto_option_table; the key is one of its keys. */
size_t cli_option_number(const char *key);
/* --key VALUE or --key=VALUE at argv[*i], which is moved on; a SWITCH also stands alone, for "true". */
typedef struct cli_option {
  char key[128];
  const char *value;
} cli_option;
cli_option cli_next_option(int argc, char **argv, int *i);

/* Takes the words of a verb with one run file, flags of its own, and options of the run. *file: NULL where
 * none was given. False, after a message, for a word that is none of these. */
bool cli_take_run(sotto_run *run, const char **file, const cli_flag *flags, size_t count, int argc,
                  char **argv);

/* The dataset that the options name. */
sotto_status cli_open_data(sotto_dataset *out, const sotto_options *options, sotto_error *err);
/* The options of a run folder, and its dataset, or the one at `data` when that is not NULL. */
sotto_status cli_open_run(sotto_options *options, sotto_dataset *out, const char *run, const char *data,
                          sotto_error *err);
/* Tells the live board which run begins; `role` is that of a party, else empty. */
void cli_watch_run(const sotto_options *options, const sotto_dataset *data, const char *role);
/* Leaves report.html in the folder of a run that is done. It is for people: where it cannot be written, that
 * is a warning, and the run is done all the same. */
void cli_leave_report(const char *folder);
/* A result as a table, or as it is, a line of JSON, on stdout; returns the exit status. */
int cli_print_result(const char *result, bool json, sotto_error *err);

#endif
