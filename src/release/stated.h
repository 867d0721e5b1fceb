/* What a statement says of a release: its mechanism, its figures, and the charges that were made for it. */
#ifndef SOTTO_SRC_RELEASE_STATED_H
#define SOTTO_SRC_RELEASE_STATED_H

#include <jansson.h>

#include "plan.h"

/* The figures of a release that a mechanism of a statement has, those above 0 alone. The first are of the
 * mechanism itself, the last two of its charge. */
enum { SOTTO_I_FIGURES = 11, SOTTO_I_FIGURES_OF_RELEASE = 9 };
typedef struct sotto_i_figure {
  const char *name;
  double value;
} sotto_i_figure;
size_t sotto_i_statement_figures(sotto_i_figure out[SOTTO_I_FIGURES], const sotto_mechanism *m,
                                 double epsilon, double mu);
/* One item of a plan, of which `planned` releases were to be made and `made` were; `made` NULL: another
 * process knows. NULL when memory is out. */
json_t *sotto_i_item_stated(const sotto_cost *cost, size_t item, uint64_t planned, const uint64_t *made);

#endif
