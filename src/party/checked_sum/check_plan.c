/* Quantities that follow from a plan: ranges of digits, tables, places in a proof, keys. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "check_inside.h"

sotto_status sotto_i_check_plan_check(const sotto_i_check_plan *plan, sotto_error *err) {
  if (plan->clients < 1 || plan->clients > SOTTO_I_CHECK_MOST_CLIENTS)
    return sotto_i_fail(err, SOTTO_RANGE, "a checked sum takes 1 to %d clients, not %u",
                        SOTTO_I_CHECK_MOST_CLIENTS, (unsigned)plan->clients);
  if (plan->least < 1 || plan->least > plan->clients)
    return sotto_i_fail(err, SOTTO_RANGE, "at least %u of %u clients in a checked sum: must be 1 to %u",
                        (unsigned)plan->least, (unsigned)plan->clients, (unsigned)plan->clients);
  if (plan->values < 1 || plan->values > SOTTO_I_CHECK_MOST_VALUES)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu values in a checked sum: must be 1 to %d", plan->values,
                        SOTTO_I_CHECK_MOST_VALUES);
  if (plan->bound < 1 || plan->bound > (uint64_t)1 << SOTTO_I_CHECK_BOUND_BITS)
    return sotto_i_fail(err, SOTTO_RANGE, "a bound of %llu on a sum of squares: must be 1 to 2^%d",
                        (unsigned long long)plan->bound, SOTTO_I_CHECK_BOUND_BITS);
  return SOTTO_OK;
}

void sotto_i_check_token(uint8_t out[SOTTO_I_CHECK_KEY], const sotto_i_check_occasion *of) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, SOTTO_I_CHECK_KEY);
  crypto_generichash_update(&state, of->run, sizeof of->run);
  crypto_generichash_update(&state, (const uint8_t *)&of->round, sizeof of->round);
  crypto_generichash_update(&state, of->model, sizeof of->model);
  crypto_generichash_final(&state, out, SOTTO_I_CHECK_KEY);
}

static uint64_t root_above(uint64_t square) {
  uint64_t low = 0, high = (uint64_t)1 << 32;
  while (high - low > 1) { /* low^2 < square <= high^2 */
    const uint64_t middle = (low + high) / 2;
    if (middle * middle < square)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static size_t bit_length(uint64_t x) {
  size_t bits = 0;
  for (; x > 0; x >>= 1) bits++;
  return bits;
}

sotto_i_check_shape sotto_i_check_shape_of(const sotto_i_check_plan *plan) {
  sotto_i_check_shape s = {.reach = SOTTO_I_CHECK_WIDE * root_above(plan->bound)};
  s.norm_digits = bit_length(plan->bound);
  s.wrap_digits = bit_length(2 * s.reach);
  const size_t digits = s.norm_digits + SOTTO_I_PROJECTIONS * s.wrap_digits;
  s.squares = sotto_i_table_of_squares(plan->values);
  s.bits = sotto_i_table_of_bits(digits);
  s.squares_free = digits - SOTTO_I_CHECK_RANGES;
  s.bits_free = s.squares_free + SOTTO_I_TABLE_FREE * s.squares.width;
  s.squares_sum = s.bits_free + SOTTO_I_TABLE_FREE * s.bits.width;
  s.bits_sum = s.squares_sum + 2 * s.squares.nodes;
  s.proof = s.bits_sum + SOTTO_I_TABLE_FREE + s.bits.nodes;
  s.points = SOTTO_I_CHECK_REPEATS * (s.squares.width + s.bits.width + 2);
  return s;
}

sotto_i_check_sizes sotto_i_check_message_sizes(const sotto_i_check_plan *plan) {
  const sotto_i_check_shape shape = sotto_i_check_shape_of(plan);
  return (sotto_i_check_sizes){.proof = shape.proof, .points = shape.points};
}

