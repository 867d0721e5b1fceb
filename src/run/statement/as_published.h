/* Runs as published: what the method's paper claims of them, and which options are not the paper's. */
#ifndef SOTTO_SRC_RUN_STATEMENT_AS_PUBLISHED_H
#define SOTTO_SRC_RUN_STATEMENT_AS_PUBLISHED_H

#include <jansson.h>

#include "run/method/method.h"

enum { SOTTO_I_AS_PUBLISHED_TEXT = 1000 };
/* One line for people, of resolved options as published and their plan. `charged`: epsilon of one seed; 0:
 * nothing is charged. */
void sotto_i_as_published_text(char out[SOTTO_I_AS_PUBLISHED_TEXT], const sotto_options *options,
                               const sotto_cost *cost, double charged);
/* The same as the statement has it. NULL: no memory. */
json_t *sotto_i_as_published_json(const sotto_options *options, const sotto_cost *cost);

#endif
