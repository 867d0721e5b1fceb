/* sotto audit --self: attacks every private variant of every method in small runs of this program. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attacks.h"
#include "cli/cli.h"
#include "common/print.h"
#include "sotto/attack.h"

typedef struct request {
  const char *words[1];
  size_t word_count;
  const char *trials, *pairs, *method, *attack, *confidence;
  bool self, json, help;
} request;

static int print_help(void) {
  (void)puts(
      "usage: sotto audit --self [--json]\n\n"
      "Trains every private variant of every method small, on a made graph and with a ledger that is\n"
      "removed, and attacks it: one training with many canaries (one-run), the release, repeated (canary),\n"
      "and the training's own releases, drawn again by the code that made them (release).\n"
      "Exit status 1 when a bound is above what a method states.\n\n"
      "  --method NAME  this method alone\n"
      "  --attack LIST  of one-run, canary, release [all]\n"
      "  --confidence C that all bounds hold together, 0.5 to below 1 [0.95]\n"
      "  --trials N     canary: runs with the edge, and without [6000]\n"
      "  --pairs N      one-run: canaries at most [5000]\n"
      "  --json         one line of JSON: confidence, holds, audits (method, variant, adjacency, attack,\n"
      "                 sees, of, stated, lower, share, holds; of canaries noise_draws, noise_holds, hops),\n"
      "                 passed_over (method, variant, adjacency, why)\n\n"
      "example: sotto audit --self");
  return EXIT_DONE;
}

/* The stated value and its lower bound: of mu where a run states mu, else of epsilon. */
typedef struct reached {
  const char *what;
  double stated, lower;
} reached;

static reached reached_by(const sotto_finding *f) {
  const bool once = f->is_one_run;
  if (f->is_release) return (reached){"one edge", 1, isnan(f->release.moved) ? 0 : f->release.moved};
  const double mu = once ? f->one_run.mu_stated : f->canary.mu_stated;
  if (mu > 0) return (reached){"mu", mu, once ? f->one_run.mu_lower : f->canary.mu_lower};
  return (reached){"epsilon", once ? f->one_run.stated : f->canary.stated,
                   once ? f->one_run.lower : f->canary.lower};
}

static void print_rows(const sotto_self_result *r) {
  char name[64];
  (void)snprintf(name, sizeof name, "%.30s%s%.30s", r->method, r->variant[0] == '\0' ? "" : " ", r->variant);
  for (size_t i = 0; i < r->findings.count; i++) {
    const sotto_finding *f = &r->findings.items[i];
    const reached s = reached_by(f);
    app_print(stdout, "  %-18s %-12s %-8s %-29s %-8s %7.3f %7.3f %5.0f%%  %s\n", name, r->adjacency,
              f->attack, f->variant, s.what, s.stated, s.lower, s.stated > 0 ? 100 * s.lower / s.stated : 0,
              f->holds                                   ? "no objection"
              : f->is_canary && !f->canary.noise_holds   ? "FAILED: its noise"
              : f->is_release && !f->release.noise_holds ? "FAILED: its noise"
                                                         : "FAILED");
  }
}

static void add_json(json_t *audits, json_t *passed, const sotto_self_result *r) {
  if (r->findings.count == 0)
    (void)json_array_append_new(passed, json_pack("{s:s,s:s,s:s,s:s}", "method", r->method, "variant",
                                                  r->variant, "adjacency", r->adjacency, "why", r->why));
  for (size_t i = 0; i < r->findings.count; i++) {
    const sotto_finding *f = &r->findings.items[i];
    const reached s = reached_by(f);
    json_t *item = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:f,s:b}", "method", r->method, "variant",
                             r->variant, "adjacency", r->adjacency, "attack", f->attack, "sees", f->variant,
                             "of", s.what, "stated", s.stated, "lower", s.lower, "share",
                             s.stated > 0 ? s.lower / s.stated : 0, "holds", (int)f->holds);
    if (item != NULL && f->is_canary && f->canary.noise_draws > 0) {
      (void)json_object_set_new(item, "noise_draws", json_integer((json_int_t)f->canary.noise_draws));
      (void)json_object_set_new(item, "noise_holds", json_boolean(f->canary.noise_holds));
      (void)json_object_set_new(item, "hops", json_boolean(f->has_hops));
    }
    if (item != NULL && f->is_release) {
      (void)json_object_set_new(item, "noise_draws", json_integer((json_int_t)f->release.draws));
      (void)json_object_set_new(item, "noise_holds", json_boolean(f->release.noise_holds));
    }
    (void)json_array_append_new(audits, item);
  }
}

static void print_json(json_t *audits, json_t *passed, double confidence, bool holds) {
  json_t *root = json_pack("{s:f,s:b,s:o,s:o}", "confidence", confidence, "holds", (int)holds, "audits",
                           audits, "passed_over", passed);
  char *text = root == NULL ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
  (void)puts(text == NULL ? "{}" : text);
  free(text);
  json_decref(root);
}

