/* Parts of datasets that are made of other datasets. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_TAKE_H
#define SOTTO_SRC_GRAPH_PARTITION_TAKE_H

#include "graph/dataset.h"

/* Copies these nodes, all of which exist, with features, labels, split, names and schema; no edges. Errors:
 * NOMEM. */
sotto_status sotto_i_take_nodes(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *nodes,
                                uint64_t count, sotto_error *err);

/* Fills the parts (zeroed) with the subset that sotto_dataset_take makes a dataset of. Errors: as there. */
sotto_status sotto_i_take_items(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *items,
                                size_t count, const char *name, sotto_error *err);

#endif
