/* The product over Z_2^64 beside three plain loops compiled with the same flags, in both orders: best of
 * five, in thousand million multiply-adds a second, one thread. ring.py runs numpy's int64 product too.
 *
 *   bench_ring [ROWS INNER COLS]      default 512 512 512 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "base/random.h"
#include "inside/mpc.h"
#include "mpc/ring.h"
#include "record.h"

typedef void (*product)(sotto_ring *out, const sotto_ring *a, const sotto_ring *b);

static void loops_ijk(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  for (size_t i = 0; i < a->rows; i++)
    for (size_t j = 0; j < b->cols; j++) {
      uint64_t sum = 0;
      for (size_t k = 0; k < a->cols; k++) sum += a->data[i * a->cols + k] * b->data[k * b->cols + j];
      out->data[i * b->cols + j] = sum;
    }
}

static void loops_ikj(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  memset(out->data, 0, out->rows * out->cols * sizeof *out->data);
  for (size_t i = 0; i < a->rows; i++)
    for (size_t k = 0; k < a->cols; k++)
      for (size_t j = 0; j < b->cols; j++)
        out->data[i * b->cols + j] += a->data[i * a->cols + k] * b->data[k * b->cols + j];
}

static void by(const sotto_i_ring_kernel *kernel, sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  sotto_error err = {0};
  if (sotto_i_ring_product_by(kernel, out, a, b, false, &err) == SOTTO_OK) return;
  (void)fprintf(stderr, "bench_ring: %s\n", err.text);
  exit(1);
}

static void plain(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  by(&sotto_i_ring_plain, out, a, b);
}
#if defined(__x86_64__)
static void avx2(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  by(&sotto_i_ring_avx2, out, a, b);
}
static void avx512(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  by(&sotto_i_ring_avx512, out, a, b);
}
#endif

static double processor_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static double rate(product run, sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  double best = 1e9;
  for (int round = 0; round < 5; round++) {
    double start = processor_seconds();
    run(out, a, b);
    double seconds = processor_seconds() - start;
    if (seconds < best) best = seconds;
  }
  return (double)a->rows * (double)a->cols * (double)b->cols / best / 1e9;
}

/* A kernel on one panel that the first cache holds, again and again: no memory, no packing. */
static double tile_rate(const sotto_i_ring_kernel *kernel) {
  enum { depth = 128, times = 1 << 14 };
  static uint64_t tile[SOTTO_I_RING_HEIGHT * SOTTO_I_RING_WIDTH], panel[SOTTO_I_RING_WIDTH * depth];
  static uint64_t values[SOTTO_I_RING_HEIGHT][depth];
  const uint64_t *rows[SOTTO_I_RING_HEIGHT];
  double best = 1e9;
  for (size_t i = 0; i < SOTTO_I_RING_HEIGHT; i++) rows[i] = values[i];
  for (int round = 0; round < 5; round++) {
    const double start = processor_seconds();
    for (int i = 0; i < times; i++) kernel->tile(tile, rows, panel, depth);
    const double seconds = processor_seconds() - start;
    if (seconds < best) best = seconds;
  }
  return (double)kernel->height * (double)kernel->width * depth * times / best / 1e9;
}

int main(int argc, char **argv) {
  size_t shape[3] = {512, 512, 512};
  sotto_error err = {0};
  sotto_ring a, b, out;
  sotto_key key;
  for (int i = 1; i < argc && i < 4; i++) shape[i - 1] = strtoull(argv[i], NULL, 10);
  if (sotto_threads_set(1, &err) != SOTTO_OK || sotto_ring_new(&a, shape[0], shape[1], &err) != SOTTO_OK ||
      sotto_ring_new(&b, shape[1], shape[2], &err) != SOTTO_OK ||
      sotto_ring_new(&out, shape[0], shape[2], &err) != SOTTO_OK)
    return 1;
  sotto_key_system(&key);
  sotto_i_ring_expand(&a, &key, SOTTO_I_STREAM_MASK, 0);
  sotto_i_ring_expand(&b, &key, SOTTO_I_STREAM_MASK, 1);
  double ijk = rate(loops_ijk, &out, &a, &b), ikj = rate(loops_ikj, &out, &a, &b);
  double blocked = rate(plain, &out, &a, &b);
  printf("%zu x %zu x %zu, 10^9 multiply-adds/s: plain loops ijk %.2f, ikj %.2f; blocked, plain %.2f\n",
         shape[0], shape[1], shape[2], ijk, ikj, blocked);
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) {
    double speed = rate(avx2, &out, &a, &b);
    if (sotto_i_isa() == SOTTO_I_ISA_AVX2) {
      bench_record("ring product", speed, "G/s", (bench_bound){0});
      bench_record("ring kernel in cache", tile_rate(&sotto_i_ring_avx2), "G/s", (bench_bound){0});
    }
    printf("  avx2 %.2f: %.1f times ijk, %.1f times ikj\n", speed, speed / ijk, speed / ikj);
  }
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) {
    double speed = rate(avx512, &out, &a, &b);
    bench_record("ring product", speed, "G/s", (bench_bound){0});
    bench_record("ring kernel in cache", tile_rate(&sotto_i_ring_avx512), "G/s", (bench_bound){0});
    printf("  avx512 %.2f: %.1f times ijk, %.1f times ikj\n", speed, speed / ijk, speed / ikj);
  }
#endif
  sotto_ring_free(&a);
  sotto_ring_free(&b);
  sotto_ring_free(&out);
  return 0;
}
