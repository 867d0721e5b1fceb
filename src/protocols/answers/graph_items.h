/* The graphs of a collection as the nodes of a dataset, for models that answer about graphs. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_GRAPH_ITEMS_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_GRAPH_ITEMS_H

#include "sotto/graph.h"

/* Errors: INVALID for one graph; RANGE for 2^24 graphs or more. */
sotto_status sotto_i_graph_items_check(const sotto_dataset *data, sotto_error *err);
/* A node for each graph, without edges: its label, and one feature, values[g], a whole number below 2^24.
 * `out` is fresh. Errors: those above; NOMEM. */
sotto_status sotto_i_graph_items(sotto_dataset *out, const uint32_t *values, const sotto_dataset *data,
                                 sotto_error *err);

#endif
