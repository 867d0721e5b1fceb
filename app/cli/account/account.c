/* sotto account. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account_paper.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/output.h"
#include "common/print.h"
#include "report/chart.h"
#include "report/picture.h"
#include "sotto/dp.h"
#include "sotto/guarantee.h"

/* Flags that are fields of a mechanism. They pass through the parser of list files as words of one line. */
static const char *const fields[] = {"noise",  "count",     "rate",        "population", "batch",
                                     "layers", "lipschitz", "sensitivity", "choices",    "sampled",
                                     "epochs", "sample",    "degree",      "slack"};
enum { field_count = sizeof fields / sizeof *fields, curve_points = 101 };

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *field[field_count];
  const char *epsilon, *delta, *accountant, *compose, *plot, *format;
  bool curve, json, help;
  sotto_mechanism *list;
  size_t count;
  sotto_accountant by;
  double epsilon_value, delta_value;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto account MECHANISM --noise S [--count K] ... --delta D      prints epsilon\n"
      "       sotto account MECHANISM --epsilon E ... --delta D                prints the noise\n"
      "       sotto account MECHANISM --noise S --epsilon E ... --delta D      prints how many runs fit\n"
      "       sotto account --compose FILE --delta D                           prints epsilon of a list\n\n"
      "mechanisms: gaussian, discrete-gaussian, laplace (--noise is its scale), subsampled-gaussian (--rate "
      "for\n"
      "Poisson sampling, --population and --batch without replacement), contractive (--layers, "
      "--lipschitz),\n"
      "randomized-response (--choices; --noise is the flip probability), multibit (--sampled),\n"
      "noise-free-sampling (--layers, --epochs, --sample, --degree, --rate, --slack), replaced-gaussian\n"
      "(--rate for Poisson sampling, replace-one), poisson-sum (the same with discrete Gaussian noise),\n"
      "sampled-subgraphs (--rate, --sample of --degree neighbours, replace-one);\n"
      "vesper-paper has a help of its own\n\n"
      "  --sensitivity S   what one record changes, in units of the noise [1]\n"
      "  --count K         runs of the mechanism [1]\n"
      "  --delta D         [1e-6]\n"
      "  --accountant A    gdp, rdp, pld or paper [gdp where it is exact, rdp without replacement, else "
      "pld]\n"
      "  --compose FILE    one mechanism a line: gaussian noise=3 count=4\n"
      "  --curve           epsilon,delta as CSV      --plot FILE       the same as a picture: .svg, or\n"
      "                                              .png by rsvg-convert; - is standard output,\n"
      "                                              with --format svg or png\n"
      "  --json            keys epsilon, delta, noise\n\n"
      "example: sotto account subsampled-gaussian --noise 0.8 --rate 0.01 --count 1000 --delta 1e-6");
  return EXIT_DONE;
}

static bool parse_flags(request *r, int argc, char **argv) {
  cli_flag flags[field_count + 9];
  size_t count = 0;
  for (; count < field_count; count++) flags[count] = (cli_flag){fields[count], &r->field[count], NULL};
  flags[count++] = (cli_flag){"epsilon", &r->epsilon, NULL};
  flags[count++] = (cli_flag){"delta", &r->delta, NULL};
  flags[count++] = (cli_flag){"accountant", &r->accountant, NULL};
  flags[count++] = (cli_flag){"compose", &r->compose, NULL};
  flags[count++] = (cli_flag){"plot", &r->plot, NULL};
  flags[count++] = (cli_flag){"format", &r->format, NULL};
  flags[count++] = (cli_flag){"curve", NULL, &r->curve};
  flags[count++] = (cli_flag){"json", NULL, &r->json};
  flags[count++] = (cli_flag){"help", NULL, &r->help};
  return cli_parse(flags, count, argc, argv, r->words, 1, &r->word_count);
}

/* Builds the flags into one line of a list file. If the noise is the unknown, a valid placeholder stands
 * for it. */
static int list_of_flags(request *r, sotto_error *err) {
  char line[2048];
  size_t used = (size_t)snprintf(line, sizeof line, "%.200s", r->words[0]);
  for (size_t i = 0; i < field_count; i++) {
    if (r->field[i] == NULL) continue;
    if (strlen(r->field[i]) > 100 || strpbrk(r->field[i], " \t\n#") != NULL)
      return cli_usage("--%s: '%.100s' is not a number", fields[i], r->field[i]);
    used += (size_t)snprintf(line + used, sizeof line - used, " %s=%s", fields[i], r->field[i]);
  }
  if (r->field[0] == NULL && r->epsilon != NULL)
    used += (size_t)snprintf(line + used, sizeof line - used, " noise=%s", "0.25");
  if (sotto_mechanisms_parse(&r->list, &r->count, line, used, err) == SOTTO_OK) return EXIT_DONE;
  const char *text = strncmp(err->text, "line 1: ", 8) == 0 ? err->text + 8 : err->text;
  return cli_usage("%s", text);
}

