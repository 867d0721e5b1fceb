/* sotto: the verb decides. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "common/guard.h"
#include "common/print.h"
#include "common/text.h"

typedef struct verb {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
} verb;

static const verb verbs[] = {
    {"methods", cli_methods, "what there is to train, by situation"},
    {"train", cli_train, "train a method on a dataset, all parties in this process"},
    {"party", cli_party, "be one party of a run over a network; invite, join, check"},
    {"data", cli_data, "info, import, generate, part, split, histogram"},
    {"ledger", cli_ledger, "show what was released, set budgets"},
    {"account", cli_account, "epsilon for a noise, noise for an epsilon"},
    {"align", cli_align, "which ids several parties have in common, and nothing else"},
    {"predict", cli_predict, "class probabilities from a finished run"},
    {"audit", cli_audit, "attack a finished run, or test a mechanism, against what is stated"},
    {"bench", cli_bench, "utility: accuracy of every method at every epsilon, in tables and plots"},
    {"compare", cli_compare, "distances between graphs, and what they tell"},
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

static void on_signal(int signal_number) {
  /* The first Ctrl-C asks for an orderly stop; a second one is not caught. */
  sotto_interrupt(); /* one atomic store. NOLINT(bugprone-signal-handler) */
  (void)signal(signal_number, SIG_DFL);
}

int main(int argc, char **argv) {
  app_guard_process();
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
  for (int i = 2; i < argc; i++) /* the short form, everywhere */
    if (strcmp(argv[i], "-h") == 0) argv[i] = help;
  (void)signal(SIGINT, on_signal);
  (void)signal(SIGTERM, on_signal);
  const char *names[verb_count];
  for (size_t i = 0; i < verb_count; i++) {
    if (strcmp(argv[1], verbs[i].name) == 0) return verbs[i].run(argc - 2, argv + 2);
    names[i] = verbs[i].name;
  }
  const char *nearest = app_nearest(argv[1], names, verb_count);
  if (nearest != NULL) return cli_usage("unknown verb '%s'; did you mean '%s'?", argv[1], nearest);
  return cli_usage("unknown verb '%s'; sotto --help lists them", argv[1]);
}
