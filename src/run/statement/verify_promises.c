/* Verification of a statement against its mechanisms and its method: protected data must have charges, and
 * data that leaves without noise must have a verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/base.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "verify.h"

/* If a party's own ledger is not involved, its releases are counted by the other party. */
static bool is_charged(const json_t *s, const char *account) {
  const json_t *list = json_object_get(s, "mechanisms"), *m;
  size_t i;
  json_array_foreach(list, i, m) {
    const json_t *made = json_object_get(m, "releases_made");
    if (strcmp(sotto_i_verify_words(m, "account"), account) != 0) continue;
    if (!json_is_integer(made) || json_integer_value(made) > 0) return true;
  }
  return false;
}

static sotto_status check_charged(const json_t *s, sotto_error *err) {
  const json_t *list = json_object_get(s, "verdicts"), *v;
  size_t i;
  json_array_foreach(list, i, v) {
    const double epsilon = sotto_i_verify_number(v, "epsilon");
    const char *account = sotto_i_verify_words(v, "account");
    if (!json_is_true(json_object_get(v, "own")) || !(epsilon > 0) || is_charged(s, account)) continue;
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "statement.json: verdicts[%zu] has epsilon %.4g, and no mechanism of account '%s' was "
        "charged: the file was changed",
        i, epsilon, account);
  }
  return SOTTO_OK;
}

/* Is there a verdict, of any party, that grants no protection for this data? */
static bool is_bare(const json_t *s, const char *what) {
  const json_t *list = json_object_get(s, "verdicts"), *v;
  const size_t length = strlen(what);
  size_t i;
  json_array_foreach(list, i, v) {
    const char *of = sotto_i_verify_words(v, "of");
    if (strcmp(sotto_i_verify_words(v, "class"), sotto_guarantee_describe(SOTTO_GUARANTEE_NONE)->name) == 0 &&
        strncmp(of, what, length) == 0 && strncmp(of + length, " of `", 5) == 0)
      return true;
  }
  return false;
}

static sotto_status fail_missing(const char *what, const char *why, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_CORRUPT,
      "statement.json: verdicts has none that says NOT protected of %s, %s: the file was changed", what, why);
}

static sotto_status check_bare(const json_t *s, const sotto_i_description *d, sotto_error *err) {
  const json_t *list = json_object_get(s, "exposed"), *one;
  size_t i;
  if (d->unprotected != NULL && !is_bare(s, "data"))
    return fail_missing("data", "and its method protects none", err);
  for (size_t k = 0; k < d->bare_count; k++)
    if (d->bare[k].what != NULL && !is_bare(s, d->bare[k].what))
      return fail_missing(d->bare[k].what, "and its method shows them without noise", err);
  json_array_foreach(list, i, one) {
    const char *payload = sotto_i_verify_words(one, "payload");
    if (d->first == NULL)
      return sotto_i_fail(
          err, SOTTO_CORRUPT,
          "statement.json: exposed has '%.60s', and one owner sends nothing: the file was changed", payload);
    if (!sotto_i_statement_has_payload(d, payload) && !is_bare(s, "what was sent"))
      return fail_missing("what was sent", "and exposed has a payload that its method does not know", err);
  }
  return SOTTO_OK;
}

/* Releases for predictions have an additional file. */
static sotto_status are_answers(bool *out, const char *folder, sotto_error *err) {
  static const char *const marks[] = {"model.digest", "plan.json"};
  sotto_status status = SOTTO_OK;
  *out = false;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    char *path = NULL;
    status = sotto_i_join(&path, folder, marks[i], err);
    if (status != SOTTO_OK) return status;
    *out = *out || sotto_i_is_file(path);
    sotto_i_free(path);
  }
  return status;
}

/* The method's description of a run with these options and figures. */
static sotto_status describe(sotto_i_description *out, sotto_options *options, const json_t *s,
                             const char *folder, sotto_error *err) {
  const sotto_dataset data = {.name = "", .features = {.cols = 1}}; /* no method trains without features */
  const double labels = sotto_i_verify_number(json_object_get(s, "labels"), "epsilon");
  sotto_result result = {.label_epsilon = labels > 0 ? labels : 0, .private_edges = is_charged(s, "data")};
  const sotto_report report = {options, &data, &result};
  sotto_status status;
  sotto_options_resolve(options);
  SOTTO_TRY(sotto_options_check(options, err));
  const sotto_i_method *method = sotto_i_method_of(options);
  const char *name = sotto_i_verify_words(json_object_get(s, "method"), "name");
  if (strcmp(name, method->name) != 0) {
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "statement.json: method.name is '%.32s', run.yaml has '%s': a file was changed",
                          name, method->name);
    goto done;
  }
  SOTTO_TRY(are_answers(&result.of_answers, folder, err));
  (method->describe != NULL ? method->describe : sotto_i_describe_owner)(out, &report);
done:
  return status;
}

sotto_status sotto_i_verify_promises(const json_t *s, const char *folder, sotto_error *err) {
  sotto_options options;
  sotto_i_description d = {.adversary = ""};
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(check_charged(s, err));
  SOTTO_TRY(sotto_i_join(&path, folder, "run.yaml", err));
  if (!sotto_i_is_file(path)) goto done; /* the evidence, if there is one, reports it as missing */
  sotto_i_options_default(&options);
  SOTTO_TRY(sotto_options_read(&options, path, err));
  SOTTO_TRY(describe(&d, &options, s, folder, err));
  SOTTO_TRY(check_bare(s, &d, err));
done:
  sotto_i_free(path);
  return status;
}
