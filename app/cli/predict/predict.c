/* sotto predict: what a finished run says of nodes. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "common/error.h"
#include "common/print.h"
#include "predict.h"

typedef struct request {
  const char *words[2];
  size_t word_count;
  const char *seed, *out;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto predict RUN [DATA] [--out FILE]\n\n"
      "Class probabilities of every node, by the model of a finished run: of the run's own dataset, or of\n"
      "another one with the same columns. A run with noise answers from the release that it keeps, and\n"
      "of its own dataset alone. Probabilities of a run without noise tell of the graph: keep them as\n"
      "you keep the graph.\n\n"
      "  --seed N     which of the run's seeds [the first]\n"
      "  --out FILE   CSV: node, class, its probability, all probabilities [RUN/predictions.csv]\n"
      "  --json       the summary as one line of JSON\n\n"
      "example: sotto predict runs/20260301-120000");
  return EXIT_DONE;
}

/* Of the test part when the data is the run's own, of all labelled nodes otherwise. */
static double accuracy(const sotto_model *model, const sotto_matrix *rows, const sotto_dataset *data,
                       bool own) {
  size_t count = 0, right = 0, all = 0;
  const uint32_t *part = sotto_model_part(model, SOTTO_PART_TEST, &count);
  if (data->labels == NULL) return -1;
  if (!own) count = rows->rows;
  for (size_t i = 0; i < count; i++) {
    size_t v = own ? part[i] : i;
    if (data->labels[v] < 0) continue;
    all++;
    if (predict_class(rows->data + v * rows->cols, rows->cols) == (size_t)data->labels[v]) right++;
  }
  return all == 0 ? -1 : (double)right / (double)all;
}

static void print_summary(const sotto_matrix *rows, double share, bool own, const char *path, bool json) {
  if (json) {
    json_t *root = json_pack("{s:I,s:I,s:s}", "nodes", (json_int_t)rows->rows, "classes",
                             (json_int_t)rows->cols, "file", path);
    if (share >= 0) (void)json_object_set_new(root, own ? "test_accuracy" : "accuracy", json_real(share));
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
    (void)puts(text == NULL ? "{}" : text);
    free(text);
    json_decref(root);
    return;
  }
  app_print(stdout, "  nodes            %zu, of %zu classes\n  written to       %s\n", rows->rows, rows->cols,
            path);
  if (share >= 0)
    app_print(stdout, "  accuracy         %.4f of %s\n", share,
              own ? "the test nodes" : "all labelled nodes");
}

static int predict(const request *r, uint64_t seed) {
  static sotto_options options;
  sotto_error err = {0};
  sotto_dataset data = {0};
  sotto_model *model = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  const bool own = r->word_count < 2;
  char path[1200];
  const sotto_model_options as = {.seed = seed};
  (void)snprintf(path, sizeof path, "%.1000s/predictions.csv", r->words[0]);
  SOTTO_TRY(cli_open_run(&options, &data, r->words[0], own ? NULL : r->words[1], &err));
  SOTTO_TRY(sotto_model_open(&model, r->words[0], &data, &as, &err));
  SOTTO_TRY(sotto_model_query(&rows, model, &(sotto_query){0}, &err));
  SOTTO_TRY(predict_write(r->out == NULL ? path : r->out, &rows, &err));
  print_summary(&rows, accuracy(model, &rows, &data, own), own, r->out == NULL ? path : r->out, r->json);
done:
  sotto_matrix_free(&rows);
  sotto_model_free(model);
  sotto_dataset_free(&data);
  return status == SOTTO_OK ? EXIT_DONE : cli_error(&err);
}

int cli_predict(int argc, char **argv) {
  static request r;
  uint64_t seed = SOTTO_UNSET;
  const cli_flag flags[] = {
      {"seed", &r.seed, NULL}, {"out", &r.out, NULL}, {"json", NULL, &r.json}, {"help", NULL, &r.help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 2, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count < 1) return cli_usage("name a run folder; sotto predict --help shows the form");
  if (!cli_count(&seed, r.seed, "seed")) return EXIT_USAGE;
  return predict(&r, seed);
}
