/* Alignments against a plain intersection: 2, 3 and 5 parties, all kinds of overlap, failures. */
#include "check.h"
#include "id_list.h"
#include "inside/base.h"

enum { most_parties = 5, universe = 6000 };

typedef struct world {
  size_t parties, size[most_parties];
  uint32_t numbers[most_parties][universe];
} world;

/* Each party draws its ids from a shuffled universe; `from` shifts where it starts. */
static void draw(world *w, sotto_i_random *random, size_t parties, const size_t *size, const size_t *from) {
  w->parties = parties;
  for (size_t p = 0; p < parties; p++) {
    w->size[p] = size[p];
    for (size_t i = 0; i < size[p]; i++) w->numbers[p][i] = (uint32_t)(from[p] + i);
    sotto_i_random_shuffle(random, w->numbers[p], size[p]);
  }
}

static bool has(const world *w, size_t party, uint32_t number) {
  for (size_t i = 0; i < w->size[party]; i++)
    if (w->numbers[party][i] == number) return true;
  return false;
}

static size_t plain_count(const world *w, size_t with) {
  size_t count = 0;
  for (size_t i = 0; i < w->size[0]; i++) {
    bool all = true;
    for (size_t p = 1; p < w->parties; p++)
      if (with == 0 || with == p) all = all && has(w, p, w->numbers[0][i]);
    count += all;
  }
  return count;
}

static void check_world(const world *w) {
  sotto_alignment out[most_parties];
  sotto_ids *ids[most_parties];
  for (size_t p = 0; p < w->parties; p++) ids[p] = check_ids(w->numbers[p], w->size[p]);
  CHECK_OK(sotto_align_local(out, (const sotto_ids *const *)ids, w->parties, NULL, &err));
  size_t wanted = plain_count(w, 0);
  static bool seen[universe];
  memset(seen, 0, sizeof seen);
  for (size_t p = 0; p < w->parties; p++) {
    assert_int_equal(out[p].count, wanted);
    assert_int_equal(out[p].own, w->size[p]);
    assert_int_equal(out[p].hub, p == 0);
  }
  for (size_t i = 0; i < wanted; i++) {
    uint32_t number = w->numbers[0][out[0].rows[i]];
    assert_false(seen[number]); /* each id once */
    seen[number] = true;
    for (size_t p = 1; p < w->parties; p++) assert_int_equal(w->numbers[p][out[p].rows[i]], number);
  }
  for (size_t p = 1; p < w->parties; p++) {
    assert_int_equal(out[0].peer_ids[p - 1], w->size[p]);
    assert_int_equal(out[p].peer_ids[0], w->size[0]);
    assert_int_equal(out[0].shared[p - 1], plain_count(w, p));
    assert_int_equal(out[p].products, w->size[p] + w->size[0]);
    assert_int_equal(out[p].hashes, w->size[p]);
  }
  for (size_t p = 0; p < w->parties; p++) {
    sotto_alignment_free(&out[p]);
    sotto_ids_free(ids[p]);
  }
}

static void it_is_the_plain_intersection(void **state) {
  (void)state;
  static world w;
  sotto_i_random random = check_random();
  static const size_t parties[] = {2, 2, 2, 3, 5};
  for (size_t trial = 0; trial < sizeof parties / sizeof *parties; trial++) {
    size_t size[most_parties], from[most_parties];
    for (size_t p = 0; p < parties[trial]; p++) {
      size[p] = sotto_i_random_below(&random, 300);
      from[p] = sotto_i_random_below(&random, 200);
    }
    draw(&w, &random, parties[trial], size, from);
    check_world(&w);
  }
}

