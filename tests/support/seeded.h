/* The system's randomness in test programs: a stream by a seed, so that a test that passes once passes again.
 */
#ifndef SOTTO_TESTS_SUPPORT_SEEDED_H
#define SOTTO_TESTS_SUPPORT_SEEDED_H

#include <stdint.h>

/* From now on libsodium's random bytes, of which keys are made, follow from the seed. Processes that are
 * forked have streams of their own, by their order; threads share one. */
void check_seed_system(uint64_t seed);

#endif
