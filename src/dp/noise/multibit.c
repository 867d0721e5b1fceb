/* The multi-bit encoder and its decoder.
 *
 * Jin and Chen 2022 send 1 with probability f + p (1 - 2 f), f = 1 / (e^eps' + 1), p = (x - low) / (high -
 * low). That is a bit of probability p, flipped with probability f. Privacy depends on the flip alone, so
 * only f is exact: it is rounded up to a multiple of 2^-64, and eps' = log((1 - f) / f). The sampled columns
 * do not depend on the data. Their algorithm draws m entries of the whole matrix, their proof needs m of
 * every row: this code draws per row. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/threads.h"
#include "exact.h"
#include "inside/dp.h"
#include "sotto/dp.h"

enum { rows_per_range = 64 };

/* The factor 1 - 2 f of a code's mean, without cancellation. */
static double signal_factor(const sotto_multibit *encoder) {
  return ldexp((double)(((uint64_t)1 << 63) - encoder->flip), -63);
}

sotto_status sotto_multibit_new(sotto_multibit *out, double low, double high, size_t rows, size_t cols,
                                size_t sampled, double epsilon, sotto_error *err) {
  if (!(isfinite(low) && isfinite(high) && low < high && isfinite(high - low)))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "values from %g to %g: the encoder needs a finite range, low < high", low, high);
  if (sampled < 1 || sampled > cols || rows < 1)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu of %zu columns for %zu rows: draw between 1 and all columns",
                        sampled, cols, rows);
  double bits = (double)rows * (double)sampled, each = epsilon / bits;
  if (!(each >= 1e-9 && each <= 40))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "epsilon %g over %g bits is %g a bit; it must be in [1e-9, 40] for each", epsilon,
                        bits, each);
  double flip = ceil(ldexp(1 / (exp(each) + 1) * (1 + 0x1p-50), 64));
  sotto_multibit made = {
      .low = low, .high = high, .rows = rows, .cols = cols, .sampled = sampled, .flip = (uint64_t)flip};
  made.epsilon = fmin(epsilon, bits * log1p(signal_factor(&made) / ldexp((double)made.flip, -64)));
  *out = made;
  return SOTTO_OK;
}

typedef struct encode_job {
  int8_t *codes;
  const sotto_matrix *x;
  const sotto_multibit *encoder;
  const sotto_key *key;
  uint32_t sub;
} encode_job;

static int8_t encode_value(sotto_i_random *random, const sotto_multibit *encoder, double value) {
  double share = (value - encoder->low) / (encoder->high - encoder->low);
  bool bit = sotto_i_random_double(random) < share;
  bit ^= sotto_i_coin(random, encoder->flip);
  return bit ? 1 : -1;
}

/* Selection sampling (Knuth, volume 2, algorithm S): column j with probability wanted / left. */
static void encode_rows(void *context, size_t begin, size_t end) {
  const encode_job *job = context;
  size_t cols = job->encoder->cols;
  sotto_i_random random;
  for (size_t i = begin; i < end; i++) {
    sotto_i_random_init(&random, job->key, SOTTO_I_PURPOSE_MULTIBIT, job->sub, i);
    size_t wanted = job->encoder->sampled;
    for (size_t j = 0; j < cols; j++) {
      bool taken = sotto_i_random_below(&random, cols - j) < wanted;
      job->codes[i * cols + j] = 0;
      if (!taken) continue;
      wanted--;
      job->codes[i * cols + j] = encode_value(&random, job->encoder, job->x->data[i * cols + j]);
    }
  }
  sodium_memzero(&random, sizeof random);
}

static sotto_status check_shape(const sotto_multibit *encoder, const sotto_matrix *x, sotto_error *err) {
  if (encoder->flip == 0 || encoder->flip > (uint64_t)1 << 63 || encoder->sampled > encoder->cols)
    return sotto_i_fail(err, SOTTO_INVALID, "an encoder that was not made by sotto_multibit_new");
  if (x->cols == encoder->cols && x->rows <= encoder->rows) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "a %zu x %zu matrix for an encoder of %zu x %zu", x->rows, x->cols,
                      encoder->rows, encoder->cols);
}

sotto_status sotto_multibit_encode(int8_t *codes, const sotto_matrix *x, const sotto_multibit *encoder,
                                   const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  SOTTO_TRY(check_shape(encoder, x, err));
  for (size_t i = 0; i < x->rows * x->cols; i++)
    if (isnan(x->data[i]))
      return sotto_i_fail(err, SOTTO_NUMERIC, "row %zu, column %zu is not a number", i / x->cols,
                          i % x->cols);
  encode_job job = {.codes = codes, .x = x, .encoder = encoder, .key = key, .sub = sub};
  sotto_i_parallel(x->rows, rows_per_range, encode_rows, &job);
done:
  return status;
}

sotto_status sotto_multibit_decode(sotto_matrix *x, const int8_t *codes, const sotto_multibit *encoder,
                                   sotto_error *err) {
  sotto_status status = check_shape(encoder, x, err);
  if (status != SOTTO_OK) return status;
  double middle = (encoder->low + encoder->high) / 2;
  double reach = (double)encoder->cols / (double)encoder->sampled * (encoder->high - encoder->low) / 2;
  for (size_t i = 0; i < x->rows * x->cols; i++)
    x->data[i] = (float)(middle + codes[i] * reach / signal_factor(encoder));
  return SOTTO_OK;
}

sotto_mechanism sotto_multibit_mechanism(const sotto_multibit *encoder) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_MULTIBIT);
  mechanism.sampled = encoder->rows * encoder->sampled;
  mechanism.noise = nextafter(ldexp((double)encoder->flip, -64), 0);
  return mechanism;
}
