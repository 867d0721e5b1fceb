/* sampled-subgraphs: sums over a secret sample of nodes and of their neighbours, replacing one node.
 * Accounted by its dominating pair (docs/privacy/secret-samples.md, "Sampled subgraphs at node level").
 *
 * In units of the sensitivity, and given a number n of 2 D places, the dominating pair is the mixture of N(t,
 * sigma^2) (P) or N(-t, sigma^2) (Q) over t = b + Bin(2 D - n, q p) + 2 Bin(n, q p). b is a coin of
 * probability q, and p the probability that a neighbour joins. n itself is visible, and is Bin(2 D, q (1 - p)
 * / (1 - q p)). Both distributions are cut where less than the tail is left, which counts as lost. n is
 * rounded up to a few values, which only increases t. */
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "mechanism.h"

enum { most_shifts = 512, most_groups = 3 };
#define MOST_EXPONENT 11000 /* of e in a long double */

/* Probabilities of the shifts t = 0, 1, ...; with them, those times e^(-t^2 / (2 sigma^2)). */
typedef struct shifts {
  double share; /* weight of the group among all n */
  size_t count;
  double weight[most_shifts];
  long double density[most_shifts];
  double at, loss, slope; /* the last position of a loss, the loss, and its slope: the next one is near */
} shifts;

typedef struct mixture {
  double sigma, lost; /* mass that was cut */
  size_t groups;
  shifts *group;
} mixture;

static double binomial_mass(double n, double k, double chance) {
  if (k > n || k < 0) return 0;
  if (chance <= 0 || chance >= 1) return k == (chance <= 0 ? 0 : n) ? 1 : 0;
  return exp(sotto_i_log_choose(n, k) + k * log(chance) + (n - k) * log1p(-chance));
}

/* The least k with at most `tail` of Bin(n, chance) above it. The sum starts where less than a thousandth of
 * the tail is left by Bernstein's inequality. */
static double upper_quantile(double n, double chance, double tail) {
  const double mean = n * chance, cost = log(1 / tail) + 7;
  double above = 0, k = ceil(fmin(n, mean + sqrt(2 * mean * cost) + cost));
  while (k > 0 && above + binomial_mass(n, k, chance) <= 0.99 * tail) above += binomial_mass(n, k--, chance);
  return k;
}

static double chance_of(const sotto_mechanism *m) {
  return (double)m->sample / (double)m->degree;
}

/* Probability that the node is in the sample, given that the neighbour at this place does not join. */
static double base_chance(const sotto_mechanism *m) {
  const double p = chance_of(m);
  return p < 1 ? m->rate * (1 - p) / (1 - m->rate * p) : 0;
}

/* The distribution of t for one n. Adds the mass beyond `count` to *lost. */
static sotto_status set_shifts(shifts *s, double *lost, const sotto_mechanism *m, double n, double sigma,
                               double tail, sotto_error *err) {
  const double places = 2 * (double)m->degree, chance = m->rate * chance_of(m);
  const double ones = upper_quantile(places - n, chance, tail), twos = upper_quantile(n, chance, tail);
  const double last = ones + 2 * twos + 1;
  const size_t most_ones = (size_t)fmin(ones, most_shifts), most_twos = (size_t)fmin(twos, most_shifts);
  if (last + 1 > most_shifts)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "a node would be in %g of the sampled subgraphs at once; lower the rate or the sample", last);
  s->count = (size_t)last + 1;
  memset(s->weight, 0, sizeof s->weight);
  for (size_t two = 0; two <= most_twos; two++)
    for (size_t one = 0; one <= most_ones; one++) {
      const double w = binomial_mass(n, (double)two, chance) * binomial_mass(places - n, (double)one, chance);
      const size_t at = one + 2 * two;
      s->weight[at] += (1 - m->rate) * w;
      s->weight[at + 1] += m->rate * w;
    }
  for (size_t t = 0; t < s->count; t++)
    s->density[t] = s->weight[t] * expl(-(long double)(t * t) / (2 * sigma * sigma));
  *lost += 2 * s->share * tail;
  while (s->count > 1 && s->weight[s->count - 1] < tail) *lost += s->share * s->weight[--s->count];
  return SOTTO_OK;
}

