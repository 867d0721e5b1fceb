/* Node-level sensitivities of the aggregators. docs/privacy.md derives them; tests search graphs and features
 * for a larger change.
 *
 * Node v changes its row, from x_v to x_v', and its neighbours, from N to N'. K = N and N', A = N without N',
 * B = N' without N. Four kinds of rows of the aggregate change: v's own row; rows of K, which read another
 * x_v; rows of A and B, which gain or lose a neighbour; and, where weights depend on the degree at both ends
 * (GCN), rows of the neighbours of A and B. */
#include <math.h>

#include "base/error.h"
#include "inside/pmp.h"
#include "sotto/pmp.h"

/* Largest distance of two vectors of norm 1: of opposite ones, or, without negative values, of orthogonal
 * ones. Sums of rows without negative values have none, and neither have clipped rows. */
static double largest_distance(bool nonnegative) {
  return nonnegative ? sqrt(2) : 2;
}

/* Largest change of one row of each kind. With |A| = |B| = j and |K| = most - j, the own row changes by at
 * most own + own_each * j, and by `clipped`, like every row. */
typedef struct change {
  double own, own_each, common, one_sided, clipped, most;
} change;

static double square(double x) {
  return x * x;
}

static double total_square(const change *c, double j) {
  double own = fmin(c->clipped, c->own + c->own_each * j);
  return sqrt(square(own) + (c->most - j) * square(fmin(c->common, c->clipped)) +
              2 * j * square(fmin(c->one_sided, c->clipped)));
}

/* The maximum over j. The square is convex in j up to where the own row reaches its clip and linear after, so
 * the maximum is at an end of one of the two pieces. */
static double largest_total(const change *c) {
  double found = fmax(total_square(c, 0), total_square(c, c->most));
  double meets = (c->clipped - c->own) / c->own_each;
  if (meets > 0 && meets < c->most)
    found = fmax(found, fmax(total_square(c, floor(meets)), total_square(c, ceil(meets))));
  return found;
}

/* The parameters of a bound, except the aggregator. */
typedef struct domain {
  double floor_degree, most, clip;
  bool self, nonnegative;
} domain;

static double sum_sensitivity(const domain *d) {
  const double wide = largest_distance(d->nonnegative);
  return largest_total(&(change){.own = d->self ? wide : 0,
                                 .own_each = wide,
                                 .common = wide,
                                 .one_sided = 1,
                                 .clipped = wide * d->clip,
                                 .most = d->most});
}

/* A row of A has at most `most` neighbours, so its divisor can change only when `most` is above the floor.
 * Then the row moves from the mean y of d rows by (x_v - y) / (d + 1), where y counts after clipping. At or
 * below the floor it loses one row divided by `flat`; with the own row and no floor there is no such row. */
static double mean_sensitivity(const domain *d) {
  const double wide = largest_distance(d->nonnegative), one = d->self ? 1 : 0;
  const double low = fmax(d->floor_degree, 1), high = fmax(low, d->most);
  const double flat = d->self ? d->floor_degree + 1 : low;
  const double below = d->floor_degree < 1 && d->self ? 0 : 1 / flat;
  const double left = fmin(1, d->clip), apart = d->nonnegative ? hypot(1, left) : 1 + left;
  const double past = d->most > flat - one ? apart / (flat + 1) : 0;
  return largest_total(&(change){.own = wide * one / (high + one),
                                 .own_each = wide / (high + one),
                                 .common = wide / (low + one),
                                 .one_sided = fmax(below, past),
                                 .clipped = wide * d->clip,
                                 .most = d->most});
}

/* The effect of losing the edge to v on a row of A of degree d > D (GCN). `side`: on the row itself, by its
 * own weights. `spread`: on average over A, on rows that read the rows of A, by the weights of these. `end`
 * is 1/(D_max + 1), the square of v's scale at D_max neighbours; `weight` is the square of the largest scale,
 * 1/(max(D, 1) + 1). The row loses x_v and gains weight of the others: without negative values these are
 * orthogonal at worst. */
static void side_change(double *side, double *spread, double degree, const domain *d) {
  double weight = 1 / (fmax(d->floor_degree, 1) + 1), end = 1 / (d->most + 1);
  double shrink = 1 / sqrt(degree) - 1 / sqrt(degree + 1);
  double lost = sqrt(end / (degree + 1));
  double gained = (degree - 1) * shrink * sqrt(weight) + (d->self ? 1 / degree - 1 / (degree + 1) : 0);
  *side = fmax(*side, d->nonnegative ? hypot(lost, gained) : lost + gained);
  *spread = fmax(*spread, sqrt((degree - 1) * d->most * end) * shrink);
}

/* GCN where degrees can pass the floor D. With |K| = k, the rows of K and of A and B change by sqrt(K + S^2)
 * by their own weights, and all rows by P through the weights of A and B. The triangle inequality adds the
 * two. */
typedef struct gcn_change {
  double floor_degree, most, weight, wide, side, spread;
} gcn_change;

static double change_at(const gcn_change *r, double k) {
  double common = square(r->wide) * r->weight * k / (fmax(k, r->floor_degree) + 1), moved = 2 * (r->most - k);
  return sqrt(common + moved * square(r->side)) + sqrt(moved) * r->spread;
}

/* The maximum over [low, high], where the function is concave. */
static double concave_maximum(const gcn_change *r, double low, double high) {
  for (int i = 0; i < 120; i++) {
    double third = (high - low) / 3;
    if (change_at(r, low + third) < change_at(r, high - third))
      low += third;
    else
      high -= third;
  }
  return fmax(change_at(r, low), change_at(r, high));
}

/* The change by own weights falls with the degree of a row of A from max(D + 1, 3) on, and so does the
 * spread. */
static double gcn_sensitivity(const domain *d) {
  const double wide = largest_distance(d->nonnegative);
  double weight = 1 / (fmax(d->floor_degree, 1) + 1), end = 1 / (d->most + 1);
  double own = wide * ((d->self ? end : 0) + d->most * sqrt(end * weight));
  gcn_change r = {d->floor_degree, d->most, weight, wide, sqrt(end * weight), 0};
  for (int past = 1; past <= 3; past++)
    if (past == 1 || d->floor_degree + past <= fmin(d->most, 3))
      side_change(&r.side, &r.spread, d->floor_degree + past, d);
  /* Concave up to k = D, where the rows of K gain no weight, and from there on. */
  double others =
      fmax(concave_maximum(&r, 0, d->floor_degree), concave_maximum(&r, d->floor_degree, d->most));
  return sqrt(square(fmin(wide * d->clip, own)) + square(others));
}

double sotto_node_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, uint64_t max_degree,
                              double own_row_clip, bool self, bool nonnegative) {
  domain d = {(double)degree_floor, (double)max_degree, own_row_clip, self, nonnegative};
  SOTTO_I_CHECK(own_row_clip > 0);
  switch (aggregator) {
  case SOTTO_AGGREGATOR_SUM:
    return sum_sensitivity(&d);
  case SOTTO_AGGREGATOR_MEAN:
    return mean_sensitivity(&d);
  case SOTTO_AGGREGATOR_GCN:
    if (d.most > d.floor_degree) return gcn_sensitivity(&d);
    /* No degree passes the floor: every weight is 1 / (floor + 1). */
    d.clip *= d.floor_degree + 1;
    return sum_sensitivity(&d) / (d.floor_degree + 1);
  }
  sotto_i_broken(__FILE__, __LINE__, "an aggregator of the list");
}
