/* Conditional gradient: each step moves towards the vertex that the network simplex finds for the
 * gradient, with the length of an exact line search. */
#include <math.h>
#include <string.h>

#include "gw/solve/kernels.h"
#include "gw/solve/problem.h"

double sotto_i_gw_line_search(double linear, double quadratic) {
  if (quadratic > 0) return fmin(1, fmax(0, -linear / (2 * quadratic)));
  return linear + quadratic < 0 ? 1 : 0;
}

/* Whether an earlier descent visited the vertex of the current basis; marks it as visited. A vertex is
 * identified by a 64-bit hash of its flows. A collision has probability below 1e-13 and only skips a
 * start. */
static bool visited_before(sotto_i_gw_problem *s) {
  const uint64_t mark = sotto_i_transport_mark(&s->transport);
  size_t slot = (size_t)(mark % SOTTO_I_GW_VISITED);
  for (; s->visited[slot] != 0; slot = (slot + 1) % SOTTO_I_GW_VISITED)
    if (s->visited[slot] == mark) return true;
  if (s->visited_count >= SOTTO_I_GW_VISITED / 2) return false;
  s->visited[slot] = mark;
  s->visited_count++;
  return false;
}

sotto_status sotto_i_gw_descend(sotto_i_gw_problem *s, const sotto_gw_options *options, bool exchanges,
                                uint32_t *steps, sotto_error *err) {
  const size_t cells = s->n * s->m, bytes = cells * sizeof(double);
  double (*const dot)(const double *, const double *, size_t) = sotto_i_gw_kernels()->dot;
  double *restrict plan = s->plan, *restrict product = s->product, *restrict change = s->change;
  double *restrict gradient = s->gradient;
  const double least_gain = options->tolerance * s->scale;
  const sotto_i_transport_costs costs = {.matrix = gradient};
  bool moved = false; /* since the last exchanges */
  for (uint32_t step = 0; step < options->iterations; step++) {
    sotto_i_gw_gradient(s, gradient, product);
    sotto_status status = sotto_i_transport_solve(&s->transport, &costs, err);
    if (status != SOTTO_OK) return status;
    sotto_i_transport_plan(&s->transport, s->vertex);
    ++*steps;
    for (size_t k = 0; k < cells; k++) change[k] = s->vertex[k] - plan[k];
    const double linear = dot(gradient, change, cells);
    /* Where the gradient is flat along the direction (a saddle, or ties), the curvature decides. */
    sotto_i_gw_product_of_basis(s, s->toward);
    for (size_t k = 0; k < cells; k++) gradient[k] = s->toward[k] - product[k];
    const double quadratic = -s->alpha * s->factor * dot(gradient, change, cells);
    const double length = sotto_i_gw_line_search(linear, quadratic);
    if (!(length * (linear + length * quadratic) < -least_gain)) {
      sotto_i_gw_gradient(s, gradient, product);
      if (!exchanges || !moved || sotto_i_gw_exchange(s, least_gain) == 0) break;
      sotto_i_gw_product(s, product, plan);
      moved = false;
      continue;
    }
    moved = true;
    if (length == 1) {
      memcpy(plan, s->vertex, bytes);
      memcpy(product, s->toward, bytes);
      if (visited_before(s)) break;
      continue;
    }
    for (size_t k = 0; k < cells; k++) product[k] += length * gradient[k];
    for (size_t k = 0; k < cells; k++) plan[k] += length * change[k];
  }
  return SOTTO_OK;
}
