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

/* GCN where degrees can pass the floor D: the triangle inequality over the two changes above. Both fall with
 * the degree from max(D + 1, 3) on. */
static double gcn_sensitivity(double floor_degree, double most, double clip, bool self) {
  double weight = 1 / (fmax(floor_degree, 1) + 1), end = 1 / (most + 1);
  double own = 2 * ((self ? end : 0) + most * sqrt(end * weight));
  double side = sqrt(end * weight), spread = 0;
  for (int i = 1; i <= 3 && floor_degree + i <= fmin(most, fmax(floor_degree + 1, 3)); i++)
    side_change(&side, &spread, floor_degree + i, floor_degree, most, self);
  double each = square(side + spread);
  /* k rows of K change by 4 weight k / (max(k, D) + 1) together: linear up to D, then concave. */
  double peak = sqrt(2 * weight / each) - 1;
  const double places[] = {0, fmin(floor_degree, most), fmin(fmax(peak, floor_degree), most), most};
  double found = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double k = places[i];
    double common = 4 * weight * k / (fmax(k, floor_degree) + 1);
    found = fmax(found, common + 2 * (most - k) * each);
  }
  return sqrt(square(fmin(2 * clip, own)) + found);
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
