/* A rogue party between processes: it sends hostile numbers (1e25 everywhere or in chosen places, subnormal,
 * all equal, not a number) to parties of two worlds that differ in one private item. Models, gradients,
 * embeddings, shares: every payload of the rogue. Both worlds end alike, and the party with the item sends
 * the same messages, each of which follows a step of its work. Nobody waits for a party that refuses: all
 * hear of it from that party, not by a limit of time. */
#include <string.h>

#include "check.h"
#include "hostile_numbers.h"
#include "party_worlds.h"
#include "programs.h"

enum { most_payloads = 64, most_trials = 3 };

/* How a world ended. */
typedef struct end {
  size_t failed;
  bool victim_failed;
  check_trace sent, all;
} end;

static void live(end *out, const check_worlds *w, size_t victim, bool changed, const check_rogue *rogue,
                 uint64_t noise) {
  int status[CHECK_MOST_PARTIES];
  *out = (end){0};
  check_worlds_enter(w, changed ? victim : w->parties.count);
  out->failed = check_programs_run(status, &w->parties, noise, rogue);
  out->victim_failed = status[victim] != 0;
  for (size_t i = 0; i < w->parties.count; i++)
    if (check_programs_said(&w->parties.of[i], "the limit '")) {
      check_programs_show(&w->parties.of[i]);
      fail_msg("%s: %s waits for a limit of time", w->c->name, w->parties.of[i].role);
    }
  check_programs_sent(&out->sent, &w->parties.of[victim]);
  for (size_t i = 0; out->failed == 0 && i < w->parties.count; i++)
    check_programs_trace(&out->all, &w->parties.of[i], status[i], i != victim);
  check_programs_remove(&w->parties);
}

static void end_free(end *e) {
  check_trace_free(&e->sent);
  check_trace_free(&e->all);
}

/* When a run fails, how far parties came by then follows from the machine. */
static bool is_beginning(const check_trace *a, const check_trace *b) {
  const size_t size = a->all.size < b->all.size ? a->all.size : b->all.size;
  return size == 0 || memcmp(a->all.text, b->all.text, size) == 0;
}

static bool differ(char line[2][400], const end *a, const end *b) {
  if (a->victim_failed != b->victim_failed || (a->failed == 0) != (b->failed == 0)) {
    for (int i = 0; i < 2; i++)
      (void)snprintf(line[i], 400, "%zu parties fail", i == 0 ? a->failed : b->failed);
    return true;
  }
  if (a->failed == 0) return check_trace_differ(line, &a->all, &b->all);
  return !is_beginning(&a->sent, &b->sent) && check_trace_differ(line, &a->sent, &b->sent);
}

static size_t pairs, failures;

/* Returns whether both worlds end in a failure. */
static bool compare(const check_worlds *w, size_t victim, const check_rogue *rogue) {
  char line[2][400];
  bool different = true, failed = false;
  for (uint64_t trial = 1; different && trial <= most_trials; trial++) {
    end one, other;
    live(&one, w, victim, false, rogue, trial);
    live(&other, w, victim, true, rogue, trial);
    different = differ(line, &one, &other);
    failed = one.failed > 0;
    failures += failed;
    pairs++;
    end_free(&one);
    end_free(&other);
  }
  if (different)
    fail_msg("%s, %s to %s: '%s' in form %d: the worlds differ:\n  %s\n  %s", w->c->name, rogue->role,
             w->parties.of[victim].role, rogue->payload, rogue->form, line[0], line[1]);
  return failed;
}

/* The payloads of an honest run that the party at this place sends: numbers, and shares. Words of protocols
 * are looked at one by one when they come (methods/test_hostile_numbers.c). */
typedef struct payloads {
  char names[most_payloads][64];
  bool numbers[most_payloads]; /* of shares one form stands for all */
  size_t count;
} payloads;

static void read_payload(payloads *out, const char *line) {
  char kind[24], name[64];
  const bool numbers = strstr(line, "numbers, format") != NULL;
  if (sscanf(line, "%23s %63[^:]: ", kind, name) != 2 || (!numbers && strcmp(kind, "share") != 0)) return;
  for (size_t i = 0; i < out->count; i++)
    if (strcmp(out->names[i], name) == 0) return;
  assert_true(out->count < most_payloads);
  out->numbers[out->count] = numbers && strcmp(kind, "share") != 0;
  (void)snprintf(out->names[out->count++], sizeof out->names[0], "%s", name);
}

static void find_payloads(payloads *out, const check_worlds *w, size_t rogue) {
  int status[CHECK_MOST_PARTIES];
  check_trace sent = {0};
  out->count = 0;
  check_worlds_enter(w, w->parties.count);
  if (check_programs_run(status, &w->parties, 1, NULL) > 0) {
    for (size_t i = 0; i < w->parties.count; i++) check_programs_show(&w->parties.of[i]);
    fail_msg("%s: the parties do not all end well", w->c->name);
  }
  check_programs_sent(&sent, &w->parties.of[rogue]);
  char *text = strdup(sent.all.text), *rest = text;
  assert_non_null(text);
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) read_payload(out, line);
  free(text);
  check_trace_free(&sent);
  check_programs_remove(&w->parties);
}

