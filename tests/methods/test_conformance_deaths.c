/* Every method in every variant: a run that is killed at any step of any of its artifacts, and resumed, is
 * charged no more than one that was not killed, states what was charged, and leaves the same model. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "faults/remembered.h"
#include "faults/story.h"
#include "registry_cases.h"
#include "run_files.h"
#include "spending.h"

/* One case, and where it lives. */
typedef struct subject {
  const check_case *c;
  const check_case_data *data;
  const char *const *further; /* an option and its value; NULL: none */
  bool fresh;                 /* noise of the system's; else an insecure seed's */
  sotto_options options;
  char log[600], errors[600];
} subject;

/* `like` says what of, but for the folder. */
static void subject_new(subject *s, const subject *like, const char *suffix) {
  static const char *const shorter[] = {"epochs", "2",     "rounds", "2", "encoder-epochs",
                                        "2",      "steps", "2",      NULL};
  char folder[140], name[180];
  const check_case *c = like->c;
  (void)snprintf(folder, sizeof folder, "%s-%s%s", c->name, like->fresh ? "fresh-" : "", suffix);
  *s = *like;
  s->options = check_case_options(c, s->data, folder);
  check_set_own(&s->options, shorter);
  if (!s->fresh) check_set(&s->options, "insecure-seed", "5");
  if (s->further != NULL) {
    check_set(&s->options, s->further[0], s->further[1]);
    check_set_own(&s->options, (const char *const[]){"max-degree", s->data->max_degree, NULL});
  }
  (void)snprintf(name, sizeof name, "%s.log", folder);
  (void)snprintf(s->log, sizeof s->log, "%s", check_path(name));
  (void)snprintf(name, sizeof name, "%s.err", folder);
  (void)snprintf(s->errors, sizeof s->errors, "%s", check_path(name));
}

static void subject_free(const subject *s) {
  if (sotto_i_is_folder(s->options.out)) check_remove_folder(s->options.out);
  (void)unlink(s->options.ledger);
  (void)unlink(s->log);
  (void)unlink(s->errors);
}

static void report(const char *path, const sotto_error *err) {
  FILE *file = fopen(path, "w");
  if (file == NULL) return;
  (void)fputs(err->text, file);
  (void)fclose(file);
}

typedef enum ending { ENDED, KILLED, FAILED } ending;

/* A run in a process of its own, which dies at `at`. */
static ending run(const subject *s, const death *at) {
  int status;
  (void)fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    sotto_error err = {0};
    sotto_result result;
    death_arm(s->options.out, s->log, at);
    sotto_status code = sotto_train(&result, &s->options, check_data_of(s->c, s->data), NULL, NULL, &err);
    if (code != SOTTO_OK) report(s->errors, &err);
    _exit(code == SOTTO_OK ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    assert_int_equal(WTERMSIG(status), SIGKILL);
    return KILLED;
  }
  if (WEXITSTATUS(status) > 1) fail_msg("%s: ends with status %d", s->c->name, WEXITSTATUS(status));
  return WEXITSTATUS(status) == 0 ? ENDED : FAILED;
}

static const death nowhere = {DEATH_NOWHERE, ""};

/* A run that nobody killed. */
typedef struct whole {
  subject s;
  story story;
  check_spending spending;
  sotto_i_map model;
  story_deaths deaths;
} whole;

/* Its releases of the graph have no noise, so that none is charged. */
static bool shows_edges(const check_case *c) {
  return strcmp(c->adjacency, "none") == 0;
}

/* False: it releases nothing. */
static bool whole_new(whole *w, const subject *like) {
  const check_case *c = like->c;
  w->deaths.count = 0;
  w->model = (sotto_i_map){0};
  subject_new(&w->s, like, "whole");
  if (run(&w->s, &nowhere) != ENDED) fail_msg("%s: fails", c->name);
  w->spending = check_spending_of(&w->s.options);
  if (w->spending.charges == 0) return false;
  story_read(&w->story, w->s.log);
  story_check_order(&w->story, shows_edges(c), c->name);
  story_find_deaths(&w->deaths, &w->story, w->s.fresh);
  if (w->deaths.count == 0) fail_msg("%s: is charged, and keeps no artifact", c->name);
  CHECK_OK(sotto_i_map_open(&w->model, check_model_in(&w->s.options), &err));
  return true;
}

