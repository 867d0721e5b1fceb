/* Shared code of sotto_dataset_open: the mapped files of a dataset, and the known formats. */
#ifndef SOTTO_SRC_GRAPH_OPEN_OPEN_H
#define SOTTO_SRC_GRAPH_OPEN_OPEN_H

#include "base/reader.h"
#include "graph/io/table_text.h"
#include "graph/io/words.h"

enum { SOTTO_I_MOST_FILES = SOTTO_I_PLANETOID_FILES };

/* Files mapped for one reader. */
typedef struct sotto_i_opened {
  sotto_i_map maps[SOTTO_I_MOST_FILES];
  char *paths[SOTTO_I_MOST_FILES];
  sotto_i_source sources[SOTTO_I_MOST_FILES];
  sotto_i_table_text texts[SOTTO_I_MOST_FILES]; /* what was unpacked or decoded */
  sotto_i_reader pieces;                        /* an edge list read in pieces */
} sotto_i_opened;

void sotto_i_opened_close(sotto_i_opened *opened);
/* Maps FOLDER/NAME (or NAME when folder is NULL) as file `which`. An empty file has data but no bytes; an
 * absent optional file has no data. Errors: those of files. */
sotto_status sotto_i_opened_map(sotto_i_opened *opened, size_t which, const char *folder, const char *name,
                                bool optional, sotto_error *err);

/* Unpacks file `which`, and as a table decodes it: sources[which] is then its text. Errors: those of
 * sotto_i_table_text_open. */
sotto_status sotto_i_opened_text(sotto_i_opened *opened, size_t which, bool table, sotto_error *err);

bool sotto_i_ends_with(const char *path, const char *end);
/* The length of a path without the suffix of a packing: .gz or .zst. */
size_t sotto_i_unpacked_length(const char *path);
/* The last component of the path, without its suffix, and that of a packing. */
sotto_status sotto_i_name_of(char **out, const char *path, sotto_error *err);

/* Options whose names and words are in the form in which those of tables are compared; new texts are kept in
 * `texts`. `given` may be NULL: no options. Errors: NOMEM. */
sotto_status sotto_i_settled_options(sotto_import_options *out, sotto_i_texts *texts,
                                     const sotto_import_options *given, sotto_error *err);

/* Whether a path has the suffix of an edge list. */
bool sotto_i_is_edge_list(const char *path);
/* Finds the node table of the edge list NAME.csv: `given`, or NAME.nodes.csv or NAME_nodes.csv next to it,
 * packed or not; *out is NULL when there is none. Errors: NOMEM. */
sotto_status sotto_i_find_nodes(char **out, const char *path, const char *given, sotto_error *err);

/* Opens a folder of TUDataset or OGB. */
sotto_status sotto_i_open_folder(sotto_i_parts *parts, sotto_i_opened *opened, const char *folder,
                                 sotto_error *err);
/* Opens FOLDER:NAME, files of Planetoid. */
sotto_status sotto_i_open_planetoid(sotto_i_parts *parts, sotto_i_opened *opened, const char *folder,
                                    const char *name, sotto_error *err);

#endif
