/* Shamir's scheme by libgfshare, with the system's randomness. */
#include <libgfshare.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "secure_sum.h"

static void fill_random(unsigned char *out, unsigned int size) {
  randombytes_buf(out, size);
}

static sotto_status no_memory(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_NOMEM, "no memory to share a secret");
}

/* libgfshare draws by a function pointer that the whole process shares: sets it to the system's generator. */
static void use_system_randomness(void) {
  __atomic_store_n(&gfshare_fill_rand, fill_random, __ATOMIC_RELAXED);
}

sotto_status sotto_i_sum_split(uint8_t *out, uint32_t count, uint32_t threshold,
                               const uint8_t secret[SOTTO_I_SUM_KEY], sotto_error *err) {
  unsigned char points[SOTTO_SUM_MOST_NEIGHBOURS], copy[SOTTO_I_SUM_KEY];
  SOTTO_I_CHECK(count <= SOTTO_SUM_MOST_NEIGHBOURS && threshold >= 1 && threshold <= count);
  use_system_randomness();
  for (uint32_t i = 0; i < count; i++) points[i] = (unsigned char)(i + 1);
  gfshare_ctx *context = gfshare_ctx_init_enc(points, count, (unsigned char)threshold, SOTTO_I_SUM_KEY);
  if (context == NULL) return no_memory(err);
  memcpy(copy, secret, sizeof copy);
  gfshare_ctx_enc_setsecret(context, copy);
  for (uint32_t i = 0; i < count; i++)
    gfshare_ctx_enc_getshare(context, (unsigned char)i, out + (size_t)i * SOTTO_I_SUM_KEY);
  gfshare_ctx_free(context);
  sodium_memzero(copy, sizeof copy);
  return SOTTO_OK;
}

sotto_status sotto_i_sum_join(uint8_t secret[SOTTO_I_SUM_KEY], const uint8_t *const *shares,
                              const uint32_t *places, uint32_t threshold, sotto_error *err) {
  unsigned char points[SOTTO_SUM_MOST_NEIGHBOURS], copy[SOTTO_I_SUM_KEY];
  SOTTO_I_CHECK(threshold <= SOTTO_SUM_MOST_NEIGHBOURS);
  use_system_randomness();
  for (uint32_t i = 0; i < threshold; i++) points[i] = (unsigned char)(places[i] + 1);
  gfshare_ctx *context = gfshare_ctx_init_dec(points, threshold, SOTTO_I_SUM_KEY);
  if (context == NULL) return no_memory(err);
  for (uint32_t i = 0; i < threshold; i++) {
    memcpy(copy, shares[i], sizeof copy);
    gfshare_ctx_dec_giveshare(context, (unsigned char)i, copy);
  }
  gfshare_ctx_dec_extract(context, secret);
  gfshare_ctx_free(context);
  sodium_memzero(copy, sizeof copy);
  return SOTTO_OK;
}
