/* Audits of mechanisms that add noise to values or report randomised answers. The worst inputs differ in
 * one value by the whole sensitivity, or in everything under local privacy. The statistic is that value:
 * the likelihood ratio rises with it. */
#include <math.h>

#include "audit.h"
#include "base/memory.h"
#include "dp/mechanisms/mechanism.h"
#include "inside/dp.h"

enum { batch = 1 << 15 };

/* Adds noise to `batch` rows of one value at a time; each row has its own stream. */
typedef sotto_status (*add_fn)(sotto_matrix *x, const sotto_i_audit *audit, uint32_t sub, sotto_error *err);

static sotto_status draw_batches(const sotto_i_audit *audit, double *values, bool second, add_fn add,
                                 sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_matrix x = {.data = NULL};
  SOTTO_TRY(sotto_matrix_new(&x, batch, 1, err));
  for (uint64_t from = 0; from < audit->options.trials; from += batch) {
    SOTTO_TRY(sotto_i_audit_tick(audit, from, second, err));
    for (size_t i = 0; i < batch; i++) x.data[i] = second ? 1 : 0;
    SOTTO_TRY(add(&x, audit, (uint32_t)(from / batch), err));
    for (size_t i = 0; i < batch && from + i < audit->options.trials; i++)
      values[from + i] = (double)x.data[i];
  }
done:
  sotto_matrix_free(&x);
  return status;
}

static sotto_status gaussian_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  double mu;
  SOTTO_TRY(sotto_gdp_mu(&mu, audit->options.epsilon, audit->options.delta, err));
  SOTTO_TRY(sotto_grid_new(&audit->with.grid, 1 / mu, err));
  mu = sotto_grid_sensitivity(&audit->with.grid, 1, 1) / audit->with.grid.sigma;
  SOTTO_TRY(sotto_gdp_epsilon(&audit->stated, mu, audit->options.delta, err));
done:
  return status;
}

static sotto_status gaussian_add(sotto_matrix *x, const sotto_i_audit *audit, uint32_t sub,
                                 sotto_error *err) {
  return sotto_grid_add_noise(x, &audit->with.grid, &audit->key, sub, err);
}

static sotto_status gaussian_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  return draw_batches(audit, values, second, gaussian_add, err);
}

static sotto_status discrete_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  double sigma;
  sotto_mechanism asked = sotto_mechanism_default(SOTTO_MECHANISM_DISCRETE_GAUSSIAN);
  SOTTO_TRY(sotto_account_noise(&sigma, &asked, 1, 0, audit->options.epsilon, audit->options.delta,
                                SOTTO_ACCOUNTANT_PLD, err));
  SOTTO_TRY(sotto_discrete_gaussian_new(&audit->with.discrete, sigma, err));
  sotto_mechanism made = sotto_discrete_gaussian_mechanism(&audit->with.discrete, 1);
  SOTTO_TRY(sotto_i_audit_state(audit, &made, err));
done:
  return status;
}

static sotto_status discrete_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  int64_t *noisy;
  SOTTO_TRY(sotto_i_new_raw(&noisy, batch, sizeof *noisy, err));
  for (uint64_t from = 0; from < audit->options.trials; from += batch) {
    SOTTO_TRY(sotto_i_audit_tick(audit, from, second, err));
    for (size_t i = 0; i < batch; i++) noisy[i] = second ? 1 : 0;
    SOTTO_TRY(sotto_discrete_gaussian_add(noisy, batch, &audit->with.discrete, &audit->key,
                                          (uint32_t)(from / batch), err));
    for (size_t i = 0; i < batch && from + i < audit->options.trials; i++)
      values[from + i] = (double)noisy[i];
  }
done:
  sotto_i_free(noisy);
  return status;
}

static sotto_status laplace_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = sotto_laplace_grid_new(&audit->with.laplace, 1 / audit->options.epsilon, err);
  if (status != SOTTO_OK) return status;
  sotto_mechanism made = sotto_laplace_grid_mechanism(&audit->with.laplace, 1, 1);
  return sotto_i_audit_state(audit, &made, err);
}

static sotto_status laplace_add(sotto_matrix *x, const sotto_i_audit *audit, uint32_t sub, sotto_error *err) {
  return sotto_laplace_grid_add_noise(x, &audit->with.laplace, &audit->key, sub, err);
}

static sotto_status laplace_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  return draw_batches(audit, values, second, laplace_add, err);
}

static sotto_status response_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = sotto_response_new(&audit->with.response, 2, audit->options.epsilon, err);
  if (status != SOTTO_OK) return status;
  sotto_mechanism made = sotto_response_mechanism(&audit->with.response);
  return sotto_i_audit_state(audit, &made, err);
}

static sotto_status response_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  int32_t *reported;
  SOTTO_TRY(sotto_i_new_raw(&reported, batch, sizeof *reported, err));
  for (uint64_t from = 0; from < audit->options.trials; from += batch) {
    SOTTO_TRY(sotto_i_audit_tick(audit, from, second, err));
    for (size_t i = 0; i < batch; i++) reported[i] = second ? 1 : 0;
    SOTTO_TRY(sotto_response_apply(reported, batch, &audit->with.response, &audit->key,
                                   (uint32_t)(from / batch), err));
    for (size_t i = 0; i < batch && from + i < audit->options.trials; i++) values[from + i] = reported[i];
  }
done:
  sotto_i_free(reported);
  return status;
}

