/* Node level: one budget for the trainings and releases of a seed. */
#ifndef SOTTO_SRC_PROTOCOLS_NODE_BUDGET_H
#define SOTTO_SRC_PROTOCOLS_NODE_BUDGET_H

#include "private_fit.h"

/* What node level protects in an aggregate, where its rows are cut, and whether those that are added up are
 * floored at 0: `--row-clip`, else sqrt(D_max), with which the own row's part of the change, 2c, counts as
 * much as all others' together; operators with a floor D are sums `divided` by D + 1. */
sotto_protection sotto_i_node_protection(const sotto_options *options, bool divided);

/* A use of private data: a training, or a release of unit sensitivity whose noise is to be found. */
typedef struct sotto_i_budget_use {
  const char *what;          /* static */
  double share;              /* of the budget; all shares together are 1 */
  sotto_i_sgd_plan *sgd;     /* a training; else NULL and: */
  sotto_mechanism_kind kind; /* GAUSSIAN or LAPLACE, of sensitivity 1 */
  double noise;              /* out: noise / sensitivity */
} sotto_i_budget_use;

/* Finds noises, sets those of the trainings, with which all uses together are (epsilon, delta)-DP by pld:
 * each gets the noise for its share of both by itself, and all are then made smaller by one factor, since
 * they compose better than their epsilons add up. Errors: those of the accountant, RANGE. */
sotto_status sotto_i_node_budget(sotto_i_budget_use *uses, size_t count, double epsilon, double delta,
                                 sotto_error *err);

/* What one node, replaced, changes of the answers with the releases fixed: that about itself, where an answer
 * reads a node's own row and releases; with `one_hop` those about its neighbours, before and after, as well.
 */
uint64_t sotto_i_moves_own_answer(const sotto_options *options);
uint64_t sotto_i_moves_one_hop(const sotto_options *options);

/* The cost of a training at node level: its mechanism, and the least Gaussian that lies above it at every
 * delta. */
void sotto_i_node_cost_sgd(sotto_cost *cost, const sotto_i_budget_use *use);

#endif
