/* A server of secure sums that repeats a round with other clients, is a client's neighbours itself, or gives
 * the clients different models: as test_lying_server.c. */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "lies.h"
#include "party/secure_sum/sum_memory.h"

enum { eight = 8 };

/* A repeated round, after a restart: with client 0, and without it. */
static void without_client_0(lies *l, int step, uint32_t client, uint8_t *given) {
  (void)l;
  (void)client;
  if (step == 3 && client != 0) given[0] = SOTTO_I_SUM_DROPPED;
}

static void a_repeated_round_gets_nothing_but_the_same_sum(void **state) {
  (void)state;
  static lies first, again, without, later, other_model;
  const char *path = check_path("signed.bin");
  lies *const all[] = {&first, &again, &without, &later, &other_model};
  for (int i = 0; i < 5; i++) {
    lies_new(all[i], eight, eight - 1, i == 3 ? 5 : 4);
    if (i == 2) all[i]->lie = without_client_0;
    if (i == 4) all[i]->plan.token[0]++;
    lies_run(all[i]);
  }
  (void)unlink(path);
  CHECK_OK(sotto_i_sum_memory_keep(path, 4, first.sets[1], &err));
  CHECK_OK(sotto_i_sum_memory_keep(path, 4, again.sets[1], &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "round 4: this client signed other survivors",
              sotto_i_sum_memory_keep(path, 4, without.sets[1], &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "or those of another model",
              sotto_i_sum_memory_keep(path, 4, other_model.sets[1], &err));
  CHECK_OK(sotto_i_sum_memory_keep(path, 5, later.sets[1], &err));
  int descriptor = open(path, O_WRONLY | O_APPEND); /* a record that a crash cut off was not acted on */
  assert_int_equal(write(descriptor, "torn", 4), 4);
  (void)close(descriptor);
  CHECK_OK(sotto_i_sum_memory_keep(path, 6, without.sets[1], &err));
  CHECK_OK(sotto_i_sum_memory_keep(path, 6, without.sets[1], &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "round 6", sotto_i_sum_memory_keep(path, 6, first.sets[1], &err));
  CHECK_FAILS(SOTTO_PROTOCOL, "round 5", sotto_i_sum_memory_keep(path, 5, first.sets[1], &err));
  for (int i = 0; i < 5; i++) lies_free(all[i]);
}

/* The server is all of the victim's neighbours, by keys of its own. */
static void own_keys(lies *l, int step, uint32_t client, uint8_t *given) {
  uint8_t plan[SOTTO_I_SUM_KEY], public[SOTTO_SUM_PUBLIC], secret[SOTTO_SUM_SECRET];
  if (step != 1 || client != l->victim) return;
  sotto_sum_signer_new(public, secret);
  sotto_i_sum_plan_digest(plan, &l->plan);
  for (uint32_t j = 0; j < l->plan.neighbours; j++) {
    const uint32_t other = l->graph[(size_t)client * l->plan.neighbours + j];
    sotto_i_sum_pair seals, masks;
    sotto_i_sum_pair_new(&seals);
    sotto_i_sum_pair_new(&masks);
    memcpy(lies_keys(l, given, j), seals.public, SOTTO_I_SUM_KEY);
    memcpy(lies_keys(l, given, j) + SOTTO_I_SUM_KEY, masks.public, SOTTO_I_SUM_KEY);
    sotto_i_sum_sign_keys(lies_keys(l, given, j), plan, other, secret);
    sotto_i_sum_print(lies_listed(l, given, other), lies_keys(l, given, j));
  }
}

static void the_servers_own_keys_get_nothing(void **state) {
  (void)state;
  static lies l;
  lies_new(&l, eight, eight - 1, 1);
  l.lie = own_keys;
  lies_run(&l);
  lies_check_stopped(&l, 0, "the server puts others in their place");
  lies_free(&l);
}

/* Clients that got another model make nothing of each other. */
static void of_another_model(lies *l, int step, uint32_t client, uint8_t *given) {
  if (step != 1 || client != l->victim) return;
  const uint32_t other = l->graph[(size_t)client * l->plan.neighbours];
  memcpy(lies_keys(l, given, 0), l->earlier->keys[other], SOTTO_I_SUM_SIGNED);
  sotto_i_sum_print(lies_listed(l, given, other), l->earlier->keys[other]);
}

static void clients_of_two_models_make_no_sum(void **state) {
  (void)state;
  static lies l, other;
  lies_new(&other, eight, eight - 1, 1);
  other.plan.token[0]++;
  lies_run(&other);
  lies_new(&l, eight, eight - 1, 1);
  l.lie = of_another_model;
  l.earlier = &other;
  lies_run(&l);
  lies_check_stopped(&l, 0, "has another model, run file or list of clients' keys");
  lies_free(&l);
  lies_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_repeated_round_gets_nothing_but_the_same_sum),
      cmocka_unit_test(the_servers_own_keys_get_nothing),
      cmocka_unit_test(clients_of_two_models_make_no_sum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
