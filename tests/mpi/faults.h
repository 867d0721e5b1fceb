/* Which fault this program of ranks plants: the name that it was started by. */
#ifndef SOTTO_TESTS_MPI_FAULTS_H
#define SOTTO_TESTS_MPI_FAULTS_H

#include <stdbool.h>

/* Was the program started as ranks_NAME? */
bool rank_fault(const char *name);

#endif
