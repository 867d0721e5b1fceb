/* The canary of DP-SGD: one example in the place of another, whose clipped gradient points the other way, and
 * the steps that a run charges, by the function that makes them. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "canary.h"
#include "nn/dpsgd.h"
#include "run/train/run.h"

enum { most_steps = 32, classes = 2, values = 2 * classes }; /* of a weight and a bias for each class */

struct sotto_i_steps {
  sotto_mlp mlp;
  sotto_params *params; /* zeros: both classes have probability 1/2 at every step */
  sotto_matrix x;
  int32_t *labels[2]; /* in either world */
  uint32_t *rows;
  sotto_dpsgd plan;
  uint64_t steps;
  double reach; /* of all examples' sum, in units of the noise */
};

void sotto_i_canary_steps_free(struct sotto_i_steps *s) {
  if (s == NULL) return;
  sotto_params_free(s->params);
  sotto_matrix_free(&s->x);
  for (int which = 0; which < 2; which++) sotto_i_free(s->labels[which]);
  sotto_i_free(s->rows);
  sotto_i_free(s);
}

/* The noisy sum of a step, weights first, in units of the noise. */
static sotto_status take_step(double sum[values], const sotto_i_canary *c, const sotto_dpsgd *plan, int which,
                              const sotto_key *key, uint32_t step, sotto_error *err) {
  const struct sotto_i_steps *s = c->steps;
  const size_t of[] = {s->mlp.linear[0].weight, s->mlp.linear[0].bias};
  const double expected = plan->sampling.rate * (double)plan->sampling.population;
  sotto_status status =
      sotto_dpsgd_gradient(&s->mlp, s->params, &s->x, s->labels[which], s->rows, plan, key, step, err);
  for (size_t i = 0; status == SOTTO_OK && i < values; i++)
    sum[i] = (double)sotto_params_gradient(s->params, of[i / classes])->data[i % classes] * expected /
             plan->grid.sigma;
  return status;
}

/* log of (1 - q) + q exp(reach (x - reach / 2)): a step whose example is there with probability q. */
static double log_seen(double rate, double reach, double x) {
  return log1p(rate * expm1(reach * x - reach * reach / 2));
}

static sotto_status draw(void *context, double *value, bool second, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  const struct sotto_i_steps *s = c->steps;
  const double far = s->x.data[0], length = sqrt(2 * (far * far + 1)), rate = s->plan.sampling.rate;
  *value = 0;
  for (uint32_t step = 0; step < s->steps; step++) {
    double sum[values];
    sotto_status status = take_step(sum, c, &s->plan, second ? 1 : 0, key, step, err);
    if (status != SOTTO_OK) return status;
    const double x = ((sum[0] - sum[1]) * far + sum[2] - sum[3]) / length;
    *value += log_seen(rate, s->reach, x) - log_seen(rate, s->reach, -x);
  }
  return SOTTO_OK;
}

/* Of a batch that has nobody in it, as nearly all are at such a rate. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_dpsgd plan = c->steps->plan;
  plan.sampling.rate = 0x1p-60;
  *out = (sotto_noise_draw){.cols = classes};
  for (uint32_t step = 0; step < c->steps->steps; step++) {
    sotto_status status = take_step(out->values + out->rows * classes, c, &plan, 0, key, step, err);
    if (status != SOTTO_OK) return status;
    out->rows += values / classes;
  }
  return SOTTO_OK;
}

static const sotto_mechanism *training_of(const sotto_cost *cost) {
  for (size_t i = 0; i < cost->count; i++) {
    const sotto_mechanism_kind kind = cost->items[i].mechanism.kind;
    if (kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN || kind == SOTTO_MECHANISM_SAMPLED_SUBGRAPHS)
      return &cost->items[i].mechanism;
  }
  return NULL;
}

/* Of features so large that its gradient is longer than any clip. */
static sotto_status make_examples(struct sotto_i_steps *s, uint64_t count, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&s->x, count, 1, err));
  SOTTO_TRY(sotto_i_new(&s->rows, count, sizeof *s->rows, err));
  for (int which = 0; which < 2; which++)
    SOTTO_TRY(sotto_i_new(&s->labels[which], count, sizeof **s->labels, err));
  for (uint64_t i = 0; i < count; i++) {
    s->x.data[i] = (float)(16 * (1 + s->plan.clip));
    s->rows[i] = (uint32_t)i;
    s->labels[1][i] = 1;
  }
done:
  return status;
}

static sotto_status make_network(struct sotto_i_steps *s, sotto_error *err) {
  const sotto_mlp_options options = {.widths = {1, classes}, .layers = 1};
  sotto_key key;
  sotto_status status;
  sotto_key_public(&key, 0);
  SOTTO_TRY(sotto_params_new(&s->params, err));
  SOTTO_TRY(sotto_mlp_new(&s->mlp, s->params, "canary", &options, 0, &key, err));
  for (size_t j = 0; j < classes; j++) {
    sotto_params_value(s->params, s->mlp.linear[0].weight)->data[j] = 0;
    sotto_params_value(s->params, s->mlp.linear[0].bias)->data[j] = 0;
  }
done:
  return status;
}

/* The first training of the plan. Where a node is in several examples at once, all of them are others. */
sotto_status sotto_i_canary_of_steps(sotto_i_canary *c, const sotto_i_run *run, sotto_error *err) {
  const sotto_mechanism *training = training_of(&run->cost);
  sotto_status status;
  if (training == NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "method: %s trains nothing by DP-SGD here",
                        run->options->method);
  SOTTO_TRY(sotto_i_new(&c->steps, 1, sizeof *c->steps, err));
  const double whole = floor(training->sensitivity / run->options->clip * (1 + 1e-9));
  const uint64_t together = whole > 1 ? (uint64_t)whole : 1;
  c->steps->plan =
      (sotto_dpsgd){.clip = run->options->clip, .sampling = {.population = together, .rate = training->rate}};
  SOTTO_TRY(sotto_i_dpsgd_grid(&c->steps->plan.grid, training->noise, err));
  c->steps->steps = training->count < most_steps ? training->count : most_steps;
  c->steps->reach = (double)together * run->options->clip / training->noise;
  SOTTO_TRY(make_examples(c->steps, together, err));
  SOTTO_TRY(make_network(c->steps, err));
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw;
  c->stated.noise = draw_noise;
done:
  return status;
}
