/* Ranks over MPI: start, end, and how a failure of one rank fails all. */
#include "mpi.h"

#ifdef SOTTO_MPI
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"
#include "inside/ranks.h"

static const double default_limit = 3600; /* seconds; SOTTO_RANK_TIMEOUT */

bool sotto_ranks_built(void) {
  return true;
}

sotto_status sotto_i_mpi_check(int code, const char *what, sotto_error *err) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int size = 0;
  if (code == MPI_SUCCESS) return SOTTO_OK;
  (void)MPI_Error_string(code, text, &size);
  return sotto_i_fail(err, SOTTO_IO,
                      "%s: MPI reports: %.300s; look for a rank that ended, and start again with "
                      "resume",
                      what, text);
}

static double read_limit(void) {
  const char *text = getenv("SOTTO_RANK_TIMEOUT");
  const double seconds = text == NULL ? 0 : strtod(text, NULL);
  return seconds > 0 ? seconds : default_limit;
}

static sotto_status initialise_mpi(sotto_ranks *r, sotto_error *err) {
  int done = 0, provided = 0;
  (void)MPI_Initialized(&done);
  if (done != 0) return SOTTO_OK;
  /* Processes with keys in memory deny access to others, so single-copy transfers cannot work. */
  (void)setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  r->initialised = code == MPI_SUCCESS;
  return sotto_i_mpi_check(code, "MPI_Init_thread", err);
}

static sotto_status duplicate_communicator(MPI_Comm *out, MPI_Comm from, sotto_error *err) {
  const sotto_status status = sotto_i_mpi_check(MPI_Comm_dup(from, out), "MPI_Comm_dup", err);
  if (status == SOTTO_OK) (void)MPI_Comm_set_errhandler(*out, MPI_ERRORS_RETURN);
  return status;
}

sotto_status sotto_ranks_begin(sotto_ranks **out, const void *communicator, sotto_error *err) {
  sotto_ranks *r = NULL;
  int number = 0, count = 0;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_new(&r, 1, sizeof *r, err));
  r->parcels = r->notices = MPI_COMM_NULL;
  r->limit = read_limit();
  SOTTO_TRY(initialise_mpi(r, err));
  const MPI_Comm from = communicator == NULL ? MPI_COMM_WORLD : *(const MPI_Comm *)communicator;
  SOTTO_TRY(duplicate_communicator(&r->parcels, from, err));
  SOTTO_TRY(duplicate_communicator(&r->notices, from, err));
  SOTTO_TRY(sotto_i_mpi_check(MPI_Comm_rank(r->parcels, &number), "MPI_Comm_rank", err));
  SOTTO_TRY(sotto_i_mpi_check(MPI_Comm_size(r->parcels, &count), "MPI_Comm_size", err));
  r->number = (uint32_t)number;
  r->count = (uint32_t)count;
  *out = r;
  r = NULL;
done:
  sotto_i_free(r);
  return status;
}

static void sleep_for(double seconds) {
  const struct timespec time = {.tv_sec = (time_t)seconds,
                                .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  (void)nanosleep(&time, NULL);
}

void sotto_ranks_end(sotto_ranks *r, int code) {
  if (r == NULL) return;
  if (r->waiting) { /* MPI_Finalize would wait for it forever */
    sleep_for(2);   /* time for the other ranks to receive the notice and report it */
    (void)MPI_Abort(r->parcels, code == 0 ? 1 : code);
  }
  (void)MPI_Comm_free(&r->parcels);
  (void)MPI_Comm_free(&r->notices);
  if (r->initialised) (void)MPI_Finalize();
  sotto_i_free(r);
}

sotto_status sotto_i_ranks_need_threads(const sotto_ranks *r, sotto_error *err) {
  int level = MPI_THREAD_SINGLE;
  if (r == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_mpi_check(MPI_Query_thread(&level), "MPI_Query_thread", err);
  if (status != SOTTO_OK || level >= MPI_THREAD_SERIALIZED) return status;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "two parties are two threads of rank 0, and MPI was initialised for one; initialise it "
                      "with MPI_THREAD_SERIALIZED, or leave that to sotto_ranks_begin");
}

uint32_t sotto_ranks_number(const sotto_ranks *r) {
  return r == NULL ? 0 : r->number;
}

uint32_t sotto_ranks_count(const sotto_ranks *r) {
  return r == NULL ? 1 : r->count;
}

sotto_rank_traffic sotto_ranks_traffic(const sotto_ranks *r) {
  return r == NULL ? (sotto_rank_traffic){0} : r->traffic;
}

void sotto_i_ranks_count_halo(sotto_ranks *r, uint64_t sent, uint64_t received, uint64_t planned) {
  if (r == NULL) return;
  r->traffic.halo_sent += sent;
  r->traffic.halo_received += received;
  r->traffic.halo_planned += planned;
}

void sotto_ranks_fail(sotto_ranks *r, const sotto_error *err) {
  enum { seconds = 2 };
  MPI_Request *requests = NULL;
  int done = 0;
  if (r == NULL || r->failed) return;
  r->failed = true;
  r->notice.status = (uint32_t)err->status;
  (void)snprintf(r->notice.text, sizeof r->notice.text, "%.480s", err->text);
  if (sotto_i_new(&requests, r->count, sizeof *requests, NULL) != SOTTO_OK) return;
  for (uint32_t peer = 0; peer < r->count; peer++) {
    requests[peer] = MPI_REQUEST_NULL;
    if (peer != r->number)
      (void)MPI_Isend(&r->notice, sizeof r->notice, MPI_BYTE, (int)peer, SOTTO_I_NOTICE_TAG, r->notices,
                      &requests[peer]);
  }
  const double end = sotto_i_seconds() + seconds;
  while (MPI_Testall((int)r->count, requests, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && done == 0 &&
         sotto_i_seconds() < end)
    sleep_for(0.001);
  if (done == 0) r->waiting = true;
  sotto_i_free(requests);
}

sotto_status sotto_i_ranks_check_peers(sotto_ranks *r, sotto_error *err) {
  int flag = 0;
  MPI_Status from;
  sotto_i_notice notice;
  if (MPI_Iprobe(MPI_ANY_SOURCE, SOTTO_I_NOTICE_TAG, r->notices, &flag, &from) != MPI_SUCCESS || flag == 0)
    return SOTTO_OK;
  (void)MPI_Recv(&notice, sizeof notice, MPI_BYTE, from.MPI_SOURCE, SOTTO_I_NOTICE_TAG, r->notices,
                 MPI_STATUS_IGNORE);
  r->failed = true;
  notice.text[sizeof notice.text - 1] = '\0';
  const bool known = notice.status > SOTTO_OK && notice.status < 64;
  return sotto_i_fail(err, known ? (sotto_status)notice.status : SOTTO_IO, "rank %d: %s", from.MPI_SOURCE,
                      notice.text);
}

#endif
