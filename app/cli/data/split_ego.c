/* sotto data split --ego. */
#include <stdio.h>

#include "data.h"
#include "sotto/split.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *ego, *out, *seed, *count;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto data split PATH --ego HOPS --out OUT.sotto [--count N] ...\n\n"
      "Writes a collection: around each of N nodes the graph of those within HOPS, and of all edges among\n"
      "them. Its label is that of the node; graphs may have nodes in common.\n"
      "  --count N              of the labelled nodes, drawn by the seed [all]\n"
      "  --seed N               the same seed draws the same [1]\n\n"
      "example: sotto data split planetoid:citeseer --ego 1 --count 500 --out citeseer-1.sotto");
  return EXIT_DONE;
}

int cli_split_ego(int argc, char **argv) {
  request r = {.words = {NULL}};
  const cli_flag flags[] = {{"ego", &r.ego, NULL},     {"out", &r.out, NULL},   {"seed", &r.seed, NULL},
                            {"count", &r.count, NULL}, {"json", NULL, &r.json}, {"help", NULL, &r.help}};
  uint64_t seed = 1, hops = 1, count = 0;
  sotto_key key;
  sotto_dataset data = {0}, out = {0};
  sotto_error err = {0};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 1, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count == 0) return cli_usage("name a dataset; --help shows the forms");
  if (r.out == NULL) return cli_usage("split --ego needs --out, the file to write");
  if (!cli_named(r.out, "--out", data_file) || !cli_data_may_write(r.out, "--out", r.words[0]))
    return EXIT_USAGE;
  if (!cli_count(&seed, r.seed, "seed") || !cli_count(&hops, r.ego, "ego") ||
      !cli_count(&count, r.count, "count"))
    return EXIT_USAGE;
  if (hops > 100) return cli_usage("ego: at most 100 hops");
  if (r.count != NULL && count == 0) return cli_usage("count: at least 1");
  sotto_key_public(&key, seed);
  sotto_status status = sotto_dataset_open(&data, r.words[0], NULL, &err);
  if (status == SOTTO_OK) status = sotto_split_ego(&out, &data, (uint32_t)hops, (size_t)count, &key, &err);
  if (status == SOTTO_OK) status = sotto_dataset_save(&out, r.out, &err);
  if (status == SOTTO_OK) cli_print_one(&out, NULL, r.json);
  sotto_dataset_free(&out);
  sotto_dataset_free(&data);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}
