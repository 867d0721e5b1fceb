/* Secure aggregation: sums are exact whoever drops, or there is none. */
#include <math.h>

#include "check.h"
#include "party/secure_sum/secure_sum.h"
#include "sum_round.h"

/* Random values of the largest magnitude that is allowed. */
static uint64_t *random_values(const sotto_sum_plan *plan, sotto_i_random *random) {
  size_t count = plan->clients * plan->values;
  uint64_t *values = calloc(count, sizeof *values), most = sotto_i_sum_most(plan);
  assert_non_null(values);
  for (size_t i = 0; i < count; i++) values[i] = sotto_i_random_below(random, 2 * most + 1) - most;
  return values;
}

static void drop_some(sum_round *r, uint32_t count, sotto_i_random *random) {
  uint32_t order[most_sum_clients];
  for (uint32_t i = 0; i < r->plan.clients; i++) order[i] = i;
  sotto_i_random_shuffle(random, order, r->plan.clients);
  for (uint32_t i = 0; i < count; i++) r->drops[order[i]] = (uint8_t)sotto_i_random_below(random, sum_steps);
}

/* The sum of those whose vectors came: who drops at the last step is in it. */
static void check_sum(const sum_round *r) {
  uint32_t summed = 0;
  for (uint32_t i = 0; i < r->plan.clients; i++) summed += r->drops[i] >= 3;
  assert_int_equal(r->summed, summed);
  for (size_t j = 0; j < r->plan.values; j++) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->plan.clients; i++)
      if (r->drops[i] >= 3) sum += r->values[i * r->plan.values + j];
    if (r->sums[j] != sum) fail_msg("value %zu of the sum is wrong", j);
  }
}

static void sum_of_fifty_is_exact_when_fifteen_drop_at_random_steps(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int repeat = 0; repeat < 3; repeat++) {
    static sum_round r;
    sum_round_new(&r, 50, 49, 0, 1500);
    r.plan.round = (uint64_t)repeat;
    uint64_t *values = random_values(&r.plan, &random);
    r.values = values;
    drop_some(&r, 15, &random);
    CHECK_OK(sum_round_run(&r, &err));
    check_sum(&r);
    free(values);
  }
}

/* Any number of clients of any plan drop, each at any message: the sum is that of who lasted, or there is
 * none, and the error says who is too few. */
static void sum_is_exact_or_refused_whoever_drops_and_when(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  int good = 0, refused = 0;
  for (int repeat = 0; repeat < 60; repeat++) {
    static sum_round r;
    sotto_error err = {0};
    uint32_t clients = 3 + (uint32_t)sotto_i_random_below(&random, 30);
    uint32_t neighbours = 2 * (1 + (uint32_t)sotto_i_random_below(&random, clients / 2));
    sum_round_new(&r, clients, neighbours, 0, 1 + sotto_i_random_below(&random, 40));
    r.plan.round = (uint64_t)repeat;
    uint64_t *values = random_values(&r.plan, &random);
    r.values = values;
    drop_some(&r, (uint32_t)sotto_i_random_below(&random, clients / 2), &random);
    if (sum_round_run(&r, &err) == SOTTO_OK) {
      check_sum(&r);
      good++;
    } else {
      if (err.status != SOTTO_PROTOCOL || strstr(err.text, "need") == NULL) fail_msg("%s", err.text);
      refused++;
    }
    free(values);
  }
  assert_true(good > 5 && refused > 5);
}

static void sums_of_every_shape_are_exact_when_nobody_drops(void **state) {
  (void)state;
  static const struct {
    uint32_t clients, neighbours;
    size_t values;
  } shapes[] = {{3, 0, 1}, {4, 2, 7}, {4, 3, 1023}, {5, 0, 1024}, {6, 4, 1025}, {33, 0, 17}, {64, 0, 3000}};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    static sum_round r;
    sum_round_new(&r, shapes[i].clients, shapes[i].neighbours, 0, shapes[i].values);
    r.plan.seed = i;
    uint64_t *values = random_values(&r.plan, &random);
    r.values = values;
    CHECK_OK(sum_round_run(&r, &err));
    check_sum(&r);
    free(values);
  }
}

