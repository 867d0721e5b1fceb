/* A lying server, which carries messages from one client to the next. */
#include "lies.h"

#include "check.h"

void lies_new(lies *l, uint32_t clients, uint32_t neighbours, uint64_t round) {
  memset(l, 0, sizeof *l);
  sum_plan_new(&l->plan, clients, neighbours, 0, lies_values);
  l->plan.round = round;
  CHECK_OK(sotto_i_sum_graph(&l->graph, &l->plan, &err));
}

void lies_free(lies *l) {
  for (uint32_t i = 0; i < l->plan.clients; i++) sotto_sum_client_free(l->clients[i]);
  sotto_i_free(l->graph);
}

uint32_t lies_place(const lies *l, uint32_t client, uint32_t neighbour) {
  const uint32_t k = l->plan.neighbours;
  const uint32_t place = sotto_i_sum_place(l->graph + (size_t)client * k, k, neighbour);
  assert_true(place < k);
  return place;
}

uint8_t *lies_listed(const lies *l, uint8_t *given, uint32_t client) {
  (void)l;
  return given + (size_t)client * SOTTO_I_SUM_KEY;
}

uint8_t *lies_keys(const lies *l, uint8_t *given, uint32_t place) {
  return given + (size_t)l->plan.clients * SOTTO_I_SUM_KEY + (size_t)place * SOTTO_I_SUM_SIGNED;
}

void lies_check_stopped(const lies *l, uint32_t client, const char *words) {
  const sotto_error *e = &l->errors[client];
  if (e->status != SOTTO_PROTOCOL || strstr(e->text, words) == NULL)
    fail_msg("client %u: '%s' (%s) lacks '%s'", (unsigned)client, e->text, sotto_status_text(e->status),
             words);
}

/* The truth. */
static void fill(const lies *l, int step, uint32_t client, uint8_t *given) {
  const uint32_t n = l->plan.clients, k = l->plan.neighbours;
  for (uint32_t i = 0; step == 1 && i < n; i++) sotto_i_sum_print(lies_listed(l, given, i), l->keys[i]);
  for (uint32_t j = 0; step < 3 && j < k; j++) {
    const uint32_t other = l->graph[(size_t)client * k + j];
    if (step == 1)
      memcpy(lies_keys(l, given, j), l->keys[other], SOTTO_I_SUM_SIGNED);
    else
      memcpy(given + (size_t)j * SOTTO_I_SUM_BOX,
             l->boxes[other] + SOTTO_I_SUM_KEY + (size_t)lies_place(l, other, client) * SOTTO_I_SUM_BOX,
             SOTTO_I_SUM_BOX);
  }
  if (step == 3) memset(given, SOTTO_I_SUM_LASTED, n);
  if (step == 4) memcpy(given, l->signatures, (size_t)n * SOTTO_SUM_SIGNATURE);
}

static sotto_status answer(lies *l, int step, uint32_t i, const uint8_t *given, sotto_error *err) {
  static uint8_t reveal[most_sum_clients * SOTTO_I_SUM_KEY];
  uint64_t values[lies_values];
  for (uint32_t j = 0; j < lies_values; j++) values[j] = 1000 * (uint64_t)i + 17 * j;
  if (step == 0)
    return sotto_sum_client_new(&l->clients[i], &l->plan, i, sum_signers_of_test()->secrets[i], err) ==
                   SOTTO_OK
               ? sotto_sum_client_keys(l->clients[i], l->keys[i], err)
               : SOTTO_NOMEM;
  if (step == 1) return sotto_sum_client_boxes(l->clients[i], l->boxes[i], given, err);
  if (step == 2) return sotto_sum_client_mask(l->clients[i], l->masked[i], given, values, err);
  if (step == 3) return sotto_sum_client_sign(l->clients[i], l->signatures[i], l->sets[i], given, err);
  return sotto_sum_client_reveal(l->clients[i], reveal, given, err);
}

void lies_run(lies *l) {
  static uint8_t given[lies_most_given];
  for (int step = 0; step < sum_steps; step++)
    for (uint32_t i = 0; i < l->plan.clients; i++) {
      if (l->errors[i].status != SOTTO_OK) continue;
      memset(given, 0, sizeof given);
      fill(l, step, i, given);
      if (l->lie != NULL) l->lie(l, step, i, given);
      if (step == 3) memcpy(l->told[i], given, l->plan.clients);
      sotto_status status = answer(l, step, i, given, &l->errors[i]);
      if (status == SOTTO_OK && step == 4) l->revealed++;
    }
}
