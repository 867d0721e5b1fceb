/* An arbiter about a client that a checked sum refused. An honest client is cleared whatever leader and
 * helper show, one that broke the bound is not cleared by anything that it shows, and what was changed is
 * seen. */
#include "party/checked_sum/check_dispute.h"

#include <sodium.h>

#include "check.h"
#include "check_round.h"

enum { clients = 4, accused = 2, bound = 10000 };

/* A round of one accused client, with what each side has of it. */
typedef struct dispute {
  check_round round;
  uint8_t publics[clients + 1][SOTTO_SUM_PUBLIC], secrets[clients + 1][SOTTO_SUM_SECRET];
  uint8_t helper_secret[SOTTO_I_CHECK_KEY]; /* of the sum's key */
  sotto_i_check_refusal shown;
  sotto_i_check_kept kept;
} dispute;

static sotto_i_check_signers signers_of(const dispute *d, uint32_t who) {
  return (sotto_i_check_signers){d->publics[0], d->publics[clients], d->secrets[who]};
}

static void client_signs(dispute *d) {
  const sotto_i_check_signers own = signers_of(d, accused);
  const sotto_i_check_sent sent = {d->round.shares[accused], d->round.proofs[accused], d->shown.box};
  sotto_i_check_question of = {.in = NULL};
  memcpy(of.challenge, d->shown.challenge, sizeof of.challenge);
  memcpy(of.coin, d->shown.coin, sizeof of.coin);
  CHECK_OK(sotto_i_check_sign(d->shown.evidence, &d->round.plan, accused, &of, &sent, &own, &err));
}

static void helper_signs(dispute *d) {
  const sotto_i_check_signers own = signers_of(d, clients);
  const sotto_i_check_signed what = {d->shown.challenge, d->shown.coin, d->shown.box, NULL,
                                     d->shown.helper_points};
  sotto_i_check_sign_refusal(d->shown.signature, &d->round.plan, accused, &what, &own);
}

static void client_seals(dispute *d) {
  const sotto_i_check_signers own = signers_of(d, accused);
  memcpy(d->kept.seed, d->round.seeds[accused], sizeof d->kept.seed);
  CHECK_OK(sotto_i_check_seal(d->kept.box, d->kept.opening, &d->round.plan, accused, d->kept.seed,
                              d->shown.key, &own, &err));
  memcpy(d->shown.box, d->kept.box, sizeof d->shown.box);
}

/* `squares`: of the vector of the accused. The helper's seed may be another one than the client's shares
 * are for. */
static void dispute_new(dispute *d, uint64_t squares, bool other_seed) {
  sotto_i_random random = check_random();
  memset(d, 0, sizeof *d);
  check_round_new(&d->round, clients, 30, bound, &random);
  for (uint32_t i = 0; i <= clients; i++) sotto_sum_signer_new(d->publics[i], d->secrets[i]);
  check_round_vector(d->round.vectors[accused], 30, squares, &random);
  check_round_share(&d->round);
  if (other_seed) d->round.seeds[accused][0] ^= 1;
  check_round_challenge(&d->round);
  check_round_prove(&d->round);
  check_round_ask(&d->round);
  const size_t points = d->round.shape.points;
  const sotto_i_check_signers helper = signers_of(d, clients);
  d->shown = (sotto_i_check_refusal){.plan = d->round.plan,
                                     .of = d->round.of,
                                     .client = accused,
                                     .clients = clients,
                                     .place = accused,
                                     .points = d->round.question.points + accused * points,
                                     .helper_points = d->round.answer.points + accused * points};
  d->kept = (sotto_i_check_kept){.of = d->round.of, .client = accused};
  memcpy(d->shown.challenge, d->round.question.challenge, sizeof d->shown.challenge);
  memcpy(d->shown.coin, d->round.question.coin, sizeof d->shown.coin);
  sotto_i_check_key_new(d->shown.key, d->helper_secret, &d->round.plan, &helper);
  client_seals(d);
  client_signs(d);
  helper_signs(d);
}

static sotto_i_check_finding decided(const dispute *d, bool shows) {
  sotto_i_check_finding found;
  CHECK_OK(sotto_i_check_decide(&found, &d->shown, shows ? &d->kept : NULL, d->publics[accused],
                                d->publics[clients], &err));
  return found;
}

static void change(uint64_t *word) {
  *word = *word == 0 ? 1 : *word - 1;
}

