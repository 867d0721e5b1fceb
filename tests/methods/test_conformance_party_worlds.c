/* Every method in every variant, as parties that are processes of the program, in two worlds that differ in
 * one private item of one party: an edge, a node, a graph, a client or a label. They train, and answer
 * together where the method can. What leaves that party, and what all others print, receive, keep and send,
 * is the same. Values under noise are left out, and the noise of both worlds is the same, so that no choice
 * after it differs by chance. */
#include <string.h>

#include "check.h"
#include "party_worlds.h"
#include "programs.h"

enum { most_trials = 3 };

/* A case, with what further options ask for. */
typedef struct worlds {
  check_worlds all;
  const char *what;
  bool answers; /* together, after the training */
} worlds;

static size_t answered; /* worlds in which parties answered together */

/* Runs the world in which the party `changed` has its item changed (parties.count: nobody), and adds what
 * leaves each of `of`. */
static void live(check_trace *traces, const worlds *w, size_t changed, const bool *of, uint64_t noise) {
  int status[CHECK_MOST_PARTIES];
  check_worlds_enter(&w->all, changed);
  if (check_programs_run(status, &w->all.parties, noise, NULL) > 0 ||
      (w->answers && check_programs_ask(status, &w->all.parties, noise, NULL, false) > 0)) {
    for (size_t i = 0; i < w->all.parties.count; i++) check_programs_show(&w->all.parties.of[i]);
    fail_msg("%s%s: the parties do not all end well", w->all.c->name, w->what);
  }
  answered += w->answers;
  for (size_t k = 0; k < w->all.parties.count; k++) {
    traces[k] = (check_trace){0};
    for (size_t i = 0; of[k] && i < w->all.parties.count; i++)
      check_programs_trace(&traces[k], &w->all.parties.of[i], status[i], i != k);
  }
  check_programs_remove(&w->all.parties);
}

/* Takes those out of `of` whose worlds are the same; returns a party whose worlds differ, with a line of each
 * world, or parties.count. */
static size_t compare(char line[2][400], const worlds *w, bool *of, uint64_t noise) {
  check_trace one[CHECK_MOST_PARTIES], other[CHECK_MOST_PARTIES];
  size_t found = w->all.parties.count;
  live(one, w, w->all.parties.count, of, noise);
  for (size_t k = 0; k < w->all.parties.count; k++) {
    bool alone[CHECK_MOST_PARTIES] = {false};
    if (!of[k]) continue;
    alone[k] = true;
    live(other, w, k, alone, noise);
    of[k] = check_trace_differ(line, &one[k], &other[k]);
    check_trace_free(&other[k]);
    if (!of[k]) continue;
    found = k;
    break;
  }
  for (size_t k = 0; k < w->all.parties.count; k++) check_trace_free(&one[k]);
  return found;
}

/* Of how many parties two worlds were compared. `leaks`: a fault is planted, and they have to differ. */
static size_t compare_all(const worlds *w, bool leaks) {
  char line[2][400];
  bool of[CHECK_MOST_PARTIES];
  size_t count = 0, found = 0;
  for (size_t k = 0; k < w->all.parties.count; k++) {
    of[k] = w->all.change[k] != CHECK_NO_CHANGE;
    count += of[k];
    if (of[k]) (void)printf("  %s%s: %s\n", w->all.c->name, w->what, w->all.parties.of[k].role);
  }
  for (uint64_t trial = 1; count > 0 && found < w->all.parties.count && trial <= most_trials; trial++)
    found = compare(line, w, of, trial);
  const bool differ = count > 0 && found < w->all.parties.count;
  if (leaks && !differ) fail_msg("%s: what is planted is not seen", w->all.c->name);
  if (differ && !leaks)
    fail_msg("%s%s, %s: the worlds differ:\n  %s\n  %s", w->all.c->name, w->what,
             w->all.parties.of[found].role, line[0], line[1]);
  return count;
}

