/* Every method in every variant: statement.json has the published form, and its verdict fits what was
 * released and how. */
#include <math.h>

#include "check.h"
#include "registry_cases.h"
#include "run/statement/statement.h"
#include "schema.h"

/* A run, and the statement in its folder. */
typedef struct stated {
  const char *name;
  sotto_options options; /* resolved */
  sotto_result result;
  json_t *statement;
  bool unprotected; /* the method says that something is shown without noise in any case */
} stated;

/* What a payload that leaves without noise reveals of whose data, in words of this test. */
static const struct {
  const char *payload, *subject; /* NULL: nothing but what everybody may know */
} revealed[] = {
    {"embeddings.train", "features"},
    {"embeddings.validation", "features"},
    {"embeddings.test", "features"},
    {"embeddings.all", "features"},
    {"embeddings", "features"},         /* of holders; of graphs */
    {"initial.embeddings", "features"}, /* opened from shares */
    {"hidden.train", NULL}, /* functions of what holders sent, which is in this list or has noise */
    {"hidden.validation", NULL},
    {"hidden.test", NULL},
    {"hidden.all", NULL},
    {"scores", "features"},
    {"gradients.train", "labels"},
    {"gradients.layers", "labels"},
    {"gradients.hidden", "labels"},
    {"gradients.embeddings", "labels"},
    {"gradients.first", "labels"},
    {"decision", "labels"},
    {"clusters", "labels"},
    {"edges.expected", "labels"},
    {"chosen", "labels"},
    {"layer", "edges"},
    {"counts", "edges"},
    {"counts.all", "edges"},
    {"model", "features and labels"},
    {"update", "features and labels"},
    {"answers", "labels"},
    {"validation", "labels"},
    {"training nodes", "labels"},
    {"pilots", NULL}, /* whether all have enough */
    {"centres", "features"},
    {"moments by centre", "features"},
    {"moments of pilots", "labels"},
    {"kind of cells", "labels"},
    {"number statistics", "labels"},
    {"own model", "features and labels"},
    {"prototypes", "features and labels"},
    {"others' prototypes", "features and labels"},
    {"generator", "features"},
    {"generator inputs", "features"},
    {"generator gradient", "features"},
    {"generator gradients", "features"},
    {"another's generator", "features"},
    {"another's generator inputs", "features"},
    {"clipped sum", "clipped sums"},
    {"codes", "graphs"},
    {"held-out", "graphs"},
    {"graphs", NULL},
    {"graph sizes", NULL},
};

static json_t *schema;

static int load_schema(void **state) {
  (void)state;
  schema = check_json_document("docs/statement.schema.json");
  return 0;
}

static int free_schema(void **state) {
  (void)state;
  json_decref(schema);
  return 0;
}

static void check_form(const stated *s) {
  char finding[512];
  if (!check_schema_fits(finding, sizeof finding, schema, s->statement)) fail_msg("%s: %s", s->name, finding);
}

/* Is there a verdict that grants nothing for the subject, or for all data? Labels may have a charge of their
 * own, with which what leaves follows from reported labels. */
static bool has_verdict(const stated *s, const char *subject) {
  const json_t *v;
  size_t i;
  json_array_foreach(json_object_get(s->statement, "verdicts"), i, v) {
    const char *of = json_string_value(json_object_get(v, "of"));
    const char *account = json_string_value(json_object_get(v, "account"));
    if (strcmp(account, "labels") == 0 && strcmp(subject, "labels") == 0) return true;
    if (!json_is_null(json_object_get(v, "epsilon"))) continue;
    if (strncmp(of, "data of `", 9) == 0 || strstr(of, subject) != NULL) return true;
  }
  return false;
}

static const char *revealed_by(const stated *s, const char *payload) {
  for (size_t i = 0; i < sizeof revealed / sizeof *revealed; i++)
    if (strcmp(revealed[i].payload, payload) == 0) return revealed[i].subject;
  fail_msg("%s: the payload '%s' left without noise, and this test does not know what it reveals", s->name,
           payload);
  return NULL;
}

