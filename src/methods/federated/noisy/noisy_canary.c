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

enum { sample_sub = 1 };

/* log of (1 - q) + q exp(reach (x - reach / 2)), x and reach in units of the noise. */
static double log_seen(double rate, double reach, double x) {
  return log1p(rate * expm1(reach * x - reach * reach / 2));
}

static double log_ratio(double rate, double reach, double x) {
  return log_seen(rate, reach, -x) - log_seen(rate, reach, x);
}

/* The part of one client without records in a round's sum, by the client's own code. */
static sotto_status add_part(int64_t *sum, const sotto_i_canary *c, const sotto_key *key, uint64_t round,
                             sotto_error *err) {
  const sotto_i_federation federation = {
      .options = &c->options,
      .noisy = true,
      .noise = {.by = sotto_i_noise_settings_of(&c->options)->noise, .grid = c->summed, .rate = c->rate}};
  sotto_i_fed_client client = {.federation = &federation, .model.size = 1, .drawn.key = *key};
  const sotto_status status = sotto_i_fed_noisy_sum(sum, &client, round, err);
  sotto_key_wipe(&client.drawn.key);
  return status;
}

/* The same of a trusted server, which counts in units of the grid's step. */
static sotto_status add_of_server(int64_t *sum, const sotto_i_canary *c, const sotto_key *key, uint64_t round,
                                  sotto_error *err) {
  const sotto_i_fed_noise noise = {.by = SOTTO_I_NOISE_CENTRAL, .grid = c->summed, .rate = c->rate};
  double total = (double)*sum * c->summed.step;
  const sotto_status status = sotto_i_fed_add_server_noise(&total, 1, &noise, key, round, err);
  *sum = (int64_t)nearbyint(total / c->summed.step);
  return status;
}

/* Parts of all whose noise counts; or all of it, of one who adds it. */
static sotto_status add_noise(int64_t *sum, const sotto_i_canary *c, const sotto_key *key, uint64_t round,
                              sotto_error *err) {
  const sotto_i_summed_noise *noise = &c->summed;
  const bool server = sotto_i_noise_settings_of(&c->options)->noise == SOTTO_I_NOISE_CENTRAL;
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  sotto_status status = SOTTO_OK;
  if (server) return add_of_server(sum, c, key, round, err);
  for (uint32_t part = 0; status == SOTTO_OK && part < (noise->parties == 1 ? 1 : noise->counted); part++) {
    sotto_i_key_derive(&each, key, part);
    status = add_part(sum, c, &each, round, err);
  }
  sotto_key_wipe(&each);
  return status;
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
