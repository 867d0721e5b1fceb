/* Checks of a run folder: what a run leaves holds together, and whatever is edited afterwards is found by its
 * name. */
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "common/file.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/dp.h"
#include "sotto/generate.h"
#include "sotto/guarantee.h"
#include "sotto/statement.h"
#include "spending.h"

static sotto_options options;

/* One run with Gaussian noise, charged to a ledger of its own. */
static int train_once(void **state) {
  static const char *const settings[] = {"hidden", "4", "encoder-epochs", "2", "epochs", "2", "epsilon",
                                         "40",     NULL};
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  (void)state;
  options = check_options("gap", "run");
  check_set_own(&options, settings);
  check_set(&options, "ledger", check_new_ledger(check_path("own.db")));
  sotto_result result = check_run(&options, &data);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
  return 0;
}

static json_t *load(const char *name) {
  json_t *root = json_load_file(check_in(&options, name), 0, NULL);
  assert_non_null(root);
  return root;
}

/* Puts an object in the place of a file, whose bytes it returns. */
static char *swap(const char *name, json_t *root) {
  char *before = NULL;
  size_t size = 0;
  CHECK_OK(app_read_file(&before, &size, check_in(&options, name), &err));
  assert_int_equal(json_dump_file(root, check_in(&options, name), JSON_INDENT(2) | JSON_REAL_PRECISION(10)),
                   0);
  json_decref(root);
  return before;
}

static void put_back(const char *name, char *before) {
  CHECK_OK(app_write_file(check_in(&options, name), before, strlen(before), &err));
  free(before);
}

static const sotto_statement_ask *asking(void) {
  static sotto_statement_ask ask;
  ask = (sotto_statement_ask){.ledger = options.ledger};
  return &ask;
}

static void what_a_run_leaves_holds(void **state) {
  sotto_statement_check check;
  (void)state;
  CHECK_OK(sotto_statement_verify(&check, options.out, asking(), &err));
  assert_int_equal(check.by, SOTTO_SIGNED_BY_LEDGER_KEY);
  assert_true(check.key_known && check.charges_checked && check.files >= 5);
  assert_int_equal(check.charges, 1);
  assert_int_equal(check.later, 0);
  CHECK_NEAR(check.epsilon, 40, 0.01);
  CHECK_OK(sotto_statement_verify(&check, options.out, &(sotto_statement_ask){.no_ledger = true}, &err));
  assert_true(!check.charges_checked && !check.key_known && check.ledger_note[0] != '\0');
}

static void set(json_t *s, const char *field, double value) {
  json_object_set_new(s, field, json_real(value));
}

/* The claim that a statement makes in all places at once, so that it fits itself. */
static void claim_one(json_t *s) {
  static const char text[] = "edges of `owner`: epsilon 1, a guess is right at most 74 times of 100 (strong)";
  const json_t *list = json_object_get(s, "verdicts");
  json_t *v = json_array_get(list, 0);
  set(s, "epsilon", 1);
  set(s, "total_epsilon", 1);
  set(v, "epsilon", 1);
  set(v, "guess", sotto_guarantee_guess(1, json_number_value(json_object_get(v, "delta"))));
  json_object_set_new(v, "class", json_string("strong"));
  json_object_set_new(v, "colour", json_string("green"));
  json_object_set_new(v, "text", json_string(text));
  json_object_set_new(
      s, "verdict",
      json_sprintf("%s; %s", text, json_string_value(json_object_get(json_array_get(list, 1), "text"))));
}

static void check_found(json_t *edited, const char *name, const sotto_statement_ask *ask, const char *words) {
  sotto_statement_check check;
  char *before = swap(name, edited);
  CHECK_FAILS(SOTTO_CORRUPT, words, sotto_statement_verify(&check, options.out, ask, &err));
  put_back(name, before);
}

/* By the ledger; without it by the result; without that by the digest. */
static void a_smaller_epsilon_is_found_by_each_check(void **state) {
  const sotto_statement_ask blind = {.no_ledger = true};
  (void)state;
  json_t *s = load("statement.json");
  claim_one(s);
  check_found(json_deep_copy(s), "statement.json", asking(),
              "epsilon is 1, the charges of its ledger compose to 40");
  check_found(json_deep_copy(s), "statement.json", &blind, "result.json has \"edges of `owner`: epsilon 40");
  json_t *result = load("result.json");
  json_object_set(result, "privacy", s);
  char *kept = swap("result.json", result);
  check_found(s, "statement.json", &blind, "result.json: was changed");
  put_back("result.json", kept);
}

