/* Forty-one extreme points against an independent program: noise far below and far above what is usual, up to
 * 10^7 runs, delta from 0.1 to 1e-90. The table is what tests/dp/extreme_points.py prints (mpmath in 60
 * digits, and Monte Carlo where the last column is not 0: the part by which the value may be off). */
#include <math.h>

#include "check.h"
#include "sotto/dp.h"

static const struct {
  const char *text;
  double delta, epsilon, known_to;
} points[] = {
    {"gaussian noise=0.002 count=1", 1e-06, 127375.716879223, 0.0e+00},
    {"gaussian noise=0.0011 count=1", 1e-12, 419617.129641114, 0.0e+00},
    {"gaussian noise=1000 count=10000000", 1e-06, 19.4236564740311, 0.0e+00},
    {"gaussian noise=1000000.0 count=10000000", 0.001, 0.000563672663775697, 0.0e+00},
    {"gaussian noise=1000000.0 count=1", 1e-09, 2.71780592879722e-06, 0.0e+00},
    {"gaussian noise=5 count=100", 1e-90, 42.0907977244255, 0.0e+00},
    {"gaussian noise=0.01 count=1", 0.1, 5127.16154231522, 0.0e+00},
    {"gaussian noise=0.05 count=1000000", 1e-05, 200085296.815985, 0.0e+00},
    {"contractive noise=0.01 layers=50 lipschitz=0.9", 1e-05, 95874.2747619023, 0.0e+00},
    {"randomized-response epsilon=600 choices=2 count=3", 1e-06, 1799.999999, 0.0e+00},
    {"randomized-response epsilon=40 choices=2 count=5", 1e-09, 199.999999999, 0.0e+00},
    {"randomized-response epsilon=0.01 choices=10 count=60", 1e-09, 0.183398080416263, 0.0e+00},
    {"randomized-response epsilon=0.001 choices=2 count=2000", 0.0001, 0.111002480199639, 0.0e+00},
    {"randomized-response epsilon=300 choices=7 count=4", 1e-30, 1200, 0.0e+00},
    {"multibit epsilon=5 sampled=10 count=10", 1e-06, 33.3197882385373, 0.0e+00},
    {"laplace noise=0.001", 0.001, 999.997998999333, 0.0e+00},
    {"laplace noise=0.5", 1e-09, 1.999999998, 0.0e+00},
    {"laplace noise=100000.0", 1e-07, 9.79999999e-06, 0.0e+00},
    {"discrete-gaussian noise=0.02 sensitivity=1 count=3", 1e-06, 3749.999999, 0.0e+00},
    {"discrete-gaussian noise=0.3 sensitivity=1 count=1", 1e-05, 16.6640566149134, 0.0e+00},
    {"discrete-gaussian noise=0.25 sensitivity=3 count=1", 1e-09, 119.999997017075, 0.0e+00},
    {"discrete-gaussian noise=0.5 sensitivity=1 count=2", 1e-08, 19.850959901909, 0.0e+00},
    {"discrete-gaussian noise=0.1 sensitivity=1 count=4", 0.001, 199.998999499666, 0.0e+00},
    {"discrete-gaussian noise=3 sensitivity=1 count=2", 1e-06, 2.10617611582466, 0.0e+00},
    {"subsampled-gaussian rate=0.01 noise=0.02", 0.005, 1244.39496299831, 0.0e+00},
    {"subsampled-gaussian rate=1e-06 noise=0.05", 1e-07, 210.846956654301, 0.0e+00},
    {"subsampled-gaussian rate=0.5 noise=0.001", 1e-05, 504105.788555869, 0.0e+00},
    {"subsampled-gaussian rate=0.9 noise=0.3", 1e-10, 26.0420934515354, 0.0e+00},
    {"replaced-gaussian rate=0.01 noise=0.02", 0.005, 1244.40501333416, 0.0e+00},
    {"replaced-gaussian rate=0.25 noise=0.06", 1e-05, 202.633406945519, 0.0e+00},
    {"replaced-gaussian rate=0.999 noise=0.01", 1e-20, 5932.17374652704, 0.0e+00},
    {"replaced-gaussian rate=1e-05 noise=0.1", 1e-06, 50.3640519954818, 0.0e+00},
    {"subsampled-gaussian population=10000 batch=100 noise=0.02", 0.005, 1244.39496299831, 0.0e+00},
    {"subsampled-gaussian population=10000 batch=5000 noise=0.004", 1e-05, 32275.1848976485, 0.0e+00},
    {"subsampled-gaussian rate=0.1 noise=0.3 count=2", 1e-05, 20.311046333911, 1.0e-04},
    {"replaced-gaussian rate=0.02 noise=0.15 count=2", 0.0001, 42.3494156554976, 1.0e-04},
    {"subsampled-gaussian rate=0.01 noise=0.02 count=100", 0.01, 4993.83475259204, 2.4e-03},
    {"replaced-gaussian rate=0.01 noise=0.02 count=100", 0.01, 4994.83978617739, 2.4e-03},
    {"replaced-gaussian rate=0.25 noise=0.06 count=400", 0.01, 16628.806107967, 2.0e-03},
    {"subsampled-gaussian rate=0.0001 noise=0.05 count=1000000", 0.01, 23576.2734323375, 2.4e-03},
    {"replaced-gaussian rate=0.001 noise=0.03 count=10000", 0.05, 8448.45191386626, 6.8e-03},
};

