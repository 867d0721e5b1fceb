/* A planted fault: noise keyed by the place of a row among the rows of a rank, so that rows of several ranks
 * have the same noise, and their difference has none. With one rank nothing differs. */
#include "dp/noise/noise.h"

void __wrap_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma,
                                     const sotto_key *key, uint32_t sub, uint64_t first);
void __real_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma,
                                     const sotto_key *key, uint32_t sub, uint64_t first);

void __wrap_sotto_i_noise_steps(int32_t *out, size_t count, double sigma, const sotto_key *key, uint32_t sub,
                                uint64_t row);
void __real_sotto_i_noise_steps(int32_t *out, size_t count, double sigma, const sotto_key *key, uint32_t sub,
                                uint64_t row);

void __wrap_sotto_i_noise_steps(int32_t *out, size_t count, double sigma, const sotto_key *key, uint32_t sub,
                                uint64_t row) {
  static uint64_t place, last;
  place = row < last ? 0 : place;
  last = row;
  __real_sotto_i_noise_steps(out, count, sigma, key, sub, place++);
}

void __wrap_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma,
                                     const sotto_key *key, uint32_t sub, uint64_t first) {
  static uint64_t place, last;
  place = first < last ? 0 : place; /* of the next pass over the rows */
  last = first;
  __real_sotto_i_noise_steps_rows(out, rows, cols, sigma, key, sub, place++);
}
