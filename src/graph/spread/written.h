/* Final steps of all generators and readers over ranks: the graph's sections, statistics, and the dataset
 * that represents the file. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_WRITTEN_H
#define SOTTO_SRC_GRAPH_SPREAD_WRITTEN_H

#include "rows.h"
#include "shared_file.h"

/* Sets the header's counts and sizes of the graph, and marks its sections as present. */
void sotto_i_written_graph_header(sotto_i_native_header *header, bool present[SOTTO_I_NATIVE_KINDS],
                                  const sotto_i_rows *rows, const char *name);
/* Writes the sections name, offsets and targets. Errors: as of strips. */
sotto_status sotto_i_written_graph(sotto_i_shared_file *file, const sotto_i_rows *rows, const char *name,
                                   sotto_error *err);
/* Computes the statistics over all rows; `labels` are those of all nodes, or NULL. Errors: NOMEM, those of
 * another rank. */
sotto_status sotto_i_written_figures(sotto_figures *out, const sotto_i_rows *rows, const int32_t *labels,
                                     sotto_error *err);
/* Moves the parts (counts, small lists, labels and split of all nodes) into the dataset. The header of a
 * committed file determines its digest. Errors: NOMEM. */
sotto_status sotto_i_written_dataset(sotto_dataset *out, sotto_i_parts *parts,
                                     const sotto_i_native_header *header, sotto_error *err);

#endif