static void whole_free(whole *w) {
  sotto_i_map_close(&w->model);
  subject_free(&w->s);
}

/* False: noise as published is one draw for all of a training, which must begin anew in another folder. */
static bool resume(subject *s, const whole *w, const char *who) {
  char text[600] = "";
  s->options.resume = true;
  ending how = run(s, &nowhere);
  if (how == ENDED) return true;
  FILE *file = fopen(s->errors, "r");
  if (file != NULL) {
    (void)!fgets(text, sizeof text, file);
    (void)fclose(file);
  }
  if (how != FAILED || strcmp(s->c->accounting, "paper") != 0 || strstr(text, "use a new run folder") == NULL)
    fail_msg("%s and resumed: %s", who, text);
  if (check_charges_in(&s->options) > w->spending.charges) fail_msg("%s: charged again", who);
  return false;
}

static void check_model(const whole *w, const subject *s, const char *who) {
  sotto_i_map model;
  CHECK_OK(sotto_i_map_open(&model, check_model_in(&s->options), &err));
  if (model.size != w->model.size || memcmp(model.data, w->model.data, model.size) != 0)
    fail_msg("%s: another model", who);
  sotto_i_map_close(&model);
}

/* Kills, looks at what is left, resumes, and compares with the run that nobody killed. */
static void kill_and_resume(const whole *w, size_t number) {
  static story t;
  const death *at = &w->deaths.at[number];
  char suffix[40], who[300];
  subject s;
  (void)snprintf(suffix, sizeof suffix, "%zu", number);
  (void)snprintf(who, sizeof who, "%s, killed %s at '%s'%s", w->s.c->name, death_step_name(at->step),
                 at->name, w->s.fresh ? ", fresh noise" : "");
  subject_new(&s, &w->s, suffix);
  if (run(&s, at) != KILLED) fail_msg("%s: lives", who);
  story_check_left_behind(s.log, &s.options, at, who);
  if (resume(&s, w, who)) {
    const check_spending spending = check_spending_of(&s.options);
    if (spending.charges != w->spending.charges)
      fail_msg("%s: %llu charges, and %llu when it is not killed", who, (unsigned long long)spending.charges,
               (unsigned long long)w->spending.charges);
    story_read(&t, s.log);
    story_check_order(&t, shows_edges(s.c), who);
    if (story_payloads(&t) != story_payloads(&w->story))
      fail_msg("%s: %zu different payloads went out, for the charges of %zu", who, story_payloads(&t),
               story_payloads(&w->story));
    if (!w->s.fresh) check_model(w, &s, who);
  }
  subject_free(&s);
}

/* Returns how often it died; 0: it releases nothing. */
static size_t kill_everywhere(const subject *like) {
  static whole w;
  const bool releases = whole_new(&w, like);
  const size_t deaths = releases ? w.deaths.count : 0;
  for (size_t k = 0; k < deaths; k++) kill_and_resume(&w, k);
  if (releases)
    (void)printf("  %-28s %-16s %s %3zu deaths\n", like->c->name,
                 like->further == NULL ? "" : like->further[0], like->fresh ? "fresh noise" : "fixed noise",
                 deaths);
  whole_free(&w);
  return deaths;
}

static void a_killed_run_is_charged_once_and_ends_the_same(void **state) {
  size_t count, with_releases = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  remembered_begin();
  for (size_t i = 0; i < count; i++) {
    subject s = {.c = &cases[i], .data = &data};
    if (kill_everywhere(&s) == 0) continue;
    s.fresh = true;
    (void)kill_everywhere(&s);
    with_releases++;
  }
  check_seen(with_releases > 20);
  check_case_data_free(&data);
}

static void so_is_one_with_further_releases(void **state) {
  size_t count, with_releases = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  remembered_begin();
  for (size_t k = 0; k < CHECK_FURTHER; k++)
    for (size_t i = 0; i < count; i++) {
      const subject s = {.c = &cases[i], .data = &data, .further = check_further[k], .fresh = true};
      if (strcmp(check_further[k][0], "layers") == 0) continue; /* more of the same artifact */
      if (check_case_takes(&cases[i], check_further[k])) with_releases += kill_everywhere(&s) > 0;
    }
  check_seen(with_releases > 6);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_killed_run_is_charged_once_and_ends_the_same),
      cmocka_unit_test(so_is_one_with_further_releases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
