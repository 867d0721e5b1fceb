/* The inside of a run of the public interface: its options, its training, its outputs. */
#ifndef SOTTO_SRC_RUN_API_HANDLE_H
#define SOTTO_SRC_RUN_API_HANDLE_H

#include <stdatomic.h>

#include "sotto/methods.h"
#include "sotto/run.h"

typedef enum sotto_i_run_phase {
  SOTTO_I_RUN_OPEN,  /* options may be set */
  SOTTO_I_RUN_BEGUN, /* options and data are fixed; after a failure the run can be resumed */
  SOTTO_I_RUN_DONE
} sotto_i_run_phase;

struct sotto_run {
  sotto_options asked;    /* as set by the caller */
  sotto_options resolved; /* from `asked` and the method's defaults; fixed once training begins */
  sotto_i_run_phase phase;
  atomic_bool cancel;
  sotto_observer observer; /* the caller's, during a training */
  const sotto_dataset *data;
  char *scratch; /* the private folder; NULL: none */
  char *folder;  /* of the run */
  char *statement, *text, *metrics;
  sotto_result result;
};

/* As sotto_run_new; needs the list of methods. */
SOTTO_MUST_USE sotto_status sotto_i_run_new(sotto_run **out, sotto_error *err);
/* Reads the options of a run that is resumed, and resolves them. */
sotto_status sotto_i_run_resolve(sotto_run *run, sotto_error *err);

#endif
