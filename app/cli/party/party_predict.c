/* sotto run predict: one party of joint predictions with the model of a finished run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/predict/predict.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/print.h"
#include "party.h"

static int print_help(void) {
  (void)puts(
      "usage: sotto run predict RUN --role ROLE [--listen HOST:PORT] --peer NAME[=HOST:PORT] ...\n"
      "                           [--nodes LIST] [--learns label|data|both] ...\n"
      "       sotto run predict RUN --role client2 --peer HUB=HOST:PORT --data GRAPHS --epsilon E\n"
      "       sotto run predict RUN --role server --listen HOST:PORT --peer NAME --epsilon E\n\n"
      "Class probabilities of nodes, or numbers of a regression, by a finished run of two parties, or of\n"
      "holders and a server. All give the command, each with the folder of its own side: its part of the\n"
      "model, and in RUN/run.yaml the paths of its data and ledger.\n"
      "Keys, addresses and limits are those of `sotto run`. Of the run's own nodes releases are sent\n"
      "again, and nothing is charged; other data needs --epsilon, or --again at the data party or a holder.\n"
      "Before it connects, each side says what it will send.\n"
      "After a run of gwldp one owner asks the server about graphs that did not train: each makes one "
      "report\n"
      "with epsilon, charged to the owner's ledger, and both sides learn the answers.\n\n"
      "  --nodes LIST           of one party: numbers and ranges a-b with commas between, or @FILE, one a "
      "line\n"
      "                         [those that the other side names, else all]\n"
      "  --learns WHO           who gets the answers: label, data or both; the same for all [label]. Of "
      "holders:\n"
      "                         the one with labels, the others, or all\n"
      "  --epsilon E            of other data, of which each side gives its part with --data: the data "
      "party, or "
      "each\n"
      "                         holder, makes a release with this epsilon, charged to its ledger; the same "
      "for "
      "all.\n"
      "                         inf: of a run without noise\n"
      "  --again N              of the data party or a holder, in place of --epsilon: send the release in\n"
      "                         RUN/predictions/N again; nothing is charged, and the edges of its data are "
      "not read\n"
      "  --seed N               which of the run's seeds [the first]\n"
      "  --align                other data: find the common ids first; rows of others are left out\n"
      "  --top K                the K most likely classes of each node instead of all probabilities\n"
      "  --out FILE             CSV, of a side that learns: node,class,probability,... or\n"
      "                         node,number [RUN/predictions.csv; of some nodes, or other data,\n"
      "                         RUN/predictions-N.csv, the first N that is free]\n"
      "  --json                 the summary as one line of JSON\n"
      "  --KEY VALUE            options that are each party's own: data, ledger, threads, ...\n\n"
      "example:\n"
      "  sotto run predict runs/run-data --role data --listen 0.0.0.0:7443 --peer partner\n"
      "  sotto run predict runs/run-label --role label --peer bank=bank.example:7443 --nodes 0-99");
  return EXIT_DONE;
}

/* Options of this verb in addition to the flags of a run. */
typedef struct request {
  party_request party;
  const char *nodes, *learns, *seed, *top, *out, *epsilon, *again;
  uint64_t seed_number, top_number, again_number;
  double epsilon_number; /* 0: not given */
  bool help;
} request;

/* Parses this verb's own flags; the other words go to `rest`, in the form of a run's command line. */
static bool parse_request(request *r, int argc, char **argv, char **rest) {
  const cli_flag own[] = {{"nodes", &r->nodes, NULL}, {"learns", &r->learns, NULL},
                          {"seed", &r->seed, NULL},   {"top", &r->top, NULL},
                          {"out", &r->out, NULL},     {"epsilon", &r->epsilon, NULL},
                          {"again", &r->again, NULL}, {"help", NULL, &r->help}};
  int count = 0;
  for (int i = 0; i < argc; i++) {
    const cli_taken taken = cli_take(own, sizeof own / sizeof *own, argc, argv, &i);
    if (taken == CLI_WRONG) return false;
    if (r->help) return true;
    if (taken == CLI_NOT_TAKEN) rest[count++] = argv[i];
  }
  r->seed_number = SOTTO_UNSET;
  if (!cli_count(&r->seed_number, r->seed, "seed") || !cli_count(&r->top_number, r->top, "top") ||
      !cli_epsilon(&r->epsilon_number, r->epsilon) || !cli_count(&r->again_number, r->again, "again"))
    return false;
  if (r->again != NULL && r->again_number == 0) return cli_usage("--again: numbers begin with 1"), false;
  if (r->again != NULL && r->epsilon != NULL)
    return cli_usage("--again: the release has its epsilon; leave --epsilon out"), false;
  if (r->epsilon != NULL && !(r->epsilon_number > 0)) return cli_usage("--epsilon: it is above 0"), false;
  if (r->top != NULL && r->top_number == 0) return cli_usage("--top 0: it is at least 1"), false;
  r->party.finished = true;
  return party_parse(&r->party, count, rest) && cli_one_stdout(r->out, "--out", r->party.json);
}