/* What left without noise agrees with the verdicts, in both directions. */
static void check_payloads(const stated *s, const sotto_i_description *d) {
  const sotto_result *r = &s->result;
  for (size_t i = 0; d->first != NULL && i < r->exposure_count; i++) {
    const char *payload = r->exposures[i].name, *subject = revealed_by(s, payload);
    if (!sotto_i_statement_has_payload(d, payload))
      fail_msg("%s: the method does not say what the payload '%s' reveals", s->name, payload);
    if (subject != NULL && !has_verdict(s, subject))
      fail_msg("%s: '%s' reveals %s, and no verdict says so: %s", s->name, payload, subject,
               json_string_value(json_object_get(s->statement, "verdict")));
  }
  for (size_t k = 0; k < d->bare_count; k++) {
    if (d->bare[k].payloads == NULL) continue; /* of one owner, who sends nothing */
    sotto_i_description one = {.bare = {d->bare[k]}, .bare_count = 1};
    size_t sent = 0;
    for (size_t i = 0; i < r->exposure_count; i++)
      sent += sotto_i_statement_has_payload(&one, r->exposures[i].name);
    if (d->bare[k].what != NULL && sent == 0)
      fail_msg("%s: a verdict is about %s, and none of '%s' left", s->name, d->bare[k].what,
               d->bare[k].payloads);
  }
}

/* The model of one owner is published. Below node level it is fitted to features and labels without noise. */
static void check_owner(const stated *s, const sotto_i_description *d) {
  static const char of[] = "features and labels of `owner`";
  const json_t *list = json_object_get(s->statement, "verdicts"), *v;
  size_t i, found = 0;
  json_array_foreach(list, i, v) {
    if (strcmp(json_string_value(json_object_get(v, "of")), of) != 0) continue;
    assert_string_equal(json_string_value(json_object_get(v, "text")),
                        "features and labels of `owner`: NOT protected: the model is fitted to them");
    assert_string_equal(json_string_value(json_object_get(v, "colour")), "red");
    assert_true(i > 0 && json_is_true(json_object_get(v, "own"))); /* edges come first */
    found++;
  }
  const bool open =
      d->first == NULL && d->unprotected == NULL && s->options.adjacency != SOTTO_ADJACENCY_NODE;
  if (found != (open ? 1 : 0)) fail_msg("%s: %zu verdicts of features and labels", s->name, found);
}

/* No text speaks of parties that the run does not have, or of averages that nobody makes. */
static void check_words(const stated *s, const check_case *c, const sotto_i_description *d) {
  static const char *const of_others[] = {"label party", "the server", "a server", "client", "average"};
  static const char *const of_rounds[] = {"average", "every round", "each round", "of a round"};
  const bool owner = d->first == NULL, alone = strcmp(c->method->name, "locsage") == 0;
  const char *const *banned = owner ? of_others : of_rounds;
  const size_t count = owner   ? sizeof of_others / sizeof *of_others
                       : alone ? sizeof of_rounds / sizeof *of_rounds
                               : 0;
  char *text = json_dumps(s->statement, JSON_COMPACT);
  for (size_t i = 0; i < count; i++)
    if (strstr(text, banned[i]) != NULL)
      fail_msg("%s: the statement speaks of '%s': %s", s->name, banned[i], text);
  free(text);
  if (owner) assert_int_equal(json_array_size(json_object_get(s->statement, "exposed")), 0);
}

/* Trains and reads; the statement has the published form. */
static stated run(const check_case *c, const sotto_options *options, const sotto_dataset *data) {
  char path[1200];
  stated s = {.name = options->out + strlen(check_folder()) + 1, .options = *options};
  sotto_options_resolve(&s.options);
  s.result = check_run(options, data);
  (void)snprintf(path, sizeof path, "%.1000s/statement.json", options->out);
  s.statement = json_load_file(path, 0, NULL);
  if (s.statement == NULL) fail_msg("%s: %s is not there, or is no JSON", s.name, path);
  check_form(&s);
  const sotto_report report = {&s.options, data, &s.result};
  sotto_i_description d = {.adversary = ""};
  (c->method->describe != NULL ? c->method->describe : sotto_i_describe_owner)(&d, &report);
  s.unprotected = d.unprotected != NULL;
  check_payloads(&s, &d);
  check_owner(&s, &d);
  check_words(&s, c, &d);
  return s;
}

static void stated_free(stated *s) {
  json_decref(s->statement);
  sotto_result_free(&s->result);
}

