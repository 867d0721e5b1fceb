/* A fault in contractive releases: one more aggregate over the private graph after the last noise, as the
 * public code of CARIBOU has it. */
#ifndef SOTTO_TESTS_FAULTS_EXTRA_HOP_H
#define SOTTO_TESTS_FAULTS_EXTRA_HOP_H

#include <stdbool.h>

/* From now on contractive releases end with that aggregate, which its charge does not cover; false
 * switches the fault off. */
void check_plant_hop(bool on);

#endif
