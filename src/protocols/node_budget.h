/* Node level: one budget for the trainings and releases of a seed. */
#ifndef SOTTO_SRC_PROTOCOLS_NODE_BUDGET_H
#define SOTTO_SRC_PROTOCOLS_NODE_BUDGET_H

#include "private_fit.h"

/* What node level protects in an aggregate: the norm to which its rows are clipped, and whether they are
 * floored at 0. The norm is `--row-clip`, else sqrt(D_max): then the own row's part of the change, 2c,
 * equals that of all others together. Operators with a floor D are sums `divided` by D + 1. */
sotto_protection sotto_i_node_protection(const sotto_options *options, bool divided);

/* A use of private data: a training, or a release of unit sensitivity, whose noise is to be found. */
typedef struct sotto_i_budget_use {
  const char *what;          /* static */
  double share;              /* of the budget; all shares add up to 1 */
  sotto_i_sgd_plan *sgd;     /* a training; NULL for a release, which has: */
  sotto_mechanism_kind kind; /* GAUSSIAN or LAPLACE, of sensitivity 1 */
  double noise;              /* out: noise / sensitivity */
} sotto_i_budget_use;

/* Finds the noise with which all uses together are (epsilon, delta)-DP by pld, and sets that of the
 * trainings. Each use first gets the noise for its share alone. One factor then reduces all, since they
 * compose better than their epsilons add up. Errors: those of the accountant, RANGE. */
sotto_status sotto_i_node_budget(sotto_i_budget_use *uses, size_t count, double epsilon, double delta,
                                 sotto_error *err);

/* The number of predictions that one replaced node changes while the releases stay fixed: its own, where a
 * prediction reads a node's own row and releases; with `one_hop` also those of its neighbours, before and
 * after. */
uint64_t sotto_i_moves_own_answer(const sotto_options *options);
uint64_t sotto_i_moves_one_hop(const sotto_options *options);

/* Adds the cost of a training at node level: its mechanism, and the least Gaussian that bounds it at every
 * delta. */
void sotto_i_node_cost_sgd(sotto_cost *cost, const sotto_i_budget_use *use);

#endif
