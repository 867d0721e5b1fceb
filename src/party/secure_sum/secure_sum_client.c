/* A client of a secure sum, up to its masked vector; secure_sum_reveal.c has the rest. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/secret.h"
#include "secure_sum_client.h"
#include "secure_sum_masks.h"

void sotto_sum_client_free(sotto_sum_client *client) {
  if (client == NULL) return;
  sotto_i_free_secret(client->neighbours);
  sotto_i_free(client->states);
  sotto_i_free_secret(client);
}

/* Checks that the signing key belongs to the public key that identifies this client. */
static sotto_status check_signer(const sotto_sum_plan *plan, uint32_t client,
                                 const uint8_t secret[SOTTO_SUM_SECRET], sotto_error *err) {
  uint8_t public[SOTTO_SUM_PUBLIC];
  if (plan->signers == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "a secure sum needs the keys by which its clients sign");
  crypto_sign_ed25519_sk_to_pk(public, secret);
  if (memcmp(public, plan->signers + (size_t)client * SOTTO_SUM_PUBLIC, sizeof public) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "client %u: its key is not the one by which the others know this client",
                      (unsigned)client);
}

sotto_status sotto_sum_client_new(sotto_sum_client **out, const sotto_sum_plan *plan, uint32_t client,
                                  const uint8_t secret[SOTTO_SUM_SECRET], sotto_error *err) {
  sotto_status status;
  sotto_sum_client *c = NULL;
  uint32_t *ids = NULL;
  *out = NULL;
  SOTTO_TRY(sotto_i_sum_plan_check(plan, err));
  SOTTO_TRY(sotto_i_new_raw(&ids, plan->neighbours, sizeof *ids, err));
  SOTTO_TRY(sotto_sum_neighbours(ids, plan, client, err));
  SOTTO_TRY(check_signer(plan, client, secret, err));
  SOTTO_TRY(sotto_i_new_secret(&c, 1, sizeof *c, err));
  c->plan = *plan;
  c->client = client;
  memcpy(c->signer, secret, sizeof c->signer);
  sotto_i_sum_plan_digest(c->accepted.plan, plan);
  SOTTO_TRY(sotto_i_new(&c->states, plan->clients, sizeof *c->states, err));
  SOTTO_TRY(sotto_i_new_secret(&c->neighbours, plan->neighbours, sizeof *c->neighbours, err));
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

sotto_status sotto_i_sum_enter(sotto_sum_client *c, sotto_i_sum_step wanted, sotto_error *err) {
  if (c->next != wanted)
    return sotto_i_fail(err, SOTTO_INVALID, "client %u: a step of the secure sum out of its turn",
                        (unsigned)c->client);
  c->next = SOTTO_I_SUM_STEP_OVER;
  return SOTTO_OK;
}

static sotto_status fail_too_few(const sotto_sum_client *c, uint32_t count, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_PROTOCOL,
      "client %u: %u of its %u neighbours are left, and the secure sum needs %u; nothing more "
      "is sent",
      (unsigned)c->client, (unsigned)count, (unsigned)c->plan.neighbours, (unsigned)c->plan.threshold);
}

sotto_status sotto_sum_client_keys(sotto_sum_client *client, uint8_t *keys, sotto_error *err) {
  sotto_status status = sotto_i_sum_enter(client, SOTTO_I_SUM_STEP_KEYS, err);
  if (status != SOTTO_OK) return status;
  memcpy(keys, client->seals.public, SOTTO_I_SUM_KEY);
  memcpy(keys + SOTTO_I_SUM_KEY, client->masks.public, SOTTO_I_SUM_KEY);
  sotto_i_sum_sign_keys(keys, client->accepted.plan, client->client, client->signer);
  client->next = SOTTO_I_SUM_STEP_BOXES;
  return SOTTO_OK;
}

/* The key that seals boxes from this client to a neighbour, or back. */
static void seal_key(uint8_t out[SOTTO_I_SUM_KEY], const sotto_sum_client *c, const sotto_i_sum_neighbour *n,
                     bool sending) {
  const sotto_i_sum_use use = {.name = "sotto-sum-seal-1",
                               .round = c->plan.round,
                               .from = sending ? c->client : n->client,
                               .to = sending ? n->client : c->client};
  sotto_i_sum_derive(out, n->common, c->seals.public, n->keys, &use);
}

