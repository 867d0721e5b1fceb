/* Who keeps a place among connections that have not shown who they are: whoever takes many loses his own. */
#include "check.h"
#include "party/wire/crowd.h"
#include "party/wire/tls.h"

static sotto_i_origin source(unsigned number) {
  sotto_i_origin out = {{0}};
  memcpy(out.bytes + 12, &number, sizeof number);
  return out;
}

static size_t enter(sotto_i_crowd *c, unsigned number) {
  const sotto_i_origin from = source(number);
  return sotto_i_crowd_enter(c, &from);
}

/* As a listener does: room first, then the place. The victim, or SOTTO_I_NO_PLACE. */
static size_t push(sotto_i_crowd *c, unsigned number) {
  size_t victim = sotto_i_crowd_victim(c, false);
  if (victim != SOTTO_I_NO_PLACE) sotto_i_crowd_leave(c, victim);
  (void)enter(c, number);
  return victim;
}

static void one_of_a_few_is_never_turned_out_for_many_of_others(void **state) {
  (void)state;
  sotto_i_crowd c = {.size = SOTTO_I_MOST_PLACES};
  size_t honest = enter(&c, 99);
  for (unsigned i = 0; i < 5000; i++) assert_int_not_equal(push(&c, i % 3), honest);
  assert_true(c.places[honest].taken);
}

static void of_the_heaviest_the_oldest_goes_that_is_not_ready(void **state) {
  (void)state;
  sotto_i_crowd c = {.size = 4};
  size_t first = enter(&c, 1), second = enter(&c, 1), third = enter(&c, 1);
  (void)enter(&c, 2);
  assert_int_equal(sotto_i_crowd_victim(&c, false), first);
  c.places[first].ready = true;
  assert_int_equal(sotto_i_crowd_victim(&c, false), second);
  c.places[second].ready = c.places[third].ready = true;
  assert_int_equal(sotto_i_crowd_victim(&c, false), third);
}

static void a_known_source_keeps_eight_places_and_no_more(void **state) {
  (void)state;
  sotto_i_crowd c = {.size = 40};
  const sotto_i_origin peer = source(7);
  sotto_i_crowd_know(&c, &peer);
  for (int i = 0; i < 8; i++) (void)enter(&c, 7);
  for (unsigned i = 0; i < 500; i++) (void)push(&c, 1000 + i);
  const uint16_t group = c.places[0].group;
  assert_int_equal(c.groups[group].count, 8);
  for (int i = 0; i < 500; i++)
    (void)push(&c, 7); /* a neighbour of the peer floods: the others keep theirs */
  assert_in_range(c.groups[group].count, 9, 10);
}

static void a_source_that_becomes_known_is_so_at_once(void **state) {
  (void)state;
  sotto_i_crowd c = {.size = 4};
  const sotto_i_origin peer = source(7);
  for (int i = 0; i < 3; i++) (void)enter(&c, 7);
  (void)enter(&c, 1);
  sotto_i_crowd_know(&c, &peer);
  assert_int_equal(c.places[sotto_i_crowd_victim(&c, false)].group, c.places[3].group);
}

static void sources_are_served_in_turn(void **state) {
  (void)state;
  sotto_i_crowd c = {.size = 100};
  for (unsigned i = 0; i < 90; i++) c.places[enter(&c, i % 3)].ready = true;
  size_t served = sotto_i_crowd_serve(&c);
  sotto_i_crowd_leave(&c, served);
  size_t honest = enter(&c, 99);
  c.places[honest].ready = true;
  int waited = 0;
  while ((served = sotto_i_crowd_serve(&c)) != honest && waited < 100) {
    sotto_i_crowd_leave(&c, served);
    waited++;
  }
  assert_true(waited <= 2); /* of three sources one was served: the other two come first */
}

