/* Signatures of the clients of a secure sum, which detect a dishonest server. */
#include <sodium.h>
#include <string.h>

#include "secure_sum.h"

/* All digests and signed texts begin with a name of 16 bytes, one for each use. */
enum { name_size = 16 };

static void begin_digest(crypto_generichash_state *hash, const char *name) {
  crypto_generichash_blake2b_init_salt_personal(hash, NULL, 0, SOTTO_I_SUM_KEY, NULL, (const uint8_t *)name);
}

static void put_u64(uint8_t *out, uint64_t value) {
  for (int i = 0; i < 8; i++) out[i] = (uint8_t)(value >> (8 * i));
}

void sotto_sum_signer_new(uint8_t public_key[SOTTO_SUM_PUBLIC], uint8_t secret[SOTTO_SUM_SECRET]) {
  crypto_sign_keypair(public_key, secret);
}

void sotto_i_sum_plan_digest(uint8_t out[SOTTO_I_SUM_KEY], const sotto_sum_plan *plan) {
  const uint64_t numbers[6] = {plan->clients, plan->neighbours, plan->threshold,
                               plan->values,  plan->round,      plan->seed};
  uint8_t bytes[8];
  crypto_generichash_state hash;
  begin_digest(&hash, "sotto-sum-plan-3");
  for (int i = 0; i < 6; i++) {
    put_u64(bytes, numbers[i]);
    crypto_generichash_update(&hash, bytes, sizeof bytes);
  }
  if (plan->least > 0) {
    put_u64(bytes, plan->least);
    crypto_generichash_update(&hash, bytes, sizeof bytes);
  }
  crypto_generichash_update(&hash, plan->token, sizeof plan->token);
  crypto_generichash_update(&hash, plan->signers, (size_t)plan->clients * SOTTO_SUM_PUBLIC);
  crypto_generichash_final(&hash, out, SOTTO_I_SUM_KEY);
}

/* The text: name, plan, client, keys. */
enum { keys_text = name_size + SOTTO_I_SUM_KEY + 8 + SOTTO_I_SUM_KEYS };

static void fill_keys(uint8_t text[keys_text], const uint8_t *keys, const uint8_t plan[SOTTO_I_SUM_KEY],
                      uint32_t client) {
  memcpy(text, "sotto-sum-keys-2", name_size);
  memcpy(text + name_size, plan, SOTTO_I_SUM_KEY);
  put_u64(text + name_size + SOTTO_I_SUM_KEY, client);
  memcpy(text + name_size + SOTTO_I_SUM_KEY + 8, keys, SOTTO_I_SUM_KEYS);
}

void sotto_i_sum_sign_keys(uint8_t *out, const uint8_t plan[SOTTO_I_SUM_KEY], uint32_t client,
                           const uint8_t secret[SOTTO_SUM_SECRET]) {
  uint8_t text[keys_text];
  fill_keys(text, out, plan, client);
  crypto_sign_detached(out + SOTTO_I_SUM_KEYS, NULL, text, sizeof text, secret);
}

bool sotto_i_sum_keys_signed(const uint8_t *message, const uint8_t plan[SOTTO_I_SUM_KEY], uint32_t client,
                             const uint8_t *signers) {
  uint8_t text[keys_text];
  fill_keys(text, message, plan, client);
  return crypto_sign_verify_detached(message + SOTTO_I_SUM_KEYS, text, sizeof text,
                                     signers + (size_t)client * SOTTO_SUM_PUBLIC) == 0;
}

void sotto_i_sum_print(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t keys[SOTTO_I_SUM_KEYS]) {
  crypto_generichash_state hash;
  begin_digest(&hash, "sotto-sum-print1");
  crypto_generichash_update(&hash, keys, SOTTO_I_SUM_KEYS);
  crypto_generichash_final(&hash, out, SOTTO_I_SUM_KEY);
}

void sotto_i_sum_list_digest(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t *prints, uint32_t clients) {
  crypto_generichash_state hash;
  begin_digest(&hash, "sotto-sum-list-1");
  crypto_generichash_update(&hash, prints, (size_t)clients * SOTTO_I_SUM_KEY);
  crypto_generichash_final(&hash, out, SOTTO_I_SUM_KEY);
}

void sotto_i_sum_states_digest(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t *states, uint32_t clients) {
  crypto_generichash_state hash;
  begin_digest(&hash, "sotto-sum-state1");
  crypto_generichash_update(&hash, states, clients);
  crypto_generichash_final(&hash, out, SOTTO_I_SUM_KEY);
}

void sotto_i_sum_set_digest(uint8_t out[SOTTO_SUM_DIGEST], const uint8_t plan[SOTTO_I_SUM_KEY],
                            const uint8_t *states, uint32_t clients) {
  crypto_generichash_state hash;
  begin_digest(&hash, "sotto-sum-set--1");
  crypto_generichash_update(&hash, plan, SOTTO_I_SUM_KEY);
  for (uint32_t i = 0; i < clients; i++) {
    const uint8_t lasted = states[i] == SOTTO_I_SUM_LASTED;
    crypto_generichash_update(&hash, &lasted, 1);
  }
  crypto_generichash_final(&hash, out, SOTTO_SUM_DIGEST);
}

/* The text: name, accepted states, client. */
enum { accepted_text = name_size + sizeof(sotto_i_sum_accepted) + 8 };

static void fill_accepted(uint8_t text[accepted_text], const sotto_i_sum_accepted *what, uint32_t client) {
  memcpy(text, "sotto-sum-accept", name_size);
  memcpy(text + name_size, what, sizeof *what);
  put_u64(text + name_size + sizeof *what, client);
}

void sotto_i_sum_sign_accepted(uint8_t out[SOTTO_SUM_SIGNATURE], const sotto_i_sum_accepted *what,
                               uint32_t client, const uint8_t secret[SOTTO_SUM_SECRET]) {
  uint8_t text[accepted_text];
  fill_accepted(text, what, client);
  crypto_sign_detached(out, NULL, text, sizeof text, secret);
}

bool sotto_i_sum_accepted_signed(const uint8_t signature[SOTTO_SUM_SIGNATURE],
                                 const sotto_i_sum_accepted *what, uint32_t client, const uint8_t *signers) {
  uint8_t text[accepted_text];
  fill_accepted(text, what, client);
  return crypto_sign_verify_detached(signature, text, sizeof text,
                                     signers + (size_t)client * SOTTO_SUM_PUBLIC) == 0;
}
