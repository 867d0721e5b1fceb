/* The published schema of statements: it describes every property, and the validator finds planted faults.
 * Every method's statement is held to it in tests/methods/test_conformance_statement.c. */
#include "check.h"
#include "inside/dp.h"
#include "inside/run.h"
#include "made_run.h"
#include "run_files.h"
#include "schema.h"
#include "sotto/dp.h"
#include "sotto/generate.h"
#include "sotto/statement.h"

static const char document[] = "docs/statement.schema.json";

/* The statement of a run with these options. */
static json_t *statement_with(const sotto_options *options) {
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  char *text = NULL;
  sotto_result result = check_run(options, &data);
  CHECK_OK(sotto_statement_json(&text, options, &data, &result, &err));
  json_t *statement = json_loads(text, 0, NULL);
  assert_non_null(statement);
  sotto_statement_free(text);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
  check_remove_folder(options->out); /* the next one may be of other options */
  return statement;
}

static json_t *statement_of(const char *method, const char *const *settings) {
  sotto_options options = check_options(method, method);
  check_set_own(&options, settings);
  return statement_with(&options);
}

static json_t *short_statement(const char *method) {
  static const char *const settings[] = {"hidden", "4", "encoder-epochs", "2", "epochs", "2", NULL};
  return statement_of(method, settings);
}

static void check_finding(json_t *schema, json_t *value, const char *words) {
  char finding[512];
  if (check_schema_fits(finding, sizeof finding, schema, value)) fail_msg("a fault was not found: %s", words);
  if (strstr(finding, words) == NULL) fail_msg("'%s' lacks '%s'", finding, words);
}

static void what_a_run_as_published_says_fits(void **state) {
  static const struct {
    const char *method;
    const char *settings[14];
  } cases[] = {
      {"vesper", {"as-published", "true", "hidden", "4", "epochs", "1", "batch-size", "10"}},
      {"caribou", {"as-published", "true", "hidden", "4", "encoder-epochs", "2", "layers", "2"}},
      {"vfgnn", {"as-published", "true", "hidden", "4", "epochs", "2", "layers", "2"}},
      {"feddep", {"as-published", "true", "hidden", "4", "rounds", "2", "embed-epochs", "2", "clients", "2"}},
      {"gwldp", {"as-published", "true", "rounds", "2", "clients", "2", "partition", "alike"}},
  };
  json_t *schema = check_json_document(document);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char finding[512];
    sotto_options options = check_options(cases[i].method, cases[i].method);
    for (size_t k = 0; cases[i].settings[k] != NULL; k += 2)
      check_set(&options, cases[i].settings[k], cases[i].settings[k + 1]);
    json_t *statement = statement_with(&options);
    json_t *said = json_object_get(json_object_get(statement, "details"), "as_published");
    if (!check_schema_fits(finding, sizeof finding, schema, statement)) fail_msg("%s", finding);
    assert_true(json_string_length(json_object_get(said, "claims")) > 0);
    assert_true(json_array_size(json_object_get(said, "not_the_papers")) >= 2);
    json_decref(statement);
  }
  json_decref(schema);
}

/* The account of labels, that of the label party's edges, and a published claim. */
static void accounts_and_claims_fit(void **state) {
  static const char *const settings[][14] = {
      {"publication", "layers", "hidden", "4", "encoder-epochs", "2", "epochs", "2", "label-epsilon", "2",
       "label-edges", "0.5"},
      {"hidden", "4", "epochs", "2", "accounting", "paper", "batch-size", "10"}};
  static const char *const members[][2] = {{"labels", "label_edges"}, {"claim", "claim"}};
  json_t *schema = check_json_document(document);
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    char finding[512];
    json_t *statement = statement_of("vesper", settings[i]);
    for (size_t k = 0; k < 2; k++) assert_true(json_is_object(json_object_get(statement, members[i][k])));
    if (!check_schema_fits(finding, sizeof finding, schema, statement)) fail_msg("%s", finding);
    json_decref(statement);
  }
  json_decref(schema);
}