/* The groups end at quantiles of n; each group is rounded up to its end. */
static sotto_status mixture_new(mixture *mix, const sotto_mechanism *m, double tail, sotto_error *err) {
  static const double above[most_groups] = {0.3, 1e-3, 0};
  const double places = 2 * (double)m->degree, base = base_chance(m);
  sotto_status status = sotto_i_new(&mix->group, most_groups, sizeof *mix->group, err);
  uint64_t from = 0;
  mix->sigma = m->noise / m->sensitivity;
  for (int g = 0; status == SOTTO_OK && g < most_groups; g++) {
    const double end = upper_quantile(places, base, fmax(above[g], tail));
    shifts *s = &mix->group[mix->groups];
    if (end < (double)from) continue;
    *s = (shifts){.share = 0};
    for (uint64_t n = from; n <= (uint64_t)end && (n % 1024 != 0 || !sotto_i_stopped()); n++)
      s->share += binomial_mass(places, (double)n, base);
    status = set_shifts(s, &mix->lost, m, end, mix->sigma, tail, err);
    from = (uint64_t)end + 1;
    mix->groups++;
  }
  mix->lost += tail;
  return status;
}

/* log P/Q at x, and its slope. Both densities, relative to that of N(0, sigma^2), are polynomials in e^(x /
 * sigma^2) or in its inverse. */
static double loss_at(double *slope, const shifts *s, double x, double sigma) {
  const double u = x / (sigma * sigma);
  const long double up = expl(u), down = 1 / up;
  long double above = 0, below = 0, above_moment = 0, below_moment = 0;
  for (size_t t = s->count; t-- > 0;) {
    const long double w = s->density[t], moment = (long double)t * w;
    above = above * up + w;
    below = below * down + w;
    above_moment = above_moment * up + moment;
    below_moment = below_moment * down + moment;
  }
  *slope = (double)(above_moment / above + below_moment / below) / (sigma * sigma);
  return (double)logl(above / below);
}

/* The position x of a loss, by Newton's steps within a bracket; the loss increases from 0 at 0. The start
 * follows from the last position by a line. Where powers would overflow, far beyond the tail, the position is
 * earlier, and everything above it counts with this loss. A step's square is the size of the next one. */
static double position_of(shifts *s, double loss, double sigma) {
  double low = 0, high = MOST_EXPONENT / (double)s->count * sigma * sigma;
  double x = s->slope > 0 ? s->at + (loss - s->loss) / s->slope : sigma;
  for (int round = 0; round < 200; round++) {
    if (!(x > low && x < high)) x = (low + high) / 2;
    s->at = x;
    s->loss = loss_at(&s->slope, s, x, sigma);
    const double off = s->loss - loss;
    if (off > 0)
      high = x;
    else
      low = x;
    x -= off / s->slope;
    if (fabs(x - s->at) <= 1e-8 * (sigma + s->at) || high - low <= 1e-13 * (sigma + low)) break;
  }
  return fmin(x, high);
}

static sotto_i_pld_edge subgraphs_edge(const void *parameters, double loss) {
  const mixture *mix = parameters;
  sotto_i_pld_edge e = {0, 0, 0, 0};
  for (size_t g = 0; g < mix->groups; g++) {
    shifts *s = &mix->group[g];
    const double size = position_of(s, fabs(loss), mix->sigma), x = loss < 0 ? -size : size;
    for (size_t t = 0; t < s->count; t++) {
      const double w = s->share * s->weight[t];
      double below, above;
      if (!(w > 0)) continue;
      sotto_i_normal_tails(&below, &above, (x - (double)t) / mix->sigma);
      e.p_below += w * below;
      e.p_above += w * above;
      sotto_i_normal_tails(&below, &above, (x + (double)t) / mix->sigma);
      e.q_below += w * below;
      e.q_above += w * above;
    }
  }
  return e;
}

