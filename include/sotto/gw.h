/* Gromov-Wasserstein distances between graphs, and what is made of them. Everything here is in double
 * precision and is computed by whoever holds the graphs: nothing leaves, and nothing is made private by it.
 *
 *   value(T) = (1 - a) sum_ij F_ij T_ij + a sum_ijkl L(C_ik, D_jl) T_ij T_kl,   T >= 0, T 1 = p, T' 1 = q
 *
 * is made small over the plans T (Memoli 2011; Peyre, Cuturi and Solomon 2016; fused: Vayer et al. 2019). It
 * is not convex: what is returned is a local minimum, the best from several starts, and so an upper bound. */
#ifndef SOTTO_GW_H
#define SOTTO_GW_H

#include "sotto/graph.h"

/* Points, distances (or similarities) between them, and their weights. Borrowed. */
typedef struct sotto_gw_space {
  size_t points;          /* 1 to 10,000 */
  const double *distance; /* points x points, row-major, finite, symmetric; not negative with the KL loss */
  const double *weight;   /* points, positive, sum 1 within 1e-9; NULL: uniform */
} sotto_gw_space;

typedef enum sotto_gw_loss {
  SOTTO_GW_SQUARE, /* L(a, b) = (a - b)^2: the root of the value is a metric up to isomorphism */
  SOTTO_GW_KL,     /* L(a, b) = a log(a / b) - a + b, with a and b at least 1e-15; not symmetric */
} sotto_gw_loss;

typedef enum sotto_gw_solver {
  SOTTO_GW_CONDITIONAL, /* conditional gradient: exact linear step (network simplex), exact line search */
  SOTTO_GW_PROXIMAL,    /* proximal point with the KL divergence to the last plan (Xu et al. 2019) */
  SOTTO_GW_ENTROPIC,    /* entropy in the objective (Peyre et al. 2016); the value is that of the plan alone */
} sotto_gw_solver;

typedef struct sotto_gw_options {
  sotto_gw_loss loss;
  sotto_gw_solver solver;
  uint32_t starts;      /* 1 to 64: the product plan, then profiles, then anchors (docs/gw.md) */
  uint32_t iterations;  /* of the outer loop for each start, at least 1 */
  double tolerance;     /* stops when a step gains less than this part of the terms of the value; 1e-15 to 1 */
  double entropy;       /* proximal, entropic: weight of the divergence, in units of the mean |cost|; above 0 */
  double alpha;         /* weight of the structure when there is a feature cost, 0 to 1 */
  const double *feature_cost; /* F, points of a x points of b, finite; NULL: none, and a = 1 */
} sotto_gw_options;

/* Square loss, conditional gradient, 6 starts, 1000 iterations, tolerance 1e-9, entropy 0.05, alpha 0.5. */
SOTTO_API sotto_gw_options sotto_gw_defaults(void);

typedef struct sotto_gw_result {
  double value;        /* never negative when F is not; 0 means equal up to the order of points */
  uint32_t start;      /* which start led to it */
  uint32_t iterations; /* of all starts together */
} sotto_gw_result;

/* The value of the best plan found between a (n points) and b (m points), and the plan itself (n x m, row
 * sums a's weights) unless `plan` is NULL. Deterministic. O(n^2 m + n m^2) a step beside the simplex.
 * Errors: INVALID (not symmetric, weights, naming the entry), RANGE (options, sizes), NUMERIC (not finite),
 * NOMEM. */
SOTTO_API sotto_status sotto_gw_distance(sotto_gw_result *result, double *plan, const sotto_gw_space *a,
                                         const sotto_gw_space *b, const sotto_gw_options *options,
                                         sotto_error *err);

/* Hops between all nodes of a graph by breadth-first search, nodes x nodes. Nodes that no path joins get the
 * largest finite distance of the graph + 1, which keeps the triangle inequality. O(nodes * entries). Errors:
 * RANGE (no nodes, or more than 10,000). */
SOTTO_API sotto_status sotto_gw_paths(double *distance, const sotto_graph *graph, sotto_error *err);

/* How far two rows x, y are apart. Rows that are zero (cosine) or constant (correlation) are at distance 0
 * from each other and 1 from others. */
typedef enum sotto_gw_metric {
  SOTTO_GW_EUCLIDEAN,   /* |x - y| */
  SOTTO_GW_COSINE,      /* 1 - <x, y> / (|x| |y|) */
  SOTTO_GW_CORRELATION, /* the same after the mean of each row is taken off it */
} sotto_gw_metric;
/* Between all rows of x (n x d) and y (m x d): n x m; exactly symmetric, with a zero diagonal, when x and y
 * are the same memory. Errors: INVALID (widths), NUMERIC (not finite, naming the row), NOMEM. */
SOTTO_API sotto_status sotto_gw_costs(double *cost, const sotto_matrix *x, const sotto_matrix *y,
                                      sotto_gw_metric metric, sotto_error *err);

#endif