bool party_read_learns(sotto_learns *out, const char *word) {
  static const char *const words[] = {
      [SOTTO_LEARNS_LABEL] = "label", [SOTTO_LEARNS_DATA] = "data", [SOTTO_LEARNS_BOTH] = "both"};
  *out = SOTTO_LEARNS_LABEL;
  if (word == NULL) return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0) return *out = (sotto_learns)i, true;
  return cli_usage("--learns '%.40s': it is label, data or both", word), false;
}

/* The summary at a party that does not learn the predictions. */
static void print_without_result(const sotto_answers *answers, const char *learns, bool json) {
  if (json)
    app_print(stdout, "{\"nodes\":%zu,\"learns\":\"%s\"}\n", answers->count, learns);
  else
    app_print(stdout, "  nodes            %zu\n  learnt by        %s alone\n", answers->count, learns);
}

static sotto_status print_classes(const sotto_answers *answers, const predict_nodes *nodes, const char *out,
                                  bool json, sotto_error *err) {
  predict_truth truth = {0};
  predict_measures measures;
  sotto_status status;
  SOTTO_TRY(predict_truth_new(&truth, answers->labels, answers->parts, nodes, err));
  SOTTO_TRY(predict_measure(&measures, &answers->rows, &truth, NULL, err));
  SOTTO_TRY(predict_print(&answers->rows, &measures, &answers->class_names, NULL, out, json, err));
done:
  predict_truth_free(&truth);
  return status;
}

static sotto_status print_numbers(const sotto_answers *answers, const predict_nodes *nodes, const char *out,
                                  bool json, sotto_error *err) {
  predict_numbers measures;
  const predict_numbers_of of = {
      .nodes = nodes, .rows = &answers->rows, .numbers = answers->numbers, .parts = answers->parts};
  const sotto_status status = predict_numbers_measure(&measures, &of, err);
  return status == SOTTO_OK ? predict_numbers_print(&measures, &of, out, json, err) : status;
}

static sotto_status write_answers(const request *r, const sotto_answers *answers, const sotto_dataset *data,
                                  sotto_error *err) {
  char *path = NULL;
  predict_ids ids = {0};
  const predict_nodes nodes = {answers->nodes, answers->count};
  const bool numbers = r->party.options.task == SOTTO_TASK_REGRESSION;
  const char *out = r->out, *listed = r->party.options.ids;
  sotto_status status;
  /* Predictions of other data, or of some nodes, never replace those of all nodes of the run's own data. */
  const bool further = r->epsilon != NULL || r->again != NULL || answers->count < data->graph.nodes;
  SOTTO_TRY(predict_place(&path, r->party.file, &r->party.options, further, err));
  if (out == NULL) out = path;
  const size_t top = r->top_number < answers->rows.cols ? (size_t)r->top_number : answers->rows.cols;
  SOTTO_TRY(predict_ids_read(&ids, listed[0] == '\0' || data->node_ids.count > 0 ? NULL : listed, data, err));
  const predict_table table = {.nodes = &nodes,
                               .ids = &ids,
                               .classes = &answers->class_names,
                               .rows = &answers->rows,
                               .numbers = numbers,
                               .top = r->top == NULL ? 0 : top};
  SOTTO_TRY(predict_write(out, &table, err));
  if (!cli_is_stdout(out))
    SOTTO_TRY((numbers ? print_numbers : print_classes)(answers, &nodes, out, r->party.json, err));
done:
  free(path);
  predict_ids_free(&ids);
  return status;
}

/* What a client asked the server, at both. The server prints how many; the client's answers are a file. */
static sotto_status end_question(const request *r, const sotto_answers *answers, sotto_error *err) {
  const predict_nodes graphs = {answers->nodes, answers->count};
  const bool server = r->party.party.role == SOTTO_ROLE_SERVER;
  const sotto_names unnamed = {.count = 0};
  const predict_ids none = {.listed = &unnamed};
  const size_t top = r->top_number < answers->rows.cols ? (size_t)r->top_number : answers->rows.cols;
  const predict_table table = {.nodes = &graphs,
                               .ids = &none,
                               .classes = &answers->class_names,
                               .rows = &answers->rows,
                               .top = r->top == NULL ? 0 : top,
                               .item = "graph"};
  char *path = NULL;
  sotto_status status = SOTTO_OK;
  if (!server) SOTTO_TRY(predict_place(&path, r->party.file, &r->party.options, true, err));
  const char *out = server ? NULL : r->out == NULL ? path : r->out;
  if (!server) SOTTO_TRY(predict_write(out, &table, err));
  if (r->party.json)
    (void)cli_print_json(json_pack("{s:I,s:I,s:s*}", "graphs", (json_int_t)answers->count, "classes",
                                   (json_int_t)answers->rows.cols, "file", out));
  else if (!cli_is_stdout(out))
    app_print(stdout, "  graphs           %zu, of %zu classes\n", answers->count, answers->rows.cols);
  if (!server && !r->party.json && !cli_is_stdout(out)) app_print(stdout, "  written to       %s\n", out);
done:
  free(path);
  return status;
}

