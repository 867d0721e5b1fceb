/* The record of a deployment, by the public schema of the registry
 * (github.com/opendp/deployments-registry-data, schemas/deployments-schema.yaml). Optional
 * fields that only a person can fill are left out. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "common/memory.h"
#include "parts.h"

static const char by_person[] = "A person must say.";

/* object[key] = the text: the registry renders all strings as Markdown. */
static sotto_status set_plain(json_t *object, const char *key, const char *text, sotto_error *err) {
  char *plain = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&plain, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for an answer");
  filing_put_plain(out, text);
  const bool failed = ferror(out) != 0;
  const bool written = fclose(out) == 0 && !failed;
  if (written) (void)json_object_set_new(object, key, json_string(plain));
  free(plain);
  return written ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for an answer");
}

/* object[key] = the answer, or nothing where it is a person's. */
static sotto_status set_answer(json_t *object, const char *key, filing_answer answer, const filing_facts *f,
                               sotto_error *err) {
  char *text = NULL;
  const filing_question question = {.answer = answer};
  sotto_status status = filing_answer_text(&text, &question, f, err);
  if (status == SOTTO_OK && text != NULL) status = set_plain(object, key, text, err);
  free(text);
  return status;
}

static json_t *new_in(json_t *object, const char *key) {
  json_t *inner = json_object();
  (void)json_object_set_new(object, key, inner);
  return inner;
}

static void set_text(json_t *object, const char *key, const char *text) {
  (void)json_object_set_new(object, key, json_string(text));
}

/* "sotto-best-customers-2026": letters, digits and single hyphens. */
static void make_slug(char out[160], const filing_facts *f) {
  (void)snprintf(
      out, 160, "sotto-%.40s-%.80s-%.4s", page_words(json_object_get(f->statement, "method"), "name"),
      page_words(json_object_get(f->statement, "dataset"), "name"), page_words(f->statement, "date"));
  char *to = out;
  for (const char *at = out; *at != '\0'; at++) {
    const bool word = isalnum((unsigned char)*at) != 0;
    if (word || to == out || to[-1] != '-') *to++ = word ? (char)tolower((unsigned char)*at) : '-';
  }
  *to = '\0';
}

static sotto_status set_basic(json_t *deployment, const filing_facts *f, sotto_error *err) {
  char name[200], description[600], day[11];
  const json_t *method = json_object_get(f->statement, "method");
  json_t *basic = new_in(deployment, "basic");
  const char *data = page_words(json_object_get(f->statement, "dataset"), "name");
  (void)snprintf(name, sizeof name, "Model of %.*s by %.40s", sotto_i_fitting(data, 80), data,
                 page_words(method, "name"));
  (void)snprintf(description, sizeof description, "A graph neural network trained by sotto: %.400s.",
                 page_words(method, "summary"));
  (void)snprintf(day, sizeof day, "%.10s", page_words(f->statement, "date"));
  const sotto_status status = set_plain(basic, "name", name, err);
  (void)json_object_set_new(basic, "data_curators", json_pack("[s]", by_person));
  set_text(basic, "intended_use", by_person);
  set_text(basic, "data_product_type", "Machine learning model");
  set_text(basic, "data_product_region", by_person);
  set_text(basic, "description", description);
  set_text(basic, "publication_date", day);
  return status;
}

static sotto_status set_privacy(json_t *deployment, const filing_facts *f, sotto_error *err) {
  json_t *variant = new_in(deployment, "dp_variant"), *loss = new_in(deployment, "privacy_loss"), *parameters;
  sotto_status status;
  set_text(variant, "variant_name", filing_delta(f) == 0 ? "Pure DP" : "Approximate DP");
  SOTTO_TRY(set_answer(variant, "data_domain", filing_say_data, f, err));
  SOTTO_TRY(set_answer(variant, "unprotected_quantities", filing_say_unprotected, f, err));
  SOTTO_TRY(set_answer(loss, "privacy_unit", filing_say_unit, f, err));
  SOTTO_TRY(set_answer(loss, "privacy_unit_details", filing_say_adversary, f, err));
  parameters = new_in(loss, "privacy_parameters");
  (void)json_object_set_new(parameters, "epsilon", json_real(filing_epsilon(f)));
  if (filing_delta(f) > 0) (void)json_object_set_new(parameters, "delta", json_real(filing_delta(f)));
  SOTTO_TRY(set_answer(loss, "privacy_parameters_details", filing_say_parameters, f, err));
done:
  return status;
}

