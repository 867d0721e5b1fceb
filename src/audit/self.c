/* The audit of this program itself: every private variant of the registry, in a small training on a
 * generated graph. */
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "run/settings/options.h"
#include "self_graphs.h"
#include "sotto/generate.h"

/* One variant at one adjacency. */
typedef struct place {
  const sotto_i_method *method;
  const sotto_i_variant *variant;
  sotto_adjacency adjacency;
} place;

/* Noise that an option requests, without a level of privacy for the run. */
static const char own_noise[] = "prototype-noise";

static bool has_own_noise(const sotto_i_method *method) {
  sotto_i_option row;
  return sotto_i_option_find(&row, &method->options, own_noise);
}

/* The place of this number; returns the number of places. Published accountings are left out: their claims
 * are not what a run states. */
static size_t find_place(place *out, size_t wanted) {
  static const sotto_adjacency levels[] = {
      SOTTO_ADJACENCY_EDGE,  SOTTO_ADJACENCY_TRANSFER, SOTTO_ADJACENCY_NEIGHBOURS, SOTTO_ADJACENCY_NODE,
      SOTTO_ADJACENCY_GRAPH, SOTTO_ADJACENCY_CLIENT,   SOTTO_ADJACENCY_NONE};
  size_t count = 0;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++)
    for (size_t v = 0; v < sotto_i_methods()[m]->variant_count; v++)
      for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        const sotto_i_variant *variant = &sotto_i_methods()[m]->variants[v];
        const sotto_options level = {.adjacency = levels[l]};
        if ((variant->adjacencies & sotto_i_adjacency_bit(&level)) == 0 ||
            (variant->accountings & SOTTO_I_SOUND) == 0 ||
            (levels[l] == SOTTO_ADJACENCY_NONE && !has_own_noise(sotto_i_methods()[m])))
          continue;
        if (count++ == wanted) *out = (place){sotto_i_methods()[m], variant, levels[l]};
      }
  return count;
}

const char *sotto_i_self_method(size_t number) {
  place p;
  return number < find_place(&p, number) ? p.method->name : NULL;
}

static sotto_status set_if_valid(sotto_options *o, const char *key, const char *value, sotto_error *err) {
  sotto_i_option row;
  sotto_options resolved = *o;
  sotto_options_resolve(&resolved);
  return sotto_i_option_has(&row, &resolved, key) ? sotto_options_set(o, key, value, err) : SOTTO_OK;
}

static sotto_status choose_options(sotto_options *o, const place *p, const sotto_dataset *data,
                                   sotto_error *err) {
  static const char *const small[][2] = {
      {"epsilon", "3"},       {"delta", "1e-6"}, {"hidden", "8"},       {"encoder-epochs", "10"},
      {"epochs", "5"},        {"rounds", "3"},   {"embed-epochs", "2"}, {"generator-epochs", "2"},
      {"steps", "6"},         {"clients", "3"},  {"fan-out", "3"},      {"checkpoint-every", "0"},
      {"label-epsilon", "2"}, {"anyway", "gain"}}; /* the mechanism is audited, whatever it adds */
  sotto_status status;
  uint64_t most = 1;
  char degree[24];
  sotto_i_options_default(o);
  SOTTO_TRY(sotto_options_set(o, "method", p->method->name, err));
  SOTTO_TRY(sotto_options_set(o, "data", "made", err));
  SOTTO_TRY(sotto_options_set(o, "adjacency", sotto_adjacency_name(p->adjacency), err));
  if (p->variant->key != NULL) SOTTO_TRY(sotto_options_set(o, p->variant->key, p->variant->word, err));
  for (size_t i = 0; i < sizeof small / sizeof *small; i++)
    SOTTO_TRY(set_if_valid(o, small[i][0], small[i][1], err));
  if (sotto_i_option_given(o, "rounds")) SOTTO_TRY(set_if_valid(o, "epochs", "1", err));
  for (uint32_t v = 0; v < data->graph.nodes; v++)
    if (sotto_graph_degree(&data->graph, v) > most) most = sotto_graph_degree(&data->graph, v);
  (void)snprintf(degree, sizeof degree, "%llu", (unsigned long long)most);
  const char *const of_nodes[][2] = {{"max-degree", degree},   {"epsilon", "8"},
                                     {"delta", "1e-4"},        {"release-share", "0.8"},
                                     {"encoder-share", "0.1"}, {"publish-accuracy", "1"}};
  const char *const of_options[][2] = {{"max-degree", degree}, {own_noise, "4"}};
  /* Few neighbours, of which one joins each example: this mechanism is the costliest to account for. */
  const char *const of_samples[][2] = {
      {"max-degree", "4"}, {"degree-cut", "true"}, {"publish-accuracy", "0"}};
  for (size_t i = 0; p->adjacency == SOTTO_ADJACENCY_NODE && i < sizeof of_nodes / sizeof *of_nodes; i++)
    SOTTO_TRY(set_if_valid(o, of_nodes[i][0], of_nodes[i][1], err));
  for (size_t i = 0; p->adjacency == SOTTO_ADJACENCY_NONE && i < sizeof of_options / sizeof *of_options; i++)
    SOTTO_TRY(set_if_valid(o, of_options[i][0], of_options[i][1], err));
  /* Each client adds all of the noise; in other runs they add it together. */
  if (p->adjacency == SOTTO_ADJACENCY_GRAPH) SOTTO_TRY(set_if_valid(o, "noise", "local", err));
  if (p->adjacency == SOTTO_ADJACENCY_CLIENT)
    SOTTO_TRY(set_if_valid(o, "noise", "central", err)); /* or the server adds it */
  sotto_options_resolve(o);
  const bool samples = o->fan_out > 0 && p->adjacency == SOTTO_ADJACENCY_NODE;
  for (size_t i = 0; samples && i < sizeof of_samples / sizeof *of_samples; i++)
    SOTTO_TRY(set_if_valid(o, of_samples[i][0], of_samples[i][1], err));
  SOTTO_TRY(sotto_options_check(o, err));
done:
  return status;
}

