/* Data put in the order of the columns and classes that a model has, by name. */
#ifndef SOTTO_SRC_GRAPH_SCHEMA_MATCH_H
#define SOTTO_SRC_GRAPH_SCHEMA_MATCH_H

#include "schema.h"

/* Data with the features and classes of `model`, in its order; without names of classes these are the numbers
 * below `classes` (0: not known). *changed is false where they are so already, and
 * *out is then not set. A word or a class that the model lacks is counted in *unseen: none of the features of
 * its category is set, and the label is unknown. *out borrows edges, split and graphs of `data`; free it
 * before that. Errors: INVALID, as above; NOMEM. */
sotto_status sotto_i_schema_apply(sotto_dataset *out, bool *changed, sotto_unseen *unseen,
                                  const sotto_schema *model, uint32_t classes, const sotto_dataset *data,
                                  sotto_error *err);

#endif
