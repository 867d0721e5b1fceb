/* Releases for tests. */
#ifndef SOTTO_TESTS_MADE_RELEASE_H
#define SOTTO_TESTS_MADE_RELEASE_H

#include "sotto/pmp.h"

/* Own rows, a floor of 3. */
sotto_pmp_options check_release_options(sotto_aggregator kind, uint32_t layers, sotto_activation activation);
/* With an insecure key; fails the test when it cannot be made. */
sotto_release *check_release(const sotto_pmp_plan *plan, const sotto_graph *graph, const sotto_matrix *x,
                             uint64_t seed);

#endif
