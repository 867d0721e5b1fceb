/* sotto ledger: choice of the verb and of its ledger. */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "common/levels.h"
#include "common/print.h"

static int print_help(void) {
  (void)puts(
      "usage: sotto ledger init [FILE]                    make an empty ledger\n"
      "       sotto ledger show [DATA | --account NAME]   what was released, what is spent, what was "
      "changed\n"
      "       sotto ledger budget DATA --epsilon E        refuse releases beyond this (or --account NAME)\n"
      "       sotto ledger lock DATA                      from now on budgets can only be lowered\n"
      "       sotto ledger close DATA                     from now on the account takes no charge\n"
      "       sotto ledger account new NAME               make an account that outlives a file\n"
      "       sotto ledger account add NAME DATA          make a dataset a version of it\n"
      "       sotto ledger account list                   all accounts\n"
      "       sotto ledger move DATA|RUN --reason TEXT    charge it to this ledger from now on, and not "
      "to the one that it remembers\n"
      "       sotto ledger verify [FILE]                  check the chain of entries, or that of an export "
      "or a backup\n"
      "       sotto ledger export FILE                    write the chain for an auditor, as JSON\n"
      "       sotto ledger backup FILE                    copy the ledger, while it may be in use\n"
      "       sotto ledger restore FILE                   put a backup in the place of the ledger; what "
      "stood there is kept\n\n"
      "  --account NAME         a named account, instead of DATA\n"
      "  --adjacency LEVEL      what the budget protects: transfer, edge or node [edge]\n"
      "  --delta D              of the budget [1e-6]\n"
      "  --reason TEXT          the reason, stored in the chain\n"
      "  --ledger FILE          default: $SOTTO_LEDGER, else ledger.db in the user's data folder\n"
      "  --json                 machine-readable\n\n"
      "example: sotto ledger budget sbm.sotto --epsilon 8 --delta 1e-6 --reason 'agreed in May'");
  return EXIT_DONE;
}

sotto_status cli_open_ledger(sotto_ledger **out, const char *path, sotto_error *err) {
  sotto_status status = sotto_ledger_open(out, path, err);
  if (status == SOTTO_OK && sotto_ledger_made(*out))
    app_print(stderr, "a new ledger was made: %s\n", sotto_ledger_path(*out));
  return status;
}

typedef struct ledger_verb {
  const char *name;
  size_t most_words;
  int (*run)(const ledger_request *request, sotto_ledger *ledger);
  int (*run_alone)(const ledger_request *request); /* opens no ledger; NULL, or no word: `run` */
} ledger_verb;

static const ledger_verb verbs[] = {
    {"init", 1, NULL, ledger_init},      {"show", 1, ledger_show, NULL},
    {"budget", 1, ledger_budget, NULL},  {"lock", 1, ledger_lock, NULL},
    {"close", 1, ledger_close, NULL},    {"account", 3, ledger_account, NULL},
    {"export", 1, ledger_export, NULL},  {"backup", 1, ledger_backup, NULL},
    {"move", 1, ledger_move, NULL},      {"verify", 1, ledger_verify, ledger_verify_file},
    {"restore", 1, NULL, ledger_restore}};
enum { verb_count = sizeof verbs / sizeof *verbs };

static const ledger_verb *find_verb(const char *name) {
  const char *names[verb_count];
  for (size_t i = 0; i < verb_count; i++) {
    if (strcmp(name, verbs[i].name) == 0) return &verbs[i];
    names[i] = verbs[i].name;
  }
  const char *nearest = sotto_i_nearest(name, names, verb_count);
  (void)cli_usage("unknown: ledger %s%s%s%s", name,
                  nearest == NULL ? "; --help lists what there is" : "; did you mean '",
                  nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
  return NULL;
}

int cli_ledger(int argc, char **argv) {
  ledger_request r = {.words = {NULL}};
  const cli_flag flags[] = {{"ledger", &r.ledger, NULL}, {"epsilon", &r.epsilon, NULL},
                            {"delta", &r.delta, NULL},   {"adjacency", &r.adjacency, NULL},
                            {"reason", &r.reason, NULL}, {"account", &r.account, NULL},
                            {"json", NULL, &r.json},     {"help", NULL, &r.help}};
  sotto_error err = {0};
  sotto_ledger *ledger = NULL;
  if (argc < 1 || strcmp(argv[0], "--help") == 0) {
    (void)print_help();
    return argc < 1 ? EXIT_USAGE : EXIT_DONE;
  }
  const ledger_verb *verb = find_verb(argv[0]);
  if (verb == NULL) return EXIT_USAGE;
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc - 1, argv + 1, r.words, verb->most_words,
                 &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.adjacency != NULL && !app_is_level(r.adjacency))
    return cli_usage("adjacency: '%s' is not transfer, edge or node", r.adjacency);
  if (verb->run_alone != NULL && (verb->run == NULL || r.word_count > 0)) return verb->run_alone(&r);
  if (cli_open_ledger(&ledger, r.ledger, &err) != SOTTO_OK) return cli_error(&err);
  int code = verb->run(&r, ledger);
  sotto_ledger_close(ledger);
  return code;
}
