/* Attacks on finished runs by name, among them those that query the stored model, and the canary. */
#include "attack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/statistics/audit.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "canary.h"
#include "inside/audit.h"
#include "inside/run.h"
#include "run/train/model.h"
#include "run/train/run.h"

static const char sees_queries[] =
    "queries: features of a node in, class probabilities out; degrees of nodes, for the sample";
static const char sees_posteriors[] = "class probabilities of all nodes";
static const char sees_known[] = "class probabilities of all nodes, and every second edge of the sample";
static const char sees_release[] =
    "all that the mechanism releases, everything else of the graph, and all features";

sotto_audit_ask sotto_audit_ask_default(void) {
  return (sotto_audit_ask){.model = {.seed = SOTTO_UNSET},
                           .link = sotto_link_options_default(),
                           .trials = 20000,
                           .shadows = 16,
                           .confidence = 0.95};
}

static sotto_status ask_model(void *context, sotto_matrix *out, uint32_t node, const sotto_matrix *x,
                              const uint32_t *wanted, size_t count, sotto_error *err) {
  const sotto_query query = {
      .changed = &node, .changed_count = x == NULL ? 0 : 1, .x = x, .wanted = wanted, .wanted_count = count};
  return sotto_model_query(out, context, &query, err);
}

static sotto_status run_linkteller(sotto_i_attacked *a, const sotto_target *target, sotto_error *err) {
  static const char *const variants[] = {"all degrees", "low degrees", "high degrees"};
  sotto_finding *f = sotto_i_finding(a, "linkteller", variants[a->ask.link.degrees], sees_queries, err);
  sotto_i_attack_cells cells = {.path = NULL};
  sotto_status status;
  if (f == NULL) return SOTTO_RANGE;
  SOTTO_TRY(sotto_i_attack_cells_of(&cells, a, "linkteller", err));
  SOTTO_TRY(sotto_i_attack_linkteller(&f->attacked, target, &a->ask.link, &cells.like, a->observer, err));
done:
  sotto_i_free(cells.path);
  return status;
}

static sotto_status steal_links(sotto_i_attacked *a, const sotto_target *target, sotto_error *err) {
  sotto_attack_result found[SOTTO_STEALINGS];
  sotto_status status = sotto_attack_stealing(found, target, &a->ask.link, err);
  for (size_t k = 0; status == SOTTO_OK && k < SOTTO_STEALINGS; k++) {
    sotto_finding *f = sotto_i_finding(a, "link-stealing", sotto_stealing_names()[k],
                                       k + 1 < SOTTO_STEALINGS ? sees_posteriors : sees_known, err);
    if (f == NULL) return SOTTO_RANGE;
    f->attacked = found[k];
  }
  return status;
}

/* If the target's predictions are random, `posteriors` is one prediction and queries are others. */
static sotto_status attack_links(sotto_i_attacked *a, bool by_queries, sotto_error *err) {
  sotto_status status;
  sotto_model *model = NULL;
  sotto_matrix posteriors = {0};
  SOTTO_TRY(sotto_i_model_open(&model, a->run, a->data, &a->ask.model, err));
  SOTTO_TRY(sotto_model_query(&posteriors, model, &(sotto_query){0}, err));
  const sotto_target target = {.context = model,
                               .graph = &a->data->graph,
                               .features = sotto_model_features(model),
                               .posteriors = &posteriors,
                               .ask = ask_model};
  SOTTO_TRY(by_queries ? run_linkteller(a, &target, err) : steal_links(a, &target, err));
done:
  sotto_model_free(model);
  sotto_matrix_free(&posteriors);
  return status;
}

/* A release of a whole graph takes long, and a few of them are enough for noise that depends on the graph. */
static uint64_t trials_of(const sotto_i_attacked *a, sotto_i_canary_kind kind) {
  const double budget = 2e9;
  const sotto_options *o = a->options;
  double values = (double)a->data->graph.nodes * (double)o->hidden * (double)o->layers;
  uint64_t fit = (uint64_t)fmax(400, budget / values);
  return kind == SOTTO_I_CANARY_OWN && fit < a->ask.trials ? fit : a->ask.trials;
}

/* A bound at 95% exceeds the truth by chance in 1 of 20 audits. So a first objection decides nothing: a
 * second look, with other keys, has several times the runs, and a bound with this smaller risk. */
static const double second_risk = 1e-9;
enum { second_runs = 4, second_least = 10000, second_most = 1 << 23 };

static sotto_status run_trials(sotto_finding *f, sotto_i_attacked *a, const sotto_canary *canary,
                               uint64_t trials, const char *name, sotto_error *err) {
  sotto_i_attack_cells cells = {.path = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_attack_cells_of(&cells, a, name, err));
  SOTTO_TRY(sotto_i_audit_canary(&f->canary, canary, trials, &cells.like, a->observer, err));
done:
  sotto_i_free(cells.path);
  return status;
}

