/* Checked sums: honest vectors up to the bound are summed, anything else is named and left out. */
#include "check.h"
#include "check_round.h"

static void honest_vectors_are_summed(void **state) {
  (void)state;
  static const struct {
    uint32_t clients;
    size_t values;
    uint64_t bound;
  } cases[] = {{1, 1, 1},       {3, 1, 5},         {2, 2, 1000},
               {9, 17, 3},      {17, 40, 1 << 20}, {3, 700, UINT64_C(1) << 49},
               {2, 5000, 12345}};
  sotto_i_random random = check_random();
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    check_round r;
    check_round_new(&r, cases[c].clients, cases[c].values, cases[c].bound, &random);
    check_round_all(&r);
    check_round_came_to(&r, "AAAAAAAAAAAAAAAAA");
    check_round_free(&r);
  }
}

/* At the bound: accepted. One beyond it: refused. Bounds around powers of two, where digits change. */
static void the_bound_is_exact(void **state) {
  (void)state;
  static const uint64_t bounds[] = {31, 32, 33, 63, 64, 1000, 65535, 65536, (1 << 30) - 1, UINT64_C(1) << 49};
  sotto_i_random random = check_random();
  for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
    check_round r;
    check_round_new(&r, 4, 60, bounds[b], &random);
    for (uint32_t i = 0; i < 4; i++) check_round_vector(r.vectors[i], 60, bounds[b] + i / 2, &random);
    assert_true(sotto_i_prime_best()->dot(r.vectors[2], r.vectors[2], 60) == bounds[b] + 1);
    check_round_all(&r);
    check_round_came_to(&r, "AARR");
    check_round_free(&r);
  }
}

/* The calls for clients refuse at once what servers would refuse. */
static void a_client_does_not_share_what_is_too_long(void **state) {
  (void)state;
  const sotto_i_check_plan plan = {.clients = 1, .least = 1, .values = 3, .bound = 50};
  int64_t at[] = {3, -4, 5}, beyond[] = {3, -4, 6}, huge[] = {0, INT64_MIN, 0};
  uint64_t shares[3], *proof;
  uint8_t seed[SOTTO_I_CHECK_KEY], challenge[SOTTO_I_CHECK_KEY] = {1};
  CHECK_OK(sotto_i_new(&proof, sotto_i_check_message_sizes(&plan).proof, sizeof *proof, &err));
  CHECK_OK(sotto_i_check_share(shares, seed, &plan, 0, at, &err));
  CHECK_OK(sotto_i_check_prove(proof, &plan, 0, at, seed, challenge, &err));
  CHECK_FAILS(SOTTO_RANGE, "more than 50", sotto_i_check_share(shares, seed, &plan, 0, beyond, &err));
  CHECK_FAILS(SOTTO_RANGE, "more than 50", sotto_i_check_share(shares, seed, &plan, 0, huge, &err));
  CHECK_FAILS(SOTTO_RANGE, "more than 50",
              sotto_i_check_prove(proof, &plan, 0, beyond, seed, challenge, &err));
  sotto_i_free(proof);
}

/* Their squares sum to little modulo p: only the projections see that. */
static void vectors_that_wrap_are_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  check_round r;
  check_round_new(&r, 5, 64, 1000, &random);
  for (uint32_t i = 0; i < 4; i++) memset(r.vectors[i], 0, 64 * sizeof **r.vectors);
  r.vectors[0][0] = UINT64_C(1) << 48; /* its square is -1 */
  r.vectors[0][5] = 1;
  r.vectors[1][7] = SOTTO_I_PRIME / 2; /* near p / 2: 4 times each square is 1 */
  r.vectors[1][8] = SOTTO_I_PRIME / 2 + 1;
  r.vectors[1][9] = UINT64_C(1) << 47;
  for (size_t j = 0; j < 64; j++) r.vectors[2][j] = UINT64_C(1) << 29; /* 2^64 = 2^32 - 1 */
  r.vectors[3][0] = SOTTO_I_PRIME - (UINT64_C(1) << 48);
  r.vectors[3][1] = 5;
  assert_true(sotto_i_prime_best()->dot(r.vectors[0], r.vectors[0], 64) == 0);
  assert_true(sotto_i_prime_best()->dot(r.vectors[3], r.vectors[3], 64) == 24);
  check_round_all(&r);
  check_round_came_to(&r, "RRRRA");
  check_round_free(&r);
}

