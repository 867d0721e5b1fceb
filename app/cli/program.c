/* A program with verbs: signals, help, and the choice of the verb. */
#include "program.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli.h"
#include "common/guard.h"
#include "common/print.h"
#include "failure.h"

static void print_help(const cli_program *p) {
  app_print(stdout, "%s\n\nusage: %s VERB ...   (%s VERB --help shows its options and an example)\n\n",
            p->what, p->name, p->name);
  for (size_t i = 0; i < p->verb_count; i++)
    app_print(stdout, "  %-11s %s\n", p->verbs[i].name, p->verbs[i].help);
  (void)puts(
      "\nexit status: 0 done, 1 failed, 2 wrong usage, 3 refused by the privacy budget, 130 interrupted");
}

/* The first Ctrl-C requests an orderly stop; a second one ends the process. Signals that follow at once
 * count as the first: timeout(1) signals a process and then its group. */
static void on_signal(int signal_number) {
  static _Atomic int64_t first; /* milliseconds; 0: none yet */
  const int64_t at_once = 250;
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t at = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
  sotto_interrupt(); /* one atomic store. NOLINT(bugprone-signal-handler) */
  if (first == 0) first = at;
  if (at - first <= at_once) return;
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

static cli_watching watching_of(const cli_verb *v) {
  return v->kind >= CLI_VERB_SHOWN ? CLI_SHOWN : v->kind == CLI_VERB_WATCHED ? CLI_WATCHED : CLI_LOGGED;
}

/* NULL: no verb is to be run, and *code is the exit status. */
static const cli_verb *find_verb(int *code, const cli_program *p, int argc, char **argv) {
  const char *names[CLI_MOST_VERBS];
  static char help[] = "--help";
  const bool asked =
      argc > 1 && (strcmp(argv[1], help) == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0);
  if (asked && argc == 3 && argv[2][0] != '-') { /* help VERB, --help VERB */
    argv[1] = argv[2];
    argv[2] = help;
  } else if (argc < 2 || asked) {
    print_help(p);
    *code = asked ? EXIT_DONE : EXIT_USAGE;
    return NULL;
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
    app_print(stdout, "%s " SOTTO_VERSION "\n", p->name);
    *code = EXIT_DONE;
    return NULL;
  }
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "-h") == 0) argv[i] = help; /* the short form works for every verb */
    if (strcmp(argv[i], "--json") == 0) cli_failure_json();
  }
  for (size_t i = 0; i < p->verb_count; i++) {
    if (strcmp(argv[1], p->verbs[i].name) == 0) return &p->verbs[i];
    names[i] = p->verbs[i].name;
  }
  if (p->former != NULL && strcmp(argv[1], p->former) == 0) {
    *code = cli_usage("'%s' is no verb: %s", argv[1], p->instead);
    return NULL;
  }
  const char *nearest = sotto_i_nearest(argv[1], names, p->verb_count);
  *code = nearest != NULL ? cli_usage("unknown verb '%s'; did you mean '%s'?", argv[1], nearest)
                          : cli_usage("unknown verb '%s'; %s --help lists them", argv[1], p->name);
  return NULL;
}

bool cli_program_begin(cli_call *call, const cli_program *program, int argc, char **argv) {
  *call = (cli_call){.argc = argc - 2, .argv = argv + 2};
  app_guard_process();
  (void)signal(SIGPIPE, SIG_IGN); /* a reader that closes the pipe makes writing fail, and ends no training */
  const cli_verb *v = call->verb = find_verb(&call->code, program, argc, argv);
  if (v == NULL) return false;
  call->shown = v->kind == CLI_VERB_PLAIN;
  for (int i = 0; i < call->argc; i++) call->shown = call->shown || strcmp(call->argv[i], "--help") == 0;
  (void)signal(SIGINT, on_signal);
  (void)signal(SIGTERM, on_signal);
  if (call->shown) return true;
  call->code = cli_watch_begin(v->name, watching_of(v), &call->argc, call->argv);
  if (call->code != EXIT_DONE) call->verb = NULL;
  return call->verb != NULL;
}

int cli_program_end(const cli_call *call) {
  const cli_verb *v = call->verb;
  if (v != NULL && !call->shown)
    cli_watch_end(call->code);
  else if (v != NULL && v->kind >= CLI_VERB_WATCHED && v->kind != CLI_VERB_OWN_HELP &&
           call->code == EXIT_DONE)
    cli_watch_help(watching_of(v));
  return cli_stdout_end(call->code);
}
