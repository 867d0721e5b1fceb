/* Clients that leave a federation: the rounds go on over those that answer, and the server says who was
 * missing. The clients here send numbers that a hand can average. */
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "await.h"
#include "check.h"
#include "inside/party.h"
#include "methods/federated/federated.h"

enum { clients = 4, rounds = 6 };
static const double limit = 1;

typedef struct fake {
  const sotto_i_federation *federation;
  sotto_link *link;
  uint32_t number;
  uint64_t stops; /* the round in which it no longer answers; 0: none */
  bool hangs;     /* stops without a word, and keeps its link open */
  double pause;   /* before each answer, in seconds */
  size_t size;
  sotto_status status;
} fake;

typedef struct fixture {
  sotto_options options;
  sotto_i_client_settings settings;
  sotto_i_federation federation;
  sotto_i_seat seat;
  sotto_i_job job;
  sotto_i_fed_server server;
  fake fakes[clients];
  float begin; /* the first number of the model, as it was */
} fixture;

static void fixture_new(fixture *f, uint64_t least) {
  *f = (fixture){.federation = {.seed = 1, .clients = clients, .taking = clients, .classes = 2}};
  sotto_options_default(&f->options);
  CHECK_OK(sotto_options_set(&f->options, "method", "fedavg", &err));
  CHECK_OK(sotto_options_set(&f->options, "optimiser", "adam", &err)); /* the server takes the mean */
  sotto_options_resolve(&f->options);
  f->settings = *sotto_i_client_settings_of(&f->options);
  f->settings.rounds = rounds;
  f->options.checkpoint_every = 0;
  f->options.least_clients = least;
  f->options.grace = limit;
  f->options.hidden = 2;
  f->federation.options = &f->options;
  f->federation.settings = &f->settings;
  f->federation.apart = true;
  f->federation.rounds = rounds;
  f->federation.inputs = 3;
  f->job = (sotto_i_job){.options = &f->options, .seat = &f->seat};
  f->server = (sotto_i_fed_server){.federation = &f->federation, .job = &f->job};
  sotto_i_fed_model model;
  CHECK_OK(sotto_i_fed_model_new(&model, &f->federation, &err));
  CHECK_OK(sotto_i_new(&f->server.links, clients, sizeof(void *), &err));
  for (uint32_t i = 0; i < clients; i++) {
    f->fakes[i] = (fake){.federation = &f->federation, .number = i, .size = model.size};
    CHECK_OK(sotto_link_pair(&f->server.links[i], &f->fakes[i].link, &err));
  }
  float *packed;
  CHECK_OK(sotto_i_new(&packed, model.size, sizeof *packed, &err));
  sotto_i_fed_model_pack(packed, &model);
  f->begin = packed[0];
  sotto_i_free(packed);
  sotto_i_fed_model_free(&model);
}

/* What a client changes each number of the model by, over so many examples. */
static float change_of(uint32_t client) {
  return 0.25F * (float)(client + 1);
}

static double examples_of(uint32_t client) {
  return 10 + client;
}

static sotto_status say(fake *c, const char *name, sotto_matrix *what, sotto_error *err) {
  return sotto_link_send_exposed(c->link, name, "a test", what, err);
}

static sotto_status converse(fake *c, sotto_error *err) {
  sotto_matrix model = {0}, update = {0}, right = {0};
  const sotto_expectation expected = {"model", SOTTO_WIRE_EXPOSED, 1, c->size, 0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&model, 1, c->size, err));
  SOTTO_TRY(sotto_matrix_new(&update, 1, c->size + SOTTO_I_FED_EXTRAS, err));
  SOTTO_TRY(sotto_matrix_new(&right, 1, 2, err));
  for (size_t j = 0; j < c->size; j++) update.data[j] = change_of(c->number);
  update.data[c->size + SOTTO_I_FED_EXAMPLES] = (float)examples_of(c->number);
  update.data[c->size + SOTTO_I_FED_ASKED] = 10;
  update.data[c->size + SOTTO_I_FED_LOSS] = 1;
  for (uint64_t round = 1; round <= rounds; round++) {
    uint32_t taking[clients];
    bool mine = false;
    SOTTO_TRY(sotto_i_fed_round(taking, c->federation, round, err));
    for (uint32_t i = 0; i < c->federation->taking; i++) mine |= taking[i] == c->number;
    if (!mine) continue;
    SOTTO_TRY(sotto_link_receive(c->link, &model, &expected, err));
    if (round == c->stops) goto done;
    check_moment(c->pause);
    update.data[c->size + SOTTO_I_FED_RIGHT] = (float)round;
    SOTTO_TRY(say(c, "update", &update, err));
  }
  for (int k = 0; k < 2; k++) {
    SOTTO_TRY(sotto_link_receive(c->link, &model, &expected, err));
    right.data[0] = right.data[1] = 3; /* of three validation items */
    SOTTO_TRY(say(c, "validation", &right, err));
  }
  SOTTO_TRY(sotto_link_receive(c->link, &model, &expected, err));
