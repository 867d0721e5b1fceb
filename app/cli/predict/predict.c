/* sotto predict: class probabilities of nodes by the model of a finished run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/output.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "cli/table.h"
#include "common/memory.h"
#include "predict.h"

typedef struct request {
  const char *words[2];
  size_t word_count;
  const char *seed, *nodes, *top, *out, *embeddings, *epsilon, *account, *ledger, *ids, *nights, *changes,
      *again, *night;
  cli_table table; /* how DATA is read */
  bool nightly, json, help;
  sotto_ranks *ranks; /* NULL: one process */
  uint64_t seed_number, top_number, night_count, change_number, again_number, night_number;
  double epsilon_number; /* 0: not given */
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto predict RUN [DATA] [--nodes LIST] [--top K] [--out FILE]\n\n"
      "Class probabilities of nodes, or numbers of a regression, by the model of a finished run: of the\n"
      "run's own dataset, or of\n"
      "another one with the same columns, by name and in any order. A run with noise answers from its cached "
      "release; for another\n"
      "dataset it makes a release with --epsilon, which is charged, each time. --again repeats one.\n"
      "A run of gwldp or fedavg on a collection answers about graphs, which are the nodes below: of any\n"
      "collection, at no charge.\n"
      "Without noise probabilities reveal edges: protect them like the graph. With labels, the summary has "
      "accuracy by part of the run's\n"
      "split, and confusion and calibration of the test nodes (of another dataset: of all labelled "
      "nodes).\n\n"
      "  --nodes LIST       these: numbers and ranges a-b with commas between, or @FILE, one a line [all]\n"
      "  --ids FILE         text with the id of each node of the data, one a line: a column of ids [those of "
      "the data]\n"
      "  --top K            the K most likely classes of each node instead of all probabilities\n"
      "  --epsilon E        make a release of DATA, charged to the ledger, in RUN/predictions/N with N the "
      "next\n"
      "                     number; also of data that was released before\n"
      "  --again N          answer from the release in RUN/predictions/N: nothing is charged, and the edges "
      "of\n"
      "                     DATA are not read\n"
      "  --account NAME     account of the ledger that is charged [that of the run]\n"
      "  --ledger FILE      the ledger that is charged [that of the run]\n"
      "  --nightly          DATA is tonight's graph, which grew from the run's own: one charge, of the "
      "first\n"
      "                     night, covers all nights; each command is a night\n"
      "  --night N          with --nightly: repeat night N from its release; the edges of DATA are not read\n"
      "  --nights N         the first night: how many there will be; --epsilon is then that of the training\n"
      "                     and all nights together\n"
      "  --edge-changes M   the first night: 1, an edge stays counted; 2, it may disappear once [1]\n"
      "  --seed N           which of the run's seeds [the first]\n"
      "  --out FILE         CSV: node,class,probability,p0,p1,..., or node,number [RUN/predictions.csv,\n"
      "                     of some nodes RUN/predictions-N.csv, the first N that is free];\n"
      "                     - is standard output, without a summary\n"
      "  --embeddings FILE  CSV of what the model computes from each node's own features: node,e0,e1,...\n"
      "  --json             the summary as one line of JSON\n\n"
      "How DATA is read, where it differs from the training:");
  cli_table_help("nodes");
  (void)puts("\nexample: sotto predict runs/20260301-120000 --nodes 0-99,250 --top 3");
  return EXIT_DONE;
}

