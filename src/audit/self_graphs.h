/* The made collection of graphs that variants at graph level are audited on. */
#ifndef SOTTO_SRC_AUDIT_SELF_GRAPHS_H
#define SOTTO_SRC_AUDIT_SELF_GRAPHS_H

#include "sotto/graph.h"

/* Graphs of 40 nodes and of two classes, cut from one with dense features. Free with sotto_dataset_free.
 * Errors: NOMEM. */
sotto_status sotto_i_self_graphs(sotto_dataset *out, const sotto_dataset *data, sotto_error *err);

#endif