done:
  sotto_matrix_free(&model);
  sotto_matrix_free(&update);
  sotto_matrix_free(&right);
  return status;
}

static void *fake_thread(void *context) {
  fake *c = context;
  sotto_error problem = {0};
  c->status = converse(c, &problem);
  if (!c->hangs) sotto_link_close(c->link, "a client stopped");
  return NULL;
}

static sotto_status run(fixture *f, sotto_error *err) {
  pthread_t threads[clients];
  for (int i = 0; i < clients; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, fake_thread, &f->fakes[i]), 0);
  sotto_status status = sotto_i_fed_server_protocol(&f->server, err);
  if (status != SOTTO_OK)
    for (int i = 0; i < clients; i++) sotto_link_close(f->server.links[i], "the server stopped");
  for (int i = 0; i < clients; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  return status;
}

static void fixture_free(fixture *f) {
  sotto_i_fed_server_free(&f->server);
  for (int i = 0; i < clients; i++) sotto_link_free(f->fakes[i].link);
}

/* Who answered in each round, and the model that this makes. */
static void check_rounds(const fixture *f, bool here[rounds][clients]) {
  double value = f->begin;
  for (int r = 0; r < rounds; r++) {
    double change = 0, examples = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < clients; i++) {
      assert_int_equal(f->server.missing[r * clients + i] != 0, !here[r][i]);
      if (!here[r][i]) continue;
      change += examples_of(i) * change_of(i);
      examples += examples_of(i);
      count++;
    }
    assert_int_equal(f->server.turns[r].clients, count);
    if (count > 0) value += change / examples;
  }
  CHECK_NEAR(f->server.values.data[0], value, 1e-5);
}

static void all_from(bool here[rounds][clients], uint32_t client, uint64_t round) {
  for (uint64_t r = round; r <= rounds; r++) here[r - 1][client] = false;
}

static void fill(bool here[rounds][clients]) {
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < clients; i++) here[r][i] = true;
}

static void one_that_ends_is_left_out(void **state) {
  (void)state;
  fixture f;
  bool here[rounds][clients];
  fixture_new(&f, 2);
  f.fakes[2].stops = 3;
  f.fakes[0].stops = 5;
  CHECK_OK(run(&f, &err));
  fill(here);
  all_from(here, 2, 3);
  all_from(here, 0, 5);
  check_rounds(&f, here);
  assert_true(f.server.left[2] == 3 && f.server.left[0] == 5 && f.server.left[1] == 0);
  assert_true(f.fakes[1].status == SOTTO_OK && f.fakes[3].status == SOTTO_OK);
  /* Two clients said that three are right; of the test nobody said anything. */
  CHECK_NEAR(sotto_i_fed_measures_quality(&f.server, 0).of[SOTTO_MEASURE_ACCURACY], 1, 0);
  CHECK_NEAR(f.server.measured[0][3], 3, 0);
  CHECK_NEAR(f.server.measured[0][5], 0, 0); /* client 3 left before */
  assert_true(isnan(sotto_i_fed_measures_quality(&f.server, 1).of[SOTTO_MEASURE_ACCURACY]));
  fixture_free(&f);
}

/* The server waits for the first client until its time is over; what the others sent meanwhile counts. */
static void one_that_is_silent_is_left_out_and_none_that_answered_is(void **state) {
  (void)state;
  fixture f;
  bool here[rounds][clients];
  fixture_new(&f, 1);
  f.fakes[0].stops = 2;
  f.fakes[0].hangs = true;
  CHECK_OK(run(&f, &err));
  fill(here);
  all_from(here, 0, 2);
  check_rounds(&f, here);
  for (int i = 1; i < clients; i++) assert_true(f.fakes[i].status == SOTTO_OK && f.server.left[i] == 0);
  fixture_free(&f);
}

