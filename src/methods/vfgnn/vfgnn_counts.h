/* Payloads of the publication by counts, and a holder's received clusters. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_COUNTS_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_COUNTS_H

#include "vfgnn.h"

#define SOTTO_I_CLUSTERS_NAME "clusters"
#define SOTTO_I_COUNTS_NAME   "counts"
#define SOTTO_I_SUM_NAME      "counts.all"

/* Clusters (nodes x classes, 1 in the cluster) and levels of all nodes (protocols/unsure.h); both owned. */
typedef struct sotto_i_told {
  sotto_matrix clusters;
  uint8_t *levels;
} sotto_i_told;
sotto_status sotto_i_told_new(sotto_i_told *out, const sotto_i_vfgnn *shared, sotto_error *err);
void sotto_i_told_free(sotto_i_told *told);
/* One round at the label holder: sends each node's cluster, the largest of its row of `scores`, and its level
 * (NULL: all equal) to the other holders, releases its own counts, and receives the `sum` (fresh) of all. */
sotto_status sotto_i_vfgnn_counts_ask(sotto_matrix *sum, sotto_i_vfgnn_holder *holder, sotto_i_told *told,
                                      const sotto_matrix *scores, const uint8_t *levels, uint32_t round,
                                      sotto_error *err);

#endif
