/* Alignments over a network: all parties end with the same order, whoever stops, and wherever. Every party
 * has a thread of its own here, and a wire without TLS; tests/cli has processes. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "id_list.h"
#include "loopback.h"

enum { most = 3, ids_count = 100, overlap = 20 };

/* What a stop leaves behind: nothing yet, or the files. */
typedef enum moment { never, before_begin, before_keep, after_keep } moment;

typedef struct seat {
  size_t number; /* 0: the hub */
  sotto_align_party_options options;
  sotto_align_peer peers[most];
  const sotto_ids *ids;
  moment stop; /* the first time it comes to there */
  bool have;   /* its files are complete */
  uint32_t rows[ids_count];
  size_t count, kept; /* rows; how often `keep` ended well */
  sotto_status status;
  sotto_error err;
} seat;

static sotto_status stop_at(seat *s, moment here, sotto_error *err) {
  if (s->stop != here) return SOTTO_OK;
  s->stop = never;
  return sotto_i_fail(err, SOTTO_INTERRUPTED, "killed");
}

static sotto_status begin(void *context, sotto_error *err) {
  seat *s = context;
  sotto_status status = stop_at(s, before_begin, err);
  if (status == SOTTO_OK) s->have = false;
  return status;
}

static sotto_status keep(void *context, const sotto_alignment *a, sotto_error *err) {
  seat *s = context;
  sotto_status status = stop_at(s, before_keep, err);
  if (status != SOTTO_OK) return status;
  assert_true(a->count <= ids_count);
  memcpy(s->rows, a->rows, a->count * sizeof *a->rows);
  s->count = a->count;
  s->have = true;
  s->kept++;
  return stop_at(s, after_keep, err);
}

/* One party, started again with the same options when it was stopped; after the end too if it is to be. */
static void *run(void *context) {
  seat *s = context;
  do {
    s->err = (sotto_error){.status = SOTTO_OK};
    s->options.kept = s->have;
    s->options.context = s;
    s->options.peers = s->peers;
    s->status = sotto_align_party(&s->options, s->ids, NULL, &s->err);
  } while (s->status == SOTTO_INTERRUPTED);
  return NULL;
}

static const char *const names[most] = {"hub", "leaf-1", "leaf-2"};

typedef struct scene {
  size_t parties;
  bool hub_listens;
  seat seats[most];
  sotto_ids *ids[most];
  char addresses[most][32];
} scene;

/* Party p has the numbers from p * overlap on, in an order drawn at random. */
static void set_up(scene *s, size_t parties, bool hub_listens, sotto_i_random *random) {
  static uint32_t numbers[ids_count];
  *s = (scene){.parties = parties, .hub_listens = hub_listens};
  for (size_t p = 0; p < parties; p++) {
    for (uint32_t i = 0; i < ids_count; i++) numbers[i] = (uint32_t)(p * overlap) + i;
    sotto_i_random_shuffle(random, numbers, ids_count);
    s->ids[p] = check_ids(numbers, ids_count);
    if (p > 0) check_loopback(s->addresses[p]);
  }
  for (size_t p = 0; p < parties; p++) {
    seat *at = &s->seats[p];
    *at = (seat){.number = p, .ids = s->ids[p]};
    at->options = (sotto_align_party_options){.hub = p == 0,
                                              .peer_count = p == 0 ? parties - 1 : 1,
                                              .listen = (p == 0) == hub_listens,
                                              .insecure_loopback = true,
                                              .connect_limit = 20,
                                              .idle_limit = 30,
                                              .grace = 60,
                                              .begin = begin,
                                              .keep = keep};
    for (size_t q = 1; q < parties; q++)
      if (p == 0) at->peers[q - 1] = (sotto_align_peer){names[q], s->addresses[q]};
    if (p > 0) at->peers[0] = (sotto_align_peer){names[0], s->addresses[p]};
  }
}

static void run_all(scene *s) {
  pthread_t threads[most];
  for (size_t p = 0; p < s->parties; p++)
    assert_int_equal(pthread_create(&threads[p], NULL, run, &s->seats[p]), 0);
  for (size_t p = 0; p < s->parties; p++) pthread_join(threads[p], NULL);
}

