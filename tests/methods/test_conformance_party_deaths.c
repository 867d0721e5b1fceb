/* Every method in every variant, as parties that are processes of their own: a party that is killed at any
 * step of any of its artifacts, and started again while the others wait, is charged no more than one that was
 * not killed, states what was charged, and all end with the same models. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "faults/remembered.h"
#include "faults/story.h"
#include "ledgers.h"
#include "placements.h"
#include "registry_cases.h"
#include "run/method/method.h"
#include "run_files.h"
#include "spending.h"

/* Who dies, and where; each party has its own log. */
typedef struct plan {
  size_t victim;
  death at;
  const check_placement *parties;
} plan;

static const char *log_of(const check_party *p) {
  static char paths[2][1100];
  static unsigned next;
  char *path = paths[next++ % 2];
  (void)snprintf(path, sizeof paths[0], "%.1000s.log", p->options.out);
  return path;
}

static void arm(void *context, const check_party *p) {
  static const death nowhere = {DEATH_NOWHERE, ""};
  const plan *how = context;
  const bool dies = p == &how->parties->of[how->victim];
  death_arm(p->options.out, log_of(p), dies ? &how->at : &nowhere);
}

static bool ends_well(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What a user does when a party gave up, since another was done before it came back: starts all again. */
static void start_all_again(const check_placement *parties, plan *how, const char *who) {
  pid_t pids[CHECK_MOST_PARTIES];
  size_t failed = 0;
  for (size_t i = 0; i < parties->count; i++) pids[i] = check_party_start(&parties->of[i], arm, how);
  for (size_t i = 0; i < parties->count; i++) {
    if (ends_well(pids[i])) continue;
    check_party_show(&parties->of[i]);
    failed++;
  }
  if (failed > 0) fail_msg("%s: %zu parties do not end well", who, failed);
}

/* Noise as published is one draw for all of a training: to go on after a death the data party needs another
 * folder, and says so. */
static bool is_refused(const check_placement *parties) {
  char text[600];
  const sotto_i_variant *variant = sotto_i_variant_of(&parties->of[0].options);
  bool said = false;
  for (size_t i = 0; variant->begins_anew != NULL && i < parties->count; i++) {
    check_party_error(text, &parties->of[i]);
    said = said || strstr(text, "use a new run folder") != NULL;
  }
  return said;
}

/* All parties at once; the one that dies is started again. False: it is refused. */
static bool run(const check_placement *parties, size_t victim, const death *at, const char *who) {
  pid_t pids[CHECK_MOST_PARTIES];
  plan how = {victim, *at, parties};
  for (size_t i = 0; i < parties->count; i++) pids[i] = check_party_start(&parties->of[i], arm, &how);
  if (at->step != DEATH_NOWHERE) {
    const check_party *p = &parties->of[victim];
    int status;
    assert_int_equal(waitpid(pids[victim], &status, 0), pids[victim]);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
      check_party_show(p);
      fail_msg("%s: lives", who);
    }
    story_check_left_behind(log_of(p), &p->options, at, who);
    how.at.step = DEATH_NOWHERE;
    pids[victim] = check_party_start(p, arm, &how);
  }
  bool again = false;
  for (size_t i = 0; i < parties->count; i++) again = !ends_well(pids[i]) || again;
  if (again && is_refused(parties)) return false;
  if (again) start_all_again(parties, &how, who);
  return true;
}

static void remove_all(const check_placement *parties) {
  for (size_t i = 0; i < parties->count; i++) {
    const check_party *p = &parties->of[i];
    if (sotto_i_is_folder(p->options.out)) check_remove_folder(p->options.out);
    (void)unlink(p->options.ledger);
    (void)unlink(p->options.data);
    check_forget_ledger(p->options.data);
    (void)unlink(log_of(p));
  }
}

/* A case of which nobody dies. */
typedef struct whole {
  const check_case *c;
  const check_case_data *data;
  const char *const *further; /* an option and its value; NULL: none */
  bool fresh;
  uint32_t *owner;
  check_placement parties;
  check_spending spending[CHECK_MOST_PARTIES];
  size_t payloads[CHECK_MOST_PARTIES];
  story_deaths deaths[CHECK_MOST_PARTIES];
} whole;

/* Its releases of the graph have no noise, so that none is charged. */
static bool shows_edges(const check_case *c) {
  return strcmp(c->adjacency, "none") == 0;
}

static sotto_options options_of(const whole *w, const char *suffix) {
  static const char *const shorter[] = {"epochs", "2",     "rounds", "1", "encoder-epochs",
                                        "2",      "grace", "8",      NULL};
  char folder[180];
  (void)snprintf(folder, sizeof folder, "%s-%s%s", w->c->name, w->fresh ? "fresh-" : "", suffix);
  sotto_options o = check_case_options(w->c, w->data, folder);
  check_set_own(&o, shorter);
  if (!w->fresh) check_set(&o, "insecure-seed", "5");
  if (w->further == NULL) return o;
  check_set(&o, w->further[0], w->further[1]);
  check_set_own(&o, (const char *const[]){"max-degree", w->data->max_degree, NULL});
  return o;
}

static void read_all(whole *w) {
  static story s;
  for (size_t i = 0; i < w->parties.count; i++) {
    const check_party *p = &w->parties.of[i];
    story_read(&s, log_of(p));
    story_check_order(&s, shows_edges(w->c), p->role);
    w->spending[i] = check_spending_of(&p->options);
    w->payloads[i] = story_payloads(&s);
    story_find_deaths(&w->deaths[i], &s, w->fresh);
    if (w->spending[i].charges == 0) w->deaths[i].count = 0;
  }
}