/* Both directions are equal, by reflection. */
static sotto_status pld(sotto_i_pld *out, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  (void)backward;
  mixture mix = {.groups = 0};
  double high = 0, slope;
  sotto_status status;
  SOTTO_TRY(mixture_new(&mix, m, tail / 8, err));
  for (size_t g = 0; g < mix.groups; g++) {
    const shifts *s = &mix.group[g];
    double reach = mix.sigma * sqrt(2 * log(1 / tail)), mean = 0;
    for (size_t t = 0; t < s->count; t++) mean += (double)t * s->weight[t];
    /* Most of the shifts are near the mean: the mass beyond this part of the reach is as small as beyond the
     * tail. */
    reach += fmin((double)(s->count - 1), mean + 12 * sqrt(mean + 1));
    if (4 * reach / mix.sigma / mix.sigma * (double)s->count > MOST_EXPONENT) {
      status = sotto_i_fail(err, SOTTO_UNSUPPORTED, "noise %.3g is too small to account for", m->noise);
      goto done;
    }
    high = fmax(high, loss_at(&slope, s, reach, mix.sigma));
  }
  SOTTO_TRY(sotto_i_pld_grid(out, -high, high, width, err));
  sotto_i_pld_add_mirrored(out, subgraphs_edge, &mix);
  out->infinity += mix.lost;
  out->spread = 1.0 / 12;
done:
  sotto_i_free(mix.group);
  return status;
}

/* The smaller of two variances: that of a Gaussian with the root mean square of 2 t, and, for small weights,
 * that by the chi-square distance of the pair at the mean of t. */
static double variance(const sotto_mechanism *m) {
  const double sigma = m->noise / m->sensitivity, q = m->rate;
  const double each = q * chance_of(m) * (1 + base_chance(m)), mean = q + 2 * (double)m->degree * each;
  const double square = 4 * (mean * mean + mean) / (sigma * sigma);
  const double chi = 4 * mean * mean * sinh(fmin(500, 4 / (sigma * sigma)));
  return fmin(square + square * square / 4, fmax(chi, 4 * mean * mean / (sigma * sigma)));
}

static sotto_status check(const sotto_mechanism *m, sotto_error *err) {
  const sotto_status status = sotto_i_check_rate(m, err);
  if (status != SOTTO_OK || (m->sample >= 1 && m->sample <= m->degree && m->degree <= UINT32_MAX))
    return status;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "sample is %llu of a degree of %llu; it must be between 1 and the degree, which is "
                      "below 2^32",
                      (unsigned long long)m->sample, (unsigned long long)m->degree);
}

/* This mechanism is post-processing of a release that reveals how often the node counts: at most 1 + 4 degree
 * times, on either side. */
static sotto_mechanism release_counts(const sotto_mechanism *m) {
  sotto_mechanism out = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  out.count = m->count;
  out.noise = m->noise;
  out.sensitivity = 2 * (1 + 4 * (double)m->degree) * m->sensitivity;
  return out;
}

/* The number when all neighbours join. */
static double examples(const sotto_mechanism *m) {
  return 1 + 2 * (double)m->degree;
}

/* Treats the sum of all places of the node as one vector. */
static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  const double joins = m->rate * (double)m->sample / (double)m->degree;
  const double any = -expm1(log1p(-m->rate) + 2 * (double)m->degree * log1p(-joins));
  sotto_i_try_sampled(b, any, m->sensitivity / m->noise, true, (double)m->count);
}

const sotto_i_descriptor sotto_i_mechanism_sampled_subgraphs = {
    .name = "sampled-subgraphs",
    .text = "a sum over a secret sample of nodes and of their neighbours, with Gaussian noise, replace-one",
    .example = "noise=9 rate=0.01 sample=1 degree=4 count=3",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY | SOTTO_I_FIELD_RATE | SOTTO_I_FIELD_SAMPLE,
    .norm = SOTTO_I_NORM_L2,
    .check = check,
    .no_renyi = "sampled-subgraphs has no known Renyi divergence here",
    .above = release_counts,
    .pld = pld,
    .variance = variance,
    .sampled = true,
    .replaced = true,
    .distinguish = distinguish,
    .examples = examples,
};
