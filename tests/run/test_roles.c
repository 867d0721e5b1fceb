/* Roles as threads of one process: who has a link to whom, that all end when one fails, and which error is
 * returned. */
#include "run/parties/roles.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "inside/party.h"

enum { most = 8 };

/* What the made-up roles share. Each role writes to its own place alone. */
typedef struct made {
  const sotto_i_job *job;
  uint32_t heard[most][most]; /* by session, of each link: who was at the other end */
} made;

/* Which role fails, by its place, and how; -1: none. Set before a run. */
static int failing;
static sotto_status failure;
static made seen;
static size_t released;

/* 0 the server or the data party, else the number, or 1 for the label party. */
static uint32_t place_of(const sotto_i_session *s) {
  return s->role == SOTTO_ROLE_LABEL ? 1 : s->number;
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  made *m = shared;
  (void)err;
  m->job = job;
  for (size_t i = 0; i < count; i++) {
    assert_true(sessions[i].local && place_of(&sessions[i]) == i);
    sessions[i].own = m;
  }
  return SOTTO_OK;
}

/* Says its place to all, and hears theirs. The one that fails does so before it says anything. */
static sotto_status talk(sotto_i_session *s, sotto_error *err) {
  made *m = s->own;
  const uint32_t own = place_of(s);
  const sotto_words words = {"place", SOTTO_WIRE_PUBLIC, NULL, &own, 1, 1};
  const sotto_expectation expected = {"place", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  sotto_status status = SOTTO_OK;
  if ((int)own == failing) return sotto_i_fail(err, failure, "role %u failed by itself", (unsigned)own);
  for (size_t i = 0; i < s->link_count; i++) SOTTO_TRY(sotto_link_send_words(s->links[i], &words, err));
  for (size_t i = 0; i < s->link_count; i++)
    SOTTO_TRY(sotto_link_receive_words(s->links[i], &m->heard[own][i], &expected, err));
done:
  return status;
}

static sotto_status finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  (void)out;
  (void)err;
  seen = *(made *)shared;
  return SOTTO_OK;
}

static void release(void *shared) {
  (void)shared;
  released++;
}

static uint32_t members(const sotto_i_job *job) {
  return (uint32_t)job->options->clients;
}

static sotto_i_roles roles_of(sotto_role member) {
  sotto_i_roles roles = {.member = member,
                         .size = sizeof(made),
                         .members = members,
                         .prepare = prepare,
                         .finish = finish,
                         .release = release};
  for (sotto_role role = SOTTO_ROLE_DATA; role <= SOTTO_ROLE_HELPER; role++) roles.run[role] = talk;
  return roles;
}

static sotto_status run(sotto_role member, sotto_error *err) {
  sotto_options options;
  sotto_options_default(&options);
  options.clients = 4;
  const sotto_i_job job = {.options = &options, .folder = check_path("roles")};
  const sotto_i_roles roles = roles_of(member);
  sotto_i_outcome out = {.exposure_count = 0};
  return sotto_i_roles_run(&out, &job, &roles, err);
}

static void two_parties_have_each_other(void **state) {
  (void)state;
  failing = -1;
  CHECK_OK(run(SOTTO_ROLE_DATA, &err));
  assert_int_equal(seen.heard[0][0], 1);
  assert_int_equal(seen.heard[1][0], 0);
}

static void clients_have_the_server_alone(void **state) {
  (void)state;
  failing = -1;
  CHECK_OK(run(SOTTO_ROLE_CLIENT, &err));
  for (uint32_t i = 1; i <= 4; i++) assert_int_equal(seen.heard[0][i - 1], i);
  for (uint32_t i = 1; i <= 4; i++) assert_true(seen.heard[i][0] == 0 && seen.heard[i][1] == 0);
}

static void holders_have_the_server_and_each_other_by_number(void **state) {
  (void)state;
  static const uint32_t expected[5][4] = {
      {1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}};
  failing = -1;
  CHECK_OK(run(SOTTO_ROLE_HOLDER, &err));
  for (size_t i = 0; i < 5; i++)
    for (size_t k = 0; k < 4; k++) assert_int_equal(seen.heard[i][k], expected[i][k]);
}

/* The others only see that a link closed. */
static void the_first_failure_ends_all_and_is_returned(void **state) {
  (void)state;
  static const sotto_role kinds[] = {SOTTO_ROLE_DATA, SOTTO_ROLE_HOLDER, SOTTO_ROLE_CLIENT};
  static const sotto_status failures[] = {SOTTO_RANGE, SOTTO_PROTOCOL, SOTTO_INTERRUPTED};
  for (size_t kind = 0; kind < 3; kind++)
    for (failing = 0; failing < (kind == 0 ? 2 : 5); failing++)
      for (size_t i = 0; i < 3; i++) {
        char words[40];
        size_t before = released;
        failure = failures[i];
        (void)snprintf(words, sizeof words, "role %d failed by itself", failing);
        CHECK_FAILS(failure, words, run(kinds[kind], &err));
        assert_int_equal(released, before + 1);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_parties_have_each_other),
      cmocka_unit_test(clients_have_the_server_alone),
      cmocka_unit_test(holders_have_the_server_and_each_other_by_number),
      cmocka_unit_test(the_first_failure_ends_all_and_is_returned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
