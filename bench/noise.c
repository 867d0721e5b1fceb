/* Draws of grid noise a second, beside the ChaCha20 key stream that no draw can outrun. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"
#include "base/progress.h"
#include "base/random.h"
#include "dp/noise/noise.h"
#include "record.h"

enum { bytes = 1 << 20, wanted_seconds = 1 };

/* Bytes a second of a processor's time. */
static double key_stream(const sotto_key *key, size_t piece) {
  static uint8_t buffer[bytes];
  const clock_t used = clock();
  double start = sotto_i_seconds(), now = start, made = 0;
  for (uint64_t round = 0; now - start < wanted_seconds; round++) {
    for (size_t at = 0; at < bytes; at += piece) {
      sotto_i_random random;
      sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_NOISE, 1, round * bytes + at);
      sotto_i_random_bytes(&random, buffer + at, piece);
    }
    made += bytes;
    now = sotto_i_seconds();
  }
  return made / ((double)(clock() - used) / CLOCKS_PER_SEC);
}

/* Draws a second by the clock on the wall, and by a processor's time: the second is what a busy machine
 * hides. */
static int draws(double *rate, double *core_rate, const sotto_key *key, size_t rows, size_t cols,
                 unsigned threads) {
  sotto_error err = {0};
  sotto_grid grid;
  sotto_matrix x = {calloc(rows * cols, sizeof(float)), rows, cols};
  if (x.data == NULL) return 1;
  int failed = sotto_threads_set(threads, &err) != SOTTO_OK || sotto_grid_new(&grid, 1, &err) != SOTTO_OK;
  double start = sotto_i_seconds(), now = start, made = 0;
  clock_t used = clock();
  for (uint32_t sub = 0; !failed && now - start < wanted_seconds; sub++) {
    failed = sotto_grid_add_noise(&x, &grid, key, sub % 1000, &err) != SOTTO_OK;
    made += (double)(rows * cols);
    now = sotto_i_seconds();
  }
  free(x.data);
  if (failed) (void)fprintf(stderr, "%s\n", err.text);
  *rate = made / (now - start);
  *core_rate = made / ((double)(clock() - used) / CLOCKS_PER_SEC);
  return failed;
}

int main(void) {
  sotto_key key;
  sotto_key_insecure(&key, 1);
  printf("kernels: %s\n", sotto_i_isa_name(sotto_i_isa()));
  static const size_t pieces[] = {128, 512, 1024, 65536};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    double rate = key_stream(&key, pieces[i]);
    printf("key stream, %5zu bytes a call: %5.2f GB/s = at most %4.0f million draws/s a core\n", pieces[i],
           rate * 1e-9, rate / 8 * 1e-6);
  }
  const double stream = key_stream(&key, 65536);
  static const size_t widths[] = {16, 64, 100, 256, 1024};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (unsigned threads = 1; threads <= 2; threads++) {
      double rate, core_rate;
      if (draws(&rate, &core_rate, &key, (1 << 21) / widths[i], widths[i], threads) != 0) return 1;
      char name[80];
      (void)snprintf(name, sizeof name, "noise, rows of %zu", widths[i]);
      if (threads == 1) bench_record(name, core_rate, "draws/s", (bench_bound){stream / 8, "the key stream"});
      printf("add_noise, rows of %4zu, %u thread%s: %4.0f million draws/s, %4.0f a core second\n", widths[i],
             threads, threads == 1 ? " " : "s", rate * 1e-6, core_rate * 1e-6);
    }
  return 0;
}
