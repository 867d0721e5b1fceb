/* The generated collection of graphs for audits at graph level. */
#ifndef SOTTO_SRC_AUDIT_SELF_GRAPHS_H
#define SOTTO_SRC_AUDIT_SELF_GRAPHS_H

#include "sotto/graph.h"

/* Graphs of 40 nodes in two classes, cut from a graph with dense features. Free with sotto_dataset_free.
 * Errors: NOMEM. */
sotto_status sotto_i_self_graphs(sotto_dataset *out, const sotto_dataset *data, sotto_error *err);

#endif
