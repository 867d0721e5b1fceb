/* Cells in which clients count neighbours at edge level: by class, or by clusters of features that all
 * clients find together. Pilots (protocols/pilots.h) at all clients choose between the two.
 *
 * What leaves a client for this are sums over its nodes: how many lie in each cluster with sums of their
 * features, and products of what was read of its pilots' released counts. With secure-aggregation the server
 * gets the sum of these over all clients. */
#ifndef SOTTO_SRC_METHODS_FEDERATED_CELLS_H
#define SOTTO_SRC_METHODS_FEDERATED_CELLS_H

#include "protocols/clusters.h"
#include "protocols/pilots.h"

struct sotto_i_federation;
struct sotto_i_fed_client;
struct sotto_i_fed_server;

/* Of a client, or of the server. */
typedef struct sotto_i_fed_cells {
  sotto_i_cluster_kind kind;    /* of the counts of all nodes that are no pilots */
  sotto_params *centres;        /* owned; NULL: nothing was chosen */
  sotto_i_clusters by_features; /* owned: of a client */
  sotto_i_pilots pilots;        /* owned: of a client */
} sotto_i_fed_cells;
void sotto_i_fed_cells_free(sotto_i_fed_cells *cells);

/* May pilots choose? Not with edges between clients, whose clusters are reported, not where updates are
 * checked, which sums of other things are not, and not with many columns or classes. */
bool sotto_i_fed_can_choose(const struct sotto_i_federation *federation);
/* Number of cells, and of the features that are read of them. */
size_t sotto_i_fed_cell_count(const struct sotto_i_federation *federation, sotto_i_cluster_kind kind);
size_t sotto_i_fed_counts_width(const struct sotto_i_federation *federation, sotto_i_cluster_kind kind);

/* federated_cells.c: both sides of the choice, after the rounds on features alone. The client has sent
 * nothing that depends on an edge before. `logits` are of its nodes by features alone; `known` are their
 * clusters by class, which its pilots count too. */
SOTTO_MUST_USE sotto_status sotto_i_fed_cells_choose(struct sotto_i_fed_client *client,
                                                     const sotto_matrix *logits,
                                                     const sotto_i_clusters *known, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_fed_cells_serve(struct sotto_i_fed_server *server, sotto_error *err);
/* Loads the choice that a seed's folder has, if any; of a client also its clusters and pilots. Errors: IO,
 * CORRUPT, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_fed_cells_load(sotto_i_fed_cells *cells,
                                                   const struct sotto_i_federation *federation,
                                                   const char *folder, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_fed_cells_find(struct sotto_i_fed_client *client, const char *folder,
                                                   sotto_error *err);

/* federated_centres.c: k-means of all clients' features by sums over clients. */
SOTTO_MUST_USE sotto_status sotto_i_fed_centres_find(struct sotto_i_fed_client *client, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_fed_centres_serve(struct sotto_i_fed_server *server, sotto_error *err);

/* pilot_moments.c: ridge regressions of what class probabilities by features alone miss, on counts. A block
 * is that of one kind: SOTTO_I_FED_FOLDS times the products of the rows of a fold. At most
 * SOTTO_I_FED_MOST_CLASSES classes and cells. */
enum { SOTTO_I_FED_FOLDS = 10, SOTTO_I_FED_MOST_CLASSES = 32 };
size_t sotto_i_fed_moments_size(size_t classes, size_t cells);
/* Adds the rows nodes[0..count) to block[sotto_i_fed_moments_size], which begins with zeros. `read` has a row
 * for each of them, whose first columns are of the cells (nn/readings.h); logits and labels have one a node.
 */
void sotto_i_fed_moments_add(float *block, const sotto_matrix *logits, const sotto_matrix *read, size_t cells,
                             const int32_t *labels, const uint32_t *nodes, size_t count);
/* The mean decrease of the squared error by counts over folds that are left out in turn, and its standard
 * error; both 0 without rows. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_fed_moments_gain(double *mean, double *error, const double *block,
                                                     size_t classes, size_t cells, sotto_error *err);

/* federated_pool.c: sums of vectors over all clients. */
typedef struct sotto_i_fed_pooled {
  const char *name, *reason;
  uint32_t step; /* separates the sums of one training */
  size_t count;
} sotto_i_fed_pooled;
enum { SOTTO_I_FED_POOL_NODES, SOTTO_I_FED_POOL_PILOTS, SOTTO_I_FED_POOL_CENTRES };
/* A client's vector. Values that no sum can hold count as zero together. */
SOTTO_MUST_USE sotto_status sotto_i_fed_pool_send(struct sotto_i_fed_client *client,
                                                  const sotto_i_fed_pooled *of, const float *values,
                                                  sotto_error *err);
/* The sum, in the order of the clients. */
SOTTO_MUST_USE sotto_status sotto_i_fed_pool_gather(double *sum, struct sotto_i_fed_server *server,
                                                    const sotto_i_fed_pooled *of, sotto_error *err);
/* A row from the server to all clients. */
SOTTO_MUST_USE sotto_status sotto_i_fed_pool_tell(struct sotto_i_fed_server *server, const char *name,
                                                  const char *reason, const sotto_matrix *row,
                                                  sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_fed_pool_hear(const struct sotto_i_fed_client *client, const char *name,
                                                  sotto_matrix *row, sotto_error *err);

#endif
