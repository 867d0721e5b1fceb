/* Projections as products of double matrices that hold integers below 2^42, so sums are exact in any
 * order. */
#include "projection.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "prime.h"
#include "ring.h"

enum {
  block = SOTTO_I_PROJECTION_BLOCK,
  ranges = 16,                              /* number of partial results */
  sign_bytes = 2 * SOTTO_I_PROJECTIONS / 8, /* bytes of signs per number */
  halves = 2                                /* a number is high 2^32 + low */
};

typedef struct projection {
  const sotto_i_projection_kernels *kernels;
  const uint64_t *const *vectors;
  size_t count, size, grain;
  const sotto_key *key;
  double *scratch; /* per range: signs, numbers, products */
  size_t scratch_size;
  int64_t *partial; /* ranges x (halves count) x SOTTO_I_PROJECTIONS */
} projection;

/* Draws the rows of signs for `count` numbers from `first` on. */
static void draw_signs(double *out, const projection *p, size_t first, size_t count) {
  uint8_t bytes[block * sign_bytes];
  sotto_i_random random;
  sotto_i_random_init(&random, p->key, SOTTO_I_PURPOSE_SHARE, SOTTO_I_STREAM_SIGNS, first / block);
  sotto_i_random_bytes(&random, bytes, sizeof bytes);
  p->kernels->unpack(out, bytes, count);
}

static void project_range(void *context, size_t begin, size_t end) {
  const projection *p = context;
  const size_t range = begin / p->grain, rows = halves * p->count, width = SOTTO_I_PROJECTIONS;
  double *signs = p->scratch + range * p->scratch_size, *numbers = signs + block * width;
  double *products = numbers + rows * block;
  int64_t *sums = p->partial + range * rows * width;
  for (size_t b = begin; b < end; b++) {
    const size_t first = b * block, count = p->size - first < block ? p->size - first : block;
    draw_signs(signs, p, first, count);
    for (size_t v = 0; v < p->count; v++)
      for (size_t i = 0; i < count; i++) {
        const uint64_t x = p->vectors[v][first + i];
        numbers[2 * v * block + i] = (double)(uint32_t)x;
        numbers[(2 * v + 1) * block + i] = (double)(uint32_t)(x >> 32);
      }
    p->kernels->multiply(products, numbers, signs, rows, count);
    for (size_t i = 0; i < rows * width; i++) sums[i] += (int64_t)products[i];
  }
}

static void add_partials(uint64_t (*out)[SOTTO_I_PROJECTIONS], const projection *p, size_t parts) {
  const size_t rows = halves * p->count, width = SOTTO_I_PROJECTIONS;
  for (size_t v = 0; v < p->count; v++)
    for (size_t k = 0; k < width; k++) {
      int64_t low = 0, high = 0;
      for (size_t part = 0; part < parts; part++) {
        low += p->partial[(part * rows + 2 * v) * width + k];
        high += p->partial[(part * rows + 2 * v + 1) * width + k];
      }
      const uint64_t shifted = sotto_i_prime_mul(sotto_i_prime_of(high), (uint64_t)1 << 32);
      out[v][k] = sotto_i_prime_add(sotto_i_prime_of(low), shifted);
    }
}

sotto_status sotto_i_project_by(const sotto_i_projection_kernels *kernels,
                                uint64_t (*out)[SOTTO_I_PROJECTIONS], const uint64_t *const *vectors,
                                size_t count, size_t size, const sotto_key *key, sotto_error *err) {
  const size_t blocks = (size + block - 1) / block, rows = halves * count;
  projection p = {.kernels = kernels, .vectors = vectors, .count = count, .size = size, .key = key};
  sotto_status status;
  SOTTO_I_CHECK(size > 0 && size <= (size_t)1 << 26);
  p.grain = (blocks + ranges - 1) / ranges;
  const size_t parts = (blocks + p.grain - 1) / p.grain;
  p.scratch_size = block * (size_t)SOTTO_I_PROJECTIONS + rows * (block + SOTTO_I_PROJECTIONS);
  SOTTO_TRY(sotto_i_new_raw(&p.scratch, parts * p.scratch_size, sizeof *p.scratch, err));
  SOTTO_TRY(sotto_i_new(&p.partial, parts * rows, SOTTO_I_PROJECTIONS * sizeof *p.partial, err));
  sotto_i_parallel(blocks, p.grain, project_range, &p);
  add_partials(out, &p, parts);
done:
  sotto_i_free(p.scratch);
  sotto_i_free(p.partial);
  return status;
}

static const sotto_i_projection_kernels *best_kernels(void) {
#if defined(__x86_64__)
  if (sotto_i_isa() == SOTTO_I_ISA_AVX512) return &sotto_i_projection_avx512;
  if (sotto_i_isa() == SOTTO_I_ISA_AVX2) return &sotto_i_projection_avx2;
#endif
  return &sotto_i_projection_plain;
}

sotto_status sotto_i_project(uint64_t (*out)[SOTTO_I_PROJECTIONS], const uint64_t *const *vectors,
                             size_t count, size_t size, const sotto_key *key, sotto_error *err) {
  return sotto_i_project_by(best_kernels(), out, vectors, count, size, key, err);
}
