/* Runs as published: what the option sets, what is given beside it, and what is said of it. */
#include "check.h"
#include "made_run.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/statement/as_published.h"

static sotto_options published(const char *method) {
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", method);
  check_set(&o, "data", "d");
  check_set(&o, "as-published", "true");
  return o;
}

static void check_value(const sotto_options *o, const char *key, const char *wanted) {
  size_t number;
  char value[1024];
  assert_non_null(sotto_i_option_known(key, &number));
  sotto_option_text(o, number, value, sizeof value);
  if (strcmp(value, wanted) != 0) fail_msg("%s: %s is %s, not %s", o->method, key, value, wanted);
}

static const char *const methods[] = {"vesper", "vfgnn", "caribou", "feddep", "gwldp"};
enum { method_count = sizeof methods / sizeof *methods };

/* The values as the papers have them, written out a second time. */
static void the_option_sets_what_the_paper_has(void **state) {
  (void)state;
  static const struct {
    const char *method, *asked[4], *wanted[24];
  } rows[] = {
      {"vesper",
       {NULL},
       {"accounting", "paper", "hidden", "128", "learning-rate", "0.001", "epochs", "5", "layers", "2",
        "fan-out", "20", "batch-size", "32", "dropout", "0", "activation", "relu", NULL}},
      {"vesper", {"aggregator", "gcn", NULL}, {"degree-floor", "10", NULL}},
      {"vfgnn",
       {NULL},
       {"accounting", "paper", "delta", "0.0001", "aggregator", "mean", "activation", "tanh", "dropout",
        "0.5", "layers", "4", "learning-rate", "0.003", "weight-decay", "0.005", NULL}},
      {"vfgnn", {"epsilon", "inf", NULL}, {"accounting", "paper", "layers", "4", NULL}},
      {"caribou",
       {NULL},
       {"accounting", "paper", "hidden", "16", "activation", "selu", "layers", "4", "contraction", "0.5",
        "alpha", "1", "beta", "10", "degree-floor", "0", NULL}},
      {"feddep",
       {NULL},
       {"adjacency",
        "none",
        "prototypes",
        "10",
        "prototype-rate",
        "0.5",
        "embed-layers",
        "2",
        "embed-epochs",
        "20",
        "fan-out",
        "5",
        "optimiser",
        "adam",
        "batch-size",
        "64",
        "rounds",
        "50",
        "cross-fit",
        "2",
        NULL}},
      {"gwldp",
       {NULL},
       {"publication", "multibit", "epsilon", "0", "aggregator", "gcn", "layers", "2", "hidden", "16",
        "clients", "10", "rounds", "200", "train-share", "0.7", "validation-share", "0.2", NULL}},
      {"gwldp", {"aggregator", "gin", NULL}, {"layers", "5", "hidden", "64", NULL}},
      {"gwldp", {"adjacency", "none", NULL}, {"publication", "multibit", "epsilon", "inf", NULL}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = published(rows[i].method);
    for (size_t j = 0; rows[i].asked[j] != NULL; j += 2)
      check_set(&o, rows[i].asked[j], rows[i].asked[j + 1]);
    sotto_options_resolve(&o);
    CHECK_OK(sotto_options_check(&o, &err));
    for (size_t j = 0; rows[i].wanted[j] != NULL; j += 2)
      check_value(&o, rows[i].wanted[j], rows[i].wanted[j + 1]);
    const sotto_options once = o;
    sotto_options_resolve(&o);
    assert_memory_equal(&o, &once, sizeof o);
  }
}

/* Each row under as-published has the value that the run takes: no other default comes before it. */
static void every_row_of_a_paper_reaches_the_run(void **state) {
  (void)state;
  for (size_t m = 0; m < method_count; m++) {
    sotto_i_unlike list[4];
    sotto_options o = published(methods[m]);
    sotto_options_resolve(&o);
    const size_t count = sotto_i_unpublished(list, 4, &o);
    if (count > 0) fail_msg("%s: %s is not %s", methods[m], list[0].key, list[0].published);
  }
}

static void without_the_option_nothing_is_the_papers(void **state) {
  (void)state;
  for (size_t m = 0; m < method_count; m++) {
    sotto_options o = published(methods[m]);
    check_set(&o, "as-published", "false");
    sotto_options_resolve(&o);
    assert_int_equal(o.accounting, SOTTO_ACCOUNTING_SOUND);
    assert_false(sotto_i_publishes(&o, "accounting") || sotto_i_publishes(&o, "rounds"));
  }
}

static void what_is_given_beside_it_counts_and_is_named(void **state) {
  (void)state;
  const sotto_cost cost = {.claim = {.epsilon = 4}};
  char text[SOTTO_I_AS_PUBLISHED_TEXT];
  sotto_options o = published("vesper");
  check_set(&o, "hidden", "64");
  check_set(&o, "layers", "2");
  check_set(&o, "fan-out", "50");
  sotto_options_resolve(&o);
  check_value(&o, "hidden", "64");
  sotto_i_as_published_text(text, &o, &cost, 10340);
  assert_non_null(
      strstr(text, "as published: Wu et al. 2023 claims epsilon 4 for edges at delta 1e-06 (theorem 2.1)"));
  assert_non_null(
      strstr(text, "charged for a seed: epsilon 1.034e+04, since the label party knows the batch"));
  assert_non_null(strstr(text, "; not the paper's: hidden 64 (published: 128), fan-out 50 (published: 20)"));
  assert_null(strstr(text, "layers 2"));
}

static void without_noise_nothing_is_claimed(void **state) {
  (void)state;
  const sotto_cost cost = {.count = 0};
  for (size_t m = 0; m < method_count; m++) {
    char text[SOTTO_I_AS_PUBLISHED_TEXT];
    sotto_options o = published(methods[m]);
    if (strcmp(methods[m], "feddep") == 0) continue; /* it claims privacy without noise */
    check_set(&o, "epsilon", "inf");
    sotto_options_resolve(&o);
    sotto_i_as_published_text(text, &o, &cost, 0);
    assert_non_null(strstr(text, " claims nothing of this run, which has no noise; charged: nothing"));
  }
}

/* The user's accounting counts, and then nothing is claimed. */
static void with_sound_accounting_nothing_is_claimed(void **state) {
  (void)state;
  const sotto_cost cost = {.count = 1};
  static const char *const of[] = {"vesper", "caribou", "vfgnn"};
  for (size_t m = 0; m < sizeof of / sizeof *of; m++) {
    char text[SOTTO_I_AS_PUBLISHED_TEXT];
    sotto_options o = published(of[m]);
    check_set(&o, "accounting", "sound");
    sotto_options_resolve(&o);
    assert_int_equal(o.accounting, SOTTO_ACCOUNTING_SOUND);
    sotto_i_as_published_text(text, &o, &cost, 4);
    assert_non_null(
        strstr(text, " claims nothing of this run, which has sound accounting; charged: epsilon 4"));
    assert_non_null(strstr(text, "accounting sound (published: paper)"));
  }
}

/* Of the declared degree alone there are figures, those of docs/reproduction.md. */
static void the_claim_without_noise_has_figures_with_a_declared_degree(void **state) {
  (void)state;
  const sotto_cost cost = {.count = 0};
  char text[SOTTO_I_AS_PUBLISHED_TEXT];
  sotto_options o = published("feddep");
  sotto_options_resolve(&o);
  sotto_i_as_published_text(text, &o, &cost, 0);
  assert_non_null(strstr(
      text, "in figures only with a declared least degree (degree-floor); charged for a seed: nothing"));
  check_set(&o, "degree-floor", "10");
  check_set(&o, "embed-epochs", "10");
  sotto_i_as_published_text(text, &o, &cost, 0);
  assert_non_null(strstr(text, "epsilon 11.43 for edges at delta 4.77e-07 without noise (theorem 1)"));
  assert_non_null(strstr(text, "not the paper's: embed-epochs 10 (published: 20)"));
}

/* delta of a paper is not settled by the number of nodes. */
static void a_published_delta_stays(void **state) {
  (void)state;
  sotto_options o = published("vfgnn");
  sotto_options_resolve(&o);
  sotto_options_settle(&o, 2708);
  assert_true(o.delta == 1e-4);
  o = published("vesper");
  sotto_options_resolve(&o);
  sotto_options_settle(&o, 1000000);
  assert_true(o.delta == 1e-7);
}

/* A run file has every option, and what is not the paper's is the same after it was read. */
static void a_run_file_keeps_what_is_not_the_papers(void **state) {
  (void)state;
  sotto_i_unlike list[4];
  sotto_options o = published("caribou"), read;
  check_set(&o, "layers", "2");
  sotto_options_resolve(&o);
  const char *path = check_path("run.yaml");
  CHECK_OK(sotto_options_write(&o, path, &err));
  sotto_options_default(&read);
  CHECK_OK(sotto_options_read(&read, path, &err));
  sotto_options_resolve(&read);
  CHECK_OK(sotto_options_check(&read, &err));
  assert_true(read.as_published);
  assert_int_equal(sotto_i_unpublished(list, 4, &read), 1);
  assert_string_equal(list[0].key, "layers");
  assert_string_equal(list[0].published, "4");
}

static void where_there_is_no_paper_it_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *method, *key, *value, *words;
  } cases[] = {
      {"gap", "epsilon", "2", "as-published: method gap has no such option; these have it: "},
      {"vesper", "adjacency", "node",
       "as-published: has no meaning with adjacency node; method vesper has it with none or edge"},
      {"caribou", "adjacency", "node", "as-published: has no meaning with adjacency node"},
      {"feddep", "adjacency", "edge", "as-published: has no meaning with adjacency edge"},
      {"gwldp", "publication", "code", "as-published: has no meaning with publication code"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_options o = published(cases[i].method);
    check_set(&o, cases[i].key, cases[i].value);
    if (strcmp(cases[i].value, "node") == 0) check_set(&o, "max-degree", "9");
    sotto_options_resolve(&o);
    CHECK_FAILS(SOTTO_INVALID, cases[i].words, sotto_options_check(&o, &err));
  }
}

