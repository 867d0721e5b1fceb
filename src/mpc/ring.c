/* Matrices over Z_2^64: memory, sums, expansion from a seed. */
#include "ring.h"

#include <sodium.h>

#include "base/memory.h"
#include "base/random.h"
#include "inside/mpc.h"

sotto_status sotto_ring_new(sotto_ring *out, size_t rows, size_t cols, sotto_error *err) {
  *out = (sotto_ring){.rows = rows, .cols = cols};
  if (cols > 0 && rows > SIZE_MAX / cols)
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for a matrix of %zu x %zu", rows, cols);
  sotto_status status = sotto_i_new(&out->data, rows * cols, sizeof *out->data, err);
  if (status != SOTTO_OK) *out = (sotto_ring){0};
  return status;
}

void sotto_ring_free(sotto_ring *ring) {
  if (ring->data != NULL) sodium_memzero(ring->data, ring->rows * ring->cols * sizeof *ring->data);
  sotto_i_free(ring->data);
  *ring = (sotto_ring){0};
}

bool sotto_i_ring_same_shape(const sotto_ring *a, const sotto_ring *b) {
  return a->rows == b->rows && a->cols == b->cols;
}

void sotto_ring_add(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  SOTTO_I_CHECK(sotto_i_ring_same_shape(out, a) && sotto_i_ring_same_shape(a, b));
  for (size_t i = 0; i < a->rows * a->cols; i++) out->data[i] = a->data[i] + b->data[i];
}

void sotto_ring_subtract(sotto_ring *out, const sotto_ring *a, const sotto_ring *b) {
  SOTTO_I_CHECK(sotto_i_ring_same_shape(out, a) && sotto_i_ring_same_shape(a, b));
  for (size_t i = 0; i < a->rows * a->cols; i++) out->data[i] = a->data[i] - b->data[i];
}

void sotto_ring_transpose(sotto_ring *out, const sotto_ring *a) {
  enum { block = 32 };
  SOTTO_I_CHECK(out->rows == a->cols && out->cols == a->rows && out != a);
  for (size_t top = 0; top < a->rows; top += block)
    for (size_t left = 0; left < a->cols; left += block)
      for (size_t i = top; i < top + block && i < a->rows; i++)
        for (size_t j = left; j < left + block && j < a->cols; j++)
          out->data[j * a->rows + i] = a->data[i * a->cols + j];
}

void sotto_i_ring_expand(sotto_ring *out, const sotto_key *seed, sotto_i_share_stream stream,
                         uint64_t number) {
  sotto_i_random random;
  sotto_i_random_init(&random, seed, SOTTO_I_PURPOSE_SHARE, (uint32_t)stream, number);
  sotto_i_random_bytes(&random, out->data, out->rows * out->cols * sizeof *out->data);
  sodium_memzero(&random, sizeof random);
}

sotto_status sotto_i_ring_expand_new(sotto_ring *out, size_t rows, size_t cols, const sotto_key *seed,
                                     sotto_i_share_stream stream, uint64_t number, sotto_error *err) {
  sotto_status status = sotto_ring_new(out, rows, cols, err);
  if (status == SOTTO_OK) sotto_i_ring_expand(out, seed, stream, number);
  return status;
}