static sotto_status audit_twice(sotto_finding *f, sotto_i_attacked *a, sotto_i_canary_kind kind,
                                const sotto_canary *canary, sotto_error *err) {
  char name[32];
  sotto_canary second = *canary;
  const uint64_t trials = trials_of(a, kind);
  (void)snprintf(name, sizeof name, "canary-%d", (int)kind);
  sotto_status status = run_trials(f, a, canary, trials, name, err);
  if (status != SOTTO_OK || f->canary.holds || !f->canary.noise_holds || canary->risk <= second_risk)
    return status;
  uint64_t more = second_runs * trials;
  if (trials == a->ask.trials && more < second_least) more = second_least;
  second.risk = second_risk;
  (void)snprintf(name, sizeof name, "canary-%d-again", (int)kind);
  return run_trials(f, a, &second, more < second_most ? more : second_most, name, err);
}

/* A run with nights also states its plan; an audit without a run makes a plan. */
static sotto_status has_nights(bool *out, const sotto_i_attacked *a, sotto_error *err) {
  const sotto_options *o = a->options;
  if (a->run != NULL) return sotto_i_attack_has_nights(out, a->run, err);
  *out = sotto_i_method_of(o)->nights && o->adjacency == SOTTO_ADJACENCY_EDGE && sotto_i_job_wants_privacy(o);
  return SOTTO_OK;
}

static sotto_status canary_of_nights(sotto_i_canary *out, const sotto_i_attacked *a, sotto_error *err) {
  sotto_i_night_plan plan = {.nights = 3, .changes = 1, .delta = a->options->delta};
  char *folder = NULL;
  double mu;
  sotto_status status;
  *out = (sotto_i_canary){.stated = {.epsilon = 0}};
  if (a->run == NULL) {
    SOTTO_TRY(sotto_gdp_mu(&mu, a->options->epsilon, plan.delta, err));
    plan.sigma = sotto_i_night_sensitivity(&plan) / mu;
  } else {
    SOTTO_TRY(sotto_i_join(&folder, a->run, "nights", err));
    SOTTO_TRY(sotto_i_night_plan_load(&plan, folder, err));
  }
  SOTTO_TRY(sotto_i_canary_of_nights(out, a->options, &plan, err));
done:
  sotto_i_free(folder);
  return status;
}

/* `others`: canaries outside the run's own variant that share the risk. */
static sotto_status run_canary(sotto_i_attacked *a, sotto_i_canary_kind kind, uint32_t others,
                               sotto_error *err) {
  static const char *const variants[] = {"a pair of nodes",
                                         "two stars at the degree floor",
                                         "an edge of the run's graph",
                                         "a node, in the release alone",
                                         "a graph and its label",
                                         "an example, in the training",
                                         "published rows",
                                         "a pair of alike nodes",
                                         "a pilot and another node",
                                         "the number of edges",
                                         "a reported cluster",
                                         "an edge of a plan of nights",
                                         "two nodes whose features are added up",
                                         "the paper's claim, on two stars"};
  sotto_i_canary canary;
  sotto_status status;
  /* These kinds test what is published, which is not what the run states. */
  const bool claim = kind == SOTTO_I_CANARY_OWN || kind == SOTTO_I_CANARY_CLAIM;
  double epsilon = claim ? a->options->epsilon : a->out->stated, mu = claim ? 0 : a->out->mu;
  if (kind == SOTTO_I_CANARY_NIGHTS)
    SOTTO_TRY(canary_of_nights(&canary, a, err));
  else
    SOTTO_TRY(sotto_i_canary_of_run(&canary, a->planned, kind, epsilon, mu, err));
  canary.stated.share += others;
  canary.stated.risk = 1 - a->ask.confidence;
  if (a->share > 1) canary.stated.share = a->share * (canary.stated.share > 1 ? canary.stated.share : 1);
  sotto_finding *f =
      sotto_i_finding(a, "canary", canary.whole ? "a node" : variants[kind], sees_release, err);
  if (f == NULL) {
    status = SOTTO_RANGE;
    goto done;
  }
  f->is_canary = f->decides = true;
  f->has_hops = canary.stated.noise == sotto_i_canary_noise_of_layers;
  double begin = sotto_i_seconds();
  SOTTO_TRY(audit_twice(f, a, kind, &canary.stated, err));
  f->seconds = sotto_i_seconds() - begin;
  f->holds = f->canary.holds;
done:
  sotto_i_canary_free(&canary);
  return status;
}

static sotto_status attack_linkteller(sotto_i_attacked *a, sotto_error *err) {
  return attack_links(a, true, err);
}

static sotto_status attack_stealing(sotto_i_attacked *a, sotto_error *err) {
  return attack_links(a, false, err);
}

