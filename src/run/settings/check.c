/* Checks of options against each other and against the method, before any work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alert_rule.h"
#include "base/error.h"
#include "inside/base.h"
#include "options.h"
#include "run/method/method.h"

enum { adjacency_count = SOTTO_ADJACENCY_CLIENT + 1 };

/* The names of a set of adjacencies, as "none, edge or node". */
static void name_adjacencies(char *out, size_t size, unsigned set) {
  size_t used = 0, left = 0;
  for (unsigned rest = set; rest != 0; rest &= rest - 1) left++;
  out[0] = '\0';
  for (unsigned i = 0; i < adjacency_count; i++) {
    if ((set & 1U << i) == 0) continue;
    left--;
    int more = snprintf(out + used, size - used, "%s%s", sotto_adjacency_name((sotto_adjacency)i),
                        left > 1    ? ", "
                        : left == 1 ? " or "
                                    : "");
    if (more < 0 || (used += (size_t)more) >= size) return;
  }
}

/* The methods that have an option, as text for a message. */
static void name_methods(char *out, size_t size, const char *key) {
  size_t used = 0;
  sotto_i_option row;
  out[0] = '\0';
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    if (!sotto_i_option_find(&row, &sotto_i_methods()[m]->options, key)) continue;
    int more = snprintf(out + used, size - used, "%s%s", used == 0 ? "" : ", ", sotto_i_methods()[m]->name);
    if (more < 0 || (used += (size_t)more) >= size) return;
  }
}

/* Other variants of this adjacency and accounting that have an option, as "holders 2 or task regression":
 * those that are chosen before `v`, and those of another word for the same key. */
static void name_variants(char *out, size_t size, const sotto_options *o, const sotto_i_method *method,
                          const sotto_i_variant *v, const char *key) {
  size_t used = 0;
  out[0] = '\0';
  for (const sotto_i_variant *w = method->variants; w < method->variants + method->variant_count; w++) {
    if ((w->adjacencies & sotto_i_adjacency_bit(o)) == 0 || (w->accountings & sotto_i_accounting_bit(o)) == 0)
      continue;
    if (w->key == NULL || (w->without != NULL && sotto_i_word_among(key, w->without))) continue;
    if (w > v && strcmp(w->key, v->key) != 0) continue;
    const int more = snprintf(out + used, size - used, "%s%s %s", used == 0 ? "" : " or ", w->key, w->word);
    if (more < 0 || (used += (size_t)more) >= size) return;
  }
}

static sotto_status fail_in_variant(const sotto_options *o, const sotto_i_method *method,
                                    const sotto_i_variant *v, const char *key, sotto_error *err) {
  char others[200];
  name_variants(others, sizeof others, o, method, v, key);
  const bool any = others[0] != '\0';
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has no meaning with %s %s%s%s%s%s%s", key, v->key, v->word,
                      sotto_i_option_given(o, v->key) ? "" : ", the default here", any ? "; method " : "",
                      any ? o->method : "", any ? " has it with " : "", others);
}

/* Fails with the reason why the method does not have this option. */
static sotto_status fail_foreign(const sotto_options *o, const sotto_i_method *method, const char *key,
                                 sotto_error *err) {
  sotto_i_option row;
  char names[300];
  unsigned all = 0;
  if (!sotto_i_option_find(&row, &method->options, key)) {
    name_methods(names, sizeof names, key);
    return sotto_i_fail(err, SOTTO_INVALID, "%s: method %s has no such option; these have it: %s", key,
                        o->method, names);
  }
  if (row.accountings != 0 && (row.accountings & sotto_i_accounting_bit(o)) == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no meaning with accounting %s", key,
                        sotto_accounting_name(o->accounting));
  const sotto_i_variant *v = sotto_i_variant_find(method, o);
  if (v != NULL && v->without != NULL && sotto_i_word_among(key, v->without))
    return fail_in_variant(o, method, v, key, err);
  for (size_t i = 0; i < method->variant_count; i++) all |= method->variants[i].adjacencies;
  name_adjacencies(names, sizeof names, row.adjacencies & all);
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has no meaning with adjacency %s; method %s has it with %s",
                      key, sotto_adjacency_name(o->adjacency), o->method, names);
}

