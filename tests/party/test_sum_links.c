/* Secure sums over links: clients that hang up at any step drop out of the sum. */
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "party/secure_sum/sum_links.h"
#include "sum_round.h"

enum { clients = 8, values = 50 };

typedef struct side {
  sotto_link *link;
  sotto_sum_plan plan;
  uint32_t number;
  int payloads; /* after so many it hangs up; -1: never */
  bool signed_others, may_decline, declined;
  uint64_t x[values];
  sotto_status status;
} side;

/* Refuses the set of survivors where this client signed another one before. */
static sotto_status remember(void *context, uint64_t round, const uint8_t set[SOTTO_SUM_DIGEST],
                             sotto_error *error) {
  const side *s = context;
  (void)round;
  (void)set;
  return s->signed_others ? sotto_i_fail(error, SOTTO_PROTOCOL, "this client signed other survivors")
                          : SOTTO_OK;
}

/* A client that takes its part, or hangs up: a scripted one is cut short by how much it may send. */
static void *client_main(void *context) {
  side *s = context;
  if (s->payloads < 0) {
    const sotto_i_sum_member member = {.plan = &s->plan,
                                       .number = s->number,
                                       .secret = sum_signers_of_test()->secrets[s->number],
                                       .values = s->x,
                                       .keep = remember,
                                       .context = s,
                                       .declined = s->may_decline ? &s->declined : NULL};
    s->status = sotto_i_sum_take_part(s->link, &member, NULL);
    return NULL;
  }
  sotto_sum_client *client = NULL;
  uint8_t given[4096], answer[4096];
  const sotto_sum_sizes z = sotto_sum_message_sizes(&s->plan);
  const sotto_expectation keys = {"sum neighbour keys", SOTTO_WIRE_SHARE, 1, z.neighbour_keys / 4, 0};
  CHECK_OK(
      sotto_sum_client_new(&client, &s->plan, s->number, sum_signers_of_test()->secrets[s->number], &err));
  for (int step = 0; step < s->payloads && step < 2; step++) {
    sotto_words words = {.name = "sum keys", .kind = SOTTO_WIRE_SHARE, .data = answer, .rows = 1};
    if (step == 0) {
      CHECK_OK(sotto_sum_client_keys(client, answer, &err));
      words.cols = z.keys / 4;
    } else {
      CHECK_OK(sotto_link_receive_words(s->link, given, &keys, &err));
      CHECK_OK(sotto_sum_client_boxes(client, answer, given, &err));
      words = (sotto_words){"sum boxes", SOTTO_WIRE_SEALED, NULL, answer, 1, z.boxes / 4};
    }
    CHECK_OK(sotto_link_send_words(s->link, &words, &err));
  }
  sotto_sum_client_free(client);
  sotto_link_close(s->link, "the client hung up");
  return NULL;
}

static void connect_all(side *sides, sotto_link **links) {
  for (uint32_t i = 0; i < clients; i++) {
    CHECK_OK(sotto_link_pair(&links[i], &sides[i].link, &err));
    sum_plan_new(&sides[i].plan, clients, clients - 1, 0, values);
    sides[i].number = i;
    for (uint64_t j = 0; j < values; j++) sides[i].x[j] = 1000 * i + j;
  }
}

static sotto_status serve_or_decline(side *sides, uint64_t *sums, uint32_t *summed, sotto_error *gone,
                                     bool *declined, sotto_error *err) {
  sotto_link *links[clients];
  pthread_t threads[clients];
  connect_all(sides, links);
  for (uint32_t i = 0; i < clients; i++) pthread_create(&threads[i], NULL, client_main, &sides[i]);
  sotto_status status = sotto_i_sum_serve(sums, summed, gone, links, &sides[0].plan, 0, declined, err);
  for (uint32_t i = 0; i < clients; i++) sotto_link_close(links[i], "the server ended");
  for (uint32_t i = 0; i < clients; i++) {
    pthread_join(threads[i], NULL);
    sotto_link_free(links[i]);
    sotto_link_free(sides[i].link);
  }
  return status;
}

