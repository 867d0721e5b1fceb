/* The binomial square root of counting, in whole steps.
 *
 * Prefix sums are A x, where A is lower triangular with ones. A = C C with C(t, s) = c(t - s), since the
 * power series of c is (1 - x)^(-1/2). Night t releases row t of C D x plus noise. The diagonal D gives all
 * columns norm 1, so that an edge has the same privacy cost in whichever night it appears, and late nights
 * weigh it most. The first night brings more edges than any other, and all later nights use the early
 * releases of these. Its column is therefore that of (1 - x)^(-0.3), which begins higher and falls faster. */
#include "continual.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* The power series of (1 - x)^-power. */
static void fill_series(double *c, uint32_t count, double power) {
  c[0] = 1;
  for (uint32_t k = 1; k < count; k++) c[k] = c[k - 1] * (k - 1 + power) / k;
}

sotto_status sotto_i_continual_new(sotto_i_continual *out, uint32_t nights, double step, sotto_error *err) {
  double *c = NULL;
  sotto_status status;
  *out = (sotto_i_continual){.nights = nights, .step = step};
  if (nights < 1 || nights > SOTTO_I_MOST_NIGHTS)
    return sotto_i_fail(err, SOTTO_RANGE, "nights: %u; a plan has 1 to %d", (unsigned)nights,
                        SOTTO_I_MOST_NIGHTS);
  if (!(step >= 0x1p-24 && step <= 0x1p-6))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "the noise of all nights together has a step of %g, and it must be 2^-24 to 2^-6: "
                        "epsilon is too small or too large",
                        step);
  SOTTO_TRY(sotto_i_new(&out->weights, (size_t)nights * nights, sizeof *out->weights, err));
  SOTTO_TRY(sotto_i_new_raw(&c, nights, sizeof *c, err));
  for (uint32_t s = 0; s < nights; s++) {
    if (s <= 1) fill_series(c, nights, s == 0 ? 0.3 : 0.5);
    double square = 0;
    for (uint32_t k = 0; k < nights - s; k++) square += c[k] * c[k];
    for (uint32_t t = s; t < nights; t++)
      out->weights[(size_t)t * nights + s] = (int32_t)floor(c[t - s] / sqrt(square) / step * (1 - 0x1p-40));
  }
done:
  sotto_i_free(c);
  if (status != SOTTO_OK) sotto_i_continual_free(out);
  return status;
}

void sotto_i_continual_free(sotto_i_continual *c) {
  sotto_i_free(c->weights);
  *c = (sotto_i_continual){0};
}

/* An appearing record adds a column p without negative entries, a vanishing one subtracts such a q. |p - q|^2
 * <= |p|^2 + |q|^2, whichever entries of the vectors they change. */
double sotto_i_continual_sensitivity(double once, uint32_t changes) {
  return once * sqrt((double)changes);
}
