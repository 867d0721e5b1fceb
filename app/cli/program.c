/* A program of verbs: signals, help, and the choice of the verb. */
#include "program.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "common/guard.h"
#include "common/print.h"
#include "common/text.h"
#include "failure.h"

static int print_help(const cli_program *p) {
  app_print(stdout, "%s\n\nusage: %s VERB ...   (%s VERB --help shows its options and an example)\n\n",
            p->what, p->name, p->name);
  for (size_t i = 0; i < p->verb_count; i++)
    app_print(stdout, "  %-10s %s\n", p->verbs[i].name, p->verbs[i].help);
  (void)puts(
      "\nexit status: 0 done, 1 failed, 2 wrong usage, 3 refused by the privacy budget, 130 interrupted");
  return EXIT_DONE;
}

/* The first Ctrl-C asks for an orderly stop; a second one ends the process. What follows at once is still the
 * first: timeout(1) signals a process, and then its group. */
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

/* argv[0] is the first word after the verb. */
static int run_verb(const cli_verb *v, int argc, char **argv) {
  bool help = false;
  for (int i = 0; i < argc; i++) help = help || strcmp(argv[i], "--help") == 0;
  const cli_watching watching = v->kind >= CLI_VERB_SHOWN     ? CLI_SHOWN
                                : v->kind == CLI_VERB_WATCHED ? CLI_WATCHED
                                                              : CLI_LOGGED;
  if (v->kind == CLI_VERB_PLAIN || help) {
    const int shown = v->run(argc, argv);
    const bool watched = v->kind >= CLI_VERB_WATCHED && v->kind != CLI_VERB_OWN_HELP;
    if (watched && shown == EXIT_DONE) cli_watch_help(watching);
    return shown;
  }
  const int begun = cli_watch_begin(v->name, watching, &argc, argv);
  if (begun != EXIT_DONE) return begun;
  const int code = v->run(argc, argv);
  cli_watch_end(code);
  return code;
}

static int run(const cli_program *p, int argc, char **argv) {
  const char *names[CLI_MOST_VERBS];
  if (argc < 2) {
    (void)print_help(p);
    return EXIT_USAGE;
  }
  static char help[] = "--help";
  if (strcmp(argv[1], help) == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
    return print_help(p);
  if (strcmp(argv[1], "--version") == 0) {
    app_print(stdout, "%s " SOTTO_VERSION "\n", p->name);
    return EXIT_DONE;
  }
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "-h") == 0) argv[i] = help; /* the short form, everywhere */
    if (strcmp(argv[i], "--json") == 0) cli_failure_json();
  }
  (void)signal(SIGINT, on_signal);
  (void)signal(SIGTERM, on_signal);
  for (size_t i = 0; i < p->verb_count; i++) {
    if (strcmp(argv[1], p->verbs[i].name) == 0) return run_verb(&p->verbs[i], argc - 2, argv + 2);
    names[i] = p->verbs[i].name;
  }
  const char *nearest = app_nearest(argv[1], names, p->verb_count);
  if (nearest != NULL) return cli_usage("unknown verb '%s'; did you mean '%s'?", argv[1], nearest);
  return cli_usage("unknown verb '%s'; %s --help lists them", argv[1], p->name);
}

int cli_program_run(const cli_program *program, int argc, char **argv) {
  app_guard_process();
  (void)signal(SIGPIPE, SIG_IGN); /* who stops reading makes writing fail, and does not end a training */
  return cli_stdout_end(run(program, argc, argv));
}
