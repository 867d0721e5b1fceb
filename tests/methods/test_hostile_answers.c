/* A rogue party of a joint prediction sends hostile numbers (tests/support/hostile_numbers.h) to a party in
 * two worlds that differ in one private item of that party. The training was honest. The party sends the same
 * messages and ends alike in both worlds, about the data of the run and by a new release. */
#include <string.h>

#include "check.h"
#include "hostile_numbers.h"
#include "party_worlds.h"
#include "programs.h"

enum { most_payloads = 16, most_questions = most_payloads * (CHECK_NOT_A_NUMBER + 1) };

/* The payloads of numbers that a party sends in an honest prediction. */
typedef struct payloads {
  char names[most_payloads][64];
  size_t count;
} payloads;

static bool holds(const payloads *p, const char *name) {
  for (size_t i = 0; i < p->count; i++)
    if (strcmp(p->names[i], name) == 0) return true;
  return false;
}

static void read_payloads(payloads *out, const check_party *rogue) {
  check_trace sent = {0};
  check_programs_sent_then(&sent, rogue);
  char *text = strdup(sent.all.text), *rest = text;
  assert_non_null(text);
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
    char kind[24], name[64];
    if (sscanf(line, "%23s %63[^:]: ", kind, name) != 2 || strstr(line, "numbers, format") == NULL) continue;
    if (holds(out, name)) continue;
    assert_true(out->count < most_payloads);
    (void)snprintf(out->names[out->count++], sizeof out->names[0], "%s", name);
  }
  free(text);
  check_trace_free(&sent);
}

/* Who asks whom: the party whose worlds differ, and the rogue. */
typedef struct question {
  const check_worlds *w;
  size_t victim, rogue;
  bool anew;
} question;

/* What one prediction shows of the victim. A number that reaches its work never ends it: what is refused is
 * refused when it arrives. */
static void ask(check_trace *out, const question *q, const check_rogue *rogue) {
  const check_party *victim = &q->w->parties.of[q->victim];
  int status[CHECK_MOST_PARTIES];
  const size_t failed = check_programs_ask(status, &q->w->parties, 1, rogue, q->anew);
  *out = (check_trace){0};
  check_trace_add(out, "ends with status %d", status[q->victim]);
  check_programs_sent_then(out, victim);
  if (check_programs_said(victim, "not within 0 and 1") || (rogue == NULL && failed > 0)) {
    for (size_t i = 0; i < q->w->parties.count; i++) check_programs_show(&q->w->parties.of[i]);
    fail_msg("%s: what the rogue sends ends the victim's work", q->w->c->name);
  }
}

static size_t failures;

/* Of one world: the honest answers, and those to each payload in each form. Returns their number. */
static size_t live(check_trace *traces, payloads *found, const question *q, size_t changed) {
  int status[CHECK_MOST_PARTIES];
  const check_party *rogue = &q->w->parties.of[q->rogue];
  size_t count = 0;
  check_worlds_enter(q->w, changed);
  if (check_programs_run(status, &q->w->parties, 1, NULL) > 0)
    fail_msg("%s: the parties do not all end well", q->w->c->name);
  ask(&traces[count++], q, NULL);
  if (found->count == 0) read_payloads(found, rogue);
  for (size_t i = 0; i < found->count; i++)
    for (int form = CHECK_HUGE; form <= CHECK_NOT_A_NUMBER; form++) {
      const check_rogue hostile = {rogue->role, found->names[i], form};
      ask(&traces[count], q, &hostile);
      failures += strncmp(traces[count++].all.text, "ends with status 0", 18) != 0;
    }
  check_programs_remove(&q->w->parties);
  return count;
}

static size_t pairs;

static void compare(const question *q) {
  static check_trace one[most_questions], other[most_questions];
  static payloads found;
  char line[2][400];
  found.count = 0;
  const size_t count = live(one, &found, q, q->w->parties.count);
  assert_int_equal(live(other, &found, q, q->victim), count);
  for (size_t i = 0; i < count; i++) {
    if (check_trace_differ(line, &one[i], &other[i]))
      fail_msg("%s, %s, prediction %zu: the worlds differ:\n  %s\n  %s", q->w->c->name,
               q->w->parties.of[q->victim].role, i, line[0], line[1]);
    check_trace_free(&one[i]);
    check_trace_free(&other[i]);
  }
  (void)printf("  %s, %s%s: %zu predictions\n", q->w->c->name, q->w->parties.of[q->victim].role,
               q->anew ? ", anew" : "", count);
  pairs += count;
}

static size_t try_case(const check_case *c, const check_case_data *data, const char *const further[2]) {
  static check_worlds w;
  static const char *const shorter[] = {"epochs", "1", "rounds", "1", "encoder-epochs", "1", NULL};
  size_t tried = 0;
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(&o, shorter);
  if (further != NULL) check_set(&o, further[0], further[1]);
  sotto_options resolved = o;
  sotto_options_resolve(&resolved);
  const sotto_i_variant *v = sotto_i_variant_of(&resolved);
  if (!check_has_parties(&o) || v->answer == NULL) return 0;
  check_worlds_new(&w, c, &o, data, true);
  for (size_t i = 0; i < w.parties.count; i++) {
    question q = {&w, i, i == 0 ? w.parties.count - 1 : 0, false};
    if (w.change[i] == CHECK_NO_CHANGE) continue;
    compare(&q);
    q.anew = true;
    if (v->other_sends[0] != NULL && strcmp(c->adjacency, "none") != 0 && further == NULL) compare(&q);
    tried++;
  }
  check_worlds_free(&w);
  return tried;
}

static void a_party_that_answers_ends_alike_in_both_worlds(void **state) {
  static const char *const labels[] = {"label-epsilon", "2"};
  size_t count, tried = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cases[i].accounting, "sound") != 0) continue;
    if (strcmp(cases[i].adjacency, "none") != 0) tried += try_case(&cases[i], &data, NULL);
    if (check_case_has(&cases[i], labels[0])) tried += try_case(&cases[i], &data, labels);
  }
  (void)printf("%zu parties, %zu pairs of predictions, %zu of them end in a public condition\n", tried, pairs,
               failures);
  check_seen(tried > 8 && pairs > 60);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_party_that_answers_ends_alike_in_both_worlds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