static void check_same_model(const check_party *p, const check_party *like, const char *who) {
  sotto_i_map a, b;
  CHECK_OK(sotto_i_map_open(&a, check_model_in(&p->options), &err));
  CHECK_OK(sotto_i_map_open(&b, check_model_in(&like->options), &err));
  if (a.size != b.size || memcmp(a.data, b.data, a.size) != 0)
    fail_msg("%s: %s has another model", who, p->role);
  sotto_i_map_close(&a);
  sotto_i_map_close(&b);
}

static void compare(const whole *w, const check_placement *parties, const char *who) {
  static story s;
  for (size_t i = 0; i < parties->count; i++) {
    const check_party *p = &parties->of[i];
    const check_spending spending = check_spending_of(&p->options);
    if (spending.charges != w->spending[i].charges)
      fail_msg("%s: %s has %llu charges, and %llu when nobody is killed", who, p->role,
               (unsigned long long)spending.charges, (unsigned long long)w->spending[i].charges);
    story_read(&s, log_of(p));
    story_check_order(&s, shows_edges(w->c), who);
    if (story_payloads(&s) != w->payloads[i])
      fail_msg("%s: %zu different payloads of %s went out, for the charges of %zu", who, story_payloads(&s),
               p->role, w->payloads[i]);
    if (!w->fresh) check_same_model(p, &w->parties.of[i], who);
  }
}

/* A run that is refused was charged no more than one that ended. */
static void check_charges(const whole *w, const check_placement *parties, const char *who) {
  for (size_t i = 0; i < parties->count; i++)
    if (check_charges_in(&parties->of[i].options) > w->spending[i].charges)
      fail_msg("%s: %s is charged again", who, parties->of[i].role);
}

static void kill_one(const whole *w, size_t victim, size_t number) {
  static check_placement parties;
  const death *at = &w->deaths[victim].at[number];
  char suffix[60], who[300];
  (void)snprintf(suffix, sizeof suffix, "%zu-%zu", victim, number);
  (void)snprintf(who, sizeof who, "%s, %s killed %s at '%s'%s", w->c->name, w->parties.of[victim].role,
                 death_step_name(at->step), at->name, w->fresh ? ", fresh noise" : "");
  const sotto_options o = options_of(w, suffix);
  check_placement_new(&parties, &o, check_data_of(w->c, w->data), w->owner);
  if (run(&parties, victim, at, who))
    compare(w, &parties, who);
  else
    check_charges(w, &parties, who);
  remove_all(&parties);
}

/* Returns how often somebody died. */
static size_t kill_all(whole *w) {
  static const death nowhere = {DEATH_NOWHERE, ""};
  size_t killed = 0;
  const sotto_options o = options_of(w, "whole");
  if (!check_has_parties(&o)) return 0;
  check_placement_new(&w->parties, &o, check_data_of(w->c, w->data), w->owner);
  assert_true(run(&w->parties, 0, &nowhere, w->c->name));
  read_all(w);
  for (size_t i = 0; i < w->parties.count; i++)
    for (size_t k = 0; k < w->deaths[i].count; k++, killed++) kill_one(w, i, k);
  remove_all(&w->parties);
  if (killed > 0)
    (void)printf("  %-20s %-16s %s %3zu deaths\n", w->c->name, w->further == NULL ? "" : w->further[0],
                 w->fresh ? "fresh noise" : "fixed noise", killed);
  return killed;
}

/* Whose items are whose, of three clients. */
static uint32_t *owners(const check_case_data *data) {
  uint32_t *owner = calloc(data->graph.graph.nodes, sizeof *owner);
  assert_non_null(owner);
  for (uint64_t i = 0; i < data->graph.graph.nodes; i++) owner[i] = (uint32_t)(i % 3);
  return owner;
}

static void a_killed_party_is_charged_once_and_all_end_the_same(void **state) {
  static whole w;
  size_t count, killed = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  uint32_t *owner = owners(&data);
  (void)state;
  remembered_begin();
  for (size_t i = 0; i < count; i++)
    for (int fresh = 0; strcmp(cases[i].adjacency, "none") != 0 && fresh < 2; fresh++) {
      w = (whole){.c = &cases[i], .data = &data, .fresh = fresh == 1, .owner = owner};
      killed += kill_all(&w);
    }
  check_seen(killed > 60);
  free(owner);
  check_case_data_free(&data);
}

/* Options that bring artifacts of another kind, or of the other party. */
static void so_is_one_with_artifacts_of_its_own(void **state) {
  static whole w;
  static const char *const further[][2] = {
      {"label-epsilon", "2"}, {"label-edges", "0.4"}, {"prototype-noise", "4"}, {"label-holder", "3"}};
  size_t count, killed = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  uint32_t *owner = owners(&data);
  (void)state;
  remembered_begin();
  for (size_t k = 0; k < sizeof further / sizeof *further; k++)
    for (size_t i = 0; i < count; i++) {
      if (!check_case_takes(&cases[i], further[k])) continue;
      w = (whole){.c = &cases[i], .data = &data, .further = further[k], .fresh = true, .owner = owner};
      killed += kill_all(&w);
    }
  check_seen(killed > 30);
  free(owner);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_killed_party_is_charged_once_and_all_end_the_same),
      cmocka_unit_test(so_is_one_with_artifacts_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