/* No given option may be ignored. */
static sotto_status check_given(const sotto_options *o, const sotto_i_method *method, sotto_error *err) {
  size_t count;
  const sotto_option_info *infos = sotto_i_option_infos(&count);
  for (size_t i = 0; i < count; i++) {
    sotto_i_option row;
    char value[1024];
    if (!o->given[i]) continue;
    if (!sotto_i_option_has(&row, o, infos[i].key)) return fail_foreign(o, method, infos[i].key, err);
    if (row.type != SOTTO_WORD || row.choices[0] == '\0') continue;
    sotto_i_option_value(value, sizeof value, o, &row);
    if (!sotto_i_word_among(value, row.choices))
      return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: method %s does not have '%s', but: %s", row.key,
                          o->method, value, row.choices);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_check_method(const sotto_options *o, sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_named(o->method);
  char names[80];
  unsigned set = 0, all = 0;
  if (method == NULL) return sotto_i_fail(err, SOTTO_INVALID, "method: there is no '%.32s'", o->method);
  for (size_t i = 0; i < method->variant_count; i++) {
    all |= method->variants[i].adjacencies;
    if (method->variants[i].accountings & sotto_i_accounting_bit(o)) set |= method->variants[i].adjacencies;
  }
  if (set & sotto_i_adjacency_bit(o)) return SOTTO_OK;
  if (all & sotto_i_adjacency_bit(o))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "accounting: method %s does not have '%s' with adjacency %s",
                        o->method, sotto_accounting_name(o->accounting), sotto_adjacency_name(o->adjacency));
  name_adjacencies(names, sizeof names, all);
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "adjacency: %s does not protect '%s', but %s: %s", o->method,
                      sotto_adjacency_name(o->adjacency), names, method->protects);
}

/* Checks wherever noise may be asked for. */
static sotto_status check_privacy(const sotto_options *o, sotto_error *err) {
  sotto_i_option row;
  if (o->adjacency == SOTTO_ADJACENCY_TRANSFER && o->degree_cut)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "degree-cut: has no meaning with adjacency transfer, which counts no edges");
  if (!sotto_i_option_has(&row, o, "epsilon")) return SOTTO_OK;
  if (!(o->epsilon >= row.least && o->epsilon > 0) && strcmp(row.fallback, "0") != 0)
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be above 0, or inf");
  if (!(o->delta >= 0 && o->delta < 1)) /* 0 is allowed if all releases turn out to be pure (plan.c) */
    return sotto_i_fail(err, SOTTO_RANGE, "delta: must be at least 0 and below 1");
  return SOTTO_OK;
}

/* The value of a REAL option. */
static double number_of(const sotto_options *options, const sotto_i_option *row) {
  char text[64];
  sotto_i_option_value(text, sizeof text, options, row);
  return strtod(text, NULL);
}

/* Checks for every node-level variant. */
static sotto_status check_node_level(const sotto_options *o, sotto_error *err) {
  sotto_i_option row;
  if (o->feature_scale == SOTTO_FEATURE_SCALE_STANDARD)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "feature-scale: the means of columns depend on every node; at node level take l2 or none");
  if (sotto_i_option_has(&row, o, "batch-rate") && !(number_of(o, &row) > 0))
    return sotto_i_fail(err, SOTTO_RANGE, "batch-rate: must be above 0");
  if (!isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be finite at node level; or take adjacency none");
  if (sotto_i_option_has(&row, o, "max-degree") && o->max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "max-degree: node level of %s needs a declared bound on the neighbours of a node",
                        o->method);
  sotto_i_option encoder;
  if (sotto_i_option_has(&row, o, "release-share") && sotto_i_option_has(&encoder, o, "encoder-share") &&
      number_of(o, &encoder) + number_of(o, &row) > 0.99)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "encoder-share and release-share leave no budget for the classifier");
  return SOTTO_OK;
}

sotto_status sotto_i_check_floor(const sotto_options *o, sotto_error *err) {
  if (o->degree_floor >= 1 || o->aggregator == SOTTO_LAYER_GIN || !sotto_i_job_wants_privacy(o))
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "degree-floor: must be at least 1 for a private release with %s: without a floor one "
                      "edge may change a row as much as it can change",
                      sotto_layer_name(o->aggregator));
}

sotto_status sotto_i_check_node_combine(const sotto_options *o, sotto_error *err) {
  if (o->adjacency != SOTTO_ADJACENCY_NODE || o->combine == SOTTO_COMBINE_CAT) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "combine: node level has cat alone");
}

/* Accuracy is published only as a count of known sensitivity. */
static sotto_status check_published(const sotto_options *o, sotto_error *err) {
  const char *why = "how many answers one node changes is not known there";
  if (!(o->publish_accuracy > 0)) return SOTTO_OK;
  if (!sotto_options_hide_measures(o))
    why = "measures follow there from what may be known, and result.json has them";
  else if (sotto_i_has_clients(o))
    why = "each client measures its own items, and sends nothing of it";
  else if (sotto_i_is_of_two(o) && !sotto_i_variant_of(o)->one_owner)
    why = "the label party measures by its own labels, for itself";
  else if (o->degree_cut)
    why = "with degree-cut which edges are dropped depends on all, so one node may change any answer";
  else if (sotto_i_variant_of(o)->answers_moved != NULL)
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "publish-accuracy: not with %s at adjacency %s: %s", o->method,
                      sotto_adjacency_name(o->adjacency), why);
}

