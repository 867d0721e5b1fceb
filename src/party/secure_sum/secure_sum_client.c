/* A client of a secure sum. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "secure_sum.h"

typedef enum step { STEP_KEYS, STEP_BOXES, STEP_MASK, STEP_REVEAL, STEP_OVER } step;

/* One neighbour, as far as it is known. */
typedef struct neighbour {
  uint32_t client;
  bool has_keys, has_box;
  uint8_t keys[SOTTO_I_SUM_KEYS];      /* of seals, of masks */
  uint8_t shares[2 * SOTTO_I_SUM_KEY]; /* of its own mask, of its secret key */
} neighbour;

struct sotto_sum_client {
  sotto_sum_plan plan;
  uint32_t client;
  step next;
  sotto_i_sum_pair seals, masks;
  uint8_t own[SOTTO_I_SUM_KEY]; /* the key of its own mask */
  neighbour *neighbours;        /* plan.neighbours, ascending */
};

void sotto_sum_client_free(sotto_sum_client *client) {
  if (client == NULL) return;
  if (client->neighbours != NULL)
    sodium_memzero(client->neighbours, client->plan.neighbours * sizeof *client->neighbours);
  sotto_i_free(client->neighbours);
  sodium_memzero(client, sizeof *client);
  sotto_i_free(client);
}

sotto_status sotto_sum_client_new(sotto_sum_client **out, const sotto_sum_plan *plan, uint32_t client,
                                  sotto_error *err) {
  sotto_status status;
  sotto_sum_client *c = NULL;
  uint32_t *ids = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_sum_plan_check(plan, err));
  SOTTO_TRY(sotto_i_new_raw(&ids, plan->neighbours, sizeof *ids, err));
  SOTTO_TRY(sotto_sum_neighbours(ids, plan, client, err));
  SOTTO_TRY(sotto_i_new(&c, 1, sizeof *c, err));
  c->plan = *plan;
  c->client = client;
  SOTTO_TRY(sotto_i_new(&c->neighbours, plan->neighbours, sizeof *c->neighbours, err));
  for (uint32_t i = 0; i < plan->neighbours; i++) c->neighbours[i].client = ids[i];
  sotto_i_sum_pair_new(&c->seals);
  sotto_i_sum_pair_new(&c->masks);
  randombytes_buf(c->own, sizeof c->own);
  *out = c;
  c = NULL;
done:
  sotto_i_free(ids);
  sotto_sum_client_free(c);
  return status;
}

/* Enters a step. Until it is left well, the client takes no other: what was half said is not said again. */
static sotto_status enter(sotto_sum_client *c, step wanted, sotto_error *err) {
  if (c->next != wanted)
    return sotto_i_fail(err, SOTTO_INVALID, "client %u: a step of the secure sum out of its turn",
                        (unsigned)c->client);
  c->next = STEP_OVER;
  return SOTTO_OK;
}

static sotto_status too_few(const sotto_sum_client *c, uint32_t count, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_PROTOCOL,
      "client %u: %u of its %u neighbours are left, and the secure sum needs %u; nothing more "
      "is sent",
      (unsigned)c->client, (unsigned)count, (unsigned)c->plan.neighbours, (unsigned)c->plan.threshold);
}

sotto_status sotto_sum_client_keys(sotto_sum_client *client, uint8_t *keys, sotto_error *err) {
  sotto_status status = enter(client, STEP_KEYS, err);
  if (status != SOTTO_OK) return status;
  memcpy(keys, client->seals.public, SOTTO_I_SUM_KEY);
  memcpy(keys + SOTTO_I_SUM_KEY, client->masks.public, SOTTO_I_SUM_KEY);
  client->next = STEP_BOXES;
  return SOTTO_OK;
}

