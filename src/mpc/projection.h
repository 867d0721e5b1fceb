/* Random projections of vectors modulo p. They are linear: a share of <z, x> follows from a share of x.
 *
 * Each entry of each z is 0 with probability 1/2, and 1 or -1 with probability 1/4 each, independently.
 * Let -p/2 < x_j < p/2 be integers and T <= 2^28.
 *
 * - If sum x_j^2 <= S over the integers, |<z, x>| > a sqrt(S) with probability at most 2 exp(-a^2): z_j is
 *   sub-Gaussian, E exp(t z_j) = cosh(t / 2)^2 <= exp(t^2 / 4).
 * - If sum x_j^2 >= p, <z, x> modulo p is in [-T, T] with probability at most 1/2 (proof in
 *   docs/checked-sums.md).
 *
 * So tests with many z distinguish a sum of squares below p from one that wrapped around it (Rothblum,
 * Omri, Chen and Talwar 2024). */
#ifndef SOTTO_SRC_MPC_PROJECTION_H
#define SOTTO_SRC_MPC_PROJECTION_H

#include "sotto/base.h"

enum { SOTTO_I_PROJECTIONS = 88, SOTTO_I_PROJECTION_BLOCK = 512 };

/* out[v][k] = <z_k, vectors[v]> modulo p, for `count` vectors of `size` <= 2^26 numbers below p. All z are
 * derived from the key. On all threads. O(size count SOTTO_I_PROJECTIONS). Drawing the z costs as much as
 * five vectors, so project several vectors in one call. Errors: NOMEM. */
sotto_status sotto_i_project(uint64_t (*out)[SOTTO_I_PROJECTIONS], const uint64_t *const *vectors,
                             size_t count, size_t size, const sotto_key *key, sotto_error *err);

/* The same with given kernels. */
typedef struct sotto_i_projection_kernels {
  /* signs[count][SOTTO_I_PROJECTIONS], each -1, 0 or 1, from two bits: of one byte the bits that add, of
   * the next the bits that subtract. */
  void (*unpack)(double *signs, const uint8_t *bytes, size_t count);
  /* out[rows][SOTTO_I_PROJECTIONS] = numbers[rows][SOTTO_I_PROJECTION_BLOCK] times the signs of `count`
   * columns. `rows` is even, and all rows are 64-byte aligned. */
  void (*multiply)(double *out, const double *numbers, const double *signs, size_t rows, size_t count);
} sotto_i_projection_kernels;
extern const sotto_i_projection_kernels sotto_i_projection_plain;
#if defined(__x86_64__)
extern const sotto_i_projection_kernels sotto_i_projection_avx2, sotto_i_projection_avx512;
#endif
sotto_status sotto_i_project_by(const sotto_i_projection_kernels *kernels,
                                uint64_t (*out)[SOTTO_I_PROJECTIONS], const uint64_t *const *vectors,
                                size_t count, size_t size, const sotto_key *key, sotto_error *err);

#endif
