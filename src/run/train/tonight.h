/* Data of a night in the order of its plan: nodes are matched by their ids, in any order of tonight's
 * table. */
#ifndef SOTTO_SRC_RUN_TRAIN_TONIGHT_H
#define SOTTO_SRC_RUN_TRAIN_TONIGHT_H

#include "sotto/graph.h"
#include "sotto/options.h"

typedef struct sotto_i_tonight {
  sotto_dataset
      data; /* nodes of earlier nights in their order, then new ones; empty: the given data has this order */
  uint32_t *rows; /* of each node that was given; NULL: it is where it was given */
} sotto_i_tonight;

/* Finds the nodes of `data` among those of the plan in `run` by id; a node that is absent tonight has no
 * edge, and the features that it had. `night`: one that is repeated, else 0. Data without ids goes by
 * position. Errors: INVALID (an id that a repeated night did not have), and those of files. */
sotto_status sotto_i_tonight_open(sotto_i_tonight *out, const char *run, const sotto_options *options,
                                  const sotto_dataset *data, uint64_t night, sotto_error *err);
void sotto_i_tonight_free(sotto_i_tonight *tonight);
/* Keeps ids and features of all nodes so far in the folder of the plan, for its owner. */
sotto_status sotto_i_tonight_keep(const char *nights, const sotto_dataset *data, sotto_error *err);

#endif
