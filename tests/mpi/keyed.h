/* Keys that the checks draw: the number of a rank, and how many keys it has made. */
#ifndef SOTTO_TESTS_MPI_KEYED_H
#define SOTTO_TESTS_MPI_KEYED_H

#include <stdint.h>

extern uint8_t check_rank, check_keys_made;

#endif