/* Where huge and tiny numbers fail alike, a payload is refused as it arrives, in every form; so is what is no
 * number, whatever it is a table of. */
static void try_pair(const check_worlds *w, size_t victim, size_t rogue) {
  static payloads found;
  bool first = true;
  find_payloads(&found, w, rogue);
  for (size_t i = 0; i < found.count; i++) {
    check_rogue r = {w->parties.of[rogue].role, found.names[i], CHECK_HUGE};
    bool refused = compare(w, victim, &r);
    if (!found.numbers[i]) continue;
    r.form = CHECK_SUBNORMAL;
    refused = compare(w, victim, &r) && refused;
    for (r.form = CHECK_CHOSEN; !refused && r.form <= CHECK_EQUAL; r.form++)
      if (r.form != CHECK_SUBNORMAL) (void)compare(w, victim, &r);
    r.form = CHECK_NOT_A_NUMBER;
    if (first) (void)compare(w, victim, &r);
    first = false;
  }
}

static const char *const shorter[] = {"epochs",     "1", "rounds",      "1",   "encoder-epochs",   "1",
                                      "batch-rate", "1", "train-share", "0.9", "validation-share", "0.05",
                                      NULL};

/* The server, or of two parties the other one, at each party with something private. */
static size_t try_case(const check_case *c, const check_case_data *data, const char *const further[2]) {
  static check_worlds w;
  size_t tried = 0;
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(&o, shorter);
  if (further != NULL) check_set(&o, further[0], further[1]);
  if (!check_has_parties(&o)) return 0;
  check_worlds_new(&w, c, &o, data, true);
  for (size_t i = 0; i < w.parties.count; i++) {
    if (w.change[i] == CHECK_NO_CHANGE || w.change[i] == CHECK_A_GRAPH_ALIKE) continue; /* see below */
    (void)printf("  %s%s%s: %s\n", c->name, further == NULL ? "" : ", ", further == NULL ? "" : further[1],
                 w.parties.of[i].role);
    try_pair(&w, i, w.parties.count == 2 ? 1 - i : 0);
    tried++;
  }
  check_worlds_free(&w);
  return tried;
}

static void a_rogue_learns_nothing_from_how_others_end(void **state) {
  static const char *const further[][2] = {{"noise", "local"}, {"label-epsilon", "2"}};
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cases[i].adjacency, "none") == 0) continue;
    tried += try_case(&cases[i], &data, NULL);
    for (size_t k = 0; k < sizeof further / sizeof *further; k++)
      if (check_case_has(&cases[i], further[k][0])) tried += try_case(&cases[i], &data, further[k]);
  }
  (void)printf("%zu parties, %zu pairs of worlds, %zu of them end in a public condition\n", tried, pairs,
               failures);
  check_seen(tried > 12 && failures > 0 && failures < pairs);
  check_case_data_free(&data);
}

/* Does the end of client 1 differ when a node has the feature that the server's model singles out? */
static bool is_seen(const check_case *c, const check_case_data *data) {
  static check_worlds w;
  const check_rogue rogue = {"server", "model", CHECK_CHOSEN};
  char line[2][400];
  end one, other;
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(&o, shorter);
  check_worlds_new(&w, c, &o, data, true);
  live(&one, &w, 1, false, &rogue, 1);
  live(&other, &w, 1, true, &rogue, 1);
  const bool seen = differ(line, &one, &other);
  end_free(&one);
  end_free(&other);
  check_worlds_free(&w);
  return seen;
}

/* Where updates go out as they are, the statement says that a part of what a client shows is not covered, and
 * a client fails that has a node with the feature. */
static void a_failure_that_follows_from_a_node_is_seen(void **state) {
  size_t count, seen = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++)
    if (strcmp(cases[i].adjacency, "graph") == 0 && !cases[i].variant->covered)
      seen += is_seen(&cases[i], &data);
  assert_true(seen > 0);
  check_case_data_free(&data);
}

/* The planted fault: a program ends at an example whose gradient is not finite (tests/faults/traced.c). */
static void at_node_level_a_fault_of_that_kind_is_seen(void **state) {
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  assert_int_equal(setenv("SOTTO_ENDS", "1", 1), 0);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cases[i].adjacency, "node") != 0 || !check_case_has(&cases[i], "noise")) continue;
    if (!is_seen(&cases[i], &data)) fail_msg("%s: what is planted is not seen", cases[i].name);
    tried++;
  }
  assert_int_equal(unsetenv("SOTTO_ENDS"), 0);
  assert_true(tried > 0);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failure_that_follows_from_a_node_is_seen),
      cmocka_unit_test(at_node_level_a_fault_of_that_kind_is_seen),
      cmocka_unit_test(a_rogue_learns_nothing_from_how_others_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