static int list_of_file(request *r, sotto_error *err) {
  sotto_i_map map = {0};
  if (sotto_i_map_open(&map, r->compose, err) != SOTTO_OK) return cli_usage("%s", err->text);
  const sotto_status status =
      sotto_mechanisms_parse(&r->list, &r->count, (const char *)map.data, map.size, err);
  sotto_i_map_close(&map);
  return status == SOTTO_OK ? EXIT_DONE : cli_usage("%s: %s", r->compose, err->text);
}

/* gdp for the mechanisms for which it is exact, and only those. */
static sotto_accountant default_accountant(const request *r) {
  double delta;
  for (size_t i = 0; i < r->count; i++)
    if (r->list[i].population > 0) return SOTTO_ACCOUNTANT_RDP;
  const sotto_status exact = sotto_account_delta(&delta, r->list, r->count, 1, SOTTO_ACCOUNTANT_GDP, NULL);
  return exact == SOTTO_UNSUPPORTED ? SOTTO_ACCOUNTANT_PLD : SOTTO_ACCOUNTANT_GDP;
}

static int build_list(request *r, sotto_error *err) {
  if ((r->compose == NULL) == (r->word_count == 0))
    return cli_usage("name one mechanism, or a list with --compose; --help lists the mechanisms");
  r->delta_value = 1e-6;
  if (!cli_real(&r->delta_value, r->delta, "delta") || !cli_real(&r->epsilon_value, r->epsilon, "epsilon"))
    return EXIT_USAGE;
  r->delta_value += 0.0; /* -0 is 0 */
  if (r->compose != NULL) {
    for (size_t i = 0; i < field_count; i++)
      if (r->field[i] != NULL) return cli_usage("--%s belongs in the list of --compose", fields[i]);
    if (r->epsilon != NULL) return cli_usage("--compose prints epsilon: leave --epsilon out");
  }
  const int code = r->compose != NULL ? list_of_file(r, err) : list_of_flags(r, err);
  if (code != EXIT_DONE) return code;
  r->by = default_accountant(r);
  if (r->accountant != NULL && sotto_accountant_from_name(&r->by, r->accountant, err) != SOTTO_OK)
    return cli_usage("%s", err->text);
  return EXIT_DONE;
}

/* The least number of so many digits that is not below it: an epsilon that was proven is not shown as less,
 * nor is noise, which would have a larger epsilon. */
static double round_up(double value, int digits) {
  char text[40];
  if (!(value > 0 && isfinite(value))) return value;
  (void)snprintf(text, sizeof text, "%.*e", digits - 1, value);
  const double nearest = strtod(text, NULL);
  if (nearest >= value) return nearest;
  (void)snprintf(text, sizeof text, "%.*e", digits - 1, value + pow(10, floor(log10(value)) - digits + 1));
  return strtod(text, NULL);
}

enum { text_digits = 9, json_digits = 12 };

static int print_json(const request *r, const char *steps_key, double epsilon, double noise, uint64_t steps) {
  json_t *root =
      json_pack("{s:o,s:f,s:o,s:s}", "epsilon",
                isfinite(epsilon) ? json_real(round_up(epsilon, json_digits)) : json_null(), "delta",
                r->delta_value, "noise", noise > 0 ? json_real(round_up(noise, json_digits)) : json_null(),
                "accountant", sotto_accountant_name(r->by));
  if (steps_key != NULL) json_object_set_new(root, steps_key, json_integer((json_int_t)steps));
  char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(json_digits));
  (void)puts(text == NULL ? "{}" : text);
  free(text);
  json_decref(root);
  return EXIT_DONE;
}

static int account_failed(const sotto_error *err) {
  const bool asked_well =
      err->status == SOTTO_NOMEM || err->status == SOTTO_NUMERIC || err->status == SOTTO_INTERRUPTED;
  return asked_well ? cli_error(err) : cli_usage("%s", err->text);
}

/* Name of the accountant in a printed result; the published claim of a paper is no guarantee. */
static const char *accountant_label(sotto_accountant by) {
  return by == SOTTO_ACCOUNTANT_PAPER ? "paper: a published claim, no guarantee" : sotto_accountant_name(by);
}

static int print_epsilon(const request *r, sotto_error *err) {
  char delta[SOTTO_DELTA_WORDS];
  double epsilon;
  if (sotto_account_epsilon(&epsilon, r->list, r->count, r->delta_value, r->by, err) != SOTTO_OK)
    return account_failed(err);
  if (r->json) return print_json(r, NULL, epsilon, r->compose == NULL ? r->list[0].noise : 0, 0);
  sotto_delta_words(delta, r->delta_value);
  app_print(stdout, "epsilon %.*g at delta %s (%s)\n", text_digits, round_up(epsilon, text_digits), delta,
            accountant_label(r->by));
  return EXIT_DONE;
}

