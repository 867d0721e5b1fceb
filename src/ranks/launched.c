/* What a launcher says of the number of processes, before MPI is asked. */
#include <stdlib.h>

#include "ranks.h"

/* The first of two names that stands for a number above or at `least`; else 0. */
static uint32_t number_of(const char *const names[2], long least) {
  for (size_t i = 0; i < 2; i++) {
    const char *text = getenv(names[i]);
    const long number = text == NULL ? least - 1 : strtol(text, NULL, 10);
    if (number >= least && number < INT32_MAX) return (uint32_t)number;
  }
  return 0;
}

/* OpenMPI's mpirun, and launchers that speak PMI or PMIx, such as srun --mpi=pmix. */
uint32_t sotto_ranks_launched(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  return number_of(names, 1);
}

uint32_t sotto_ranks_launched_as(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  return number_of(names, 0);
}
