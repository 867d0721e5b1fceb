/* sotto data split. */
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "data.h"
#include "sotto/split.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *out, *seed, *holders, *partition, *label_holder;
  bool vertical, features, edges, json, help;
} request;

static int print_help(void) {
  (void)puts("usage: sotto data split PATH --vertical --out STEM [--holders 2] [--partition 5:5] ...\n\n"
             "Writes STEM-1.sotto, STEM-2.sotto, ...: the same nodes, as several holders have them.\n"
             "  --holders I            how many [2]\n"
             "  --partition A:B:...    share of each holder, one number a holder [equal]\n"
             "  --features, --edges    what is split: feature columns, edges; without either, both\n"
             "  --label-holder N       who gets labels and the published split; I + 1: one who has nothing "
             "else [1]\n"
             "  --seed N               the same seed gives the same split [1]\n\n"
             "example: sotto data split planetoid:cora --vertical --partition 5:5 --out cora\n"
             "`sotto data split --horizontal --help` has the other way: each client with nodes or graphs of "
             "its own,\nand with --ego the surroundings of nodes as a collection of graphs");
  return EXIT_DONE;
}

static bool settle(sotto_vertical *how, const request *r) {
  uint64_t holders = 2, label_holder = 1;
  sotto_error err = {0};
  if (!cli_count(&holders, r->holders, "holders") ||
      !cli_count(&label_holder, r->label_holder, "label-holder"))
    return false;
  if (label_holder < 1 || label_holder > holders + 1)
    return cli_usage("label-holder: %llu is outside 1 to %llu", (unsigned long long)label_holder,
                     (unsigned long long)holders + 1),
           false;
  const uint64_t apart = label_holder > holders;
  if (holders + apart < 2 || holders + apart > SOTTO_MOST_HOLDERS)
    return cli_usage("holders: %llu is outside %llu to %llu", (unsigned long long)holders,
                     (unsigned long long)(2 - apart), (unsigned long long)(SOTTO_MOST_HOLDERS - apart)),
           false;
  *how = (sotto_vertical){.holders = (size_t)holders,
                          .label_holder = (size_t)label_holder - 1,
                          .features = r->features || !r->edges,
                          .edges = r->edges || !r->features};
  for (size_t i = 0; i < how->holders; i++) how->share[i] = 1.0 / (double)holders;
  if (r->partition != NULL && sotto_vertical_shares(how->share, how->holders, r->partition, &err) != SOTTO_OK)
    return cli_usage("%s", err.text), false;
  return true;
}

static int write_holders(const sotto_dataset *data, const sotto_vertical *how, const request *r,
                         const sotto_key *key) {
  sotto_dataset *parts = NULL;
  sotto_error err = {0};
  int code = EXIT_DONE;
  json_t *list = r->json ? json_array() : NULL;
  const size_t count = how->holders + (how->label_holder == how->holders);
  if (!cli_data_may_write_parts(r->out, count, r->words[0])) code = EXIT_USAGE;
  if (code == EXIT_DONE && app_new(&parts, count, sizeof *parts, &err) != SOTTO_OK) code = cli_error(&err);
  if (code == EXIT_DONE && sotto_split_vertical(parts, data, how, key, &err) != SOTTO_OK)
    code = cli_error(&err);
  for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%.4000s-%zu.sotto", r->out, i + 1);
    if (sotto_dataset_save(&parts[i], path, &err) != SOTTO_OK)
      code = cli_error(&err);
    else
      cli_print_counts(&parts[i], NULL, list);
  }
  for (size_t i = 0; parts != NULL && i < count; i++) sotto_dataset_free(&parts[i]);
  free(parts);
  if (code == EXIT_DONE && list != NULL) return cli_print_json(list);
  json_decref(list);
  return code;
}

int cli_split(int argc, char **argv) {
  request r = {.words = {NULL}};
  const cli_flag flags[] = {{"out", &r.out, NULL},
                            {"seed", &r.seed, NULL},
                            {"holders", &r.holders, NULL},
                            {"partition", &r.partition, NULL},
                            {"label-holder", &r.label_holder, NULL},
                            {"vertical", NULL, &r.vertical},
                            {"features", NULL, &r.features},
                            {"edges", NULL, &r.edges},
                            {"json", NULL, &r.json},
                            {"help", NULL, &r.help}};
  sotto_vertical how;
  uint64_t seed = 1;
  sotto_key key;
  sotto_dataset data = {0};
  sotto_error err = {0};
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--horizontal") == 0)
      return cli_split_horizontal(argc, argv);
    else if (strcmp(argv[i], "--ego") == 0)
      return cli_split_ego(argc, argv);
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 1, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count == 0) return cli_usage("name a dataset; --help shows the forms");
  if (!r.vertical) return cli_usage("split needs --vertical, --horizontal or --ego");
  if (r.out == NULL) return cli_usage("split needs --out, the stem of the files to write");
  if (!cli_named(r.out, "--out", "the stem of several files")) return EXIT_USAGE;
  if (!settle(&how, &r) || !cli_count(&seed, r.seed, "seed")) return EXIT_USAGE;
  if (sotto_dataset_open(&data, r.words[0], NULL, &err) != SOTTO_OK) return cli_error(&err);
  sotto_key_public(&key, seed);
  int code = write_holders(&data, &how, &r, &key);
  sotto_dataset_free(&data);
  return code;
}
