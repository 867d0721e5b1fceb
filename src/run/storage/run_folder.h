/* The folder of a run. Only one process at a time works in it, and a run that fails before any work leaves
 * no folder. */
#ifndef SOTTO_SRC_RUN_STORAGE_RUN_FOLDER_H
#define SOTTO_SRC_RUN_STORAGE_RUN_FOLDER_H

#include "sotto/methods.h"

typedef struct sotto_i_run_folder {
  const char *path;
  int lock;  /* -1: not held */
  bool made; /* created by this process */
} sotto_i_run_folder;

/* Takes the lock of an existing folder, and removes its partial files; nothing else. `path` is borrowed.
 * Errors: INVALID (another process is working in it), IO. */
sotto_status sotto_i_run_folder_open(sotto_i_run_folder *out, const char *path, sotto_error *err);
/* Called after all checks: creates the folder and writes run.yaml and run.id, unless they exist. `id` has
 * 32 digits. */
sotto_status sotto_i_run_folder_begin(sotto_i_run_folder *folder, const sotto_options *options,
                                      const char *id, sotto_error *err);
/* The run's id in the ledger: from run.id, so that a resumed run finds its charges; else a new one. */
sotto_status sotto_i_run_folder_id(char id[33], const char *path, sotto_error *err);
/* Releases the lock. `failed`: also removes a folder that this process created, if it contains only the
 * files of the beginning. */
void sotto_i_run_folder_close(sotto_i_run_folder *folder, bool failed);

#endif
