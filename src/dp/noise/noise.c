/* Noise on a grid: streams, chunks, and the choice of kernel.
 *
 * Privacy. A row's values are first rounded to multiples of the step, r. Then noise, a Gaussian rounded to
 * multiples of the step, is added, and the sum is clamped. Since r is itself a multiple of the step,
 *     r + round(g) = round(r + g),
 * so the output is a function of r + g alone: post-processing of the continuous Gaussian mechanism on the
 * rounded input. Its guarantee is therefore exactly mu-GDP with mu = sotto_grid_sensitivity / sigma, and
 * rounding the noise has no privacy cost. The clamp is the same for every input, hence post-processing too.
 *
 * Finite arithmetic. The kernels compute g / step to better than 2^-48 relative plus 2^-43 sigma / step,
 * except where the radius is below 2^-10, which has probability 2^-21. Where that error might decide to which
 * multiple of the step g is rounded, the draw is made again in extended precision, to better than 2^-60
 * relative. With sigma at most 2^26 steps and |g| at most 9.4 sigma, the ends of each step's interval then
 * move by less than 2^-30 of its width. Where both neighbouring inputs have the same value the noise cancels
 * in the privacy loss whatever its distribution. So with m differing values the loss changes by less than m
 * 2^-28. A draw beyond the last radius, 9.4 sigma, has probability 2^-64. Neither is added to epsilon: for
 * any m up to 10^4 both are below the reported digits. */
#include "noise.h"

#include <math.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

#include "base/chacha/chacha.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "exact.h"
#include "inside/dp.h"

/* A chunk of the stream: p radius words, then p angle words, for p cosines, then p sines. p is 64; for the
 * last chunk of a row it is half of the remaining values, rounded up to 8. Repeated runs depend on this
 * order. */
enum { run_pairs = 8, chunk_pairs = 64, chunk_values = 2 * chunk_pairs, values_per_range = 8192 };
/* Rows of at most narrow_values are made together, up to values_together values. The key stream of one such
 * row has a few blocks, of which a generator of one stream makes only 0.2 GB/s. */
enum { narrow_values = 64, values_together = 1024 };

typedef struct kernels {
  sotto_i_noise_pairs_fn pairs;
  sotto_i_grid_apply_fn apply;
} kernels;

static kernels choose_kernels(void) {
#if defined(__x86_64__)
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return (kernels){sotto_i_noise_pairs_avx512, sotto_i_grid_apply_avx512};
  case SOTTO_I_ISA_AVX2:
    return (kernels){sotto_i_noise_pairs_avx2, sotto_i_grid_apply_avx2};
  case SOTTO_I_ISA_PLAIN:
    break;
  }
#endif
  return (kernels){sotto_i_noise_pairs_plain, sotto_i_grid_apply_plain};
}

/* One row's stream and its current chunk. It has key material: wipe it at the end of a row. */
typedef struct source {
  kernels run;
  double sigma_in_steps;
  sotto_i_random random;
  uint64_t words[chunk_values];
  int32_t values[chunk_values];
} source;

static void check_key_and_sigma(const sotto_key *key, double sigma_in_steps) {
  SOTTO_I_CHECK(key->origin == SOTTO_KEY_SYSTEM || key->origin == SOTTO_KEY_INSECURE);
  SOTTO_I_CHECK(sigma_in_steps > 0 && sigma_in_steps <= 0x1p26);
}

static void source_open(source *s, double sigma_in_steps, const sotto_key *key, uint32_t sub, uint64_t row) {
  check_key_and_sigma(key, sigma_in_steps);
  s->run = choose_kernels();
  s->sigma_in_steps = sigma_in_steps;
  sotto_i_random_init(&s->random, key, SOTTO_I_PURPOSE_NOISE, sub, row);
}

/* Bytes to request for `pairs`: whole runs of eight blocks, which cost a half to a quarter as much per byte.
 * Only a row's last chunk is ever short, so unused bytes are never needed later. */
static size_t stream_bytes(size_t pairs) {
  const size_t run = 512;
  return (2 * pairs * sizeof(uint64_t) + run - 1) / run * run;
}

/* All variants and extended precision agree except on doubtful draws. For these, their run of eight pairs is
 * made again. */
static void draw_pairs(const kernels *run, int32_t *first, int32_t *second, const uint64_t *radius,
                       const uint64_t *angle, size_t pairs, double sigma_in_steps) {
  if (!run->pairs(first, second, radius, angle, pairs, sigma_in_steps)) return;
  for (size_t i = 0; i < pairs; i += run_pairs) {
    const size_t few = pairs - i < run_pairs ? pairs - i : run_pairs;
    if (run->pairs(first + i, second + i, radius + i, angle + i, few, sigma_in_steps))
      sotto_i_noise_pairs_exact(first + i, second + i, radius + i, angle + i, few, sigma_in_steps);
  }
}