static void one_edited_field_is_named(void **state) {
  const sotto_statement_ask blind = {.no_ledger = true};
  static const struct {
    const char *field, *value, *words;
    bool by_ledger;
  } edits[] = {{"epsilon", "1.0", "epsilon is 1, total_epsilon of 1 trainings is 40", false},
               {"total_epsilon", "1.0", "epsilon is 1, the charges of its ledger compose to 40", true},
               {"total_epsilon", "1.0", "verdicts[0].epsilon is 40, total_epsilon is 1", false},
               {"delta", "0.0", "delta", true},
               {"delta", "0.0", "verdicts[0].delta", false},
               {"charges_made", "0", "charges_made is 0, its ledger has 1", true},
               {"verdict", "\"private\"", "verdicts[0].text does not follow from verdict", false},
               {"verdict_class", "\"strong\"", "verdict_class does not follow", false},
               {"charges_made", "null", "charges_made is nan, its ledger has 1", true},
               {"ledger", "null", "ledger is null, and", true},
               {"ledger", "null", "charges_made is 1, and ledger is null", false},
               {"adjacency", "\"node\"", "adjacency is node, its ledger has charges at edge level", true},
               {"adjacency", "\"none\"", "adjacency is none, its ledger has charges at edge level", true},
               {"adjacency", "\"node\"", "verdicts[0].of does not follow from adjacency", false},
               {"sound", "false", "sound is false, result.json has true", false},
               {"not_covered", "[]", "not_covered is [], result.json has", false},
               {"insecure", "true", "verdicts[0].class does not follow from insecure", false}};
  (void)state;
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    json_t *s = load("statement.json");
    json_object_set_new(s, edits[i].field, json_loads(edits[i].value, JSON_DECODE_ANY, NULL));
    check_found(s, "statement.json", edits[i].by_ledger ? asking() : &blind, edits[i].words);
  }
}

/* A verdict that is better than its figures, and releases that are fewer than the charges. */
static void a_better_verdict_is_found(void **state) {
  static const char *const edits[][3] = {{"class", "moderate", "verdicts[0].class"},
                                         {"colour", "green", "verdicts[0].colour"},
                                         {"text", "edges of `owner`: epsilon 4", "verdicts[0].text"}};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    json_t *s = load("statement.json");
    json_object_set_new(json_array_get(json_object_get(s, "verdicts"), 0), edits[i][0],
                        json_string(edits[i][1]));
    check_found(s, "statement.json", asking(), edits[i][2]);
  }
  json_t *s = load("statement.json");
  json_object_set_new(json_array_get(json_object_get(s, "mechanisms"), 0), "releases_made", json_integer(0));
  check_found(s, "statement.json", asking(), "mechanisms[0].releases_made is 0, its ledger has 1");
}

static void edited_evidence_is_found(void **state) {
  (void)state;
  json_t *e = load("evidence.json");
  json_object_set_new(json_object_get(e, "files"), "run.yaml", json_string("00"));
  check_found(e, "evidence.json", asking(), "signature does not hold");
  e = load("evidence.json");
  json_object_set_new(e, "key",
                      json_string("0000000000000000000000000000000000000000000000000000000000000000"));
  check_found(e, "evidence.json", asking(), "signature does not hold");
  e = load("evidence.json");
  json_object_set_new(e, "by", json_string("somebody"));
  check_found(e, "evidence.json", asking(), "by is 'somebody'");
  e = load("evidence.json");
  json_object_set_new(e, "by",
                      json_string("nobody")); /* digests still hold: what remains is unsigned, and says so */
  char *before = swap("evidence.json", e);
  sotto_statement_check check;
  CHECK_OK(sotto_statement_verify(&check, options.out, asking(), &err));
  assert_int_equal(check.by, SOTTO_SIGNED_BY_NOBODY);
  put_back("evidence.json", before);
}

/* What whoever has the folder can take away, so that only the ledger is left to compare with. */
typedef struct taken {
  char *evidence, *result;
} taken;

static taken take_away(void) {
  taken t = {.evidence = NULL};
  t.evidence = swap("evidence.json", json_object());
  t.result = swap("result.json", json_object());
  assert_int_equal(unlink(check_in(&options, "evidence.json")), 0);
  return t;
}

static void bring_back(taken t) {
  put_back("evidence.json", t.evidence);
  put_back("result.json", t.result);
}

