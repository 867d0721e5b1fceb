/* From a mechanism to its privacy loss distribution on a grid (pld_grid.c). */
#include <math.h>

#include "base/memory.h"
#include "pld.h"

typedef sotto_i_pld_edge edge;

static const double widest_mirror = 2; /* of a grid whose masses lose few digits to exp(width) */

static edge gaussian_edge(const void *parameters, double loss) {
  const double *mu = parameters;
  edge e;
  sotto_i_normal_tails(&e.p_below, &e.p_above, (loss - *mu * *mu / 2) / *mu);
  sotto_i_normal_tails(&e.q_below, &e.q_above, (loss + *mu * *mu / 2) / *mu);
  return e;
}

sotto_status sotto_i_pld_gaussian(sotto_i_pld *out, double mu, double width, double tail, sotto_error *err) {
  double reach = mu * sqrt(2 * log(1 / tail)), low = mu * mu / 2 - reach, high = mu * mu / 2 + reach;
  sotto_status status = sotto_i_pld_grid(out, low, high, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, gaussian_edge, &mu, low, high);
  edge bottom = gaussian_edge(&mu, (double)out->first * width);
  edge top = gaussian_edge(&mu, ceil(high / width) * width);
  out->mass[0] += bottom.p_below;
  out->infinity = top.p_above;
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

/* Laplace noise of scale b on inputs 0 (P) and 1 (Q): atoms where x lies outside, this part where it lies
 * between, with loss (1 - 2x)/b. */
static edge laplace_edge(const void *parameters, double loss) {
  const double *scale = parameters;
  double b = *scale, x = (1 - b * loss) / 2;
  if (x < 0) x = 0;
  if (x > 1) x = 1;
  return (edge){.p_below = 0.5 * exp(-x / b) * -expm1((x - 1) / b),
                .p_above = -0.5 * expm1(-x / b),
                .q_below = -0.5 * expm1((x - 1) / b),
                .q_above = 0.5 * exp((x - 1) / b) * -expm1(-x / b)};
}

static sotto_status make_laplace(sotto_i_pld *out, double scale, double width, sotto_error *err) {
  sotto_status status = sotto_i_pld_grid(out, -1 / scale, 1 / scale, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, laplace_edge, &scale, -1 / scale, 1 / scale);
  sotto_i_pld_add_atom(out, 1 / scale, 0.5);
  sotto_i_pld_add_atom(out, -1 / scale, 0.5 * exp(-1 / scale));
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

/* (epsilon, delta)-DP in general, by the pair of Kairouz, Oh and Viswanath 2015; with `equal`, the mass on
 * answers that are as likely under both. */
static sotto_status make_response(sotto_i_pld *out, double epsilon, double delta, double equal, double width,
                                  sotto_error *err) {
  sotto_status status = sotto_i_pld_grid(out, -epsilon, epsilon, width, err);
  if (status != SOTTO_OK) return status;
  double rest = (1 - delta) * (1 - equal), low = exp(-epsilon) / (1 + exp(-epsilon));
  sotto_i_pld_add_atom(out, epsilon, rest / (1 + exp(-epsilon)));
  sotto_i_pld_add_atom(out, -epsilon, rest * low);
  sotto_i_pld_add_atom(out, 0, (1 - delta) * equal);
  out->infinity = delta;
  return SOTTO_OK;
}

/* The discrete Gaussian shifted by s: loss (s^2 - 2 s x) / (2 sigma^2) at the integer x. */
static sotto_status make_discrete_gaussian(sotto_i_pld *out, const sotto_mechanism *m, double width,
                                           double tail, sotto_error *err) {
  double s = m->sensitivity, scale = 1 / (2 * m->noise * m->noise);
  double reach = ceil(m->noise * sqrt(2 * log(4 / tail)) + 1);
  if (reach > (double)SOTTO_I_PLD_POINTS)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "a discrete Gaussian this wide is not offered under pld");
  sotto_status status =
      sotto_i_pld_grid(out, scale * s * (s - 2 * reach), scale * s * (s + 2 * reach), width, err);
  if (status != SOTTO_OK) return status;
  double total = 1;
  int64_t most = (int64_t)reach;
  for (int64_t x = most; x >= 1; x--) total += 2 * exp(-scale * (double)x * (double)x);
  for (int64_t x = -most; x <= most; x++)
    sotto_i_pld_add_atom(out, scale * s * (s - 2 * (double)x), exp(-scale * (double)x * (double)x) / total);
  /* Beyond `reach` lies less than sum_{x > reach} exp(-x reach / (2 sigma^2)) on either side. */
  double ratio = exp(-scale * reach), beyond = exp(-scale * reach * reach) * ratio / (1 - ratio);
  out->infinity = beyond / total;
  out->mass[0] += beyond / total;
  return SOTTO_OK;
}

/* parameters: rate, sigma. X ~ P = (1-q) N(0, sigma^2) + q N(1, sigma^2), Q = N(0, sigma^2), loss
 * log(1 - q + q exp((2x - 1) / (2 sigma^2))), increasing in x. */
static edge poisson_edge(const void *parameters, double loss) {
  const double q = ((const double *)parameters)[0], sigma = ((const double *)parameters)[1];
  double inside = loss < 700 ? expm1(loss) + q : 0;
  if (loss < 700 && inside <= 0) return (edge){.p_above = 1, .q_above = 1};
  double x = sigma * sigma * ((loss < 700 ? log(inside) : loss) - log(q)) + 0.5;
  double below1, above1;
  edge e;
  sotto_i_normal_tails(&e.q_below, &e.q_above, x / sigma);
  sotto_i_normal_tails(&below1, &above1, (x - 1) / sigma);
  e.p_below = (1 - q) * e.q_below + q * below1;
  e.p_above = (1 - q) * e.q_above + q * above1;
  return e;
}

/* The pair (Q, P): connect-the-dots keeps Q-masses too, so they are mass * exp(-loss), mirrored. Losses above
 * the forward grid, a Q-mass of `above`, are moved up to its end. */
static sotto_status mirror(sotto_i_pld *out, const sotto_i_pld *pld, double above, sotto_error *err) {
  *out = *pld;
  out->infinity = 0;
  out->first = -(pld->first + (int64_t)pld->count - 1);
  sotto_status status = sotto_i_new(&out->mass, pld->count, sizeof(double), err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < pld->count; i++)
    out->mass[pld->count - 1 - i] = pld->mass[i] * exp(-(double)(pld->first + (int64_t)i) * pld->width);
  out->mass[0] += above;
  return SOTTO_OK;
}

static edge poisson_edge_back(const void *parameters, double loss) {
  const edge e = poisson_edge(parameters, -loss);
  return (edge){.p_below = e.q_above, .p_above = e.q_below, .q_below = e.p_above, .q_above = e.p_below};
}

/* The same, from the densities: on a coarse grid the masses below 0 are too small to be multiplied. */
static sotto_status backward_of(sotto_i_pld *out, const double parameters[2], double low, double high,
                                double width, double above, sotto_error *err) {
  sotto_status status = sotto_i_pld_grid(out, -high, -low, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, poisson_edge_back, parameters, -high, -low);
  out->mass[0] += above;
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

/* Without replacement, replace-one (Balle, Barthe and Gaboardi 2018, Thm 11): delta(e^eps) is that of the
 * pair above for eps >= 0, and the profile is symmetric, so the mass at -x is exp(-x) times that at x and the
 * rest lies at 0. */
static void make_symmetric(sotto_i_pld *pld) {
  double rest = 1 - pld->infinity;
  size_t zero = (size_t)-pld->first;
  for (size_t i = zero + 1; i < pld->count; i++) {
    double q = pld->mass[i] * exp(-(double)(i - zero) * pld->width);
    rest -= pld->mass[i] + q;
    if (i - zero <= zero)
      pld->mass[zero - (i - zero)] = q;
    else
      pld->mass[0] += q;
  }
  pld->mass[zero] = rest > 0 ? rest : 0;
}

static sotto_status make_subsampled(sotto_i_pld *out, sotto_i_pld *backward, const sotto_mechanism *m,
                                    double width, double tail, sotto_error *err) {
  const double q = sotto_i_mechanism_rate(m), sigma = m->noise / m->sensitivity;
  const double parameters[2] = {q, sigma};
  double x = 1 + sigma * sqrt(2 * log(1 / tail)), exponent = (2 * x - 1) / (2 * sigma * sigma);
  double high = exponent > 600 ? exponent + log(q) : log1p(q * expm1(exponent));
  bool without = m->population > 0;
  double low = without ? -high : log1p(-q);
  sotto_status status = sotto_i_pld_grid(out, low, high, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, poisson_edge, parameters, without ? 0 : low, high);
  edge top = poisson_edge(parameters, ceil(high / width) * width);
  out->infinity = top.p_above;
  out->spread = 1.0 / 12;
  if (without)
    make_symmetric(out);
  else if (width < widest_mirror)
    status = mirror(backward, out, top.q_above, err);
  else
    status = backward_of(backward, parameters, low, high, width, top.q_above, err);
  return status;
}

/* parameters: rate, sigma. P = (1-q) N(0, sigma^2) + q N(1, sigma^2), and Q the same at -1: the dominating
 * pair of a record replaced (docs/privacy.md, section 2). The loss is odd in x and increases: x = sigma^2
 * (loss / 2 + asinh((1-q)/q exp(1/(2 sigma^2)) sinh(loss / 2))). */
static edge replaced_edge(const void *parameters, double loss) {
  const double q = ((const double *)parameters)[0], sigma = ((const double *)parameters)[1],
               half = fabs(loss) / 2;
  const double log_sinh = half < 1 ? log(sinh(half)) : half - log(2) + log1p(-exp(-2 * half));
  const double log_z = log1p(-q) - log(q) + 1 / (2 * sigma * sigma) + log_sinh;
  const double size = sigma * sigma * (half + (log_z < 30 ? asinh(exp(log_z)) : log_z + log(2)));
  const double x = loss < 0 ? -size : size;
  double below, above, below_up, above_up, below_down, above_down;
  sotto_i_normal_tails(&below, &above, x / sigma);
  sotto_i_normal_tails(&below_up, &above_up, (x - 1) / sigma);
  sotto_i_normal_tails(&below_down, &above_down, (x + 1) / sigma);
  return (edge){.p_below = (1 - q) * below + q * below_up,
                .p_above = (1 - q) * above + q * above_up,
                .q_below = (1 - q) * below + q * below_down,
                .q_above = (1 - q) * above + q * above_down};
}

/* Both directions are alike, by reflection. */
static sotto_status make_replaced(sotto_i_pld *out, const sotto_mechanism *m, double width, double tail,
                                  sotto_error *err) {
  const double q = m->rate, sigma = m->noise / m->sensitivity;
  const double parameters[2] = {q, sigma}, x = 1 + sigma * sqrt(2 * log(1 / tail));
  const double up = (2 * x - 1) / (2 * sigma * sigma), down = (-2 * x - 1) / (2 * sigma * sigma);
  const double high = (up > 600 ? up + log(q) : log1p(q * expm1(up))) - log1p(q * expm1(down));
  sotto_status status = sotto_i_pld_grid(out, -high, high, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_mirrored(out, replaced_edge, parameters);
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

sotto_status sotto_i_pld_make(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m,
                              double width, double tail, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  double epsilon = sotto_i_mechanism_pure(m), delta = 0, equal = 0, unit = sotto_i_pld_unit(m);
  *forward = *backward = (sotto_i_pld){0};
  switch (m->kind) {
  case SOTTO_MECHANISM_LAPLACE:
    SOTTO_TRY(make_laplace(forward, m->noise / m->sensitivity, width, err));
    break;
  case SOTTO_MECHANISM_DISCRETE_GAUSSIAN:
    SOTTO_TRY(make_discrete_gaussian(forward, m, width, tail, err));
    break;
  case SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN:
    if (sotto_i_mechanism_rate(m) < 1)
      SOTTO_TRY(make_subsampled(forward, backward, m, width, tail, err));
    else
      SOTTO_TRY(sotto_i_pld_gaussian(forward, m->sensitivity / m->noise, width, tail, err));
    break;
  case SOTTO_MECHANISM_REPLACED_GAUSSIAN:
    if (m->rate < 1)
      SOTTO_TRY(make_replaced(forward, m, width, tail, err));
    else
      SOTTO_TRY(sotto_i_pld_gaussian(forward, sotto_i_mechanism_sampled_mu(m), width, tail, err));
    break;
  case SOTTO_MECHANISM_SAMPLED_SUBGRAPHS:
    SOTTO_TRY(sotto_i_pld_subgraphs(forward, m, width, tail, err));
    break;
  case SOTTO_MECHANISM_RANDOMIZED_RESPONSE: {
    double others = (double)(m->choices - 2);
    equal = others / (exp(epsilon) + others + 1);
    SOTTO_TRY(make_response(forward, epsilon, 0, equal, width, err));
    break;
  }
  case SOTTO_MECHANISM_MULTIBIT:
    SOTTO_TRY(make_response(forward, epsilon, 0, 0, width, err));
    break;
  case SOTTO_MECHANISM_NOISE_FREE_SAMPLING:
    sotto_i_mechanism_noise_free(&epsilon, &delta, m);
    SOTTO_TRY(make_response(forward, epsilon, delta, 0, width, err));
    break;
  default:
    SOTTO_TRY(sotto_i_pld_gaussian(forward, sotto_i_mechanism_mu(m), width, tail, err));
  }
  forward->runs = backward->runs = sotto_i_mechanism_runs(m);
  double steps = unit / width; /* atoms off the grid: at most a quarter of width^2, half of it counts */
  if (unit > 0 && fabs(steps - nearbyint(steps)) > 1e-9 * steps) forward->spread = 1.0 / 8;
done:
  return status;
}

double sotto_i_pld_unit(const sotto_mechanism *m) {
  double epsilon, delta;
  switch (m->kind) {
  case SOTTO_MECHANISM_DISCRETE_GAUSSIAN:
    return m->sensitivity / (2 * m->noise * m->noise);
  case SOTTO_MECHANISM_LAPLACE:
  case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
  case SOTTO_MECHANISM_MULTIBIT:
    return sotto_i_mechanism_pure(m);
  case SOTTO_MECHANISM_NOISE_FREE_SAMPLING:
    sotto_i_mechanism_noise_free(&epsilon, &delta, m);
    return epsilon;
  default:
    return 0;
  }
}

double sotto_i_pld_variance(const sotto_mechanism *m) {
  double unit = sotto_i_pld_unit(m),
         ratio = m->sensitivity > 0 && m->noise > 0 ? m->sensitivity / m->noise : 0;
  if (m->kind == SOTTO_MECHANISM_DISCRETE_GAUSSIAN) return ratio * ratio;
  if (m->kind == SOTTO_MECHANISM_SAMPLED_SUBGRAPHS) return sotto_i_subgraphs_variance(m);
  if (sotto_i_mechanism_is_sampled(m)) {
    const double mu = sotto_i_mechanism_sampled_mu(m);
    double q = sotto_i_mechanism_rate(m), square = mu * mu;
    double small = square < 30 ? q * q * expm1(square) : INFINITY, large = q * (square + square * square / 4);
    return small < large ? small : large;
  }
  return unit > 0 ? unit * unit : sotto_i_mechanism_mu(m) * sotto_i_mechanism_mu(m);
}
