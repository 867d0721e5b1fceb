/* Datasets from the texts of two tables. */
#ifndef SOTTO_TESTS_SUPPORT_TABLE_TEXTS_H
#define SOTTO_TESTS_SUPPORT_TABLE_TEXTS_H

#include "sotto/graph.h"

/* An edge list, edges.csv, and a table of nodes, nodes.csv; NULL: there is none. */
sotto_status check_read_texts(sotto_dataset *out, const char *edges, const char *nodes,
                              const sotto_import_options *options, sotto_error *err);

#endif
