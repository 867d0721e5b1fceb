/* One round of secure aggregation with all clients in this process: seconds and bytes a client, with about
 * log n neighbours and with all, beside the bare streams of AES-256 that its masks are made of. "Masks alone"
 * is what no such protocol goes below: the ratio says what keys, shares, signatures and checks add.
 *
 *   bench_secure_sum [CLIENTS VALUES DROPPED]      default 50 1000000 0; who drops has sent its shares before
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/progress.h"
#include "party/secure_sum/secure_sum_masks.h"
#include "record.h"
#include "secure_round.h"

/* Processor seconds of the masks of all clients that last, as they go on and as the server takes theirs off;
 * below 0: no memory. */
static double masks_alone(const round *r, size_t values) {
  static sotto_i_sum_mask masks[SOTTO_SUM_MOST_NEIGHBOURS + 2];
  clock_t work = clock();
  for (uint32_t i = r->dropped; i < r->plan.clients; i++)
    if (sotto_i_sum_add_masks(r->sums, r->sums, values, masks, (size_t)r->plan.neighbours + 2, NULL) !=
        SOTTO_OK)
      return -1;
  return (double)(clock() - work) / CLOCKS_PER_SEC;
}

static sotto_status measure(uint32_t clients, uint32_t neighbours, uint32_t dropped, size_t values,
                            sotto_error *err) {
  round r;
  sotto_status status;
  SOTTO_TRY(round_new(&r, clients, neighbours, dropped, values, err));
  const sotto_sum_sizes s = sotto_sum_message_sizes(&r.plan);
  double start = sotto_i_seconds();
  clock_t work = clock();
  SOTTO_TRY(round_run(&r, err));
  double seconds = sotto_i_seconds() - start, spent = (double)(clock() - work) / CLOCKS_PER_SEC;
  double alone = masks_alone(&r, values);
  char name[80];
  (void)snprintf(name, sizeof name, "secure sum, %u clients, %u neighbours", (unsigned)clients,
                 (unsigned)r.plan.neighbours);
  bench_record(name, spent, "s", (bench_bound){alone, "the masks alone"});
  printf(
      "%u clients, %u dropped, %zu values, %u neighbours: %.2f s (%.2f s of processors, %.2f times the masks "
      "alone); a client sends %zu and gets %zu bytes\n",
      (unsigned)clients, (unsigned)dropped, values, (unsigned)r.plan.neighbours, seconds, spent,
      spent / alone, s.keys + s.boxes + s.masked + s.signature + s.reveal,
      s.neighbour_keys + s.neighbour_boxes + s.states + s.signatures);
done:
  round_free(&r);
  return status;
}

/* GB/s of masks as they are added to 64 KB of values. */
static double gigabytes(sotto_i_sum_mask_fn *add) {
  enum { size = 1 << 13, times = 1 << 14 };
  static uint64_t values[size];
  const sotto_i_sum_mask mask = {.key = {1}};
  clock_t start = clock();
  for (uint32_t i = 0; i < times; i++)
    if (!add(values, size, &mask, (uint64_t)i * size / 2)) return 0;
  return (double)sizeof values * times / ((double)(clock() - start) / CLOCKS_PER_SEC) / 1e9;
}

static void stream_alone(void) {
  const double rate = gigabytes(sotto_i_sum_mask_kernel(sotto_i_isa())),
               theirs = gigabytes(sotto_i_sum_mask_openssl);
  bench_record("AES-256 masks", rate, "GB/s", (bench_bound){0});
  bench_record("AES-256 of OpenSSL", theirs, "GB/s", (bench_bound){0});
  printf("masks alone: %.2f GB/s of a processor, %.2f by OpenSSL's AES-256; %u threads\n", rate, theirs,
         sotto_threads());
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
