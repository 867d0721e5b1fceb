/* Ids a second and core of an alignment, beside libsodium's own scalar multiplication and its map to the
 * group.
 *
 *   bench_align [IDS]     default 20000 ids on each side
 *
 * An id costs one map to the group and two scalar multiplications: one by each side. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"
#include "party/psi/group.h"
#include "party/psi/psi.h"
#include "record.h"

enum { points = 4096 };

static double core_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* Prints both rates of a kernel; gives the core seconds of one id. */
static double kernel_rates(const sotto_i_group_kernel *kernel) {
  static uint8_t hashes[points * 64], out[points * 32];
  uint8_t scalar[32];
  double best[2] = {1e9, 1e9};
  randombytes_buf(hashes, sizeof hashes);
  crypto_core_ristretto255_scalar_random(scalar);
  for (int round = 0; round < 5; round++) {
    double start = core_seconds();
    kernel->hash_multiply(out, hashes, points, scalar);
    double middle = core_seconds();
    if (kernel->multiply(out, out, points, scalar) != SIZE_MAX) exit(1);
    double end = core_seconds();
    if (middle - start < best[0]) best[0] = middle - start;
    if (end - middle < best[1]) best[1] = end - middle;
  }
  printf("%-12s map and multiply %7.0f/s a core, decode and multiply %7.0f/s a core\n", kernel->name,
         points / best[0], points / best[1]);
  return (best[0] + best[1]) / points;
}

/* Of a file, as a party has them; it is removed at once, and stays open in the list. */
static sotto_ids *numbered(size_t first, size_t count) {
  char path[] = "/tmp/bench_align.XXXXXX";
  sotto_error err = {0};
  sotto_ids *ids = NULL;
  const int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file == NULL) exit(1);
  for (size_t i = 0; i < count; i++) (void)fprintf(file, "customer-%zu\n", first + i);
  if (fclose(file) != 0 || sotto_ids_open(&ids, path, NULL, &err) != SOTTO_OK) {
    (void)fprintf(stderr, "%s: %s\n", path, err.text);
    exit(1);
  }
  (void)remove(path);
  return ids;
}

int main(int argc, char **argv) {
  size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
  sotto_error err = {0};
  sotto_alignment out[2];
  if (sodium_init() < 0) return 1;
  double raw = kernel_rates(&sotto_i_group_sodium), floor = raw;
  if (sotto_i_group_kernel_best() != &sotto_i_group_sodium) floor = kernel_rates(sotto_i_group_kernel_best());
  sotto_ids *ids[2] = {numbered(0, count), numbered(count / 2, count)};
  double start = sotto_i_seconds(), used = core_seconds();
  if (sotto_align_local(out, (const sotto_ids *const *)ids, 2, NULL, &err) != SOTTO_OK) {
    (void)fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  bench_record("libsodium's scalar multiplications for an id", 1 / raw, "ids/s", (bench_bound){0});
  double seconds = sotto_i_seconds() - start, cores = core_seconds() - used, all = 2.0 * (double)count;
  printf("%zu against %zu ids: %zu common, %.2f s, %u threads\n", count, count, out[0].count, seconds,
         sotto_threads());
  printf("  %.0f ids/s, %.0f a core; %.0f%% of the kernel's alone, %.2f times libsodium's\n", all / seconds,
         all / cores, 100 * all / cores * floor, all / cores * raw);
  bench_record("alignment", all / cores, "ids/s", (bench_bound){1 / floor, "the kernel alone"});
  printf("  peak memory %.0f MB, both sides together\n", (double)sotto_i_peak_rss() / 1e6);
  for (int p = 0; p < 2; p++) {
    sotto_alignment_free(&out[p]);
    sotto_ids_free(ids[p]);
  }
  return 0;
}
