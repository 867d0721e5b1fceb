/* Edge-level sensitivities of the aggregators, in closed form, and the choice of level. docs/privacy.md
 * derives them; tests search graphs and features for a larger change. */
#include <math.h>

#include "base/error.h"
#include "inside/pmp.h"
#include "sotto/pmp.h"

/* GCN with degree floor D: the worst edge joins two nodes of degree D + 1. With q = sqrt((D + 1) / (D + 2)),
 * each end's own row moves by R, and the rows of its D other neighbours by C together. Without the own row R
 * lacks the weight of the row itself, 1/(D + 1) - 1/(D + 2); below D = 2 the worst edge then joins nodes of
 * degree 1. */
static double gcn_sensitivity(double floor_degree, bool self) {
  double shrink = 1 - sqrt((floor_degree + 1) / (floor_degree + 2));
  double own = 1 / (floor_degree + (self ? 1 : 2)) + floor_degree / (floor_degree + 1) * shrink;
  double others = sqrt(floor_degree) / (floor_degree + 1) * shrink;
  double found = sqrt(2 * own * own + 4 * others * others);
  return self ? found : fmax(found, sqrt(2) / (fmax(floor_degree, 1) + 1));
}

double sotto_edge_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self) {
  double floor_degree = (double)degree_floor;
  switch (aggregator) {
  case SOTTO_AGGREGATOR_SUM:
    return sqrt(2);
  case SOTTO_AGGREGATOR_MEAN:
    if (self) return sqrt(2) * 2 / (floor_degree + 2);
    return sqrt(2) * 2 / (fmax(floor_degree, 1) + 1);
  case SOTTO_AGGREGATOR_GCN:
    return gcn_sensitivity(floor_degree, self);
  }
  sotto_i_broken(__FILE__, __LINE__, "an aggregator of the list");
}

/* k edges of one node v: v's own row gains or loses k unit-norm rows, k other rows one each. Any k edges are
 * k steps of one edge, and clipping never increases the distance of two rows. */
static double neighbours_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self,
                                     const sotto_protection *p) {
  double k = (double)p->most, widest = p->row_clip > 0 ? 2 * p->row_clip : INFINITY;
  if (aggregator != SOTTO_AGGREGATOR_SUM) return k * sotto_edge_sensitivity(aggregator, degree_floor, self);
  double own = fmin(k, widest), other = fmin(1, widest);
  return sqrt(own * own + k * other * other);
}

double sotto_sensitivity(sotto_aggregator aggregator, uint64_t degree_floor, bool self,
                         const sotto_protection *p) {
  switch (p->level) {
  case SOTTO_LEVEL_NEIGHBOURS:
    return neighbours_sensitivity(aggregator, degree_floor, self, p);
  case SOTTO_LEVEL_NODE:
    return sotto_node_sensitivity(aggregator, degree_floor, p->most, p->row_clip > 0 ? p->row_clip : INFINITY,
                                  self, p->nonnegative);
  case SOTTO_LEVEL_ROW:
    return (p->nonnegative ? sqrt(2) : 2) * (p->row_clip > 0 ? fmin(1, p->row_clip) : 1);
  default:
    return sotto_edge_sensitivity(aggregator, degree_floor, self);
  }
}
