/* Defaults of a run: those of the method, and those that depend on the size of the data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "inside/base.h"
#include "options.h"
#include "run/method/method.h"

bool sotto_i_option_has(sotto_i_option *out, const sotto_options *options, const char *key) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  if (method == NULL || !sotto_i_option_find(out, &method->options, key)) return false;
  if (out->adjacencies != 0 && (out->adjacencies & sotto_i_adjacency_bit(options)) == 0) return false;
  if (out->accountings != 0 && (out->accountings & sotto_i_accounting_bit(options)) == 0) return false;
  const sotto_i_variant *v = sotto_i_variant_find(method, options);
  return v == NULL || v->without == NULL || !sotto_i_word_among(key, v->without);
}

void sotto_options_resolve(sotto_options *options) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  SOTTO_I_CHECK(method != NULL);
  sotto_i_defaults_settle(options, method);
}

void sotto_options_settle(sotto_options *options, uint64_t nodes) {
  sotto_i_option row;
  if (sotto_i_option_given(options, "delta") || !sotto_i_option_has(&row, options, "delta")) return;
  if (sotto_i_publishes(options, "delta")) return;
  if (options->adjacency >= SOTTO_ADJACENCY_GRAPH)
    return; /* the size of a graph is private at these levels */
  double delta = 1e-6;
  for (int power = 6; power < 20 && delta * 10 * (double)nodes > 1 + 1e-9; power++)
    delta = pow(10, -(power + 1));
  if (delta < options->delta) options->delta = delta;
}

bool sotto_options_hide_measures(const sotto_options *o) {
  return o->adjacency == SOTTO_ADJACENCY_NODE || o->adjacency == SOTTO_ADJACENCY_GRAPH ||
         o->adjacency == SOTTO_ADJACENCY_CLIENT || o->label_epsilon > 0;
}

bool sotto_options_hide_sizes(const sotto_options *o) {
  return o->adjacency == SOTTO_ADJACENCY_GRAPH || o->adjacency == SOTTO_ADJACENCY_CLIENT;
}

void sotto_options_prune(sotto_options *options) {
  sotto_options usual;
  sotto_i_option row;
  size_t count;
  const sotto_option_info *infos = sotto_i_option_infos(&count);
  sotto_i_options_default(&usual);
  for (size_t i = 0; i < count; i++) {
    if (!options->given[i] || sotto_i_option_has(&row, options, infos[i].key)) continue;
    const sotto_i_option *known = sotto_i_option_known(infos[i].key, NULL);
    memcpy(sotto_i_option_field(options, known), sotto_i_option_field(&usual, known), known->size);
    options->given[i] = false;
  }
}
