/* Fast Fourier transform of real data in double precision, for privacy loss distributions. */
#ifndef SOTTO_SRC_DP_ACCOUNT_FFT_H
#define SOTTO_SRC_DP_ACCOUNT_FFT_H

#include "base/error.h"

/* After a cancellation the work ends early, here and in the files that compose. The results are then not
 * usable, and the caller checks with sotto_i_check_interrupt. */

/* Tables and scratch for transforms of one size. Not to be used by two threads at once. */
typedef struct sotto_i_fft {
  size_t size;                                         /* number of real values, a power of two >= 8 */
  double *cosines, *sines;                             /* cos and sin of 2 pi k / size, k < 3 size / 4 */
  double *scratch_re, *scratch_im, *half_re, *half_im; /* size / 2 each */
} sotto_i_fft;

/* Errors: NOMEM. `size` is a power of two, 8 to 2^26. */
sotto_status sotto_i_fft_new(sotto_i_fft *out, size_t size, sotto_error *err);
void sotto_i_fft_free(sotto_i_fft *fft);

/* X_k = sum_j x_j exp(-2 pi i j k / size) for k = 0 .. size/2: `re` and `im` hold size/2 + 1 values each.
 * Error of each value: about 3e-16 log2(size) |x|_2. Cost: 2.5 size log2(size) flops. */
void sotto_i_fft_forward(sotto_i_fft *fft, double *re, double *im, const double *x);

/* The inverse, with its factor 1/size: `x` holds size values. im[0] and im[size/2] are not read. */
void sotto_i_fft_inverse(sotto_i_fft *fft, double *x, const double *re, const double *im);

#endif
