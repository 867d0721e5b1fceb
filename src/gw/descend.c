/* Conditional gradient: each step goes towards the vertex that the network simplex finds for the gradient,
 * by the length that an exact line search gives. */
#include <math.h>
#include <string.h>

#include "gw/problem.h"

double sotto_i_gw_line_search(double linear, double quadratic) {
  if (quadratic > 0) return fmin(1, fmax(0, -linear / (2 * quadratic)));
  return linear + quadratic < 0 ? 1 : 0;
}

sotto_status sotto_i_gw_descend(sotto_i_gw_problem *s, const sotto_gw_options *options, uint32_t *steps,
                                sotto_error *err) {
  const size_t cells = s->n * s->m;
  double *restrict plan = s->plan, *restrict product = s->product;
  for (uint32_t step = 0; step < options->iterations; step++) {
    sotto_i_gw_gradient(s, s->gradient, product);
    sotto_status status = sotto_i_transport_solve(&s->transport, s->gradient, err);
    if (status != SOTTO_OK) return status;
    sotto_i_transport_plan(&s->transport, s->vertex);
    ++*steps;
    double linear = 0, scale = 0;
    for (size_t k = 0; k < cells; k++) {
      linear += s->gradient[k] * (s->vertex[k] - plan[k]);
      scale += fabs(s->gradient[k]) * plan[k];
    }
    /* Where the gradient is flat along the way (a saddle, or ties), the curvature still tells. */
    sotto_i_gw_product(s, s->vertex_product, s->vertex);
    double quadratic = 0;
    for (size_t k = 0; k < cells; k++)
      quadratic -= (s->vertex_product[k] - product[k]) * (s->vertex[k] - plan[k]);
    quadratic *= s->alpha;
    const double length = sotto_i_gw_line_search(linear, quadratic);
    if (!(length * (linear + length * quadratic) < -options->tolerance * scale)) break;
    if (length == 1) {
      memcpy(plan, s->vertex, cells * sizeof *plan);
      memcpy(product, s->vertex_product, cells * sizeof *product);
      continue;
    }
    for (size_t k = 0; k < cells; k++) {
      plan[k] += length * (s->vertex[k] - plan[k]);
      product[k] += length * (s->vertex_product[k] - product[k]);
    }
  }
  return SOTTO_OK;
}