static void one_client_too_few_ends_the_sum_at_each_step(void **state) {
  (void)state;
  static const char *const words[sum_steps] = {"keys of 5 of 8", "boxes of 5 of 8", "vectors of 5 of 8",
                                               "signatures of 5 of 8",
                                               "of its 7 neighbours left and needs 5"};
  sotto_i_random random = check_random();
  for (uint8_t step = 0; step < sum_steps; step++)
    for (uint32_t lost = 2; lost <= 3; lost++) {
      static sum_round r;
      sum_round_new(&r, 8, 7, 5, 20); /* whoever stays needs five others, and six sign: two may go */
      uint64_t *values = random_values(&r.plan, &random);
      r.values = values;
      for (uint32_t i = 0; i < lost; i++) r.drops[2 * i + 1] = step;
      if (lost == 2) {
        CHECK_OK(sum_round_run(&r, &err));
        check_sum(&r);
      } else {
        CHECK_FAILS(SOTTO_PROTOCOL, words[step], sum_round_run(&r, &err));
        assert_int_equal(r.summed, 0);
      }
      free(values);
    }
}

/* Where more clients than the quorum have to last, server and clients alike give a sum of fewer up. */
static void a_sum_of_fewer_than_are_to_last_is_given_up(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (uint8_t step = 0; step < 4; step++)
    for (uint32_t lost = 1; lost <= 2; lost++) {
      static sum_round r;
      sum_round_new(&r, 8, 7, 5, 20);
      r.plan.least = 7;
      uint64_t *values = random_values(&r.plan, &random);
      r.values = values;
      for (uint32_t i = 0; i < lost; i++) r.drops[2 * i + 1] = step;
      if (lost == 1) {
        CHECK_OK(sum_round_run(&r, &err));
        check_sum(&r);
      } else {
        CHECK_FAILS(SOTTO_PROTOCOL, "7 are needed", sum_round_run(&r, &err));
      }
      free(values);
    }
  uint8_t states[8], digests[2][SOTTO_I_SUM_KEY];
  sotto_sum_plan plan;
  sum_plan_new(&plan, 8, 7, 5, 20);
  memset(states, SOTTO_I_SUM_LASTED, sizeof states);
  states[0] = states[5] = SOTTO_I_SUM_DROPPED; /* what a client judges, whatever the server says */
  CHECK_OK(sotto_i_sum_states_check(&plan, "vectors", states, &err));
  sotto_i_sum_plan_digest(digests[0], &plan);
  plan.least = 7;
  sotto_i_sum_plan_digest(digests[1], &plan);
  assert_true(memcmp(digests[0], digests[1], sizeof *digests) != 0);
  CHECK_FAILS(SOTTO_PROTOCOL, "7 are needed", sotto_i_sum_states_check(&plan, "vectors", states, &err));
  plan.least = 9;
  CHECK_FAILS(SOTTO_RANGE, "9 of 8", sotto_i_sum_plan_check(&plan, &err));
}