static double answer(const char *text, double delta, sotto_accountant by) {
  sotto_mechanism *list = NULL;
  size_t count = 0;
  double epsilon = NAN;
  CHECK_OK(sotto_mechanisms_parse(&list, &count, text, strlen(text), &err));
  CHECK_OK(sotto_account_epsilon(&epsilon, list, count, delta, by, &err));
  sotto_mechanisms_free(list);
  return epsilon;
}

static void pld_meets_each_point_and_never_lies_below(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    const double got = answer(points[i].text, points[i].delta, SOTTO_ACCOUNTANT_PLD), is = points[i].epsilon;
    const double least = is * (1 - points[i].known_to - 1e-9), most = is * (1 + points[i].known_to + 3e-3);
    if (!(got >= least && got <= most))
      fail_msg("%s at delta %g: epsilon %.12g, and the truth is %.12g", points[i].text, points[i].delta, got,
               is);
  }
}

static void rdp_never_lies_below(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    const double got = answer(points[i].text, points[i].delta, SOTTO_ACCOUNTANT_RDP);
    if (!(got >= points[i].epsilon * (1 - points[i].known_to - 1e-9)))
      fail_msg("%s: epsilon %.12g, and the truth is %.12g", points[i].text, got, points[i].epsilon);
  }
}

/* Gaussian releases of a large mu beside one that is not Gaussian: the other one adds little. */
static void large_gaussian_parts_are_not_lost_in_a_list(void **unused) {
  (void)unused;
  for (double noise = 0.0011; noise < 0.01; noise *= 1.3) {
    char text[200];
    (void)snprintf(text, sizeof text, "gaussian noise=%.17g", noise);
    const double alone = answer(text, 1e-6, SOTTO_ACCOUNTANT_GDP);
    (void)snprintf(text, sizeof text, "gaussian noise=%.17g\nlaplace noise=1", noise);
    const double both = answer(text, 1e-6, SOTTO_ACCOUNTANT_PLD);
    assert_true(both >= alone && both <= alone + 1 + 1e-3 * alone);
  }
}

/* Smaller budgets than this one are met by more noise: what a search finds is accounted forward. */
static void calibrated_noise_is_what_the_accountant_says_forward(void **unused) {
  (void)unused;
  static const char *const texts[] = {
      "replaced-gaussian rate=0.1 noise=1 count=10", "subsampled-gaussian rate=0.01 noise=1 count=100",
      "replaced-gaussian rate=0.001 noise=1 count=100",
      "subsampled-gaussian population=1000 batch=10 noise=1 count=50", "discrete-gaussian noise=1 count=3"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (double asked = 3; asked < 20000; asked *= 7) {
      sotto_mechanism *list = NULL;
      size_t count = 0;
      double back = NAN;
      CHECK_OK(sotto_mechanisms_parse(&list, &count, texts[i], strlen(texts[i]), &err));
      CHECK_OK(sotto_account_noise(&list->noise, list, 1, 0, asked, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
      CHECK_OK(sotto_account_epsilon(&back, list, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
      if (!(back <= asked * (1 + 1e-3) && back >= asked * 0.99))
        fail_msg("%s: noise %.9g for epsilon %g has epsilon %.9g", texts[i], list->noise, asked, back);
      sotto_mechanisms_free(list);
    }
}

static void a_noise_far_from_what_was_asked_is_refused(void **unused) {
  (void)unused;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
  double noise = NAN;
  CHECK_FAILS(SOTTO_RANGE, "the least noise",
              sotto_account_noise(&noise, &m, 1, 0, 1e6, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  m = sotto_mechanism_default(SOTTO_MECHANISM_SAMPLED_SUBGRAPHS);
  m.rate = 0.01;
  m.degree = 10;
  m.sample = 5;
  m.count = 20;
  CHECK_FAILS(SOTTO_UNSUPPORTED, "too small to account for",
              sotto_account_noise(&noise, &m, 1, 0, 20000, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  assert_true(isnan(noise));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pld_meets_each_point_and_never_lies_below),
      cmocka_unit_test(rdp_never_lies_below),
      cmocka_unit_test(large_gaussian_parts_are_not_lost_in_a_list),
      cmocka_unit_test(calibrated_noise_is_what_the_accountant_says_forward),
      cmocka_unit_test(a_noise_far_from_what_was_asked_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