static sotto_status run_canaries(sotto_i_attacked *a, sotto_error *err) {
  uint32_t count = 0;
  bool nights = false;
  sotto_status status = has_nights(&nights, a, err);
  for (int kind = 0; status == SOTTO_OK && kind < SOTTO_I_CANARY_KINDS; kind++) {
    if (!sotto_i_canary_fits((sotto_i_canary_kind)kind, a->options)) continue;
    status = run_canary(a, (sotto_i_canary_kind)kind, nights ? 1 : 0, err);
    count++;
  }
  if (status != SOTTO_OK) return status;
  if (count == 0)
    return run_canary(a, SOTTO_I_CANARY_PAIR, 0, err); /* this fails and says why there is none */
  return nights ? run_canary(a, SOTTO_I_CANARY_NIGHTS, count, err) : SOTTO_OK;
}

static sotto_status node_mia(sotto_i_attacked *a, sotto_error *err) {
  return sotto_i_attack_members(a, false, err);
}

static sotto_status attack_entropy(sotto_i_attacked *a, sotto_error *err) {
  return sotto_i_attack_members(a, true, err);
}

static const struct {
  const char *name;
  sotto_status (*run)(sotto_i_attacked *a, sotto_error *err);
  bool shared;  /* among ranks; otherwise it is a single cell */
  bool classes; /* it reads class probabilities */
} attacks[] = {{"linkteller", attack_linkteller, true, true},
               {"link-stealing", attack_stealing, false, true},
               {"received", sotto_i_attack_received, false, false},
               {"node-mia", node_mia, true, true},
               {"entropy", attack_entropy, false, true},
               {"lira", sotto_i_attack_lira, true, true},
               {"canary", run_canaries, true, false},
               {"release", sotto_i_attack_release, false, false},
               {"one-run", sotto_i_attack_one_run, false, true}};
enum { attack_count = sizeof attacks / sizeof *attacks };

const char *const *sotto_attack_names(void) {
  static const char *names[attack_count + 1];
  for (size_t i = 0; i < attack_count; i++) names[i] = attacks[i].name;
  return names;
}

static sotto_status find_attack(size_t *index, const char *name, sotto_error *err) {
  for (*index = 0; *index < attack_count; ++*index)
    if (strcmp(attacks[*index].name, name) == 0) return SOTTO_OK;
  const char *nearest = sotto_i_nearest(name, sotto_attack_names(), attack_count);
  if (nearest != NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "attack: there is no '%s'; the nearest is '%s'", name, nearest);
  char all[500] = "";
  for (size_t i = 0, used = 0; i < attack_count && used < sizeof all; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ", attacks[i].name);
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "attack: there is no '%s'; there are %s", name, all);
}

sotto_status sotto_i_attack_find(bool *shared, const char *attack, sotto_error *err) {
  size_t index;
  const sotto_status status = find_attack(&index, attack, err);
  *shared = status == SOTTO_OK && attacks[index].shared;
  return status;
}

sotto_status sotto_i_ask_check(const sotto_audit_ask *ask, sotto_error *err) {
  if (ask->confidence >= 0.5 && ask->confidence < 1) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "confidence: %g is outside 0.5 to below 1", ask->confidence);
}

sotto_status sotto_i_attack_as(sotto_findings *out, const sotto_i_attacked *as, const char *attack,
                               sotto_error *err) {
  const size_t first = out->count;
  sotto_status status;
  size_t index;
  sotto_i_attacked a = *as;
  sotto_i_run run = {.options = NULL};
  a.out = out;
  a.planned = &run;
  SOTTO_TRY(find_attack(&index, attack, err));
  if (attacks[index].classes && sotto_i_learns_numbers(a.options))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "attack: %s reads class probabilities, and this model predicts numbers; release and "
                        "canary audit what it released",
                        attack);
  SOTTO_TRY(sotto_i_ask_check(&a.ask, err));
  SOTTO_TRY(sotto_i_attack_plan(&run, a.options, a.data, err));
  SOTTO_TRY(sotto_i_attack_stated(out, &run, a.data, err));
  out->seed = a.ask.model.seed == SOTTO_UNSET ? a.options->seed : a.ask.model.seed;
  out->fresh = a.ask.model.fresh;
  out->confidence = a.ask.confidence;
  a.ask.link.delta = a.options->delta;
  double begin = sotto_i_seconds();
  SOTTO_TRY(attacks[index].run(&a, err));
  for (size_t i = first; i < out->count; i++)
    if (out->items[i].seconds == 0) out->items[i].seconds = sotto_i_seconds() - begin;
done:
  sotto_i_run_end(&run);
  if (status != SOTTO_OK) out->count = first;
  return status;
}

bool sotto_findings_hold(const sotto_findings *findings) {
  if (findings->not_audited[0] != '\0') return false;
  for (size_t i = 0; i < findings->count; i++)
    if (findings->items[i].decides && !findings->items[i].holds) return false;
  return true;
}