/* Fills s->values with the next chunk; returns how many of the `left` values it has. */
static size_t source_next(source *s, size_t left) {
  size_t take = left < chunk_values ? left : chunk_values;
  size_t pairs = (take + 15) / 16 * 8;
  sotto_i_random_bytes(&s->random, s->words, stream_bytes(pairs));
  /* The sines follow the cosines without a gap, so a short last chunk is contiguous too. */
  draw_pairs(&s->run, s->values, s->values + pairs, s->words, s->words + pairs, pairs, s->sigma_in_steps);
  return take;
}

/* Wipes only what a row of `count` values has written. */
static void source_wipe(source *s, size_t count) {
  size_t used = count < chunk_values ? (count + 15) / 16 * 16 : chunk_values;
  sodium_memzero(&s->random, sizeof s->random);
  sodium_memzero(s->words, stream_bytes(used / 2));
  sodium_memzero(s->values, used * sizeof *s->values);
}

void sotto_i_noise_steps(int32_t *out, size_t count, double sigma_in_steps, const sotto_key *key,
                         uint32_t sub, uint64_t row) {
  source s;
  source_open(&s, sigma_in_steps, key, sub, row);
  for (size_t done = 0; done < count;) {
    size_t take = source_next(&s, count - done);
    memcpy(out + done, s.values, take * sizeof *out);
    done += take;
  }
  source_wipe(&s, count);
}

size_t sotto_i_noise_together(size_t cols) {
  return cols == 0 || cols > narrow_values ? 1 : values_together / ((cols + 15) / 16 * 16);
}

/* Several narrow rows: their words, and the two halves of each row's draws. Key material. */
typedef struct narrow {
  uint64_t radius[values_together / 2], angle[values_together / 2];
  int32_t first[values_together / 2], second[values_together / 2];
} narrow;

/* Copies values; whole runs, the usual case, without a call. */
static void copy_values(int32_t *restrict to, const int32_t *restrict from, size_t count) {
  size_t i = 0;
  for (; i + run_pairs <= count; i += run_pairs) memcpy(to + i, from + i, run_pairs * sizeof *to);
  for (; i < count; i++) to[i] = from[i];
}

/* Makes at most as many rows as fit together. It reads the same words in the same order as row by row: half
 * of a row's blocks are radius words, half angle words. */
static void narrow_rows(int32_t *out, narrow *n, size_t rows, size_t cols, double sigma_in_steps,
                        const sotto_key *key, uint32_t sub, uint64_t first) {
  const kernels run = choose_kernels();
  const size_t pairs = (cols + 15) / 16 * 8, half = pairs / 8, cosines = cols < pairs ? cols : pairs;
  sotto_i_random_blocks((uint8_t *)n->radius, 0, half, rows, key, SOTTO_I_PURPOSE_NOISE, sub, first);
  sotto_i_random_blocks((uint8_t *)n->angle, (uint32_t)half, half, rows, key, SOTTO_I_PURPOSE_NOISE, sub,
                        first);
  draw_pairs(&run, n->first, n->second, n->radius, n->angle, rows * pairs, sigma_in_steps);
  for (size_t i = 0; i < rows; i++) {
    copy_values(out + i * cols, n->first + i * pairs, cosines);
    copy_values(out + i * cols + cosines, n->second + i * pairs, cols - cosines);
  }
}

void sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma_in_steps,
                              const sotto_key *key, uint32_t sub, uint64_t first) {
  if (cols == 0) return;
  if (cols > narrow_values) {
    for (size_t i = 0; i < rows; i++)
      sotto_i_noise_steps(out + i * cols, cols, sigma_in_steps, key, sub, first + i);
    return;
  }
  narrow n;
  const size_t together = sotto_i_noise_together(cols);
  check_key_and_sigma(key, sigma_in_steps);
  for (size_t done = 0; done < rows; done += together) {
    const size_t take = rows - done < together ? rows - done : together;
    narrow_rows(out + done * cols, &n, take, cols, sigma_in_steps, key, sub, first + done);
  }
  sodium_memzero(&n, sizeof n);
}

void sotto_i_grid_add_row(const sotto_grid *grid, float *row, size_t cols, const sotto_key *key, uint32_t sub,
                          uint64_t row_index) {
  source s;
  source_open(&s, grid->sigma / grid->step, key, sub, row_index);
  for (size_t done = 0; done < cols;) {
    size_t take = source_next(&s, cols - done);
    s.run.apply(row + done, s.values, take, grid->step);
    done += take;
  }
  source_wipe(&s, cols);
}