/* The key that seals boxes from this client to a neighbour, or back. */
static sotto_status seal_key(uint8_t out[SOTTO_I_SUM_KEY], const sotto_sum_client *c, const neighbour *n,
                             bool sending, sotto_error *err) {
  const sotto_i_sum_use use = {.name = "sotto-sum-seal-1",
                               .round = c->plan.round,
                               .from = sending ? c->client : n->client,
                               .to = sending ? n->client : c->client};
  return sotto_i_sum_agree(out, &c->seals, n->keys, &use, err);
}

static uint32_t learn_keys(sotto_sum_client *c, const uint8_t *neighbour_keys) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    neighbour *n = &c->neighbours[i];
    memcpy(n->keys, neighbour_keys + (size_t)i * SOTTO_I_SUM_KEYS, sizeof n->keys);
    n->has_keys = !sotto_i_sum_is_zero(n->keys, sizeof n->keys);
    count += n->has_keys;
  }
  return count;
}

sotto_status sotto_sum_client_boxes(sotto_sum_client *client, uint8_t *boxes, const uint8_t *neighbour_keys,
                                    sotto_error *err) {
  uint32_t k = client->plan.neighbours;
  uint8_t *own = NULL, *secret = NULL, both[2 * SOTTO_I_SUM_KEY], key[SOTTO_I_SUM_KEY];
  sotto_status status = enter(client, STEP_BOXES, err);
  if (status != SOTTO_OK) return status;
  uint32_t count = learn_keys(client, neighbour_keys);
  if (count < client->plan.threshold) return too_few(client, count, err);
  SOTTO_TRY(sotto_i_new(&own, k, SOTTO_I_SUM_KEY, err));
  SOTTO_TRY(sotto_i_new(&secret, k, SOTTO_I_SUM_KEY, err));
  SOTTO_TRY(sotto_i_sum_split(own, k, client->plan.threshold, client->own, err));
  SOTTO_TRY(sotto_i_sum_split(secret, k, client->plan.threshold, client->masks.secret, err));
  sotto_i_sum_commit(boxes, client->own, client->plan.round, client->client);
  for (uint32_t i = 0; i < k; i++) {
    uint8_t *box = boxes + SOTTO_I_SUM_KEY + (size_t)i * SOTTO_I_SUM_BOX;
    memset(box, 0, SOTTO_I_SUM_BOX);
    if (!client->neighbours[i].has_keys) continue;
    memcpy(both, own + (size_t)i * SOTTO_I_SUM_KEY, SOTTO_I_SUM_KEY);
    memcpy(both + SOTTO_I_SUM_KEY, secret + (size_t)i * SOTTO_I_SUM_KEY, SOTTO_I_SUM_KEY);
    SOTTO_TRY(seal_key(key, client, &client->neighbours[i], true, err));
    sotto_i_sum_seal(box, both, key);
  }
  client->next = STEP_MASK;
done:
  if (own != NULL) sodium_memzero(own, (size_t)k * SOTTO_I_SUM_KEY);
  if (secret != NULL) sodium_memzero(secret, (size_t)k * SOTTO_I_SUM_KEY);
  sodium_memzero(both, sizeof both);
  sodium_memzero(key, sizeof key);
  sotto_i_free(own);
  sotto_i_free(secret);
  return status;
}

/* Opens what came, so that a broken box is found before anything is masked with its sender. */
static sotto_status open_boxes(sotto_sum_client *c, const uint8_t *neighbour_boxes, sotto_error *err) {
  uint8_t key[SOTTO_I_SUM_KEY];
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    neighbour *n = &c->neighbours[i];
    const uint8_t *box = neighbour_boxes + (size_t)i * SOTTO_I_SUM_BOX;
    if (!n->has_keys || sotto_i_sum_is_zero(box, SOTTO_I_SUM_BOX)) continue;
    sotto_status status = seal_key(key, c, n, false, err);
    if (status != SOTTO_OK) return status;
    bool good = sotto_i_sum_open(n->shares, box, key);
    sodium_memzero(key, sizeof key);
    if (!good)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u: the shares of client %u were altered on their way",
                          (unsigned)c->client, (unsigned)n->client);
    n->has_box = true;
    count++;
  }
  return count < c->plan.threshold ? too_few(c, count, err) : SOTTO_OK;
}

