/* A client of a checked sum: shares of its vector, and the proof that it keeps the bound. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check_inside.h"

static void wipe(uint64_t *words, size_t count) {
  if (words != NULL) sodium_memzero(words, count * sizeof *words);
  sotto_i_free(words);
}

sotto_status sotto_i_check_share_any(uint64_t *shares, uint8_t seed[SOTTO_I_CHECK_KEY],
                                     const sotto_i_check_plan *plan, uint32_t client, const uint64_t *x,
                                     sotto_error *err) {
  uint64_t *theirs = NULL;
  sotto_key fresh, key;
  sotto_status status;
  SOTTO_TRY(sotto_i_check_plan_check(plan, err));
  SOTTO_TRY(sotto_i_new_raw(&theirs, plan->values, sizeof *theirs, err));
  sotto_key_system(&fresh);
  memcpy(seed, fresh.bytes, SOTTO_I_CHECK_KEY);
  sotto_i_check_vector_key(&key, plan, client, seed);
  sotto_i_prime_expand(theirs, plan->values, &key, 0);
  memcpy(shares, x, plan->values * sizeof *shares);
  sotto_i_prime_best()->subtract(shares, theirs, plan->values);
  sotto_key_wipe(&fresh);
  sotto_key_wipe(&key);
done:
  wipe(theirs, plan->values);
  return status;
}

/* The digits of a number, all but the last where they are sent; all, for the proof. */
static bool write_digits(uint64_t *sent, uint64_t *all, const sotto_i_check_range *range, uint64_t number) {
  const bool fits = number <= range->most;
  const size_t last = range->digits - 1;
  const bool top = fits && number >= (uint64_t)1 << last;
  const uint64_t rest = !fits ? range->most : top ? number - sotto_i_check_digit_weight(range, last) : number;
  for (size_t i = 0; i < last; i++) sent[i] = all[i] = rest >> i & 1;
  all[last] = top;
  return fits;
}

typedef struct prover {
  const sotto_i_check_plan *plan;
  sotto_i_check_shape shape;
  sotto_key key;
  uint64_t *digits, *sums, *theirs;
} prover;

static sotto_status prove_digits(uint64_t *proof, bool *fits, const prover *p, const uint64_t *x,
                                 sotto_error *err) {
  uint64_t projections[1][SOTTO_I_PROJECTIONS], number = sotto_i_prime_best()->dot(x, x, p->plan->values);
  sotto_status status = sotto_i_project(projections, &x, 1, p->plan->values, &p->key, err);
  *fits = true;
  for (size_t i = 0; status == SOTTO_OK && i < SOTTO_I_CHECK_RANGES; i++) {
    const sotto_i_check_range range = sotto_i_check_range_of(p->plan, &p->shape, i);
    if (i > 0) number = sotto_i_prime_add(projections[0][i - 1], p->shape.reach);
    *fits &= write_digits(proof + range.first - i, p->digits + range.first, &range, number);
  }
  sodium_memzero(projections, sizeof projections);
  return status;
}

/* That the digits are bits: G where it need not be zero. */
static sotto_status prove_bits(uint64_t *proof, const prover *p, sotto_error *err) {
  const sotto_i_check_shape *s = &p->shape;
  uint64_t *out = proof + s->bits_sum;
  sotto_status status = sotto_i_table_prove(p->sums, &s->bits, p->digits, proof + s->bits_free, true, err);
  if (status != SOTTO_OK) return status;
  for (size_t m = 0; m < SOTTO_I_TABLE_FREE; m++) *out++ = p->sums[2 * m];
  for (size_t m = 0; m < s->bits.nodes; m++) *out++ = p->sums[2 * m + 1];
  return SOTTO_OK;
}

