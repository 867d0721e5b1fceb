/* One secure sum of one server, with all clients in one process; for benches that compare. */
#ifndef SOTTO_BENCH_SECURE_ROUND_H
#define SOTTO_BENCH_SECURE_ROUND_H

#include "base/error.h"
#include "base/memory.h"
#include "inside/secure_sum.h"

typedef struct round {
  sotto_sum_plan plan;
  uint32_t dropped;
  sotto_sum_server *server;
  sotto_sum_client **clients;
  uint8_t *given, *message;
  uint64_t *values, *sums;
  uint8_t *signers, *secrets;
} round;

static inline sotto_status answer(const round *r, uint32_t i, int step, sotto_error *err) {
  if (step == 0) return sotto_sum_client_keys(r->clients[i], r->message, err);
  if (step == 1) return sotto_sum_client_boxes(r->clients[i], r->message, r->given, err);
  if (step == 2)
    return sotto_sum_client_mask(r->clients[i], (uint64_t *)r->message, r->given, r->values, err);
  uint8_t set[SOTTO_SUM_DIGEST];
  if (step == 3) return sotto_sum_client_sign(r->clients[i], r->message, set, r->given, err);
  return sotto_sum_client_reveal(r->clients[i], r->message, r->given, err);
}

static inline sotto_status round_run(round *r, sotto_error *err) {
  sotto_status status;
  uint32_t summed;
  SOTTO_TRY(sotto_sum_server_new(&r->server, &r->plan, err));
  for (uint32_t i = 0; i < r->plan.clients; i++)
    SOTTO_TRY(
        sotto_sum_client_new(&r->clients[i], &r->plan, i, r->secrets + (size_t)i * SOTTO_SUM_SECRET, err));
  for (int step = 0; step < 5; step++) {
    for (uint32_t i = step < 2 ? 0 : r->dropped; i < r->plan.clients; i++) {
      if (step > 0) SOTTO_TRY(sotto_sum_server_give(r->server, i, r->given, err));
      SOTTO_TRY(answer(r, i, step, err));
      SOTTO_TRY(sotto_sum_server_take(r->server, i, r->message, err));
    }
    SOTTO_TRY(sotto_sum_server_next(r->server, err));
  }
  SOTTO_TRY(sotto_sum_server_finish(r->server, r->sums, &summed, err));
  for (size_t i = 0; i < r->plan.values; i++)
    if (r->sums[i] != r->values[i] * summed) return sotto_i_fail(err, SOTTO_CORRUPT, "a wrong sum");
done:
  return status;
}

static inline sotto_status round_new(round *r, uint32_t clients, uint32_t neighbours, uint32_t dropped,
                                     size_t values, sotto_error *err) {
  sotto_status status;
  *r = (round){.dropped = dropped};
  SOTTO_TRY(sotto_sum_plan_new(&r->plan, clients, neighbours, 0, values, err));
  SOTTO_TRY(sotto_i_new(&r->signers, clients, SOTTO_SUM_PUBLIC, err));
  SOTTO_TRY(sotto_i_new(&r->secrets, clients, SOTTO_SUM_SECRET, err));
  for (size_t i = 0; i < clients; i++)
    sotto_sum_signer_new(r->signers + i * SOTTO_SUM_PUBLIC, r->secrets + i * SOTTO_SUM_SECRET);
  r->plan.signers = r->signers;
  const sotto_sum_sizes s = sotto_sum_message_sizes(&r->plan);
  SOTTO_TRY(sotto_i_new(&r->given, s.neighbour_boxes + s.neighbour_keys + s.states + s.signatures, 1, err));
  SOTTO_TRY(sotto_i_new(&r->message, s.boxes + s.masked, 1, err));
  SOTTO_TRY(sotto_i_new(&r->values, values, sizeof *r->values, err));
  SOTTO_TRY(sotto_i_new(&r->sums, values, sizeof *r->sums, err));
  SOTTO_TRY(sotto_i_new(&r->clients, clients, sizeof(void *), err));
  for (size_t i = 0; i < values; i++) r->values[i] = i * 1000003 - 500000;
done:
  return status;
}

static inline void round_free(round *r) {
  for (uint32_t i = 0; r->clients != NULL && i < r->plan.clients; i++) sotto_sum_client_free(r->clients[i]);
  sotto_sum_server_free(r->server);
  sotto_i_free(r->clients);
  sotto_i_free(r->signers);
  sotto_i_free(r->secrets);
  sotto_i_free(r->given);
  sotto_i_free(r->message);
  sotto_i_free(r->values);
  sotto_i_free(r->sums);
}

#endif
