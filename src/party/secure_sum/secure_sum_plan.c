/* The plan of a secure sum, common to clients and server: neighbours, sizes, the range of values. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "secure_sum.h"

/* More than two thirds of the client and its neighbours, without the client itself. */
static uint32_t least_threshold(uint32_t neighbours) {
  return 2 * (neighbours + 1) / 3;
}

sotto_status sotto_i_sum_plan_check(const sotto_sum_plan *plan, sotto_error *err) {
  uint32_t n = plan->clients, k = plan->neighbours;
  /* 2^33 blocks of AES, far below the number at which a stream is distinguishable from random with advantage
   * 2^-60. */
  const size_t most_values = (size_t)1 << 34;
  if (n < 3 || n > SOTTO_SUM_MOST_CLIENTS)
    return sotto_i_fail(err, SOTTO_RANGE, "a secure sum takes 3 to %d clients, not %u",
                        SOTTO_SUM_MOST_CLIENTS, (unsigned)n);
  if (k < 2 || k >= n || k > SOTTO_SUM_MOST_NEIGHBOURS || (k % 2 != 0 && k != n - 1))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%u neighbours of each of %u clients: must be all others or an even number from 2, "
                        "and at most %d",
                        (unsigned)k, (unsigned)n, SOTTO_SUM_MOST_NEIGHBOURS);
  if (3 * (plan->threshold + (uint64_t)1) <= 2 * (k + (uint64_t)1) || plan->threshold > k)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "a threshold of %u of %u neighbours: must be %u to %u, so that more than two thirds of a "
        "client and its neighbours last",
        (unsigned)plan->threshold, (unsigned)k, (unsigned)least_threshold(k), (unsigned)k);
  if (plan->least > n)
    return sotto_i_fail(err, SOTTO_RANGE, "at least %u of %u clients would have to last",
                        (unsigned)plan->least, (unsigned)n);
  if (plan->values < 1 || plan->values > most_values)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu values: must be 1 to %zu", plan->values, most_values);
  return SOTTO_OK;
}

/* Smallest L with 2^L >= n. */
static uint32_t log2_above(uint32_t n) {
  uint32_t bits = 0;
  while (((uint64_t)1 << bits) < n) bits++;
  return bits;
}

sotto_status sotto_sum_plan_new(sotto_sum_plan *out, uint32_t clients, uint32_t neighbours,
                                uint32_t threshold, size_t values, sotto_error *err) {
  uint32_t all = clients < 1 ? 0 : clients - 1;
  if (neighbours == 0) neighbours = 2 * log2_above(clients);
  if (neighbours > all) neighbours = all;
  if (threshold == 0) threshold = least_threshold(neighbours);
  *out = (sotto_sum_plan){
      .clients = clients, .neighbours = neighbours, .threshold = threshold, .values = values};
  return sotto_i_sum_plan_check(out, err);
}

uint32_t sotto_sum_quorum(const sotto_sum_plan *plan) {
  const uint32_t quorum = 2 * plan->clients / 3 + 1;
  return plan->least > quorum ? plan->least : quorum;
}

/* All colluding clients may be neighbours of one client, since the seed of the neighbours may be known
 * beforehand. Let c be their number, q the quorum and t the threshold. Conditions: 2 q > n + c (one set of
 * survivors); c < t (never both secrets of a client); and, for one sum, q + t + 1 > n + c when all others are
 * neighbours, else c < t - k / 2. */
int64_t sotto_i_sum_withstands(const sotto_sum_plan *plan) {
  const int64_t n = plan->clients, k = plan->neighbours, t = plan->threshold, q = sotto_sum_quorum(plan);
  const int64_t one_set = 2 * q - n - 1, secrets = t - 1, one_sum = k == n - 1 ? q + t - n : t - k / 2 - 1;
  int64_t most = one_set < secrets ? one_set : secrets;
  if (one_sum < most) most = one_sum;
  return most < 0 ? -1 : most;
}

static void sort_ids(uint32_t *ids, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t id = ids[i], j = i;
    for (; j > 0 && ids[j - 1] > id; j--) ids[j] = ids[j - 1];
    ids[j] = id;
  }
}

/* Shuffles the clients by the plan's seed: position of each, and the client at each position. */
sotto_status sotto_i_sum_circle_new(sotto_i_sum_circle *out, const sotto_sum_plan *plan, sotto_error *err) {
  sotto_status status;
  sotto_key key;
  sotto_i_random random;
  *out = (sotto_i_sum_circle){NULL, NULL};
  SOTTO_TRY(sotto_i_new_raw(&out->place, plan->clients, sizeof *out->place, err));
  SOTTO_TRY(sotto_i_new_raw(&out->at, plan->clients, sizeof *out->at, err));
  for (uint32_t i = 0; i < plan->clients; i++) out->at[i] = i;
  sotto_key_public(&key, plan->seed);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_SUM, 0, plan->round);
  sotto_i_random_shuffle(&random, out->at, plan->clients);
  for (uint32_t i = 0; i < plan->clients; i++) out->place[out->at[i]] = i;