static const char *text_of(const stated *s, const char *key) {
  return json_string_value(json_object_get(s->statement, key));
}

/* How many charges to the dataset's account the plan has. */
static uint64_t releases_of(const stated *s) {
  uint64_t count = 0;
  for (size_t i = 0; i < s->result.cost.count; i++)
    if (s->result.cost.items[i].account == SOTTO_ACCOUNT_DATA) count += s->result.cost.items[i].times;
  return count;
}

/* Are all these pure, so that delta has no part? */
static bool is_pure(const stated *s) {
  for (size_t i = 0; i < s->result.cost.count; i++)
    if (s->result.cost.items[i].account == SOTTO_ACCOUNT_DATA && s->result.cost.items[i].mu > 0) return false;
  return true;
}

/* The worst class among the verdicts of the dataset's account; each class follows from its epsilon. */
static sotto_guarantee class_of(const stated *s) {
  const json_t *list = json_object_get(s->statement, "verdicts"), *v;
  sotto_guarantee worst = SOTTO_GUARANTEE_STRONG;
  size_t i, count = 0;
  json_array_foreach(list, i, v) {
    sotto_guarantee class = SOTTO_GUARANTEE_STRONG;
    while (class < SOTTO_GUARANTEE_NONE &&
           strcmp(sotto_guarantee_describe(class)->name, json_string_value(json_object_get(v, "class"))) != 0)
      class ++;
    if (json_is_null(json_object_get(v, "epsilon")) != (class == SOTTO_GUARANTEE_NONE))
      fail_msg("%s: class and epsilon of '%s'", s->name, json_string_value(json_object_get(v, "text")));
    if (strcmp(json_string_value(json_object_get(v, "account")), "data") != 0) continue;
    if (class > worst) worst = class;
    count++;
  }
  if (count == 0) fail_msg("%s: no verdict is about the dataset's account", s->name);
  return worst;
}

static void check_verdict(const stated *s, sotto_guarantee class, bool sound) {
  if (class_of(s) != class || json_is_true(json_object_get(s->statement, "sound")) != sound)
    fail_msg("%s: the verdict is '%s', sound %d; expected: %s", s->name, text_of(s, "verdict"),
             json_is_true(json_object_get(s->statement, "sound")), sotto_guarantee_describe(class)->name);
}

/* Of a run with noise from the system's randomness and a usual delta. */
static void check_usual_verdict(const stated *s, const check_case *c) {
  const json_t *epsilon = json_object_get(s->statement, "epsilon");
  const double total = json_number_value(json_object_get(s->statement, "total_epsilon")),
               delta = json_number_value(json_object_get(s->statement, "delta"));
  const bool paper = strcmp(c->accounting, "paper") == 0;
  if (s->unprotected) {
    check_verdict(s, SOTTO_GUARANTEE_NONE, false);
  } else if (releases_of(s) == 0 && !c->variant->edges) {
    check_verdict(s, SOTTO_GUARANTEE_STRONG, true);
    assert_true(json_number_value(epsilon) == 0 && !json_is_null(epsilon));
  } else if (releases_of(s) == 0) {
    check_verdict(s, SOTTO_GUARANTEE_NONE, false);
    if (!json_is_null(epsilon))
      fail_msg("%s: the graph is used without noise, and epsilon is stated", s->name);
  } else if (paper) {
    check_verdict(s, SOTTO_GUARANTEE_NONE, false);
    assert_true(json_is_object(json_object_get(s->statement, "claim")));
  } else {
    check_verdict(s, sotto_guarantee_of(total, delta), true);
    assert_true(json_is_number(epsilon));
    if (json_number_value(epsilon) > s->options.epsilon * (1 + 1e-6))
      fail_msg("%s: epsilon %g, and %g was asked for", s->name, json_number_value(epsilon),
               s->options.epsilon);
  }
  if (releases_of(s) == 0) assert_string_equal(text_of(s, "adjacency"), "none");
  if (releases_of(s) > 0 && !s->unprotected) assert_string_equal(text_of(s, "adjacency"), c->adjacency);
}