/* Client 1 of three lies; the others are summed all the same. */
static void tamper_with(void (*change)(check_round *, int), int step, int cases, const char *verdicts) {
  sotto_i_random random = check_random();
  for (int which = 0; which < cases; which++) {
    check_round r;
    check_round_new(&r, 3, 30, 1 << 20, &random);
    check_round_share(&r);
    if (step == 0) change(&r, which);
    check_round_challenge(&r);
    check_round_prove(&r);
    if (step == 1) change(&r, which);
    check_round_ask(&r);
    check_round_finish(&r);
    check_round_came_to(&r, verdicts);
    check_round_free(&r);
  }
}

static uint64_t moved(uint64_t word, uint64_t by) {
  return sotto_i_prime_add(word, by);
}

static void change_share(check_round *r, int which) {
  r->shares[1][which % 30] = moved(r->shares[1][which % 30], which < 30 ? 1 : SOTTO_I_PRIME / 2);
}
static void change_proof(check_round *r, int which) {
  const size_t at = (size_t)which * 211 % r->shape.proof;
  r->proofs[1][at] = moved(r->proofs[1][at], UINT64_C(1) << which % 63);
}
static void change_seed(check_round *r, int which) {
  r->seeds[1][which / 2] ^= (uint8_t)(1 << which % 8);
}
static void send_no_numbers(check_round *r, int which) {
  r->shares[1][which] = SOTTO_I_PRIME + (uint64_t)which;
}
static void send_no_numbers_in_proof(check_round *r, int which) {
  r->proofs[1][r->shape.proof - 1 - (size_t)which * 100] = UINT64_MAX;
}

static void a_changed_share_is_refused(void **state) {
  (void)state;
  tamper_with(change_share, 0, 60, "ARA");
}
static void a_changed_word_of_a_proof_is_refused(void **state) {
  (void)state;
  tamper_with(change_proof, 1, 40, "ARA");
}
static void a_changed_seed_is_refused(void **state) {
  (void)state;
  tamper_with(change_seed, 0, 64, "ARA");
}
static void words_that_are_no_numbers_are_malformed(void **state) {
  (void)state;
  tamper_with(send_no_numbers, 0, 30, "AMA");
  tamper_with(send_no_numbers_in_proof, 1, 10, "AMA");
}

/* What two servers find of one client whose message to the leader may have changed on its way. */
typedef struct bench {
  check_round round;
  sotto_i_check_points leader, helper;
  uint64_t *ours, *theirs;
} bench;

static void bench_new(bench *b, sotto_i_random *random) {
  const uint8_t coin[SOTTO_I_CHECK_KEY] = {5};
  check_round *r = &b->round;
  uint64_t *vector, *proof;
  sotto_key key;
  check_round_new(r, 1, 12, 3, random);
  check_round_share(r);
  check_round_challenge(r);
  check_round_prove(r);
  CHECK_OK(sotto_i_check_points_new(&b->leader, &r->plan, SOTTO_I_CHECK_LEADER, r->challenge, coin, &err));
  CHECK_OK(sotto_i_check_points_new(&b->helper, &r->plan, SOTTO_I_CHECK_HELPER, r->challenge, coin, &err));
  CHECK_OK(sotto_i_new(&b->ours, r->shape.points, sizeof *b->ours, &err));
  CHECK_OK(sotto_i_new(&b->theirs, r->shape.points, sizeof *b->theirs, &err));
  CHECK_OK(sotto_i_new(&vector, 12, sizeof *vector, &err));
  CHECK_OK(sotto_i_new(&proof, r->shape.proof, sizeof *proof, &err));
  sotto_i_check_vector_key(&key, &r->plan, 0, r->seeds[0]);
  sotto_i_prime_expand(vector, 12, &key, 0);
  sotto_i_check_proof_key(&key, &r->plan, 0, r->seeds[0], r->challenge);
  sotto_i_prime_expand(proof, r->shape.proof, &key, 0);
  CHECK_OK(sotto_i_check_points_of(&b->theirs, &b->helper, (const uint64_t *const *)&vector,
                                   (const uint64_t *const *)&proof, 1, &err));
  sotto_i_free(vector);
  sotto_i_free(proof);
}

static bool bench_accepts(const bench *b) {
  const check_round *r = &b->round;
  if (!sotto_i_check_canonical(r->shares[0], 12) || !sotto_i_check_canonical(r->proofs[0], r->shape.proof))
    return false;
  CHECK_OK(sotto_i_check_points_of(&b->ours, &b->leader, (const uint64_t *const *)r->shares,
                                   (const uint64_t *const *)r->proofs, 1, &err));
  return sotto_i_check_holds(&b->leader, b->ours, b->theirs);
}

