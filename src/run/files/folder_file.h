/* Files of a run folder. Each is declared with its reader and the data that it is a function of, and the
 * reader decides where it is written. Files for the owner are in owner-only/; the rest of the folder may be
 * handed on. scripts/run_files.py makes the table in docs/run-files.md from these declarations. */
#ifndef SOTTO_SRC_RUN_FILES_FOLDER_FILE_H
#define SOTTO_SRC_RUN_FILES_FOLDER_FILE_H

#include <jansson.h>

#include "sotto/options.h"

typedef enum sotto_i_file_reader {
  SOTTO_I_FOR_ANYONE,
  SOTTO_I_FOR_MEASURES, /* anyone; the owner if sotto_options_hide_measures */
  SOTTO_I_FOR_SIZES,    /* anyone; the owner at graph and client level, where sizes are private */
  SOTTO_I_FOR_LABELS,   /* anyone; the owner if sotto_i_model_has_labels */
  SOTTO_I_FOR_PARTY,    /* the party of this folder, which received it from others or needs it to resume */
  SOTTO_I_FOR_OWNER
} sotto_i_file_reader;

/* Declared as `static const sotto_i_folder_file NAME = {"...", READER, "..."};`. */
typedef struct sotto_i_folder_file {
  const char *name; /* relative to the run folder, without owner-only/; a pattern of fnmatch(3) */
  sotto_i_file_reader reader;
  const char *of; /* the data that it is a function of */
} sotto_i_folder_file;

/* The path of the file, fresh: FOLDER/NAME or FOLDER/owner-only/NAME; owner-only/ is created. `folder` is
 * the run folder or one below it. `name` matches the end of the declared name, from a slash on; NULL: the
 * last part of the declared name. `options` may be NULL; files for measures, sizes and labels then count as
 * private. Errors: NOMEM, IO. */
SOTTO_MUST_USE sotto_status sotto_i_folder_path(char **out, const char *folder,
                                                const sotto_i_folder_file *file, const char *name,
                                                const sotto_options *options, sotto_error *err);
/* Writes the file, complete or not at all. Errors: those above, and of writing. */
SOTTO_MUST_USE sotto_status sotto_i_folder_write(const char *folder, const sotto_i_folder_file *file,
                                                 const char *name, const sotto_options *options,
                                                 const void *data, size_t size, sotto_error *err);

/* The same for JSON, with jansson's flags; takes ownership of root. root NULL: memory for it was missing. */
SOTTO_MUST_USE sotto_status sotto_i_folder_save_json(json_t *root, const char *folder,
                                                     const sotto_i_folder_file *file,
                                                     const sotto_options *options, size_t flags,
                                                     sotto_error *err);

/* FOLDER/owner-only/NAME if that is a file, else FOLDER/NAME; fresh. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_folder_find(char **out, const char *folder, const char *name,
                                                sotto_error *err);

#endif