static sotto_status check_values(const sotto_sum_client *c, const uint64_t *values, sotto_error *err) {
  const int64_t most = (int64_t)sotto_i_sum_most(&c->plan);
  for (size_t i = 0; i < c->plan.values; i++)
    if ((int64_t)values[i] > most || (int64_t)values[i] < -most)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "client %u: value %zu is %lld, beyond 2^62 / %u: the sum might wrap",
                          (unsigned)c->client, i, (long long)values[i], (unsigned)c->plan.clients);
  return SOTTO_OK;
}

/* The masks that the client has in common with the neighbours whose shares it holds, and its own. */
static sotto_status list_masks(sotto_i_sum_mask *out, size_t *count, const sotto_sum_client *c,
                               sotto_error *err) {
  *count = 0;
  memcpy(out[*count].key, c->own, SOTTO_I_SUM_KEY);
  out[(*count)++].subtract = false;
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    const neighbour *n = &c->neighbours[i];
    bool first = c->client < n->client;
    const sotto_i_sum_use use = {.name = "sotto-sum-mask-1",
                                 .round = c->plan.round,
                                 .from = first ? c->client : n->client,
                                 .to = first ? n->client : c->client};
    if (!n->has_box) continue;
    sotto_status status = sotto_i_sum_agree(out[*count].key, &c->masks, n->keys + SOTTO_I_SUM_KEY, &use, err);
    if (status != SOTTO_OK) return status;
    out[(*count)++].subtract = !first;
  }
  return SOTTO_OK;
}

sotto_status sotto_sum_client_mask(sotto_sum_client *client, uint64_t *masked, const uint8_t *neighbour_boxes,
                                   const uint64_t *values, sotto_error *err) {
  sotto_i_sum_mask *masks = NULL;
  size_t count = 0, most = (size_t)client->plan.neighbours + 1;
  sotto_status status;
  SOTTO_TRY(enter(client, STEP_MASK, err));
  SOTTO_TRY(check_values(client, values, err));
  SOTTO_TRY(open_boxes(client, neighbour_boxes, err));
  SOTTO_TRY(sotto_i_new(&masks, most, sizeof *masks, err));
  SOTTO_TRY(list_masks(masks, &count, client, err));
  memmove(masked, values, client->plan.values * sizeof *masked);
  sotto_i_sum_add_masks(masked, client->plan.values, masks, count);
  client->next = STEP_REVEAL;
done:
  if (masks != NULL) sodium_memzero(masks, most * sizeof *masks);
  sotto_i_free(masks);
  return status;
}

sotto_status sotto_sum_client_reveal(sotto_sum_client *client, uint8_t *reveal, const uint8_t *states,
                                     sotto_error *err) {
  uint32_t lasted = 0;
  sotto_status status = enter(client, STEP_REVEAL, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < client->plan.neighbours; i++) {
    bool has_box = client->neighbours[i].has_box;
    if (states[i] > SOTTO_I_SUM_DROPPED || (states[i] != SOTTO_I_SUM_ABSENT) != has_box)
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "client %u: the server says of client %u what cannot be; nothing is revealed",
                          (unsigned)client->client, (unsigned)client->neighbours[i].client);
    lasted += states[i] == SOTTO_I_SUM_LASTED;
  }
  if (lasted < client->plan.threshold) return too_few(client, lasted, err);
  memset(reveal, 0, (size_t)client->plan.neighbours * SOTTO_I_SUM_KEY);
  for (uint32_t i = 0; i < client->plan.neighbours; i++) {
    const uint8_t *shares = client->neighbours[i].shares;
    if (states[i] == SOTTO_I_SUM_ABSENT) continue;
    memcpy(reveal + (size_t)i * SOTTO_I_SUM_KEY,
           states[i] == SOTTO_I_SUM_LASTED ? shares : shares + SOTTO_I_SUM_KEY, SOTTO_I_SUM_KEY);
  }
  return SOTTO_OK;
}
