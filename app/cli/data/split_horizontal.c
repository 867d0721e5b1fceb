/* sotto data split --horizontal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "data.h"
#include "sotto/methods.h"
#include "sotto/split.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *out, *seed, *clients, *partition, *train_share, *validation_share;
  bool horizontal, parts, json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto data split PATH --horizontal --out STEM [--clients 10] ...\n\n"
      "Writes STEM-1.sotto, STEM-2.sotto, ...: nodes with the edges among them, or whole graphs of a "
      "collection.\n"
      "  --clients N            how many [10]\n"
      "  --partition FORM       how nodes or graphs come to clients [alike]:\n"
      "                         alike         at random\n"
      "                         communities   whole communities (Louvain), in parts of similar size: few "
      "edges are\n"
      "                                       lost\n"
      "                         cut           parts of one size with few edges between them\n"
      "                         dirichlet:A   labels unevenly, with concentration A (0.1: very)\n"
      "                         file:PATH     the client's number, from 1, a line for each node or graph; "
      "without\n"
      "                                       --clients\n"
      "                         linked:FORM   as FORM; each file also has its nodes' edges to nodes of other "
      "clients,\n"
      "                                       with the ids of both ends, for federations that count them\n"
      "  --parts                also split all nodes or graphs into training, validation and test parts, "
      "as\n"
      "                         `sotto train` does at random with that seed; clients read them by "
      "--split planetoid\n"
      "  --train-share S        with --parts: of labelled nodes or graphs, as of `sotto train` [0.7]\n"
      "  --validation-share S   the same for validation [0.1]; the rest is for tests\n"
      "  --seed N               the same seed gives the same split [1]\n\n"
      "example: sotto data split planetoid:cora --horizontal --clients 10 --partition dirichlet:0.5 --out "
      "cora");
  return EXIT_DONE;
}

/* Of the options that `sotto train` has for them, with their defaults and bounds. */
typedef struct shares {
  double train, validation;
} shares;

static bool read_shares(shares *out, const request *r) {
  sotto_options options;
  sotto_error err = {0};
  sotto_options_default(&options);
  if (!r->parts && (r->train_share != NULL || r->validation_share != NULL))
    return cli_usage("train-share, validation-share: shares of parts; give --parts too"), false;
  if ((r->train_share != NULL &&
       sotto_options_set(&options, "train-share", r->train_share, &err) != SOTTO_OK) ||
      (r->validation_share != NULL &&
       sotto_options_set(&options, "validation-share", r->validation_share, &err) != SOTTO_OK))
    return cli_usage("%s", err.text), false;
  *out = (shares){options.train_share, options.validation_share};
  if (out->train + out->validation < 1) return true;
  return cli_usage("train-share and validation-share leave nothing to test on"), false;
}

/* A split of all items, in the place of the data's own; nodes of a graph are where the graph is. */
static sotto_status deal_parts(uint8_t **out, const sotto_dataset *data, const shares *of,
                               const sotto_key *key, sotto_error *err) {
  sotto_split split = {0};
  sotto_status status;
  SOTTO_TRY(sotto_split_random(&split, data, of->train, of->validation, key, err));
  SOTTO_TRY(app_new(out, data->graph.nodes, sizeof **out, err));
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < split.count[part]; i++) {
      uint64_t item = split.rows[part][i];
      uint64_t begin = data->graph_count > 0 ? data->graph_first[item] : item;
      uint64_t end = data->graph_count > 0 ? data->graph_first[item + 1] : item + 1;
      memset(*out + begin, part, end - begin);
    }
done:
  sotto_split_free(&split);
  return status;
}

static sotto_status write_clients(const sotto_dataset *data, const uint32_t *owner, uint32_t clients,
                                  bool linked, const request *r, sotto_error *err) {
  sotto_dataset *parts = NULL;
  json_t *list = r->json ? json_array() : NULL;
  sotto_status status;
  SOTTO_TRY(app_new(&parts, clients, sizeof *parts, err));
  SOTTO_TRY((linked ? sotto_split_linked : sotto_split_horizontal)(parts, data, owner, clients, err));
  for (uint32_t i = 0; i < clients; i++) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%.4000s-%u.sotto", r->out, (unsigned)i + 1);
    SOTTO_TRY(sotto_dataset_save(&parts[i], path, err));
    cli_print_counts(&parts[i], NULL, list);
  }
done:
  for (uint32_t i = 0; parts != NULL && i < clients; i++) sotto_dataset_free(&parts[i]);
  free(parts);
  if (status == SOTTO_OK && list != NULL) (void)cli_print_json(json_incref(list));
  json_decref(list);
  return status;
}

static int split(const request *r, uint32_t clients, const sotto_partition *partition, const shares *of,
                 const sotto_key *key) {
  sotto_dataset data = {0};
  sotto_error err = {0};
  uint32_t *owner = NULL;
  uint8_t *parts = NULL;
  bool refused = false;
  sotto_status status;
  SOTTO_TRY(sotto_dataset_open(&data, r->words[0], NULL, &err));
  if (r->parts) SOTTO_TRY(deal_parts(&parts, &data, of, key, &err));
  if (parts != NULL) data.split = parts;
  SOTTO_TRY(app_new(&owner, sotto_deal_items(&data), sizeof *owner, &err));
  SOTTO_TRY(sotto_deal(owner, &clients, &data, partition, key, &err));
  refused = !cli_data_may_write_parts(r->out, clients, r->words[0]);
  if (!refused) SOTTO_TRY(write_clients(&data, owner, clients, partition->linked, r, &err));
done:
  free(owner);
  free(parts);
  sotto_dataset_free(&data);
  if (refused) return EXIT_USAGE;
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

int cli_split_horizontal(int argc, char **argv) {
  request r = {.words = {NULL}};
  const cli_flag flags[] = {{"out", &r.out, NULL},
                            {"seed", &r.seed, NULL},
                            {"clients", &r.clients, NULL},
                            {"partition", &r.partition, NULL},
                            {"horizontal", NULL, &r.horizontal},
                            {"parts", NULL, &r.parts},
                            {"train-share", &r.train_share, NULL},
                            {"validation-share", &r.validation_share, NULL},
                            {"json", NULL, &r.json},
                            {"help", NULL, &r.help}};
  uint64_t seed = 1, clients = 10;
  sotto_partition partition;
  shares of;
  sotto_error err = {0};
  sotto_key key;
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 1, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count == 0) return cli_usage("name a dataset; --help shows the forms");
  if (r.out == NULL) return cli_usage("split needs --out, the stem of the files to write");
  if (!cli_named(r.out, "--out", "the stem of several files")) return EXIT_USAGE;
  if (sotto_partition_read(&partition, r.partition == NULL ? "alike" : r.partition, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  if (partition.kind == SOTTO_PARTITION_FILE && r.clients != NULL)
    return cli_usage("partition: the file says who has what; leave --clients out");
  if (!cli_count(&seed, r.seed, "seed") || !cli_count(&clients, r.clients, "clients")) return EXIT_USAGE;
  if (clients > UINT32_MAX) return cli_usage("clients: %llu are too many", (unsigned long long)clients);
  if (!read_shares(&of, &r)) return EXIT_USAGE;
  sotto_key_public(&key, seed);
  return split(&r, (uint32_t)clients, &partition, &of, &key);
}