/* Checks a neighbour's received keys: in the list of all, signed, and usable. */
static sotto_status check_keys(const sotto_sum_client *c, const sotto_i_sum_neighbour *n,
                               const uint8_t *message, const uint8_t *listed, sotto_error *err) {
  uint8_t print[SOTTO_I_SUM_KEY];
  sotto_i_sum_print(print, message);
  if (memcmp(print, listed, sizeof print) != 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "client %u: the server shows other keys of client %u than it lists for all",
                        (unsigned)c->client, (unsigned)n->client);
  if (!sotto_i_sum_keys_signed(message, c->accepted.plan, n->client, c->plan.signers))
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "client %u: the keys of client %u are not signed by it for this round: the server puts "
        "others in their place, or client %u has another model, run file or list of clients' "
        "keys",
        (unsigned)c->client, (unsigned)n->client, (unsigned)n->client);
  if (!sotto_i_sum_key_good(message) || !sotto_i_sum_key_good(message + SOTTO_I_SUM_KEY))
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "client %u: a key of client %u is zero, of low order or not canonical: it hides nothing",
        (unsigned)c->client, (unsigned)n->client);
  return SOTTO_OK;
}

/* Takes the list of all keys, and the neighbours'. All zeros: that client has dropped. */
static sotto_status take_keys(sotto_sum_client *c, uint32_t *count, const uint8_t *neighbour_keys,
                              sotto_error *err) {
  const uint8_t *prints = neighbour_keys;
  const uint8_t *messages = neighbour_keys + (size_t)c->plan.clients * SOTTO_I_SUM_KEY;
  uint8_t keys[SOTTO_I_SUM_KEYS], own[SOTTO_I_SUM_KEY];
  sotto_status status = SOTTO_OK;
  *count = 0;
  memcpy(keys, c->seals.public, SOTTO_I_SUM_KEY);
  memcpy(keys + SOTTO_I_SUM_KEY, c->masks.public, SOTTO_I_SUM_KEY);
  sotto_i_sum_print(own, keys);
  if (memcmp(own, prints + (size_t)c->client * SOTTO_I_SUM_KEY, sizeof own) != 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u: the server lists other keys for it than it sent",
                        (unsigned)c->client);
  sotto_i_sum_list_digest(c->accepted.list, prints, c->plan.clients);
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    sotto_i_sum_neighbour *n = &c->neighbours[i];
    const uint8_t *message = messages + (size_t)i * SOTTO_I_SUM_SIGNED;
    const uint8_t *listed = prints + (size_t)n->client * SOTTO_I_SUM_KEY;
    if (sotto_i_sum_is_zero(message, SOTTO_I_SUM_SIGNED) && sotto_i_sum_is_zero(listed, SOTTO_I_SUM_KEY))
      continue;
    SOTTO_TRY(check_keys(c, n, message, listed, err));
    memcpy(n->keys, message, sizeof n->keys);
    SOTTO_TRY(sotto_i_sum_meet(n->common, &c->seals, n->keys, err));
    n->has_keys = true;
    ++*count;
  }
done:
  return status;
}

sotto_status sotto_sum_client_boxes(sotto_sum_client *client, uint8_t *boxes, const uint8_t *neighbour_keys,
                                    sotto_error *err) {
  uint32_t k = client->plan.neighbours, count;
  uint8_t *own = NULL, *secret = NULL, both[2 * SOTTO_I_SUM_KEY], key[SOTTO_I_SUM_KEY];
  sotto_status status = sotto_i_sum_enter(client, SOTTO_I_SUM_STEP_BOXES, err);
  if (status != SOTTO_OK) return status;
  status = take_keys(client, &count, neighbour_keys, err);
  if (status != SOTTO_OK) return status;
  if (count < client->plan.threshold) return fail_too_few(client, count, err);
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
    seal_key(key, client, &client->neighbours[i], true);
    sotto_i_sum_seal(box, both, key);
  }
  client->next = SOTTO_I_SUM_STEP_MASK;
