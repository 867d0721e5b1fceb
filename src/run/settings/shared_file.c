/* Run files that parties exchange. They may set what parties agree on, but nothing that weakens privacy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "options.h"
#include "run/method/method.h"

/* The option that leaves the graph without noise: the method, if it has none at any level. NULL: there is
 * noise, no edge is used, or there is no such method. */
static const char *without_noise(const sotto_options *options) {
  const sotto_i_method *method = sotto_i_method_named(options->method);
  const sotto_i_variant *variant = method == NULL ? NULL : sotto_i_variant_find(method, options);
  if (variant == NULL || !variant->edges) return NULL;
  if (options->adjacency == SOTTO_ADJACENCY_NONE) return "adjacency";
  if (!sotto_i_variant_has_noise(variant)) return "method";
  return sotto_i_job_wants_privacy(options) ? NULL : "epsilon";
}

const char *sotto_options_warning(const sotto_options *options) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  if (resolved.insecure_seed != SOTTO_UNSET) return "NOT PRIVATE: noise and masks come from a fixed seed";
  if (without_noise(&resolved) != NULL) return "NOT PRIVATE: this run adds no noise";
  if (resolved.accounting == SOTTO_ACCOUNTING_PAPER)
    return "NOT PRIVATE as claimed: noise is as published, and the published claim does not hold";
  return NULL;
}

/* All parties agree on counting edges between clients; which client has which nodes follows from their
 * files. */
static bool counts_linked_edges(const char *key, const char *value) {
  return strcmp(key, "partition") == 0 && strcmp(value, "linked:alike") == 0;
}

sotto_status sotto_i_check_shared_key(const char *key, const char *value, sotto_error *err) {
  if (sotto_i_option_known(key, NULL) == NULL || sotto_option_is_shared(key)) return SOTTO_OK;
  if (counts_linked_edges(key, value)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "'%s' is an option of one machine, which a run file of several parties cannot set: remove "
      "it from the file, and give it on your own command line",
      key);
}

static sotto_status fail_shared(const char *what, const char *key, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s, which weakens privacy: each party has to ask for it itself; give '%s' on your own "
                      "command line, or remove it from the file",
                      what, key);
}

/* Checks options that put more trust in another party. */
static sotto_status check_asked(const sotto_options *resolved, const sotto_options *by_hand,
                                sotto_error *err) {
  size_t count;
  const sotto_option_info *infos = sotto_i_option_infos(&count);
  for (size_t i = 0; i < count; i++) {
    const sotto_i_option *row = sotto_i_option_known(infos[i].key, NULL);
    sotto_i_option own;
    char value[64], what[128];
    if (row->asked == NULL || !sotto_i_option_has(&own, resolved, row->key)) continue;
    sotto_i_option_value(value, sizeof value, resolved, row);
    if (strcmp(value, row->asked) != 0 || sotto_i_option_given(by_hand, row->key)) continue;
    (void)snprintf(what, sizeof what, "the run file sets '%.40s' to %.40s", row->key, value);
    return fail_shared(what, row->key, err);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_check_consent(const sotto_options *options, const sotto_options *by_hand,
                                   sotto_error *err) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  const sotto_status known = sotto_i_check_method(&resolved, err);
  if (known != SOTTO_OK) return known;
  if (resolved.insecure_seed != SOTTO_UNSET && !sotto_i_option_given(by_hand, "insecure-seed"))
    return fail_shared("the run file sets 'insecure-seed'", "insecure-seed", err);
  if (resolved.as_published && !by_hand->as_published)
    return fail_shared("the run file sets 'as-published'", "as-published", err);
  if (resolved.accounting == SOTTO_ACCOUNTING_PAPER && !sotto_i_option_given(by_hand, "accounting") &&
      !by_hand->as_published)
    return fail_shared("the run file sets 'accounting' to paper", "accounting", err);
  const char *cause = without_noise(&resolved);
  const bool never = cause != NULL && strcmp(cause, "method") == 0;
  sotto_status status = check_asked(&resolved, by_hand, err);
  if (status != SOTTO_OK) return status;
  if (cause == NULL || sotto_i_option_given(by_hand, cause)) return SOTTO_OK;
  if (!never && sotto_i_option_given(options, cause))
    return fail_shared(strcmp(cause, "epsilon") == 0 ? "the run file sets 'epsilon' to inf"
                                                     : "the run file sets 'adjacency' to none",
                       cause, err);
  if (sotto_i_option_given(by_hand, "method")) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "method %s adds no noise: each party has to ask for that itself; give 'method'%s%s%s on "
      "your own command line",
      resolved.method, never ? "" : " or '", never ? "" : cause, never ? "" : "'");
}
