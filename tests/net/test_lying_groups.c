/* A server that withholds shares at random between two groups of clients, with colluding clients that sign
 * anything: whatever it is given at the end, it is no sum over a part of the honest survivors. This is the
 * argument "One sum" of docs/protocol.md, on the masks that clients really used. */
#include "check.h"
#include "lies.h"

enum { clients = 64, neighbours = 12 };

typedef struct plot {
  bool colludes[clients], drops[clients];
  bool withheld[clients][clients]; /* [from][to] */
  uint8_t states[clients];
  bool settled;
} plot;
static plot now;

static void withhold(lies *l, int step, uint32_t client, uint8_t *given) {
  const uint32_t k = l->plan.neighbours;
  for (uint32_t j = 0; step == 2 && j < k; j++)
    if (now.withheld[l->graph[(size_t)client * k + j]][client])
      memset(given + (size_t)j * SOTTO_I_SUM_BOX, 0, SOTTO_I_SUM_BOX);
  if (step == 3 && !now.settled) { /* who did not send its vector has dropped, and others are said to have */
    now.settled = true;
    for (uint32_t i = 0; i < clients; i++)
      now.states[i] =
          l->errors[i].status == SOTTO_OK && !now.drops[i] ? SOTTO_I_SUM_LASTED : SOTTO_I_SUM_DROPPED;
  }
  if (step == 3) memcpy(given, now.states, clients);
  for (uint32_t i = 0; step == 4 && i < clients; i++)
    if (now.colludes[i])
      sotto_i_sum_sign_accepted(given + (size_t)i * SOTTO_SUM_SIGNATURE, &l->clients[client]->accepted, i,
                                sum_signers_of_test()->secrets[i]);
}

/* As many of each client's neighbours as the theorem bears, at most. */
static void choose_colluding(const lies *l, sotto_i_random *random) {
  for (int tries = 0; tries < 10; tries++) {
    const uint32_t chosen = (uint32_t)sotto_i_random_below(random, clients);
    bool fits = true;
    now.colludes[chosen] = true;
    for (uint32_t i = 0; i < clients; i++) {
      uint32_t count = 0;
      for (uint32_t j = 0; j < neighbours; j++) count += now.colludes[l->graph[(size_t)i * neighbours + j]];
      fits = fits && 2 * count < 2 * l->plan.threshold - neighbours;
    }
    if (!fits) now.colludes[chosen] = false;
  }
}

/* An arc of the circle against the rest. At both ends a few clients are said to have dropped, and pairs
 * across are kept apart, as many of each client as it bears; some of them, in some plots, in one direction
 * alone. The `plain` plot is one that more than two thirds of all do not see. */
static void choose_withheld(const lies *l, sotto_i_random *random, bool plain) {
  sotto_i_sum_circle circle;
  const uint32_t length = 16 + (uint32_t)sotto_i_random_below(random, clients / 2);
  const uint32_t first = (uint32_t)sotto_i_random_below(random, clients);
  const uint32_t bears = neighbours - l->plan.threshold,
                 one_way = !plain && sotto_i_random_below(random, 2) ? 8 : 0;
  uint32_t lacks[clients] = {0};
  CHECK_OK(sotto_i_sum_circle_new(&circle, &l->plan, &err));
  for (int end = 0; end < 2; end++)
    for (uint32_t i = plain ? 2 : (uint32_t)sotto_i_random_below(random, 4); i > 0; i--)
      now.drops[circle.at[(first + (end == 0 ? i - 1 : length + i - 1)) % clients]] = true;
  for (uint32_t distance = 1; distance <= neighbours / 2; distance++)
    for (uint32_t place = 0; place < clients; place++) {
      const uint32_t i = circle.at[(first + place) % clients];
      const uint32_t other = circle.at[(first + place + distance) % clients];
      const bool across = (place < length) != ((place + distance) % clients < length);
      if (!across || now.drops[i] || now.drops[other] || lacks[i] == bears || lacks[other] == bears) continue;
      now.withheld[other][i] = true;
      lacks[i]++;
      if (one_way > 0 && sotto_i_random_below(random, one_way) == 0) continue;
      now.withheld[i][other] = true;
      lacks[other]++;
    }
  sotto_i_sum_circle_free(&circle);
}

static bool honest_survivor(uint32_t client) {
  return now.states[client] == SOTTO_I_SUM_LASTED && !now.colludes[client];
}

static bool masks_with(const lies *l, uint32_t client, uint32_t other) {
  return l->clients[client]->neighbours[lies_place(l, client, other)].has_box;
}

/* Groups by common masks; one in which a mask has no other end shows nothing. Returns how many honest
 * survivors have a group that could be shown, and *groups how many such groups there are. */
static uint32_t count_shown(const lies *l, uint32_t *groups) {
  uint32_t group[clients], shown = 0;
  bool hidden[clients] = {false}, changed = true;
  for (uint32_t i = 0; i < clients; i++) group[i] = i;
  while (changed) {
    changed = false;
    for (uint32_t i = 0; i < clients; i++)
      for (uint32_t j = 0; j < neighbours; j++) {
        const uint32_t other = l->graph[(size_t)i * neighbours + j];
        if (!honest_survivor(i) || !honest_survivor(other) || !masks_with(l, i, other)) continue;
        if (!masks_with(l, other, i) && !hidden[group[i]]) hidden[group[i]] = changed = true;
        if (!masks_with(l, other, i) || group[i] == group[other]) continue;
        const uint32_t low = group[i] < group[other] ? group[i] : group[other],
                       high = group[i] + group[other] - low;
        for (uint32_t c = 0; c < clients; c++)
          if (group[c] == high) group[c] = low;
        hidden[low] = hidden[low] || hidden[high];
        changed = true;
      }
  }
  *groups = 0;
  for (uint32_t i = 0; i < clients; i++) {
    shown += honest_survivor(i) && !hidden[group[i]];
    *groups += honest_survivor(i) && !hidden[group[i]] && group[i] == i;
  }
  return shown;
}

/* Would two thirds of all have been enough? */
static bool quorum_signed(const lies *l) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < clients; i++)
    count += now.colludes[i] || !sotto_i_sum_is_zero(l->signatures[i], SOTTO_SUM_SIGNATURE);
  return count >= sotto_sum_quorum(&l->plan);
}

static void withheld_shares_never_split_a_sum(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  int revealed = 0, split = 0;
  for (int repeat = 0; repeat < 24; repeat++) {
    static lies l;
    uint32_t honest = 0, groups;
    lies_new(&l, clients, neighbours, (uint64_t)repeat);
    memset(&now, 0, sizeof now);
    if (repeat % 2 == 0) choose_colluding(&l, &random);
    if (repeat % 8 != 0) choose_withheld(&l, &random, repeat % 8 == 1);
    l.lie = withhold;
    lies_run(&l);
    for (uint32_t i = 0; i < clients; i++) honest += honest_survivor(i);
    const uint32_t shown = count_shown(&l, &groups);
    const bool parts = groups > 1 || (groups == 1 && shown < honest);
    split += parts && quorum_signed(&l);
    revealed += l.revealed > 0;
    if (l.revealed > 0 && parts)
      fail_msg("repeat %d: %u groups show %u of %u honest clients", repeat, (unsigned)groups, (unsigned)shown,
               (unsigned)honest);
    lies_free(&l);
  }
  assert_true(revealed > 0); /* some sums come about */
  assert_true(split > 0);    /* and there are plots that more than two thirds of all do not see */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(withheld_shares_never_split_a_sum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
