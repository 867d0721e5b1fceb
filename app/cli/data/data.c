/* sotto data: info, import, schema, export, part, histogram. generate and split have files of their own. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "cli/table.h"
#include "common/file.h"
#include "common/print.h"
#include "data.h"
#include "sotto/guarantee.h"
#include "sotto/methods.h"
#include "sotto/model.h"
#include "sotto/schema.h"
#include "sotto/split.h"

enum { most_words = 2 };

typedef struct request {
  const char *words[most_words];
  size_t word_count;
  const char *split, *epsilon, *bins, *ledger, *insecure_seed, *seed;
  cli_table table;
  sotto_options said; /* what the flags of tables say */
  sotto_schema *stated;
  sotto_window window;
  bool yaml;
  const char *data_out, *label_out, *label_features, *label_edges; /* part */
  bool json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto data info PATH [--json]                      counts of a dataset\n"
      "       sotto data import PATH OUT.sotto                   any known format to the native one\n"
      "       sotto data schema PATH [--yaml] [--json]           columns, types, words and classes; of a run "
      "folder "
      "too\n"
      "       sotto data export PATH OUT.npz [--seed 1]          arrays for other programs, with a split\n"
      "       sotto data part PATH --data-out A.sotto --label-out B.sotto [--label-features S] "
      "[--label-edges S]\n"
      "                                                          what the two parties of a run would hold\n"
      "       sotto data window PATH OUT.sotto --before DAY      transfers until then alone; also --since "
      "DAY,\n"
      "                                                          --known COLUMN: labels known by then\n"
      "       sotto data generate KIND --out OUT.sotto ...       chains, sbm, transactions, mines, payments, "
      "banks, powerlaw\n"
      "       sotto data split PATH --vertical --out STEM ...    one dataset as several holders have it\n"
      "       sotto data split PATH --horizontal --out STEM ...  one dataset as several clients have it\n"
      "       sotto data split PATH --ego HOPS --out OUT.sotto   surroundings of nodes, as a collection\n"
      "       sotto data histogram PATH --epsilon E [--bins 51]  private degree histogram, charged to "
      "the ledger\n\n"
      "PATH: a native file, FOLDER:NAME (Planetoid), a TUDataset or OGB folder, an edge list (.csv, .tsv, "
      ".txt,\n"
      "      .edges, .edgelist), .npz, .npy, .mat, .mtx, .graphml, .gml, .json (networkx); also .gz and .zst "
      "of "
      "these");
  cli_table_help(NULL);
  (void)puts(
      "  --split FILE          train, validation, test or none of each node: one a line, or columns id and "
      "split\n"
      "  --ledger FILE         ledger to charge (default: the user's)\n\n"
      "example: sotto data info planetoid:cora");
  return EXIT_DONE;
}

/* `most`: a dataset, and for import the file to write. */
static bool parse(request *r, int argc, char **argv, size_t most) {
  const cli_flag flags[] = {{"split", &r->split, NULL},
                            {"yaml", NULL, &r->yaml},
                            {"epsilon", &r->epsilon, NULL},
                            {"bins", &r->bins, NULL},
                            {"ledger", &r->ledger, NULL},
                            {"insecure-seed", &r->insecure_seed, NULL},
                            {"seed", &r->seed, NULL},
                            {"data-out", &r->data_out, NULL},
                            {"label-out", &r->label_out, NULL},
                            {"label-features", &r->label_features, NULL},
                            {"label-edges", &r->label_edges, NULL},
                            {"since", &r->window.since, NULL},
                            {"before", &r->window.before, NULL},
                            {"known", &r->window.known, NULL},
                            {"json", NULL, &r->json},
                            {"help", NULL, &r->help}};
  sotto_options_default(&r->said);
  return cli_table_parse(&r->table, flags, sizeof flags / sizeof *flags, argc, argv, r->words, most,
                         &r->word_count) &&
         cli_table_check(&r->table);
}

/* Of a verb that also takes files with a table of nodes, or with a split. */
static bool may_write(const request *r, const char *path, const char *flag, cli_kind kind) {
  const char *const inputs[] = {r->words[0], r->said.nodes, r->split, r->said.schema};
  return cli_may_write(
      path, &(cli_output){
                .flag = flag, .inputs = inputs, .input_count = sizeof inputs / sizeof *inputs, .kind = kind});
}

bool cli_data_stopped(int *code) {
  if (*code != EXIT_DONE || !sotto_interrupted()) return false;
  *code = cli_error(
      &(sotto_error){.status = SOTTO_INTERRUPTED, .text = "stopped on request; nothing was written"});
  return true;
}