/* Nothing was charged, the statement says, and the ledger that is at hand knows better. */
static void a_statement_that_hides_its_charges_is_found(void **state) {
  static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
  (void)state;
  const taken t = take_away();
  json_t *s = load("statement.json"), *m = json_array_get(json_object_get(s, "mechanisms"), 0);
  claim_one(s);
  json_object_set_new(s, "charges_made", json_integer(0));
  json_object_set_new(m, "releases_made", json_integer(0));
  json_t *other = json_deep_copy(s), *none = json_deep_copy(s);
  json_object_set_new(s, "ledger", json_null());
  check_found(s, "statement.json", asking(), "ledger is null, and");
  json_object_set_new(none, "ledger", json_null());
  json_object_set_new(none, "mechanisms", json_array());
  check_found(none, "statement.json", asking(), "has 1 charges of this run");
  check_found(other, "statement.json", asking(), "releases_made is 0, its ledger has 1");
  s = load("statement.json");
  json_object_set_new(json_object_get(s, "ledger"), "id", json_string(zeros));
  char *before = swap("statement.json", s);
  sotto_statement_check check;
  CHECK_FAILS(SOTTO_INVALID, "another ledger", sotto_statement_verify(&check, options.out, asking(), &err));
  put_back("statement.json", before);
  bring_back(t);
}

/* The moment of an earlier run, after which all charges of this one would be later ones. */
static void an_earlier_moment_of_the_chain_hides_nothing(void **state) {
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  static const char *const settings[] = {"hidden", "4", "encoder-epochs", "2", "epochs", "2", "epsilon",
                                         "3",      NULL};
  sotto_dataset data = check_communities(&sbm);
  const sotto_options first = options;
  (void)state;
  options = check_options("gap", "second");
  check_set_own(&options, settings);
  check_set(&options, "ledger", first.ledger);
  sotto_result result = check_run(&options, &data);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
  const sotto_options second = options;
  options = first;
  json_t *earlier = load("statement.json");
  options = second;
  json_t *s = load("statement.json"), *m = json_array_get(json_object_get(s, "mechanisms"), 0);
  json_object_set(s, "ledger", json_object_get(earlier, "ledger"));
  json_object_set_new(s, "charges_made", json_integer(0));
  json_object_set_new(m, "releases_made", json_integer(0));
  json_decref(earlier);
  const taken t = take_away();
  check_found(s, "statement.json", asking(), "mechanisms[0].releases_made is 0, its ledger has 1");
  bring_back(t);
  sotto_statement_check check;
  CHECK_OK(sotto_statement_verify(&check, second.out, asking(), &err));
  assert_true(check.account_known && !check.account_alone && check.since_charges == 0);
  assert_int_equal(check.account_charges, 2);
  assert_true(check.account_epsilon > 40);
  options = first;
  CHECK_OK(sotto_statement_verify(&check, first.out, asking(), &err));
  assert_true(check.account_known && !check.account_alone && check.charges == 1);
  assert_int_equal(check.since_charges, 1);
  CHECK_NEAR(check.since_epsilon, 3, 1); /* at the account's own delta */
}

/* All that an entry of the ledger has. */
static void a_figure_that_the_ledger_has_is_compared(void **state) {
  static const char *const edits[][2] = {{"noise", "50.0"},
                                         {"sensitivity", "0.1"},
                                         {"mu", "0.1"},
                                         {"epsilon", "0.5"},
                                         {"rate", "0.01"},
                                         {"steps", "7"},
                                         {"adjacency", "\"node\""},
                                         {"mechanism", "\"laplace\""},
                                         {"account", "\"other\""},
                                         {"releases_made", "null"}};
  (void)state;
  const taken t = take_away();
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    char words[60];
    json_t *s = load("statement.json");
    json_object_set_new(json_array_get(json_object_get(s, "mechanisms"), 0), edits[i][0],
                        json_loads(edits[i][1], JSON_DECODE_ANY, NULL));
    (void)snprintf(words, sizeof words, "mechanisms[0].%s is ", edits[i][0]);
    check_found(s, "statement.json", asking(), words);
  }
  bring_back(t);
}

/* Takes a verdict out of all places where it stands. */
static void take_verdict(json_t *s, size_t number) {
  json_t *list = json_object_get(s, "verdicts"), *text = json_string("");
  assert_int_equal(json_array_remove(list, number), 0);
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_t *longer = json_sprintf("%s%s%s", json_string_value(text), i == 0 ? "" : "; ",
                                  json_string_value(json_object_get(json_array_get(list, i), "text")));
    json_decref(text);
    text = longer;
  }
  json_object_set_new(s, "verdict", text);
}