sotto_i_check_range sotto_i_check_range_of(const sotto_i_check_plan *plan, const sotto_i_check_shape *shape,
                                           size_t range) {
  if (range == 0) return (sotto_i_check_range){.most = plan->bound, .digits = shape->norm_digits};
  return (sotto_i_check_range){.most = 2 * shape->reach,
                               .digits = shape->wrap_digits,
                               .first = shape->norm_digits + (range - 1) * shape->wrap_digits};
}

uint64_t sotto_i_check_digit_weight(const sotto_i_check_range *range, size_t digit) {
  const uint64_t power = (uint64_t)1 << digit;
  return digit + 1 < range->digits ? power : range->most - (power - 1);
}

static void put_number(crypto_generichash_state *state, uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (8 * i));
  crypto_generichash_update(state, bytes, sizeof bytes);
}

/* BLAKE2b of the purpose `name`, the plan, the client, and one or two strings of 32 bytes. */
static void derive(sotto_key *out, const char name[16], const sotto_i_check_plan *plan, uint32_t client,
                   const uint8_t *first, const uint8_t *second) {
  crypto_generichash_state state;
  SOTTO_I_CHECK(sodium_init() >= 0);
  crypto_generichash_init(&state, NULL, 0, sizeof out->bytes);
  crypto_generichash_update(&state, (const uint8_t *)name, 16);
  put_number(&state, plan->clients);
  put_number(&state, plan->least);
  put_number(&state, plan->values);
  put_number(&state, plan->bound);
  crypto_generichash_update(&state, plan->token, sizeof plan->token);
  put_number(&state, client);
  crypto_generichash_update(&state, first, SOTTO_I_CHECK_KEY);
  put_number(&state, second != NULL);
  if (second != NULL) crypto_generichash_update(&state, second, SOTTO_I_CHECK_KEY);
  crypto_generichash_final(&state, out->bytes, sizeof out->bytes);
  sodium_memzero(&state, sizeof state);
}

void sotto_i_check_vector_key(sotto_key *out, const sotto_i_check_plan *plan, uint32_t client,
                              const uint8_t seed[SOTTO_I_CHECK_KEY]) {
  derive(out, "checked vector  ", plan, client, seed, NULL);
  out->origin = SOTTO_KEY_SYSTEM;
}

void sotto_i_check_proof_key(sotto_key *out, const sotto_i_check_plan *plan, uint32_t client,
                             const uint8_t seed[SOTTO_I_CHECK_KEY],
                             const uint8_t challenge[SOTTO_I_CHECK_KEY]) {
  derive(out, "checked proof   ", plan, client, seed, challenge);
  out->origin = SOTTO_KEY_SYSTEM;
}

void sotto_i_check_public_key(sotto_key *out, const sotto_i_check_plan *plan,
                              const uint8_t challenge[SOTTO_I_CHECK_KEY],
                              const uint8_t coin[SOTTO_I_CHECK_KEY]) {
  derive(out, coin == NULL ? "checked signs   " : "checked points  ", plan, 0, challenge, coin);
  out->origin = SOTTO_KEY_PUBLIC;
}

void sotto_i_check_seal_key(sotto_key *out, const sotto_i_check_plan *plan, uint32_t client,
                            const uint8_t public_key[SOTTO_I_CHECK_KEY]) {
  derive(out, "checked seal    ", plan, client, public_key, NULL);
  out->origin = SOTTO_KEY_PUBLIC;
}

void sotto_i_check_signed_key(sotto_key *out, sotto_i_check_role by, const sotto_i_check_plan *plan,
                              uint32_t client, const uint8_t challenge[SOTTO_I_CHECK_KEY],
                              const uint8_t coin[SOTTO_I_CHECK_KEY]) {
  derive(out, by == SOTTO_I_CHECK_HELPER ? "checked refused " : "checked signed  ", plan, client, challenge,
         coin);
  out->origin = SOTTO_KEY_PUBLIC;
}

bool sotto_i_check_canonical(const uint64_t *words, size_t count) {
  uint64_t beyond = 0;
  for (size_t i = 0; i < count; i++) beyond |= words[i] >= SOTTO_I_PRIME;
  return beyond == 0;
}
