/* What one core of this machine can do, as the bound of kernels: reading memory and caches, in order and line
 * by line at random places, multiply-adds in single precision, in whole numbers of 64 bits and in those of 52
 * bits; without the last, products of whole numbers in doubles with both halves.
 *
 *   bench_machine */
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/progress.h"
#include "party/psi/group.h"
#include "record.h"

enum { rounds = 5 };

/* Twelve chains of vectors hide the latency of an operation. */
enum { steps = 1 << 18 };
#define TWELVE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

/* Reads `count` words `times` over; multiply-adds of `lanes` values a chain. The empty assembly keeps each
 * pass, and each chain's result. */
#define READ(k) x##k += at[i + (k)];
#define KERNELS(isa, bytes, target)                                                                          \
  typedef uint64_t words_##isa __attribute__((vector_size(bytes)));                                          \
  typedef float floats_##isa __attribute__((vector_size(bytes)));                                            \
  target static void read_##isa(const uint64_t *from, size_t count, size_t times) {                          \
    const words_##isa *at = (const words_##isa *)(const void *)from;                                         \
    count /= (bytes) / sizeof *from;                                                                         \
    words_##isa x0 = {0}, x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0, x9 = x0,   \
                x10 = x0, x11 = x0;                                                                          \
    for (size_t t = 0; t < times; t++)                                                                       \
      for (size_t i = 0; i + 12 <= count; i += 12) {                                                         \
        TWELVE(READ)                                                                                         \
        __asm__ volatile("" : : : "memory");                                                                 \
      }                                                                                                      \
    x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11;                                            \
    __asm__ volatile("" : : "m"(x0));                                                                        \
  }                                                                                                          \
  ADDS(floats_##isa, target, 0.5F)                                                                           \
  ADDS(words_##isa, target, 3)
#define ADDS(vector, target, factor)                                                                         \
  target static void vector##_add(void) {                                                                    \
    vector x0 = {1}, x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0, x9 = x0,        \
           x10 = x0, x11 = x0, by = x0 * (factor), plus = x0;                                                \
    __asm__("" : "+m"(by), "+m"(plus));                                                                      \
    for (size_t i = 0; i < steps; i++) {                                                                     \
      TWELVE(MULTIPLY_ADD)                                                                                   \
    }                                                                                                        \
    TWELVE(KEEP)                                                                                             \
  }
#define MULTIPLY_ADD(k) x##k = x##k * by + plus;
#define KEEP(k)         __asm__ volatile("" : : "m"(x##k));

typedef struct kernels {
  void (*read)(const uint64_t *from, size_t count, size_t times);
  void (*floats)(void);
  void (*words)(void);
  size_t bytes; /* of a vector */
} kernels;

#if defined(__x86_64__)
KERNELS(avx512, 64, __attribute__((target("arch=skylake-avx512"))))
KERNELS(avx2, 32, __attribute__((target("arch=haswell"))))
#endif
KERNELS(plain, 16, )

#if defined(__x86_64__)
#define IFMA(k) x##k = _mm512_madd52lo_epu64(x##k, by, plus);
__attribute__((target("avx512f,avx512ifma"))) static void short_words_add(void) {
  __m512i x0 = _mm512_set1_epi64(1), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0,
          x9 = x0, x10 = x0, x11 = x0, by = x0, plus = x0;
  __asm__("" : "+m"(by), "+m"(plus));
  for (size_t i = 0; i < steps; i++) {
    TWELVE(IFMA)
    __asm__ volatile("");
  }
  TWELVE(KEEP)
}

/* A product as in src/party/curve/field_avx2.h: its halves by two multiply-adds, added as whole numbers. The
 * empty assembly makes each factor a new one. */
#define HALVES(k)                                                                                            \
  __asm__("" : "+x"(by));                                                                                    \
  upper = _mm256_fmadd_pd(by, by, above);                                                                    \
  lower = _mm256_fmadd_pd(by, by, _mm256_sub_pd(both, upper));                                               \
  x##k = _mm256_add_epi64(_mm256_add_epi64(x##k, _mm256_castpd_si256(upper)), _mm256_castpd_si256(lower));
__attribute__((target("avx2,fma"))) static void halves_add(void) {
  __m256i x0 = _mm256_set1_epi64x(1), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0,
          x9 = x0, x10 = x0, x11 = x0;
  __m256d by = _mm256_set1_pd(3), above = _mm256_set1_pd(0x1.8p103),
          both = _mm256_set1_pd(0x1.8p103 + 0x1.8p52);
  __m256d upper, lower;
  for (size_t i = 0; i < steps; i++) {
    TWELVE(HALVES)
  }
  TWELVE(KEEP)
}
#endif

static kernels choose(void) {
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512)
    return (kernels){read_avx512, floats_avx512_add, words_avx512_add, 64};
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) return (kernels){read_avx2, floats_avx2_add, words_avx2_add, 32};
#endif
  return (kernels){read_plain, floats_plain_add, words_plain_add, 16};
}

