/* The canary of a node of a federation: its gradient has the norm of the clip, and that of the replaced
 * node is its negative. All rounds are made as clients and server make them: a secret sample, the clients'
 * sums, the server's update of the model. The statistic reads the gradient of that update. Every round has
 * the same gradient, which is worse than any training. */
#include "audit/canary.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/audit.h"
#include "inside/nn.h"
#include "methods/federated/federated.h"
#include "methods/federated/noisy.h"
#include "methods/federated/options.h"

enum { sample_sub = 1 };

/* log of (1 - q) + q exp(reach (x - reach / 2)), x and reach in units of the noise. */
static double log_ratio_of_sample(double rate, double reach, double x) {
  return log1p(rate * expm1(reach * x - reach * reach / 2));
}

static double log_ratio(double rate, double reach, double x) {
  return log_ratio_of_sample(rate, reach, -x) - log_ratio_of_sample(rate, reach, x);
}

/* A server and a client without records, and a model of so many parameters. */
typedef struct stage {
  sotto_i_federation federation;
  sotto_i_fed_server server;
  sotto_i_fed_client client;
  int64_t *sum; /* scratch */
} stage;

static void free_stages(sotto_i_canary *c) {
  for (int which = 0; which < 2; which++) {
    stage *s = c->made_of[which];
    if (s == NULL) continue;
    sotto_i_fed_server_free(&s->server);
    sotto_i_free(s->sum);
    sotto_i_free(s);
    c->made_of[which] = NULL;
  }
}

static sotto_status new_stage(sotto_i_canary *c, int which, size_t size, sotto_error *err) {
  sotto_key key;
  size_t number;
  stage *s = NULL;
  sotto_status status;
  sotto_key_public(&key, 0);
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  c->made_of[which] = s;
  s->federation = (sotto_i_federation){
      .options = &c->options, .settings = sotto_i_client_settings_of(&c->options), .noisy = true};
  s->server.federation = s->client.federation = &s->federation;
  s->server.model.size = s->client.model.size = size;
  SOTTO_TRY(sotto_i_new(&s->sum, size, sizeof *s->sum, err));
  SOTTO_TRY(sotto_i_new(&s->server.totals, size + SOTTO_I_FED_EXTRAS, sizeof *s->server.totals, err));
  SOTTO_TRY(sotto_matrix_new(&s->server.values, 1, size, err));
  SOTTO_TRY(sotto_params_new(&s->server.model.params, err));
  SOTTO_TRY(
      sotto_params_add(s->server.model.params, &number, "canary", 1, size, SOTTO_INIT_ZERO, true, &key, err));
done:
  return status;
}

/* A round with `first` at the first parameter and 0 at the others: returns the gradient for the update,
 * which is the noisy sum. It has the parts of all whose noise counts, or all of the noise, of the one who
 * adds it. */
static sotto_status make_round(const sotto_matrix **gradient, const sotto_i_canary *c, int which,
                               int64_t first, const sotto_key *key, uint64_t round, sotto_error *err) {
  const sotto_i_summed_noise *noise = &c->summed;
  stage *s = c->made_of[which];
  const size_t size = s->server.model.size;
  sotto_status status = SOTTO_OK;
  s->federation.noise = (sotto_i_fed_noise){
      .by = sotto_i_noise_settings_of(&c->options)->noise, .grid = *noise, .rate = c->rate};
  s->server.drawn.key = *key;
  for (size_t j = 0; j < size; j++) s->sum[j] = 0;
  s->sum[0] = first;
  for (uint32_t part = 0; part < (noise->parties == 1 ? 1 : noise->counted); part++) {
    sotto_i_key_derive(&s->client.drawn.key, key, part);
    SOTTO_TRY(sotto_i_fed_noisy_sum(s->sum, &s->client, round, err));
  }
  for (size_t j = 0; j < size; j++) s->server.totals[j] = (double)s->sum[j] * noise->step;
  s->server.totals[size + SOTTO_I_FED_EXAMPLES] = 1;
  SOTTO_TRY(sotto_i_fed_noisy_move(&s->server, round, err));
  *gradient = sotto_params_gradient(s->server.model.params, 0);
done:
  sotto_key_wipe(&s->client.drawn.key);
  sotto_key_wipe(&s->server.drawn.key);
  return status;
}

