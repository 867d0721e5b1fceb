/* Code shared by the verbs that run a method. */
#ifndef SOTTO_APP_CLI_RUN_H
#define SOTTO_APP_CLI_RUN_H

#include "cli.h"
#include "report/report.h"
#include "sotto/methods.h"
#include "sotto/run.h"

/* Prints the options of a method in groups, common ones first, with their values in these resolved options
 * and the conditions of the defaults, as far as a run of these options takes them; then the names of the
 * others. Not `whole`: only the common ones that it takes. Returns how many of those that it takes were left
 * out. */
size_t cli_print_method_options(const sotto_options *options, bool whole);
/* Prints the options that most users set, whatever the method. */
void cli_print_common_options(const sotto_options *options);
/* Prints the options on how tables are read (table.h), without that of the key `but`, which may be NULL. */
void cli_table_help(const char *but);
/* Index of an option in sotto_option_table; the key must be in it. */
size_t cli_option_number(const char *key);
/* The option --key VALUE or --key=VALUE at argv[*i]; *i moves to its last word. A SWITCH may be alone,
 * which means "true"; --header and --no-header mean "yes" and "no"; --anyway alone
 * means "gain", and may have its word; --not-private is the same option with "not-private". */
typedef struct cli_option {
  char key[128];
  const char *value;
} cli_option;
cli_option cli_next_option(int argc, char **argv, int *i);

/* Parses the words of a verb with one run file, flags of its own, and options of the run. *file: NULL if
 * none was given. False, after a message, for any other word. */
bool cli_take_run(sotto_run *run, const char **file, const cli_flag *flags, size_t count, int argc,
                  char **argv);

/* Opens the dataset that the options name. */
sotto_status cli_open_data(sotto_dataset *out, const sotto_options *options, sotto_error *err);
/* Reads the options of a run folder, for its dataset, or for the one at `data` if that is not NULL. `table`:
 * how to read it; may be NULL. Errors: INVALID, also of a word in `table`. */
struct cli_table;
sotto_status cli_read_run(sotto_options *options, const char *run, const char *data,
                          const struct cli_table *table, sotto_error *err);
/* The same, and opens the dataset. */
sotto_status cli_open_run(sotto_options *options, sotto_dataset *out, const char *run, const char *data,
                          const struct cli_table *table, sotto_error *err);
/* Passes the run that begins to the live board; `role` is that of a party, else empty. */
void cli_watch_run(const sotto_options *options, const sotto_dataset *data, const char *role);
/* Writes report.html into the folder of a finished run. A failure is only a warning, since the page is not
 * part of the result. */
void cli_leave_report(const char *folder);
/* Prints a result on stdout as a table or, with json, as its line of JSON; returns the exit status. */
int cli_print_result(const char *result, bool json, sotto_error *err);

#endif
