/* Code shared by the verbs: flags, messages, exit statuses, progress. */
#ifndef SOTTO_APP_CLI_CLI_H
#define SOTTO_APP_CLI_CLI_H

#include <stddef.h>

#include "sotto/ledger.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_REFUSED = 3, EXIT_INTERRUPTED = 130 };

/* A flag of a verb: `value` is set: --name VALUE; `present` is set: --name alone. */
typedef struct cli_flag {
  const char *name;
  const char **value;
  bool *present;
} cli_flag;

/* False, after a message with both values, if the option at argv[i] also occurs before i. */
bool cli_once(int argc, char **argv, int i);

/* Reads the flag at argv[*i], as --name VALUE or --name=VALUE, if it is one of `flags`; *i then is the
 * index of its last word. CLI_WRONG: a message was printed. */
typedef enum cli_taken { CLI_NOT_TAKEN, CLI_TAKEN, CLI_WRONG } cli_taken;
cli_taken cli_take(const cli_flag *flags, size_t count, int argc, char **argv, int *i);
/* The same for flags that may occur several times, each time with another value. */
cli_taken cli_take_each(const cli_flag *flags, size_t count, int argc, char **argv, int *i);

/* Says that an option is unknown, and which of `names` may be meant. Returns EXIT_USAGE. */
int cli_unknown_flag(const char *name, const char *const *names, size_t count);

/* Sorts argv[0..argc) into flags (--name VALUE or --name=VALUE) and positional words. False, after a message,
 * for an unknown flag (the message names the nearest one), a missing value, or more than `most` words. */
bool cli_parse(const cli_flag *flags, size_t flag_count, int argc, char **argv, const char **words,
               size_t most, size_t *word_count);

/* Print a failure (failure.h) and return its exit status: that of the error, or EXIT_USAGE. */
int cli_error(const sotto_error *err);
int cli_usage(const char *format, ...) SOTTO_PRINTF(1, 2);
/* Print a sentence on stderr that is no error: a warning ("sotto: TEXT"), or what to do next. */
void cli_warn(const char *format, ...) SOTTO_PRINTF(1, 2);
void cli_advise(const char *format, ...) SOTTO_PRINTF(1, 2);

/* Parse a flag's value; false after a message. If text is NULL, *out stays as it is. */
bool cli_real(double *out, const char *text, const char *name);
/* The same for an epsilon, which may be inf: without noise. */
bool cli_epsilon(double *out, const char *text);
bool cli_count(uint64_t *out, const char *text, const char *name);

/* Is this "-", which means standard output? */
bool cli_is_stdout(const char *path);
/* False, after a message, if `flag` is "-" but needs a name because it is `what`: a folder, or a file that
 * is not written sequentially. */
bool cli_named(const char *path, const char *flag, const char *what);
/* False, after a message, if a name was given and is empty. */
bool cli_named_at_all(const char *path, const char *flag);
/* False, after a message, if a file and --json would both go to standard output. */
bool cli_one_stdout(const char *path, const char *flag, bool json);

/* Opens the ledger, and reports on stderr if it was created. */
sotto_status cli_open_ledger(sotto_ledger **out, const char *path, sotto_error *err);

/* Progress and log lines on stderr, and the state that --board serves (watch.c). */
sotto_observer cli_observer(void);
/* Ends the progress line, which is drawn over and over. */
void cli_observer_end(void);
/* How a verb can be watched: by log flags; also by --board for programs; also by --board with a page. */
typedef enum cli_watching { CLI_LOGGED, CLI_WATCHED, CLI_SHOWN } cli_watching;
/* Removes the flags for watching from a verb's words and opens the board if asked for. Returns EXIT_DONE,
 * or another status after a message. cli_watch_end closes the board and shows the verb's exit status. */
int cli_watch_begin(const char *verb, cli_watching watching, int *argc, char **argv);
void cli_watch_end(int code);
void cli_watch_help(cli_watching watching);
/* Records the remaining validity of the folder's certificate for the metrics; nothing if there is none. */
void cli_watch_certificate(const char *folder);
/* With --log json, prints the text as a line of JSON with this level and event and returns true. */
bool cli_watch_said(const char *level, const char *event, const char *text);

enum { CLI_MOST_FORMS = 16 };
/* A form of a verb: `sotto VERB NAME ...`. */
typedef struct cli_form {
  const char *name;
  int (*run)(int argc, char **argv); /* argv[0] is the first word after the name */
} cli_form;
/* Runs the form that argv[0] names; prints `help` if asked for. An unknown one is a message. */
int cli_take_form(const cli_form *forms, size_t count, const char *help, int argc, char **argv);

/* Verbs: argv[0] is the first word after the verb's name. */
int cli_methods(int argc, char **argv);
int cli_train(int argc, char **argv);
int cli_identity(int argc, char **argv);
int cli_consortium(int argc, char **argv);
int cli_run(int argc, char **argv);
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