static void sets_may_be_disjoint_empty_or_the_same(void **state) {
  (void)state;
  static world w;
  sotto_i_random random = check_random();
  draw(&w, &random, 2, (const size_t[]){50, 40}, (const size_t[]){0, 100});
  check_world(&w);
  draw(&w, &random, 2, (const size_t[]){0, 40}, (const size_t[]){0, 0});
  check_world(&w);
  draw(&w, &random, 2, (const size_t[]){40, 0}, (const size_t[]){0, 0});
  check_world(&w);
  draw(&w, &random, 3, (const size_t[]){0, 0, 0}, (const size_t[]){0, 0, 0});
  check_world(&w);
  draw(&w, &random, 3, (const size_t[]){60, 60, 60}, (const size_t[]){0, 0, 0});
  check_world(&w);
}

/* Around the length of a chunk, 2048, and with several chunks on each side. */
static void chunks_of_any_length_fit_together(void **state) {
  (void)state;
  static world w;
  sotto_i_random random = check_random();
  draw(&w, &random, 2, (const size_t[]){2048, 2049}, (const size_t[]){0, 1});
  check_world(&w);
  draw(&w, &random, 2, (const size_t[]){4097, 1}, (const size_t[]){0, 4096});
  check_world(&w);
}

static void the_result_does_not_depend_on_threads(void **state) {
  (void)state;
  static world w;
  sotto_i_random random = check_random();
  for (unsigned threads = 1; threads < 4; threads += 2) {
    CHECK_OK(sotto_threads_set(threads, &err));
    draw(&w, &random, 3, (const size_t[]){300, 200, 250}, (const size_t[]){0, 50, 20});
    check_world(&w);
  }
  CHECK_OK(sotto_threads_set(0, &err));
}

static void sizes_are_exposed_and_ids_go_sealed(void **state) {
  (void)state;
  const uint32_t a[] = {1, 2, 3}, b[] = {3, 4};
  sotto_ids *ids[2] = {check_ids(a, 3), check_ids(b, 2)};
  sotto_alignment out[2];
  CHECK_OK(sotto_align_local(out, (const sotto_ids *const *)ids, 2, NULL, &err));
  assert_int_equal(out[0].traffic.sent[SOTTO_WIRE_SEALED], 3 * 32);
  assert_int_equal(out[1].traffic.sent[SOTTO_WIRE_SEALED], 3 * 16 + 2 * 32);
  assert_int_equal(out[0].traffic.sent[SOTTO_WIRE_PUBLIC], 32);
  assert_int_equal(out[0].traffic.sent[SOTTO_WIRE_EXPOSED], 4 + 4 + 4);
  assert_int_equal(out[1].traffic.sent[SOTTO_WIRE_EXPOSED], 4);
  assert_int_equal(out[0].exposure_count, 3);
  assert_int_equal(out[1].exposure_count, 1);
  for (int p = 0; p < 2; p++) {
    sotto_alignment_free(&out[p]);
    sotto_ids_free(ids[p]);
  }
}

static void too_many_or_too_few_parties_are_refused(void **state) {
  (void)state;
  sotto_alignment out[2];
  CHECK_FAILS(SOTTO_RANGE, "1 parties", sotto_align_local(out, NULL, 1, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "18 parties", sotto_align_local(out, NULL, 18, NULL, &err));
}

static void an_interruption_ends_it(void **state) {
  (void)state;
  const uint32_t numbers[] = {1, 2, 3};
  sotto_ids *ids = check_ids(numbers, 3);
  const sotto_ids *both[2] = {ids, ids};
  sotto_alignment out[2];
  sotto_interrupt();
  CHECK_FAILS(SOTTO_INTERRUPTED, "", sotto_align_local(out, both, 2, NULL, &err));
  sotto_interrupt_clear();
  sotto_ids_free(ids);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_plain_intersection),
      cmocka_unit_test(sets_may_be_disjoint_empty_or_the_same),
      cmocka_unit_test(chunks_of_any_length_fit_together),
      cmocka_unit_test(the_result_does_not_depend_on_threads),
      cmocka_unit_test(sizes_are_exposed_and_ids_go_sealed),
      cmocka_unit_test(too_many_or_too_few_parties_are_refused),
      cmocka_unit_test(an_interruption_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
