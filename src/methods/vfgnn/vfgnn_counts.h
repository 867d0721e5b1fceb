/* Payloads of the publication by counts, and a holder's received clusters. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_COUNTS_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_COUNTS_H

#include "vfgnn.h"

#define SOTTO_I_CLUSTERS_NAME "clusters"
#define SOTTO_I_COUNTS_NAME   "counts"
#define SOTTO_I_SUM_NAME      "counts.all"
#define SOTTO_I_KIND_NAME     "clusters.kind"

/* Clusters (nodes x classes, 1 in the cluster) and levels of all nodes (protocols/unsure.h); both owned. */
typedef struct sotto_i_told {
  sotto_i_clusters clusters;
  uint8_t *levels;
} sotto_i_told;
sotto_status sotto_i_told_new(sotto_i_told *out, const sotto_i_vfgnn *shared, sotto_error *err);
void sotto_i_told_free(sotto_i_told *told);
/* At the label holder: sends each node's cluster, the largest of its row of `scores`, and its level (NULL:
 * all equal) to the other holders, and keeps them in `told`. */
sotto_status sotto_i_vfgnn_counts_tell(sotto_i_told *told, const sotto_i_vfgnn_holder *holder,
                                       const sotto_i_clusters *clusters, const uint8_t *levels,
                                       sotto_error *err);
/* One release of each holder, at the label holder: tells all their kind if it comes after pilots, releases
 * its own counts, and receives those of `all` (fresh). */
sotto_status sotto_i_vfgnn_counts_ask(sotto_matrix *all, sotto_i_vfgnn_holder *holder,
                                      const sotto_i_told *told, const sotto_i_vfgnn_stage *stage,
                                      sotto_error *err);
/* A holder's counts of one stage, charged and sent to the server. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_counts_publish(sotto_i_vfgnn_holder *holder,
                                                         const sotto_i_told *told,
                                                         const sotto_i_vfgnn_stage *stage, sotto_error *err);
/* Receives the kind of a stage that comes after pilots, from the label holder. Errors: PROTOCOL. */
SOTTO_MUST_USE sotto_status sotto_i_vfgnn_receive_kind(sotto_i_vfgnn_stage *stage, sotto_i_vfgnn_cells *cells,
                                                       sotto_link *from, sotto_error *err);

#endif
