/* Times of the PLD accountant, in milliseconds, best of nine: epsilon of 10,000 Poisson-sampled Gaussian
 * steps (rate 0.01, noise 0.8), and the noise for epsilon 4 over 1,000 steps; delta 1e-6. Google's
 * dp_accounting takes 0.7 s and 8.9 s. */
#include <stdio.h>

#include "base/progress.h"
#include "record.h"
#include "sotto/dp.h"

int main(void) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  sotto_error err = {0};
  double best[2] = {1e9, 1e9}, epsilon = 0, noise = 0;
  m.rate = 0.01;
  m.noise = 0.8;
  for (int round = 0; round < 9; round++) {
    double start = sotto_i_seconds();
    m.count = 10000;
    if (sotto_account_epsilon(&epsilon, &m, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err) != SOTTO_OK) break;
    double middle = sotto_i_seconds();
    m.count = 1000;
    if (sotto_account_noise(&noise, &m, 1, 0, 4, 1e-6, SOTTO_ACCOUNTANT_PLD, &err) != SOTTO_OK) break;
    double end = sotto_i_seconds();
    if (middle - start < best[0]) best[0] = middle - start;
    if (end - middle < best[1]) best[1] = end - middle;
  }
  if (err.status != SOTTO_OK) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  bench_record("pld epsilon, 10,000 sampled steps", best[0] * 1e3, "ms", (bench_bound){0});
  bench_record("pld noise, 1,000 sampled steps", best[1] * 1e3, "ms", (bench_bound){0});
  printf("pld epsilon, 10,000 sampled steps   %8.2f ms  (epsilon %.6g)\n", best[0] * 1e3, epsilon);
  printf("pld noise, 1,000 sampled steps      %8.2f ms  (noise %.6g)\n", best[1] * 1e3, noise);
  return 0;
}