/* The methods with a variant that learns numbers, as text for a message. */
static void name_regressions(char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (const sotto_i_method *const *m = sotto_i_methods(); *m != NULL; m++) {
    bool numbers = false;
    for (size_t v = 0; v < (*m)->variant_count; v++) numbers = numbers || (*m)->variants[v].numbers;
    if (!numbers) continue;
    const int more = snprintf(out + used, size - used, "%s%s", used == 0 ? "" : ", ", (*m)->name);
    if (more < 0 || (used += (size_t)more) >= size) return;
  }
}

/* Regression needs a method that offers it, and public labels: the network is scaled by the mean and
 * deviation of labels, which have no noise. */
static sotto_status check_task(const sotto_options *o, sotto_error *err) {
  char names[300];
  if (!sotto_i_learns_numbers(o)) return SOTTO_OK;
  name_regressions(names, sizeof names);
  if (o->label_epsilon > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "task: with label-epsilon classes are reported with noise, and numbers cannot be; "
                        "leave label-epsilon out, or learn classes");
  if (sotto_options_hide_measures(o))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "task: at %s level labels are protected, and numbers are learnt where they are "
                        "public, by %s; take adjacency edge or none, or learn classes",
                        sotto_adjacency_name(o->adjacency), names);
  const sotto_i_variant *found = sotto_i_variant_find(sotto_i_method_of(o), o);
  if (found != NULL && found->numbers) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "task: %s with adjacency %s learns classes alone; these methods learn numbers: %s",
                      o->method, sotto_adjacency_name(o->adjacency), names);
}

/* A split by time reads days of nodes, and which nodes have a label; parts and the end of the past follow
 * from these. */
static sotto_status check_time(const sotto_options *o, sotto_error *err) {
  const bool clients = sotto_i_has_clients(o);
  if (o->split != SOTTO_SPLITTING_TIME) return SOTTO_OK;
  if (o->adjacency > SOTTO_ADJACENCY_EDGE)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "split: a split by time follows from the days of all nodes, which %s level protects; "
                        "take random, or adjacency edge",
                        sotto_adjacency_name(o->adjacency));
  if (!clients) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "split: %s divides the nodes among clients, who would have to agree on a day; take random, "
      "or cut each table by `sotto data window`",
      o->method);
}

/* Folds without a k-fold split would be ignored. The default is allowed: a run file has every option. */
static sotto_status check_folds(const sotto_options *o, sotto_error *err) {
  sotto_options usual;
  sotto_i_options_default(&usual);
  if (o->split == SOTTO_SPLITTING_KFOLD || o->folds == usual.folds) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "folds: %llu folds have no meaning with another split than kfold; set split to kfold, or "
      "leave folds out",
      (unsigned long long)o->folds);
}

static sotto_status check_run(const sotto_options *o, sotto_error *err) {
  sotto_alert_rule rule;
  if (o->data[0] == '\0')
    return sotto_i_fail(err, SOTTO_INVALID, "data: no dataset was named; give its path");
  if (o->train_share + o->validation_share >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "train-share and validation-share leave no node to test on");
  if (o->split == SOTTO_SPLITTING_KFOLD && o->seeds > o->folds)
    return sotto_i_fail(err, SOTTO_RANGE, "seeds: %llu repeats of %llu folds; at most one a fold",
                        (unsigned long long)o->seeds, (unsigned long long)o->folds);
  if (!(o->learning_rate > 0)) return sotto_i_fail(err, SOTTO_RANGE, "learning-rate: must be above 0");
  sotto_status status = check_folds(o, err);
  if (status == SOTTO_OK) status = check_time(o, err);
  if (status != SOTTO_OK) return status;
  if (o->degree_cut && o->max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "degree-cut: needs max-degree, the bound to cut to");
  return sotto_i_alert_rule(&rule, o, err);
}

sotto_status sotto_options_check(const sotto_options *options, sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  sotto_status status;
  SOTTO_TRY(sotto_i_check_method(options, err));
  SOTTO_TRY(check_task(options, err));
  SOTTO_TRY(check_published(options, err));
  SOTTO_TRY(check_given(options, method, err));
  SOTTO_TRY(check_run(options, err));
  SOTTO_TRY(check_privacy(options, err));
  if (options->adjacency == SOTTO_ADJACENCY_NODE) SOTTO_TRY(check_node_level(options, err));
  if (method->check != NULL) SOTTO_TRY(method->check(options, err));
done:
  return status;
}
