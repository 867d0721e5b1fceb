/* The server of a secure sum: takes and gives the messages of each step. secure_sum_finish.c computes the
 * result. */
#include "secure_sum_server.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void sotto_sum_server_free(sotto_sum_server *server) {
  if (server == NULL) return;
  size_t reveals = (size_t)server->plan.clients * server->plan.neighbours * SOTTO_I_SUM_KEY;
  if (server->reveals != NULL) sodium_memzero(server->reveals, reveals);
  sotto_i_free(server->graph);
  sotto_i_free(server->reached);
  sotto_i_free(server->keys);
  sotto_i_free(server->prints);
  sotto_i_free(server->states);
  sotto_i_free(server->signatures);
  sotto_i_free(server->boxes);
  sotto_i_free(server->sums);
  sotto_i_free(server->reveals);
  sotto_i_free(server);
}

sotto_status sotto_sum_server_new(sotto_sum_server **out, const sotto_sum_plan *plan, sotto_error *err) {
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(plan);
  sotto_status status;
  sotto_sum_server *s = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_sum_plan_check(plan, err));
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  s->plan = *plan;
  if (plan->signers == NULL) {
    status = sotto_i_fail(err, SOTTO_INVALID, "a secure sum needs the keys by which its clients sign");
    goto done;
  }
  sotto_i_sum_plan_digest(s->accepted.plan, plan);
  SOTTO_TRY(sotto_i_sum_graph(&s->graph, plan, err));
  SOTTO_TRY(sotto_i_new(&s->reached, plan->clients, sizeof *s->reached, err));
  SOTTO_TRY(sotto_i_new(&s->keys, plan->clients, sizes.keys, err));
  SOTTO_TRY(sotto_i_new(&s->prints, plan->clients, SOTTO_I_SUM_KEY, err));
  SOTTO_TRY(sotto_i_new(&s->states, sizes.states, 1, err));
  SOTTO_TRY(sotto_i_new(&s->signatures, plan->clients, sizes.signature, err));
  SOTTO_TRY(sotto_i_new(&s->boxes, plan->clients, sizes.boxes, err));
  SOTTO_TRY(sotto_i_new(&s->sums, plan->values, sizeof *s->sums, err));
  SOTTO_TRY(sotto_i_new(&s->reveals, plan->clients, sizes.reveal, err));
  *out = s;
  s = NULL;
done:
  sotto_sum_server_free(s);
  return status;
}

bool sotto_sum_server_has(const sotto_sum_server *server, uint32_t client) {
  return client < server->plan.clients && server->reached[client] >= server->step;
}

static void take_masked(sotto_sum_server *s, const void *message) {
  const uint8_t *bytes = message;
  for (size_t i = 0; i < s->plan.values; i++) {
    uint64_t value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    s->sums[i] += value;
  }
}

/* A client whose keys its neighbours would refuse is left out alone. */
static sotto_status take_keys(sotto_sum_server *s, uint32_t client, const uint8_t *message,
                              sotto_error *err) {
  if (!sotto_i_sum_key_good(message) || !sotto_i_sum_key_good(message + SOTTO_I_SUM_KEY))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u: a key is zero, of low order or not canonical",
                        (unsigned)client);
  if (!sotto_i_sum_keys_signed(message, s->accepted.plan, client, s->plan.signers))
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "client %u: its keys are not signed for this round by the key that it is known by",
                        (unsigned)client);
  memcpy(s->keys + (size_t)client * SOTTO_I_SUM_SIGNED, message, SOTTO_I_SUM_SIGNED);
  sotto_i_sum_print(s->prints + (size_t)client * SOTTO_I_SUM_KEY, message);
  return SOTTO_OK;
}

static sotto_status take_signature(sotto_sum_server *s, uint32_t client, const uint8_t *message,
                                   sotto_error *err) {
  if (!sotto_i_sum_accepted_signed(message, &s->accepted, client, s->plan.signers))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u: did not sign the survivors that the server sent",
                        (unsigned)client);
  memcpy(s->signatures + (size_t)client * SOTTO_SUM_SIGNATURE, message, SOTTO_SUM_SIGNATURE);
  return SOTTO_OK;
}

sotto_status sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                   sotto_error *err) {
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&server->plan);
  sotto_status status = SOTTO_OK;
  if (client >= server->plan.clients)
    return sotto_i_fail(err, SOTTO_RANGE, "client %u of %u", (unsigned)client,
                        (unsigned)server->plan.clients);
  if (server->step >= SOTTO_I_SUM_STEPS || server->reached[client] != server->step)
    return sotto_i_fail(err, SOTTO_INVALID, "client %u: a message of the secure sum out of its turn",
                        (unsigned)client);
  if (server->step == 0)
    status = take_keys(server, client, message, err);
  else if (server->step == 1)
    memcpy(server->boxes + client * sizes.boxes, message, sizes.boxes);
  else if (server->step == 2)
    take_masked(server, message);
  else if (server->step == 3)
    status = take_signature(server, client, message, err);
  else
    memcpy(server->reveals + client * sizes.reveal, message, sizes.reveal);
  if (status == SOTTO_OK) server->reached[client]++;
  return status;
}

