/* Run files that another party may have written: they set what parties agree on, and take no privacy away. */
#include "check.h"
#include "made_run.h"
#include "run/settings/options.h"

static sotto_status parse(sotto_options *options, const char *text, sotto_error *err) {
  return sotto_i_options_parse(options, (const uint8_t *)text, strlen(text), SOTTO_I_RUN_FILE_SHARED, err);
}

static void what_parties_agree_on_is_read(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(parse(&o, "method: vesper\nepsilon: 4\nhidden: 9\ngrace: 20\n", &err));
  assert_int_equal(o.hidden, 9);
  assert_true(o.grace == 20);
}

static void an_option_of_one_machine_is_refused_by_name(void **state) {
  (void)state;
  static const char *const keys[] = {
      "data",    "nodes",         "schema",        "ids",       "ledger", "threads",     "out",
      "label",   "types",         "encoder-cache", "partition", "resume", "record-wire", "account",
      "missing", "missing-words", "decimal",       "header",    "anyway", "client-keys", "source",
      "target",  "amount",        "time",          "direction", "kind",   "alert-rate",  "edges-to-others"};
  size_t count, local = 0;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    sotto_options o, before;
    char text[80], named[80];
    const bool is_switch = strcmp(keys[i], "record-wire") == 0 || strcmp(keys[i], "resume") == 0;
    (void)snprintf(text, sizeof text, "hidden: 9\n%s: %s\n", keys[i],
                   is_switch                        ? "true"
                   : strcmp(keys[i], "anyway") == 0 ? "gain"
                                                    : "1");
    (void)snprintf(named, sizeof named, "line 2: '%s'", keys[i]);
    sotto_options_default(&o);
    before = o;
    CHECK_FAILS(SOTTO_INVALID, named, parse(&o, text, &err));
    assert_memory_equal(&before, &o, sizeof o);
    /* An own file may hold it, but for where the run goes. */
    if (strcmp(keys[i], "out") != 0 && strcmp(keys[i], "resume") != 0)
      CHECK_OK(sotto_i_options_parse(&o, (const uint8_t *)text, strlen(text), SOTTO_I_RUN_FILE_OWN, &err));
  }
  /* No text of a path is among what parties agree on. */
  for (size_t i = 0; i < count; i++) local += !sotto_option_is_shared(infos[i].key);
  assert_int_equal(local, sizeof keys / sizeof *keys);
}

typedef struct consent_case {
  const char *file, *key, *value, *named;
} consent_case;

/* Refused as it stands, read when this party gave the key itself. */
static void what_takes_privacy_away_has_to_be_given_by_each_party(void **state) {
  (void)state;
  static const consent_case cases[] = {
      {"method: vesper\ninsecure-seed: 3\n", "insecure-seed", "3", "'insecure-seed'"},
      {"method: vesper\naccounting: paper\n", "accounting", "paper", "'accounting'"},
      {"method: vesper\nas-published: true\n", "as-published", "true", "'as-published'"},
      {"method: vesper\naccounting: paper\n", "as-published", "true", "'accounting'"},
      {"method: vesper\nepsilon: inf\n", "epsilon", "inf", "'epsilon'"},
      {"epsilon: inf\nmethod: vfgnn\n", "epsilon", "inf", "'epsilon'"},
      {"method: vesper\nadjacency: none\n", "adjacency", "none", "'adjacency'"},
      {"method: gnn\n", "method", "gnn", "method gnn adds no noise"},
      {"method: securegnn\nadjacency: edge\n", "method", "securegnn",
       "method securegnn adds no noise: each party has to ask for that itself; give 'method' on"},
      {"method: fedavg\nclients: 4\n", "adjacency", "none", "method fedavg adds no noise"},
      {"method: gwldp\nepsilon: inf\n", "epsilon", "inf", "'epsilon'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const consent_case *c = &cases[i];
    sotto_options o;
    sotto_options_default(&o);
    CHECK_FAILS(SOTTO_INVALID, c->named, parse(&o, c->file, &err));
    CHECK_OK(sotto_options_set(&o, c->key, c->value, &err));
    CHECK_OK(parse(&o, c->file, &err));
    assert_non_null(sotto_options_warning(&o));
    assert_non_null(strstr(sotto_options_warning(&o), "NOT PRIVATE"));
  }
}

/* Consent to one thing is no consent to another. */
static void consent_holds_for_its_own_key_alone(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "adjacency", "edge");
  check_set(&o, "method", "vesper");
  CHECK_FAILS(SOTTO_INVALID, "'epsilon'", parse(&o, "epsilon: inf\n", &err));
  CHECK_FAILS(SOTTO_INVALID, "'insecure-seed'", parse(&o, "insecure-seed: 1\n", &err));
  check_set(&o, "accounting", "paper");
  CHECK_FAILS(SOTTO_INVALID, "'as-published'", parse(&o, "as-published: true\n", &err));
  sotto_options_default(&o);
  check_set(&o, "method", "vesper");
  check_set(&o, "as-published", "false");
  CHECK_FAILS(SOTTO_INVALID, "'accounting'", parse(&o, "accounting: paper\n", &err));
}

static void a_private_run_and_one_without_edges_have_no_warning(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(parse(&o, "method: vesper\nepsilon: 4\n", &err));
  assert_null(sotto_options_warning(&o));
  sotto_options_default(&o);
  CHECK_OK(parse(&o, "method: mlp\n", &err));
  assert_null(sotto_options_warning(&o));
}

static void an_unknown_key_names_the_nearest(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  CHECK_FAILS(SOTTO_NOT_FOUND, "did you mean 'hidden'", parse(&o, "hiden: 4\n", &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_parties_agree_on_is_read),
      cmocka_unit_test(an_option_of_one_machine_is_refused_by_name),
      cmocka_unit_test(what_takes_privacy_away_has_to_be_given_by_each_party),
      cmocka_unit_test(consent_holds_for_its_own_key_alone),
      cmocka_unit_test(a_private_run_and_one_without_edges_have_no_warning),
      cmocka_unit_test(an_unknown_key_names_the_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
