/* Several parties, a process each, all of which talk to all: whoever is killed, whenever, all begin again
 * from a common point and come to the end with the same result. Roles that do not fit are named on every
 * side. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "base/progress.h"
#include "base/random.h"
#include "check.h"
#include "inside/party.h"
#include "loopback.h"
#include "party/wire/mesh.h"
#include "party/wire/mesh_state.h"
#include "party/wire/wire.h"

enum { parties = 4, steps = 40, kept = 2 };
static const char *const roles[parties] = {"server", "holder1", "holder2", "holder3"};

/* A point that a party can go on from, and what its files are in this test: shared memory that outlives it.
 */
typedef struct point {
  uint32_t step, value;
} point;
typedef struct files {
  _Atomic uint32_t newest; /* of the two points */
  point points[kept];
  _Atomic bool done;
  unsigned unheard; /* peers that did not have the reason of a refusal when this party went */
  char failure[300];
} files;

typedef struct party {
  size_t number;
  const char *as; /* role */
  sotto_peer peers[parties - 1];
  char others[parties - 1][SOTTO_I_ROLE_SIZE];
  sotto_i_mesh_options options;
} party;

static char addresses[parties][32];
static files *disk;   /* of all parties */
static bool all_hear; /* whoever gives up stays until each peer has the reason, for a minute at most */

static void find_ports(void) {
  for (int i = 0; i < parties; i++) check_loopback(addresses[i]);
}

/* Who has the lower number listens. */
static void party_new(party *p, size_t number, const char *as, const char *terms) {
  *p = (party){.number = number, .as = as};
  for (size_t i = 0, at = 0; i < parties; i++) {
    if (i == number) continue;
    p->peers[at] = (sotto_peer){roles[i], i < number ? addresses[i] : NULL};
    (void)snprintf(p->others[at++], SOTTO_I_ROLE_SIZE, "%s", roles[i]);
  }
  p->options = (sotto_i_mesh_options){.wire = {.insecure_loopback = true,
                                               .connect_limit = 5,
                                               .idle_limit = 10,
                                               .grace = 8,
                                               .role = as,
                                               .terms = terms},
                                      .listen = addresses[number],
                                      .peers = p->peers,
                                      .peer_count = parties - 1,
                                      .roles = p->others};
}

static sotto_status send_numbers(sotto_link *link, const uint32_t *numbers, size_t count, sotto_error *err) {
  const sotto_words words = {"numbers", SOTTO_WIRE_PUBLIC, NULL, numbers, 1, count};
  return sotto_link_send_words(link, &words, err);
}

static sotto_status receive_numbers(uint32_t *out, sotto_link *link, size_t count, sotto_error *err) {
  const sotto_expectation expected = {"numbers", SOTTO_WIRE_PUBLIC, 1, count, 0};
  return sotto_link_receive_words(link, out, &expected, err);
}

/* The last point that all have. */
static sotto_status agree(point *out, const party *p, sotto_link **links, sotto_error *err) {
  const files *own = &disk[p->number];
  uint32_t mine[kept] = {own->points[0].step, own->points[1].step}, theirs[parties - 1][kept];
  sotto_status status;
  for (size_t i = 0; i < parties - 1; i++) SOTTO_TRY(send_numbers(links[i], mine, kept, err));
  for (size_t i = 0; i < parties - 1; i++) SOTTO_TRY(receive_numbers(theirs[i], links[i], kept, err));
  *out = (point){0, 0};
  for (size_t k = 0; k < kept; k++) {
    size_t all = 0;
    for (size_t i = 0; i < parties - 1; i++) all += theirs[i][0] == mine[k] || theirs[i][1] == mine[k];
    if (all == parties - 1 && mine[k] >= out->step) *out = own->points[k];
  }
done:
  return status;
}

/* What all come to: each step adds all numbers of parties, times the step. */
static uint32_t next_value(uint32_t value, uint32_t sum) {
  return value * 31 + sum;
}

static sotto_status do_steps(const party *p, sotto_link **links, sotto_error *err) {
  files *own = &disk[p->number];
  point at;
  sotto_status status;
  SOTTO_TRY(agree(&at, p, links, err));
  while (at.step < steps) {
    uint32_t mine[2] = {at.step + 1, ((uint32_t)p->number + 1) * (at.step + 1)}, theirs[2], sum = mine[1];
    for (size_t i = 0; i < parties - 1; i++) SOTTO_TRY(send_numbers(links[i], mine, 2, err));
    for (size_t i = 0; i < parties - 1; i++) {
      SOTTO_TRY(receive_numbers(theirs, links[i], 2, err));
      if (theirs[0] != mine[0]) {
        (void)snprintf(own->failure, sizeof own->failure, "step %u met step %u", mine[0], theirs[0]);
        return SOTTO_CORRUPT;
      }
      sum += theirs[1];
    }
    at = (point){at.step + 1, next_value(at.value, sum)};
    uint32_t place = 1 - atomic_load(&own->newest); /* a kill between the two lines leaves the older one */
    own->points[place] = at;
    atomic_store(&own->newest, place);
    check_moment(0.002);
  }
done:
  return status;
}