/* A byte of every word, and all bytes of every eighth. */
static void any_changed_byte_is_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  bench b;
  bench_new(&b, &random);
  assert_true(bench_accepts(&b));
  for (int proof = 0; proof < 2; proof++) {
    uint64_t *words = proof ? b.round.proofs[0] : b.round.shares[0];
    for (size_t i = 0; i < (proof ? b.round.shape.proof : 12); i++)
      for (size_t byte = 0; byte < (i % 8 == 0 ? 8 : 1); byte++) {
        const uint64_t before = words[i], at = i % 8 == 0 ? byte : sotto_i_random_below(&random, 8);
        words[i] ^= (1 + sotto_i_random_below(&random, 255)) << (8 * at);
        if (bench_accepts(&b)) fail_msg("byte %u of word %zu", (unsigned)at, i);
        words[i] = before;
      }
  }
  assert_true(bench_accepts(&b));
  sotto_i_check_points_free(&b.leader);
  sotto_i_check_points_free(&b.helper);
  sotto_i_free(b.ours);
  sotto_i_free(b.theirs);
  check_round_free(&b.round);
}

static void swap_shares(check_round *r, int which) {
  (void)which;
  uint64_t *first = r->shares[1];
  r->shares[1] = r->shares[2];
  r->shares[2] = first;
}
static void swap_all(check_round *r, int which) { /* as if each were the other, at both servers */
  uint8_t seed[SOTTO_I_CHECK_KEY];
  uint64_t *vector = r->vectors[1];
  swap_shares(r, which);
  r->vectors[1] = r->vectors[2];
  r->vectors[2] = vector;
  memcpy(seed, r->seeds[1], sizeof seed);
  memcpy(r->seeds[1], r->seeds[2], sizeof seed);
  memcpy(r->seeds[2], seed, sizeof seed);
}
static void swap_proofs(check_round *r, int which) {
  (void)which;
  uint64_t *first = r->proofs[1];
  r->proofs[1] = r->proofs[2];
  r->proofs[2] = first;
}
static void copy_all(check_round *r, int which) { /* client 2 says what client 3 says */
  (void)which;
  memcpy(r->shares[1], r->shares[2], 30 * sizeof **r->shares);
  memcpy(r->vectors[1], r->vectors[2], 30 * sizeof **r->vectors);
  memcpy(r->seeds[1], r->seeds[2], SOTTO_I_CHECK_KEY);
}

static void messages_of_another_client_prove_nothing(void **state) {
  (void)state;
  tamper_with(swap_shares, 0, 1, "ARR");
  tamper_with(swap_all, 0, 1, "ARR");
  tamper_with(swap_proofs, 1, 1, "ARR");
  tamper_with(copy_all, 0, 1, "ARA");
}

/* All of client 2's messages of one round, again in the next, which has another token; of client 3 all but
 * the proof, which is made anew. */
static void messages_of_another_round_prove_nothing(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  check_round one, two;
  check_round_new(&one, 3, 30, 1 << 20, &random);
  check_round_new(&two, 3, 30, 1 << 20, &random);
  check_round_all(&one);
  check_round_came_to(&one, "AAA");
  check_round_share(&two);
  for (int i = 1; i < 3; i++) {
    memcpy(two.vectors[i], one.vectors[i], 30 * sizeof **one.vectors);
    memcpy(two.shares[i], one.shares[i], 30 * sizeof **one.shares);
    memcpy(two.seeds[i], one.seeds[i], SOTTO_I_CHECK_KEY);
  }
  check_round_challenge(&two);
  check_round_prove(&two);
  memcpy(two.proofs[1], one.proofs[1], one.shape.proof * sizeof **one.proofs);
  check_round_ask(&two);
  check_round_finish(&two);
  check_round_came_to(&two, "ARR");
  check_round_free(&one);
  check_round_free(&two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(honest_vectors_are_summed),
      cmocka_unit_test(the_bound_is_exact),
      cmocka_unit_test(a_client_does_not_share_what_is_too_long),
      cmocka_unit_test(vectors_that_wrap_are_refused),
      cmocka_unit_test(a_changed_share_is_refused),
      cmocka_unit_test(a_changed_word_of_a_proof_is_refused),
      cmocka_unit_test(a_changed_seed_is_refused),
      cmocka_unit_test(words_that_are_no_numbers_are_malformed),
      cmocka_unit_test(any_changed_byte_is_refused),
      cmocka_unit_test(messages_of_another_client_prove_nothing),
      cmocka_unit_test(messages_of_another_round_prove_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