/* The options of reading in a request. EXIT_DONE, or the exit status after a message. */
static int import_options(sotto_import_options *out, const request *r) {
  sotto_error err = {0};
  if (r->word_count < 1) return cli_usage("name a dataset; --help shows the forms");
  if (sotto_table_options(out, &r->said, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  out->split = r->split;
  out->schema = r->stated;
  return EXIT_DONE;
}

/* EXIT_DONE, or the exit status after a message. */
static int open_data(sotto_dataset *data, const request *r) {
  sotto_error err = {0};
  const sotto_observer observer = cli_observer();
  sotto_import_options options;
  int code = import_options(&options, r);
  if (code != EXIT_DONE) return code;
  options.observer = &observer;
  const sotto_status status = sotto_dataset_open(data, r->words[0], &options, &err);
  cli_observer_end();
  if (status != SOTTO_OK) code = cli_error(&err);
  if (cli_data_stopped(&code)) sotto_dataset_free(data);
  return code;
}

static int info(const request *r) {
  sotto_dataset data = {0};
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  code = cli_print_info(&data, NULL, r->json);
  sotto_dataset_free(&data);
  return code;
}

static int schema(const request *r) {
  const data_schema_form form = {.yaml = r->yaml, .json = r->json};
  sotto_dataset data = {0};
  char *run = NULL;
  sotto_error err = {0};
  if (r->word_count < 1) return cli_usage("name a dataset or a run folder; --help shows the forms");
  if (r->yaml && r->json) return cli_usage("--yaml, --json: two forms of the same; name one");
  if (app_join(&run, r->words[0], "run.yaml", &err) != SOTTO_OK) return cli_error(&err);
  const bool is_run = sotto_i_is_file(run);
  free(run);
  if (is_run) return data_print_schema(NULL, r->words[0], &form);
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  code = data_print_schema(&data, NULL, &form);
  sotto_dataset_free(&data);
  return code;
}

static int import_alone(const request *r, sotto_error *err) {
  sotto_dataset data = {0};
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  if (sotto_dataset_save(&data, r->words[1], err) != SOTTO_OK)
    code = cli_error(err);
  else
    code = cli_print_info(&data, NULL, r->json);
  sotto_dataset_free(&data);
  return code;
}

static int import_over(sotto_ranks *ranks, const request *r, sotto_error *err) {
  sotto_dataset data = {0};
  sotto_figures figures;
  sotto_import_options options;
  int code = import_options(&options, r);
  if (code != EXIT_DONE) return code;
  if (sotto_dataset_import_ranks(&data, &figures, ranks, r->words[0], &options, r->words[1], err) != SOTTO_OK)
    return cli_error(err);
  code = cli_print_info(&data, &figures, r->json);
  sotto_dataset_free(&data);
  return code;
}

static int import_checked(sotto_ranks *ranks, const request *r, sotto_error *err) {
  if (r->word_count < 2)
    return cli_usage("import needs a dataset and the file to write: sotto data import PATH OUT.sotto");
  if (!cli_named(r->words[1], "import", data_file) || !may_write(r, r->words[1], "import", CLI_DATASET))
    return EXIT_USAGE;
  const bool over = ranks != NULL && sotto_ranks_count(ranks) > 1;
  return over ? import_over(ranks, r, err) : import_alone(r, err);
}

static int import(const request *r) {
  sotto_ranks *ranks = NULL;
  sotto_error err = {0};
  if (cli_ranks_begin(&ranks, &err) != SOTTO_OK) return cli_error(&err);
  return cli_ranks_end(ranks, import_checked(ranks, r, &err), &err);
}

/* With the split that `sotto train` makes at random with that seed. */
static int export(const request *r) {
  sotto_dataset data = {0};
  sotto_options usual;
  sotto_split split = {0};
  sotto_key key;
  sotto_error err = {0};
  sotto_status status = SOTTO_OK;
  uint64_t seed = 1;
  if (r->word_count < 2)
    return cli_usage("export needs a dataset and the file to write: sotto data export PATH OUT.npz");
  if (!cli_named(r->words[1], "export", "an archive, which is written at once") ||
      !may_write(r, r->words[1], "export", CLI_ARCHIVE))
    return EXIT_USAGE;
  const char *ending = strrchr(r->words[1], '.');
  if (ending == NULL || strcmp(ending, ".npz") != 0)
    return cli_usage("export writes arrays of numpy; give the file a name that ends with .npz");
  if (!cli_count(&seed, r->seed, "seed")) return EXIT_USAGE;
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  sotto_options_default(&usual);
  sotto_key_public(&key, seed);
  const bool labelled =
      data.graph_count > 0 ? data.graph_labels != NULL : data.labels != NULL || data.numbers != NULL;
  if (labelled)
    status = sotto_split_random(&split, &data, usual.train_share, usual.validation_share, &key, &err);
  if (status == SOTTO_OK) status = sotto_dataset_export(&data, labelled ? &split : NULL, r->words[1], &err);
  code = status == SOTTO_OK ? cli_print_info(&data, NULL, r->json) : cli_error(&err);
  sotto_split_free(&split);
  sotto_dataset_free(&data);
  return code;
}

static int part(const request *r) {
  sotto_dataset data = {0};
  sotto_error err = {0};
  double features = 0, edges = 0;
  if (r->data_out == NULL || r->label_out == NULL)
    return cli_usage("part writes two files: --data-out A.sotto --label-out B.sotto");
  if (!cli_named(r->data_out, "--data-out", data_file) ||
      !cli_named(r->label_out, "--label-out", data_file) ||
      !may_write(r, r->data_out, "--data-out", CLI_DATASET) ||
      !may_write(r, r->label_out, "--label-out", CLI_DATASET))
    return EXIT_USAGE;
  if (!cli_real(&features, r->label_features, "label-features") ||
      !cli_real(&edges, r->label_edges, "label-edges"))
    return EXIT_USAGE;
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  if (sotto_dataset_save_parts(r->data_out, r->label_out, &data, features, edges, &err) != SOTTO_OK)
    code = cli_error(&err);
  else if (r->json)
    code = cli_print_json(json_pack("{s:s,s:s}", "data", r->data_out, "label", r->label_out));
  sotto_dataset_free(&data);
  return code;
}

static int window(const request *r) {
  sotto_dataset data = {0}, taken = {0};
  sotto_error err = {0};
  if (r->word_count < 2) return cli_usage("window takes a dataset and the file to write");
  if (!cli_named(r->words[1], "window", data_file) || !may_write(r, r->words[1], "window", CLI_DATASET))
    return EXIT_USAGE;
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  sotto_status status = sotto_dataset_window(&taken, &data, &r->window, &err);
  if (status == SOTTO_OK) status = sotto_dataset_save(&taken, r->words[1], &err);
  code = status == SOTTO_OK ? cli_print_info(&taken, NULL, r->json) : cli_error(&err);
  sotto_dataset_free(&taken);
  sotto_dataset_free(&data);
  return code;
}

/* The account that paid, and what is spent of it. */
typedef struct paid {
  double epsilon;
  sotto_ledger_account account;
  sotto_spent spent;
} payment;

static void print_histogram(const int64_t *counts, size_t bins, const payment *paid, bool json) {
  int64_t most = 1;
  for (size_t k = 0; k < bins; k++)
    if (counts[k] > most) most = counts[k];
  if (json) {
    json_t *list = json_array();
    for (size_t k = 0; k < bins; k++) json_array_append_new(list, json_integer((json_int_t)counts[k]));
    const double budget = paid->spent.budget.epsilon;
    json_t *root =
        json_pack("{s:f,s:s,s:s,s:f,s:f,s:o,s:o}", "epsilon", paid->epsilon, "adjacency", "edge", "account",
                  paid->account.name, "epsilon_spent", paid->spent.epsilon, "delta", paid->spent.delta,
                  "budget", budget > 0 ? json_real(budget) : json_null(), "counts", list);
    char *text = json_dumps(root, JSON_COMPACT);
    (void)puts(text == NULL ? "{}" : text);
    free(text);
    json_decref(root);
    return;
  }
  (void)puts("  degree     nodes");
  for (size_t k = 0; k < bins; k++) {
    int length = counts[k] > 0 ? (int)(50 * counts[k] / most) : 0;
    app_print(stdout, "  %5zu%s %9lld ", k, k + 1 == bins ? "+" : " ", (long long)counts[k]);
    for (int i = 0; i < length; i++) (void)putchar('#');
    (void)putchar('\n');
  }
  char budget[40] = "no budget", delta[SOTTO_DELTA_WORDS];
  if (paid->spent.budget.epsilon > 0)
    (void)snprintf(budget, sizeof budget, "budget %g", paid->spent.budget.epsilon);
  sotto_delta_words(delta, paid->spent.delta);
  app_print(stdout,
            "  charged  epsilon %g at edge level to account '%s': epsilon %.6g at delta %s is spent (%s)\n",
            paid->epsilon, paid->account.name, paid->spent.epsilon, delta, budget);
}

static int charged_histogram(const request *r, const sotto_dataset *data, double epsilon, size_t bins,
                             uint64_t insecure_seed) {
  static int64_t counts[4096];
  sotto_error err = {0};
  sotto_ledger *ledger = NULL;
  sotto_key key, identity;
  char id[33];
  if (cli_open_ledger(&ledger, r->ledger, &err) != SOTTO_OK) return cli_error(&err);
  sotto_key_system(&identity);
  sotto_i_hex(id, identity.bytes, 16);
  if (r->insecure_seed == NULL)
    sotto_key_system(&key);
  else
    sotto_key_insecure(&key, insecure_seed);
  sotto_status status = sotto_degree_histogram(counts, bins, data, epsilon, &key, id, ledger, &err);
  sotto_key_wipe(&key);
  payment paid = {.epsilon = epsilon};
  if (status == SOTTO_OK)
    status = sotto_ledger_account_of(ledger, &paid.account, data->account, data->name, &err);
  if (status == SOTTO_OK) status = sotto_ledger_spent(ledger, &paid.spent, paid.account.key, "edge", &err);
  if (status == SOTTO_OK) print_histogram(counts, bins, &paid, r->json);
  sotto_ledger_close(ledger);
  if (status != SOTTO_OK) return cli_error(&err);
  if (r->insecure_seed != NULL) (void)fputs("NOT PRIVATE: noise from a fixed seed\n", stderr);
  return EXIT_DONE;
}

static int histogram(const request *r) {
  sotto_dataset data = {0};
  double epsilon = 0;
  uint64_t bins = 51, insecure_seed = 0;
  if (r->epsilon == NULL) return cli_usage("histogram needs --epsilon: what this release may cost");
  if (!cli_real(&epsilon, r->epsilon, "epsilon") || !cli_count(&bins, r->bins, "bins") ||
      !cli_count(&insecure_seed, r->insecure_seed, "insecure-seed"))
    return EXIT_USAGE;
  if (bins < 2 || bins > 4096) return cli_usage("bins: %llu is outside 2 to 4096", (unsigned long long)bins);
  if (!(epsilon >= 1e-5 && epsilon <= 1000)) return cli_usage("epsilon: %g is outside 1e-5 to 1000", epsilon);
  int code = open_data(&data, r);
  if (code != EXIT_DONE) return code;
  code = charged_histogram(r, &data, epsilon, (size_t)bins, insecure_seed);
  sotto_dataset_free(&data);
  return code;
}

static int run_verb(const char *verb, const request *r) {
  static const char *const names[] = {"info", "import", "schema",    "export", "generate",
                                      "part", "split",  "histogram", "window"};
  if (strcmp(verb, "info") == 0) return info(r);
  if (strcmp(verb, "import") == 0) return import(r);
  if (strcmp(verb, "schema") == 0) return schema(r);
  if (strcmp(verb, "export") == 0) return export(r);
  if (strcmp(verb, "part") == 0) return part(r);
  if (strcmp(verb, "histogram") == 0) return histogram(r);
  if (strcmp(verb, "window") == 0) return window(r);
  const char *nearest = sotto_i_nearest(verb, names, sizeof names / sizeof *names);
  return cli_usage("unknown: data %s%s%s%s", verb, nearest == NULL ? "" : "; did you mean '",
                   nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
}

int cli_data(int argc, char **argv) {
  static request r;
  sotto_error err = {0};
  if (argc < 1 || strcmp(argv[0], "--help") == 0) {
    (void)print_help();
    return argc < 1 ? EXIT_USAGE : EXIT_DONE;
  }
  if (strcmp(argv[0], "generate") == 0) return cli_generate(argc - 1, argv + 1);
  if (strcmp(argv[0], "split") == 0) return cli_split(argc - 1, argv + 1);
  const bool two =
      strcmp(argv[0], "import") == 0 || strcmp(argv[0], "export") == 0 || strcmp(argv[0], "window") == 0;
  if (!parse(&r, argc - 1, argv + 1, two ? most_words : 1)) return EXIT_USAGE;
  if (r.help) return print_help();
  if ((r.window.since != NULL || r.window.before != NULL || r.window.known != NULL) &&
      strcmp(argv[0], "window") != 0)
    return cli_usage("--since, --before, --known: go with `sotto data window`");
  if (r.yaml && strcmp(argv[0], "schema") != 0) return cli_usage("--yaml: goes with `sotto data schema`");
  if (cli_table_set(&r.said, &r.table, &err) != SOTTO_OK) return cli_usage("%s", err.text);
  if (r.said.schema[0] != '\0' && sotto_schema_read(&r.stated, r.said.schema, &err) != SOTTO_OK)
    return cli_error(&err);
  const int code = run_verb(argv[0], &r);
  sotto_schema_free(r.stated);
  return code;
}
