/* The cluster of each node, and the message that tells it to another party. */
#ifndef SOTTO_SRC_PROTOCOLS_CLUSTERS_H
#define SOTTO_SRC_PROTOCOLS_CLUSTERS_H

#include "sotto/base.h"
#include "sotto/tensor.h"

typedef struct sotto_i_clusters {
  uint16_t *of; /* owned: by node; NULL: another process has them */
  size_t nodes, count;
} sotto_i_clusters;

/* All nodes in cluster 0. Free it in any case. Errors: UNSUPPORTED (more than 65536 clusters), NOMEM. */
sotto_status sotto_i_clusters_new(sotto_i_clusters *out, size_t nodes, size_t count, sotto_error *err);
/* out (fresh): the largest of each row of scores. Errors: those above. */
sotto_status sotto_i_clusters_largest(sotto_i_clusters *out, const sotto_matrix *scores, sotto_error *err);
void sotto_i_clusters_free(sotto_i_clusters *clusters);

/* The message from a party without edges to one with edges, a row a node: its cluster and its level. Each
 * cluster becomes a column of all nodes, so there are at most SOTTO_I_MOST_CLUSTERS. */
enum { SOTTO_I_CLUSTER_COLUMNS = 2, SOTTO_I_MOST_CLUSTERS = 1024 };
/* message (fresh); levels NULL: all are 1. */
sotto_status sotto_i_clusters_tell(sotto_matrix *message, const sotto_i_clusters *clusters,
                                   const uint8_t *levels, sotto_error *err);
/* Fills clusters, whose count is known, and levels. Errors: PROTOCOL. */
sotto_status sotto_i_clusters_take(sotto_i_clusters *clusters, uint8_t *levels, const sotto_matrix *message,
                                   sotto_error *err);

#endif
