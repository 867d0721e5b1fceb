/* The end of a secure sum: secrets are joined from shares, and their masks are subtracted. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "secure_sum_masks.h"
#include "secure_sum_server.h"

/* The secret whose shares the neighbours of `client` revealed. */
static sotto_status join_secret(uint8_t out[SOTTO_I_SUM_KEY], const sotto_sum_server *s, uint32_t client,
                                sotto_error *err) {
  const uint8_t *shares[SOTTO_SUM_MOST_NEIGHBOURS];
  uint32_t places[SOTTO_SUM_MOST_NEIGHBOURS], count = 0, k = s->plan.neighbours;
  for (uint32_t i = 0; i < k && count < s->plan.threshold; i++) {
    uint32_t holder = s->graph[(size_t)client * k + i];
    uint32_t place = sotto_i_sum_place(s->graph + (size_t)holder * k, k, client);
    const uint8_t *share = s->reveals + ((size_t)holder * k + place) * SOTTO_I_SUM_KEY;
    if (s->reached[holder] < SOTTO_I_SUM_STEPS) continue;
    shares[count] = share;
    places[count++] = i;
  }
  SOTTO_I_CHECK(count == s->plan.threshold); /* checked by sotto_sum_server_next */
  return sotto_i_sum_join(out, shares, places, count, err);
}

static sotto_status fail_shares(uint32_t client, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_PROTOCOL,
      "client %u: the shares of its secret do not give what it announced; the sum is given up",
      (unsigned)client);
}

/* The own mask of a client that lasted. */
static sotto_status own_mask(sotto_i_sum_mask *out, const sotto_sum_server *s, uint32_t client,
                             sotto_error *err) {
  uint8_t commitment[SOTTO_I_SUM_KEY];
  const uint8_t *announced = s->boxes + client * sotto_sum_message_sizes(&s->plan).boxes;
  sotto_status status = join_secret(out->key, s, client, err);
  if (status != SOTTO_OK) return status;
  out->subtract = true;
  sotto_i_sum_commit(commitment, out->key, s->plan.round, client);
  return memcmp(commitment, announced, sizeof commitment) == 0 ? SOTTO_OK : fail_shares(client, err);
}

/* The masks that neighbours share with a dropped client, as in their vectors. */
static sotto_status dropped_masks(sotto_i_sum_mask *out, size_t *count, const sotto_sum_server *s,
                                  uint32_t client, sotto_error *err) {
  uint32_t k = s->plan.neighbours;
  uint8_t secret[SOTTO_I_SUM_KEY];
  sotto_i_sum_pair pair;
  sotto_status status;
  *count = 0;
  SOTTO_TRY(join_secret(secret, s, client, err));
  if (!sotto_i_sum_pair_from(&pair, secret, s->keys + client * SOTTO_I_SUM_SIGNED + SOTTO_I_SUM_KEY)) {
    status = fail_shares(client, err);
    goto done;
  }
  for (uint32_t i = 0; i < k; i++) {
    uint32_t other = s->graph[(size_t)client * k + i];
    bool first = other < client;
    const sotto_i_sum_use use = {.name = "sotto-sum-mask-2",
                                 .round = s->plan.round,
                                 .from = first ? other : client,
                                 .to = first ? client : other};
    if (s->states[other] != SOTTO_I_SUM_LASTED) continue;
    SOTTO_TRY(sotto_i_sum_agree(out[*count].key, &pair,
                                s->keys + other * SOTTO_I_SUM_SIGNED + SOTTO_I_SUM_KEY, &use, err));
    out[(*count)++].subtract = first; /* the other one added it */
  }
done:
  sodium_memzero(secret, sizeof secret);
  sodium_memzero(&pair, sizeof pair);
  return status;
}

/* All masks in the sum that are due to a client. */
static sotto_status masks_of(sotto_i_sum_mask *out, size_t *count, const sotto_sum_server *s, uint32_t client,
                             sotto_error *err) {
  uint8_t state = s->states[client];
  *count = state == SOTTO_I_SUM_LASTED;
  if (state == SOTTO_I_SUM_LASTED) return own_mask(out, s, client, err);
  return state == SOTTO_I_SUM_DROPPED ? dropped_masks(out, count, s, client, err) : SOTTO_OK;
}

sotto_status sotto_sum_server_finish(sotto_sum_server *server, uint64_t *sums, uint32_t *summed,
                                     sotto_error *err) {
  sotto_sum_server *s = server;
  sotto_i_sum_mask *masks = NULL;
  size_t total = 0, capacity = 0;
  sotto_status status = SOTTO_OK;
  if (s->step != SOTTO_I_SUM_STEPS || s->failed)
    return sotto_i_fail(err, SOTTO_INVALID, "the secure sum has not come to its end");
  s->failed = true; /* one result at most */
  *summed = 0;
  for (uint32_t i = 0; i < s->plan.clients; i++) {
    size_t count = 0;
    SOTTO_TRY(sotto_i_grow(&masks, &capacity, total + s->plan.neighbours + 1, sizeof *masks, err));
    SOTTO_TRY(masks_of(masks + total, &count, s, i, err));
    total += count;
    *summed += s->states[i] == SOTTO_I_SUM_LASTED;
  }
  SOTTO_TRY(sotto_i_sum_add_masks(sums, s->sums, s->plan.values, masks, total, err));
done:
  if (masks != NULL) sodium_memzero(masks, total * sizeof *masks);
  sotto_i_free(masks);
  return status;
}
