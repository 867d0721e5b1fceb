/* Twelve faults, each planted in an otherwise right mechanism: the audit objects to each, and not to the
 * mechanism without it. All state epsilon 1 at delta 0.01. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "sotto/audit.h"

enum { trials = 8000 };
static const double stated = 1, delta = 0.01;

/* What one trial may use: noise from the stream (key, sub of its own). */
typedef struct trial {
  sotto_key key;
  uint32_t next;
  sotto_i_random random;
} trial;

/* The statistic of one run; `second` chooses the input, `faulty` the variant. */
typedef double (*variant)(trial *t, bool second, bool faulty);

static double sigma_for(double sensitivity, double epsilon) {
  static double last, mu; /* the same answer each time */
  if (last != epsilon) CHECK_OK(sotto_gdp_mu(&mu, epsilon, delta, &err));
  last = epsilon;
  return sensitivity / mu;
}

/* Adds noise on a grid to `count` values. */
static void add_noise(trial *t, float *values, size_t count, double sigma) {
  sotto_matrix x = {.rows = 1, .cols = count, .data = values};
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, sigma, &err));
  CHECK_OK(sotto_grid_add_noise(&x, &grid, &t->key, t->next++, &err));
}

static double noise_is_halved(trial *t, bool second, bool faulty) {
  float x = second ? 1 : 0;
  add_noise(t, &x, 1, sigma_for(1.01, stated) * (faulty ? 0.5 : 1));
  return x;
}

static float clip(float x) {
  return fmaxf(-1, fminf(1, x));
}

/* Rows of any length, made short after the noise instead of before. */
static double noise_comes_before_clipping(trial *t, bool second, bool faulty) {
  float x = second ? 6 : 0;
  if (!faulty) x = clip(x);
  add_noise(t, &x, 1, sigma_for(1.01, stated));
  return faulty ? clip(x) : x;
}

/* Two nodes, mean with the own row: once more with the private edge after the last noise. */
static double a_hop_without_noise_ends_the_release(trial *t, bool second, bool faulty) {
  float y[2] = {second ? 0 : 1, second ? 0 : -1};
  add_noise(t, y, 2, sigma_for(sqrt(2) * 1.01, stated));
  if (!faulty) return (double)y[1] - (double)y[0];
  if (second) y[0] = y[1] = (y[0] + y[1]) / 2;
  return -fabs((double)y[0] - (double)y[1]);
}

/* Mean with floor 10 in the statement, and none in the kernel. Opposite rows: the edge makes both vanish. */
static double the_floor_is_ignored(trial *t, bool second, bool faulty) {
  float divisor = faulty ? (second ? 2 : 1) : 11, row = second ? 0 : 1 / divisor, y[2] = {row, -row};
  add_noise(t, y, 2, sigma_for(sotto_edge_sensitivity(SOTTO_AGGREGATOR_MEAN, 10, true), stated));
  return (double)y[1] - (double)y[0];
}

/* Two releases that see the value with opposite signs: the same noise drops out of their difference. */
static double two_releases_share_their_noise(trial *t, bool second, bool faulty) {
  float x = second ? 1 : 0, y = second ? -1 : 0;
  double sigma = sigma_for(1.01 * sqrt(2), stated);
  add_noise(t, &x, 1, sigma);
  if (faulty) t->next--;
  add_noise(t, &y, 1, sigma);
  return (double)x - (double)y;
}

/* One neighbour is kept, of row 1, or the next one in line, of row -1, when that edge is gone: at both ends.
 */
static double a_capped_sample_counts_as_a_sum(trial *t, bool second, bool faulty) {
  float gone = faulty ? -1 : 0, y[2] = {second ? 1 : gone, second ? 1 : gone};
  add_noise(t, y, 2, sigma_for(sqrt(2) * 1.01, stated));
  return (double)y[0] + (double)y[1];
}

static double four_layers_are_charged_as_one(trial *t, bool second, bool faulty) {
  float y[4] = {0};
  for (int k = 0; second && k < 4; k++) y[k] = 1;
  add_noise(t, y, 4, sigma_for(1.01, stated) * (faulty ? 1 : 2));
  return (double)y[0] + (double)y[1] + (double)y[2] + (double)y[3];
}

/* Amplified by a batch of rate 0.1, which the receiver knows: it looks at the runs with the record in them.
 */
static double amplification_by_a_batch_that_is_seen(trial *t, bool second, bool faulty) {
  static double sigma;
  if (sigma == 0) {
    sotto_mechanism sampled = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
    sampled.rate = 0.1;
    CHECK_OK(sotto_account_noise(&sigma, &sampled, 1, 0, stated, delta, SOTTO_ACCOUNTANT_PLD, &err));
  }
  bool in_batch = faulty || sotto_i_random_double(&t->random) < 0.1;
  float x = second && in_batch ? 1 : 0;
  add_noise(t, &x, 1, sigma * 1.01);
  return x;
}

