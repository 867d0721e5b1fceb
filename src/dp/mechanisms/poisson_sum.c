/* poisson-sum: a sum of vectors over a secret Poisson sample, replace-one, with Gaussian or discrete Gaussian
 * noise, by its Renyi divergences (docs/privacy/mechanisms.md).
 *
 * One record's vector is g in P and h in P', both of norm at most Delta. With Q0, Q1, Q2 the noise around the
 * sum of the other records, around that plus g, and around that plus h,
 *     P = (1-q) Q0 + q Q1,  P' = (1-q) Q0 + q Q2,  P/P' = 1 + q y,  y = (Q1 - Q2) / P',  E_P'[y] = 0,
 * so E_P'[(P/P')^a] = 1 + sum_{j=2}^a C(a, j) q^j E_P'[y^j] at a whole order a. For even j, with u =
 * Delta / sigma and x a standard normal,
 *     E_P'[y^j] <= (1-q)^(1-j) T_j,  and  <= (1-q) T_j + q S_j,
 *     T_j = sup E_Q0[((Q1 - Q2)/Q0)^j] = E[(2 exp(-u^2/2) sinh(u x))^j],
 *     S_j = sup E_Q2[(Q1/Q2 - 1)^j] = E[(exp(2 u x - 2 u^2) - 1)^j];
 * for odd j, |E[y^j]| <= sqrt(E[y^(j-1)] E[y^(j+1)]). T_j and S_j are polynomials in E_Q0[(Q1/Q0)^a
 * (Q2/Q0)^b], which are the same for Gaussian noise and for discrete Gaussian noise on whole vectors. Both
 * directions have this one bound, since g and h stand for any two vectors. */
#include <math.h>

#include "mechanism.h"

enum { most = SOTTO_I_RDP_SUM_ORDERS };
static const double finest = 1.0 / 16, margin = 1e-9; /* of a logarithm: error of quadrature and rounding */
/* From this u on both integrals are within e^-36 of their bounds: twice E[exp(j (u x - u^2 / 2))], and
 * E[exp(j (2 u x - 2 u^2))] + 1. Quadrature, whose range grows with u, would not improve them. */
static const double largest = 3;
/* The error of the trapezoidal rule falls with exp(-2 pi^2 / step^2): this step suffices for a bound at a few
 * orders. */
static const double coarse = 0.5;

/* A release of several discrete Gaussians is within a factor exp(+-2^-60) of that of one. The mechanism's
 * caller ensures it (dp/noise/summed.h). */
static const double closeness = 0x1p-60;

/* log of 2 exp(-u^2/2) sinh(u x), x > 0; and of |exp(2 u x - 2 u^2) - 1|. */
static double log_t(double u, double x) {
  return u * x + log(-expm1(-2 * u * x)) - u * u / 2;
}
static double log_s(double u, double x) {
  const double loss = 2 * u * x - 2 * u * u;
  return loss > 40 ? loss : log(fabs(expm1(loss)));
}

/* An integral for each even order j: of exp(j f(x)) against a standard normal over [low, reach j u + 13]. */
typedef struct integral {
  double (*f)(double u, double x);
  double low, reach;
} integral;
static const integral of_t = {log_t, 0, 1}, of_s = {log_s, -13, 2};

/* A sum of exponentials: sum * exp(top). */
typedef struct exponentials {
  double top, sum;
} exponentials;

static void add_exponential(exponentials *e, double value) {
  if (value <= e->top) {
    e->sum += exp(value - e->top);
    return;
  }
  e->sum = e->sum * exp(e->top - value) + 1;
  e->top = value;
}

/* Their logarithms up to order `last`, by the trapezoidal rule. At this step its error is far below the last
 * digit of a double, since all terms are Gaussians of variance 1. All orders share f(x). */
static void log_integrals(double *out, const integral *of, double u, uint64_t last, double widest) {
  const double step = widest / fmax(1, u / 4), high = of->reach * (double)last * u + 13;
  exponentials sums[most + 3];
  for (uint64_t j = 2; j <= last; j += 2) sums[j] = (exponentials){.top = -INFINITY};
  for (double at = floor(of->low / step); at * step <= high; at++) {
    const double x = at * step;
    if (x <= of->low) continue;
    const double value = of->f(u, x);
    for (uint64_t j = last; j >= 2 && x <= of->reach * (double)j * u + 13; j -= 2)
      add_exponential(&sums[j], (double)j * value - x * x / 2);
  }
  for (uint64_t j = 2; j <= last; j += 2)
    out[j] = sums[j].top + log(sums[j].sum * step / 2.50662827463100050242) + margin;
}