/* The rules by counting anew for every question. */
static size_t slow_victim(const sotto_i_crowd *c, const unsigned *from, const bool *known) {
  int most = -SOTTO_I_FAVOUR;
  size_t out = SOTTO_I_NO_PLACE;
  int weights[SOTTO_I_MOST_PLACES];
  for (size_t i = 0; i < c->size; i++) {
    weights[i] = known[from[i]] ? -SOTTO_I_FAVOUR : 0;
    for (size_t j = 0; j < c->size; j++) weights[i] += c->places[j].taken && from[j] == from[i];
    if (c->places[i].taken && weights[i] > most) most = weights[i];
  }
  for (int ready = 0; ready < 2 && out == SOTTO_I_NO_PLACE; ready++)
    for (size_t i = 0; i < c->size; i++) {
      if (!c->places[i].taken || weights[i] != most || c->places[i].ready != (ready == 1)) continue;
      bool better = out == SOTTO_I_NO_PLACE || (ready == 1 ? c->places[i].came > c->places[out].came
                                                           : c->places[i].came < c->places[out].came);
      if (better) out = i;
    }
  return out;
}

static void any_order_gives_what_counting_anew_gives(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 50; round++) {
    sotto_i_crowd c = {.size = 1 + sotto_i_random_below(&random, 40)};
    unsigned from[SOTTO_I_MOST_PLACES] = {0};
    bool known[12] = {false};
    for (int i = 0; i < 400; i++) {
      unsigned who = (unsigned)sotto_i_random_below(&random, 12);
      const sotto_i_origin one = source(who);
      size_t place = (size_t)sotto_i_random_below(&random, c.size);
      if (sotto_i_random_below(&random, 40) == 0) {
        sotto_i_crowd_know(&c, &one);
        known[who] = true;
      } else if (sotto_i_random_below(&random, 3) == 0 && c.places[place].taken) {
        c.places[place].ready = true;
      } else if (sotto_i_random_below(&random, 5) == 0 && c.places[place].taken) {
        sotto_i_crowd_leave(&c, place);
      } else {
        size_t victim = sotto_i_crowd_victim(&c, false);
        assert_int_equal(victim, c.taken < c.size ? SOTTO_I_NO_PLACE : slow_victim(&c, from, known));
        if (victim != SOTTO_I_NO_PLACE) sotto_i_crowd_leave(&c, victim);
        from[sotto_i_crowd_enter(&c, &one)] = who;
      }
    }
  }
}

static void only_the_beginning_of_a_client_hello_is_worth_work(void **state) {
  (void)state;
  uint8_t hello[6] = {22, 3, 1, 2, 0, 1};
  assert_int_equal(sotto_i_tls_first_flight(hello, 6), 5 + 512);
  for (size_t i = 0; i < 6; i++) assert_int_equal(sotto_i_tls_first_flight(hello, i), 0);
  static const struct {
    size_t at;
    uint8_t value;
  } wrong[] = {{0, 21}, {1, 2}, {2, 0}, {2, 4}, {3, 32}, {5, 2}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint8_t bytes[6];
    memcpy(bytes, hello, 6);
    bytes[wrong[i].at] = wrong[i].value;
    assert_int_equal(sotto_i_tls_first_flight(bytes, 6), -1);
  }
  const uint8_t tiny[6] = {22, 3, 1, 0, 4, 1};
  assert_int_equal(sotto_i_tls_first_flight(tiny, 6), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_of_a_few_is_never_turned_out_for_many_of_others),
      cmocka_unit_test(of_the_heaviest_the_oldest_goes_that_is_not_ready),
      cmocka_unit_test(a_known_source_keeps_eight_places_and_no_more),
      cmocka_unit_test(a_source_that_becomes_known_is_so_at_once),
      cmocka_unit_test(sources_are_served_in_turn),
      cmocka_unit_test(any_order_gives_what_counting_anew_gives),
      cmocka_unit_test(only_the_beginning_of_a_client_hello_is_worth_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
