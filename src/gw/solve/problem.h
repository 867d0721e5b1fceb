/* A Gromov-Wasserstein problem, in the form that all solvers use. */
#ifndef SOTTO_SRC_GW_SOLVE_PROBLEM_H
#define SOTTO_SRC_GW_SOLVE_PROBLEM_H

#include "gw/solve/side.h"
#include "gw/solve/transport.h"
#include "sotto/gw.h"

/* With A = h1(C) and B of the two sides, `factor` of the loss, and R_ij = sum_k f1(C_ik) p_k + sum_l
 * f2(D_jl) q_l, value(T) = alpha <R - factor A T B, T> + (1 - alpha) <F, T>. Matrices are row-major, and n
 * x m unless stated otherwise. */
enum { SOTTO_I_GW_VISITED = 1024, SOTTO_I_GW_STARTS = 64 };
typedef struct sotto_i_gw_problem {
  size_t n, m;
  const sotto_i_gw_side *a, *b; /* borrowed */
  double alpha, factor;
  double scale;               /* mean size of the terms of the value at the product plan */
  const double *feature_cost; /* F, borrowed; NULL when alpha is 1 */
  double *p, *q;              /* weights in the precision of the transport */
  size_t half_stride;
  double *constant; /* R */
  double *plan;     /* T */
  double *product;  /* A T B */
  double *gradient;
  double *vertex, *change;                /* vertex S of the linear step, and S - T */
  double *toward;                         /* A S B */
  double *best;                           /* best plan of all starts */
  double *half;                           /* scratch of the product */
  struct sotto_i_gw_exchanges *exchanges; /* scratch of exchanges (exchange.c) */
  uint64_t visited[SOTTO_I_GW_VISITED];   /* hashes of the vertices that descents visited; 0: free */
  size_t visited_count;
  sotto_i_transport_tree transport;
  void *memory;
} sotto_i_gw_problem;

/* Checks the options, and fills everything up to `constant`. Borrows a, b and the feature cost. Errors:
 * RANGE, NUMERIC, NOMEM. */
sotto_status sotto_i_gw_problem_new(sotto_i_gw_problem *out, const sotto_i_gw_side *a,
                                    const sotto_i_gw_side *b, const sotto_gw_options *options,
                                    sotto_error *err);
void sotto_i_gw_problem_free(sotto_i_gw_problem *problem);

/* out = A T B for any n x m matrix T. O(n (nonzeros of T) + n m^2). */
void sotto_i_gw_product(sotto_i_gw_problem *problem, double *out, const double *plan);

/* The same for the plan of the transport's current basis, computed from its tree. */
void sotto_i_gw_product_of_basis(sotto_i_gw_problem *problem, double *out);

/* out = left' right of `count` rows each, n x m. Whole blocks of 8 columns of each row may be read. */
void sotto_i_gw_blocks(double *out, size_t n, size_t m, const double *left, size_t left_stride,
                       const double *right, size_t right_stride, size_t count);

/* out = 2 alpha (R - factor product) + (1 - alpha) F: the gradient of the value, where product = A T B. */
void sotto_i_gw_gradient(const sotto_i_gw_problem *problem, double *out, const double *product);

/* value(T) from T and A T B. Rounding may make it slightly negative. */
double sotto_i_gw_value(const sotto_i_gw_problem *problem, const double *plan, const double *product);

/* value(T) from T and the gradient at T. */
double sotto_i_gw_value_by_gradient(const sotto_i_gw_problem *problem, const double *plan,
                                    const double *gradient);

/* value(T) by definition, as a sum over pairs of nonzeros of T, without cancellation. Plans with more than
 * 4 (n + m) nonzeros, which only the entropic solvers produce, use the form above, clipped at 0.
 * Overwrites the product. */
double sotto_i_gw_value_exact(sotto_i_gw_problem *problem, const double *plan);

/* The step t in [0, 1] that minimises `linear` t + `quadratic` t^2. */
double sotto_i_gw_line_search(double linear, double quadratic);

/* Moves problem->plan to a stationary point by conditional gradient, starting from the current plan and
 * basis. With `exchanges`, it continues with exchanges wherever it stops; then no exchange may gain at the
 * initial plan. problem->product must be A T B, and is so afterwards. Adds its steps to *steps. Errors:
 * NUMERIC. */
sotto_status sotto_i_gw_descend(sotto_i_gw_problem *problem, const sotto_gw_options *options, bool exchanges,
                                uint32_t *steps, sotto_error *err);

/* Makes exchanges between pairs of cells until none gains more than `least_gain` of the value and more
 * than the rounding error of single precision (exchange.c). Returns the total gain, 0 when none was made.
 * The gradient must be that of the plan; gradient and product are invalid afterwards. */
double sotto_i_gw_exchange(sotto_i_gw_problem *problem, double least_gain);
sotto_status sotto_i_gw_exchanges_new(struct sotto_i_gw_exchanges **out, size_t n, size_t m,
                                      sotto_error *err);

/* State of the multiple starts (distance.c). */
typedef struct sotto_i_gw_starts sotto_i_gw_starts;

#endif