static void server_that_failed_takes_and_gives_nothing_more(void **state) {
  (void)state;
  sotto_sum_plan plan;
  sotto_sum_server *server;
  sotto_sum_client *client;
  uint8_t message[4096];
  uint64_t sums[4];
  uint32_t summed = 0;
  sum_plan_new(&plan, 4, 0, 0, 4);
  CHECK_OK(sotto_sum_server_new(&server, &plan, &err));
  CHECK_OK(sotto_sum_client_new(&client, &plan, 0, sum_signers_of_test()->secrets[0], &err));
  CHECK_OK(sotto_sum_client_keys(client, message, &err));
  sotto_sum_client_free(client);
  CHECK_OK(sotto_sum_server_take(server, 0, message, &err));
  CHECK_FAILS(SOTTO_INVALID, "out of its turn", sotto_sum_server_take(server, 0, message, &err));
  CHECK_FAILS(SOTTO_RANGE, "client 4 of 4", sotto_sum_server_take(server, 4, message, &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "the keys of 1 of 4 clients", sotto_sum_server_next(server, &err));
  CHECK_FAILS(SOTTO_INVALID, "over", sotto_sum_server_next(server, &err));
  CHECK_FAILS(SOTTO_INVALID, "has no message for it", sotto_sum_server_give(server, 0, message, &err));
  CHECK_FAILS(SOTTO_INVALID, "end", sotto_sum_server_finish(server, sums, &summed, &err));
  sotto_sum_server_free(server);
}

static void value_out_of_range_is_an_error_at_the_client(void **state) {
  (void)state;
  static sum_round r;
  uint64_t values[5 * 6] = {0}, most;
  sum_round_new(&r, 5, 0, 0, 6);
  most = sotto_i_sum_most(&r.plan);
  r.values = values;
  for (int i = 0; i < 5; i++) values[6 * i + 1] = most, values[6 * i + 2] = -most;
  CHECK_OK(sum_round_run(&r, &err));
  check_sum(&r);
  values[6 * 3 + 4] = most + 1;
  CHECK_FAILS(SOTTO_RANGE, "client 3: value 4", sum_round_run(&r, &err));
  values[6 * 3 + 4] = -most - 1;
  CHECK_FAILS(SOTTO_RANGE, "client 3: value 4", sum_round_run(&r, &err));
}

static void encoding_refuses_what_could_wrap(void **state) {
  (void)state;
  sotto_sum_plan plan;
  uint64_t out[3] = {7, 7, 7};
  const float good[3] = {1.5F, -0.25F, 0}, large[3] = {1, 2, 1e12F}, nan[3] = {1, NAN, 2};
  CHECK_OK(sotto_sum_plan_new(&plan, 10, 0, 0, 3, &err));
  CHECK_FAILS(SOTTO_RANGE, "value 2", sotto_sum_encode(out, large, 3, 24, 1, &plan, &err));
  CHECK_FAILS(SOTTO_RANGE, "weight 4000000000",
              sotto_sum_encode(out, (const float[]){100}, 1, 24, 4000000000U, &plan, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "value 1", sotto_sum_encode(out, nan, 3, 24, 1, &plan, &err));
  assert_int_equal(out[0], 7); /* nothing was written */
  CHECK_OK(sotto_sum_encode(out, good, 3, 4, 3, &plan, &err));
  assert_true(out[0] == 72 && out[1] == (uint64_t)-12 && out[2] == 0);
}

/* Changes one message of one client on its way. */
typedef struct alteration {
  uint32_t client;
  int step;
  size_t at;
} alteration;

static void alter(void *context, uint32_t client, int step, uint8_t *message, size_t size) {
  const alteration *a = context;
  if (client == a->client && step == a->step) message[a->at % size] ^= 1;
}

static void altered_messages_give_no_sum(void **state) {
  (void)state;
  static sum_round r;
  static const uint64_t values[6 * 4];
  alteration a = {2, 1, SOTTO_I_SUM_KEY + 10}; /* the first box of client 2 */
  sum_round_new(&r, 6, 0, 4, 4);
  r.values = values;
  r.seen = alter;
  r.context = &a;
  CHECK_FAILS(SOTTO_PROTOCOL, "altered on their way", sum_round_run(&r, &err));
  a = (alteration){2, 1, 0}; /* its commitment */
  CHECK_FAILS(SOTTO_PROTOCOL, "client 2: the shares", sum_round_run(&r, &err));
  a = (alteration){0, 4, 5}; /* a share that it reveals, of client 1 */
  CHECK_FAILS(SOTTO_PROTOCOL, "client 1: the shares", sum_round_run(&r, &err));
  r.drops[1] = 2; /* the same of one that dropped */
  CHECK_FAILS(SOTTO_PROTOCOL, "client 1: the shares", sum_round_run(&r, &err));
  a = (alteration){3, 0, 70}; /* its signature of its keys */
  CHECK_FAILS(SOTTO_PROTOCOL, "client 3: its keys are not signed", sum_round_run(&r, &err));
  a = (alteration){3, 3, 7}; /* and of who lasted */
  CHECK_FAILS(SOTTO_PROTOCOL, "client 3: did not sign the survivors", sum_round_run(&r, &err));
  a.client = 9;
  CHECK_OK(sum_round_run(&r, &err));
}

static void client_takes_each_step_once_and_none_after_a_failure(void **state) {
  (void)state;
  sotto_sum_plan plan;
  sotto_sum_client *client;
  uint8_t message[1024], given[1024] = {0}, set[SOTTO_SUM_DIGEST];
  const uint64_t value = 5;
  uint64_t masked;
  sum_plan_new(&plan, 4, 0, 3, 1);
  CHECK_OK(sotto_sum_client_new(&client, &plan, 0, sum_signers_of_test()->secrets[0], &err));
  CHECK_FAILS(SOTTO_INVALID, "out of its turn", sotto_sum_client_reveal(client, message, given, &err));
  CHECK_OK(sotto_sum_client_keys(client, message, &err));
  CHECK_FAILS(SOTTO_INVALID, "out of its turn", sotto_sum_client_keys(client, message, &err));
  sotto_sum_client_free(client);
  CHECK_OK(sotto_sum_client_new(&client, &plan, 0, sum_signers_of_test()->secrets[0], &err));
  CHECK_OK(sotto_sum_client_keys(client, message, &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "lists other keys for it",
              sotto_sum_client_boxes(client, message, given, &err));
  CHECK_FAILS(SOTTO_INVALID, "out of its turn", sotto_sum_client_boxes(client, message, given, &err));
  CHECK_FAILS(SOTTO_INVALID, "out of its turn", sotto_sum_client_mask(client, &masked, given, &value, &err));
  CHECK_FAILS(SOTTO_INVALID, "out of its turn", sotto_sum_client_sign(client, message, set, given, &err));
  sotto_sum_client_free(client);
}

static void client_needs_the_key_by_which_it_is_known(void **state) {
  (void)state;
  sotto_sum_plan plan;
  sotto_sum_client *client;
  sotto_sum_server *server;
  sum_plan_new(&plan, 4, 0, 3, 1);
  CHECK_FAILS(SOTTO_INVALID, "client 1: its key is not the one",
              sotto_sum_client_new(&client, &plan, 1, sum_signers_of_test()->secrets[0], &err));
  plan.signers = NULL;
  CHECK_FAILS(SOTTO_INVALID, "needs the keys",
              sotto_sum_client_new(&client, &plan, 0, sum_signers_of_test()->secrets[0], &err));
  CHECK_FAILS(SOTTO_INVALID, "needs the keys", sotto_sum_server_new(&server, &plan, &err));
}

static void every_failed_allocation_is_an_error(void **state) {
  (void)state;
  static sum_round r;
  static const uint64_t values[4 * 8];
  sum_round_new(&r, 4, 0, 0, 8);
  r.values = values;
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(sum_round_run(&r, &err));
  uint64_t count = sotto_i_memory_fail_at(0);
  for (uint64_t nth = 1; nth <= count; nth++) {
    sotto_error err = {0};
    (void)sotto_i_memory_fail_at(nth);
    sotto_status status = sum_round_run(&r, &err);
    (void)sotto_i_memory_fail_at(0);
    assert_int_equal(status, SOTTO_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sum_of_fifty_is_exact_when_fifteen_drop_at_random_steps),
      cmocka_unit_test(sum_is_exact_or_refused_whoever_drops_and_when),
      cmocka_unit_test(sums_of_every_shape_are_exact_when_nobody_drops),
      cmocka_unit_test(one_client_too_few_ends_the_sum_at_each_step),
      cmocka_unit_test(a_sum_of_fewer_than_are_to_last_is_given_up),
      cmocka_unit_test(server_that_failed_takes_and_gives_nothing_more),
      cmocka_unit_test(value_out_of_range_is_an_error_at_the_client),
      cmocka_unit_test(encoding_refuses_what_could_wrap),
      cmocka_unit_test(altered_messages_give_no_sum),
      cmocka_unit_test(client_takes_each_step_once_and_none_after_a_failure),
      cmocka_unit_test(client_needs_the_key_by_which_it_is_known),
      cmocka_unit_test(every_failed_allocation_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