typedef struct add_job {
  sotto_matrix *x;
  const sotto_grid *grid;
  const sotto_key *key;
  uint32_t sub;
} add_job;

static void add_rows(void *context, size_t begin, size_t end) {
  const add_job *job = context;
  size_t cols = job->x->cols;
  const size_t together = sotto_i_noise_together(cols);
  if (together == 1) {
    for (size_t i = begin; i < end; i++)
      sotto_i_grid_add_row(job->grid, job->x->data + i * cols, cols, job->key, job->sub, i);
    return;
  }
  const kernels run = choose_kernels();
  int32_t noise[values_together];
  for (size_t i = begin; i < end; i += together) {
    const size_t rows = end - i < together ? end - i : together;
    sotto_i_noise_steps_rows(noise, rows, cols, job->grid->sigma / job->grid->step, job->key, job->sub, i);
    run.apply(job->x->data + i * cols, noise, rows * cols, job->grid->step);
  }
  sodium_memzero(noise, sizeof noise);
}

/* Detects an exponent of all ones: infinity or NAN. Uses integers, so that the loop is vectorised. */
static bool range_is_finite(const float *values, size_t count) {
  uint32_t bad = 0;
  for (size_t j = 0; j < count; j++) {
    uint32_t bits;
    memcpy(&bits, &values[j], sizeof bits);
    bad |= (bits & UINT32_C(0x7f800000)) == UINT32_C(0x7f800000);
  }
  return bad == 0;
}

typedef struct finite_job {
  const float *values;
  atomic_bool bad;
} finite_job;

static void scan_range(void *context, size_t begin, size_t end) {
  finite_job *job = context;
  if (!range_is_finite(job->values + begin, end - begin)) atomic_store(&job->bad, true);
}

sotto_status sotto_i_check_finite(const sotto_matrix *x, sotto_error *err) {
  finite_job job = {.values = x->data};
  sotto_i_parallel(x->rows * x->cols, values_per_range, scan_range, &job);
  if (!atomic_load(&job.bad)) return SOTTO_OK;
  size_t at = 0;
  while (isfinite(x->data[at])) at++;
  return sotto_i_fail(err, SOTTO_NUMERIC, "row %zu, column %zu is not finite", at / x->cols, at % x->cols);
}

sotto_status sotto_i_check_grid(const sotto_grid *grid, sotto_error *err) {
  sotto_grid fresh = {0};
  sotto_status status = sotto_grid_new(&fresh, grid->sigma, err);
  if (status != SOTTO_OK) return status;
  if (fresh.step == grid->step) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "the grid of sigma %.6g has step %.17g, not %.17g: make it with "
                      "sotto_grid_new",
                      grid->sigma, fresh.step, grid->step);
}

sotto_status sotto_grid_add_noise(sotto_matrix *x, const sotto_grid *grid, const sotto_key *key, uint32_t sub,
                                  sotto_error *err) {
  sotto_status status = sotto_i_check_secret(key, sub, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_check_grid(grid, err);
  if (status != SOTTO_OK) return status;
  if (x->rows == 0 || x->cols == 0) return SOTTO_OK;
  status = sotto_i_check_finite(x, err);
  if (status != SOTTO_OK) return status;
  add_job job = {.x = x, .grid = grid, .key = key, .sub = sub};
  size_t rows = x->cols < values_per_range ? values_per_range / x->cols : 1;
  sotto_i_parallel(x->rows, rows, add_rows, &job);
  return SOTTO_OK;
}

sotto_status sotto_grid_new(sotto_grid *out, double sigma, sotto_error *err) {
  if (!(sigma >= 1e-20 && sigma <= 1e20))
    return sotto_i_fail(err, SOTTO_RANGE, "noise of standard deviation %g: it must be between 1e-20 and 1e20",
                        sigma);
  int exponent;
  (void)frexp(sigma, &exponent); /* 2^(exponent - 1) <= sigma < 2^exponent */
  *out = (sotto_grid){.sigma = sigma, .step = ldexp(1.0, exponent - 11)};
  return SOTTO_OK;
}

double sotto_grid_sensitivity(const sotto_grid *grid, double sensitivity, double differing) {
  /* Rounding moves each of the two values of a differing pair by at most half a step. There are three
   * roundings to nearest, so three steps up bound the exact value. */
  double sum = sensitivity + grid->step * sqrt(differing);
  for (int i = 0; i < 3; i++) sum = nextafter(sum, INFINITY);
  return sum;
}
