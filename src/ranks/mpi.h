/* The state behind ranks of MPI. */
#ifndef SOTTO_SRC_RANKS_MPI_H
#define SOTTO_SRC_RANKS_MPI_H

#include "inside/ranks.h"
#include "ranks.h"

#ifdef SOTTO_MPI
#include <mpi.h>

enum { SOTTO_I_NOTICE_TAG = 1, SOTTO_I_PARCEL_TAG = 2 };

/* What a rank that failed tells the others. */
typedef struct sotto_i_notice {
  uint32_t status;
  char text[500];
} sotto_i_notice;

struct sotto_ranks {
  MPI_Comm parcels, notices; /* of their own: nothing else is received there by chance */
  uint32_t number, count;
  bool initialised; /* MPI, by this library */
  bool failed;      /* this rank or another one: nothing more is sent */
  bool waiting;     /* something that was sent was never received */
  double limit;     /* seconds without a byte from a rank that was to send some */
  sotto_rank_traffic traffic;
  sotto_i_notice notice;
};

/* Has another rank failed? Errors: its status, with its number. */
sotto_status sotto_i_ranks_heard(sotto_ranks *ranks, sotto_error *err);
/* Errors: IO, with what MPI says. */
sotto_status sotto_i_mpi_check(int code, const char *what, sotto_error *err);

#endif
#endif
