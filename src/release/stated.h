/* A release in the privacy statement: its mechanism, its figures, and its charges. */
#ifndef SOTTO_SRC_RELEASE_STATED_H
#define SOTTO_SRC_RELEASE_STATED_H

#include <jansson.h>

#include "plan.h"

/* The figures of a release in the statement; those above 0 are shown. The first ones belong to the mechanism,
 * the last two to its charge. */
enum { SOTTO_I_FIGURES = 11, SOTTO_I_FIGURES_OF_RELEASE = 9 };
typedef struct sotto_i_figure {
  const char *name;
  double value;
} sotto_i_figure;
size_t sotto_i_statement_figures(sotto_i_figure out[SOTTO_I_FIGURES], const sotto_mechanism *m,
                                 double epsilon, double mu);
/* One item of a plan as JSON, with `planned` and `made` releases. `made` NULL: another process has that
 * number. NULL when memory is out. */
json_t *sotto_i_item_stated(const sotto_cost *cost, size_t item, uint64_t planned, const uint64_t *made);

#endif
