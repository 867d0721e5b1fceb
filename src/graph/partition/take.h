/* Parts of datasets that are made of other datasets. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_TAKE_H
#define SOTTO_SRC_GRAPH_PARTITION_TAKE_H

#include "graph/dataset.h"
#include "sotto/split.h"

/* Copies these nodes, all of which exist, with features, labels, split, names and schema; no edges. Errors:
 * NOMEM. */
sotto_status sotto_i_take_nodes(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *nodes,
                                uint64_t count, sotto_error *err);

/* Fills the parts (zeroed) with the subset that sotto_dataset_take makes a dataset of. Errors: as there. */
sotto_status sotto_i_take_items(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *items,
                                size_t count, const char *name, sotto_error *err);
/* Fills *out from the part of each item. On failure *out is zeroed. Errors: NOMEM. */
sotto_status sotto_i_list_parts(sotto_split *out, const uint8_t *parts, uint64_t count, sotto_error *err);
/* share * count, rounded down; 0.7 * 10 is 7 although it is slightly less in binary. */
size_t sotto_i_share_of(double share, size_t count);
/* Are these shares of training and validation nodes? Errors: RANGE. */
sotto_status sotto_i_check_shares(double train, double validation, sotto_error *err);

#endif
