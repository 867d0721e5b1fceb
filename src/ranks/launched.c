/* The number of processes that the launcher reports, before MPI is initialised. */
#include <stdlib.h>

#include "ranks.h"

/* The value of the first of two environment variables that is a number of at least `least`; else 0. */
static uint32_t read_number(const char *const names[2], long least) {
  for (size_t i = 0; i < 2; i++) {
    const char *text = getenv(names[i]);
    const long number = text == NULL ? least - 1 : strtol(text, NULL, 10);
    if (number >= least && number < INT32_MAX) return (uint32_t)number;
  }
  return 0;
}

/* Variables of OpenMPI's mpirun, and of launchers with PMI or PMIx, such as srun --mpi=pmix. */
uint32_t sotto_ranks_launched(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  return read_number(names, 1);
}

uint32_t sotto_ranks_launched_as(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  return read_number(names, 0);
}
