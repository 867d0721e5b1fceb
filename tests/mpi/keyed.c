/* A program whose keys of the system are one and the same, so that an audit over any number of ranks can be
 * compared with that of one process. */
#include "sotto/base.h"

void __wrap_sotto_key_system(sotto_key *key);

void __wrap_sotto_key_system(sotto_key *key) {
  *key = (sotto_key){.origin = SOTTO_KEY_SYSTEM};
  for (size_t i = 0; i < sizeof key->bytes; i++) key->bytes[i] = (uint8_t)(7 * i + 3);
}
