/* Checked sums against servers: what each sees is uniform, each step is taken once, and a server that lies
 * ends the sum. */
#include "check.h"
#include "check_round.h"
#include "chi_square.h"

enum { bins = 64 };

/* Counts the numbers by their highest bits. */
static void count_words(uint64_t *seen, const uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) seen[words[i] >> 58]++;
}

static void check_uniform(const char *what, const uint64_t *seen) {
  double expected[bins], all = 0;
  for (size_t i = 0; i < bins; i++) all += (double)seen[i];
  for (size_t i = 0; i < bins; i++) expected[i] = all / bins;
  const double z = chi_square_z(seen, expected, bins);
  if (z >= CHI_SQUARE_LIMIT) fail_msg("%s: z = %g", what, z);
}

/* Zeros are shared, so whatever is not uniform would show. What the leader gets from the client and from the
 * helper, each number of it over many rounds, and all of both sides' sums at the points. */
static void what_a_server_sees_is_uniform(void **state) {
  (void)state;
  enum { clients = 200, values = 40 };
  sotto_i_random random = check_random();
  uint64_t shares[bins] = {0}, proofs[bins] = {0}, answers[bins] = {0}, columns[bins] = {0};
  check_round r;
  check_round_new(&r, clients, values, 1000, &random);
  for (uint32_t i = 0; i < clients; i++) memset(r.vectors[i], 0, values * sizeof **r.vectors);
  check_round_all(&r);
  for (uint32_t i = 0; i < clients; i++) {
    const uint64_t *theirs = r.answer.points + i * r.shape.points,
                   *ours = r.question.points + i * r.shape.points;
    assert_true(r.verdicts[i] == SOTTO_I_CHECK_ACCEPTED);
    count_words(shares, r.shares[i], values);
    count_words(proofs, r.proofs[i], r.shape.proof);
    count_words(answers, theirs, r.shape.points);
    for (size_t t = 0; t < 2; t++) /* the columns at both points, as both servers see them together */
      for (size_t c = 0; c < r.shape.squares.width + 1; c++) {
        const size_t at = t * r.shape.points / 2 + c;
        const uint64_t sum = sotto_i_prime_add(ours[at], theirs[at]);
        count_words(columns, &sum, 1);
      }
  }
  check_uniform("shares", shares);
  check_uniform("proofs", proofs);
  check_uniform("answers", answers);
  check_uniform("columns at the points", columns);
  check_round_free(&r);
}

static void steps_are_taken_in_order(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  check_round r;
  check_round_new(&r, 2, 10, 100, &random);
  CHECK_FAILS(SOTTO_INVALID, "in order", sotto_i_check_ask(&r.question, r.leader, &err));
  CHECK_FAILS(SOTTO_INVALID, "in order", sotto_i_check_reply(&r.answer, r.helper, &r.question, &err));
  CHECK_FAILS(SOTTO_INVALID, "between challenge", sotto_i_check_take_proof(r.leader, 0, r.proofs[0], &err));
  CHECK_FAILS(SOTTO_INVALID, "before", sotto_i_check_take_seed(r.leader, 0, r.seeds[0], &err));
  CHECK_FAILS(SOTTO_INVALID, "before", sotto_i_check_take_shares(r.helper, 0, r.shares[0], &err));
  check_round_share(&r);
  CHECK_FAILS(SOTTO_INVALID, "client 3 of 2", sotto_i_check_take_shares(r.leader, 2, r.shares[0], &err));
  check_round_challenge(&r);
  CHECK_FAILS(SOTTO_INVALID, "before", sotto_i_check_take_seed(r.helper, 0, r.seeds[0], &err));
  CHECK_FAILS(SOTTO_INVALID, "before", sotto_i_check_take_shares(r.leader, 0, r.shares[0], &err));
  check_round_prove(&r);
  check_round_ask(&r);
  CHECK_FAILS(SOTTO_INVALID, "in order",
              sotto_i_check_ask(&r.question, r.leader, &err)); /* no second point */
  CHECK_FAILS(SOTTO_INVALID, "in order", sotto_i_check_reply(&r.answer, r.helper, &r.question, &err));
  check_round_finish(&r);
  CHECK_FAILS(SOTTO_INVALID, "in order", sotto_i_check_finish(r.sums, r.verdicts, r.leader, &r.answer, &err));
  check_round_free(&r);
}

/* A client without a seed, one without shares, one without a proof: absent, and no more. */
static void clients_that_do_not_come_are_absent(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  check_round r;
  check_round_new(&r, 4, 10, 100, &random);
  check_round_share(&r);
  for (uint32_t i = 0; i < 4; i++) {
    if (i != 0) CHECK_OK(sotto_i_check_take_seed(r.helper, i, r.seeds[i], &err));
    if (i != 1) CHECK_OK(sotto_i_check_take_shares(r.leader, i, r.shares[i], &err));
  }
  CHECK_OK(sotto_i_check_arrived(r.arrived, r.helper, &err));
  CHECK_OK(sotto_i_check_challenge(r.challenge, r.leader, r.arrived, &err));
  assert_true(!sotto_i_check_is_in(r.leader, 0) && !sotto_i_check_is_in(r.leader, 1));
  check_round_prove(&r);
  CHECK_OK(sotto_i_check_take_proof(r.leader, 3, r.proofs[3], &err));
  CHECK_OK(sotto_i_check_ask(&r.question, r.leader, &err));
  CHECK_OK(sotto_i_check_reply(&r.answer, r.helper, &r.question, &err));
  check_round_finish(&r);
  check_round_came_to(&r, "---A");
  check_round_free(&r);
}