static void print_verdict(const json_t *passed, bool holds) {
  size_t index;
  json_t *item;
  if (json_array_size(passed) > 0) (void)puts("\n  passed over:");
  json_array_foreach(passed, index, item) app_print(
      stdout, "  %s%s%s, adjacency %s: %s\n", json_string_value(json_object_get(item, "method")),
      json_string_length(json_object_get(item, "variant")) > 0 ? " " : "",
      json_string_value(json_object_get(item, "variant")),
      json_string_value(json_object_get(item, "adjacency")), json_string_value(json_object_get(item, "why")));
  app_print(stdout, "\n  verdict            %s\n",
            holds ? "no objection" : "FAILED: a method shows more than it states");
}

/* Attacks that a method does not allow are skipped, but an unknown name is an error before any run. */
static bool fill_request(sotto_audit_ask *ask, cli_attacks *list, const request *r) {
  static const char *const known[] = {"one-run", "canary", "release"};
  *ask = sotto_audit_ask_default();
  ask->trials = 6000;
  if (!cli_count(&ask->trials, r->trials, "trials") || !cli_count(&ask->link.pairs, r->pairs, "pairs") ||
      !cli_real(&ask->confidence, r->confidence, "confidence"))
    return false;
  if (ask->trials < 100 || ask->trials > 1 << 23)
    return cli_usage("trials: take 100 to 8388608") == EXIT_DONE;
  if (ask->link.pairs < 64) return cli_usage("pairs: take 64 or more") == EXIT_DONE;
  if (!(ask->confidence >= 0.5 && ask->confidence < 1))
    return cli_usage("confidence: take 0.5 to below 1") == EXIT_DONE;
  if (r->attack == NULL) return true;
  if (!cli_attacks_of(list, r->attack) || list->count == 0)
    return cli_usage("attack: take some of one-run, canary, release") == EXIT_DONE;
  for (size_t i = 0; i < list->count; i++) {
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(list->names[i], known[k]) != 0) k++;
    if (k == sizeof known / sizeof *known)
      return cli_usage("attack: '%s' is none of one-run, canary, release", list->names[i]) == EXIT_DONE;
  }
  ask->self_attacks = list->names;
  return true;
}

static int run_audit(const request *r) {
  static sotto_self_result result;
  static cli_attacks list;
  sotto_error err = {0};
  sotto_dataset data = {0};
  sotto_audit_ask ask;
  bool holds = true, any = false;
  if (!fill_request(&ask, &list, r)) return EXIT_USAGE;
  if (sotto_self_data(&data, &err) != SOTTO_OK) return cli_error(&err);
  json_t *audits = json_array(), *passed = json_array();
  if (!r->json)
    app_print(stdout, "  %-18s %-12s %-8s %-29s %-8s %7s %7s %6s  %s\n", "method", "adjacency", "attack",
              "sees", "of", "stated", "lower", "share", "verdict");
  sotto_status status = SOTTO_OK;
  const char *method;
  for (size_t i = 0; status == SOTTO_OK && (method = sotto_self_method(i)) != NULL; i++) {
    if (r->method != NULL && strcmp(method, r->method) != 0) continue;
    any = true;
    status = sotto_self_audit(&result, i, &data, &ask, NULL, &err);
    if (status != SOTTO_OK) break;
    holds = holds && sotto_findings_hold(&result.findings);
    if (!r->json) print_rows(&result);
    add_json(audits, passed, &result);
  }
  sotto_dataset_free(&data);
  if (status == SOTTO_OK && any && !r->json) print_verdict(passed, holds);
  if (status == SOTTO_OK && any && r->json)
    print_json(json_incref(audits), json_incref(passed), ask.confidence, holds);
  json_decref(audits);
  json_decref(passed);
  if (!any) return cli_usage("method: '%s' is none with a private variant", r->method);
  if (status == SOTTO_RANGE) return cli_usage("%s", err.text);
  if (status != SOTTO_OK) return cli_error(&err);
  return holds && fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

int cli_audit_self(int argc, char **argv) {
  request r = {.words = {NULL}};
  const cli_flag flags[] = {{"self", NULL, &r.self},     {"method", &r.method, NULL},
                            {"trials", &r.trials, NULL}, {"pairs", &r.pairs, NULL},
                            {"attack", &r.attack, NULL}, {"confidence", &r.confidence, NULL},
                            {"json", NULL, &r.json},     {"help", NULL, &r.help}};
  if (!cli_parse(flags, sizeof flags / sizeof *flags, argc, argv, r.words, 1, &r.word_count))
    return EXIT_USAGE;
  if (r.help) return print_help();
  if (r.word_count > 0) return cli_usage("--self audits this program; it takes no run folder");
  return run_audit(&r);
}
