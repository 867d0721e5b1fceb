/* Distributed noise in a secure sum: which numbers of neighbours, thresholds, survivors and colluding clients
 * go together, and that a run with others is refused before anything is charged. */
#include <math.h>

#include <jansson.h>

#include "check.h"
#include "federation.h"
#include "ledgers.h"
#include "party/secure_sum/secure_sum.h"
#include "spending.h"

static sotto_options options_of(const char *folder, const char *clients) {
  char ledger[60];
  sotto_options o = check_options("fedavg", folder);
  (void)snprintf(ledger, sizeof ledger, "%.40s.db", folder);
  check_set(&o, "adjacency", "node");
  check_set(&o, "noise", "distributed");
  check_set(&o, "epsilon", "8");
  check_set(&o, "hidden", "4");
  check_set(&o, "rounds", "2");
  check_set(&o, "clients", clients);
  check_set(&o, "ledger", check_new_ledger(check_path(ledger)));
  return o;
}

static sotto_dataset data_new(void) {
  const sotto_sbm_options sbm = {.nodes = 300,
                                 .classes = 3,
                                 .features = 5,
                                 .degree_inside = 6,
                                 .degree_outside = 1,
                                 .feature_signal = 2};
  return check_communities(&sbm);
}

typedef struct setting {
  const char *clients, *neighbours, *leaving, *colluding, *fraction;
} setting;

static sotto_options options_of_setting(const setting *s, const char *folder) {
  sotto_options o = options_of(folder, s->clients);
  check_set(&o, "sum-neighbours", s->neighbours);
  check_set(&o, "leaving-share", s->leaving);
  check_set(&o, "colluding-share", s->colluding);
  check_set(&o, "fraction", s->fraction);
  return o;
}

/* A ring, in which two clients surround a third one in many rounds; all others as neighbours, of whom those
 * that collude reach the threshold; twelve neighbours, of whom three can part a group of six. And: two of
 * twelve; clients that leave so that others' signatures are not of one set; as many as the threshold. */
static void numbers_outside_the_theorem_are_refused_with_the_way_out(void **state) {
  static const struct {
    setting of;
    const char *words;
  } cases[] = {
      {{"10", "0", "0", "0.6", "0.9"}, "6 of a round's 9 clients may collude"}, /* all six in each round */
      {{"10", "0", "0", "0.3", "0.3"}, "of 3 clients 0 may leave and 3 collude"},
      {{"20", "0", "0.2", "0.5", "0.5"}, "of 10 clients 2 may leave and 10 collude"},
      {{"100", "2", "0", "0.2", "1"}, "withstands 0, whichever they are"},
      {{"10", "0", "0", "0.6", "1"}, "Take colluding-share 0.5"},
      {{"100", "12", "0", "0.03", "1"}, "Take sum-neighbours 0 (all others), or colluding-share 0.01"},
      {{"100", "12", "0", "0.02", "1"}, "a threshold of 8 withstands 1"},
      {{"30", "0", "0.33", "0.4", "1"}, "withstands"},
      {{"12", "0", "0.25", "0.67", "1"}, "withstands"},
      {{"300", "0", "0", "0", "1"}, "at most 254"},
  };
  sotto_dataset data = data_new();
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_result r;
    sotto_options o = options_of_setting(&cases[i].of, "outside");
    CHECK_FAILS(SOTTO_RANGE, cases[i].words, sotto_train(&r, &o, &data, NULL, NULL, &err));
    assert_int_equal(check_charges_in(&o), 0);
  }
  sotto_dataset_free(&data);
}

/* What the errors offer is taken. */
static void numbers_inside_the_theorem_are_taken(void **state) {
  static const setting cases[] = {{"10", "0", "0", "0.5", "1"},    {"100", "0", "0", "0.03", "1"},
                                  {"100", "12", "0", "0.01", "1"}, {"10", "0", "0", "0.3", "0.9"},
                                  {"100", "0", "0.2", "0.2", "1"}, {"100", "2", "0", "0", "1"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_i_fed_joint joint;
    sotto_options o = options_of_setting(&cases[i], "inside");
    sotto_options_resolve(&o);
    CHECK_OK(sotto_i_fed_joint_new(&joint, &o, sotto_i_fed_taking(&o, (uint32_t)o.clients), &err));
    assert_int_equal(joint.counted, joint.plan.clients - joint.leaving - joint.colluding);
    assert_int_equal(joint.plan.least, joint.plan.clients - joint.leaving);
  }
}

/* The theorem by its own words, for all plans of up to 40 clients: the honest signers of two sets are
 * different ones; colluding neighbours alone hold no secret; in the circle more than half of the neighbours
 * of a client are honest and signed; else a client that did not sign lacks too many shares. */
static bool holds(const sotto_sum_plan *p, int64_t c) {
  const int64_t n = p->clients, k = p->neighbours, t = p->threshold, q = sotto_sum_quorum(p);
  const int64_t among = c < k ? c : k;
  if (2 * (q - c) <= n - c || among >= t) return false;
  if (k == n - 1) return q - c > n - 1 - t;
  return 2 * (t - among) > k && t - among > k - t;
}

static void as_many_may_collude_as_the_theorem_says(void **state) {
  (void)state;
  for (uint32_t n = 3; n <= 40; n++)
    for (uint32_t k = 2; k < n; k += k + 2 < n ? 2 : 1)
      for (uint32_t t = 1; t <= k; t++)
        for (uint32_t least = 0; least <= n; least += 3) {
          sotto_sum_plan p = {.clients = n, .neighbours = k, .threshold = t, .least = least, .values = 1};
          if (sotto_i_sum_plan_check(&p, NULL) != SOTTO_OK) continue;
          const int64_t most = sotto_i_sum_withstands(&p);
          for (int64_t c = 0; c < n; c++)
            if (holds(&p, c) != (c <= most))
              fail_msg("n %u, k %u, t %u, least %u: %lld collude, %lld are withstood", n, k, t, least,
                       (long long)c, (long long)most);
        }
}

/* The statement has the numbers that were checked. */
static void the_statement_has_the_numbers(void **state) {
  sotto_dataset data = data_new();
  sotto_result r;
  const setting s = {"10", "0", "0.1", "0.2", "1"};
  sotto_options o = options_of_setting(&s, "numbers");
  (void)state;
  r = check_run(&o, &data);
  json_t *root = json_load_file(check_in(&o, "statement.json"), 0, NULL);
  const json_t *details = json_object_get(root, "details");
  assert_int_equal(json_integer_value(json_object_get(details, "noise_counted")), 7);
  assert_int_equal(json_integer_value(json_object_get(details, "least_survivors")), 9);
  assert_int_equal(json_integer_value(json_object_get(details, "colluding_counted")), 2);
  assert_int_equal(json_integer_value(json_object_get(details, "colluding_withstood")), 5);
  assert_int_equal(json_integer_value(json_object_get(details, "sum_neighbours")), 9);
  assert_int_equal(json_integer_value(json_object_get(details, "sum_threshold")), 6);
  bool said = false;
  size_t i;
  json_t *text;
  json_array_foreach(json_object_get(root, "not_covered"), i, text) said |=
      strstr(json_string_value(text), "more than 2 clients, of whom one round of 10 may have all") != NULL;
  assert_true(said);
  json_decref(root);
  sotto_result_free(&r);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_outside_the_theorem_are_refused_with_the_way_out),
      cmocka_unit_test(numbers_inside_the_theorem_are_taken),
      cmocka_unit_test(as_many_may_collude_as_the_theorem_says),
      cmocka_unit_test(the_statement_has_the_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
