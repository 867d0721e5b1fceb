/* What does a release cost, and how much noise does a budget ask for? */
#include <sotto/dp.h>
#include <stdio.h>

int main(void) {
  sotto_error err = {0};
  double epsilon, mu;
  /* Two Gaussian releases, each with noise twice its sensitivity: mu^2 adds up. */
  double both = sotto_gdp_delta(0.70710678, 1.0);
  if (sotto_gdp_epsilon(&epsilon, 0.70710678, 1e-6, &err) != SOTTO_OK ||
      sotto_gdp_mu(&mu, 4.0, 1e-6, &err) != SOTTO_OK) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  printf("two releases: epsilon %.4f at delta 1e-6, delta %.3g at epsilon 1\n", epsilon, both);
  printf("epsilon 4 at delta 1e-6 allows mu %.4f: noise %.4f for a sensitivity of 1\n", mu, 1 / mu);
  return 0;
}
