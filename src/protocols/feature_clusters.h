/* Clusters of nodes by their features alone. At edge level features are public, and so are these clusters. */
#ifndef SOTTO_SRC_PROTOCOLS_FEATURE_CLUSTERS_H
#define SOTTO_SRC_PROTOCOLS_FEATURE_CLUSTERS_H

#include "clusters.h"
#include "inside/nn.h"
#include "nn/rows/source.h"

#define SOTTO_I_CLUSTERS_PARAMETER "clusters"
enum {
  SOTTO_I_FEATURE_CLUSTERS = 8,
  /* Centres of more columns say little: bags of words have hundreds (docs/methods.md). */
  SOTTO_I_MOST_CLUSTER_COLUMNS = 512
};

/* Whether rows with this number of columns are clustered. */
bool sotto_i_can_cluster_features(size_t cols);

/* Adds the parameter "clusters", 8 centres of the rows, to an empty set. They are fitted on at most 4,096
 * rows, drawn by the key. Errors: IO, NOMEM. */
sotto_status sotto_i_feature_clusters_fit(sotto_params *centres, const sotto_i_row_source *rows,
                                          const sotto_key *key, sotto_error *err);
/* The same parameter for rows of `cols` columns, to be loaded. */
sotto_status sotto_i_feature_clusters_new(sotto_params *centres, size_t cols, sotto_error *err);
/* share: of a column's variance, what lies between the centres, as the mean over the columns that vary; 1
 * where none does, or a value is not finite. So it does not depend on the units of columns. Errors: IO,
 * NOMEM. */
sotto_status sotto_i_feature_clusters_share(double *share, sotto_params *centres,
                                            const sotto_i_row_source *rows, sotto_error *err);
/* clusters (fresh): of each row, the number of the nearest centre. Errors: IO, NOMEM. */
sotto_status sotto_i_feature_clusters_of(sotto_i_clusters *clusters, sotto_params *centres,
                                         const sotto_i_row_source *rows, sotto_error *err);

#endif
