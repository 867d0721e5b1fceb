/* The canary of DP-SGD: an example is replaced by one with the opposite clipped gradient. The run's charged
 * steps are made by its own loop at a learning rate of 0. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "canary.h"
#include "dp/mechanisms/mechanism.h"
#include "inside/audit.h"
#include "inside/nn.h"
#include "protocols/options.h"
#include "protocols/private_fit.h"
#include "run/train/run.h"

/* Two layers of several rows and columns. Noise is tested in a network whose first layer has more rows than
 * one thread writes. The many trials use a small one. */
enum { most_steps = 32, layers = 2, classes = 2, small = 0, large, nets };
static const size_t widths[nets][layers + 1] = {{1, 2, classes}, {68, 3, classes}};
enum { most_values = 69 * 3 + 4 * classes };

typedef struct net {
  sotto_mlp mlp;
  sotto_params *params; /* both classes have probability 1/2 at every step */
  sotto_matrix x;
  size_t values; /* of all parameters */
} net;

struct sotto_i_steps {
  net of[nets];
  double far;         /* the input of the second layer, so large that the gradient exceeds any clip */
  int32_t *labels[2]; /* in each world */
  uint32_t *rows;
  sotto_dpsgd plan;
  uint64_t steps, charged; /* steps of a trial, and of the run */
  double reach;            /* of the sum of all examples, in units of the noise */
};

void sotto_i_canary_steps_free(struct sotto_i_steps *s) {
  if (s == NULL) return;
  for (int which = 0; which < 2; which++) sotto_i_free(s->labels[which]);
  for (int n = 0; n < nets; n++) {
    sotto_params_free(s->of[n].params);
    sotto_matrix_free(&s->of[n].x);
  }
  sotto_i_free(s->rows);
  sotto_i_free(s);
}

/* At this rate the network does not change between steps. */
static sotto_adam frozen_adam(void) {
  sotto_adam adam = sotto_adam_defaults();
  adam.learning_rate = adam.weight_decay = 0;
  return adam;
}

/* The noisy sum of a step in units of the noise, for both layers, weights first. */
static sotto_status take_step(double *sum, const struct sotto_i_steps *s, const net *n,
                              const sotto_dpsgd *plan, int which, const sotto_key *key, uint64_t step,
                              sotto_error *err) {
  const double expected = plan->sampling.rate * (double)plan->sampling.population;
  const sotto_i_sgd_loop loop = {.mlp = &n->mlp,
                                 .params = n->params,
                                 .examples = {.x = &n->x, .labels = s->labels[which], .rows = s->rows},
                                 .dpsgd = plan,
                                 .adam = frozen_adam()};
  sotto_status status = sotto_i_sgd_steps(&loop, key, step, step + 1, err);
  for (size_t l = 0; status == SOTTO_OK && l < layers; l++) {
    const size_t of[] = {n->mlp.linear[l].weight, n->mlp.linear[l].bias};
    for (size_t part = 0; part < 2; part++) {
      const sotto_matrix *gradient = sotto_params_gradient(n->params, of[part]);
      for (size_t i = 0; i < gradient->rows * gradient->cols; i++)
        *sum++ = (double)gradient->data[i] * expected / plan->grid.sigma;
    }
  }
  return status;
}

/* The component of a sum along an example's gradient. This is zero outside the second layer: the weights
 * there are 0, so that no gradient reaches the first. */
static double projection(const double *sum, const net *n, double far) {
  const size_t hidden = n->mlp.options.widths[1];
  const double *bias = sum + n->values - classes, *second = bias - hidden * classes;
  double part = bias[0] - bias[1];
  for (size_t i = 0; i < hidden; i++) part += far * (second[i * classes] - second[i * classes + 1]);
  return part / sqrt(2 * ((double)hidden * far * far + 1));
}

/* log of (1 - q) + q exp(reach (x - reach / 2)): a step whose example is in the batch with probability q. */
static double log_ratio_of_step(double rate, double reach, double x) {
  return log1p(rate * expm1(reach * x - reach * reach / 2));
}

static sotto_status draw_ratio(void *context, double *value, bool second, const sotto_key *key,
                               sotto_error *err) {
  const sotto_i_canary *c = context;
  const struct sotto_i_steps *s = c->steps;
  const double rate = s->plan.sampling.rate;
  *value = 0;
  for (uint64_t step = 0; step < s->steps; step++) {
    double sum[most_values];
    sotto_status status = take_step(sum, s, &s->of[small], &s->plan, second ? 1 : 0, key, step, err);
    if (status != SOTTO_OK) return status;
    const double x = projection(sum, &s->of[small], s->far);
    *value += log_ratio_of_step(rate, s->reach, x) - log_ratio_of_step(rate, s->reach, -x);
  }
  return SOTTO_OK;
}

