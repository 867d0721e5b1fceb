/* Keys, ChaCha20 streams, and the distributions that training needs. */
#include "base/random.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "chacha.h"

static void require_sodium(void) {
  SOTTO_I_CHECK(sodium_init() >= 0);
}

void sotto_key_system(sotto_key *key) {
  require_sodium();
  randombytes_buf(key->bytes, sizeof key->bytes);
  key->origin = SOTTO_KEY_SYSTEM;
}

static void key_from_seed(sotto_key *key, const char *label, uint64_t seed, sotto_key_origin origin) {
  require_sodium();
  uint8_t message[40] = {0};
  size_t length = strlen(label);
  SOTTO_I_CHECK(length <= 32);
  for (size_t i = 0; i < length; i++) message[i] = (uint8_t)label[i];
  for (int i = 0; i < 8; i++) message[32 + i] = (uint8_t)(seed >> (8 * i));
  crypto_generichash(key->bytes, sizeof key->bytes, message, sizeof message, NULL, 0);
  key->origin = origin;
}

void sotto_key_public(sotto_key *key, uint64_t seed) {
  key_from_seed(key, "sotto public seed", seed, SOTTO_KEY_PUBLIC);
}

void sotto_key_insecure(sotto_key *key, uint64_t seed) {
  key_from_seed(key, "sotto insecure seed", seed, SOTTO_KEY_INSECURE);
}

void sotto_key_wipe(sotto_key *key) {
  sodium_memzero(key, sizeof *key);
}

void sotto_i_random_init(sotto_i_random *random, const sotto_key *key, sotto_i_purpose purpose, uint32_t sub,
                         uint64_t index) {
  SOTTO_I_CHECK(key->origin != SOTTO_KEY_NONE);
  SOTTO_I_CHECK(sub < (1U << 24) && (unsigned)purpose < 256U);
  memcpy(random->key, key->bytes, sizeof random->key);
  uint32_t word = (uint32_t)purpose | sub << 8;
  for (int i = 0; i < 4; i++) random->nonce[i] = (uint8_t)(word >> (8 * i));
  for (int i = 0; i < 8; i++) random->nonce[4 + i] = (uint8_t)(index >> (8 * i));
  random->block = 0;
  random->position = SOTTO_I_RANDOM_BUFFER;
}

static void next_blocks(sotto_i_random *random, uint8_t *out, size_t blocks) {
  sotto_i_chacha_stream(out, blocks, random->key, random->nonce, random->block);
  random->block += (uint32_t)blocks;
}

void sotto_i_random_bytes(sotto_i_random *random, void *out, size_t count) {
  uint8_t *bytes = out;
  while (count > 0) {
    size_t left = SOTTO_I_RANDOM_BUFFER - random->position;
    if (left == 0 && count >= SOTTO_I_RANDOM_BUFFER) {
      size_t blocks = count / 64;
      next_blocks(random, bytes, blocks);
      bytes += blocks * 64;
      count -= blocks * 64;
      continue;
    }
    if (left == 0) {
      next_blocks(random, random->buffer, SOTTO_I_RANDOM_BUFFER / 64);
      random->position = 0;
      left = SOTTO_I_RANDOM_BUFFER;
    }
    size_t take = count < left ? count : left;
    memcpy(bytes, random->buffer + random->position, take);
    random->position += (uint32_t)take;
    bytes += take;
    count -= take;
  }
}

uint32_t sotto_i_random_u32(sotto_i_random *random) {
  uint32_t value;
  sotto_i_random_bytes(random, &value, sizeof value);
  return value;
}

uint64_t sotto_i_random_u64(sotto_i_random *random) {
  uint64_t value;
  sotto_i_random_bytes(random, &value, sizeof value);
  return value;
}

uint64_t sotto_i_random_below(sotto_i_random *random, uint64_t bound) {
  SOTTO_I_CHECK(bound > 0);
  uint64_t limit = UINT64_MAX - UINT64_MAX % bound; /* a multiple of bound: rejection removes the bias */
  for (;;) {
    uint64_t value = sotto_i_random_u64(random);
    if (value < limit) return value % bound;
  }
}

double sotto_i_random_double(sotto_i_random *random) {
  return (double)(sotto_i_random_u64(random) >> 11) * 0x1p-53;
}

double sotto_i_random_normal(sotto_i_random *random) {
  const double two_pi = 6.283185307179586476925;
  double radius = sqrt(-2.0 * log(1.0 - sotto_i_random_double(random)));
  return radius * cos(two_pi * sotto_i_random_double(random));
}

void sotto_i_random_shuffle(sotto_i_random *random, uint32_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)sotto_i_random_below(random, i);
    uint32_t held = items[i - 1];
    items[i - 1] = items[j];
    items[j] = held;
  }
}

void sotto_i_key_derive(sotto_key *out, const sotto_key *key, uint64_t index) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_DERIVE, 0, index);
  sotto_i_random_bytes(&random, out->bytes, sizeof out->bytes);
  out->origin = key->origin;
  sodium_memzero(&random, sizeof random);
}
