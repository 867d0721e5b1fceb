/* Bins of amounts and days: what a survey makes of them, and how a model keeps them. Weights of their cells.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "inside/nn.h"
#include "protocols/feature_sums.h"
#include "protocols/transfer_cells.h"
#include "protocols/transfer_weights.h"
#include "transfer_bins.h"

static const sotto_i_transfer_bins fine_bins = {.amounts = SOTTO_I_FINE_AMOUNT_BINS,
                                                .times = SOTTO_I_TIME_BINS,
                                                .amount_from = {100, 200, 350, 500, 800, 1100, 1500},
                                                .time_from = {250}};

/* The numbers in units of so many root mean squares, clipped to one neighbour, in whole units. A third of a
 * cell's number is that of the other direction. */
static void check_weights(const sotto_matrix *weights, const float *cells, const float *classes,
                          double most) {
  double number[8], square = 0;
  for (int i = 0; i < 8; i++) {
    number[i] = (2 * (double)cells[i / 2] + (double)cells[(i / 2 + 2) % 4]) / 3 + (double)classes[i % 2];
    square += pow(number[i], 2) / 8;
  }
  for (int i = 0; i < 8; i++) {
    const double x = number[i] / (most * sqrt(square));
    CHECK_NEAR((double)weights->data[i], fmax(-1, fmin(1, x)) * SOTTO_I_SUM_UNITS, 1.01);
  }
}

static void weights_are_clipped_and_whole(void **state) {
  static const float wrong[] = {257, -257, 0.5F, NAN, INFINITY};
  float cells[] = {0.5F, -0.5F, 4, -1}, classes[] = {0, 0.25F};
  const sotto_matrix of_cells = {cells, 4, 1}, of_classes = {classes, 2, 1};
  sotto_params *params;
  (void)state;
  CHECK_OK(sotto_i_transfer_weights_new(&params, &err));
  sotto_matrix *weights = sotto_params_value(params, 0);
  assert_int_equal(weights->rows, SOTTO_I_WEIGHT_ROWS);
  for (double most = 1; most < 2; most += 0.5) {
    sotto_i_transfer_weights_set(weights, &of_cells, &of_classes, most);
    check_weights(weights, cells, classes, most);
  }
  for (size_t i = 8; i < weights->rows * weights->cols; i++) assert_true(weights->data[i] == 0);
  cells[2] = INFINITY;
  sotto_i_transfer_weights_set(weights, &of_cells, &of_classes, 1);
  for (int i = 0; i < 8; i++) assert_true(weights->data[i] == 0);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    weights->data[5] = wrong[i];
    CHECK_FAILS(SOTTO_PROTOCOL, "weight 5 is", sotto_i_transfer_weights_check(weights, SOTTO_PROTOCOL, &err));
  }
  weights->data[5] = -256;
  CHECK_OK(sotto_i_transfer_weights_check(weights, SOTTO_PROTOCOL, &err));
  sotto_params_free(params);
}

/* Amounts and days of known quantiles, without noise and with it. */
static void bins_hold_about_equal_numbers(void **state) {
  enum { columns = 256 + 5218 };
  static const double shares[] = {1.0 / 6, 2.0 / 6, 3.0 / 6, 4.0 / 6, 5.0 / 6, 11.0 / 12, 23.0 / 24};
  static float row[columns];
  const float amount = 1;
  const double day = 0;
  const sotto_transfers both = {.count = 1, .amounts = &amount, .times = &day};
  const sotto_matrix survey = {row, 1, columns};
  sotto_i_transfer_bins bins;
  sotto_i_random random = check_random();
  (void)state;
  assert_int_equal(sotto_i_survey_columns(), columns);
  for (int i = 0; i < 400; i++) {
    row[1 + 4 * 10 + i % 40]++;               /* 1 to 1024, even in the logarithm */
    row[256 + (9132 + 10957) / 7 + i % 52]++; /* the weeks of 2025 */
  }
  for (int noisy = 0; noisy < 2; noisy++) {
    const double scale = noisy ? 0.5 : 0;
    for (int j = 0; noisy && j < columns; j++) {
      const double u = sotto_i_random_double(&random) - 0.5;
      row[j] += (float)(scale * (u < 0 ? 1 : -1) * log(fmax(1e-12, 1 - 2 * fabs(u))));
    }
    sotto_i_transfer_bins_none(&bins, &both, true);
    CHECK_OK(sotto_i_survey_read(&bins, &survey, scale, &err));
    for (int k = 0; k < SOTTO_I_FINE_AMOUNT_BINS - 1; k++)
      CHECK_NEAR(log2(bins.amount_from[k]), 10 * shares[k], 0.5);
    sotto_i_transfer_bins_none(&bins, &both, false);
    CHECK_OK(sotto_i_survey_read(&bins, &survey, scale, &err));
    CHECK_NEAR(log2(bins.amount_from[0]), 2.5, 0.5);
    CHECK_NEAR(log2(bins.amount_from[1]), 5, 0.5);
    CHECK_NEAR(log2(bins.amount_from[2]), 7.5, 0.5);
    CHECK_NEAR(bins.time_from[0], 9132 + 182, 30);
  }
  memset(row, 0, sizeof row); /* nothing stands out: bins there are, whatever they hold */
  CHECK_OK(sotto_i_survey_read(&bins, &survey, 0.5, &err));
  assert_true(isfinite(bins.amount_from[0]) && isfinite(bins.time_from[0]));
}

static void a_model_keeps_its_bins(void **state) {
  static const sotto_options relations = {.adjacency = SOTTO_ADJACENCY_EDGE},
                             single = {.adjacency = SOTTO_ADJACENCY_TRANSFER};
  sotto_params *kept;
  sotto_i_transfer_bins read;
  sotto_dataset none = {.name = "made"};
  (void)state;
  CHECK_OK(sotto_params_new(&kept, &err));
  CHECK_OK(sotto_i_transfer_bins_keep(kept, &check_coarse_bins, &relations, &err));
  CHECK_OK(sotto_i_transfer_bins_take(&read, kept, &err));
  assert_int_equal(sotto_i_transfer_cells(&read), SOTTO_I_TRANSFER_CELLS);
  for (int k = 0; k < 3; k++) assert_true(read.amount_from[k] == check_coarse_bins.amount_from[k]);
  assert_true(read.time_from[0] == check_coarse_bins.time_from[0]);
  CHECK_FAILS(SOTTO_INVALID, "made: has no transfers", sotto_i_transfer_bins_fit(&read, &none, &err));
  const uint32_t end = 0;
  none.transfers = (sotto_transfers){.count = 1, .sources = &end, .targets = &end};
  CHECK_FAILS(SOTTO_INVALID, "no amounts of transfers", sotto_i_transfer_bins_fit(&read, &none, &err));
  ((sotto_matrix *)(uintptr_t)sotto_params_value(kept, 0))->data[0] = 3;
  CHECK_FAILS(SOTTO_CORRUPT, "has 3 bins", sotto_i_transfer_bins_take(&read, kept, &err));
  sotto_params_free(kept);
  CHECK_OK(sotto_params_new(&kept, &err));
  CHECK_OK(sotto_i_transfer_bins_keep(kept, &fine_bins, &single, &err));
  CHECK_OK(sotto_i_transfer_bins_take(&read, kept, &err));
  assert_memory_equal(&read, &fine_bins, sizeof read);
  sotto_params_free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_clipped_and_whole),
      cmocka_unit_test(bins_hold_about_equal_numbers),
      cmocka_unit_test(a_model_keeps_its_bins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