static double gigabytes(const kernels *run, const uint64_t *words, size_t bytes) {
  const size_t times = ((size_t)1 << 30) / bytes;
  double best = 0;
  for (int round = 0; round < rounds; round++) {
    const double start = sotto_i_seconds();
    run->read(words, bytes / sizeof *words, times);
    const double rate = (double)bytes * (double)times / (sotto_i_seconds() - start) / 1e9;
    if (rate > best) best = rate;
  }
  return best;
}

/* Thousand million a second, `lanes` values a vector. */
static double operations(void (*run)(void), size_t lanes) {
  const double all = 12.0 * steps * (double)lanes;
  double best = 0;
  for (int round = 0; round < 20; round++) {
    const double start = sotto_i_seconds();
    run();
    const double rate = all / (sotto_i_seconds() - start) / 1e9;
    if (rate > best) best = rate;
  }
  return best;
}

static void print_operations(const char *name, void (*run)(void), size_t lanes) {
  const double rate = operations(run, lanes);
  (void)printf("  %-24s %8.1f thousand million/s\n", name, rate);
  bench_record(name, rate, "G/s", (bench_bound){0});
}

enum { line_words = 8, line_bits = 22 }; /* 2^22 lines of 64 bytes: 256 MB */

/* Reads lines at places that a multiplier makes: no read waits for another, and no prefetcher guesses them.
 * Bytes of whole lines a second, from pages of 4 kB or, where the system gives them, 2 MB. */
static double random_lines(bool large) {
  const size_t lines = (size_t)1 << line_bits, bytes = lines * line_words * sizeof(uint64_t);
  uint64_t *words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  double best = 0;
  if (words == MAP_FAILED) return 0;
  (void)madvise(words, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memset(words, 1, bytes);
  for (int round = 0; round < rounds; round++) {
    const double start = sotto_i_seconds();
    uint64_t sum = 0;
    for (uint64_t i = 0; i < lines; i++)
      sum += words[(i * 0x9e3779b97f4a7c15U >> (64 - line_bits)) * line_words];
    __asm__ volatile("" : : "r"(sum));
    const double rate = (double)bytes / (sotto_i_seconds() - start) / 1e9;
    if (rate > best) best = rate;
  }
  (void)munmap(words, bytes);
  return best;
}

int main(void) {
  static const struct {
    const char *name;
    size_t bytes;
  } places[] = {{"read of 32 kB", 1 << 15}, {"read of 1 MB", 1 << 20}, {"read of memory", 1 << 28}};
  sotto_error err = {0};
  uint64_t *words = NULL;
  const size_t most = places[2].bytes;
  const kernels run = choose();
  if (sotto_i_new(&words, most / sizeof *words, sizeof *words, &err) != SOTTO_OK) return 1;
  memset(words, 1, most);
  (void)printf("one core, %s kernels\n", sotto_i_isa_name(sotto_i_isa()));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const double rate = gigabytes(&run, words, places[i].bytes);
    (void)printf("  %-24s %8.1f GB/s\n", places[i].name, rate);
    bench_record(places[i].name, rate, "GB/s", (bench_bound){0});
  }
  sotto_i_free(words);
  for (int large = 0; large < 2; large++) {
    const char *name = large ? "random lines, large pages" : "random lines, small pages";
    const double rate = random_lines(large != 0);
    (void)printf("  %-26s %6.1f GB/s\n", name, rate);
    bench_record(name, rate, "GB/s", (bench_bound){0});
  }
  print_operations("float multiply-adds", run.floats, run.bytes / sizeof(float));
  print_operations("64-bit multiply-adds", run.words, run.bytes / sizeof(uint64_t));
#if defined(__x86_64__)
  if (sotto_i_has_ifma())
    print_operations("52-bit multiply-adds", short_words_add, 8);
  else if (sotto_i_isa() >= SOTTO_I_ISA_AVX2)
    print_operations("51-bit products", halves_add, 4);
#endif
  return 0;
}
