/* Training and models. Internal: other folders call these, programs outside do not. */
#ifndef SOTTO_INSIDE_RUN_H
#define SOTTO_INSIDE_RUN_H

#include "sotto/joint.h"
#include "sotto/methods.h"
#include "sotto/model.h"
#include "sotto/statement.h"

/* Most nodes of one query. */
enum { SOTTO_MOST_ASKED = 10000 };

/* Does an answer come from a cached release, so that it depends on one node's features alone? */
bool sotto_model_is_fixed(const sotto_model *model);
/* Borrowed from the model: the features that it reads. */
const sotto_matrix *sotto_model_features(const sotto_model *model);

/* The privacy statement as indented JSON in fresh memory; free it with sotto_statement_free. Its form is
 * docs/statement.schema.json, for every method. Epsilon is composed from all charges of the run, restarts
 * included; the planned one is `epsilon_planned`. `result` is that of sotto_train or sotto_train_party with
 * these options and data. Errors: NOMEM. */
sotto_status sotto_statement_json(char **out, const sotto_options *options, const sotto_dataset *data,
                                  const sotto_result *result, sotto_error *err);

#endif