static bool answer_together(const sotto_options *options) {
  sotto_options o = *options;
  sotto_options_resolve(&o);
  return sotto_i_variant_of(&o)->answer != NULL && !(o.label_edges > 0);
}

/* Two servers check the clients' updates: the helper is a party of its own. */
static const char *const bounded[] = {"update-bound", "2"};

static bool has_helper(const check_case *c) {
  return c->method->helper != NULL && check_case_has(c, bounded[0]);
}

static size_t try_case(const check_case *c, const check_case_data *data, const char *const further[2],
                       bool leaks) {
  static worlds w;
  static const char *const shorter[] = {"epochs", "1", "rounds", "1", "encoder-epochs", "1", NULL};
  char what[80] = "";
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(&o, shorter);
  if (further != NULL) {
    check_set(&o, further[0], further[1]);
    if (strcmp(further[0], bounded[0]) == 0) check_set(&o, "clients", "4"); /* of whom one may be left out */
    check_set_own(&o, (const char *const[]){"max-degree", data->max_degree, NULL});
    (void)snprintf(what, sizeof what, ", %s %s", further[0], further[1]);
  }
  if (!check_has_parties(&o)) return 0;
  w.what = what;
  w.answers = answer_together(&o);
  check_worlds_new(&w.all, c, &o, data, false);
  const size_t compared = compare_all(&w, leaks);
  check_worlds_free(&w.all);
  return compared;
}

/* Sums of clients that their server does not see one by one; and who adds the noise. */
static const char *const of_sums[][2] = {
    {"secure-aggregation", "true"}, {"noise", "local"}, {"noise", "central"}};

static void a_party_shows_the_same_in_two_worlds_that_differ_in_its_item(void **state) {
  size_t count, compared = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cases[i].adjacency, "none") == 0) continue; /* nothing is protected */
    compared += try_case(&cases[i], &data, NULL, false);
    for (size_t k = 0; k < CHECK_FURTHER; k++)
      if (check_case_takes(&cases[i], check_further[k]))
        compared += try_case(&cases[i], &data, check_further[k], false);
    for (size_t k = 0; k < sizeof of_sums / sizeof *of_sums; k++)
      if (check_case_has(&cases[i], of_sums[k][0])) compared += try_case(&cases[i], &data, of_sums[k], false);
    if (has_helper(&cases[i])) compared += try_case(&cases[i], &data, bounded, false);
  }
  (void)printf("%zu parties compared; in %zu worlds they answered together\n", compared, answered);
  check_seen(compared > 20 && answered > 40);
  check_case_data_free(&data);
}

/* The program then states the number of nodes where it is private. */
static void a_size_in_a_statement_is_seen(void **state) {
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  assert_int_equal(setenv("SOTTO_SIZES", "shown", 1), 0);
  for (size_t i = 0; i < count; i++)
    if (strcmp(cases[i].adjacency, "client") == 0) tried += try_case(&cases[i], &data, NULL, true);
  assert_int_equal(unsetenv("SOTTO_SIZES"), 0);
  check_seen(tried > 0);
  check_case_data_free(&data);
}

/* The first client's signature in a checked sum is then spoilt where its edges are odd in number: both
 * servers say who is left out. */
static void a_client_that_its_edges_take_out_of_a_sum_is_seen(void **state) {
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  assert_int_equal(setenv("SOTTO_EDGES", "decide", 1), 0);
  for (size_t i = 0; i < count; i++)
    if (strcmp(cases[i].adjacency, "edge") == 0 && has_helper(&cases[i]))
      tried += try_case(&cases[i], &data, bounded, true);
  assert_int_equal(unsetenv("SOTTO_EDGES"), 0);
  check_seen(tried > 0);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_party_shows_the_same_in_two_worlds_that_differ_in_its_item),
      cmocka_unit_test(a_size_in_a_statement_is_seen),
      cmocka_unit_test(a_client_that_its_edges_take_out_of_a_sum_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