static int print_noise(const request *r, sotto_error *err) {
  char delta[SOTTO_DELTA_WORDS];
  double noise;
  if (sotto_account_noise(&noise, r->list, r->count, 0, r->epsilon_value, r->delta_value, r->by, err) !=
      SOTTO_OK)
    return account_failed(err);
  if (r->json) return print_json(r, NULL, r->epsilon_value, noise, 0);
  sotto_delta_words(delta, r->delta_value);
  app_print(stdout, "noise %.*g for epsilon %g at delta %s (%s)\n", text_digits, round_up(noise, text_digits),
            r->epsilon_value, delta, accountant_label(r->by));
  return EXIT_DONE;
}

static int print_steps(const request *r, sotto_error *err) {
  char delta[SOTTO_DELTA_WORDS];
  uint64_t steps;
  if (sotto_account_steps(&steps, r->list, r->count, 0, r->epsilon_value, r->delta_value, r->by, err) !=
      SOTTO_OK)
    return account_failed(err);
  if (r->json) return print_json(r, "count", r->epsilon_value, r->list[0].noise, steps);
  sotto_delta_words(delta, r->delta_value);
  app_print(stdout, "%llu runs stay within epsilon %g at delta %s (%s)\n", (unsigned long long)steps,
            r->epsilon_value, delta, accountant_label(r->by));
  return EXIT_DONE;
}

/* The curve runs from epsilon 0 to the epsilon of delta 1e-12, or as far as the accountant reaches. */
static int print_curve(const request *r, sotto_error *err) {
  double epsilons[curve_points], deltas[curve_points], end = 0;
  char path[APP_PICTURE_PATH] = "";
  if (!cli_one_stdout(r->plot, "--plot", r->json)) return EXIT_USAGE;
  if (r->curve && cli_is_stdout(r->plot))
    return cli_usage("--curve and --plot -: both write to standard output; leave one out");
  if (r->plot != NULL && app_picture_path(path, r->plot, r->format, err) != SOTTO_OK)
    return cli_usage("%s", err->text);
  if (!cli_may_write(r->plot == NULL ? NULL : path, &(cli_output){.flag = "--plot", .kind = CLI_PICTURE}))
    return EXIT_USAGE;
  if (sotto_account_epsilon(&end, r->list, r->count, fmin(r->delta_value, 1e-12), r->by, NULL) != SOTTO_OK &&
      sotto_account_epsilon(&end, r->list, r->count, r->delta_value, r->by, err) != SOTTO_OK)
    return account_failed(err);
  for (int i = 0; i < curve_points; i++) epsilons[i] = end * i / (curve_points - 1);
  for (int i = 0; i < curve_points; i++)
    if (sotto_account_delta(&deltas[i], r->list, r->count, epsilons[i], r->by, err) != SOTTO_OK)
      return account_failed(err);
  if (r->json) {
    json_t *list = json_array();
    for (int i = 0; i < curve_points; i++)
      (void)json_array_append_new(list, json_pack("{s:f,s:f}", "epsilon", epsilons[i], "delta", deltas[i]));
    (void)cli_print_json(json_pack("{s:o}", "curve", list));
  } else if (r->curve) {
    (void)puts("epsilon,delta");
    for (int i = 0; i < curve_points; i++) app_print(stdout, "%.9g,%.9g\n", epsilons[i], deltas[i]);
  }
  if (path[0] == '\0') return EXIT_DONE;
  const app_series line = {.x = epsilons, .y = deltas, .count = curve_points};
  const app_chart chart = {.title = "privacy curve",
                           .x_label = "epsilon",
                           .y_label = "delta",
                           .log_y = true,
                           .series = &line,
                           .series_count = 1};
  return app_chart_write(&chart, path, err) == SOTTO_OK ? EXIT_DONE : cli_error(err);
}

int cli_account(int argc, char **argv) {
  request r = {.words = {NULL}};
  sotto_error err = {0};
  if (argc > 0 && strcmp(argv[0], "vesper-paper") == 0) return cli_account_vesper_paper(argc, argv);
  if (!parse_flags(&r, argc, argv)) return EXIT_USAGE;
  if (r.help) return print_help();
  int code = build_list(&r, &err);
  if (code == EXIT_DONE) {
    if (r.curve || r.plot != NULL)
      code = print_curve(&r, &err);
    else if (r.epsilon == NULL)
      code = print_epsilon(&r, &err);
    else if (r.field[0] == NULL)
      code = print_noise(&r, &err);
    else if (r.field[1] != NULL) /* count */
      code = cli_usage("--count: how many runs fit is the answer to --noise with --epsilon; leave one out");
    else
      code = print_steps(&r, &err);
  }
  sotto_mechanisms_free(r.list);
  return code;
}
