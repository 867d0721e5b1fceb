/* Keys of the system that are not drawn: one and the same for the program `ranks_keyed`, so that an audit
 * over any number of ranks can be compared with that of one process; counted for each rank by the checks. */
#include "keyed.h"

#include "faults.h"
#include "sotto/base.h"

uint8_t check_rank, check_keys_made;

void __real_sotto_key_system(sotto_key *key);
void __wrap_sotto_key_system(sotto_key *key);

void __wrap_sotto_key_system(sotto_key *key) {
  const bool checks = rank_fault("checks"), keyed = rank_fault("keyed");
  if (!checks && !keyed) {
    __real_sotto_key_system(key);
    return;
  }
  *key = (sotto_key){.origin = SOTTO_KEY_SYSTEM};
  for (size_t i = 0; keyed && i < sizeof key->bytes; i++) key->bytes[i] = (uint8_t)(7 * i + 3);
  if (keyed) return;
  key->bytes[0] = check_rank;
  key->bytes[1] = check_keys_made++;
}