/* Anyone can make the noise again and take it off. */
static double noise_of_a_known_seed(trial *t, bool second, bool faulty) {
  float x = second ? 1 : 0, again = 0;
  double sigma = sigma_for(1.01, stated);
  add_noise(t, &x, 1, sigma);
  if (!faulty) return x;
  t->next--;
  add_noise(t, &again, 1, sigma);
  return (double)x - (double)again;
}

/* Multi-bit encoding of two rows, with the budget of a matrix given to each row. */
static double each_row_spends_the_budget_of_the_matrix(trial *t, bool second, bool faulty) {
  sotto_multibit encoder;
  int8_t codes[2];
  float rows[2] = {second ? 1 : 0, second ? 1 : 0};
  sotto_matrix x = {.rows = 2, .cols = 1, .data = rows};
  CHECK_OK(sotto_multibit_new(&encoder, 0, 1, 2, 1, 1, faulty ? 2 * stated : stated, &err));
  CHECK_OK(sotto_multibit_encode(codes, &x, &encoder, &t->key, t->next++, &err));
  return codes[0] + codes[1];
}

/* Wu et al. 2023 scale Laplace noise to 2; an edge moves four counts. */
static double a_histogram_is_given_half_its_sensitivity(trial *t, bool second, bool faulty) {
  static const float signs[] = {1, -1, 1, -1};
  float counts[4];
  double sum = 0;
  sotto_matrix x = {.rows = 1, .cols = 4, .data = counts};
  sotto_laplace_grid grid;
  for (int k = 0; k < 4; k++) counts[k] = second ? signs[k] : 0;
  CHECK_OK(sotto_laplace_grid_new(&grid, (faulty ? 2 : 4) / stated, &err));
  CHECK_OK(sotto_laplace_grid_add_noise(&x, &grid, &t->key, t->next++, &err));
  for (int k = 0; k < 4; k++) {
    double toward = (double)(signs[k] * counts[k]); /* the log likelihood ratio, up to its scale */
    sum += fabs(toward) - fabs(toward - 1);
  }
  return sum;
}

/* CARIBOU at node level: the own row holds beta times the node's features, and is said to count 1. */
static double the_own_row_is_not_clipped(trial *t, bool second, bool faulty) {
  const float beta = 10;
  float x = second ? beta : -beta;
  if (!faulty) x = clip(x);
  add_noise(t, &x, 1, sigma_for(faulty ? 1 : 2.02, stated));
  return x;
}

static double shown_by(variant run, bool faulty) {
  static double values[2][trials];
  double lower;
  trial t = {.random = check_random()};
  for (int second = 0; second < 2; second++) {
    t.next = 0;
    sotto_key_system(&t.key);
    for (int i = 0; i < trials; i++) values[second][i] = run(&t, second != 0, faulty);
  }
  CHECK_OK(sotto_audit_bound(&lower, values[0], values[1], trials, delta, &err));
  return lower;
}

/* Twice in a row, since an honest bound may be above by chance once in twenty times. */
static void check_fault(const char *name, variant run) {
  double honest = shown_by(run, false), faulty = shown_by(run, true);
  (void)printf("  %-42s stated 1, honest shows %.3f, faulty %.3f\n", name, honest, faulty);
  if (honest > stated && shown_by(run, false) > stated) fail_msg("%s: objects to the honest mechanism", name);
  if (faulty <= stated && shown_by(run, true) <= stated) fail_msg("%s: not caught", name);
}

#define FAULTS(X)                                                                                            \
  X(noise_is_halved)                                                                                         \
  X(noise_comes_before_clipping)                                                                             \
  X(a_hop_without_noise_ends_the_release)                                                                    \
  X(the_floor_is_ignored)                                                                                    \
  X(two_releases_share_their_noise)                                                                          \
  X(a_capped_sample_counts_as_a_sum)                                                                         \
  X(four_layers_are_charged_as_one)                                                                          \
  X(amplification_by_a_batch_that_is_seen)                                                                   \
  X(noise_of_a_known_seed)                                                                                   \
  X(each_row_spends_the_budget_of_the_matrix)                                                                \
  X(a_histogram_is_given_half_its_sensitivity)                                                               \
  X(the_own_row_is_not_clipped)

#define FAULT_TEST(name)                                                                                     \
  static void name##_is_caught(void **state) {                                                               \
    (void)state;                                                                                             \
    check_fault(#name, name);                                                                                \
  }
FAULTS(FAULT_TEST)

int main(void) {
  const struct CMUnitTest tests[] = {
#define FAULT_ROW(name) cmocka_unit_test(name##_is_caught),
      FAULTS(FAULT_ROW)
#undef FAULT_ROW
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
