/* sotto ledger: show, budget. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/text.h"
#include "sotto/dp.h"
#include "sotto/graph.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *ledger, *epsilon, *delta, *adjacency;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts("usage: sotto ledger show [DATA]                              what was released\n"
             "       sotto ledger budget DATA --epsilon E [--delta 1e-6]   refuse releases beyond this\n\n"
             "  --adjacency edge|node  what the budget protects [edge]\n"
             "  --ledger FILE          default: $SOTTO_LEDGER, else ledger.db in the user's data folder\n"
             "  --json                 machine-readable\n\n"
             "example: sotto ledger budget sbm.sotto --epsilon 8 --delta 1e-6");
  return EXIT_DONE;
}

typedef struct listing {
  json_t *json; /* NULL: print lines */
  uint64_t count;
} listing;

static int visit(void *context, const sotto_ledger_row *row) {
  listing *l = context;
  const sotto_charge *c = &row->charge;
  l->count++;
  if (l->json != NULL) {
    json_array_append_new(l->json,
                          json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:b}", "time", row->time, "data",
                                    row->name, "id", c->id, "run", c->run, "mechanism", c->mechanism,
                                    "adjacency", c->adjacency, "mu", c->mu, "epsilon", c->epsilon,
                                    "description", c->description, "insecure", c->insecure));
    return 0;
  }
  (void)printf("  %s  %-20s %-9s %-5s ", row->time, row->name, c->mechanism, c->adjacency);
  if (c->mu > 0)
    (void)printf("mu %-9.5g", c->mu);
  else
    (void)printf("eps %-8.5g", c->epsilon);
  (void)printf(" %s%s\n", c->description, c->insecure ? " (fixed seed)" : "");
  return 0;
}

static void print_spent(const char *name, const char *adjacency, const sotto_spent *s) {
  (void)printf("\n  %s, %s level: %llu charges, epsilon %.4g at delta %.3g; ", name, adjacency,
               (unsigned long long)s->charges, s->epsilon, s->delta);
  if (s->budget.epsilon > 0)
    (void)printf("budget %.4g at delta %.3g\n", s->budget.epsilon, s->budget.delta);
  else
    (void)puts("no budget set");
}

static int show(const request *r, sotto_ledger *ledger, const sotto_dataset *data) {
  sotto_error err = {0};
  listing l = {.json = r->json ? json_array() : NULL};
  const uint8_t *digest = data == NULL ? NULL : data->digest;
  if (!r->json) (void)printf("  ledger %s\n", sotto_ledger_path(ledger));
  if (sotto_ledger_visit(ledger, digest, visit, &l, &err) != SOTTO_OK) {
    json_decref(l.json);
    return cli_error(&err);
  }
  if (r->json) {
    char *text = json_dumps(l.json, JSON_COMPACT);
    (void)puts(text == NULL ? "[]" : text);
    free(text);
    json_decref(l.json);
    return EXIT_DONE;
  }
  if (l.count == 0) (void)puts("  nothing was released");
  if (data == NULL) return EXIT_DONE;
  sotto_spent spent;
  const char *adjacency = r->adjacency == NULL ? "edge" : r->adjacency;
  if (sotto_ledger_spent(ledger, &spent, digest, adjacency, &err) != SOTTO_OK) return cli_error(&err);
  print_spent(data->name, adjacency, &spent);
  return EXIT_DONE;
}

static int set_budget(const request *r, sotto_ledger *ledger, const sotto_dataset *data) {
  sotto_error err = {0};
  sotto_budget budget = {.epsilon = 0, .delta = 1e-6};
  const char *adjacency = r->adjacency == NULL ? "edge" : r->adjacency;
  if (data == NULL) return cli_usage("budget needs a dataset: sotto ledger budget DATA --epsilon E");
  if (r->epsilon == NULL) return cli_usage("budget needs --epsilon");
  if (!cli_real(&budget.epsilon, r->epsilon, "epsilon") || !cli_real(&budget.delta, r->delta, "delta"))
    return EXIT_USAGE;
  if (!(budget.epsilon > 0)) return cli_usage("epsilon: must be above 0");
  if (!(budget.delta >= 0 && budget.delta < 1)) return cli_usage("delta: must be at least 0 and below 1");
  if (sotto_ledger_set_budget(ledger, data->digest, data->name, adjacency, &budget, &err) != SOTTO_OK)
    return cli_error(&err);
  sotto_spent spent;
  if (sotto_ledger_spent(ledger, &spent, data->digest, adjacency, &err) != SOTTO_OK) return cli_error(&err);
  print_spent(data->name, adjacency, &spent);
  return EXIT_DONE;
}

int cli_ledger(int argc, char **argv) {
  request r = {.words = {NULL}};
  const cli_flag flags[] = {{"ledger", &r.ledger, NULL}, {"epsilon", &r.epsilon, NULL},
                            {"delta", &r.delta, NULL},   {"adjacency", &r.adjacency, NULL},
                            {"json", NULL, &r.json},     {"help", NULL, &r.help}};
  if (argc < 1) {
    (void)print_help();
    return EXIT_USAGE;
  }
  if (strcmp(argv[0], "--help") == 0) return print_help();
  bool shows = strcmp(argv[0], "show") == 0;
  if (!shows && strcmp(argv[0], "budget") != 0)
    return cli_usage("unknown: ledger %s; there are show and budget", argv[0]);
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc - 1, argv + 1, r.words, 1, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.adjacency != NULL && strcmp(r.adjacency, "edge") != 0 && strcmp(r.adjacency, "node") != 0)
    return cli_usage("adjacency: '%s' is neither edge nor node", r.adjacency);
  sotto_error err = {0};
  sotto_dataset data = {0};
  sotto_ledger *ledger = NULL;
  bool named = r.word_count == 1;
  if (named && sotto_dataset_open(&data, r.words[0], NULL, &err) != SOTTO_OK) return cli_error(&err);
  int code = EXIT_FAILED;
  if (sotto_ledger_open(&ledger, r.ledger, &err) != SOTTO_OK)
    code = cli_error(&err);
  else
    code = shows ? show(&r, ledger, named ? &data : NULL) : set_budget(&r, ledger, named ? &data : NULL);
  sotto_ledger_close(ledger);
  sotto_dataset_free(&data);
  return code;
}
