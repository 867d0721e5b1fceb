/* Plain statements of epsilon and delta: guarantee classes, the probability of a correct guess, and words for
 * both. */
#include "sotto/guarantee.h"

#include <math.h>
#include <stdio.h>

static const sotto_guarantee_row rows[SOTTO_GUARANTEES] = {
    [SOTTO_GUARANTEE_STRONG] = {"strong", 1, "green"},
    [SOTTO_GUARANTEE_MODERATE] = {"moderate", 4, "green"},
    [SOTTO_GUARANTEE_WEAK] = {"weak", 10, "amber"},
    [SOTTO_GUARANTEE_VACUOUS] = {"vacuous", INFINITY, "red"},
    [SOTTO_GUARANTEE_NONE] = {"not protected", INFINITY, "red"}};

/* Relative precision of calibrated noise: it must not move a run into the next class. */
static const double tolerance = 1e-6, largest_delta = 1e-3;

const sotto_guarantee_row *sotto_guarantee_describe(sotto_guarantee guarantee) {
  const bool known = (unsigned)guarantee < SOTTO_GUARANTEES;
  return &rows[known ? guarantee : SOTTO_GUARANTEE_NONE];
}

sotto_guarantee sotto_guarantee_of(double epsilon, double delta) {
  if (!(epsilon >= 0 && epsilon < INFINITY && delta >= 0 && delta <= 1)) return SOTTO_GUARANTEE_NONE;
  if (!(delta <= largest_delta)) return SOTTO_GUARANTEE_VACUOUS;
  for (int i = 0; i < SOTTO_GUARANTEE_VACUOUS; i++)
    if (epsilon <= rows[i].epsilon * (1 + tolerance)) return (sotto_guarantee)i;
  return SOTTO_GUARANTEE_VACUOUS;
}

/* The best guess is correct with probability (1 + TV) / 2, where TV is the total variation distance of the
 * two distributions of the releases. Under (epsilon, delta) TV is at most (e^epsilon - 1 + 2 delta) /
 * (e^epsilon + 1). The two lines of the trade-off curve, beta = 1 - delta - e^epsilon alpha and its mirror
 * image, meet where alpha = beta = (1 - delta) / (1 + e^epsilon). There 1 - alpha - beta, which is TV, is
 * largest. So the probability is (e^epsilon + delta) / (e^epsilon + 1), written so that it does not
 * overflow. */
double sotto_guarantee_guess(double epsilon, double delta) {
  if (!(epsilon >= 0 && epsilon < INFINITY && delta >= 0 && delta <= 1)) return 1;
  const double small = exp(-epsilon);
  return fmin(1, (1 + delta * small) / (1 + small));
}

/* Formats 12345 as "12,345". */
static void group_digits(char out[32], double whole) {
  char digits[32];
  const int length = snprintf(digits, sizeof digits, "%.0f", whole);
  size_t at = 0;
  for (int i = 0; i < length && at < 30; i++) {
    if (i > 0 && (length - i) % 3 == 0) out[at++] = ',';
    out[at++] = digits[i];
  }
  out[at] = '\0';
}

void sotto_guarantee_guess_words(char *out, size_t size, double chance) {
  char times[32], all[32];
  double of = 100;
  while (of < 1e6 && ceil(chance * of - 1e-9) >= of) of *= 10;
  group_digits(times, ceil(chance * of - 1e-9));
  group_digits(all, of);
  if (!(ceil(chance * of - 1e-9) < of))
    (void)snprintf(out, size, "nearly always");
  else
    (void)snprintf(out, size, "at most %s times of %s", times, all);
}

/* With so many digits, rounded up: people read no less than what holds. What is above a number of these
 * digits by less than the precision of calibrated noise is that number. */
static double round_up(double value, int digits) {
  if (!(value > 0 && value < INFINITY)) return value;
  const double unit = pow(10, floor(log10(value)) + 1 - digits);
  return unit > 0 ? ceil(value / unit * (1 - tolerance)) * unit : value;
}

void sotto_epsilon_words(char out[SOTTO_EPSILON_WORDS], double epsilon) {
  (void)snprintf(out, SOTTO_EPSILON_WORDS, "%.4g", round_up(epsilon, 4));
}

void sotto_delta_words(char out[SOTTO_DELTA_WORDS], double delta) {
  (void)snprintf(out, SOTTO_DELTA_WORDS, delta == 0 ? "0 (pure)" : "%.3g", round_up(delta, 3));
}