/* What leaves without noise, or is published, keeps its verdict. */
static void what_is_not_protected_keeps_its_verdict(void **state) {
  const sotto_statement_ask blind = {.no_ledger = true};
  (void)state;
  taken t = take_away();
  json_t *s = load("statement.json");
  take_verdict(s, 1);
  json_object_set_new(s, "verdict_class", json_string("vacuous")); /* epsilon 40 */
  check_found(s, "statement.json", &blind, "NOT protected of features and labels");
  s = load("statement.json");
  json_object_set_new(s, "exposed",
                      json_pack("[{s:s,s:s,s:s}]", "party", "owner", "payload", "rows", "why", "planted"));
  check_found(s, "statement.json", &blind, "exposed has 'rows', and one owner sends nothing");
  bring_back(t);
  const sotto_options first = options;
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  options = check_options("vesper", "two");
  check_set_own(&options, (const char *const[]){"hidden", "4", "encoder-epochs", "2", "epochs", "2",
                                                "epsilon", "3", NULL});
  check_set(&options, "ledger", check_new_ledger(check_path("two.db")));
  sotto_result result = check_run(&options, &data);
  sotto_result_free(&result);
  t = take_away();
  s = load("statement.json"); /* edges, features, labels */
  take_verdict(s, 2);
  check_found(s, "statement.json", &blind, "NOT protected of labels");
  s = load("statement.json");
  json_object_set_new(json_array_get(json_object_get(s, "exposed"), 0), "payload", json_string("rows"));
  check_found(s, "statement.json", &blind, "NOT protected of what was sent");
  bring_back(t);
  options = first;
  sotto_dataset_free(&data);
}

/* A verdict with an epsilon needs a charge. */
static void what_is_protected_has_a_charge(void **state) {
  const sotto_statement_ask blind = {.no_ledger = true};
  (void)state;
  const taken t = take_away();
  json_t *s = load("statement.json");
  json_object_set_new(s, "mechanisms", json_array());
  check_found(s, "statement.json", &blind, "verdicts[0] has epsilon 40, and no mechanism of account 'data'");
  s = load("statement.json");
  json_object_set_new(json_array_get(json_object_get(s, "mechanisms"), 0), "releases_made", json_integer(0));
  check_found(s, "statement.json", &blind, "verdicts[0] has epsilon 40, and no mechanism of account 'data'");
  s = load("statement.json");
  json_object_set_new(json_object_get(s, "method"), "name", json_string("mlp"));
  check_found(s, "statement.json", &blind, "method.name is 'mlp', run.yaml has 'gap'");
  bring_back(t);
}

/* Of what nobody signed, the ledger's figures are all that can be said to hold. */
static void an_unsigned_statement_says_what_is_unchecked(void **state) {
  static const char zeros[] = "00000000000000000000000000000000";
  sotto_statement_check check;
  (void)state;
  CHECK_OK(sotto_statement_verify(&check, options.out, asking(), &err));
  assert_string_equal(check.unchecked, "");
  const taken t = take_away();
  json_t *s = load("statement.json");
  json_object_set_new(s, "not_covered", json_array());
  char *before = swap("statement.json", s);
  CHECK_OK(sotto_statement_verify(&check, options.out, asking(), &err));
  assert_non_null(strstr(check.unchecked, "not_covered"));
  CHECK_OK(sotto_statement_verify(&check, options.out, &(sotto_statement_ask){.no_ledger = true}, &err));
  assert_non_null(strstr(check.unchecked, "all fields"));
  put_back("statement.json", before);
  before = swap("run.id", json_object());
  CHECK_OK(app_write_file(check_in(&options, "run.id"), zeros, 32, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "its ledger has 0 charges",
              sotto_statement_verify(&check, options.out, asking(), &err));
  assert_int_equal(unlink(check_in(&options, "run.id")), 0);
  CHECK_FAILS(SOTTO_CORRUPT, "run.id: is missing",
              sotto_statement_verify(&check, options.out, asking(), &err));
  put_back("run.id", before);
  bring_back(t);
}

/* Every file that is final when the run ends: each edited, then one taken away, then one added. */
static void every_file_is_covered(void **state) {
  sotto_statement_check check;
  const char *name;
  json_t *value, *evidence = load("evidence.json"), *files = json_object_get(evidence, "files");
  bool release = false, seed = false;
  char *whole = NULL;
  size_t size = 0;
  (void)state;
  json_object_foreach(files, name, value) {
    release = release || strncmp(name, "seed-1/release", 14) == 0;
    seed = seed || strcmp(name, "seed-1/result.json") == 0;
    CHECK_OK(app_read_file(&whole, &size, check_in(&options, name), &err));
    if (strchr(name, '/') != NULL && size > 0) {
      whole[size - 1] ^= 1;
      CHECK_OK(app_write_file(check_in(&options, name), whole, size, &err));
      CHECK_FAILS(SOTTO_CORRUPT, name, sotto_statement_verify(&check, options.out, asking(), &err));
      assert_int_equal(unlink(check_in(&options, name)), 0);
      CHECK_FAILS(SOTTO_CORRUPT, "is missing", sotto_statement_verify(&check, options.out, asking(), &err));
      whole[size - 1] ^= 1;
      CHECK_OK(app_write_file(check_in(&options, name), whole, size, &err));
    }
    free(whole);
  }
  assert_true(release && seed && json_object_get(files, "facts") != NULL);
  CHECK_OK(app_write_file(check_in(&options, "seed-1/counts-9.sotto"), "x", 1, &err));
  CHECK_OK(sotto_statement_verify(&check, options.out, asking(), &err));
  assert_int_equal(check.uncovered, 1);
  assert_string_equal(check.uncovered_name, "seed-1/counts-9.sotto");
  assert_int_equal(unlink(check_in(&options, "seed-1/counts-9.sotto")), 0);
  json_decref(evidence);
}

/* A byte of another file than the statement. */
static void a_changed_file_is_named(void **state) {
  static const char *const names[] = {"model.safetensors", "metrics.jsonl", "run.yaml"};
  sotto_statement_check check;
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    FILE *file = fopen(check_in(&options, names[i]), "r+b");
    assert_non_null(file);
    const int first = fgetc(file);
    (void)fseek(file, 0, SEEK_SET);
    (void)fputc(first ^ 1, file);
    (void)fclose(file);
    CHECK_FAILS(SOTTO_CORRUPT, names[i], sotto_statement_verify(&check, options.out, asking(), &err));
    file = fopen(check_in(&options, names[i]), "r+b");
    (void)fputc(first, file);
    (void)fclose(file);
  }
}

