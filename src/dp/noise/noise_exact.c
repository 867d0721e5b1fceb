/* The normals of noise_kernel.h in extended precision, one by one, for the rare draws near the middle between
 * two steps of the grid. */
#include <math.h>

#include "noise.h"

static void swap_values(long double *a, long double *b) {
  long double held = *a;
  *a = *b;
  *b = held;
}

void sotto_i_noise_pairs_exact(int32_t *first, int32_t *second, const uint64_t *radius, const uint64_t *angle,
                               size_t pairs, double sigma_in_steps) {
  const long double quarter_pi = 0.785398163397448309615660845819875721L;
  for (size_t i = 0; i < pairs; i++) {
    uint64_t word = angle[i];
    long double u = (long double)(radius[i] | 1) * 0x1p-64L;
    long double r = sqrtl(-2 * logl(u)) * (long double)sigma_in_steps;
    long double t = (long double)(word & UINT64_C(0xfffffffffffff)) * 0x1p-52L * quarter_pi;
    long double c = cosl(t), s = sinl(t);
    if ((word >> 61 & 1) != 0) swap_values(&c, &s);
    if ((word >> 63 & 1) != 0) c = -c;
    if ((word >> 62 & 1) != 0) s = -s;
    first[i] = (int32_t)rintl(r * c);
    second[i] = (int32_t)rintl(r * s);
  }
}
