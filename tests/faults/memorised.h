/* A fault in cross-fitting: a training node gets the answers of the perceptrons that were fitted on it and
 * memorised its label, in place of the one that did not see it. */
#ifndef SOTTO_TESTS_FAULTS_MEMORISED_H
#define SOTTO_TESTS_FAULTS_MEMORISED_H

#include <stdbool.h>

/* From now on; false switches the fault off. */
void check_plant_memorised(bool on);

#endif
