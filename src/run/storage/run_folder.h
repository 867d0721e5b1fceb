/* The folder of a run: one process at a time works in it, and a run that failed before any work leaves none.
 */
#ifndef SOTTO_SRC_RUN_STORAGE_RUN_FOLDER_H
#define SOTTO_SRC_RUN_STORAGE_RUN_FOLDER_H

#include "sotto/methods.h"

typedef struct sotto_i_run_folder {
  const char *path;
  int lock;  /* -1: not held */
  bool made; /* by this process */
} sotto_i_run_folder;

/* Takes the lock of a folder that exists, and removes unfinished files; else nothing is done yet. `path` is
 * lent. Errors: INVALID (another
 * process is at work), IO. */
sotto_status sotto_i_run_folder_open(sotto_i_run_folder *out, const char *path, sotto_error *err);
/* All checks have passed: makes the folder, unless it is there, and writes run.yaml and run.id into it,
 * unless they are there. `id` has 32 digits. */
sotto_status sotto_i_run_folder_begin(sotto_i_run_folder *folder, const sotto_options *options,
                                      const char *id, sotto_error *err);
/* The run's name in the ledger: read from run.id, so that a resumed run finds its charges; a new one when
 * there is none. */
sotto_status sotto_i_run_folder_id(char id[33], const char *path, sotto_error *err);
/* Gives the lock back. With `failed`, a folder that this process made goes, unless there is more in it than
 * what was written when it began. */
void sotto_i_run_folder_close(sotto_i_run_folder *folder, bool failed);

#endif
