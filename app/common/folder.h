/* Files that the program writes to a run folder, declared as the library declares its own (src/run/files):
 * with their reader and what they are functions of. scripts/run_files.py makes the table in docs/run-files.md
 * from these declarations. */
#ifndef SOTTO_APP_COMMON_FOLDER_H
#define SOTTO_APP_COMMON_FOLDER_H

#include "sotto/base.h"

typedef enum app_file_reader { APP_FOR_ANYONE, APP_FOR_OWNER } app_file_reader;

/* Declared as `static const app_folder_file NAME = {"...", READER, "..."};`. */
typedef struct app_folder_file {
  const char *name; /* in the run folder, without owner-only/ */
  app_file_reader reader;
  const char *of; /* what it is a function of */
} app_folder_file;

/* In fresh memory: the run folder, or its owner-only/, which is made. Errors: NOMEM, IO. */
sotto_status app_folder_of(char **out, const char *run, const app_folder_file *file, sotto_error *err);
/* In fresh memory: the file there. Errors: those above. */
sotto_status app_folder_path(char **out, const char *run, const app_folder_file *file, sotto_error *err);

#endif