/* Bounds of log |E_P'[y^j]| for j from 2 to `last`. */
static void bound_moments(double *out, double q, double u, uint64_t last, double step) {
  double ts[most + 3], ss[most + 3];
  const double log_not = log1p(-q), log_q = log(q);
  const uint64_t top = last + last % 2;
  if (u < largest) {
    log_integrals(ts, &of_t, u, top, step);
    log_integrals(ss, &of_s, u, top, step);
  }
  for (uint64_t whole = 2; whole <= top; whole += 2) {
    const double j = (double)whole;
    double t = log(2) + j * (j - 1) * u * u / 2, s = sotto_i_log_add(2 * j * (j - 1) * u * u, 0);
    if (u < largest) {
      t = log(2) + ts[whole];
      s = ss[whole];
    }
    out[whole] = fmin((1 - j) * log_not + t, sotto_i_log_add(log_not + t, log_q + s));
  }
  for (uint64_t odd = 3; odd < top; odd += 2) out[odd] = (out[odd - 1] + out[odd + 1]) / 2;
}

static double log_moment(const double *moments, double q, uint64_t order) {
  const double log_q = log(q);
  double sum = -INFINITY;
  for (uint64_t j = 2; j <= order; j++)
    sum = sotto_i_log_add(sum, sotto_i_log_choose((double)order, (double)j) + (double)j * log_q + moments[j]);
  return sum > 40 ? sum + margin : log1p(exp(sum)) * (1 + margin);
}

double sotto_i_rdp_sum_moment(double rate, double reach, uint64_t order) {
  double moments[most + 3];
  SOTTO_I_CHECK(order >= 2 && order <= most);
  if (rate == 1) return (double)order * ((double)order - 1) * 2 * reach * reach;
  bound_moments(moments, rate, reach, order, finest);
  return log_moment(moments, rate, order);
}

/* Does an order of `rdp` lie between this whole order and a neighbour? */
static bool is_read(const sotto_i_rdp *rdp, double whole) {
  for (size_t i = 0; i < rdp->count; i++)
    if (fabs(rdp->order[i] - whole) < 1) return true;
  return false;
}

/* (a - 1) times the divergence is convex in a, so between whole orders it lies below the chord. At 1 it is
 * 0. */
static void fill_whole_orders(double *whole, const sotto_i_rdp *rdp, double q, double u, uint64_t last) {
  double moments[most + 3];
  whole[1] = 0;
  bound_moments(moments, q, u, last, last == most ? finest : coarse);
  for (uint64_t order = 2; order <= last; order++)
    if (is_read(rdp, (double)order)) whole[order] = log_moment(moments, q, order);
}

void sotto_i_rdp_sums(sotto_i_rdp *rdp, double rate, double reach, double runs) {
  double whole[most + 1];
  const double last = rdp->count == SOTTO_I_RDP_ORDERS ? most : SOTTO_I_RDP_FEW;
  if (rate < 1) fill_whole_orders(whole, rdp, rate, reach, (uint64_t)last);
  for (size_t i = 0; i < rdp->count; i++) {
    const double order = rdp->order[i], low = floor(order), part = order - low;
    double one = INFINITY;
    if (rate == 1)
      one = order * 2 * reach * reach; /* Canonne, Kamath and Steinke 2020, Prop. 5: at every order */
    else if (order < last || (order == last && part == 0))
      one = ((1 - part) * whole[(size_t)low] + (part > 0 ? part * whole[(size_t)low + 1] : 0)) / (order - 1);
    if (rate < 1) one = fmin(one, sotto_i_rdp_seen_sample(rate, order * 2 * reach * reach, order));
    rdp->value[i] += runs * (one + (2 * order - 1) / (order - 1) * closeness);
  }
}

static sotto_status add_renyi(sotto_i_rdp *rdp, const sotto_mechanism *m, sotto_error *err) {
  (void)err;
  sotto_i_rdp_sums(rdp, m->rate, m->sensitivity / m->noise, (double)m->count);
  return SOTTO_OK;
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  sotto_i_try_sampled(b, m->rate, m->sensitivity / m->noise, true, (double)m->count);
}

const sotto_i_descriptor sotto_i_mechanism_poisson_sum = {
    .name = "poisson-sum",
    .text = "a sum over a secret Poisson sample, with several discrete Gaussians, replace-one",
    .example = "noise=2 rate=0.1 count=20",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY | SOTTO_I_FIELD_RATE,
    .norm = SOTTO_I_NORM_L2,
    .check = sotto_i_check_rate,
    .add_renyi = add_renyi,
    .sampled = true,
    .replaced = true,
    .distinguish = distinguish,
};
