/* A server of secure sums that lies: the clients name the lie, and reveal nothing. Each of these attacks took
 * a client's vector out of sums without signatures. */
#include "check.h"
#include "lies.h"

/* Enough neighbours that, without signatures, a threshold of 11 of 16 was not enough. */
enum { many = 50, few_neighbours = 16, eight = 8 };

static void nobody_stops_at_the_truth(void **state) {
  (void)state;
  static lies l;
  lies_new(&l, many, few_neighbours, 1);
  lies_run(&l);
  for (uint32_t i = 0; i < many; i++)
    if (l.errors[i].status != SOTTO_OK) fail_msg("client %u: %s", (unsigned)i, l.errors[i].text);
  assert_int_equal(l.revealed, many);
  lies_free(&l);
}

/* 1. Two sets: clients 1 to 3 are told that all lasted, 4 to 6 that client 0 dropped, and client 7 colludes:
 * it signs both. */
static bool others_too; /* each half is shown the other half's signatures */

static void two_sets(lies *l, int step, uint32_t client, uint8_t *given) {
  const bool half = client >= 4;
  if (step == 3) given[0] = half ? SOTTO_I_SUM_DROPPED : SOTTO_I_SUM_LASTED;
  if (step != 4) return;
  for (uint32_t i = 0; i < eight; i++)
    if (i == 0 || (!others_too && (i >= 4) != half))
      memset(given + (size_t)i * SOTTO_SUM_SIGNATURE, 0, SOTTO_SUM_SIGNATURE);
  sotto_i_sum_accepted what = l->clients[client]->accepted;
  sotto_i_sum_sign_accepted(given + (size_t)7 * SOTTO_SUM_SIGNATURE, &what, 7,
                            sum_signers_of_test()->secrets[7]);
}

static void two_sets_get_nothing(void **state) {
  (void)state;
  for (int both = 0; both < 2; both++) {
    static lies l;
    others_too = both != 0;
    lies_new(&l, eight, eight - 1, 1);
    l.lie = two_sets;
    lies_run(&l);
    for (uint32_t i = 1; i < 7; i++)
      lies_check_stopped(&l, i,
                         both ? "did not sign the survivors that the server named here" : "and 6 are needed");
    assert_int_equal(l.revealed, 0);
    lies_free(&l);
  }
}

/* 2. Zero keys: five of the victim's 16 neighbours are not there for it. */
typedef enum zeroing { KEYS_ALONE, KEYS_AND_LIST, LOW_ORDER, NOT_CANONICAL } zeroing;
static zeroing kind;

static void zero_keys(lies *l, int step, uint32_t client, uint8_t *given) {
  static const uint8_t low[SOTTO_I_SUM_KEY] = {1};
  if (step != 1 || client != l->victim) return;
  for (uint32_t j = 0; j < 5; j++) {
    const uint32_t other = l->graph[(size_t)client * l->plan.neighbours + j];
    uint8_t *keys = lies_keys(l, given, j), *listed = lies_listed(l, given, other);
    if (kind == LOW_ORDER) memcpy(keys, low, sizeof low);
    if (kind == NOT_CANONICAL) memset(keys + SOTTO_I_SUM_KEY, 0xff, SOTTO_I_SUM_KEY);
    if (kind >= LOW_ORDER) { /* its owner is with the server, and signs them */
      uint8_t plan[SOTTO_I_SUM_KEY];
      sotto_i_sum_plan_digest(plan, &l->plan);
      sotto_i_sum_sign_keys(keys, plan, other, sum_signers_of_test()->secrets[other]);
      sotto_i_sum_print(listed, keys);
      continue;
    }
    memset(keys, 0, SOTTO_I_SUM_SIGNED);
    if (kind == KEYS_AND_LIST) memset(listed, 0, SOTTO_I_SUM_KEY);
  }
}

static void zero_keys_get_nothing(void **state) {
  (void)state;
  static const char *const words[] = {"shows other keys of client", "its shares never came here",
                                      "of low order", "not canonical"};
  for (kind = KEYS_ALONE; kind <= NOT_CANONICAL; kind++) {
    static lies l;
    lies_new(&l, many, few_neighbours, 1);
    l.lie = zero_keys;
    l.victim = 3;
    lies_run(&l);
    lies_check_stopped(&l, 3, words[kind]);
    lies_free(&l);
  }
}

/* 3. Replay: keys that clients signed for an earlier round; keys that they signed for this round, before a
 * restart; signatures of the same survivors, before a restart. */