static void a_client_that_broke_the_bound_is_confirmed_by_its_own_record(void **state) {
  (void)state;
  static dispute d;
  dispute_new(&d, 4 * bound, false);
  assert_int_equal(d.round.answer.verdicts[accused], SOTTO_I_CHECK_REFUSED);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_BROKE_BOUND);
  assert_int_equal(decided(&d, false), SOTTO_I_CHECK_UNANSWERED);
  check_round_free(&d.round);
}

/* It keeps the bound, and seals another seed for the helper: what it sent proves nothing. */
static void a_client_that_sealed_another_seed_is_confirmed_too(void **state) {
  (void)state;
  static dispute d;
  dispute_new(&d, bound, true);
  assert_int_equal(d.round.answer.verdicts[accused], SOTTO_I_CHECK_REFUSED);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_BROKE_BOUND);
  d.kept.seed[0] ^= 1; /* the seed that fits its shares */
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_CHANGED);
  check_round_free(&d.round);
}

static void an_honest_client_cannot_be_blamed_by_the_leader(void **state) {
  (void)state;
  static dispute d;
  dispute_new(&d, bound, false);
  assert_int_equal(d.round.answer.verdicts[accused], SOTTO_I_CHECK_ACCEPTED);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_NO_FAILURE);
  uint64_t *values[] = {d.shown.points, d.shown.points + d.round.shape.points - 1};
  for (size_t i = 0; i < 2; i++) { /* also what a changed share or a changed proof comes to */
    const uint64_t was = *values[i];
    change(values[i]);
    helper_signs(&d); /* whatever the leader wants */
    assert_int_equal(decided(&d, true), SOTTO_I_CHECK_NOT_CLIENTS);
    *values[i] = was;
  }
  check_round_free(&d.round);
}

/* The leader computes its values from a share, or a word of the proof, that it changed. */
static void a_changed_share_or_proof_is_not_the_clients(void **state) {
  (void)state;
  for (int proof = 0; proof < 2; proof++) {
    static dispute d;
    sotto_i_check_points p;
    dispute_new(&d, bound, false);
    change(proof ? d.round.proofs[accused] : d.round.shares[accused]);
    CHECK_OK(sotto_i_check_points_new(&p, &d.round.plan, SOTTO_I_CHECK_LEADER, d.shown.challenge,
                                      d.shown.coin, &err));
    CHECK_OK(sotto_i_check_points_of(&d.shown.points, &p, (const uint64_t *const *)&d.round.shares[accused],
                                     (const uint64_t *const *)&d.round.proofs[accused], 1, &err));
    assert_false(sotto_i_check_holds(&p, d.shown.points, d.shown.helper_points));
    assert_int_equal(decided(&d, true), SOTTO_I_CHECK_NOT_CLIENTS);
    sotto_i_check_points_free(&p);
    check_round_free(&d.round);
  }
}

static void a_helper_that_lies_is_found_by_the_clients_record(void **state) {
  (void)state;
  static dispute d;
  dispute_new(&d, bound, false);
  change(d.shown.helper_points);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_NOT_HELPERS);
  helper_signs(&d);
  assert_int_equal(decided(&d, false), SOTTO_I_CHECK_UNANSWERED);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_KEPT_BOUND);
  check_round_free(&d.round);
}

/* A round that was begun again has two boxes and two signatures, all true. Each is good with its own. */
static void parts_of_two_attempts_are_no_record(void **state) {
  (void)state;
  static dispute d;
  uint8_t first[SOTTO_I_CHECK_BOX];
  dispute_new(&d, bound, false);
  memcpy(first, d.shown.box, sizeof first);
  sotto_i_check_kept of_first = d.kept;
  d.round.seeds[accused][5] ^= 1;
  client_seals(&d); /* the second attempt's, with the signature of the first */
  helper_signs(&d);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_NOT_CLIENTS);
  memcpy(d.shown.box, first, sizeof first);
  change(d.shown.helper_points);
  helper_signs(&d);
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_OTHER_RECORD);
  d.kept = of_first;
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_KEPT_BOUND);
  check_round_free(&d.round);
}

/* Every byte of both records, one at a time. Bit 3: the three lowest bits of an opening, and the two
 * highest, are no part of the number that it is. */
