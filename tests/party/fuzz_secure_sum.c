/* Messages of a secure sum that are changed on their way, to the server and to clients: the sum ends, with a
 * result or with an error, and never worse. Four bytes are a change: whose message, at which step, where, and
 * by what. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "inside/secure_sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { clients = 4, values = 3, room = 4096, steps = 5 };

static uint8_t public_keys[clients][SOTTO_SUM_PUBLIC], secrets[clients][SOTTO_SUM_SECRET];

typedef struct changes {
  const uint8_t *at;
  size_t count; /* of four bytes */
} changes;

/* The high bit of the step says which way the message goes. */
static void change(uint8_t *message, size_t size, const changes *c, uint32_t client, unsigned step) {
  for (size_t i = 0; i < c->count; i++) {
    const uint8_t *each = c->at + 4 * i;
    if (each[0] % clients == client && each[1] % (2U * steps) == step && size > 0)
      message[(each[2] * 7U + each[3]) % size] ^= each[3] | 1U;
  }
}

static sotto_status answer(sotto_sum_client *client, int step, uint8_t *out, const uint8_t *given) {
  static const uint64_t own[values] = {1, 2, UINT64_MAX};
  uint64_t masked[values];
  if (step == 0) return sotto_sum_client_keys(client, out, NULL);
  if (step == 1) return sotto_sum_client_boxes(client, out, given, NULL);
  uint8_t set[SOTTO_SUM_DIGEST];
  if (step == 3) return sotto_sum_client_sign(client, out, set, given, NULL);
  if (step == 4) return sotto_sum_client_reveal(client, out, given, NULL);
  const sotto_status status = sotto_sum_client_mask(client, masked, given, own, NULL);
  if (status == SOTTO_OK) memcpy(out, masked, sizeof masked);
  return status;
}

static sotto_status take_step(sotto_sum_server *server, sotto_sum_client **all, const sotto_sum_plan *plan,
                              int step, const changes *c) {
  static _Alignas(16) uint8_t given[room], message[room];
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(plan);
  const size_t from[steps] = {sizes.keys, sizes.boxes, sizes.masked, sizes.signature, sizes.reveal};
  const size_t to[steps] = {0, sizes.neighbour_keys, sizes.neighbour_boxes, sizes.states, sizes.signatures};
  if (from[step] > room || to[step] > room) abort();
  for (uint32_t i = 0; i < clients; i++) {
    if (!sotto_sum_server_has(server, i)) continue;
    if (step > 0 && sotto_sum_server_give(server, i, given, NULL) != SOTTO_OK) continue;
    change(given, to[step], c, i, (unsigned)step + steps);
    if (answer(all[i], step, message, given) != SOTTO_OK) continue; /* it has dropped */
    change(message, from[step], c, i, (unsigned)step);
    (void)sotto_sum_server_take(server, i, message, NULL);
  }
  return sotto_sum_server_next(server, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const changes c = {data, size / 4 < 16 ? size / 4 : 16};
  sotto_sum_plan plan;
  sotto_sum_server *server = NULL;
  sotto_sum_client *all[clients] = {NULL};
  uint64_t sums[values];
  uint32_t summed = 0;
  sotto_status status;
  SOTTO_TRY(sotto_sum_plan_new(&plan, clients, 0, 3, values, NULL));
  static bool made;
  for (uint32_t i = 0; i < clients && !made; i++) sotto_sum_signer_new(public_keys[i], secrets[i]);
  made = true;
  plan.signers = public_keys[0];
  memset(plan.token, 7, sizeof plan.token);
  SOTTO_TRY(sotto_sum_server_new(&server, &plan, NULL));
  for (uint32_t i = 0; i < clients; i++) SOTTO_TRY(sotto_sum_client_new(&all[i], &plan, i, secrets[i], NULL));
  for (int step = 0; step < steps; step++) SOTTO_TRY(take_step(server, all, &plan, step, &c));
  SOTTO_TRY(sotto_sum_server_finish(server, sums, &summed, NULL));
  if (summed > clients || (c.count == 0 && (summed != clients || sums[0] != clients))) abort();
done:
  if (c.count == 0 && status != SOTTO_OK) abort();
  for (uint32_t i = 0; i < clients; i++) sotto_sum_client_free(all[i]);
  sotto_sum_server_free(server);
  return 0;
}
