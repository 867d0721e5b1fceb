/* Keys of a helper and sealed seeds that come from a leader: any bytes but the true ones are refused, and
 * what opens is what was sealed. The first byte says which of the two is changed, the rest where and by what.
 */
#include <stdlib.h>
#include <string.h>

#include "party/checked_sum/check_links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { clients = 2, owner = 1 };

static void apply(uint8_t *message, size_t length, const uint8_t *data, size_t size) {
  for (size_t i = 0; i + 2 <= size; i += 2) message[data[i] % length] ^= data[i + 1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t publics[clients + 1][SOTTO_SUM_PUBLIC], secrets[clients + 1][SOTTO_SUM_SECRET];
  static uint8_t true_key[SOTTO_I_CHECK_SIGNED_KEY], secret[SOTTO_I_CHECK_KEY];
  static const sotto_i_check_plan plan = {.clients = clients, .least = 1, .values = 3, .bound = 4};
  const sotto_i_check_signers helper = {publics[0], publics[clients], secrets[clients]};
  const sotto_i_check_signers client = {publics[0], publics[clients], secrets[owner]};
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], box[SOTTO_I_CHECK_BOX], whole[SOTTO_I_CHECK_BOX];
  uint8_t seed[SOTTO_I_CHECK_KEY] = {1, 2, 3}, found[SOTTO_I_CHECK_KEY], opening[SOTTO_I_CHECK_KEY];
  if (size < 1) return 0;
  if (publics[0][0] == 0 && publics[1][0] == 0) {
    for (int i = 0; i <= clients; i++) sotto_sum_signer_new(publics[i], secrets[i]);
    sotto_i_check_key_new(true_key, secret, &plan, &helper);
  }
  memcpy(key, true_key, sizeof key);
  if (data[0] % 2 == 0) apply(key, sizeof key, data + 1, size - 1);
  const bool same_key = memcmp(key, true_key, sizeof key) == 0;
  const sotto_status status = sotto_i_check_seal(box, opening, &plan, owner, seed, key, &client, NULL);
  if ((status == SOTTO_OK) != same_key) abort();
  if (status != SOTTO_OK) return 0;
  memcpy(whole, box, sizeof box);
  if (data[0] % 2 == 1) apply(box, sizeof box, data + 1, size - 1);
  if (sotto_i_check_is_sealed(box, seed, opening, key) !=
      (memcmp(box, whole, sizeof box - SOTTO_SUM_SIGNATURE) == 0))
    abort();
  const bool opens = sotto_i_check_open(found, &plan, owner, box, key, secret, &helper);
  if (opens != (memcmp(box, whole, sizeof box) == 0)) abort();
  if (opens && memcmp(found, seed, sizeof seed) != 0) abort();
  return 0;
}
