/* Keys, seals and masks of secure aggregation. */
#include <sodium.h>
#include <string.h>

#include "base/chacha/chacha.h"
#include "base/error.h"
#include "base/threads.h"
#include "secure_sum.h"

void sotto_i_sum_pair_new(sotto_i_sum_pair *out) {
  crypto_box_keypair(out->public, out->secret);
}

bool sotto_i_sum_pair_from(sotto_i_sum_pair *out, const uint8_t secret[SOTTO_I_SUM_KEY],
                           const uint8_t public[SOTTO_I_SUM_KEY]) {
  memcpy(out->secret, secret, sizeof out->secret);
  return crypto_scalarmult_base(out->public, secret) == 0 &&
         sodium_memcmp(out->public, public, sizeof out->public) == 0;
}

/* BLAKE2b of fixed-size parts, under a name of 16 bytes, one for each use. */
static void digest(uint8_t out[SOTTO_I_SUM_KEY], const char *name, const uint8_t *parts, size_t size) {
  crypto_generichash_blake2b_salt_personal(out, SOTTO_I_SUM_KEY, parts, size, NULL, 0, NULL,
                                           (const uint8_t *)name);
}

static void put_u64(uint8_t *out, uint64_t value) {
  for (int i = 0; i < 8; i++) out[i] = (uint8_t)(value >> (8 * i));
}

sotto_status sotto_i_sum_agree(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                               const uint8_t theirs[SOTTO_I_SUM_KEY], const sotto_i_sum_use *use,
                               sotto_error *err) {
  uint8_t parts[3 * SOTTO_I_SUM_KEY + 24];
  if (crypto_scalarmult(parts, own->secret, theirs) != 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "clients %u and %u: a public key is of low order",
                        (unsigned)use->from, (unsigned)use->to);
  /* Both sides order the public keys alike. */
  bool first = memcmp(own->public, theirs, SOTTO_I_SUM_KEY) < 0;
  memcpy(parts + SOTTO_I_SUM_KEY, first ? own->public : theirs, SOTTO_I_SUM_KEY);
  memcpy(parts + 2 * SOTTO_I_SUM_KEY, first ? theirs : own->public, SOTTO_I_SUM_KEY);
  put_u64(parts + 3 * SOTTO_I_SUM_KEY, use->round);
  put_u64(parts + 3 * SOTTO_I_SUM_KEY + 8, use->from);
  put_u64(parts + 3 * SOTTO_I_SUM_KEY + 16, use->to);
  digest(out, use->name, parts, sizeof parts);
  sodium_memzero(parts, sizeof parts);
  return SOTTO_OK;
}

void sotto_i_sum_commit(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t mask[SOTTO_I_SUM_KEY], uint64_t round,
                        uint32_t client) {
  uint8_t parts[SOTTO_I_SUM_KEY + 16];
  memcpy(parts, mask, SOTTO_I_SUM_KEY);
  put_u64(parts + SOTTO_I_SUM_KEY, round);
  put_u64(parts + SOTTO_I_SUM_KEY + 8, client);
  digest(out, "sotto-sum-commit", parts, sizeof parts);
  sodium_memzero(parts, sizeof parts);
}

bool sotto_i_sum_key_good(const uint8_t key[SOTTO_I_SUM_KEY]) {
  static const uint8_t any[SOTTO_I_SUM_KEY] = {8}; /* X25519 makes a multiple of the cofactor of it */
  uint8_t product[SOTTO_I_SUM_KEY];
  /* Below 2^255 - 19? */
  bool all = key[31] == 0x7f;
  for (int i = 1; i < 31; i++) all = all && key[i] == 0xff;
  if (key[31] > 0x7f || (all && key[0] >= 0xed)) return false;
  return crypto_scalarmult(product, any, key) == 0; /* fails for points of low order */
}

/* Each key seals one box, so the nonce may stand still. */
static const uint8_t no_nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];

void sotto_i_sum_seal(uint8_t box[SOTTO_I_SUM_BOX], const uint8_t shares[2 * SOTTO_I_SUM_KEY],
                      const uint8_t key[SOTTO_I_SUM_KEY]) {
  unsigned long long size = 0;
  crypto_aead_chacha20poly1305_ietf_encrypt(box, &size, shares, (size_t)2 * SOTTO_I_SUM_KEY, NULL, 0, NULL,
                                            no_nonce, key);
  SOTTO_I_CHECK(size == SOTTO_I_SUM_BOX);
}

bool sotto_i_sum_open(uint8_t shares[2 * SOTTO_I_SUM_KEY], const uint8_t box[SOTTO_I_SUM_BOX],
                      const uint8_t key[SOTTO_I_SUM_KEY]) {
  unsigned long long size = 0;
  return crypto_aead_chacha20poly1305_ietf_decrypt(shares, &size, NULL, box, SOTTO_I_SUM_BOX, NULL, 0,
                                                   no_nonce, key) == 0;
}

/* Values that are masked at a time, so that they stay in the nearest cache while all masks go over them. */
enum { part_values = 1024, parts_each = 16 };

typedef struct job {
  uint64_t *values;
  size_t size;
  const sotto_i_sum_mask *masks;
  size_t count;
} job;

static void add_part(uint64_t *restrict values, const uint64_t *restrict mask, size_t count, bool subtract) {
  if (subtract)
    for (size_t i = 0; i < count; i++) values[i] -= mask[i];
  else
    for (size_t i = 0; i < count; i++) values[i] += mask[i];
}

static void mask_range(void *context, size_t begin, size_t end) {
  static const uint8_t nonce[crypto_stream_chacha20_ietf_NONCEBYTES];
  const job *j = context;
  uint64_t stream[part_values];
  const uint32_t blocks = sizeof stream / 64;
  for (size_t part = begin; part < end; part++) {
    size_t at = part * part_values, count = j->size - at < part_values ? j->size - at : part_values;
    for (size_t m = 0; m < j->count; m++) {
      sotto_i_chacha_stream((uint8_t *)stream, (count + 7) / 8, j->masks[m].key, nonce,
                            (uint32_t)part * blocks);
      add_part(j->values + at, stream, count, j->masks[m].subtract);
    }
  }
  sodium_memzero(stream, sizeof stream);
}

void sotto_i_sum_add_masks(uint64_t *values, size_t size, const sotto_i_sum_mask *masks, size_t count) {
  job j = {values, size, masks, count};
  sotto_i_parallel((size + part_values - 1) / part_values, parts_each, mask_range, &j);
}
