/* Masses of losses on a grid: connect-the-dots (Doroshenko et al. 2022).
 *
 * The mass of an interval (l, r] of losses is placed on its two ends so that its P-mass and its Q-mass are
 * preserved: right = (P(I) - e^l Q(I)) / (1 - e^(l-r)), left = P(I) - right. The resulting delta(epsilon) is
 * exact on the grid. Between grid points it is linear in e^epsilon, hence above the convex truth. */
#include "grid.h"

#include <math.h>

#include "base/cancel.h"
#include "base/memory.h"

void sotto_i_pld_free(sotto_i_pld *pld) {
  sotto_i_free(pld->mass);
  *pld = (sotto_i_pld){0};
}

sotto_status sotto_i_pld_grid(sotto_i_pld *out, double low, double high, double width, sotto_error *err) {
  double first = floor(low / width), last = ceil(high / width);
  *out = (sotto_i_pld){.width = width, .runs = 1};
  if (!(fabs(first) < 1e15 && last - first + 2 <= (double)SOTTO_I_PLD_POINTS))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "a privacy loss distribution of this mechanism needs too many points; use rdp");
  out->first = (int64_t)first;
  out->count = (size_t)(last - first) + 2;
  return sotto_i_new(&out->mass, out->count, sizeof(double), err);
}

/* Mass p (under P) and q (under Q) in the interval that begins at grid point i (counted from first). */
static void add_interval(sotto_i_pld *pld, size_t i, double p, double q) {
  double left = (double)(pld->first + (int64_t)i) * pld->width;
  double scaled = left < 700 ? q * exp(left) : p; /* beyond, all of it goes to the right */
  double right = (p - scaled) / -expm1(-pld->width);
  if (left >= 700 || right > p) right = p;
  if (!(right > 0)) right = 0;
  pld->mass[i] += p - right;
  pld->mass[i + 1] += right;
}

void sotto_i_pld_add_atom(sotto_i_pld *pld, double loss, double p) {
  double place = floor(loss / pld->width) - (double)pld->first;
  SOTTO_I_CHECK(place >= 0 && place < (double)(pld->count - 1));
  size_t i = (size_t)place;
  double left = (double)(pld->first + (int64_t)i) * pld->width;
  double right = p * (expm1(left - loss) / expm1(-pld->width));
  if (right > p) right = p;
  if (!(right > 0)) right = 0;
  pld->mass[i] += p - right;
  pld->mass[i + 1] += right;
}

static double mass_between(double below_left, double above_left, double below_right, double above_right) {
  double mass = below_right < above_left ? below_right - below_left : above_left - above_right;
  return mass > 0 ? mass : 0;
}

enum { intervals_per_check = 256 }; /* intervals between two checks for an interrupt */

void sotto_i_pld_add_continuous(sotto_i_pld *pld, sotto_i_pld_edge_fn at, const void *parameters, double low,
                                double high) {
  size_t begin = (size_t)(floor(low / pld->width) - (double)pld->first);
  size_t end = (size_t)(ceil(high / pld->width) - (double)pld->first);
  sotto_i_pld_edge left = at(parameters, (double)(pld->first + (int64_t)begin) * pld->width);
  for (size_t i = begin; i < end; i++) {
    if (i % intervals_per_check == 0 && sotto_i_stopped()) return;
    sotto_i_pld_edge right = at(parameters, (double)(pld->first + (int64_t)i + 1) * pld->width);
    add_interval(pld, i, mass_between(left.p_below, left.p_above, right.p_below, right.p_above),
                 mass_between(left.q_below, left.q_above, right.q_below, right.q_above));
    left = right;
  }
}

void sotto_i_pld_add_mirrored(sotto_i_pld *pld, sotto_i_pld_edge_fn at, const void *parameters) {
  const size_t zero = (size_t)-pld->first;
  sotto_i_pld_edge near = at(parameters, 0);
  for (size_t i = 0; i < zero; i++) {
    if (i % intervals_per_check == 0 && sotto_i_stopped()) return;
    const sotto_i_pld_edge far = at(parameters, (double)(i + 1) * pld->width);
    const double p = mass_between(near.p_below, near.p_above, far.p_below, far.p_above);
    const double q = mass_between(near.q_below, near.q_above, far.q_below, far.q_above);
    add_interval(pld, zero + i, p, q);
    add_interval(pld, zero - i - 1, q, p);
    near = far;
  }
  pld->mass[0] += near.q_above;
  pld->infinity = near.p_above;
}

void sotto_i_normal_tails(double *below, double *above, double z) {
  double small = 0.5 * erfc(fabs(z) * 0.70710678118654752440);
  *below = z < 0 ? small : 1 - small;
  *above = z < 0 ? 1 - small : small;
}

static sotto_i_pld_edge gaussian_edge(const void *parameters, double loss) {
  const double *mu = parameters;
  sotto_i_pld_edge e;
  sotto_i_normal_tails(&e.p_below, &e.p_above, (loss - *mu * *mu / 2) / *mu);
  sotto_i_normal_tails(&e.q_below, &e.q_above, (loss + *mu * *mu / 2) / *mu);
  return e;
}

sotto_status sotto_i_pld_gaussian(sotto_i_pld *out, double mu, double width, double tail, sotto_error *err) {
  double reach = mu * sqrt(2 * log(1 / tail)), low = mu * mu / 2 - reach, high = mu * mu / 2 + reach;
  sotto_status status = sotto_i_pld_grid(out, low, high, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, gaussian_edge, &mu, low, high);
  sotto_i_pld_edge bottom = gaussian_edge(&mu, (double)out->first * width);
  sotto_i_pld_edge top = gaussian_edge(&mu, ceil(high / width) * width);
  out->mass[0] += bottom.p_below;
  out->infinity = top.p_above;
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

sotto_status sotto_i_pld_response(sotto_i_pld *out, double epsilon, double delta, double equal, double width,
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

double sotto_i_pld_sampled_variance(double rate, double mu) {
  double q = rate, square = mu * mu;
  double small = square < 30 ? q * q * expm1(square) : INFINITY, large = q * (square + square * square / 4);
  return small < large ? small : large;
}