/* One honest client of three: below `least`, and the helper says nothing of the sum. */
static void a_sum_of_too_few_is_not_given_away(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  check_round r;
  check_round_new(&r, 3, 10, 100, &random);
  r.plan.least = 2;
  sotto_i_check_server_free(r.leader);
  sotto_i_check_server_free(r.helper);
  CHECK_OK(sotto_i_check_server_new(&r.leader, SOTTO_I_CHECK_LEADER, &r.plan, &err));
  CHECK_OK(sotto_i_check_server_new(&r.helper, SOTTO_I_CHECK_HELPER, &r.plan, &err));
  check_round_share(&r);
  r.shares[0][0] ^= 1;
  r.shares[2][0] ^= 1;
  check_round_challenge(&r);
  check_round_prove(&r);
  for (uint32_t i = 0; i < 3; i++) CHECK_OK(sotto_i_check_take_proof(r.leader, i, r.proofs[i], &err));
  CHECK_OK(sotto_i_check_ask(&r.question, r.leader, &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "1 clients passed",
              sotto_i_check_reply(&r.answer, r.helper, &r.question, &err));
  for (size_t j = 0; j < 10; j++) assert_true(r.answer.sums[j] == 0);
  assert_true(r.answer.verdicts[1] == SOTTO_I_CHECK_ACCEPTED);
  check_round_free(&r);
}

static void a_helper_that_lies_ends_the_sum(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int lie = 0; lie < 4; lie++) {
    check_round r;
    check_round_new(&r, 3, 10, 100, &random);
    check_round_share(&r);
    if (lie == 1) r.shares[1][0] ^= 1; /* a client that cheats, which the helper shields */
    check_round_challenge(&r);
    check_round_prove(&r);
    check_round_ask(&r);
    if (lie == 0) r.answer.verdicts[1] = SOTTO_I_CHECK_REFUSED;
    if (lie == 1) r.answer.verdicts[1] = SOTTO_I_CHECK_ACCEPTED;
    if (lie == 2) r.answer.points[r.shape.points] ^= 1;
    if (lie == 3) r.answer.sums[4] = UINT64_MAX;
    CHECK_FAILS(SOTTO_PROTOCOL, lie == 3 ? "no numbers" : "another verdict on client 2",
                sotto_i_check_finish(r.sums, r.verdicts, r.leader, &r.answer, &err));
    check_round_free(&r);
  }
}

static void a_leader_that_lies_gets_no_sum(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int lie = 0; lie < 4; lie++) {
    check_round r;
    check_round_new(&r, 2, 10, 100, &random);
    check_round_share(&r);
    for (uint32_t i = 0; i < 2; i++) {
      CHECK_OK(sotto_i_check_take_shares(r.leader, i, r.shares[i], &err));
      if (i == 0) CHECK_OK(sotto_i_check_take_seed(r.helper, i, r.seeds[i], &err));
    }
    CHECK_OK(sotto_i_check_arrived(r.arrived, r.helper, &err));
    CHECK_OK(sotto_i_check_challenge(r.challenge, r.leader, r.arrived, &err));
    check_round_prove(&r);
    CHECK_OK(sotto_i_check_take_proof(r.leader, 0, r.proofs[0], &err));
    CHECK_OK(sotto_i_check_ask(&r.question, r.leader, &err));
    if (lie == 0) r.question.in[1] = 1;
    if (lie == 1) r.question.points[3] = UINT64_MAX;
    if (lie == 2) r.question.challenge[5] ^= 1; /* not the one that the client answered */
    if (lie == 3) r.question.coin[5] ^= 1;
    CHECK_FAILS(SOTTO_PROTOCOL,
                lie == 0   ? "seed did not arrive"
                : lie == 1 ? "no numbers"
                           : "0 clients passed",
                sotto_i_check_reply(&r.answer, r.helper, &r.question, &err));
    for (size_t j = 0; j < 10; j++) assert_true(r.answer.sums[j] == 0);
    check_round_free(&r);
  }
}

static void plans_out_of_range_are_refused(void **state) {
  (void)state;
  const sotto_i_check_plan good = {.clients = 2, .least = 1, .values = 3, .bound = 4};
  const struct {
    sotto_i_check_plan plan;
    const char *words;
  } cases[] = {{{.clients = 0, .least = 1, .values = 3, .bound = 4}, "not 0"},
               {{.clients = 65537, .least = 1, .values = 3, .bound = 4}, "65537"},
               {{.clients = 2, .least = 3, .values = 3, .bound = 4}, "must be 1 to 2"},
               {{.clients = 2, .least = 0, .values = 3, .bound = 4}, "must be 1 to 2"},
               {{.clients = 2, .least = 1, .values = 0, .bound = 4}, "0 values"},
               {{.clients = 2, .least = 1, .values = (1 << 24) + 1, .bound = 4}, "16777217"},
               {{.clients = 2, .least = 1, .values = 3, .bound = 0}, "a bound of 0"},
               {{.clients = 2, .least = 1, .values = 3, .bound = (UINT64_C(1) << 49) + 1}, "2^49"}};
  CHECK_OK(sotto_i_check_plan_check(&good, &err));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_FAILS(SOTTO_RANGE, cases[i].words, sotto_i_check_plan_check(&cases[i].plan, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_server_sees_is_uniform),
      cmocka_unit_test(steps_are_taken_in_order),
      cmocka_unit_test(clients_that_do_not_come_are_absent),
      cmocka_unit_test(a_sum_of_too_few_is_not_given_away),
      cmocka_unit_test(a_helper_that_lies_ends_the_sum),
      cmocka_unit_test(a_leader_that_lies_gets_no_sum),
      cmocka_unit_test(plans_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
