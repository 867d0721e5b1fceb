/* One secure sum from end to end. */
#include "sum_round.h"

#include "check.h"

const sum_signers *sum_signers_of_test(void) {
  static sum_signers signers;
  static bool made;
  for (int i = 0; !made && i < most_sum_clients; i++)
    sotto_sum_signer_new(signers.public_keys[i], signers.secrets[i]);
  made = true;
  return &signers;
}

void sum_plan_new(sotto_sum_plan *out, uint32_t clients, uint32_t neighbours, uint32_t threshold,
                  size_t values) {
  assert_true(clients <= most_sum_clients);
  CHECK_OK(sotto_sum_plan_new(out, clients, neighbours, threshold, values, &err));
  out->signers = sum_signers_of_test()->public_keys[0];
  memset(out->token, 7, sizeof out->token);
}

void sum_round_new(sum_round *r, uint32_t clients, uint32_t neighbours, uint32_t threshold, size_t values) {
  memset(r, 0, sizeof *r);
  assert_true(values <= sizeof r->sums / sizeof *r->sums);
  sum_plan_new(&r->plan, clients, neighbours, threshold, values);
  memset(r->drops, never_drops, sizeof r->drops);
}

static size_t size_of(const sum_round *r, int step) {
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&r->plan);
  const size_t each[sum_steps] = {sizes.keys, sizes.boxes, sizes.masked, sizes.signature, sizes.reveal};
  return each[step];
}

/* What the client answers to what it is given. */
static sotto_status answer(const sum_round *r, sotto_sum_client *client, uint32_t i, int step, void *out,
                           const void *given, sotto_error *err) {
  if (step == 0) return sotto_sum_client_keys(client, out, err);
  if (step == 1) return sotto_sum_client_boxes(client, out, given, err);
  if (step == 2) return sotto_sum_client_mask(client, out, given, r->values + i * r->plan.values, err);
  uint8_t set[SOTTO_SUM_DIGEST];
  if (step == 3) return sotto_sum_client_sign(client, out, set, given, err);
  return sotto_sum_client_reveal(client, out, given, err);
}

static sotto_status take_step(sum_round *r, sotto_sum_server *server, sotto_sum_client **clients, int step,
                              void *given, void *message, sotto_error *err) {
  for (uint32_t i = 0; i < r->plan.clients; i++) {
    if (!sotto_sum_server_has(server, i) || r->drops[i] == step) continue;
    sotto_status status = SOTTO_OK;
    if (step > 0) status = sotto_sum_server_give(server, i, given, err);
    if (status == SOTTO_OK) status = answer(r, clients[i], i, step, message, given, err);
    if (status != SOTTO_OK) return status;
    if (r->seen != NULL) r->seen(r->context, i, step, message, size_of(r, step));
    status = sotto_sum_server_take(server, i, message, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_sum_server_next(server, err);
}

sotto_status sum_round_run(sum_round *r, sotto_error *err) {
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&r->plan);
  size_t most = sizes.boxes + sizes.masked + sizes.neighbour_boxes + sizes.neighbour_keys + sizes.signatures;
  sotto_sum_server *server = NULL;
  sotto_sum_client *clients[most_sum_clients] = {NULL};
  void *given = NULL, *message = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&given, most, 1, err));
  SOTTO_TRY(sotto_i_new(&message, most, 1, err));
  SOTTO_TRY(sotto_sum_server_new(&server, &r->plan, err));
  for (uint32_t i = 0; i < r->plan.clients; i++)
    SOTTO_TRY(sotto_sum_client_new(&clients[i], &r->plan, i, sum_signers_of_test()->secrets[i], err));
  for (int step = 0; step < sum_steps; step++)
    SOTTO_TRY(take_step(r, server, clients, step, given, message, err));
  SOTTO_TRY(sotto_sum_server_finish(server, r->sums, &r->summed, err));
done:
  for (uint32_t i = 0; i < r->plan.clients; i++) sotto_sum_client_free(clients[i]);
  sotto_sum_server_free(server);
  sotto_i_free(given);
  sotto_i_free(message);
  return status;
}
