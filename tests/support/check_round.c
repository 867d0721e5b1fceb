/* A checked sum in this process. */
#include "check_round.h"

#include <math.h>

#include "check.h"

/* Entries of random size; the last twelve take what is left, each the largest square that fits. */
void check_round_vector(uint64_t *out, size_t values, uint64_t squares, sotto_i_random *random) {
  for (size_t i = 0; i < values; i++) {
    uint64_t most = squares;
    if (i + 12 < values) most = sotto_i_random_below(random, squares / (values - i) * 2 + 1);
    uint64_t root = (uint64_t)sqrt((double)most);
    while (root * root > most) root--;
    out[i] = sotto_i_prime_of(sotto_i_random_u64(random) & 1 ? (int64_t)root : -(int64_t)root);
    squares -= root * root;
  }
}

static uint64_t **rows_new(uint32_t rows, size_t count) {
  uint64_t **out;
  CHECK_OK(sotto_i_new(&out, rows, sizeof *out, &err));
  for (uint32_t i = 0; i < rows; i++) CHECK_OK(sotto_i_new(&out[i], count, sizeof **out, &err));
  return out;
}

static void rows_free(uint64_t **rows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) sotto_i_free(rows[i]);
  sotto_i_free(rows);
}

void check_round_new(check_round *out, uint32_t clients, size_t values, uint64_t bound,
                     sotto_i_random *random) {
  *out = (check_round){.plan = {.clients = clients, .least = 1, .values = values, .bound = bound}};
  sotto_i_random_bytes(random, out->of.run, sizeof out->of.run);
  out->of.round = 7;
  sotto_i_check_token(out->plan.token, &out->of);
  out->shape = sotto_i_check_shape_of(&out->plan);
  CHECK_OK(sotto_i_check_server_new(&out->leader, SOTTO_I_CHECK_LEADER, &out->plan, &err));
  CHECK_OK(sotto_i_check_server_new(&out->helper, SOTTO_I_CHECK_HELPER, &out->plan, &err));
  out->vectors = rows_new(clients, values);
  out->shares = rows_new(clients, values);
  out->proofs = rows_new(clients, out->shape.proof);
  CHECK_OK(sotto_i_new(&out->seeds, clients, SOTTO_I_CHECK_KEY, &err));
  CHECK_OK(sotto_i_new(&out->arrived, clients, 1, &err));
  CHECK_OK(sotto_i_new(&out->verdicts, clients, 1, &err));
  CHECK_OK(sotto_i_new(&out->sums, values, sizeof *out->sums, &err));
  CHECK_OK(sotto_i_new(&out->question.in, clients, 1, &err));
  CHECK_OK(sotto_i_new(&out->question.points, clients, out->shape.points * sizeof(uint64_t), &err));
  CHECK_OK(sotto_i_new(&out->answer.verdicts, clients, 1, &err));
  CHECK_OK(sotto_i_new(&out->answer.points, clients, out->shape.points * sizeof(uint64_t), &err));
  CHECK_OK(sotto_i_new(&out->answer.sums, values, sizeof(uint64_t), &err));
  for (uint32_t i = 0; i < clients; i++)
    check_round_vector(out->vectors[i], values, sotto_i_random_below(random, bound + 1), random);
}

void check_round_free(check_round *round) {
  const uint32_t clients = round->plan.clients;
  sotto_i_check_server_free(round->leader);
  sotto_i_check_server_free(round->helper);
  rows_free(round->vectors, clients);
  rows_free(round->shares, clients);
  rows_free(round->proofs, clients);
  sotto_i_free(round->seeds);
  sotto_i_free(round->arrived);
  sotto_i_free(round->verdicts);
  sotto_i_free(round->sums);
  sotto_i_free(round->question.in);
  sotto_i_free(round->question.points);
  sotto_i_free(round->answer.verdicts);
  sotto_i_free(round->answer.points);
  sotto_i_free(round->answer.sums);
}

void check_round_share(check_round *r) {
  for (uint32_t i = 0; i < r->plan.clients; i++)
    CHECK_OK(sotto_i_check_share_any(r->shares[i], r->seeds[i], &r->plan, i, r->vectors[i], &err));
}

void check_round_challenge(check_round *r) {
  for (uint32_t i = 0; i < r->plan.clients; i++) {
    const sotto_status status = sotto_i_check_take_shares(r->leader, i, r->shares[i], NULL);
    assert_true(status == SOTTO_OK || status == SOTTO_PROTOCOL);
    CHECK_OK(sotto_i_check_take_seed(r->helper, i, r->seeds[i], &err));
  }
  CHECK_OK(sotto_i_check_arrived(r->arrived, r->helper, &err));
  CHECK_OK(sotto_i_check_challenge(r->challenge, r->leader, r->arrived, &err));
}

void check_round_prove(check_round *r) {
  bool fits;
  for (uint32_t i = 0; i < r->plan.clients; i++)
    CHECK_OK(sotto_i_check_prove_any(r->proofs[i], &fits, &r->plan, i, r->vectors[i], r->seeds[i],
                                     r->challenge, &err));
}

void check_round_ask(check_round *r) {
  for (uint32_t i = 0; i < r->plan.clients; i++) {
    if (!sotto_i_check_is_in(r->leader, i)) continue;
    const sotto_status status = sotto_i_check_take_proof(r->leader, i, r->proofs[i], NULL);
    assert_true(status == SOTTO_OK || status == SOTTO_PROTOCOL);
  }
  CHECK_OK(sotto_i_check_ask(&r->question, r->leader, &err));
  CHECK_OK(sotto_i_check_reply(&r->answer, r->helper, &r->question, &err));
}

void check_round_finish(check_round *r) {
  CHECK_OK(sotto_i_check_finish(r->sums, r->verdicts, r->leader, &r->answer, &err));
}

void check_round_all(check_round *r) {
  check_round_share(r);
  check_round_challenge(r);
  check_round_prove(r);
  check_round_ask(r);
  check_round_finish(r);
}

void check_round_came_to(const check_round *r, const char *verdicts) {
  static const char letters[] = "-AMR";
  for (uint32_t i = 0; i < r->plan.clients; i++)
    if (letters[r->verdicts[i]] != verdicts[i])
      fail_msg("client %u came to %c, expected %s", (unsigned)i, letters[r->verdicts[i]], verdicts);
  for (size_t j = 0; j < r->plan.values; j++) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->plan.clients; i++)
      if (verdicts[i] == 'A') sum += sotto_i_prime_signed(r->vectors[i][j]);
    assert_true(r->sums[j] == sum);
  }
}
