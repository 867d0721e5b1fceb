/* A program with verbs: sotto, and sotto-bench of tools/bench. */
#ifndef SOTTO_APP_CLI_PROGRAM_H
#define SOTTO_APP_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_MOST_VERBS = 32 };

typedef struct cli_verb {
  const char *name;
  int (*run)(int argc, char **argv); /* argv[0] is the first word after the verb */
  const char *help;
  /* Kind of a long-running verb: with --log; also with --board; also with a page; OWN_HELP: its own help
   * describes these flags. */
  enum { CLI_VERB_PLAIN, CLI_VERB_LOGGED, CLI_VERB_WATCHED, CLI_VERB_SHOWN, CLI_VERB_OWN_HELP } kind;
} cli_verb;

typedef struct cli_program {
  const char *name, *what; /* its purpose, in one sentence */
  const cli_verb *verbs;
  size_t verb_count;            /* at most CLI_MOST_VERBS */
  const char *former, *instead; /* a verb that is no more, and what is in its place; NULL: none */
} cli_program;

/* One start of a program: its verb, and the words after it. */
typedef struct cli_call {
  const cli_verb *verb; /* NULL: none is to be run */
  int argc;
  char **argv;
  bool shown; /* it only prints something, such as the help */
  int code;   /* exit status */
} cli_call;

/* Signals, help, and the choice of the verb. True: the caller runs the verb and stores its exit status. */
bool cli_program_begin(cli_call *call, const cli_program *program, int argc, char **argv);
/* Returns the exit status. */
int cli_program_end(const cli_call *call);

#endif
