/* Edge-level sensitivities of the aggregators, in closed form. docs/privacy.md derives them; tests search
 * graphs and features for a larger change. */
#include <math.h>

#include "base/error.h"
#include "sotto/pmp.h"

/* GCN with degree floor D: the worst edge joins two nodes of degree D + 1. With q = sqrt((D + 1) / (D + 2)):
 * each end's own row moves by R, and the rows of its D other neighbours by C together. */
static double gcn_sensitivity(double floor_degree) {
  double shrink = 1 - sqrt((floor_degree + 1) / (floor_degree + 2));
  double own = 1 / (floor_degree + 1) + floor_degree / (floor_degree + 1) * shrink;
  double others = sqrt(floor_degree) / (floor_degree + 1) * shrink;
  return sqrt(2 * own * own + 4 * others * others);
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
    return gcn_sensitivity(floor_degree);
  }
  sotto_i_broken(__FILE__, __LINE__, "an aggregator of the list");
}