/* Checks the parts of a request that depend on the data. */
static sotto_status check_request(predict_nodes *nodes, const request *r, const sotto_options *options,
                                  const sotto_dataset *data, bool graphs, sotto_error *err) {
  const uint64_t top = r->top_number;
  const uint32_t classes = graphs ? data->graph_classes : data->classes;
  if (options->task == SOTTO_TASK_REGRESSION && top > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "--top: the model predicts a number, and no classes");
  if (graphs && data->graph_count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is one graph; this run answers about collections of graphs",
                        data->name);
  sotto_status status =
      predict_read_nodes(nodes, r->nodes, graphs ? data->graph_count : data->graph.nodes, err);
  if (graphs && (r->ids != NULL || r->embeddings != NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "--ids, --embeddings: of nodes; this run answers about graphs");
  if (status == SOTTO_OK && top > classes && r->word_count < 2)
    return sotto_i_fail(err, SOTTO_RANGE, "--top %llu: the model has %u classes", (unsigned long long)top,
                        (unsigned)classes);
  return status;
}

/* Logs that the data's edges are not used, if the run has noise and no release of the data was asked for. A
 * method without the option has no noise at any level. */
static void log_source(const request *r, const sotto_options *o, const sotto_observer *observer) {
  char text[600];
  if (sotto_method_default(text, sizeof text, o->method, "epsilon", NULL) != SOTTO_OK) return;
  if (r->word_count < 2 || r->epsilon != NULL || r->again != NULL || r->nightly) return;
  if ((o->adjacency != SOTTO_ADJACENCY_EDGE && o->adjacency != SOTTO_ADJACENCY_TRANSFER) ||
      isinf(o->epsilon) || observer->log == NULL)
    return;
  observer->log(
      observer->context, SOTTO_LOG_INFO,
      "answers are from the release of the run, whatever edges the data has; --epsilon makes a release "
      "of the data");
}

static bool is_usage(sotto_status status) {
  return status == SOTTO_PARSE || status == SOTTO_RANGE || status == SOTTO_INVALID;
}

static sotto_model_options options_of(const request *r, bool graphs, const sotto_observer *observer) {
  return (sotto_model_options){.seed = r->seed_number,
                               .epsilon = r->epsilon_number,
                               .account = r->account,
                               .ledger = r->ledger,
                               .again = r->again_number,
                               .nightly = r->nightly,
                               .nights = r->night_count,
                               .night = r->night_number,
                               .edge_changes = r->change_number,
                               .graphs = graphs,
                               .observer = observer};
}

/* The nodes as the model numbers them; `rows` NULL: as they were given. */
static sotto_status number_nodes(predict_nodes *out, const predict_nodes *nodes, const uint32_t *rows,
                                 sotto_error *err) {
  const sotto_status status = app_new(&out->nodes, nodes->count, sizeof *out->nodes, err);
  for (size_t i = 0; status == SOTTO_OK && i < nodes->count; i++)
    out->nodes[i] = rows == NULL ? nodes->nodes[i] : rows[nodes->nodes[i]];
  out->count = nodes->count;
  return status;
}

static void advise_release(const request *r, const char *kept) {
  if (r->epsilon != NULL && kept == NULL)
    cli_advise("--epsilon: the model of this run reads no counts or sums of edges, so no release is made and "
               "nothing "
               "is charged");
}

/* At node level the model is private, and an answer also reads what the node has. */
static void advise_exact(const sotto_options *options) {
  if (options->adjacency == SOTTO_ADJACENCY_NODE)
    cli_advise("these answers are exact and not private: they read rows of features without noise. They, and "
               "measures of them, are for the owner of the data alone");
}

/* `own`: the nodes as they were given, where the data is the run's own; else NULL. */
static sotto_status read_truth(predict_truth *out, const sotto_model *model, const predict_nodes *own,
                               const predict_nodes *numbered, sotto_error *err) {
  size_t tested;
  uint8_t *parts = NULL;
  sotto_status status;
  (void)sotto_model_part(model, SOTTO_PART_TEST, &tested);
  if (own != NULL && tested > 0) SOTTO_TRY(predict_parts_of(&parts, model, own, err));
  SOTTO_TRY(predict_truth_new(out, sotto_model_data(model)->labels, parts, numbered, err));
done:
  free(parts);
  return status;
}

static sotto_status query_nodes(sotto_matrix *rows, predict_nodes *numbered, sotto_model *model,
                                const predict_nodes *nodes, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(number_nodes(numbered, nodes, sotto_model_night_rows(model), err));
  SOTTO_TRY(sotto_model_query(rows, model,
                              &(sotto_query){.wanted = numbered->nodes, .wanted_count = nodes->count}, err));
done:
  return status;
}

/* Writes and sums up one number a node. `own`: the nodes as the run's own data has them, or NULL. */
static sotto_status write_numbers(const request *r, const char *out, const predict_table *table,
                                  const sotto_model *model, const predict_nodes *own,
                                  const predict_nodes *numbered, sotto_error *err) {
  uint8_t *parts = NULL;
  size_t tested;
  predict_numbers measures;
  sotto_status status = SOTTO_OK;
  (void)sotto_model_part(model, SOTTO_PART_TEST, &tested);
  if (own != NULL && tested > 0) SOTTO_TRY(predict_parts_of(&parts, model, own, err));
  const predict_numbers_of of = {.nodes = numbered,
                                 .rows = table->rows,
                                 .numbers = sotto_model_data(model)->numbers,
                                 .parts = parts,
                                 .unseen = sotto_model_unseen(model)};
  SOTTO_TRY(predict_numbers_measure(&measures, &of, err));
  SOTTO_TRY(predict_write(out, table, err));
  if (!cli_is_stdout(out) && !cli_is_stdout(r->embeddings))
    SOTTO_TRY(predict_numbers_print(&measures, &of, out, r->json, err));
done:
  free(parts);
  return status;
}

/* Writes and sums up class probabilities. */
static sotto_status write_classes(const request *r, const char *out, predict_table *table,
                                  const sotto_model *model, const predict_nodes *own,
                                  const predict_nodes *numbered, sotto_error *err) {
  predict_truth truth = {0};
  predict_alerts alerts = {.there = false};
  predict_measures measures;
  sotto_status status;
  SOTTO_TRY(read_truth(&truth, model, own, numbered, err));
  SOTTO_TRY(
      predict_alerts_new(&alerts, r->words[0], sotto_model_run(model), r->seed_number, table->rows, err));
  if (alerts.there) table->alerts = &alerts;
  SOTTO_TRY(predict_measure(&measures, table->rows, &truth, table->alerts, err));
  if (table->item != NULL) measures.items = "graphs";
  SOTTO_TRY(predict_write(out, table, err));
  if (!cli_is_stdout(out) && !cli_is_stdout(r->embeddings))
    SOTTO_TRY(
        predict_print(table->rows, &measures, table->classes, sotto_model_unseen(model), out, r->json, err));
done:
  table->alerts = NULL;
  predict_alerts_free(&alerts);
  predict_truth_free(&truth);
  return status;
}

/* Over ranks: refuses what is of one process. */
static sotto_status check_ranks(const request *r, sotto_error *err) {
  if (r->ranks == NULL || (!r->nightly && r->embeddings == NULL)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "--nightly, --embeddings: are of one process; leave them out, or start it without mpirun");
}

static sotto_status open_data(sotto_options *options, sotto_dataset *data, const request *r, bool own,
                              sotto_error *err) {
  const char *given = own ? NULL : r->words[1];
  const cli_table *table = own ? NULL : &r->table;
  if (r->ranks == NULL) return cli_open_run(options, data, r->words[0], given, table, err);
  const sotto_status status = cli_read_run(options, r->words[0], given, table, err);
  return status == SOTTO_OK ? cli_ranks_open(data, r->ranks, options, SOTTO_RANK_PARTS_NONE, err) : status;
}

static bool is_first(const request *r) {
  return r->ranks == NULL || sotto_ranks_number(r->ranks) == 0;
}

static int predict(const request *r, sotto_error *err) {
  static sotto_options options;
  sotto_dataset data = {0};
  sotto_model *model = NULL;
  char *path = NULL;
  sotto_matrix rows = {0};
  predict_nodes nodes = {0}, numbered = {0}; /* as they were given, and as the model numbers them */
  predict_ids ids = {0};
  sotto_status status;
  bool own = r->word_count < 2, wrong = false;
  const sotto_observer observer = cli_observer();
  SOTTO_TRY(check_ranks(r, err));
  SOTTO_TRY(open_data(&options, &data, r, own, err));
  const bool graphs = sotto_model_of_graphs(&options, &data);
  wrong = is_usage(status = check_request(&nodes, r, &options, &data, graphs, err));
  SOTTO_TRY(status);
  const sotto_model_options as = options_of(r, graphs, &observer);
  SOTTO_TRY(sotto_model_open(&model, r->words[0], &data, &as, err));
  if (is_first(r)) SOTTO_TRY(predict_ids_read(&ids, r->ids, graphs ? sotto_model_data(model) : &data, err));
  const sotto_names *classes = sotto_model_class_names(model);
  log_source(r, sotto_model_run(model), &observer);
  const char *kept = sotto_model_release_folder(model);
  advise_release(r, kept);
  SOTTO_TRY(predict_place(&path, kept == NULL ? r->words[0] : kept, &options,
                          nodes.count < sotto_model_data(model)->graph.nodes || (!own && kept == NULL), err));
  const char *out = r->out == NULL ? path : r->out;
  SOTTO_TRY(query_nodes(&rows, &numbered, model, &nodes, err));
  if (!is_first(r)) goto done; /* rank 0 has the answers of all */
  predict_table table = {.nodes = &nodes,
                         .ids = &ids,
                         .classes = classes,
                         .rows = &rows,
                         .numbers = options.task == SOTTO_TASK_REGRESSION,
                         .top = (size_t)r->top_number,
                         .item = graphs ? "graph" : NULL};
  SOTTO_TRY((table.numbers ? write_numbers(r, out, &table, model, own ? &nodes : NULL, &numbered, err)
                           : write_classes(r, out, &table, model, own ? &nodes : NULL, &numbered, err)));
  advise_exact(&options);
  if (r->embeddings != NULL)
    SOTTO_TRY(predict_write_embeddings(r->embeddings, &numbered, sotto_model_embeddings(model), err));
done:
  free(path);
  free(nodes.nodes);
  free(numbered.nodes);
  predict_ids_free(&ids);
  sotto_matrix_free(&rows);
  sotto_model_free(model);
  sotto_dataset_free(&data);
  if (status == SOTTO_OK) return EXIT_DONE;
  const int code = cli_error(err);
  return wrong ? EXIT_USAGE : code;
}

/* The file of a list @FILE; NULL: the list is no file. */
static const char *list_of(const char *nodes) {
  return nodes != NULL && nodes[0] == '@' ? nodes + 1 : NULL;
}

/* Checks the options for repeating an earlier release or night. */
static bool check_repeat(const request *r) {
  if ((r->again != NULL && r->again_number == 0) || (r->night != NULL && r->night_number == 0))
    return cli_usage("--again, --night: numbers begin with 1"), false;
  if (r->again != NULL && (r->nightly || r->epsilon != NULL))
    return cli_usage("--again: repeats a release, which has its epsilon; leave --epsilon and --nightly out"),
           false;
  if (r->again != NULL && r->word_count < 2)
    return cli_usage("--again: name the dataset after the run; its features are read, and its edges are not"),
           false;
  if (r->night != NULL && (r->epsilon != NULL || r->nights != NULL || r->changes != NULL))
    return cli_usage("--night: repeats a night of the plan; leave --epsilon, --nights, --edge-changes out"),
           false;
  return true;
}

/* *ask: there is a prediction to make. */
static int parse(bool *ask, request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"seed", &r->seed, NULL},       {"nodes", &r->nodes, NULL},
                            {"top", &r->top, NULL},         {"embeddings", &r->embeddings, NULL},
                            {"epsilon", &r->epsilon, NULL}, {"account", &r->account, NULL},
                            {"ids", &r->ids, NULL},         {"out", &r->out, NULL},
                            {"nights", &r->nights, NULL},   {"edge-changes", &r->changes, NULL},
                            {"again", &r->again, NULL},     {"night", &r->night, NULL},
                            {"nightly", NULL, &r->nightly}, {"json", NULL, &r->json},
                            {"ledger", &r->ledger, NULL},   {"help", NULL, &r->help}};
  if (!cli_table_parse(&r->table, flags, sizeof flags / sizeof *flags, argc, argv, r->words, 2,
                       &r->word_count))
    return EXIT_USAGE;
  if (r->help) return print_help();
  if (r->word_count < 1) return cli_usage("name a run folder; sotto predict --help shows the form");
  if (!cli_table_check(&r->table)) return EXIT_USAGE;
  r->seed_number = SOTTO_UNSET;
  if (!cli_count(&r->seed_number, r->seed, "seed") || !cli_count(&r->top_number, r->top, "top") ||
      !cli_real(&r->epsilon_number, r->epsilon, "epsilon") ||
      !cli_count(&r->night_count, r->nights, "nights") ||
      !cli_count(&r->change_number, r->changes, "edge-changes") ||
      !cli_count(&r->again_number, r->again, "again") || !cli_count(&r->night_number, r->night, "night"))
    return EXIT_USAGE;
  if (!cli_one_stdout(r->out, "--out", r->json) || !cli_one_stdout(r->embeddings, "--embeddings", r->json))
    return EXIT_USAGE;
  if (cli_is_stdout(r->out) && cli_is_stdout(r->embeddings))
    return cli_usage("--out - and --embeddings -: both write to standard output; name one");
  const char *const inputs[] = {r->word_count > 1 ? r->words[1] : NULL, r->ids, list_of(r->nodes)};
  cli_output as = {"--out", inputs, sizeof inputs / sizeof *inputs, "predictions*.csv", CLI_TABLE};
  if (!cli_may_write(r->out, &as)) return EXIT_USAGE;
  as.flag = "--embeddings", as.own = "embeddings*.csv";
  if (!cli_may_write(r->embeddings, &as)) return EXIT_USAGE;
  if (r->nightly && r->word_count < 2) return cli_usage("--nightly: name tonight's dataset after the run");
  if (!r->nightly && (r->nights != NULL || r->changes != NULL || r->night != NULL))
    return cli_usage("--nights, --night, --edge-changes: go with --nightly");
  if (!check_repeat(r)) return EXIT_USAGE;
  if (r->top != NULL && r->top_number == 0) return cli_usage("--top 0: it is at least 1");
  if (r->epsilon != NULL && r->word_count < 2)
    return cli_usage("--epsilon: name the other dataset; the run's own is answered from its release");
  if (r->epsilon != NULL && !(r->epsilon_number > 0)) return cli_usage("--epsilon: it is above 0");
  if (r->account != NULL && r->epsilon == NULL) return cli_usage("--account: goes with --epsilon");
  if (r->ledger != NULL && r->epsilon == NULL && !r->nightly)
    return cli_usage("--ledger: goes with --epsilon or --nightly; nothing else is charged");
  *ask = true;
  return EXIT_DONE;
}

int cli_predict(int argc, char **argv) {
  static request r;
  sotto_error err = {0};
  bool ask = false;
  if (cli_ranks_begin(&r.ranks, &err) != SOTTO_OK) return cli_ranks_end(r.ranks, cli_error(&err), &err);
  int code = parse(&ask, &r, argc, argv);
  if (ask) code = predict(&r, &err);
  return cli_ranks_end(r.ranks, code, &err);
}