/* The noise of empty batches, as nearly all are at such a rate: one step a row, from the first step of the
 * run to the last. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  const net *n = &c->steps->of[large];
  const uint64_t room = SOTTO_NOISE_VALUES / n->values, last = c->steps->charged - 1;
  sotto_dpsgd plan = c->steps->plan;
  plan.sampling.rate = 0x1p-60;
  *out = (sotto_noise_draw){.cols = n->values, .rows = last < room ? last + 1 : room};
  for (uint64_t row = 0; row < out->rows; row++) {
    const uint64_t step = out->rows > 1 ? row * last / (out->rows - 1) : 0;
    double *to = out->values + row * n->values;
    sotto_status status = take_step(to, c->steps, n, &plan, 0, key, step, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static const sotto_mechanism *find_training(const sotto_cost *cost) {
  for (size_t i = 0; i < cost->count; i++) {
    const sotto_i_descriptor *d = sotto_i_descriptor_of(cost->items[i].mechanism.kind);
    if (d->replaced && d->pld != NULL) return &cost->items[i].mechanism;
  }
  return NULL;
}

static sotto_status make_examples(struct sotto_i_steps *s, uint64_t count, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s->rows, count, sizeof *s->rows, err));
  for (int which = 0; which < 2; which++)
    SOTTO_TRY(sotto_i_new(&s->labels[which], count, sizeof **s->labels, err));
  for (uint64_t i = 0; i < count; i++) {
    s->rows[i] = (uint32_t)i;
    s->labels[1][i] = 1;
  }
done:
  return status;
}

/* All weights are 0, and the bias of the first layer is `far`. */
static sotto_status make_network(net *n, const size_t width[layers + 1], uint64_t count, double far,
                                 sotto_error *err) {
  sotto_mlp_options options = {.layers = layers};
  sotto_key key;
  sotto_status status;
  for (size_t l = 0; l <= layers; l++) options.widths[l] = width[l];
  sotto_key_public(&key, 0);
  SOTTO_TRY(sotto_matrix_new(&n->x, count, width[0], err));
  for (size_t i = 0; i < count * width[0]; i++) n->x.data[i] = 1;
  SOTTO_TRY(sotto_params_new(&n->params, err));
  SOTTO_TRY(sotto_mlp_new(&n->mlp, n->params, "canary", &options, 0, &key, err));
  for (size_t i = 0; i < sotto_params_count(n->params); i++) {
    const sotto_matrix *value = sotto_params_value(n->params, i);
    n->values += value->rows * value->cols;
    for (size_t j = 0; j < value->rows * value->cols; j++)
      value->data[j] = i == n->mlp.linear[0].bias ? (float)far : 0;
  }
done:
  return status;
}

/* The first training of the plan. If a node is in several examples at once, all of them are replaced. */
sotto_status sotto_i_canary_of_steps(sotto_i_canary *c, const sotto_i_run *run, sotto_error *err) {
  const sotto_mechanism *training = find_training(&run->cost);
  sotto_status status;
  if (training == NULL)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "method: %s trains nothing by DP-SGD here",
                        run->options->method);
  SOTTO_TRY(sotto_i_new(&c->steps, 1, sizeof *c->steps, err));
  const double clip = sotto_i_node_settings_of(run->options)->clip;
  const double whole = floor(training->sensitivity / clip * (1 + 1e-9));
  const uint64_t together = whole > 1 ? (uint64_t)whole : 1;
  c->steps->plan = (sotto_dpsgd){.clip = clip, .sampling = {.population = together, .rate = training->rate}};
  SOTTO_TRY(sotto_i_dpsgd_grid(&c->steps->plan.grid, training->noise, err));
  c->steps->far = (double)(float)(16 * (1 + clip));
  c->steps->charged = training->count > 0 ? training->count : 1;
  c->steps->steps = training->count < most_steps ? training->count : most_steps;
  c->steps->reach = (double)together * clip / training->noise;
  SOTTO_TRY(make_examples(c->steps, together, err));
  for (int n = 0; n < nets; n++)
    SOTTO_TRY(make_network(&c->steps->of[n], widths[n], together, c->steps->far, err));
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_ratio;
  c->stated.noise = draw_noise;
done:
  return status;
}
