/* Messages between clients and helper through the leader: a key of this sum, and sealed seeds. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "check_inside.h"
#include "check_links.h"

enum { sealed_size = SOTTO_I_CHECK_KEY + crypto_box_SEALBYTES };
_Static_assert(SOTTO_I_CHECK_BOX == sealed_size + crypto_sign_BYTES,
               "a box is a sealed seed and a signature");

/* The signed text: digests of the purpose, the plan and the client, with the key and the sealed seed. */
static void digest(uint8_t out[SOTTO_I_CHECK_KEY], const sotto_i_check_plan *plan, uint32_t client,
                   const uint8_t *public_key, const uint8_t *sealed) {
  crypto_generichash_state state;
  sotto_key bound;
  sotto_i_check_seal_key(&bound, plan, client, public_key);
  crypto_generichash_init(&state, NULL, 0, SOTTO_I_CHECK_KEY);
  crypto_generichash_update(&state, bound.bytes, sizeof bound.bytes);
  if (sealed != NULL) crypto_generichash_update(&state, sealed, sealed_size);
  crypto_generichash_final(&state, out, SOTTO_I_CHECK_KEY);
}

void sotto_i_check_key_new(uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY], uint8_t secret[SOTTO_I_CHECK_KEY],
                           const sotto_i_check_plan *plan, const sotto_i_check_signers *signers) {
  uint8_t message[SOTTO_I_CHECK_KEY];
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_box_keypair(signed_key, secret);
  digest(message, plan, plan->clients, signed_key, NULL);
  crypto_sign_detached(signed_key + SOTTO_I_CHECK_KEY, NULL, message, sizeof message, signers->secret);
}

bool sotto_i_check_key_signed(const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                              const sotto_i_check_plan *plan, const uint8_t helper[SOTTO_SUM_PUBLIC]) {
  uint8_t message[SOTTO_I_CHECK_KEY];
  digest(message, plan, plan->clients, signed_key, NULL);
  return crypto_sign_verify_detached(signed_key + SOTTO_I_CHECK_KEY, message, sizeof message, helper) == 0;
}

bool sotto_i_check_box_signed(const uint8_t box[SOTTO_I_CHECK_BOX], const sotto_i_check_plan *plan,
                              uint32_t client, const uint8_t *signed_key,
                              const uint8_t public_key[SOTTO_SUM_PUBLIC]) {
  uint8_t message[SOTTO_I_CHECK_KEY];
  digest(message, plan, client, signed_key, box);
  return crypto_sign_verify_detached(box + sealed_size, message, sizeof message, public_key) == 0;
}

/* crypto_box_seal with its one-time secret key given, so that a box can be made again. Of an opening and a
 * key of the helper there is one box for each seed, and one opening for each box: the client is bound to the
 * seed. False for a key of low order. */
static bool seal_with(uint8_t out[sealed_size], const uint8_t seed[SOTTO_I_CHECK_KEY],
                      const uint8_t opening[SOTTO_I_CHECK_KEY], const uint8_t *key) {
  uint8_t nonce[crypto_box_NONCEBYTES];
  crypto_generichash_state state;
  if (crypto_scalarmult_base(out, opening) != 0) return false;
  crypto_generichash_init(&state, NULL, 0, sizeof nonce);
  crypto_generichash_update(&state, out, crypto_box_PUBLICKEYBYTES);
  crypto_generichash_update(&state, key, crypto_box_PUBLICKEYBYTES);
  crypto_generichash_final(&state, nonce, sizeof nonce);
  return crypto_box_easy(out + crypto_box_PUBLICKEYBYTES, seed, SOTTO_I_CHECK_KEY, nonce, key, opening) == 0;
}

bool sotto_i_check_is_sealed(const uint8_t box[SOTTO_I_CHECK_BOX], const uint8_t seed[SOTTO_I_CHECK_KEY],
                             const uint8_t opening[SOTTO_I_CHECK_KEY], const uint8_t *signed_key) {
  uint8_t again[sealed_size];
  SOTTO_I_CHECK(sodium_init() >= 0);
  return seal_with(again, seed, opening, signed_key) && memcmp(again, box, sealed_size) == 0;
}

sotto_status sotto_i_check_seal(uint8_t box[SOTTO_I_CHECK_BOX], uint8_t opening[SOTTO_I_CHECK_KEY],
                                const sotto_i_check_plan *plan, uint32_t client,
                                const uint8_t seed[SOTTO_I_CHECK_KEY],
                                const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                                const sotto_i_check_signers *signers, sotto_error *err) {
  uint8_t message[SOTTO_I_CHECK_KEY];
  SOTTO_I_CHECK(sodium_init() >= 0);
  if (!sotto_i_check_key_signed(signed_key, plan, signers->helper))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the helper's key is not signed by it for this round");
  randombytes_buf(opening, SOTTO_I_CHECK_KEY);
  if (!seal_with(box, seed, opening, signed_key))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the helper's key is of low order");
  digest(message, plan, client, signed_key, box);
  crypto_sign_detached(box + sealed_size, NULL, message, sizeof message, signers->secret);
  return SOTTO_OK;
}

bool sotto_i_check_open(uint8_t seed[SOTTO_I_CHECK_KEY], const sotto_i_check_plan *plan, uint32_t client,
                        const uint8_t box[SOTTO_I_CHECK_BOX],
                        const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                        const uint8_t secret[SOTTO_I_CHECK_KEY], const sotto_i_check_signers *signers) {
  if (!sotto_i_check_box_signed(box, plan, client, signed_key,
                                signers->clients + (size_t)client * SOTTO_SUM_PUBLIC))
    return false;
  return crypto_box_seal_open(seed, box, sealed_size, signed_key, secret) == 0;
}