done:
  return status;
}

void sotto_i_sum_circle_free(sotto_i_sum_circle *c) {
  sotto_i_free(c->place);
  sotto_i_free(c->at);
}

/* All others, or the nearest `neighbours` in the circle (Harary's graph, Bell et al. 2020). */
void sotto_i_sum_neighbours(uint32_t *out, const sotto_i_sum_circle *c, const sotto_sum_plan *plan,
                            uint32_t client) {
  uint32_t n = plan->clients, k = plan->neighbours, count = 0;
  for (uint32_t i = 0; k == n - 1 && i < n; i++)
    if (i != client) out[count++] = i;
  for (uint32_t step = 1; count < k; step++) {
    out[count++] = c->at[(c->place[client] + step) % n];
    out[count++] = c->at[(c->place[client] + n - step) % n];
  }
  sort_ids(out, k);
}

sotto_status sotto_sum_neighbours(uint32_t *out, const sotto_sum_plan *plan, uint32_t client,
                                  sotto_error *err) {
  sotto_i_sum_circle c = {NULL, NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_sum_plan_check(plan, err));
  if (client >= plan->clients) {
    status = sotto_i_fail(err, SOTTO_RANGE, "client %u of %u", (unsigned)client, (unsigned)plan->clients);
    goto done;
  }
  SOTTO_TRY(sotto_i_sum_circle_new(&c, plan, err));
  sotto_i_sum_neighbours(out, &c, plan, client);
done:
  sotto_i_sum_circle_free(&c);
  return status;
}

sotto_status sotto_i_sum_graph(uint32_t **out, const sotto_sum_plan *plan, sotto_error *err) {
  sotto_i_sum_circle c = {NULL, NULL};
  size_t k = plan->neighbours;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_sum_plan_check(plan, err));
  SOTTO_TRY(sotto_i_sum_circle_new(&c, plan, err));
  SOTTO_TRY(sotto_i_new_raw(out, plan->clients * k, sizeof **out, err));
  for (uint32_t i = 0; i < plan->clients; i++) sotto_i_sum_neighbours(*out + i * k, &c, plan, i);
done:
  sotto_i_sum_circle_free(&c);
  return status;
}

uint32_t sotto_i_sum_place(const uint32_t *ids, uint32_t count, uint32_t client) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (ids[middle] < client)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && ids[low] == client ? low : count;
}

bool sotto_i_sum_is_zero(const uint8_t *bytes, size_t size) {
  uint8_t any = 0;
  for (size_t i = 0; i < size; i++) any |= bytes[i];
  return any == 0;
}

sotto_sum_sizes sotto_sum_message_sizes(const sotto_sum_plan *plan) {
  size_t n = plan->clients, k = plan->neighbours;
  return (sotto_sum_sizes){.keys = SOTTO_I_SUM_SIGNED,
                           .neighbour_keys = n * SOTTO_I_SUM_KEY + k * SOTTO_I_SUM_SIGNED,
                           .boxes = SOTTO_I_SUM_KEY + k * SOTTO_I_SUM_BOX,
                           .neighbour_boxes = k * SOTTO_I_SUM_BOX,
                           .masked = plan->values * sizeof(uint64_t),
                           .states = (n + 3) / 4 * 4,
                           .signature = SOTTO_SUM_SIGNATURE,
                           .signatures = n * SOTTO_SUM_SIGNATURE,
                           .reveal = k * SOTTO_I_SUM_KEY};
}

uint64_t sotto_i_sum_most(const sotto_sum_plan *plan) {
  return ((uint64_t)1 << 62) / plan->clients;
}

sotto_status sotto_sum_encode(uint64_t *out, const float *x, size_t count, unsigned bits, uint32_t weight,
                              const sotto_sum_plan *plan, sotto_error *err) {
  const double scale = ldexp(1, (int)bits), most = (double)sotto_i_sum_most(plan);
  for (size_t i = 0; i < count; i++) {
    double value = rint(x[i] * scale) * weight;
    if (!isfinite(x[i])) return sotto_i_fail(err, SOTTO_NUMERIC, "value %zu of the sum is not finite", i);
    if (!(fabs(value) < most))
      return sotto_i_fail(err, SOTTO_RANGE,
                          "value %zu of the sum is %g with weight %u: beyond %g, the sum of %u clients might "
                          "wrap; take fewer than %u fraction bits",
                          i, (double)x[i], (unsigned)weight, most / scale, (unsigned)plan->clients, bits);
  }
  for (size_t i = 0; i < count; i++) out[i] = (uint64_t)llrint(x[i] * scale) * weight;
  return SOTTO_OK;
}