static int replayed; /* what: 0 to 2 */

static void replay(lies *l, int step, uint32_t client, uint8_t *given) {
  if (step == 4 && replayed == 2)
    for (uint32_t i = 0; i < l->plan.clients; i++)
      if (i != client)
        memcpy(given + (size_t)i * SOTTO_SUM_SIGNATURE, l->earlier->signatures[i], SOTTO_SUM_SIGNATURE);
  if (step != 1 || replayed == 2 || client != l->victim) return;
  for (uint32_t j = 0; j < 5; j++) {
    const uint32_t other = l->graph[(size_t)client * l->plan.neighbours + j];
    memcpy(lies_keys(l, given, j), l->earlier->keys[other], SOTTO_I_SUM_SIGNED);
    sotto_i_sum_print(lies_listed(l, given, other), l->earlier->keys[other]);
  }
}

static void replays_get_nothing(void **state) {
  (void)state;
  /* Shares to and from the old keys cannot be opened, nor made. */
  static const char *const words[] = {"are not signed by it for this round", "altered on their way",
                                      "did not sign the survivors that the server named here"};
  for (replayed = 0; replayed < 3; replayed++) {
    static lies before, now;
    lies_new(&before, many, few_neighbours, replayed == 0 ? 1 : 2);
    lies_run(&before);
    lies_new(&now, many, few_neighbours, 2);
    now.lie = replay;
    now.victim = 3;
    now.earlier = &before;
    lies_run(&now);
    lies_check_stopped(&now, 3, words[replayed]);
    if (replayed == 2) assert_int_equal(now.revealed, 0);
    lies_free(&before);
    lies_free(&now);
  }
}

/* 4. Wrong survivors: lists that cannot be; and lists that each could be, another one for each client. */
typedef enum wrong { OWN, NO_STATE, ABSENT, TOO_FEW, A_NEIGHBOURHOOD, EACH_ANOTHER } wrong;
static wrong what_is_wrong;

static void wrong_survivors(lies *l, int step, uint32_t client, uint8_t *given) {
  const uint32_t k = l->plan.neighbours, *own = l->graph + (size_t)client * k;
  if (step != 3) return;
  if (what_is_wrong == OWN) given[client] = SOTTO_I_SUM_DROPPED;
  if (what_is_wrong == NO_STATE) given[own[0]] = SOTTO_I_SUM_DROPPED + 1;
  if (what_is_wrong == ABSENT) given[own[k - 1]] = SOTTO_I_SUM_ABSENT;
  if (what_is_wrong == TOO_FEW)
    for (uint32_t i = 0, left = 17; left > 0; i++)
      if (i != client) given[i] = SOTTO_I_SUM_DROPPED, left--;
  if (what_is_wrong == A_NEIGHBOURHOOD) /* six of those around the victim */
    for (uint32_t j = 0; j < 6; j++) given[l->graph[(size_t)l->victim * k + j]] = SOTTO_I_SUM_DROPPED;
  if (what_is_wrong == A_NEIGHBOURHOOD) given[client] = SOTTO_I_SUM_LASTED;
  if (what_is_wrong == EACH_ANOTHER) given[(client + 1) % l->plan.clients] = SOTTO_I_SUM_DROPPED;
}

/* One of the six, which is told that it lasted itself. */
static bool is_around(const lies *l, uint32_t client) {
  bool found = false;
  for (uint32_t j = 0; j < 6; j++) found |= l->graph[(size_t)l->victim * l->plan.neighbours + j] == client;
  return found;
}

static void wrong_survivors_get_nothing(void **state) {
  (void)state;
  static const char *const words[] = {"says that this client dropped",
                                      "something impossible of client",
                                      "its shares came",
                                      "masked vectors of 33 of 50 clients came, and 34 are needed",
                                      "neighbours left and needs 11",
                                      "did not sign the survivors that the server named here"};
  for (what_is_wrong = OWN; what_is_wrong <= EACH_ANOTHER; what_is_wrong++) {
    static lies l;
    lies_new(&l, many, few_neighbours, 1);
    l.lie = wrong_survivors;
    l.victim = 3;
    lies_run(&l);
    for (uint32_t i = 0; i < many; i++)
      if (what_is_wrong != A_NEIGHBOURHOOD || !is_around(&l, i))
        lies_check_stopped(&l, i, words[what_is_wrong]);
    assert_int_equal(l.revealed, 0);
    lies_free(&l);
  }
}

/* 5. Withheld: the boxes of five of the victim's neighbours, to it and from it; all signatures but 33. */
static bool signatures_withheld;

