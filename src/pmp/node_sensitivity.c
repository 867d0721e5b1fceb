/* Node-level sensitivities of the aggregators. docs/privacy.md derives them; tests search graphs and features
 * for a larger change.
 *
 * Node v changes its row, from x_v to x_v', and its neighbours, from N to N'. K = N and N', A = N without N',
 * B = N' without N. Four kinds of rows of the aggregate change: v's own; those of K, which see another x_v;
 * those of A and B, which gain or lose a neighbour; and, where weights depend on the degree at both ends
 * (GCN), those of the neighbours of A and B. */
#include <math.h>

#include "base/error.h"
#include "sotto/pmp.h"

/* Most that one row of each kind can change by. With |A| = |B| = j and |K| = most - j, the own row changes by
 * at most own + own_each * j, and by 2 clip. */
typedef struct change {
  double own, own_each, common, one_sided, clip, most;
} change;

static double square(double x) {
  return x * x;
}

static double total(const change *c, double j) {
  double own = fmin(2 * c->clip, c->own + c->own_each * j);
  return sqrt(square(own) + (c->most - j) * square(fmin(c->common, 2 * c->clip)) +
              2 * j * square(fmin(c->one_sided, 2 * c->clip)));
}

/* The maximum over j. The square is convex in j up to where the own row meets its clip and linear after, so
 * the maximum is at an end of one of the two pieces. */
static double largest(const change *c) {
  double found = fmax(total(c, 0), total(c, c->most));
  double meets = (2 * c->clip - c->own) / c->own_each;
  if (meets > 0 && meets < c->most) found = fmax(found, fmax(total(c, floor(meets)), total(c, ceil(meets))));
  return found;
}

static double sum_sensitivity(double most, double clip, bool self) {
  return largest(
      &(change){.own = self ? 2 : 0, .own_each = 2, .common = 2, .one_sided = 1, .clip = clip, .most = most});
}

/* A row of A has at most `most` neighbours: only when that is above the floor can its divisor change. */
static double mean_sensitivity(double floor_degree, double most, double clip, bool self) {
  double one = self ? 1 : 0, low = fmax(floor_degree, 1), high = fmax(low, most);
  double flat = self ? floor_degree + 1 : low;
  return largest(&(change){.own = 2 * one / (high + one),
                           .own_each = 2 / (high + one),
                           .common = 2 / (low + one),
                           .one_sided = most > flat - one ? 2 / (flat + 1) : 1 / flat,
                           .clip = clip,
                           .most = most});
}

/* What losing the edge to v does to a row of A of degree d > D (GCN): to the row by its own weights, and, on
 * the average over A, to rows that see the rows of A by the weights of these. `end` is 1/(D_max + 1), the
 * square of v's scale at D_max neighbours; `weight` the square of the largest scale, 1/(max(D, 1) + 1). */
static void side_change(double *side, double *spread, double degree, double floor_degree, double most,
                        bool self) {
  double weight = 1 / (fmax(floor_degree, 1) + 1), end = 1 / (most + 1);
  double shrink = 1 / sqrt(degree) - 1 / sqrt(degree + 1);
  double row = sqrt(end / (degree + 1)) + (degree - 1) * shrink * sqrt(weight) +
               (self ? 1 / degree - 1 / (degree + 1) : 0);
  *side = fmax(*side, row);
  *spread = fmax(*spread, sqrt((degree - 1) * most * end) * shrink);
}

/* GCN where degrees can pass the floor D. With |K| = k, the rows of K and of A and B change by sqrt(K + S^2)
 * by their own weights, and all rows by P through the weights of A and B: the triangle inequality adds them
 * up. */
typedef struct reach {
  double floor_degree, most, weight, side, spread;
} reach;

static double reached(const reach *r, double k) {
  double common = 4 * r->weight * k / (fmax(k, r->floor_degree) + 1), moved = 2 * (r->most - k);
  return sqrt(common + moved * square(r->side)) + sqrt(moved) * r->spread;
}

/* The maximum over [low, high], where the function is concave. */
static double peak(const reach *r, double low, double high) {
  for (int i = 0; i < 120; i++) {
    double third = (high - low) / 3;
    if (reached(r, low + third) < reached(r, high - third))
      low += third;
    else
      high -= third;
  }
  return fmax(reached(r, low), reached(r, high));
}

/* What changes by own weights falls with the degree of a row of A from max(D + 1, 3) on, as does the spread.
 */
static double gcn_sensitivity(double floor_degree, double most, double clip, bool self) {
  double weight = 1 / (fmax(floor_degree, 1) + 1), end = 1 / (most + 1);
  double own = 2 * ((self ? end : 0) + most * sqrt(end * weight));
  reach r = {floor_degree, most, weight, sqrt(end * weight), 0};
  for (int past = 1; past <= 3; past++)
    if (past == 1 || floor_degree + past <= fmin(most, 3))
      side_change(&r.side, &r.spread, floor_degree + past, floor_degree, most, self);
  /* Concave up to k = D, where the rows of K gain no weight, and from there on. */
  double others = fmax(peak(&r, 0, floor_degree), peak(&r, floor_degree, most));
  return sqrt(square(fmin(2 * clip, own)) + square(others));
}

double sotto_node_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, uint64_t max_degree,
                              double own_row_clip, bool self) {
  double floor_degree = (double)degree_floor, most = (double)max_degree;
  SOTTO_I_CHECK(own_row_clip > 0);
  switch (aggregator) {
  case SOTTO_AGGREGATOR_SUM:
    return sum_sensitivity(most, own_row_clip, self);
  case SOTTO_AGGREGATOR_MEAN:
    return mean_sensitivity(floor_degree, most, own_row_clip, self);
  case SOTTO_AGGREGATOR_GCN:
    /* No degree passes the floor: every weight is 1 / (floor + 1). */
    if (most <= floor_degree)
      return sum_sensitivity(most, own_row_clip * (floor_degree + 1), self) / (floor_degree + 1);
    return gcn_sensitivity(floor_degree, most, own_row_clip, self);
  }
  sotto_i_broken(__FILE__, __LINE__, "an aggregator of the list");
}