done:
  if (own != NULL) sodium_memzero(own, (size_t)k * SOTTO_I_SUM_KEY);
  if (secret != NULL) sodium_memzero(secret, (size_t)k * SOTTO_I_SUM_KEY);
  sodium_memzero(both, sizeof both);
  sodium_memzero(key, sizeof key);
  sotto_i_free(own);
  sotto_i_free(secret);
  return status;
}

/* Opens the received boxes, so that a broken one is found before masks are shared with its sender. */
static sotto_status open_boxes(sotto_sum_client *c, const uint8_t *neighbour_boxes, sotto_error *err) {
  uint8_t key[SOTTO_I_SUM_KEY];
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    sotto_i_sum_neighbour *n = &c->neighbours[i];
    const uint8_t *box = neighbour_boxes + (size_t)i * SOTTO_I_SUM_BOX;
    if (!n->has_keys || sotto_i_sum_is_zero(box, SOTTO_I_SUM_BOX)) continue;
    seal_key(key, c, n, false);
    bool good = sotto_i_sum_open(n->shares, box, key);
    sodium_memzero(key, sizeof key);
    if (!good)
      return sotto_i_fail(err, SOTTO_PROTOCOL, "client %u: the shares of client %u were altered on their way",
                          (unsigned)c->client, (unsigned)n->client);
    n->has_box = true;
    count++;
  }
  return count < c->plan.threshold ? fail_too_few(c, count, err) : SOTTO_OK;
}

static sotto_status check_values(const sotto_sum_client *c, const uint64_t *values, sotto_error *err) {
  const uint64_t most = sotto_i_sum_most(&c->plan);
  uint64_t beyond = 0; /* its highest bit: some value + most is not in 0 .. 2 most */
  for (size_t i = 0; i < c->plan.values; i++) beyond |= (values[i] + most) | (most - values[i]);
  if (beyond >> 63 == 0) return SOTTO_OK;
  for (size_t i = 0; i < c->plan.values; i++)
    if ((int64_t)values[i] > (int64_t)most || (int64_t)values[i] < -(int64_t)most)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "client %u: value %zu is %lld, beyond 2^62 / %u: the sum might wrap",
                          (unsigned)c->client, i, (long long)values[i], (unsigned)c->plan.clients);
  return SOTTO_OK;
}

/* The masks that the client shares with the neighbours whose shares it has, and its own. */
static sotto_status list_masks(sotto_i_sum_mask *out, size_t *count, const sotto_sum_client *c,
                               sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *count = 0;
  memcpy(out[*count].key, c->own, SOTTO_I_SUM_KEY);
  out[(*count)++].subtract = false;
  for (uint32_t i = 0; i < c->plan.neighbours; i++) {
    const sotto_i_sum_neighbour *n = &c->neighbours[i];
    bool first = c->client < n->client;
    const sotto_i_sum_use use = {.name = "sotto-sum-mask-2",
                                 .round = c->plan.round,
                                 .from = first ? c->client : n->client,
                                 .to = first ? n->client : c->client};
    if (!n->has_box) continue;
    SOTTO_TRY(sotto_i_sum_agree(out[*count].key, &c->masks, n->keys + SOTTO_I_SUM_KEY, &use, err));
    out[(*count)++].subtract = !first;
  }
done:
  return status;
}

sotto_status sotto_sum_client_mask(sotto_sum_client *client, uint64_t *masked, const uint8_t *neighbour_boxes,
                                   const uint64_t *values, sotto_error *err) {
  sotto_i_sum_mask *masks = NULL;
  size_t count = 0, most = (size_t)client->plan.neighbours + 1;
  sotto_status status;
  SOTTO_TRY(sotto_i_sum_enter(client, SOTTO_I_SUM_STEP_MASK, err));
  SOTTO_TRY(check_values(client, values, err));
  SOTTO_TRY(open_boxes(client, neighbour_boxes, err));
  SOTTO_TRY(sotto_i_new(&masks, most, sizeof *masks, err));
  SOTTO_TRY(list_masks(masks, &count, client, err));
  SOTTO_TRY(sotto_i_sum_add_masks(masked, values, client->plan.values, masks, count, err));
  client->next = SOTTO_I_SUM_STEP_SIGN;
done:
  if (masks != NULL) sodium_memzero(masks, most * sizeof *masks);
  sotto_i_free(masks);
  return status;
}