/* What the run left holds together, with its ledger; a smaller epsilon in the statement does not. */
static void check_evidence(const stated *s, const sotto_options *o) {
  const sotto_statement_ask ask = {.ledger = o->ledger};
  sotto_statement_check check;
  sotto_error err = {0};
  if (sotto_statement_verify(&check, o->out, &ask, &err) != SOTTO_OK) fail_msg("%s: %s", s->name, err.text);
  const bool charged = !json_is_null(json_object_get(s->statement, "ledger"));
  if (check.charges_checked != charged) fail_msg("%s: charges: %s", s->name, check.ledger_note);
  assert_true((check.by == SOTTO_SIGNED_BY_LEDGER_KEY) == (charged || check.by != SOTTO_SIGNED_BY_NOBODY));
}

static void statements_have_the_published_form_and_a_verdict_that_fits(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    const sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
    stated s = run(&cases[i], &o, check_data_of(&cases[i], &data));
    (void)printf("  %-28s %s\n", s.name, text_of(&s, "verdict"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(s.statement, "method"), "name")),
                        cases[i].method->name);
    assert_string_equal(text_of(&s, "accounting"), cases[i].accounting);
    assert_true(json_is_false(json_object_get(s.statement, "insecure")));
    check_usual_verdict(&s, &cases[i]);
    check_evidence(&s, &o);
    stated_free(&s);
  }
  check_case_data_free(&data);
}

/* Noise that can be repeated protects nothing. */
static void a_fixed_seed_of_noise_is_not_private(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    char folder[120];
    (void)snprintf(folder, sizeof folder, "fixed-%s", cases[i].name);
    sotto_options o = check_case_options(&cases[i], &data, folder);
    check_set(&o, "insecure-seed", "3");
    stated s = run(&cases[i], &o, check_data_of(&cases[i], &data));
    if (releases_of(&s) > 0) {
      check_verdict(&s, SOTTO_GUARANTEE_NONE, false);
      assert_non_null(strstr(text_of(&s, "verdict"), "fixed seed"));
      assert_true(json_is_true(json_object_get(s.statement, "insecure")));
    } else {
      check_usual_verdict(&s, &cases[i]);
    }
    stated_free(&s);
  }
  check_case_data_free(&data);
}

/* Where delta has a part, 0.5 is no guarantee, whatever epsilon is. */
static void half_for_delta_is_vacuous(void **state) {
  size_t count, vacuous = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    char folder[120];
    sotto_result none;
    const sotto_dataset *of = check_data_of(&cases[i], &data);
    if (!check_case_has(&cases[i], "delta")) continue;
    (void)snprintf(folder, sizeof folder, "half-%s", cases[i].name);
    sotto_options o = check_case_options(&cases[i], &data, folder);
    check_set(&o, "delta", "0.5");
    /* One of so many nodes, graphs or clients may be shown: refused. */
    if (strcmp(cases[i].adjacency, "node") == 0 || check_case_has(&cases[i], "clip")) {
      CHECK_FAILS(SOTTO_RANGE, "delta", sotto_train(&none, &o, of, NULL, NULL, &err));
      continue;
    }
    stated s = run(&cases[i], &o, of);
    if (releases_of(&s) == 0 || is_pure(&s) || s.unprotected || strcmp(cases[i].accounting, "paper") == 0) {
      check_usual_verdict(&s, &cases[i]);
    } else {
      check_verdict(&s, SOTTO_GUARANTEE_VACUOUS, true); /* proven, and worth nothing */
      vacuous++;
    }
    stated_free(&s);
  }
  check_seen(vacuous >= 5);
  check_case_data_free(&data);
}

/* A payload of which no method says what it reveals. */
static void an_unknown_payload_has_a_verdict(void **state) {
  size_t count, looked = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_options o = check_case_options(&cases[i], &data, "unused");
    sotto_result result = {.exposures = {{"new rows", "planted"}}, .exposure_count = 1, .data_exposures = 1};
    sotto_options_resolve(&o);
    const sotto_report report = {&o, check_data_of(&cases[i], &data), &result};
    sotto_i_description d = {.adversary = ""};
    sotto_i_verdicts verdicts;
    if (cases[i].method->describe == NULL) continue;
    cases[i].method->describe(&d, &report);
    if (d.first == NULL || d.unprotected != NULL) continue;
    sotto_i_statement_verdicts(&verdicts, &report, &d);
    size_t k = 0;
    while (k < verdicts.count && strstr(verdicts.list[k].text, "without noise went new rows") == NULL) k++;
    if (k == verdicts.count) fail_msg("%s: a new payload has no verdict", cases[i].name);
    assert_true(verdicts.list[k].class == SOTTO_GUARANTEE_NONE);
    looked++;
  }
  check_seen(looked >= 10);
  check_case_data_free(&data);
}