/* All ended well with the plain intersection in one order. */
static void check_and_free(scene *s, const char *what) {
  for (size_t p = 0; p < s->parties; p++) {
    const seat *at = &s->seats[p];
    if (at->status != SOTTO_OK) fail_msg("%s: party %zu: %s", what, p, at->err.text);
    if (!at->have || at->count != ids_count - (s->parties - 1) * overlap)
      fail_msg("%s: party %zu has %zu ids", what, p, at->count);
  }
  for (size_t i = 0; i < s->seats[0].count; i++)
    for (size_t p = 1; p < s->parties; p++) {
      size_t sizes[2];
      uint8_t here[SOTTO_MOST_ID_BYTES], there[SOTTO_MOST_ID_BYTES];
      CHECK_OK(sotto_ids_get(here, &sizes[0], s->ids[0], s->seats[0].rows[i], &err));
      CHECK_OK(sotto_ids_get(there, &sizes[1], s->ids[p], s->seats[p].rows[i], &err));
      if (sizes[0] != sizes[1] || memcmp(here, there, sizes[0]) != 0)
        fail_msg("%s: place %zu differs between party 0 and party %zu", what, i, p);
    }
  for (size_t p = 0; p < s->parties; p++) sotto_ids_free(s->ids[p]);
}

static void it_aligns_whoever_listens(void **state) {
  (void)state;
  static scene s;
  sotto_i_random random = check_random();
  for (int listens = 0; listens < 2; listens++)
    for (size_t parties = 2; parties <= most; parties++) {
      set_up(&s, parties, listens == 1, &random);
      run_all(&s);
      for (size_t p = 0; p < parties; p++) assert_int_equal(s.seats[p].kept, 1);
      check_and_free(&s, "undisturbed");
    }
}

/* Each party stopped at each moment: how many results are kept says who began again. */
static void whoever_stops_goes_on_with_the_same_order(void **state) {
  (void)state;
  static scene s;
  sotto_i_random random = check_random();
  static const char *const words[] = {"", "before it began", "before it kept", "after it kept"};
  for (size_t who = 0; who < most; who++)
    for (moment when = before_begin; when <= after_keep; when++) {
      char what[64];
      (void)snprintf(what, sizeof what, "party %zu stopped %s", who, words[when]);
      set_up(&s, most, who == 1, &random);
      s.seats[who].stop = when;
      run_all(&s);
      /* a hub that stopped after it had kept needs no second exchange; after any other stop a second one is
       * made */
      size_t wanted = when == after_keep ? (who == 0 ? 1 : 2) : 1;
      if (s.seats[who].kept != wanted)
        fail_msg("%s: kept %zu times; hub: %s; it: %s", what, s.seats[who].kept, s.seats[0].err.text,
                 s.seats[who].err.text);
      if (s.seats[0].kept != 1) fail_msg("%s: the hub kept %zu times", what, s.seats[0].kept);
      check_and_free(&s, what);
    }
}

/* Nobody whose files are gone is left behind: what the others had kept counts no more. */
static void lost_files_make_all_begin_again(void **state) {
  (void)state;
  static scene s;
  sotto_i_random random = check_random();
  for (size_t who = 0; who < most; who++) {
    set_up(&s, most, who == 1, &random);
    for (size_t p = 0; p < most; p++) s.seats[p].have = p != who;
    run_all(&s);
    for (size_t p = 0; p < most; p++) assert_int_equal(s.seats[p].kept, 1);
    check_and_free(&s, "lost files");
  }
}

static void all_that_have_kept_only_part(void **state) {
  (void)state;
  static scene s;
  sotto_i_random random = check_random();
  set_up(&s, most, false, &random);
  for (size_t p = 0; p < most; p++) s.seats[p].have = true;
  run_all(&s);
  for (size_t p = 0; p < most; p++) {
    assert_int_equal(s.seats[p].kept, 0);
    if (s.seats[p].status != SOTTO_OK) fail_msg("party %zu: %s", p, s.seats[p].err.text);
    sotto_ids_free(s.ids[p]);
  }
}

static void a_failure_ends_all(void **state) {
  (void)state;
  static scene s;
  sotto_i_random random = check_random();
  set_up(&s, 2, false, &random);
  s.seats[1].options.hub = true; /* two hubs */
  run_all(&s);
  for (size_t p = 0; p < 2; p++) {
    assert_int_equal(s.seats[p].status, SOTTO_PROTOCOL);
    if (strstr(s.seats[p].err.text, "has the role 'hub'") == NULL) fail_msg("%s", s.seats[p].err.text);
    sotto_ids_free(s.ids[p]);
  }
  set_up(&s, 2, false, &random);
  s.seats[1].options.peer_count = 2;
  CHECK_FAILS(SOTTO_RANGE, "a leaf one hub", sotto_align_party(&s.seats[1].options, s.ids[1], NULL, &err));
  for (size_t p = 0; p < 2; p++) sotto_ids_free(s.ids[p]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_aligns_whoever_listens),
      cmocka_unit_test(whoever_stops_goes_on_with_the_same_order),
      cmocka_unit_test(lost_files_make_all_begin_again),
      cmocka_unit_test(all_that_have_kept_only_part),
      cmocka_unit_test(a_failure_ends_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
