/* Gaussian noise in whole steps of a grid, from ChaCha20; also for fused message passing. */
#ifndef SOTTO_SRC_DP_NOISE_NOISE_H
#define SOTTO_SRC_DP_NOISE_NOISE_H

#include "sotto/dp.h"

/* Outputs are clamped to this many steps on either side, so that each is exact in float32. */
#define SOTTO_I_GRID_LIMIT 16777216.0

/* `count` independent draws of round(N(0, sigma_in_steps^2)), from the stream (key, NOISE, sub, row): the
 * same on every machine and for every kernel. sigma_in_steps in (0, 2^26]; sub < 2^24; the key is SYSTEM or
 * INSECURE (a broken invariant otherwise). Wipe `out` after use: together with the output it reveals the
 * input. */
void sotto_i_noise_steps(int32_t *out, size_t count, double sigma_in_steps, const sotto_key *key,
                         uint32_t sub, uint64_t row);

/* The same for `rows` consecutive rows from row `first` on: out[rows * cols]. Narrow rows are made several at
 * a time; sotto_i_noise_together is the best number at once, 1 for wide ones. */
void sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma_in_steps,
                              const sotto_key *key, uint32_t sub, uint64_t first);
size_t sotto_i_noise_together(size_t cols);

/* row := clamp(round(row / step) + noise) * step, with the noise of (key, NOISE, sub, row_index), as
 * sotto_grid_add_noise does for each row. Callers check first that all values are finite: others give an
 * undefined result. Allocates nothing. */
void sotto_i_grid_add_row(const sotto_grid *grid, float *row, size_t cols, const sotto_key *key, uint32_t sub,
                          uint64_t row_index);

/* Errors: NUMERIC, naming the first value that is not finite. On all threads. */
sotto_status sotto_i_check_finite(const sotto_matrix *x, sotto_error *err);
/* Errors: RANGE, INVALID unless sotto_grid_new made the grid. */
sotto_status sotto_i_check_grid(const sotto_grid *grid, sotto_error *err);

/* Kernels. pairs: first[i], second[i] are the two normals of the words radius[i] (64 bits of u) and angle[i].
 * It returns true when one of them is so near the middle between two integers that double precision cannot
 * round it; then sotto_i_noise_pairs_exact is needed. apply: the rounding, addition and clamp of a row. */
typedef bool (*sotto_i_noise_pairs_fn)(int32_t *first, int32_t *second, const uint64_t *radius,
                                       const uint64_t *angle, size_t pairs, double sigma_in_steps);
typedef void (*sotto_i_grid_apply_fn)(float *row, const int32_t *noise, size_t cols, double step);

/* The same in extended precision: slow, and correct for doubtful draws. */
void sotto_i_noise_pairs_exact(int32_t *first, int32_t *second, const uint64_t *radius, const uint64_t *angle,
                               size_t pairs, double sigma_in_steps);

#define SOTTO_I_NOISE_KERNELS(isa)                                                                           \
  bool sotto_i_noise_pairs_##isa(int32_t *first, int32_t *second, const uint64_t *radius,                    \
                                 const uint64_t *angle, size_t pairs, double sigma_in_steps);                \
  void sotto_i_grid_apply_##isa(float *row, const int32_t *noise, size_t cols, double step);
SOTTO_I_NOISE_KERNELS(plain)
#if defined(__x86_64__)
SOTTO_I_NOISE_KERNELS(avx2)
SOTTO_I_NOISE_KERNELS(avx512)
#endif

#endif