static void another_ledger_and_another_form_are_refused(void **state) {
  sotto_statement_check check;
  char *other = NULL;
  (void)state;
  other = strdup(check_new_ledger(check_path("other.db")));
  CHECK_FAILS(SOTTO_INVALID, "is another ledger",
              sotto_statement_verify(&check, options.out, &(sotto_statement_ask){.ledger = other}, &err));
  free(other);
  CHECK_FAILS(SOTTO_NOT_FOUND, "there is no ledger",
              sotto_statement_verify(&check, options.out,
                                     &(sotto_statement_ask){.ledger = check_path("none.db")}, &err));
  json_t *s = load("statement.json");
  json_object_set_new(s, "form", json_integer(1));
  char *before = swap("statement.json", s);
  CHECK_FAILS(SOTTO_UNSUPPORTED, "has form 1", sotto_statement_verify(&check, options.out, asking(), &err));
  put_back("statement.json", before);
  CHECK_FAILS(SOTTO_NOT_FOUND, "has no statement.json",
              sotto_statement_verify(&check, check_path("nothing"), NULL, &err));
}

/* No path of this machine, and nothing of other runs. */
static void a_statement_has_no_path_and_no_other_run(void **state) {
  static const char *const never[] = {"path", "epsilon_spent", "budget_epsilon", "at_delta"};
  (void)state;
  json_t *s = load("statement.json");
  char *text = json_dumps(s, 0);
  assert_null(strstr(text, "own.db"));
  assert_null(strstr(text, check_folder()));
  for (size_t i = 0; i < 4; i++) assert_null(json_object_get(json_object_get(s, "ledger"), never[i]));
  free(text);
  json_decref(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_run_leaves_holds),
      cmocka_unit_test(a_smaller_epsilon_is_found_by_each_check),
      cmocka_unit_test(one_edited_field_is_named),
      cmocka_unit_test(a_better_verdict_is_found),
      cmocka_unit_test(edited_evidence_is_found),
      cmocka_unit_test(a_statement_that_hides_its_charges_is_found),
      cmocka_unit_test(a_figure_that_the_ledger_has_is_compared),
      cmocka_unit_test(what_is_not_protected_keeps_its_verdict),
      cmocka_unit_test(what_is_protected_has_a_charge),
      cmocka_unit_test(an_unsigned_statement_says_what_is_unchecked),
      cmocka_unit_test(every_file_is_covered),
      cmocka_unit_test(a_changed_file_is_named),
      cmocka_unit_test(another_ledger_and_another_form_are_refused),
      cmocka_unit_test(a_statement_has_no_path_and_no_other_run),
      cmocka_unit_test(an_earlier_moment_of_the_chain_hides_nothing),
  };
  return cmocka_run_group_tests(tests, train_once, NULL);
}