static sotto_status set_model(json_t *deployment, const filing_facts *f, sotto_error *err) {
  json_t *model = new_in(deployment, "deployment_model");
  const size_t parties = json_array_size(json_object_get(f->statement, "parties"));
  const bool local = strcmp(page_words(f->statement, "adjacency"), "graph") == 0 && parties > 0;
  set_text(model, "model_name", local ? "Local" : parties > 1 ? "Federated" : "Central");
  const sotto_status status = set_answer(model, "actors", filing_say_actors, f, err);
  set_text(model, "release_type", f->run.together.count > 0 ? "Many releases" : "One release");
  set_text(model, "data_source_type", "Static");
  set_text(model, "access_type", "Non-interactive");
  return status;
}

static sotto_status set_rest(json_t *deployment, const filing_facts *f, sotto_error *err) {
  json_t *accounting = new_in(deployment, "accounting"),
         *implementation = new_in(deployment, "implementation"),
         *administrative = new_in(deployment, "administrative");
  sotto_status status;
  SOTTO_TRY(set_answer(accounting, "post_processing", filing_say_after, f, err));
  SOTTO_TRY(set_answer(accounting, "composition", filing_say_composition, f, err));
  SOTTO_TRY(set_answer(implementation, "mechanisms", filing_say_mechanisms, f, err));
  set_text(implementation, "preprocessing_and_hyperparameter_tuning",
           "Trials of other settings on the same data are charged as each of them is run; what was tried "
           "outside the ledger is "
           "a person's to say.");
  SOTTO_TRY(set_answer(administrative, "sources", filing_say_proof, f, err));
  (void)json_object_set_new(administrative, "registry_authors", json_pack("[s]", by_person));
done:
  return status;
}

void filing_count(filing_made *made, const json_t *value) {
  const json_t *inner;
  size_t i;
  if (json_is_object(value)) {
    void *all = (void *)(uintptr_t)value; /* jansson's iterators take objects that are not const */
    for (void *at = json_object_iter(all); at != NULL; at = json_object_iter_next(all, at))
      filing_count(made, json_object_iter_value(at));
  } else if (json_is_array(value)) {
    json_array_foreach(value, i, inner) filing_count(made, inner);
  } else {
    made->fields++;
    made->filled += json_string_value(value) == NULL || strcmp(json_string_value(value), by_person) != 0;
  }
}

sotto_status filing_registry(json_t **out, const filing_facts *f, sotto_error *err) {
  char slug[160];
  sotto_status status;
  *out = NULL;
  if (!isfinite(filing_epsilon(f)))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: the run, or a later release in its folder, has no guarantee of differential privacy, and the "
        "registry has records of such deployments alone; report a run with noise",
        f->run.name);
  json_t *record = json_object(), *deployment = json_object();
  make_slug(slug, f);
  set_text(record, "url_slug", slug);
  set_text(record, "status", "Draft");
  (void)json_object_set_new(record, "tier", json_integer(3));
  (void)json_object_set_new(record, "deployment", deployment);
  SOTTO_TRY(set_basic(deployment, f, err));
  SOTTO_TRY(set_privacy(deployment, f, err));
  SOTTO_TRY(set_model(deployment, f, err));
  SOTTO_TRY(set_rest(deployment, f, err));
  *out = record;
  record = NULL;
done:
  json_decref(record);
  return status;
}