static void planted_faults_are_found(void **state) {
  json_t *schema = check_json_document(document), *whole = short_statement("gap");
  static const struct {
    const char *within, *key, *value, *words; /* value NULL: the key is removed */
  } faults[] = {
      {NULL, "epsilon", "\"4\"", "$.epsilon: has the wrong type, string"},
      {NULL, "repeats", "1.5", "$.repeats: has the wrong type, number"},
      {NULL, "sound", "null", "$.sound: has the wrong type, null"},
      {NULL, "repeats", "0", "$.repeats: is below the minimum"},
      {NULL, "delta", "-0.5", "$.delta: is below the minimum"},
      {NULL, "verdict_class", "\"fine\"", "$.verdict_class: is none of the values"},
      {NULL, "form", "1", "$.form: is none of the values"},
      {NULL, "not_covered", "[\"a\", 7]", "$.not_covered[1]: has the wrong type, integer"},
      {NULL, "verdict", NULL, "$: lacks verdict"},
      {NULL, "verdikt", "\"\"", "$: has, and the schema does not have, verdikt"},
      {"dataset", "nodes", "\"60\"", "$.dataset.nodes: has the wrong type, string"},
      {"dataset", "nodes", NULL, "$.dataset: lacks nodes"},
      {"dataset", "edges", "9", "$.dataset: has, and the schema does not have, edges"},
      {"ledger", "id", "true", "$.ledger.id: has the wrong type, boolean"},
      {"ledger", "path", "\"/a\"", "$.ledger: has, and the schema does not have, path"},
      {NULL, "verdicts", "[{}]", "$.verdicts[0]: lacks account"},
      {NULL, "mechanisms", "[{}]", "$.mechanisms[0]: lacks mechanism"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    json_t *planted = json_deep_copy(whole);
    json_t *object = faults[i].within == NULL ? planted : json_object_get(planted, faults[i].within);
    if (faults[i].value == NULL)
      assert_int_equal(json_object_del(object, faults[i].key), 0);
    else
      assert_int_equal(
          json_object_set_new(object, faults[i].key, json_loads(faults[i].value, JSON_DECODE_ANY, NULL)), 0);
    check_finding(schema, planted, faults[i].words);
    json_decref(planted);
  }
  json_decref(whole);
  json_decref(schema);
}

static void a_keyword_that_the_validator_does_not_know_is_a_fault(void **state) {
  json_t *value = json_integer(3);
  (void)state;
  static const char *const schemas[][2] = {{"{\"maximum\": 2}", "unknown keyword in its schema, maximum"},
                                           {"{\"$ref\": \"#\"}", "unknown keyword in its schema, $ref"},
                                           {"true", "a schema that is not an object"}};
  for (size_t i = 0; i < 3; i++) {
    json_t *schema = json_loads(schemas[i][0], JSON_DECODE_ANY, NULL);
    check_finding(schema, value, schemas[i][1]);
    json_decref(schema);
  }
  json_decref(value);
}

/* Every schema in the document says its type and what it means; objects are closed, and require only
 * properties that they have. */
static void check_described(const json_t *schema, const char *name) {
  json_t *properties = json_object_get(schema, "properties"), *items = json_object_get(schema, "items"),
         *member;
  const json_t *required = json_object_get(schema, "required");
  const char *key;
  if (json_object_get(schema, "type") == NULL && json_object_get(schema, "enum") == NULL)
    fail_msg("%s has no type", name);
  if (json_string_length(json_object_get(schema, "description")) < 6) fail_msg("%s has no description", name);
  if (properties != NULL && !json_is_false(json_object_get(schema, "additionalProperties")))
    fail_msg("%s takes properties without a schema", name);
  for (size_t i = 0; i < json_array_size(required); i++)
    if (json_object_get(properties, json_string_value(json_array_get(required, i))) == NULL)
      fail_msg("%s requires what it does not describe", name);
  json_object_foreach(properties, key, member) check_described(member, key);
  if (items != NULL) check_described(items, name);
}

static void every_property_is_described(void **state) {
  json_t *schema = check_json_document(document);
  (void)state;
  assert_true(json_string_length(json_object_get(schema, "title")) > 0);
  check_described(schema, "the statement");
  json_decref(schema);
}

static const json_t *property(const json_t *schema, const char *key) {
  return json_object_get(json_object_get(schema, "properties"), key);
}

/* A mechanism that is added later is added to the schema. */
static void every_mechanism_is_in_the_schema(void **state) {
  json_t *schema = check_json_document(document);
  const json_t *item = json_object_get(property(schema, "mechanisms"), "items");
  const json_t *names = json_object_get(property(item, "mechanism"), "enum");
  (void)state;
#define NAME(name, symbol) +1
  assert_int_equal(json_array_size(names), 0 SOTTO_MECHANISM_LIST(NAME));
#undef NAME
  for (size_t i = 0; i < json_array_size(names); i++)
    assert_string_equal(json_string_value(json_array_get(names, i)),
                        sotto_mechanism_name((sotto_mechanism_kind)i));
  json_decref(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accounts_and_claims_fit),
      cmocka_unit_test(what_a_run_as_published_says_fits),
      cmocka_unit_test(planted_faults_are_found),
      cmocka_unit_test(a_keyword_that_the_validator_does_not_know_is_a_fault),
      cmocka_unit_test(every_property_is_described),
      cmocka_unit_test(every_mechanism_is_in_the_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
