/* sotto: the verb decides. */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/failure.h"
#include "common/guard.h"
#include "common/print.h"
#include "common/text.h"

typedef struct verb {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
  enum { PLAIN, LOGGED, WATCHED, SHOWN } kind; /* it runs long: with --log; and --status; and --board */
} verb;

static const verb verbs[] = {
    {"methods", cli_methods, "all methods, by situation", PLAIN},
    {"train", cli_train, "train a method on a dataset, all parties in this process", SHOWN},
    {"plan", cli_plan, "time, memory and traffic that a run would need, on one machine or many", PLAIN},
    {"party", cli_party, "be one party of a run over a network; invite, join, check", SHOWN},
    {"data", cli_data, "info, import, generate, part, split, histogram", PLAIN},
    {"ledger", cli_ledger, "show what was released, set budgets", PLAIN},
    {"account", cli_account, "epsilon for a noise, noise for an epsilon", PLAIN},
    {"align", cli_align, "which ids several parties have in common, and nothing else", WATCHED},
    {"predict", cli_predict, "class probabilities from a finished run", PLAIN},
    {"serve", cli_serve, "answers of finished runs over HTTP, with health and metrics", LOGGED},
    {"audit", cli_audit, "attack a finished run, or test a mechanism, against what is stated", WATCHED},
    {"report", cli_report, "runs or a ledger as one page that anybody can read", PLAIN},
    {"statement", cli_statement, "check a run's privacy statement: signature, files, charges", PLAIN},
    {"bench", cli_bench, "utility: accuracy of every method at every epsilon, in tables and plots", WATCHED},
    {"compare", cli_compare, "distances between graphs; classification and clusters by them", WATCHED},
};
enum { verb_count = sizeof verbs / sizeof *verbs };

static int print_help(void) {
  (void)puts("sotto trains graph neural networks across parties that may not show each other their data.\n");
  (void)puts("usage: sotto VERB ...   (sotto VERB --help shows its options and an example)\n");
  for (size_t i = 0; i < verb_count; i++) app_print(stdout, "  %-10s %s\n", verbs[i].name, verbs[i].help);
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
static int run_verb(const verb *v, int argc, char **argv) {
  bool help = false;
  for (int i = 0; i < argc; i++) help = help || strcmp(argv[i], "--help") == 0;
  const cli_watching watching = v->kind == SHOWN ? CLI_SHOWN : v->kind == WATCHED ? CLI_WATCHED : CLI_LOGGED;
  if (v->kind == PLAIN || help) {
    const int shown = v->run(argc, argv);
    const bool brief = v->run == cli_train && cli_train_is_brief(argc, argv);
    if (v->kind >= WATCHED && shown == EXIT_DONE && !brief) cli_watch_help(watching);
    return shown;
  }
  const int begun = cli_watch_begin(v->name, watching, &argc, argv);
  if (begun != EXIT_DONE) return begun;
  const int code = v->run(argc, argv);
  cli_watch_end(code);
  return code;
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    (void)print_help();
    return EXIT_USAGE;
  }
  static char help[] = "--help";
  if (strcmp(argv[1], help) == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
    return print_help();
  if (strcmp(argv[1], "--version") == 0) {
    (void)puts("sotto " SOTTO_VERSION);
    return EXIT_DONE;
  }
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "-h") == 0) argv[i] = help; /* the short form, everywhere */
    if (strcmp(argv[i], "--json") == 0) cli_failure_json();
  }
  (void)signal(SIGINT, on_signal);
  (void)signal(SIGTERM, on_signal);
  const char *names[verb_count];
  for (size_t i = 0; i < verb_count; i++) {
    if (strcmp(argv[1], verbs[i].name) == 0) return run_verb(&verbs[i], argc - 2, argv + 2);
    names[i] = verbs[i].name;
  }
  const char *nearest = app_nearest(argv[1], names, verb_count);
  if (nearest != NULL) return cli_usage("unknown verb '%s'; did you mean '%s'?", argv[1], nearest);
  return cli_usage("unknown verb '%s'; sotto --help lists them", argv[1]);
}

int main(int argc, char **argv) {
  app_guard_process();
  (void)signal(SIGPIPE, SIG_IGN); /* who stops reading makes writing fail, and does not end a training */
  return cli_stdout_end(run(argc, argv));
}