sotto_status sotto_i_check_prove_any(uint64_t *proof, bool *fits, const sotto_i_check_plan *plan,
                                     uint32_t client, const uint64_t *x,
                                     const uint8_t seed[SOTTO_I_CHECK_KEY],
                                     const uint8_t challenge[SOTTO_I_CHECK_KEY], sotto_error *err) {
  prover p = {.plan = plan};
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  sotto_status status;
  SOTTO_TRY(sotto_i_check_plan_check(plan, err));
  p.shape = sotto_i_check_shape_of(plan);
  const sotto_i_check_shape *s = &p.shape;
  SOTTO_TRY(sotto_i_new(&p.digits, s->bits.values, sizeof *p.digits, err));
  SOTTO_TRY(sotto_i_new(&p.sums, 2 * s->bits.nodes, sizeof *p.sums, err));
  SOTTO_TRY(sotto_i_new(&p.theirs, s->proof, sizeof *p.theirs, err));
  sotto_i_check_public_key(&p.key, plan, challenge, NULL);
  SOTTO_TRY(prove_digits(proof, fits, &p, x, err));
  sotto_key_system(&key);
  sotto_i_prime_expand(proof + s->squares_free, s->squares_sum - s->squares_free, &key, 0);
  SOTTO_TRY(sotto_i_table_prove(proof + s->squares_sum, &s->squares, x, proof + s->squares_free, false, err));
  SOTTO_TRY(prove_bits(proof, &p, err));
  sotto_i_check_proof_key(&key, plan, client, seed, challenge);
  sotto_i_prime_expand(p.theirs, s->proof, &key, 0);
  sotto_i_prime_best()->subtract(proof, p.theirs, s->proof);
done:
  sotto_key_wipe(&key);
  wipe(p.digits, p.shape.bits.values);
  wipe(p.sums, 2 * p.shape.bits.nodes);
  wipe(p.theirs, p.shape.proof);
  return status;
}

/* The vector modulo p; its sum of squares has to keep the bound. */
static sotto_status field_new(uint64_t **out, const sotto_i_check_plan *plan, const int64_t *values,
                              sotto_error *err) {
  uint64_t left = plan->bound;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_check_plan_check(plan, err));
  SOTTO_TRY(sotto_i_new_raw(out, plan->values, sizeof **out, err));
  for (size_t i = 0; i < plan->values; i++) {
    const uint64_t size = values[i] < 0 ? 0 - (uint64_t)values[i] : (uint64_t)values[i];
    if (size >= (uint64_t)1 << 32 || size * size > left) {
      status = sotto_i_fail(err, SOTTO_RANGE, "the squares of the vector sum to more than %llu",
                            (unsigned long long)plan->bound);
      goto done;
    }
    left -= size * size;
    (*out)[i] = sotto_i_prime_of(values[i]);
  }
done:
  return status;
}

sotto_status sotto_i_check_share(uint64_t *shares, uint8_t seed[SOTTO_I_CHECK_KEY],
                                 const sotto_i_check_plan *plan, uint32_t client, const int64_t *values,
                                 sotto_error *err) {
  uint64_t *x;
  sotto_status status = field_new(&x, plan, values, err);
  if (status == SOTTO_OK) status = sotto_i_check_share_any(shares, seed, plan, client, x, err);
  wipe(x, plan->values);
  return status;
}

sotto_status sotto_i_check_prove(uint64_t *proof, const sotto_i_check_plan *plan, uint32_t client,
                                 const int64_t *values, const uint8_t seed[SOTTO_I_CHECK_KEY],
                                 const uint8_t challenge[SOTTO_I_CHECK_KEY], sotto_error *err) {
  uint64_t *x;
  bool fits = true;
  sotto_status status = field_new(&x, plan, values, err);
  if (status == SOTTO_OK)
    status = sotto_i_check_prove_any(proof, &fits, plan, client, x, seed, challenge, err);
  if (status == SOTTO_OK && !fits)
    status =
        sotto_i_fail(err, SOTTO_NUMERIC,
                     "a random projection of the vector is out of its range; take part in the next round");
  wipe(x, plan->values);
  return status;
}
