/* sotto account vesper-paper: the privacy that a paper's own theorem claims, for comparison only. */
#include <math.h>
#include <stdio.h>

#include "account_paper.h"
#include "cli/cli.h"
#include "common/print.h"
#include "sotto/claims.h"

typedef struct paper_request {
  const char *words[1];
  size_t word_count;
  const char *noise, *sensitivity, *layers, *sample, *population, *batch, *count, *delta;
  bool json, help;
} paper_request;

static bool parse_flags(paper_request *r, int argc, char **argv) {
  const cli_flag flags[] = {{"noise", &r->noise, NULL},   {"sensitivity", &r->sensitivity, NULL},
                            {"layers", &r->layers, NULL}, {"sample", &r->sample, NULL},
                            {"batch", &r->batch, NULL},   {"population", &r->population, NULL},
                            {"count", &r->count, NULL},   {"delta", &r->delta, NULL},
                            {"json", NULL, &r->json},     {"help", NULL, &r->help}};
  return cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r->words, 1, &r->word_count);
}

static int print_help(void) {
  (void)puts(
      "usage: sotto account vesper-paper --noise T --population N --batch B --count STEPS\n\n"
      "What theorem 2.1 of the VESPER paper claims for a training; it does not hold (docs/privacy.md).\n\n"
      "  --sensitivity S  of a layer [sqrt 2, that of sums]   --layers L   [2]\n"
      "  --sample D       neighbours sampled for a node [20]  --delta D    [1e-6]\n"
      "  --json           keys epsilon, gamma, delta, holds\n\n"
      "example: sotto account vesper-paper --noise 8 --population 100000 --batch 256 --count 2000");
  return EXIT_DONE;
}

int cli_account_vesper_paper(int argc, char **argv) {
  paper_request r = {.words = {NULL}};
  sotto_error err = {0};
  double noise = 0, sensitivity = sqrt(2), delta = 1e-6, epsilon, gamma;
  uint64_t layers = 2, sample = 20, population = 0, batch = 0, count = 1;
  if (!parse_flags(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  if (!cli_real(&noise, r.noise, "noise") || !cli_real(&sensitivity, r.sensitivity, "sensitivity") ||
      !cli_real(&delta, r.delta, "delta") || !cli_count(&layers, r.layers, "layers") ||
      !cli_count(&sample, r.sample, "sample") || !cli_count(&population, r.population, "population") ||
      !cli_count(&batch, r.batch, "batch") || !cli_count(&count, r.count, "count"))
    return EXIT_USAGE;
  if (sotto_paper_vesper(&epsilon, &gamma, noise, sensitivity, layers, sample, population, batch, count,
                         delta, &err) != SOTTO_OK)
    return cli_usage("%s", err.text);
  if (r.json)
    app_print(stdout, "{\"epsilon\":%.12g,\"gamma\":%.12g,\"delta\":%.12g,\"holds\":false}\n", epsilon, gamma,
              delta);
  else
    app_print(stdout, "epsilon %.9g at delta %g is claimed, with gamma %.6g; it does not hold\n", epsilon,
              delta, gamma);
  return EXIT_DONE;
}
