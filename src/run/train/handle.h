/* The inside of a run of the public interface: its options, its training, its outputs. */
#ifndef SOTTO_SRC_RUN_TRAIN_HANDLE_H
#define SOTTO_SRC_RUN_TRAIN_HANDLE_H

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

/* handle_folder.c. Does the folder hold a run that was begun? */
sotto_status sotto_i_holds_run(bool *out, const char *folder, sotto_error *err);
/* Sets the folder: the named one, or a private one. One that holds a run is resumed if the options or its
 * begun state say so. Errors: INVALID (it holds another run), IO, NOMEM. */
sotto_status sotto_i_handle_choose_folder(sotto_run *run, sotto_error *err);
/* The same at a rank other than rank 0, which writes it. Errors: INVALID (no folder is named). */
sotto_status sotto_i_handle_share_folder(sotto_run *run, sotto_error *err);
/* Removes a private folder, and forgets its name. */
void sotto_i_handle_forget_folder(sotto_run *run);
/* Reads a file of the run folder or its owner-only/ as text; *out stays NULL if it does not exist. */
sotto_status sotto_i_handle_read(char **out, const sotto_run *run, const char *name, sotto_error *err);
/* Reads statement, result and metrics. */
sotto_status sotto_i_handle_read_texts(sotto_run *run, sotto_error *err);
void sotto_i_handle_forget_texts(sotto_run *run);

#endif
