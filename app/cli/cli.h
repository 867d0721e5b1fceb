/* What the verbs share: flags, messages, exit status, progress. */
#ifndef SOTTO_APP_CLI_CLI_H
#define SOTTO_APP_CLI_CLI_H

#include <stddef.h>

#include "sotto/ledger.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_REFUSED = 3, EXIT_INTERRUPTED = 130 };

/* A flag of a verb: --name VALUE when `value` is set, --name alone when `present` is. */
typedef struct cli_flag {
  const char *name;
  const char **value;
  bool *present;
} cli_flag;

/* Sorts argv[0..argc) into flags and positional words; both --name VALUE and --name=VALUE are taken. False,
 * after a message, for an unknown flag (with the nearest one), a missing value, or more words than `most`. */
bool cli_parse(const cli_flag *flags, size_t flag_count, int argc, char **argv, const char **words,
               size_t most, size_t *word_count);

/* Prints "sotto: TEXT" to stderr. cli_error returns the exit status that belongs to the error. */
int cli_error(const sotto_error *err);
int cli_usage(const char *format, ...) SOTTO_PRINTF(1, 2);

/* Parse a flag's value; false after a message. A NULL text leaves *out as it is. */
bool cli_real(double *out, const char *text, const char *name);
bool cli_count(uint64_t *out, const char *text, const char *name);

/* Opens the ledger; says so where its first use made it. */
sotto_status cli_open_ledger(sotto_ledger **out, const char *path, sotto_error *err);

/* Progress and log lines on stderr: a bar on a terminal, one line a finished stage elsewhere. */
sotto_observer cli_observer(void);
/* Ends an open bar. */
void cli_observer_end(void);

/* Verbs: argv[0] is the first word after the verb's name. */
int cli_methods(int argc, char **argv);
int cli_train(int argc, char **argv);
int cli_party(int argc, char **argv);
int cli_data(int argc, char **argv);
int cli_ledger(int argc, char **argv);
int cli_account(int argc, char **argv);
int cli_audit(int argc, char **argv);
int cli_audit_run(int argc, char **argv);
int cli_predict(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_align(int argc, char **argv);
int cli_compare(int argc, char **argv);

#endif
