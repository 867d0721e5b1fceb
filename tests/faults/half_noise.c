/* A fault in noise: every draw is half as wide as it was asked for, behind the back of plans, statements and
 * charges. The linker puts these functions in the place of the library's (--wrap, tests/CMakeLists.txt). */
#include "dp/noise/exact.h"
#include "dp/noise/noise.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "sotto/pmp.h"

#define HALVE(type, name, parameters, arguments)                                                             \
  type __real_##name parameters;                                                                             \
  type __wrap_##name parameters;                                                                             \
  type __wrap_##name parameters {                                                                            \
    return __real_##name arguments;                                                                          \
  }
#define PAIRS                                                                                                \
  (int32_t * first, int32_t * second, const uint64_t *radius, const uint64_t *angle, size_t pairs,           \
   double sigma_in_steps)
#define HALF_PAIRS (first, second, radius, angle, pairs, sigma_in_steps / 2)

HALVE(bool, sotto_i_noise_pairs_plain, PAIRS, HALF_PAIRS)
#if defined(__x86_64__)
HALVE(bool, sotto_i_noise_pairs_avx2, PAIRS, HALF_PAIRS)
HALVE(bool, sotto_i_noise_pairs_avx512, PAIRS, HALF_PAIRS)
#endif
HALVE(int64_t, sotto_i_discrete_laplace, (sotto_i_random * random, uint64_t numerator, uint64_t denominator),
      (random, 2 * numerator, denominator))
HALVE(int64_t, sotto_i_discrete_gaussian, (sotto_i_random * random, uint32_t mantissa, int shift),
      (random, mantissa, shift + 1))

void __real_sotto_i_noise_pairs_exact PAIRS;
void __wrap_sotto_i_noise_pairs_exact PAIRS;
void __wrap_sotto_i_noise_pairs_exact PAIRS {
  __real_sotto_i_noise_pairs_exact HALF_PAIRS;
}

/* Answers that are not true come half as often. */
sotto_status __real_sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                              const sotto_edge_response *response, const sotto_key *key,
                                              uint32_t sub, sotto_error *err);
sotto_status __wrap_sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                              const sotto_edge_response *response, const sotto_key *key,
                                              uint32_t sub, sotto_error *err);
sotto_status __wrap_sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                              const sotto_edge_response *response, const sotto_key *key,
                                              uint32_t sub, sotto_error *err) {
  sotto_edge_response half = *response;
  half.keep = half.keep / 2 + (UINT64_C(1) << 63);
  half.add /= 2;
  return __real_sotto_edge_response_apply(out, graph, &half, key, sub, err);
}

sotto_status __real_sotto_subset_apply(int32_t *answers, const int32_t *values, size_t count,
                                       const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                                       sotto_error *err);
sotto_status __wrap_sotto_subset_apply(int32_t *answers, const int32_t *values, size_t count,
                                       const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                                       sotto_error *err);
sotto_status __wrap_sotto_subset_apply(int32_t *answers, const int32_t *values, size_t count,
                                       const sotto_subset *subset, const sotto_key *key, uint32_t sub,
                                       sotto_error *err) {
  sotto_subset half = *subset;
  half.flip /= 2;
  return __real_sotto_subset_apply(answers, values, count, &half, key, sub, err);
}

sotto_status __real_sotto_response_apply(int32_t *values, size_t count, const sotto_response *response,
                                         const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_status __wrap_sotto_response_apply(int32_t *values, size_t count, const sotto_response *response,
                                         const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_status __wrap_sotto_response_apply(int32_t *values, size_t count, const sotto_response *response,
                                         const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_response half = *response;
  half.flip /= 2;
  return __real_sotto_response_apply(values, count, &half, key, sub, err);
}

sotto_status __real_sotto_multibit_encode(int8_t *codes, const sotto_matrix *x, const sotto_multibit *encoder,
                                          const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_status __wrap_sotto_multibit_encode(int8_t *codes, const sotto_matrix *x, const sotto_multibit *encoder,
                                          const sotto_key *key, uint32_t sub, sotto_error *err);
sotto_status __wrap_sotto_multibit_encode(int8_t *codes, const sotto_matrix *x, const sotto_multibit *encoder,
                                          const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_multibit half = *encoder;
  half.flip /= 2;
  return __real_sotto_multibit_encode(codes, x, &half, key, sub, err);
}
