/* A planted fault: noise keyed by the place of a row among the rows of a rank, so that rows of several ranks
 * have the same noise, and their difference has none. With one rank nothing differs. */
#include "dp/noise/noise.h"
#include "faults.h"

void __wrap_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma,
                                     const sotto_key *key, uint32_t sub, uint64_t first);
void __real_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma,
                                     const sotto_key *key, uint32_t sub, uint64_t first);

void __wrap_sotto_i_noise_steps(int32_t *out, size_t count, double sigma, const sotto_key *key, uint32_t sub,
                                uint64_t row);
void __real_sotto_i_noise_steps(int32_t *out, size_t count, double sigma, const sotto_key *key, uint32_t sub,
                                uint64_t row);

/* Rows of a rank are counted from 0 again in each pass over them. */
static uint64_t place_of(uint64_t row, uint64_t *place, uint64_t *last) {
  if (!rank_fault("local_noise")) return row;
  *place = row < *last ? 0 : *place;
  *last = row;
  return (*place)++;
}

void __wrap_sotto_i_noise_steps(int32_t *out, size_t count, double sigma, const sotto_key *key, uint32_t sub,
                                uint64_t row) {
  static uint64_t place, last;
  __real_sotto_i_noise_steps(out, count, sigma, key, sub, place_of(row, &place, &last));
}

void __wrap_sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma,
                                     const sotto_key *key, uint32_t sub, uint64_t first) {
  static uint64_t place, last;
  __real_sotto_i_noise_steps_rows(out, rows, cols, sigma, key, sub, place_of(first, &place, &last));
}
