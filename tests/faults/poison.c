/* A client of checked sums that poisons: the one that $SOTTO_POISON names, by its place, sends its values a
 * thousand times as large and proves what it can. The linker puts these functions in the place of the
 * library's (--wrap, tests/CMakeLists.txt). */
#include <stdlib.h>

#include "base/memory.h"
#include "party/checked_sum/check_inside.h"

sotto_status __real_sotto_i_check_share(uint64_t *shares, uint8_t *seed, const sotto_i_check_plan *plan,
                                        uint32_t client, const int64_t *values, sotto_error *err);
sotto_status __wrap_sotto_i_check_share(uint64_t *shares, uint8_t *seed, const sotto_i_check_plan *plan,
                                        uint32_t client, const int64_t *values, sotto_error *err);
sotto_status __real_sotto_i_check_prove(uint64_t *proof, const sotto_i_check_plan *plan, uint32_t client,
                                        const int64_t *values, const uint8_t *seed, const uint8_t *challenge,
                                        sotto_error *err);
sotto_status __wrap_sotto_i_check_prove(uint64_t *proof, const sotto_i_check_plan *plan, uint32_t client,
                                        const int64_t *values, const uint8_t *seed, const uint8_t *challenge,
                                        sotto_error *err);

static bool poisons(uint32_t client) {
  const char *asked = getenv("SOTTO_POISON");
  return asked != NULL && strtoul(asked, NULL, 10) == client + 1;
}

static sotto_status poisoned(uint64_t **out, const sotto_i_check_plan *plan, const int64_t *values,
                             sotto_error *err) {
  const sotto_status status = sotto_i_new(out, plan->values, sizeof **out, err);
  for (size_t i = 0; status == SOTTO_OK && i < plan->values; i++)
    (*out)[i] = sotto_i_prime_of(1000 * values[i]);
  return status;
}

sotto_status __wrap_sotto_i_check_share(uint64_t *shares, uint8_t *seed, const sotto_i_check_plan *plan,
                                        uint32_t client, const int64_t *values, sotto_error *err) {
  uint64_t *x;
  if (!poisons(client)) return __real_sotto_i_check_share(shares, seed, plan, client, values, err);
  sotto_status status = poisoned(&x, plan, values, err);
  if (status == SOTTO_OK) status = sotto_i_check_share_any(shares, seed, plan, client, x, err);
  sotto_i_free(x);
  return status;
}

sotto_status __wrap_sotto_i_check_prove(uint64_t *proof, const sotto_i_check_plan *plan, uint32_t client,
                                        const int64_t *values, const uint8_t *seed, const uint8_t *challenge,
                                        sotto_error *err) {
  uint64_t *x;
  bool fits;
  if (!poisons(client)) return __real_sotto_i_check_prove(proof, plan, client, values, seed, challenge, err);
  sotto_status status = poisoned(&x, plan, values, err);
  if (status == SOTTO_OK)
    status = sotto_i_check_prove_any(proof, &fits, plan, client, x, seed, challenge, err);
  sotto_i_free(x);
  return status;
}
