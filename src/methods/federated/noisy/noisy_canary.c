/* The canary of a node of a federation: its gradient is as long as the clip, and as another node it points
 * the other way. All rounds are drawn as the clients draw them: a secret sample, and the parts of noise that
 * the account counts on, in whole steps. Every round is of the same gradient, which no training would be so
 * unkind to give. */
#include "attacks/canary.h"

#include <math.h>

#include "base/random.h"
#include "methods/federated/federated.h"
#include "methods/federated/noisy.h"
#include "methods/federated/options.h"

enum { sample_sub = 1, noise_sub = 2 };

/* log of (1 - q) + q exp(reach (x - reach / 2)), x and reach in units of the noise. */
static double log_seen(double rate, double reach, double x) {
  return log1p(rate * expm1(reach * x - reach * reach / 2));
}

static double log_ratio(double rate, double reach, double x) {
  return log_seen(rate, reach, -x) - log_seen(rate, reach, x);
}

/* Parts of all whose noise counts; or all of it, of one who adds it. */
static sotto_status add_noise(int64_t *sum, const sotto_i_canary *c, const sotto_key *key, uint64_t round,
                              sotto_error *err) {
  const sotto_i_summed_noise *noise = &c->summed;
  if (noise->parties == 1) {
    sotto_i_fed_add_rounded(sum, 1, noise->each.sigma, key, noise_sub + round);
    return SOTTO_OK;
  }
  for (uint32_t part = 0; part < noise->counted; part++) {
    const uint32_t sub = (uint32_t)(noise_sub + round * noise->counted + part);
    sotto_status status = sotto_discrete_gaussian_add(sum, 1, &noise->each, key, sub, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status draw(void *context, double *value, bool second, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  const sotto_i_summed_noise *noise = &c->summed;
  const double reach = (double)noise->most / noise->sigma;
  sotto_i_random sample;
  sotto_i_random_init(&sample, key, SOTTO_I_PURPOSE_SAMPLING, sample_sub, 0);
  *value = 0;
  for (uint64_t round = 0; round < c->releases; round++) {
    int64_t sum = 0;
    if (sotto_i_random_double(&sample) < c->rate) sum = second ? -(int64_t)noise->most : (int64_t)noise->most;
    sotto_status status = add_noise(&sum, c, key, round, err);
    if (status != SOTTO_OK) return status;
    *value += log_ratio(c->rate, reach, (double)sum / noise->sigma);
  }
  return SOTTO_OK;
}

/* A round a row. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  *out = (sotto_noise_draw){.cols = 1};
  for (uint64_t round = 0; round < c->releases && out->rows < SOTTO_NOISE_VALUES; round++) {
    int64_t sum = 0;
    sotto_status status = add_noise(&sum, c, key, round, err);
    if (status != SOTTO_OK) return status;
    out->values[out->rows++] = (double)sum / c->summed.sigma;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_fed_noisy_canary(sotto_i_canary *c, const struct sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  const sotto_options *o = &c->options;
  sotto_i_fed_noise noise;
  (void)run;
  (void)kind;
  sotto_status status = sotto_i_fed_noise_new(&noise, o, sotto_i_fed_taking(o, (uint32_t)o->clients), err);
  if (status != SOTTO_OK) return status;
  c->summed = noise.grid;
  c->rate = noise.rate;
  c->releases = sotto_i_client_settings_of(o)->rounds;
  c->whole = true;
  c->stated.mu =
      2 * (double)noise.grid.most / noise.grid.sigma * sqrt((double)c->releases); /* if all are in it */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw;
  c->stated.noise = draw_noise;
  return SOTTO_OK;
}
