/* Readers of matrices, arrays and OGB folders. Errors name the file, and the line or array. */
#ifndef SOTTO_SRC_GRAPH_FORMATS_FORMATS_H
#define SOTTO_SRC_GRAPH_FORMATS_FORMATS_H

#include "graph/io/read.h"

/* MatrixMarket: coordinates of a square matrix; every nonzero entry is an edge. */
sotto_status sotto_i_read_matrix_market(sotto_i_parts *parts, const sotto_i_source *file,
                                        const sotto_import_options *options, sotto_error *err);
/* .npz: the arrays of "Pitfalls of GNN evaluation", a scipy sparse matrix (the adjacency), or edge_index
 * with x, y and masks. .npy: edge_index alone. Records the format in the report. */
sotto_status sotto_i_read_arrays(sotto_i_parts *parts, const sotto_i_source *file,
                                 const sotto_import_options *options, sotto_error *err);

/* Files of an OGB node dataset; those from FEATURES on are optional. */
enum {
  SOTTO_I_OGB_EDGES,
  SOTTO_I_OGB_NODES,
  SOTTO_I_OGB_FEATURES,
  SOTTO_I_OGB_LABELS,
  SOTTO_I_OGB_TRAIN,
  SOTTO_I_OGB_VALIDATION,
  SOTTO_I_OGB_TEST,
  SOTTO_I_OGB_FILES
};
sotto_status sotto_i_read_ogb(sotto_i_parts *parts, const sotto_i_source *files, sotto_error *err);

#endif