static int predict(const request *r, sotto_learns learns, const sotto_dataset *data,
                   const uint8_t digest[32]) {
  sotto_error err = {0};
  sotto_answers answers = {0};
  predict_nodes asked = {0};
  sotto_status status = SOTTO_OK;
  sotto_asking asking = {
      .seed = r->seed_number, .learns = learns, .epsilon = r->epsilon_number, .again = r->again_number};
  if (r->top != NULL && r->party.options.task == SOTTO_TASK_REGRESSION)
    return cli_usage("--top: the model predicts a number, and no classes");
  if (r->nodes != NULL && r->party.party.role == SOTTO_ROLE_SERVER)
    return cli_usage("--nodes: the server has none; let a holder name them");
  if (r->nodes != NULL) {
    if (predict_read_nodes(&asked, r->nodes, data->graph.nodes, &err) != SOTTO_OK) {
      const int code = cli_error(&err);
      return err.status == SOTTO_IO ? code : EXIT_USAGE;
    }
    asking.nodes = asked.nodes;
    asking.count = asked.count;
  }
  const sotto_observer observer = cli_observer();
  status = sotto_predict_party(&answers, &r->party.options, data, digest, &r->party.party, &asking, &observer,
                               &err);
  cli_observer_end();
  if (status == SOTTO_OK && r->party.party.question)
    status = end_question(r, &answers, &err);
  else if (status == SOTTO_OK && !answers.learnt)
    print_without_result(&answers, r->learns == NULL ? "label" : r->learns, r->party.json);
  else if (status == SOTTO_OK)
    status = write_answers(r, &answers, data, &err);
  sotto_answers_free(&answers);
  free(asked.nodes);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

/* Other data has a node table of its own, next to it; the training data has the run's node table. */
static sotto_status choose_table(bool *own, party_request *r, sotto_error *err) {
  static sotto_options trained;
  char *yaml = NULL, *was = NULL, *is = NULL;
  sotto_status status;
  SOTTO_TRY(app_join(&yaml, r->options.out, "run.yaml", err));
  SOTTO_TRY(sotto_options_read(&trained, yaml, err));
  was = realpath(trained.data, NULL);
  is = realpath(r->options.data, NULL);
  *own = strcmp(r->options.data, trained.data) == 0 || (was != NULL && is != NULL && strcmp(was, is) == 0);
  if (!*own) r->options.nodes[0] = '\0';
  if (!*own && strcmp(r->options.ids, trained.ids) == 0) r->options.ids[0] = '\0'; /* of the training */
done:
  free(yaml);
  free(was);
  free(is);
  return status;
}

sotto_status party_open_finished(party_request *r, sotto_dataset *data, uint8_t nodes[32], sotto_error *err) {
  const sotto_observer observer = cli_observer();
  const char *run = NULL;
  bool own;
  sotto_status status;
  SOTTO_TRY(sotto_party_role_check(&r->party, &r->options, err));
  SOTTO_TRY(sotto_threads_set((unsigned)r->options.threads, err));
  SOTTO_TRY(choose_table(&own, r, err));
  if (!own) run = r->options.out;
  SOTTO_TRY(sotto_party_dataset_open(data, nodes, &r->options, &r->party, run, &observer, err));
  sotto_party_settle(&r->options, &r->party, data);
done:
  return status;
}

int party_predict(int argc, char **argv) {
  static request r;
  sotto_error err = {0};
  sotto_dataset data = {0};
  sotto_learns learns;
  uint8_t digest[32];
  char **rest = calloc((size_t)argc + 1, sizeof *rest);
  if (rest == NULL) return EXIT_FAILED;
  const bool good = parse_request(&r, argc, argv, rest);
  free(rest);
  if (r.help) return print_help();
  r.party.party.unlabelled = r.epsilon != NULL || r.again != NULL;
  r.party.party.question = good && sotto_party_asks(&r.party.options);
  if (!good || !party_read_learns(&learns, r.learns)) return EXIT_USAGE;
  const char *const inputs[] = {r.party.options.data, r.party.options.ids,
                                r.nodes != NULL && r.nodes[0] == '@' ? r.nodes + 1 : NULL};
  const cli_output as = {"--out", inputs, sizeof inputs / sizeof *inputs, "predictions*.csv", CLI_TABLE};
  if (!cli_may_write(r.out, &as)) return EXIT_USAGE;
  if (party_open_finished(&r.party, &data, digest, &err) != SOTTO_OK) return party_refused(&r.party, &err);
  if (r.party.align) {
    const int found = party_take_common(&r.party, &data);
    sotto_dataset_free(&data);
    if (found != EXIT_DONE) return found;
    if (party_open_finished(&r.party, &data, digest, &err) != SOTTO_OK) return party_refused(&r.party, &err);
  }
  const int code = predict(&r, learns, &data, digest);
  sotto_dataset_free(&data);
  return code;
}