/* One of 32 values: only which of the two inputs is in the answer distinguishes them. */
static sotto_status subset_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = sotto_subset_new(&audit->with.subset, 32, 0, audit->options.epsilon, err);
  if (status != SOTTO_OK) return status;
  sotto_mechanism made = sotto_subset_mechanism(&audit->with.subset);
  return sotto_i_audit_state(audit, &made, err);
}

static sotto_status subset_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  const uint32_t members = audit->with.subset.members;
  sotto_status status = SOTTO_OK;
  int32_t *inputs = NULL, *answers = NULL;
  SOTTO_TRY(sotto_i_new(&inputs, batch, sizeof *inputs, err));
  SOTTO_TRY(sotto_i_new_raw(&answers, (size_t)batch * members, sizeof *answers, err));
  for (size_t i = 0; i < batch; i++) inputs[i] = second ? 1 : 0;
  for (uint64_t from = 0; from < audit->options.trials; from += batch) {
    SOTTO_TRY(sotto_i_audit_tick(audit, from, second, err));
    SOTTO_TRY(sotto_subset_apply(answers, inputs, batch, &audit->with.subset, &audit->key,
                                 (uint32_t)(from / batch), err));
    for (size_t i = 0; i < batch && from + i < audit->options.trials; i++) {
      values[from + i] = 0;
      for (uint32_t m = 0; m < members; m++)
        values[from + i] += (answers[i * members + m] == 1) - (answers[i * members + m] == 0);
    }
  }
done:
  sotto_i_free(inputs);
  sotto_i_free(answers);
  return status;
}

/* Two rows of two columns, of which one column is reported: two bits of epsilon / 2 each. */
static sotto_status multibit_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = sotto_multibit_new(&audit->with.multibit, 0, 1, 2, 2, 1, audit->options.epsilon, err);
  if (status != SOTTO_OK) return status;
  sotto_mechanism made = sotto_multibit_mechanism(&audit->with.multibit);
  return sotto_i_audit_state(audit, &made, err);
}

static sotto_status multibit_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  int8_t codes[4];
  float reported[4] = {0, 0, 0, 0};
  sotto_matrix x = {.rows = 2, .cols = 2, .data = reported};
  for (size_t i = 0; i < 4; i++) reported[i] = second ? 1 : 0;
  for (uint64_t trial = 0; trial < audit->options.trials; trial++) {
    SOTTO_TRY(sotto_i_audit_tick(audit, trial, second, err));
    SOTTO_TRY(sotto_multibit_encode(codes, &x, &audit->with.multibit, &audit->key, (uint32_t)trial, err));
    values[trial] = codes[0] + codes[1] + codes[2] + codes[3];
  }
done:
  return status;
}

/* One record, in the batch with probability 1/2. */
static sotto_status set_up_sums(sotto_i_audit *audit, sotto_mechanism_kind kind, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  double sigma;
  sotto_mechanism asked = sotto_mechanism_default(kind);
  asked.rate = 0.5;
  SOTTO_TRY(sotto_account_noise(&sigma, &asked, 1, 0, audit->options.epsilon, audit->options.delta,
                                SOTTO_ACCOUNTANT_PLD, err));
  audit->with.sampled.sampling = (sotto_sampling){.population = 1, .rate = 0.5};
  SOTTO_TRY(sotto_grid_new(&audit->with.sampled.grid, sigma, err));
  sotto_mechanism made =
      sotto_sampled_gaussian_mechanism(&audit->with.sampled.sampling, &audit->with.sampled.grid, 1, 1);
  if (sotto_i_descriptor_of(kind)->replaced) made = sotto_replaced_gaussian_mechanism(&made);
  SOTTO_TRY(sotto_i_audit_state(audit, &made, err));
done:
  return status;
}

static sotto_status draw_sums(const sotto_i_audit *audit, double *values, float record, bool second,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  float total;
  sotto_matrix x = {.rows = 1, .cols = 1, .data = &record}, sum = {.rows = 1, .cols = 1, .data = &total};
  for (uint64_t trial = 0; trial < audit->options.trials; trial++) {
    SOTTO_TRY(sotto_i_audit_tick(audit, trial, second, err));
    SOTTO_TRY(sotto_sampled_gaussian_sum(&sum, &x, 1, &audit->with.sampled.sampling,
                                         &audit->with.sampled.grid, &audit->key, (uint32_t)trial, err));
    values[trial] = (double)total;
  }
done:
  return status;
}

/* The record's row is the whole clip, or 0, as if it were absent. */
static sotto_status sampled_setup(sotto_i_audit *audit, sotto_error *err) {
  return set_up_sums(audit, SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN, err);
}

static sotto_status sampled_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  return draw_sums(audit, values, second ? 1 : 0, second, err);
}

/* The record's row is the clip, or its negative. */
static sotto_status replaced_setup(sotto_i_audit *audit, sotto_error *err) {
  return set_up_sums(audit, SOTTO_MECHANISM_REPLACED_GAUSSIAN, err);
}

static sotto_status replaced_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  return draw_sums(audit, values, second ? 1 : -1, second, err);
}

const sotto_i_audited sotto_i_audited_noise[SOTTO_I_AUDITED_NOISE] = {
    {"gaussian", gaussian_setup, gaussian_draw},
    {"discrete-gaussian", discrete_setup, discrete_draw},
    {"laplace", laplace_setup, laplace_draw},
    {"randomized-response", response_setup, response_draw},
    {"subset-selection", subset_setup, subset_draw},
    {"multibit", multibit_setup, multibit_draw},
    {"subsampled-gaussian", sampled_setup, sampled_draw},
    {"replaced-gaussian", replaced_setup, replaced_draw},
};
