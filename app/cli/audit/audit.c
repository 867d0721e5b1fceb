/* sotto audit mechanism: a lower bound on a mechanism's epsilon, compared with the stated epsilon. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "common/print.h"
#include "sotto/audit.h"
#include "sotto/guarantee.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *epsilon, *delta, *trials, *layers;
  bool json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto audit RUN [--attack A,B]         attacks a finished run; sotto audit RUN --help\n"
      "       sotto audit mechanism NAME [--epsilon E] [--delta D]\n"
      "       sotto audit --self                     every method; sotto audit --self --help\n\n"
      "Runs the mechanism many times on two neighbouring inputs and prints a lower bound on epsilon that\n"
      "holds with 95% confidence. Exit status 1 when the bound is above what the mechanism states.");
  (void)puts("\nmechanisms:");
  for (const char *const *name = sotto_audit_names(); *name != NULL; name++)
    app_print(stdout, "  %s\n", *name);
  (void)puts("\n  --epsilon E    what the mechanism is calibrated to [2]\n"
             "  --delta D      [0.01]; below 1e-4 the bound is loose unless there are very many trials\n"
             "  --trials N     on each input [100000]\n"
             "  --layers K     release, contractive [1]\n"
             "  --json         keys mechanism, epsilon, delta, stated, lower, trials, confidence, holds\n\n"
             "example: sotto audit mechanism release --layers 3 --epsilon 2");
  return EXIT_DONE;
}

static bool parse(request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"epsilon", &r->epsilon, NULL}, {"delta", &r->delta, NULL},
                            {"trials", &r->trials, NULL},   {"layers", &r->layers, NULL},
                            {"json", NULL, &r->json},       {"help", NULL, &r->help}};
  return cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, 1, &r->word_count);
}

static void print_result(const char *name, const sotto_audit_options *options,
                         const sotto_audit_result *result, bool json) {
  if (json) {
    json_t *root =
        json_pack("{s:s,s:f,s:f,s:f,s:f,s:I,s:f,s:b}", "mechanism", name, "epsilon", options->epsilon,
                  "delta", options->delta, "stated", result->stated, "lower", result->lower, "trials",
                  (json_int_t)options->trials, "confidence", 0.95, "holds", (int)result->holds);
    char *text = json_dumps(root, JSON_COMPACT);
    (void)puts(text == NULL ? "{}" : text);
    free(text);
    json_decref(root);
    return;
  }
  char delta[SOTTO_DELTA_WORDS];
  sotto_delta_words(delta, options->delta);
  app_print(stdout,
            "  mechanism        %s\n  stated epsilon   %.4f at delta %s\n"
            "  lower bound      %.4f with 95%% confidence (%.0f%% of what is stated)\n"
            "  trials           %llu on each of two inputs\n  verdict          %s\n",
            name, result->stated, delta, result->lower, 100 * result->lower / result->stated,
            (unsigned long long)options->trials,
            result->holds ? "no objection" : "FAILED: the mechanism shows more than it states");
}

static int run_audit(const request *r) {
  sotto_error err = {0};
  sotto_audit_result result;
  uint64_t layers = 1;
  sotto_audit_options options = {.epsilon = 2, .delta = 0.01, .trials = 100000};
  if (r->word_count < 1) return cli_usage("name a mechanism; sotto audit --help lists them");
  if (!cli_real(&options.epsilon, r->epsilon, "epsilon") || !cli_real(&options.delta, r->delta, "delta") ||
      !cli_count(&options.trials, r->trials, "trials") || !cli_count(&layers, r->layers, "layers"))
    return EXIT_USAGE;
  options.layers = layers > 255 ? 255 : (uint32_t)layers;
  sotto_observer observer = cli_observer();
  sotto_status status = sotto_audit_mechanism(&result, r->words[0], &options, &observer, &err);
  cli_observer_end();
  if (status == SOTTO_NOT_FOUND || status == SOTTO_RANGE) return cli_usage("%s", err.text);
  if (status != SOTTO_OK) return cli_error(&err);
  print_result(r->words[0], &options, &result, r->json);
  return result.holds ? EXIT_DONE : EXIT_FAILED;
}

int cli_audit(int argc, char **argv) {
  request r = {.words = {NULL}};
  if (argc < 1 || strcmp(argv[0], "--help") == 0) {
    (void)print_help();
    return argc < 1 ? EXIT_USAGE : EXIT_DONE;
  }
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--self") == 0) return cli_audit_self(argc, argv);
  if (strcmp(argv[0], "mechanism") != 0) return cli_audit_run(argc, argv);
  if (!parse(&r, argc - 1, argv + 1)) return EXIT_USAGE;
  return r.help ? print_help() : run_audit(&r);
}
