/* Shared code of the verbs: flags, messages, exit status, progress. */
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

/* False, after a message with both values, where the option at argv[i] stands before as well. */
bool cli_once(int argc, char **argv, int i);

/* Takes the flag at argv[*i], which is moved on to its value, if it is one of these: --name VALUE or
 * --name=VALUE. CLI_WRONG: after a message. */
typedef enum cli_taken { CLI_NOT_TAKEN, CLI_TAKEN, CLI_WRONG } cli_taken;
cli_taken cli_take(const cli_flag *flags, size_t count, int argc, char **argv, int *i);
/* The same of flags that may stand several times, each time with another value. */
cli_taken cli_take_each(const cli_flag *flags, size_t count, int argc, char **argv, int *i);

/* Sorts argv[0..argc) into flags and positional words; both --name VALUE and --name=VALUE are taken. False,
 * after a message, for an unknown flag (with the nearest one), a missing value, or more words than `most`. */
bool cli_parse(const cli_flag *flags, size_t flag_count, int argc, char **argv, const char **words,
               size_t most, size_t *word_count);

/* A failure (failure.h): of its status, or of usage. cli_error returns the exit status that belongs to the
 * error. */
int cli_error(const sotto_error *err);
int cli_usage(const char *format, ...) SOTTO_PRINTF(1, 2);
/* A sentence on stderr that is no error: a warning ("sotto: TEXT"), or what to do next. */
void cli_warn(const char *format, ...) SOTTO_PRINTF(1, 2);
void cli_advise(const char *format, ...) SOTTO_PRINTF(1, 2);

/* Parse a flag's value; false after a message. A NULL text leaves *out as it is. */
bool cli_real(double *out, const char *text, const char *name);
bool cli_count(uint64_t *out, const char *text, const char *name);

/* Does "-" stand there, standard output? */
bool cli_is_stdout(const char *path);
/* False, after a message, where `flag` is "-" though it names `what`: a folder, or a file that is not written
 * from its beginning to its end. */
bool cli_named(const char *path, const char *flag, const char *what);
/* False, after a message, where a file goes to standard output together with --json. */
bool cli_one_stdout(const char *path, const char *flag, bool json);

/* Opens the ledger; says so where its first use made it. */
sotto_status cli_open_ledger(sotto_ledger **out, const char *path, sotto_error *err);

/* Progress and log lines on stderr, and the state that --board serves (watch.c). */
sotto_observer cli_observer(void);
/* Ends a line that is drawn over. */
void cli_observer_end(void);
/* How a verb can be watched: by flags of the log; by --board for programs, too; with a page, too. */
typedef enum cli_watching { CLI_LOGGED, CLI_WATCHED, CLI_SHOWN } cli_watching;
/* Takes the flags of watching out of a verb's words, and opens the board that is asked for. Returns
 * EXIT_DONE, or another status after a message. cli_watch_end ends it, with the exit status of the verb. */
int cli_watch_begin(const char *verb, cli_watching watching, int *argc, char **argv);
void cli_watch_end(int code);
void cli_watch_help(cli_watching watching);
/* Keeps for the metrics how long the certificate in the folder is good; nothing when there is none. */
void cli_watch_certificate(const char *folder);
/* With --log json, says the text as a line of JSON with that level and event, and returns true. */
bool cli_watch_said(const char *level, const char *event, const char *text);

/* Verbs: argv[0] is the first word after the verb's name. */
int cli_methods(int argc, char **argv);
int cli_train(int argc, char **argv);
int cli_party(int argc, char **argv);
int cli_data(int argc, char **argv);
int cli_ledger(int argc, char **argv);
int cli_account(int argc, char **argv);
int cli_audit(int argc, char **argv);
int cli_audit_run(int argc, char **argv);
int cli_audit_self(int argc, char **argv);
int cli_predict(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_statement(int argc, char **argv);
int cli_align(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_plan(int argc, char **argv);

#endif