static uint32_t count_reached(const sotto_sum_server *s, uint32_t client, uint32_t step) {
  const uint32_t *neighbours = s->graph + (size_t)client * s->plan.neighbours;
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->plan.neighbours; i++) count += s->reached[neighbours[i]] >= step;
  return count;
}

static uint32_t count_clients(const sotto_sum_server *s, uint32_t step) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->plan.clients; i++) count += s->reached[i] >= step;
  return count;
}

static const char *const step_names[SOTTO_I_SUM_STEPS] = {"keys", "boxes", "masked vectors", "signatures",
                                                          "reveals"};

/* Can every client in the sum be unmasked? After the masked vectors this includes clients that dropped after
 * their shares were sent: their masks are in the vectors of others. */
static sotto_status check_neighbours(const sotto_sum_server *s, uint32_t done, sotto_error *err) {
  const uint32_t needed = s->step < 2 ? done : 2;
  for (uint32_t i = 0; i < s->plan.clients; i++) {
    uint32_t count = count_reached(s, i, done);
    if (s->reached[i] < needed || count >= s->plan.threshold) continue;
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "the %s of %u of %u clients came: client %u has %u of its %u neighbours left and needs "
        "%u; the sum is given up, and what was sent shows nothing",
        step_names[s->step], (unsigned)count_clients(s, done), (unsigned)s->plan.clients, (unsigned)i,
        (unsigned)count, (unsigned)s->plan.neighbours, (unsigned)s->plan.threshold);
  }
  return SOTTO_OK;
}

static sotto_status check_step(sotto_sum_server *s, uint32_t done, sotto_error *err) {
  if (s->step == 2) {
    for (uint32_t i = 0; i < s->plan.clients; i++)
      s->states[i] = s->reached[i] >= done ? SOTTO_I_SUM_LASTED
                     : s->reached[i] == 2  ? SOTTO_I_SUM_DROPPED
                                           : SOTTO_I_SUM_ABSENT;
    sotto_i_sum_states_digest(s->accepted.states, s->states, s->plan.clients);
    return sotto_i_sum_states_check(&s->plan, step_names[2], s->states, err);
  }
  if (s->step < 4 && count_clients(s, done) < sotto_sum_quorum(&s->plan))
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "the %s of %u of %u clients came, and %u are needed; the sum is given up, and what was "
        "sent shows nothing",
        step_names[s->step], (unsigned)count_clients(s, done), (unsigned)s->plan.clients,
        (unsigned)sotto_sum_quorum(&s->plan));
  return check_neighbours(s, done, err);
}

sotto_status sotto_sum_server_next(sotto_sum_server *server, sotto_error *err) {
  sotto_sum_server *s = server;
  if (s->step >= SOTTO_I_SUM_STEPS || s->failed)
    return sotto_i_fail(err, SOTTO_INVALID, "the secure sum is over");
  sotto_status status = check_step(s, s->step + 1, err);
  s->failed = status != SOTTO_OK;
  if (status == SOTTO_OK && s->step == 0)
    sotto_i_sum_list_digest(s->accepted.list, s->prints, s->plan.clients);
  if (status == SOTTO_OK) s->step++;
  return status;
}

/* A neighbour's message of the previous step; a missing one is zeros. */
static void give_neighbours(const sotto_sum_server *s, uint32_t client, uint8_t *out) {
  const uint32_t k = s->plan.neighbours;
  const size_t boxes = sotto_sum_message_sizes(&s->plan).boxes;
  for (uint32_t i = 0; i < k; i++) {
    uint32_t other = s->graph[(size_t)client * k + i];
    uint32_t back = sotto_i_sum_place(s->graph + (size_t)other * k, k, client);
    SOTTO_I_CHECK(back < k);
    if (s->step == 1)
      memcpy(out + (size_t)i * SOTTO_I_SUM_SIGNED, s->keys + (size_t)other * SOTTO_I_SUM_SIGNED,
             SOTTO_I_SUM_SIGNED);
    else
      memcpy(out + (size_t)i * SOTTO_I_SUM_BOX,
             s->boxes + other * boxes + SOTTO_I_SUM_KEY + (size_t)back * SOTTO_I_SUM_BOX, SOTTO_I_SUM_BOX);
  }
}

sotto_status sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                   sotto_error *err) {
  const sotto_sum_server *s = server;
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&s->plan);
  const size_t prints = (size_t)s->plan.clients * SOTTO_I_SUM_KEY;
  uint8_t *out = message;
  if (s->step < 1 || s->step >= SOTTO_I_SUM_STEPS || s->failed || !sotto_sum_server_has(s, client))
    return sotto_i_fail(err, SOTTO_INVALID, "client %u: the server has no message for it now",
                        (unsigned)client);
  if (s->step == 1) {
    memcpy(out, s->prints, prints);
    give_neighbours(s, client, out + prints);
  } else if (s->step == 2) {
    give_neighbours(s, client, out);
  } else if (s->step == 3) {
    memcpy(out, s->states, sizes.states);
  } else {
    memcpy(out, s->signatures, sizes.signatures);
  }
  return SOTTO_OK;
}
