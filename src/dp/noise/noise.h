/* Gaussian noise in whole steps of a grid, from ChaCha20, for this room and for fused message passing. */
#ifndef SOTTO_SRC_DP_NOISE_NOISE_H
#define SOTTO_SRC_DP_NOISE_NOISE_H

#include "sotto/dp.h"

/* Outputs are clamped to this many steps on either side, so that each is exact in float32. */
#define SOTTO_I_GRID_LIMIT 16777216.0

/* `count` independent draws of round(N(0, sigma_in_steps^2)), from the stream (key, NOISE, sub, row): the
 * same on every machine, whichever kernel runs. sigma_in_steps in (0, 2^26]; sub < 2^24; the key is SYSTEM or
 * INSECURE (a broken invariant otherwise). Wipe `out` after use: with the output it gives the input away. */
void sotto_i_noise_steps(int32_t *out, size_t count, double sigma_in_steps, const sotto_key *key,
                         uint32_t sub, uint64_t row);

/* What sotto_i_noise_steps gives of `rows` rows from row `first` on, one after the other: out[rows * cols].
 * Narrow rows are made several at a time; sotto_i_noise_together says how many it pays to ask for at once, 1
 * for wide ones. */
void sotto_i_noise_steps_rows(int32_t *out, size_t rows, size_t cols, double sigma_in_steps,
                              const sotto_key *key, uint32_t sub, uint64_t first);
size_t sotto_i_noise_together(size_t cols);

/* row := clamp(round(row / step) + noise) * step, with the noise of (key, NOISE, sub, row_index): what
 * sotto_grid_add_noise does to each row. Any float is taken; one that is not finite gives a value that is not
 * to be relied on, so callers check before. Allocates nothing. */
void sotto_i_grid_add_row(const sotto_grid *grid, float *row, size_t cols, const sotto_key *key, uint32_t sub,
                          uint64_t row_index);

/* Errors: NUMERIC, naming the first value that is not finite. On all threads. */
sotto_status sotto_i_check_finite(const sotto_matrix *x, sotto_error *err);
/* Errors: RANGE, INVALID unless sotto_grid_new made the grid. */
sotto_status sotto_i_check_grid(const sotto_grid *grid, sotto_error *err);

/* The kernels. pairs: first[i], second[i] are the two normals of the words radius[i] (64 bits of u) and
 * angle[i]; true when one of them lies too near the middle between two integers for double precision to tell
 * which is the nearer, and sotto_i_noise_pairs_exact has to be asked. apply: the rounding, addition and clamp
 * of a row. */
typedef bool (*sotto_i_noise_pairs_fn)(int32_t *first, int32_t *second, const uint64_t *radius,
                                       const uint64_t *angle, size_t pairs, double sigma_in_steps);
typedef void (*sotto_i_grid_apply_fn)(float *row, const int32_t *noise, size_t cols, double step);

/* The same in extended precision: slow, and right where the kernels are in doubt. */
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