static void withhold(lies *l, int step, uint32_t client, uint8_t *given) {
  const uint32_t k = l->plan.neighbours, *around = l->graph + (size_t)l->victim * k;
  for (uint32_t j = 0; step == 2 && !signatures_withheld && j < 5; j++) {
    if (client == l->victim) memset(given + (size_t)j * SOTTO_I_SUM_BOX, 0, SOTTO_I_SUM_BOX);
    if (client == around[j])
      memset(given + (size_t)lies_place(l, client, l->victim) * SOTTO_I_SUM_BOX, 0, SOTTO_I_SUM_BOX);
  }
  if (step == 4 && signatures_withheld)
    memset(given + (size_t)33 * SOTTO_SUM_SIGNATURE, 0, (size_t)(many - 33) * SOTTO_SUM_SIGNATURE);
}

static void withheld_shares_and_signatures_get_nothing(void **state) {
  (void)state;
  static lies l;
  signatures_withheld = false;
  lies_new(&l, many, few_neighbours, 1);
  l.lie = withhold;
  l.victim = 3;
  lies_run(&l);
  lies_check_stopped(&l, 3, "its shares never came here");
  for (uint32_t j = 0; j < 5; j++)
    lies_check_stopped(&l, l.graph[(size_t)3 * few_neighbours + j], "its shares never came here");
  lies_free(&l);
  signatures_withheld = true;
  lies_new(&l, many, few_neighbours, 1);
  l.lie = withhold;
  lies_run(&l);
  for (uint32_t i = 0; i < 33; i++)
    lies_check_stopped(&l, i, "the signatures of 33 of 50 clients came, and 34");
  lies_free(&l);
}

/* And: the circle of clients is cut at two places, so that two sums would come out. At each, two clients are
 * said to have dropped, and the boxes of those around them are withheld across the cut: as few of each
 * client's as it bears. Those around refuse to sign; all others, more than two thirds, would not know. */
enum { all_of_many = 64, twelve = 12, cut_dropped = 2, across = 6 };
static uint32_t place_in_circle[all_of_many];

/* Counted from the nearer cut: 0, 1, ... to its right, -1, -2, ... to its left. */
static int from_cut(uint32_t client) {
  const int half = all_of_many / 2, place = (int)place_in_circle[client] % half;
  return place < half / 2 ? place : place - half;
}

static void cut(lies *l, int step, uint32_t client, uint8_t *given) {
  const int own = from_cut(client);
  for (uint32_t j = 0; step == 2 && j < twelve; j++) {
    const int other = from_cut(l->graph[(size_t)client * twelve + j]);
    const bool apart = (own < 0) != (other < 0) && own - other <= across && other - own <= across;
    if (apart && own != 0 && own != 1 && other != 0 && other != 1)
      memset(given + (size_t)j * SOTTO_I_SUM_BOX, 0, SOTTO_I_SUM_BOX);
  }
  for (uint32_t i = 0; step == 3 && i < all_of_many; i++)
    if (from_cut(i) >= 0 && from_cut(i) < cut_dropped) given[i] = SOTTO_I_SUM_DROPPED;
}

static void a_cut_through_the_circle_gets_nothing(void **state) {
  (void)state;
  static lies l;
  sotto_i_sum_circle circle;
  uint32_t signed_it = 0;
  lies_new(&l, all_of_many, twelve, 1);
  CHECK_OK(sotto_i_sum_circle_new(&circle, &l.plan, &err));
  memcpy(place_in_circle, circle.place, sizeof place_in_circle);
  sotto_i_sum_circle_free(&circle);
  l.lie = cut;
  lies_run(&l);
  for (uint32_t i = 0; i < all_of_many; i++) {
    if (sotto_i_sum_is_zero(l.signatures[i], SOTTO_SUM_SIGNATURE)) continue;
    signed_it++;
    lies_check_stopped(&l, i, "of its 12 neighbours left and needs 8");
  }
  assert_int_equal(signed_it, 44); /* enough of all, were it not for those around the cuts */
  assert_int_equal(l.revealed, 0);
  lies_free(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_stops_at_the_truth),
      cmocka_unit_test(two_sets_get_nothing),
      cmocka_unit_test(zero_keys_get_nothing),
      cmocka_unit_test(replays_get_nothing),
      cmocka_unit_test(wrong_survivors_get_nothing),
      cmocka_unit_test(withheld_shares_and_signatures_get_nothing),
      cmocka_unit_test(a_cut_through_the_circle_gets_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