static void a_changed_byte_neither_blames_nor_clears(void **state) {
  (void)state;
  for (int honest = 0; honest < 2; honest++) {
    static dispute d;
    dispute_new(&d, honest ? bound : 4 * bound, false);
    if (honest) change(d.shown.helper_points);
    helper_signs(&d);
    const sotto_i_check_finding truth = honest ? SOTTO_I_CHECK_KEPT_BOUND : SOTTO_I_CHECK_BROKE_BOUND;
    assert_int_equal(decided(&d, true), truth);
    uint8_t *parts[] = {d.shown.of.run,    d.shown.of.model,
                        d.shown.key,       d.shown.box,
                        d.shown.challenge, d.shown.coin,
                        d.shown.evidence,  d.shown.signature,
                        d.kept.of.run,     d.kept.of.model,
                        d.kept.seed,       d.kept.opening,
                        d.kept.box,        (uint8_t *)&d.kept.of.round};
    const size_t sizes[] = {32,
                            32,
                            SOTTO_I_CHECK_SIGNED_KEY,
                            SOTTO_I_CHECK_BOX,
                            32,
                            32,
                            SOTTO_I_CHECK_EVIDENCE,
                            SOTTO_SUM_SIGNATURE,
                            32,
                            32,
                            32,
                            32,
                            SOTTO_I_CHECK_BOX,
                            2};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      for (size_t j = 0; j < sizes[i]; j++) {
        parts[i][j] ^= 8;
        const sotto_i_check_finding found = decided(&d, true);
        if (found == SOTTO_I_CHECK_KEPT_BOUND || found == SOTTO_I_CHECK_BROKE_BOUND)
          fail_msg("part %zu, byte %zu, %s: %d", i, j, honest ? "honest" : "too long", found);
        parts[i][j] ^= 8;
      }
    check_round_free(&d.round);
  }
}

/* The numbers of the plan, the client and the round are signed as well. */
static void other_numbers_are_not_the_clients(void **state) {
  (void)state;
  static dispute d;
  dispute_new(&d, 4 * bound, false);
  const sotto_i_check_refusal shown = d.shown;
  for (int which = 0; which < 5; which++) {
    d.shown = shown;
    d.shown.of.round += which == 0;
    d.shown.plan.bound -= which == 1;
    d.shown.plan.least += which == 2;
    d.shown.place -= which == 3;
    d.shown.plan.clients += which == 4;
    assert_int_equal(decided(&d, true), SOTTO_I_CHECK_NOT_CLIENTS);
  }
  d.shown = shown;
  d.shown.client = accused + 1; /* a name alone: the key is the one that signed */
  assert_int_equal(decided(&d, true), SOTTO_I_CHECK_OTHER_RECORD);
  check_round_free(&d.round);
}

static void numbers_that_are_none_are_errors(void **state) {
  (void)state;
  static dispute d;
  sotto_i_check_finding found;
  dispute_new(&d, 4 * bound, false);
  const sotto_i_check_refusal shown = d.shown;
  const uint8_t *client = d.publics[accused], *helper = d.publics[clients];
  d.shown.place = clients;
  CHECK_FAILS(SOTTO_RANGE, "at place 5 of 4",
              sotto_i_check_decide(&found, &d.shown, NULL, client, helper, &err));
  d.shown = shown;
  d.shown.plan.values = 0;
  CHECK_FAILS(SOTTO_RANGE, "0 values", sotto_i_check_decide(&found, &d.shown, NULL, client, helper, &err));
  d.shown = shown;
  d.shown.points[3] = UINT64_MAX;
  CHECK_FAILS(SOTTO_CORRUPT, "no numbers modulo the prime",
              sotto_i_check_decide(&found, &d.shown, NULL, client, helper, &err));
  check_round_free(&d.round);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_client_that_broke_the_bound_is_confirmed_by_its_own_record),
      cmocka_unit_test(a_client_that_sealed_another_seed_is_confirmed_too),
      cmocka_unit_test(an_honest_client_cannot_be_blamed_by_the_leader),
      cmocka_unit_test(a_changed_share_or_proof_is_not_the_clients),
      cmocka_unit_test(a_helper_that_lies_is_found_by_the_clients_record),
      cmocka_unit_test(parts_of_two_attempts_are_no_record),
      cmocka_unit_test(a_changed_byte_neither_blames_nor_clears),
      cmocka_unit_test(other_numbers_are_not_the_clients),
      cmocka_unit_test(numbers_that_are_none_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