static sotto_status serve(side *sides, uint64_t *sums, uint32_t *summed, sotto_error *gone,
                          sotto_error *err) {
  return serve_or_decline(sides, sums, summed, gone, NULL, err);
}

static void clients_that_hang_up_drop_out_of_the_sum(void **state) {
  (void)state;
  side sides[clients] = {{.link = NULL}};
  uint64_t sums[values], wanted;
  uint32_t summed;
  sotto_error gone[clients];
  for (int i = 0; i < clients; i++) sides[i].payloads = -1;
  sides[1].payloads = 0;
  sides[6].payloads = 2;
  CHECK_OK(serve(sides, sums, &summed, gone, &err));
  assert_int_equal(summed, 6);
  for (uint64_t j = 0; j < values; j++) {
    wanted = 0;
    for (uint64_t i = 0; i < clients; i++)
      if (sides[i].payloads < 0) wanted += 1000 * i + j;
    assert_int_equal(sums[j], wanted);
  }
  for (int i = 0; i < clients; i++) {
    assert_int_equal(gone[i].status != SOTTO_OK, sides[i].payloads >= 0);
    if (sides[i].payloads < 0) assert_int_equal(sides[i].status, SOTTO_OK);
  }
}

static void too_few_clients_end_the_sum_for_all(void **state) {
  (void)state;
  side sides[clients] = {{.link = NULL}};
  uint64_t sums[values];
  uint32_t summed = 0;
  sotto_error gone[clients];
  for (int i = 0; i < clients; i++) sides[i].payloads = i < 3 ? 2 : -1;
  CHECK_FAILS(SOTTO_PROTOCOL, "masked vectors of 5 of 8", serve(sides, sums, &summed, gone, &err));
  for (int i = 3; i < clients; i++) assert_int_equal(sides[i].status, SOTTO_PROTOCOL);
}

static void one_client_that_signed_other_survivors_declines_the_sum_for_all(void **state) {
  (void)state;
  side sides[clients] = {{.link = NULL}};
  uint64_t sums[values] = {0};
  uint32_t summed = 0;
  sotto_error gone[clients];
  bool declined = false;
  for (int i = 0; i < clients; i++) sides[i] = (side){.payloads = -1, .may_decline = true};
  sides[5].signed_others = true;
  CHECK_OK(serve_or_decline(sides, sums, &summed, gone, &declined, &err));
  assert_true(declined);
  assert_int_equal(summed, 0);
  for (int j = 0; j < values; j++) assert_int_equal(sums[j], 0);
  for (int i = 0; i < clients; i++) {
    assert_int_equal(sides[i].status, SOTTO_OK);
    assert_true(sides[i].declined);
    assert_int_equal(gone[i].status, SOTTO_OK);
  }
  for (int i = 0; i < clients; i++) sides[i] = (side){.payloads = -1, .may_decline = true};
  CHECK_OK(serve_or_decline(sides, sums, &summed, gone, &declined, &err));
  assert_false(declined);
  assert_int_equal(summed, clients);
}

static void a_sum_that_none_may_decline_goes_on_without_who_signed_others(void **state) {
  (void)state;
  side sides[clients] = {{.link = NULL}};
  uint64_t sums[values];
  uint32_t summed = 0;
  sotto_error gone[clients];
  for (int i = 0; i < clients; i++) sides[i] = (side){.payloads = -1};
  sides[5].signed_others = true;
  sides[5].may_decline = true; /* its signature of zeros is a breach at this server */
  CHECK_OK(serve(sides, sums, &summed, gone, &err));
  assert_int_equal(gone[5].status, SOTTO_PROTOCOL);
  assert_int_equal(summed, clients);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clients_that_hang_up_drop_out_of_the_sum),
      cmocka_unit_test(too_few_clients_end_the_sum_for_all),
      cmocka_unit_test(one_client_that_signed_other_survivors_declines_the_sum_for_all),
      cmocka_unit_test(a_sum_that_none_may_decline_goes_on_without_who_signed_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