sotto_status sotto_self_data(sotto_dataset *out, sotto_error *err) {
  const sotto_sbm_options sbm = {.nodes = 4000,
                                 .classes = 3,
                                 .features = 8,
                                 .degree_inside = 3,
                                 .degree_outside = 1,
                                 .feature_signal = 4};
  sotto_key key;
  sotto_key_public(&key, 1);
  return sotto_generate_sbm(out, &sbm, &key, err);
}

/* Data for a level that `data` does not suit: a collection of graphs, or transfers. Free it in any case. */
static sotto_status make_data(sotto_dataset *out, const sotto_dataset *data, sotto_adjacency level,
                              sotto_error *err) {
  sotto_key key;
  sotto_key_public(&key, 1);
  *out = (sotto_dataset){.name = NULL};
  if (level == SOTTO_ADJACENCY_GRAPH) return sotto_i_self_graphs(out, data, err);
  if (level != SOTTO_ADJACENCY_TRANSFER) return SOTTO_OK;
  return sotto_generate_payments(out, &(sotto_payments_options){.nodes = data->graph.nodes, .dial = 1}, &key,
                                 err);
}

/* The same nodes with numbers to learn in the place of classes, which the caller frees: of each node its
 * class and its first feature. */
static sotto_status give_numbers(sotto_dataset *view, float **numbers, const sotto_dataset *data,
                                 sotto_error *err) {
  const sotto_status status = sotto_i_new_raw(numbers, data->graph.nodes, sizeof **numbers, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < data->graph.nodes; v++)
    (*numbers)[v] = (float)data->labels[v] + data->features.data[v * data->features.cols];
  *view = *data;
  view->storage = NULL;
  view->numbers = *numbers;
  view->labels = NULL;
  return SOTTO_OK;
}

static const char *const all_attacks[] = {"one-run", "canary", "release", NULL};
enum { attacks_each = 3 };

static bool is_tolerated(sotto_status status) {
  return status == SOTTO_OK || status == SOTTO_UNSUPPORTED || status == SOTTO_INVALID ||
         status == SOTTO_RANGE;
}

/* The requested attacks, as far as they succeed. */
static sotto_status run_attacks(sotto_self_result *out, const sotto_i_attacked *as, sotto_error *why) {
  const char *const *names = as->ask.self_attacks == NULL ? all_attacks : as->ask.self_attacks;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; names[i] != NULL && is_tolerated(status); i++) {
    sotto_error this_one = {0};
    status = sotto_i_attack_as(&out->findings, as, names[i], &this_one);
    if (status != SOTTO_OK) *why = this_one;
  }
  return status;
}

/* A variant that cannot be audited is named; another failure is an error of the audit. */
sotto_status sotto_i_self_audit(sotto_self_result *out, size_t number, const sotto_dataset *data,
                                const sotto_audit_ask *ask, const sotto_observer *observer,
                                sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  place p;
  sotto_options options;
  sotto_error why = {0};
  sotto_dataset made = {0}, view;
  float *numbers = NULL;
  const size_t places = find_place(&p, number);
  if (sotto_i_ask_check(ask, err) != SOTTO_OK) return SOTTO_RANGE;
  if (number >= places) return sotto_i_fail(err, SOTTO_RANGE, "%zu: there are %zu variants", number, places);
  *out = (sotto_self_result){.why = ""};
  (void)snprintf(out->method, sizeof out->method, "%s", p.method->name);
  (void)snprintf(out->variant, sizeof out->variant, "%s", p.variant->key == NULL ? "" : p.variant->word);
  (void)snprintf(out->adjacency, sizeof out->adjacency, "%s", sotto_adjacency_name(p.adjacency));
  sotto_status status = make_data(&made, data, p.adjacency, &why);
  const bool counted = status == SOTTO_OK && p.variant->numbers && data->numbers == NULL &&
                       data->labels != NULL && data->features.data != NULL;
  if (counted) status = give_numbers(&view, &numbers, data, &why);
  const sotto_i_attacked as = {.options = &options,
                               .data = numbers != NULL     ? &view
                                       : made.name != NULL ? &made
                                                           : data,
                               .ask = *ask,
                               .observer = observer,
                               .share = (uint32_t)(places * attacks_each)};
  if (status == SOTTO_OK) status = choose_options(&options, &p, as.data, &why);
  if (status == SOTTO_OK) status = run_attacks(out, &as, &why);
  sotto_dataset_free(&made);
  sotto_i_free(numbers);
  if (!is_tolerated(status)) {
    *err = why;
    return status;
  }
  if (out->findings.count == 0)
    (void)snprintf(out->why, sizeof out->why, "%.*s", (int)sizeof out->why - 1, why.text);
  return SOTTO_OK;
}