/* A method has the option exactly where it has a paper and rows of it. */
static void methods_with_a_paper_have_rows_of_it(void **state) {
  (void)state;
  size_t count = 0;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    const sotto_i_method *method = sotto_i_methods()[m];
    sotto_i_option row;
    size_t rows = 0;
    for (size_t i = 0; i < method->options.default_count; i++)
      rows += method->options.defaults[i].when[0].key != NULL &&
              strcmp(method->options.defaults[i].when[0].key, "as-published") == 0;
    assert_true(sotto_i_option_find(&row, &method->options, "as-published") == (method->paper != NULL));
    assert_true((rows > 5) == (method->paper != NULL));
    count += method->paper != NULL;
  }
  assert_int_equal(count, method_count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_option_sets_what_the_paper_has),
      cmocka_unit_test(every_row_of_a_paper_reaches_the_run),
      cmocka_unit_test(without_the_option_nothing_is_the_papers),
      cmocka_unit_test(what_is_given_beside_it_counts_and_is_named),
      cmocka_unit_test(without_noise_nothing_is_claimed),
      cmocka_unit_test(with_sound_accounting_nothing_is_claimed),
      cmocka_unit_test(the_claim_without_noise_has_figures_with_a_declared_degree),
      cmocka_unit_test(a_published_delta_stays),
      cmocka_unit_test(a_run_file_keeps_what_is_not_the_papers),
      cmocka_unit_test(where_there_is_no_paper_it_is_refused_by_name),
      cmocka_unit_test(methods_with_a_paper_have_rows_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