static sotto_status run(party *p, sotto_error *err) {
  sotto_i_mesh *mesh = NULL;
  sotto_link *links[parties - 1];
  sotto_status status = sotto_i_mesh_open(&mesh, &p->options, err);
  if (status != SOTTO_OK) return status;
  for (;;) {
    *err = (sotto_error){.status = SOTTO_OK};
    status = sotto_i_mesh_meet(mesh, links, err);
    if (status != SOTTO_OK) break;
    status = do_steps(p, links, err);
    for (size_t i = 0; i < parties - 1; i++) sotto_link_free(links[i]);
    if (status == SOTTO_OK) status = sotto_i_mesh_finish(mesh, false, err);
    if (status == SOTTO_OK || !sotto_i_mesh_anew(mesh)) break;
  }
  if (status != SOTTO_OK && all_hear) {
    sotto_i_wires_give_up(mesh->wires, parties - 1, mesh->reason, status, 60);
    for (size_t i = 0; i < parties - 1; i++)
      disk[p->number].unheard += !atomic_load(&mesh->wires[i]->stop_heard);
  } else if (status != SOTTO_OK) {
    sotto_i_mesh_give_up(mesh, status, NULL);
  }
  sotto_i_mesh_free(mesh);
  return status;
}

static pid_t start(size_t number, const char *as, const char *terms) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  party p;
  sotto_error err = {0};
  files *own = &disk[number];
  party_new(&p, number, as, terms);
  sotto_status status = run(&p, &err);
  bool complete = own->points[atomic_load(&own->newest)].step == steps;
  atomic_store(&own->done, complete);
  if (own->failure[0] == '\0') (void)snprintf(own->failure, sizeof own->failure, "%.299s", err.text);
  _exit(status == SOTTO_OK || (status == SOTTO_PROTOCOL && complete) ? 0 : 1); /* the others may be gone */
}

static int prepare(void **state) {
  (void)state;
  find_ports();
  disk = mmap(NULL, parties * sizeof *disk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(disk != MAP_FAILED);
  return 0;
}

static int clear_up(void **state) {
  (void)state;
  return munmap(disk, parties * sizeof *disk);
}

static void whoever_is_killed_all_come_to_the_same_end(void **state) {
  sotto_i_random random = check_random();
  pid_t children[parties];
  uint32_t expected = 0;
  (void)state;
  for (size_t i = 0; i < parties; i++) children[i] = start(i, roles[i], "a: 1\n");
  for (int kills = 0; kills < 10; kills++) {
    check_moment(sotto_i_random_double(&random) * 0.15);
    size_t victim = (size_t)(sotto_i_random_double(&random) * parties);
    if (kill(children[victim], SIGKILL) != 0 || waitpid(children[victim], NULL, 0) != children[victim])
      fail_msg("party %zu is not there", victim);
    if (!atomic_load(&disk[victim].done)) children[victim] = start(victim, roles[victim], "a: 1\n");
    if (atomic_load(&disk[victim].done)) break;
  }
  for (uint32_t step = 1; step <= steps; step++)
    expected = next_value(expected, step * parties * (parties + 1) / 2);
  for (size_t i = 0; i < parties; i++) {
    int how = 0;
    if (!atomic_load(&disk[i].done) || waitpid(children[i], &how, WNOHANG) == 0)
      assert_true(waitpid(children[i], &how, 0) == children[i] || atomic_load(&disk[i].done));
    if (how != 0) fail_msg("party %zu: %s", i, disk[i].failure);
    assert_int_equal(disk[i].points[atomic_load(&disk[i].newest)].value, expected);
  }
}

static void expect_failure(const pid_t *children, size_t count, const char *words) {
  for (size_t i = 0; i < count; i++) {
    int how;
    assert_int_equal(waitpid(children[i], &how, 0), children[i]);
    assert_int_not_equal(how, 0);
    if (strstr(disk[i].failure, words) == NULL) fail_msg("party %zu says: %s", i, disk[i].failure);
    if (disk[i].unheard > 0)
      fail_msg("%u peers did not have the reason when party %zu went", disk[i].unheard, i);
  }
}

static void two_with_one_role_are_named_everywhere(void **state) {
  pid_t children[parties];
  (void)state;
  for (size_t i = 0; i < parties; i++) children[i] = start(i, i == 3 ? "holder2" : roles[i], "a: 1\n");
  expect_failure(children, parties, "has the role 'holder2', and so has");
}

/* All end as soon as all have the reason: none of them waits for the end of a limit. */
static void another_run_file_is_named_everywhere(void **state) {
  pid_t children[parties];
  (void)state;
  all_hear = true;
  for (size_t i = 0; i < parties; i++) children[i] = start(i, roles[i], i == 2 ? "a: 2\n" : "a: 1\n");
  all_hear = false;
  expect_failure(children, parties, "holds another run file: 'a' is");
}

static void peers_that_do_not_fit_are_refused(void **state) {
  party p;
  sotto_i_mesh *mesh;
  (void)state;
  party_new(&p, 0, roles[0], "");
  p.options.listen = NULL;
  CHECK_FAILS(SOTTO_INVALID, "does not listen", sotto_i_mesh_open(&mesh, &p.options, &err));
  party_new(&p, 0, roles[0], "");
  p.peers[1] = p.peers[0];
  CHECK_FAILS(SOTTO_INVALID, "named twice", sotto_i_mesh_open(&mesh, &p.options, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peers_that_do_not_fit_are_refused),
      cmocka_unit_test_setup_teardown(two_with_one_role_are_named_everywhere, prepare, clear_up),
      cmocka_unit_test_setup_teardown(another_run_file_is_named_everywhere, prepare, clear_up),
      cmocka_unit_test_setup_teardown(whoever_is_killed_all_come_to_the_same_end, prepare, clear_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
