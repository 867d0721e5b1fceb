/* Keys and seals of secure aggregation. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
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

sotto_status sotto_i_sum_meet(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                              const uint8_t theirs[SOTTO_I_SUM_KEY], sotto_error *err) {
  if (crypto_scalarmult(out, own->secret, theirs) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PROTOCOL, "a public key is of low order");
}

void sotto_i_sum_derive(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t common[SOTTO_I_SUM_KEY],
                        const uint8_t own[SOTTO_I_SUM_KEY], const uint8_t theirs[SOTTO_I_SUM_KEY],
                        const sotto_i_sum_use *use) {
  uint8_t parts[3 * SOTTO_I_SUM_KEY + 24];
  /* Both sides order the public keys in the same way. */
  bool first = memcmp(own, theirs, SOTTO_I_SUM_KEY) < 0;
  memcpy(parts, common, SOTTO_I_SUM_KEY);
  memcpy(parts + SOTTO_I_SUM_KEY, first ? own : theirs, SOTTO_I_SUM_KEY);
  memcpy(parts + 2 * SOTTO_I_SUM_KEY, first ? theirs : own, SOTTO_I_SUM_KEY);
  put_u64(parts + 3 * SOTTO_I_SUM_KEY, use->round);
  put_u64(parts + 3 * SOTTO_I_SUM_KEY + 8, use->from);
  put_u64(parts + 3 * SOTTO_I_SUM_KEY + 16, use->to);
  digest(out, use->name, parts, sizeof parts);
  sodium_memzero(parts, sizeof parts);
}

sotto_status sotto_i_sum_agree(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                               const uint8_t theirs[SOTTO_I_SUM_KEY], const sotto_i_sum_use *use,
                               sotto_error *err) {
  uint8_t common[SOTTO_I_SUM_KEY];
  sotto_status status = sotto_i_sum_meet(common, own, theirs, err);
  if (status != SOTTO_OK) return status;
  sotto_i_sum_derive(out, common, own->public, theirs, use);
  sodium_memzero(common, sizeof common);
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

/* The points of Curve25519 and of its twist whose order divides 8, below 2^255 - 19, in little-endian order:
 * 0, 1, the two of order 8, and -1. */
static const uint8_t low_order[5][SOTTO_I_SUM_KEY] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
     0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
     0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};

bool sotto_i_sum_key_good(const uint8_t key[SOTTO_I_SUM_KEY]) {
  /* Is it below 2^255 - 19? */
  bool all = key[31] == 0x7f;
  for (int i = 1; i < 31; i++) all = all && key[i] == 0xff;
  if (key[31] > 0x7f || (all && key[0] >= 0xed)) return false;
  for (size_t i = 0; i < sizeof low_order / sizeof *low_order; i++)
    if (memcmp(key, low_order[i], SOTTO_I_SUM_KEY) == 0) return false;
  return true;
}

/* Each key seals one box, so the nonce may be constant. */
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
