/* The server of a secure sum: takes and gives the messages of each step. What it learns is in
 * secure_sum_finish.c. */
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
  SOTTO_TRY(sotto_i_sum_graph(&s->graph, plan, err));
  SOTTO_TRY(sotto_i_new(&s->reached, plan->clients, sizeof *s->reached, err));
  SOTTO_TRY(sotto_i_new(&s->keys, plan->clients, sizes.keys, err));
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

sotto_status sotto_sum_server_take(sotto_sum_server *server, uint32_t client, const void *message,
                                   sotto_error *err) {
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&server->plan);
  if (client >= server->plan.clients)
    return sotto_i_fail(err, SOTTO_RANGE, "client %u of %u", (unsigned)client,
                        (unsigned)server->plan.clients);
  if (server->step >= SOTTO_I_SUM_STEPS || server->reached[client] != server->step)
    return sotto_i_fail(err, SOTTO_INVALID, "client %u: a message of the secure sum out of its turn",
                        (unsigned)client);
  if (server->step == 0) {
    if (sotto_i_sum_is_zero(message, sizes.keys))
      return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u: its keys are zero", (unsigned)client);
    memcpy(server->keys + client * sizes.keys, message, sizes.keys);
  } else if (server->step == 1) {
    memcpy(server->boxes + client * sizes.boxes, message, sizes.boxes);
  } else if (server->step == 2) {
    take_masked(server, message);
  } else {
    memcpy(server->reveals + client * sizes.reveal, message, sizes.reveal);
  }
  server->reached[client]++;
  return SOTTO_OK;
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

/* Does a group that stands for itself hold back no sum of its own? Groups whose members share no masks with
 * others would each have their sum shown. */
static sotto_status check_connected(const sotto_sum_server *s, uint32_t step, sotto_error *err) {
  uint32_t *waiting = NULL, count = 0, seen = 0;
  bool *known = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&waiting, s->plan.clients, sizeof *waiting, err));
  SOTTO_TRY(sotto_i_new(&known, s->plan.clients, sizeof *known, err));
  for (uint32_t i = 0; i < s->plan.clients && count == 0; i++)
    if (s->reached[i] >= step) {
      known[i] = true;
      waiting[count++] = i;
    }
  while (count > 0) {
    const uint32_t *neighbours = s->graph + (size_t)waiting[--count] * s->plan.neighbours;
    seen++;
    for (uint32_t i = 0; i < s->plan.neighbours; i++) {
      if (known[neighbours[i]] || s->reached[neighbours[i]] < step) continue;
      known[neighbours[i]] = true;
      waiting[count++] = neighbours[i];
    }
  }
  if (seen < count_clients(s, step))
    status = sotto_i_fail(err, SOTTO_PROTOCOL,
                          "the clients that are left have no common neighbours; take more neighbours");
done:
  sotto_i_free(waiting);
  sotto_i_free(known);
  return status;
}

static const char *const step_names[SOTTO_I_SUM_STEPS] = {"keys", "boxes", "masked vectors", "reveals"};

/* Can every client that the sum would need be unmasked? At the last two steps also those that dropped after
 * their shares were out: their masks are in the vectors of others. */
sotto_status sotto_sum_server_next(sotto_sum_server *server, sotto_error *err) {
  sotto_sum_server *s = server;
  uint32_t done = s->step + 1, needed = s->step < 2 ? done : 2;
  if (s->step >= SOTTO_I_SUM_STEPS || s->failed)
    return sotto_i_fail(err, SOTTO_INVALID, "the secure sum is over");
  for (uint32_t i = 0; i < s->plan.clients; i++) {
    uint32_t count = count_reached(s, i, done);
    if (s->reached[i] < needed || count >= s->plan.threshold) continue;
    s->failed = true;
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "the %s of %u of %u clients came: client %u has %u of its %u neighbours left and needs "
        "%u; the sum is given up, and what was sent shows nothing",
        step_names[s->step], (unsigned)count_clients(s, done), (unsigned)s->plan.clients, (unsigned)i,
        (unsigned)count, (unsigned)s->plan.neighbours, (unsigned)s->plan.threshold);
  }
  sotto_status status = SOTTO_OK;
  if (count_clients(s, done) == 0)
    status = sotto_i_fail(err, SOTTO_PROTOCOL, "the %s of no client came", step_names[s->step]);
  if (status == SOTTO_OK && s->step == 2) status = check_connected(s, done, err);
  s->failed = status != SOTTO_OK;
  if (status == SOTTO_OK) s->step++;
  return status;
}

uint8_t sotto_i_sum_state_of(const sotto_sum_server *s, uint32_t client) {
  if (s->reached[client] >= 3) return SOTTO_I_SUM_LASTED;
  return s->reached[client] == 2 ? SOTTO_I_SUM_DROPPED : SOTTO_I_SUM_ABSENT;
}

sotto_status sotto_sum_server_give(const sotto_sum_server *server, uint32_t client, void *message,
                                   sotto_error *err) {
  const sotto_sum_server *s = server;
  const sotto_sum_sizes sizes = sotto_sum_message_sizes(&s->plan);
  uint32_t k = s->plan.neighbours;
  uint8_t *out = message;
  if (s->step < 1 || s->step >= SOTTO_I_SUM_STEPS || s->failed || !sotto_sum_server_has(s, client))
    return sotto_i_fail(err, SOTTO_INVALID, "client %u: nothing is to be given to it now", (unsigned)client);
  memset(out, 0, s->step == 3 ? sizes.states : 0);
  for (uint32_t i = 0; i < k; i++) {
    uint32_t other = s->graph[(size_t)client * k + i];
    uint32_t back = sotto_i_sum_place(s->graph + (size_t)other * k, k, client);
    SOTTO_I_CHECK(back < k);
    /* What a neighbour has not sent stands as zeros. */
    if (s->step == 1)
      memcpy(out + (size_t)i * SOTTO_I_SUM_KEYS, s->keys + other * sizes.keys, SOTTO_I_SUM_KEYS);
    else if (s->step == 2)
      memcpy(out + (size_t)i * SOTTO_I_SUM_BOX,
             s->boxes + other * sizes.boxes + SOTTO_I_SUM_KEY + (size_t)back * SOTTO_I_SUM_BOX,
             SOTTO_I_SUM_BOX);
    else
      out[i] = sotto_i_sum_state_of(s, other);
  }
  return SOTTO_OK;
}
