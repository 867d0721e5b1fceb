/* Files that the program writes into a run folder. They are declared like those of the library
 * (src/run/files): with their reader and the data that they are computed from. scripts/run_files.py makes
 * the table in docs/run-files.md from these declarations. */
#ifndef SOTTO_APP_COMMON_FOLDER_H
#define SOTTO_APP_COMMON_FOLDER_H

#include "sotto/base.h"

typedef enum app_file_reader { APP_FOR_ANYONE, APP_FOR_OWNER } app_file_reader;

/* Declared as `static const app_folder_file NAME = {"...", READER, "..."};`. */
typedef struct app_folder_file {
  const char *name; /* in the run folder, without owner-only/ */
  app_file_reader reader;
  const char *of; /* the data that it is a function of */
} app_folder_file;

/* The run folder or its owner-only/, fresh; the folder is created. Errors: NOMEM, IO. */
sotto_status app_folder_of(char **out, const char *run, const app_folder_file *file, sotto_error *err);
/* Path of the file there, fresh. Errors: those above. */
sotto_status app_folder_path(char **out, const char *run, const app_folder_file *file, sotto_error *err);

#endif