/* Its answer comes when the round is over, and goes nowhere. */
static void one_that_is_late_is_not_let_in_again(void **state) {
  (void)state;
  fixture f;
  bool here[rounds][clients];
  fixture_new(&f, 1);
  f.fakes[3].pause = 3 * limit;
  CHECK_OK(run(&f, &err));
  fill(here);
  all_from(here, 3, 1);
  check_rounds(&f, here);
  assert_int_equal(f.fakes[3].status, SOTTO_PROTOCOL);
  fixture_free(&f);
}

/* One client takes part in a round: in the rounds of the one that left there is none. */
static void rounds_without_a_client_change_nothing(void **state) {
  (void)state;
  fixture f;
  uint32_t taking[rounds];
  fixture_new(&f, 1);
  f.federation.taking = 1;
  for (uint64_t r = 1; r <= rounds; r++) CHECK_OK(sotto_i_fed_round(&taking[r - 1], &f.federation, r, &err));
  f.fakes[taking[0]].stops = 1;
  CHECK_OK(run(&f, &err));
  double value = f.begin;
  for (int r = 0; r < rounds; r++) {
    const bool there = taking[r] != taking[0];
    assert_int_equal(f.server.turns[r].clients, there);
    if (there) value += change_of(taking[r]);
  }
  CHECK_NEAR(f.server.values.data[0], value, 1e-5);
  assert_true(isnan(f.server.turns[0].loss) && isfinite(f.server.watch.best));
  fixture_free(&f);
}

static void too_few_end_the_run(void **state) {
  (void)state;
  fixture f;
  fixture_new(&f, 3);
  f.fakes[1].stops = 2;
  f.fakes[3].stops = 4;
  CHECK_FAILS(SOTTO_PROTOCOL,
              "2 clients are left, fewer than least-clients (3); the last one to leave: a client",
              run(&f, &err));
  fixture_free(&f);
}

/* The planted fault of the tests above: without the option none may leave. */
static void without_the_option_all_are_needed(void **state) {
  (void)state;
  fixture f;
  fixture_new(&f, 0);
  f.fakes[2].stops = 3;
  CHECK_FAILS(SOTTO_PROTOCOL, "a client stopped", run(&f, &err));
  assert_null(f.server.missing);
  fixture_free(&f);
  fixture_new(&f, 2); /* in one process a client's failure is the run's */
  f.federation.apart = false;
  f.fakes[2].stops = 3;
  CHECK_FAILS(SOTTO_PROTOCOL, "a client stopped", run(&f, &err));
  fixture_free(&f);
}

static void what_cannot_go_on_without_a_client_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *method, *key, *value, *says;
    sotto_status status;
  } cases[] = {{"fedavg", "secure-aggregation", "true", "it is at least 7", SOTTO_RANGE}, /* of 10 */
               {"fedavg", "clients", "2", "3 are more than the 2 clients", SOTTO_RANGE},
               {"feddep", "clients", "4", "least-clients: method feddep has no such option", SOTTO_INVALID},
               {"gwldp", "clients", "4", "has no meaning with publication multibit", SOTTO_INVALID},
               {"vfgnn", "holders", "4", "least-clients: method vfgnn has no such option", SOTTO_INVALID}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_options o;
    sotto_options_default(&o);
    CHECK_OK(sotto_options_set(&o, "method", cases[i].method, &err));
    CHECK_OK(sotto_options_set(&o, "data", "somewhere", &err));
    CHECK_OK(sotto_options_set(&o, "least-clients", "3", &err));
    if (strcmp(cases[i].method, "gwldp") == 0)
      CHECK_OK(sotto_options_set(&o, "publication", "multibit", &err));
    CHECK_OK(sotto_options_set(&o, cases[i].key, cases[i].value, &err));
    sotto_options_resolve(&o);
    CHECK_FAILS(cases[i].status, cases[i].says, sotto_options_check(&o, &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_that_ends_is_left_out),
      cmocka_unit_test(one_that_is_silent_is_left_out_and_none_that_answered_is),
      cmocka_unit_test(one_that_is_late_is_not_let_in_again),
      cmocka_unit_test(rounds_without_a_client_change_nothing),
      cmocka_unit_test(too_few_end_the_run),
      cmocka_unit_test(without_the_option_all_are_needed),
      cmocka_unit_test(what_cannot_go_on_without_a_client_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
