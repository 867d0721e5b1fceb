/* A small collection of graphs. */
#ifndef SOTTO_TESTS_SUPPORT_SHAPES_H
#define SOTTO_TESTS_SUPPORT_SHAPES_H

#include "sotto/graph.h"

enum { graphs = 34 };

/* Chains (class 0) and stars (class 1) of 7 to 9 nodes, with one feature; free with sotto_dataset_free. */
void make_shapes(sotto_dataset *out);

#endif
