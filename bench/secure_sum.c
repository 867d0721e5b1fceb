/* One round of secure aggregation with all clients in this process: seconds and bytes a client, with about
 * log n neighbours and with all, beside the bare ChaCha20 stream that its masks are made of.
 *
 *   bench_secure_sum [CLIENTS VALUES DROPPED]      default 50 1000000 0; who drops has sent its shares before
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"
#include "sotto/secure_sum.h"

typedef struct round {
  sotto_sum_plan plan;
  uint32_t dropped;
  sotto_sum_server *server;
  sotto_sum_client **clients;
  uint8_t *given, *message;
  uint64_t *values, *sums;
} round;

static sotto_status answer(const round *r, uint32_t i, int step, sotto_error *err) {
  if (step == 0) return sotto_sum_client_keys(r->clients[i], r->message, err);
  if (step == 1) return sotto_sum_client_boxes(r->clients[i], r->message, r->given, err);
  if (step == 2)
    return sotto_sum_client_mask(r->clients[i], (uint64_t *)r->message, r->given, r->values, err);
  return sotto_sum_client_reveal(r->clients[i], r->message, r->given, err);
}

static sotto_status run(const round *r, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  uint32_t summed;
  for (int step = 0; step < 4; step++) {
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

static sotto_status measure(uint32_t clients, uint32_t neighbours, uint32_t dropped, size_t values,
                            sotto_error *err) {
  round r = {.dropped = dropped};
  sotto_status status;
  SOTTO_TRY(sotto_sum_plan_new(&r.plan, clients, neighbours, 0, values, err));
  const sotto_sum_sizes s = sotto_sum_message_sizes(&r.plan);
  SOTTO_TRY(sotto_i_new(&r.given, s.neighbour_boxes + s.neighbour_keys + s.states, 1, err));
  SOTTO_TRY(sotto_i_new(&r.message, s.boxes + s.masked, 1, err));
  SOTTO_TRY(sotto_i_new(&r.values, values, sizeof *r.values, err));
  SOTTO_TRY(sotto_i_new(&r.sums, values, sizeof *r.sums, err));
  SOTTO_TRY(sotto_i_new(&r.clients, clients, sizeof(void *), err));
  for (size_t i = 0; i < values; i++) r.values[i] = i * 1000003 - 500000;
  double start = sotto_i_seconds();
  clock_t work = clock();
  SOTTO_TRY(sotto_sum_server_new(&r.server, &r.plan, err));
  for (uint32_t i = 0; i < clients; i++) SOTTO_TRY(sotto_sum_client_new(&r.clients[i], &r.plan, i, err));
  SOTTO_TRY(run(&r, err));
  double seconds = sotto_i_seconds() - start;
  printf("%u clients, %u dropped, %zu values, %u neighbours: %.2f s (%.2f s of processors); a client sends "
         "%zu and gets %zu bytes\n",
         (unsigned)clients, (unsigned)dropped, values, (unsigned)r.plan.neighbours, seconds,
         (double)(clock() - work) / CLOCKS_PER_SEC, s.keys + s.boxes + s.masked + s.reveal,
         s.neighbour_keys + s.neighbour_boxes + s.states);
done:
  for (uint32_t i = 0; r.clients != NULL && i < clients; i++) sotto_sum_client_free(r.clients[i]);
  sotto_sum_server_free(r.server);
  sotto_i_free(r.clients);
  sotto_i_free(r.given);
  sotto_i_free(r.message);
  sotto_i_free(r.values);
  sotto_i_free(r.sums);
  return status;
}

static void stream_alone(void) {
  enum { size = 1 << 14, times = 1 << 15 };
  static uint8_t out[size], zeros[size];
  const uint8_t key[32] = {1}, nonce[12] = {0};
  clock_t start = clock();
  for (uint32_t i = 0; i < times; i++)
    crypto_stream_chacha20_ietf_xor_ic(out, zeros, size, nonce, i * (size / 64), key);
  printf("ChaCha20 alone: %.2f GB/s of a processor; %u threads\n",
         (double)size * times / ((double)(clock() - start) / CLOCKS_PER_SEC) / 1e9, sotto_threads());
}

int main(int argc, char **argv) {
  uint32_t clients = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 50;
  size_t values = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
  uint32_t dropped = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
  if (sodium_init() < 0) return 1;
  stream_alone();
  const uint32_t neighbours[] = {0, clients - 1};
  int failed = 0;
  for (int i = 0; i < 2; i++) {
    sotto_error err = {0};
    if (measure(clients, neighbours[i], dropped, values, &err) == SOTTO_OK) continue;
    (void)fprintf(stderr, "bench_secure_sum: %s\n", err.text);
    failed = 1;
  }
  return failed;
}
