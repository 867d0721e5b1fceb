/* What all generators and readers over ranks do at the end: the graph's sections, figures, and the dataset
 * that stands for the file. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_WRITTEN_H
#define SOTTO_SRC_GRAPH_SPREAD_WRITTEN_H

#include "rows.h"
#include "shared_file.h"

/* The header's counts and sizes of the graph, and its sections among those that are present. */
void sotto_i_written_graph_header(sotto_i_native_header *header, bool present[SOTTO_I_NATIVE_KINDS],
                                  const sotto_i_rows *rows, const char *name);
/* The sections name, offsets and targets. Errors: as of strips. */
sotto_status sotto_i_written_graph(sotto_i_shared_file *file, const sotto_i_rows *rows, const char *name,
                                   sotto_error *err);
/* Of all rows; `labels` are those of all nodes, or NULL. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_written_figures(sotto_figures *out, const sotto_i_rows *rows, const int32_t *labels,
                                     sotto_error *err);
/* The parts (counts, small lists, labels and split of all nodes) become the dataset's, named by the digest
 * that follows from the header of a file that was committed. Errors: NOMEM. */
sotto_status sotto_i_written_dataset(sotto_dataset *out, sotto_i_parts *parts,
                                     const sotto_i_native_header *header, sotto_error *err);

#endif