/* In units of the noise. */
static double in_units(const sotto_i_canary *c, float gradient) {
  return (double)gradient * c->rate / (c->summed.step * c->summed.sigma);
}

static sotto_status draw_ratio(void *context, double *value, bool second, const sotto_key *key,
                               sotto_error *err) {
  const sotto_i_canary *c = context;
  const sotto_i_summed_noise *noise = &c->summed;
  const double reach = (double)noise->most / noise->sigma;
  sotto_i_random sample;
  sotto_i_random_init(&sample, key, SOTTO_I_PURPOSE_SAMPLING, sample_sub, 0);
  *value = 0;
  for (uint64_t round = 0; round < c->releases; round++) {
    const sotto_matrix *gradient;
    int64_t sum = 0;
    if (sotto_i_random_double(&sample) < c->rate) sum = second ? -(int64_t)noise->most : (int64_t)noise->most;
    sotto_status status = make_round(&gradient, c, 0, sum, key, round, err);
    if (status != SOTTO_OK) return status;
    *value += log_ratio(c->rate, reach, in_units(c, gradient->data[0]));
  }
  return SOTTO_OK;
}

enum { most_rounds = 16, most_cols = SOTTO_NOISE_VALUES / most_rounds, last_cols = 64 };
static const double most_draws = 1 << 16; /* number of draws by all parties in all tested rounds */

/* A Gaussian is drawn in pieces of 4096 values: the model has three of them. Discrete draws take long, so
 * that model is small. */
static size_t parameters_of(const sotto_i_canary *c) {
  enum { three_pieces = 2 * 4096 + last_cols };
  const double fit = most_draws / most_rounds / (double)c->summed.counted;
  if (c->summed.parties == 1) return three_pieces;
  return fit < 16 ? 16 : fit > most_cols ? most_cols : (size_t)fit;
}

/* One round a row, from the first to the last; of many parameters the first and the last ones. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  const uint64_t last = c->releases - 1;
  const sotto_matrix *gradient;
  *out = (sotto_noise_draw){.rows = c->releases < most_rounds ? c->releases : most_rounds};
  for (size_t i = 0; i < out->rows; i++) {
    const uint64_t round = out->rows > 1 ? i * last / (out->rows - 1) : 0;
    sotto_status status = make_round(&gradient, c, 1, 0, key, round, err);
    if (status != SOTTO_OK) return status;
    out->cols = gradient->cols < most_cols ? gradient->cols : most_cols;
    for (size_t j = 0; j < out->cols; j++) {
      const size_t from = j + last_cols < out->cols ? j : gradient->cols - (out->cols - j);
      out->values[i * out->cols + j] = in_units(c, gradient->data[from]);
    }
  }
  return SOTTO_OK;
}

sotto_status sotto_i_fed_noisy_canary(sotto_i_canary *c, const struct sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  const sotto_options *o = &c->options;
  sotto_i_fed_noise noise;
  sotto_status status;
  (void)run;
  (void)kind;
  SOTTO_TRY(sotto_i_fed_noise_new(&noise, o, sotto_i_fed_taking(o, (uint32_t)o->clients), err));
  c->summed = noise.grid;
  c->rate = noise.rate;
  c->releases = sotto_i_client_settings_of(o)->rounds;
  c->whole = true;
  c->stated.mu =
      2 * (double)noise.grid.most / noise.grid.sigma * sqrt((double)c->releases); /* all rounds have it */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_ratio;
  c->stated.noise = draw_noise;
  c->forget = free_stages;
  SOTTO_TRY(new_stage(c, 0, 1, err));
  SOTTO_TRY(new_stage(c, 1, parameters_of(c), err));
done:
  return status;
}
