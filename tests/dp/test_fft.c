/* The transform against the sum that defines it. */
#include <math.h>

#include "check.h"
#include "dp/account/fft.h"

static void random_values(double *x, size_t size, sotto_i_random *random) {
  for (size_t j = 0; j < size; j++) x[j] = sotto_i_random_double(random) - 0.3;
}

static void forward_equals_the_defining_sum(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t size = 8; size <= 1024; size *= 2) {
    sotto_i_fft fft;
    double x[1024], re[513], im[513];
    CHECK_OK(sotto_i_fft_new(&fft, size, &err));
    random_values(x, size, &random);
    sotto_i_fft_forward(&fft, re, im, x);
    for (size_t k = 0; k <= size / 2; k++) {
      double wanted_re = 0, wanted_im = 0;
      for (size_t j = 0; j < size; j++) {
        double angle = 2 * 3.14159265358979323846 * (double)(j * k % size) / (double)size;
        wanted_re += x[j] * cos(angle);
        wanted_im -= x[j] * sin(angle);
      }
      CHECK_NEAR(re[k], wanted_re, 1e-12);
      CHECK_NEAR(im[k], wanted_im, 1e-12);
    }
    sotto_i_fft_free(&fft);
  }
}

static void inverse_undoes_forward_to_rounding_at_every_size(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t size = 8; size <= 1 << 17; size *= 2) {
    sotto_i_fft fft;
    double *x = malloc(size * sizeof *x), *back = malloc(size * sizeof *back);
    double *re = malloc((size / 2 + 1) * sizeof *re), *im = malloc((size / 2 + 1) * sizeof *im), worst = 0;
    CHECK_OK(sotto_i_fft_new(&fft, size, &err));
    random_values(x, size, &random);
    sotto_i_fft_forward(&fft, re, im, x);
    sotto_i_fft_inverse(&fft, back, re, im);
    for (size_t j = 0; j < size; j++) worst = fmax(worst, fabs(back[j] - x[j]));
    if (worst > 4e-16 * log2((double)size)) fail_msg("size %zu: off by %g", size, worst);
    sotto_i_fft_free(&fft);
    free(x);
    free(back);
    free(re);
    free(im);
  }
}

static void products_of_transforms_are_circular_convolutions(void **state) {
  (void)state;
  enum { size = 64 };
  sotto_i_random random = check_random();
  sotto_i_fft fft;
  double a[size], b[size], got[size], ar[size / 2 + 1], ai[size / 2 + 1], br[size / 2 + 1], bi[size / 2 + 1];
  CHECK_OK(sotto_i_fft_new(&fft, size, &err));
  random_values(a, size, &random);
  random_values(b, size, &random);
  sotto_i_fft_forward(&fft, ar, ai, a);
  sotto_i_fft_forward(&fft, br, bi, b);
  for (size_t k = 0; k <= size / 2; k++) {
    double re = ar[k] * br[k] - ai[k] * bi[k];
    ai[k] = ar[k] * bi[k] + ai[k] * br[k];
    ar[k] = re;
  }
  sotto_i_fft_inverse(&fft, got, ar, ai);
  for (size_t k = 0; k < size; k++) {
    double wanted = 0;
    for (size_t j = 0; j < size; j++) wanted += a[j] * b[(k + size - j) % size];
    CHECK_NEAR(got[k], wanted, 1e-13);
  }
  sotto_i_fft_free(&fft);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_equals_the_defining_sum),
      cmocka_unit_test(inverse_undoes_forward_to_rounding_at_every_size),
      cmocka_unit_test(products_of_transforms_are_circular_convolutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
