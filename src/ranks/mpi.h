/* State of ranks over MPI. */
#ifndef SOTTO_SRC_RANKS_MPI_H
#define SOTTO_SRC_RANKS_MPI_H

#include "inside/ranks.h"
#include "ranks.h"

#ifdef SOTTO_MPI
#include <mpi.h>

enum { SOTTO_I_NOTICE_TAG = 1, SOTTO_I_PARCEL_TAG = 2 };

/* Notice of a failed rank to the others. */
typedef struct sotto_i_notice {
  uint32_t status;
  char text[500];
} sotto_i_notice;

struct sotto_ranks {
  MPI_Comm parcels, notices; /* own communicators, so that no foreign message is received */
  uint32_t number, count;
  bool initialised; /* this library initialised MPI */
  bool failed;      /* this rank or another one failed; nothing more is sent */
  bool waiting;     /* a message that was sent was never received */
  double limit;     /* timeout: seconds without a byte from an expected sender */
  sotto_rank_traffic traffic;
  sotto_i_notice notice;
};

/* Whether another rank failed. Errors: that rank's status, with its number. */
sotto_status sotto_i_ranks_check_peers(sotto_ranks *ranks, sotto_error *err);
/* Errors: IO, with MPI's text. */
sotto_status sotto_i_mpi_check(int code, const char *what, sotto_error *err);

#endif
#endif
