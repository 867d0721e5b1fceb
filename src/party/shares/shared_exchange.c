/* Exchange of shares. Every payload here is uniformly random on its own, except seeds. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/mpc.h"
#include "inside/party.h"
#include "shared_linear.h"

sotto_status sotto_i_send_ring(sotto_link *link, const char *name, const sotto_ring *ring, sotto_error *err) {
  const sotto_words words = {
      .name = name, .kind = SOTTO_WIRE_SHARE, .data = ring->data, .rows = ring->rows, .cols = 2 * ring->cols};
  return sotto_link_send_words(link, &words, err);
}

sotto_status sotto_i_receive_ring(sotto_ring *out, sotto_link *link, const char *name, size_t rows,
                                  size_t cols, sotto_error *err) {
  const sotto_expectation expected = {.name = name, .kind = SOTTO_WIRE_SHARE, .rows = rows, .cols = 2 * cols};
  sotto_status status = sotto_ring_new(out, rows, cols, err);
  if (status != SOTTO_OK) return status;
  status = sotto_link_receive_words(link, out->data, &expected, err);
  if (status != SOTTO_OK) sotto_ring_free(out);
  return status;
}

static sotto_status swap_with(sotto_ring *message, const sotto_i_peers *peers, size_t other, const char *name,
                              const sotto_ring *ring, sotto_error *err) {
  sotto_link *link = peers->holder[other];
  sotto_status status;
  if (peers->self < other) SOTTO_TRY(sotto_i_send_ring(link, name, ring, err));
  SOTTO_TRY(sotto_i_receive_ring(message, link, name, ring->rows, ring->cols, err));
  if (peers->self > other) SOTTO_TRY(sotto_i_send_ring(link, name, ring, err));
done:
  return status;
}

sotto_status sotto_i_exchange(sotto_ring *messages, const sotto_i_peers *peers, const char *name,
                              const sotto_ring *ring, sotto_error *err) {
  sotto_status status;
  for (size_t i = 0; i < peers->count; i++) messages[i] = (sotto_ring){0};
  SOTTO_TRY(sotto_ring_new(&messages[peers->self], ring->rows, ring->cols, err));
  memcpy(messages[peers->self].data, ring->data, ring->rows * ring->cols * sizeof *ring->data);
  for (size_t i = 0; i < peers->count; i++)
    if (i != peers->self) SOTTO_TRY(swap_with(&messages[i], peers, i, name, ring, err));
done:
  for (size_t i = 0; status != SOTTO_OK && i < peers->count; i++) sotto_ring_free(&messages[i]);
  return status;
}

sotto_status sotto_i_send_rounded(sotto_link *link, const char *name, const sotto_ring *share, unsigned shift,
                                  sotto_error *err) {
  const size_t count = share->rows * share->cols;
  uint32_t *upper = NULL;
  sotto_status status = sotto_i_new_raw(&upper, count, sizeof *upper, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++)
    upper[i] = (uint32_t)(((share->data[i] << shift) + ((uint64_t)1 << 31)) >> 32);
  const sotto_words words = {
      .name = name, .kind = SOTTO_WIRE_SHARE, .data = upper, .rows = share->rows, .cols = share->cols};
  status = sotto_link_send_words(link, &words, err);
  sotto_i_free(upper);
  return status;
}

sotto_status sotto_i_receive_rounded(sotto_ring *out, sotto_link *link, const char *name, size_t rows,
                                     size_t cols, unsigned shift, sotto_error *err) {
  const sotto_expectation expected = {.name = name, .kind = SOTTO_WIRE_SHARE, .rows = rows, .cols = cols};
  uint32_t *upper = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_ring_new(out, rows, cols, err));
  SOTTO_TRY(sotto_i_new_raw(&upper, rows * cols, sizeof *upper, err));
  SOTTO_TRY(sotto_link_receive_words(link, upper, &expected, err));
  for (size_t i = 0; i < rows * cols; i++) out->data[i] = (uint64_t)upper[i] << (32 - shift);
done:
  if (status != SOTTO_OK) sotto_ring_free(out);
  sotto_i_free(upper);
  return status;
}

/* One turn with another holder: to it, from it, or both. */
static sotto_status swap_rounded(sotto_ring *sum, const sotto_i_peers *peers, size_t other,
                                 const sotto_i_shared_shape *shape, const char *name, const sotto_ring *share,
                                 sotto_error *err) {
  const unsigned shift = sotto_i_shared_shift(shape);
  const bool gives = !shape->one_reads || shape->reader == other, takes = sum->data != NULL;
  sotto_link *link = peers->holder[other];
  sotto_ring part = {0};
  sotto_status status = SOTTO_OK;
  if (gives && peers->self < other) SOTTO_TRY(sotto_i_send_rounded(link, name, share, shift, err));
  if (takes) {
    SOTTO_TRY(sotto_i_receive_rounded(&part, link, name, share->rows, share->cols, shift, err));
    sotto_ring_add(sum, sum, &part);
  }
  if (gives && peers->self > other) SOTTO_TRY(sotto_i_send_rounded(link, name, share, shift, err));
done:
  sotto_ring_free(&part);
  return status;
}

sotto_status sotto_i_open_rounded(sotto_ring *sum, const sotto_i_peers *peers,
                                  const sotto_i_shared_shape *shape, const char *name,
                                  const sotto_ring *share, sotto_error *err) {
  const unsigned shift = sotto_i_shared_shift(shape);
  sotto_status status = SOTTO_OK;
  *sum = (sotto_ring){0};
  if (!shape->one_reads || shape->reader == peers->self) {
    SOTTO_TRY(sotto_ring_new(sum, share->rows, share->cols, err));
    for (size_t i = 0; i < share->rows * share->cols; i++) /* as the others get it: all open the same */
      sum->data[i] = (((share->data[i] << shift) + ((uint64_t)1 << 31)) >> 32) << (32 - shift);
  }
  for (size_t i = 0; i < peers->count; i++)
    if (i != peers->self) SOTTO_TRY(swap_rounded(sum, peers, i, shape, name, share, err));
done:
  if (status != SOTTO_OK) sotto_ring_free(sum);
  return status;
}

static const char seed_name[] = "seed";

sotto_status sotto_i_send_seed(sotto_link *link, const sotto_key *seed, sotto_error *err) {
  const sotto_words words = {.name = seed_name,
                             .kind = SOTTO_WIRE_SEALED,
                             .data = seed->bytes,
                             .rows = 1,
                             .cols = sizeof seed->bytes / 4};
  return sotto_link_send_words(link, &words, err);
}

sotto_status sotto_i_receive_seed(sotto_key *seed, sotto_link *link, sotto_error *err) {
  const sotto_expectation expected = {
      .name = seed_name, .kind = SOTTO_WIRE_SEALED, .rows = 1, .cols = sizeof seed->bytes / 4};
  seed->origin = SOTTO_KEY_SYSTEM; /* of the dealer's system */
  return sotto_link_receive_words(link, seed->bytes, &expected, err);
}
