/* What can be done with a run of a method, and where. Refusals say the same words, so that the matrix of
 * `sotto methods --matrix` is what a user meets. */
#ifndef SOTTO_SRC_RUN_METHOD_MATRIX_H
#define SOTTO_SRC_RUN_METHOD_MATRIX_H

#include "method.h"

/* One adjacency (a bit of base/option.h) of a variant, with the noise that it has by default. */
typedef struct sotto_i_case {
  const sotto_i_method *method;
  const sotto_i_variant *variant;
  unsigned adjacency;
} sotto_i_case;

/* How a step stands at a place. */
typedef struct sotto_i_standing {
  bool meant;      /* false: no such thing exists here, such as parties of one owner */
  const char *why; /* NULL: the step is there; else why it is not, static, without its end */
} sotto_i_standing;
sotto_i_standing sotto_i_standing_of(const sotto_i_case *c, sotto_step step, sotto_place place);

/* Why no service answers about graphs that a run protects. */
extern const char sotto_i_served_graphs[];
/* Why no service answers about nodes whose rows a run protects. */
extern const char sotto_i_served_rows[];
/* Why models do not answer queries about their own data; NULL: they do. */
const char *sotto_i_unanswered(const sotto_i_case *c);
/* Why no release of other data is made for its models; NULL: one is, when epsilon is given. */
const char *sotto_i_unreleased(const sotto_i_case *c);
/* Why its models answer about no other data in one process, without a release; NULL: they answer. */
const char *sotto_i_own_alone(const sotto_i_case *c);
/* Why parties with a part of the model each do not answer together; NULL: they do. */
const char *sotto_i_unanswered_together(const sotto_i_variant *variant);
/* Why the parties of a run answer about no other data together; NULL: they answer. */
const char *sotto_i_together_alone(const sotto_i_variant *variant, bool noisy);
/* The case of checked options. */
sotto_i_case sotto_i_case_of(const sotto_options *options);

#endif