/* Labels are those of the holder that has them, also in the statement of another one. */
static void a_holder_speaks_of_its_own_labels_alone(void **state) {
  static const char *const selves[] = {"holder1", "holder2", "server"};
  sotto_options o;
  (void)state;
  sotto_options_default(&o);
  check_set(&o, "method", "vfgnn");
  sotto_options_resolve(&o);
  for (size_t k = 0; k < 3; k++) {
    const sotto_dataset data = {.name = "made"};
    sotto_result result = {.private_edges = true};
    const sotto_report report = {&o, &data, &result};
    sotto_i_description d = {.adversary = ""};
    sotto_i_verdicts v;
    (void)snprintf(result.self, sizeof result.self, "%s", selves[k]);
    sotto_i_method_named("vfgnn")->describe(&d, &report);
    sotto_i_statement_verdicts(&v, &report, &d);
    size_t labels = 0, i = 0;
    for (; i < v.count; i++) {
      if (strncmp(v.list[i].of, "labels", 6) != 0) continue;
      assert_string_equal(v.list[i].of, "labels of `holder1`");
      assert_int_equal(i < v.own, k != 1);
      labels++;
    }
    assert_int_equal(labels, 1);
    assert_true(v.list[0].class != SOTTO_GUARANTEE_NONE); /* what is protected comes first */
  }
}

/* Accounts, claims and details that only some options bring into a statement. */
static void what_options_add_has_the_published_form(void **state) {
  static const char *const added[][8] = {{"label-epsilon", "2"},
                                         {"label-edges", "0.4"},
                                         {"label-features", "0.4"},
                                         {"label-features", "0.4", "label-epsilon", "2"},
                                         {"noise", "central"},
                                         {"secure-aggregation", "true"},
                                         {"initial", "individually"},
                                         {"estimator", "james-stein"},
                                         {"estimator", "unbiased"},
                                         {"prototypes", "2", "degree-floor", "2", "prototype-rate", "0.5"},
                                         {"prototypes", "2", "prototype-rate", "0.5"},
                                         {"prototypes", "classes"},
                                         {"prototypes", "classes", "prototype-noise", "4"},
                                         {"prototype-noise", "4"},
                                         {"publish-accuracy", "20"},
                                         {"degree-cut", "true"}};
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
    size_t runs = 0;
    for (size_t i = 0; i < count; i++) {
      char folder[140];
      bool has = true;
      for (size_t j = 0; added[k][j] != NULL; j += 2) has = has && check_case_has(&cases[i], added[k][j]);
      if (!has) continue;
      const bool codes = check_case_has(&cases[i], "embed-every"); /* one option, two kinds of estimates */
      if (strcmp(added[k][0], "estimator") == 0 && codes != (strcmp(added[k][1], "unbiased") == 0)) continue;
      (void)snprintf(folder, sizeof folder, "%zu-%s-%s", k, cases[i].name, added[k][0]);
      sotto_options o = check_case_options(&cases[i], &data, folder);
      for (size_t j = 0; added[k][j] != NULL; j += 2) check_set(&o, added[k][j], added[k][j + 1]);
      check_set_own(&o, (const char *const[]){"max-degree", data.max_degree, NULL});
      stated s = run(&cases[i], &o, check_data_of(&cases[i], &data));
      stated_free(&s);
      runs++;
    }
    check_seen(runs > 0);
  }
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_have_the_published_form_and_a_verdict_that_fits),
      cmocka_unit_test(a_fixed_seed_of_noise_is_not_private),
      cmocka_unit_test(half_for_delta_is_vacuous),
      cmocka_unit_test(an_unknown_payload_has_a_verdict),
      cmocka_unit_test(a_holder_speaks_of_its_own_labels_alone),
      cmocka_unit_test(what_options_add_has_the_published_form),
  };
  return cmocka_run_group_tests(tests, load_schema, free_schema);
}
