/* Options of the building blocks that methods share. */
#ifndef SOTTO_SRC_PROTOCOLS_OPTIONS_H
#define SOTTO_SRC_PROTOCOLS_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_network_rows;
extern const sotto_i_option_rows sotto_i_training_rows;
extern const sotto_i_option_rows sotto_i_node_rows;
extern const sotto_i_option_rows sotto_i_counts_rows;

/* What a server makes of noisy rows. Of rows: leaves them, or shrinks them (James and Stein 1961). Of codes
 * of embeddings: the codes, or unbiased estimates. */
typedef enum sotto_i_estimator {
  SOTTO_I_ESTIMATOR_GAUSSIAN,
  SOTTO_I_ESTIMATOR_JAMES_STEIN,
  SOTTO_I_ESTIMATOR_CODES,
  SOTTO_I_ESTIMATOR_UNBIASED
} sotto_i_estimator;
typedef struct sotto_i_estimator_settings {
  sotto_i_estimator estimator;
} sotto_i_estimator_settings;
/* Each method accepts some of its values. */
extern const sotto_i_option_rows sotto_i_estimator_rows;
sotto_i_estimator sotto_i_estimator_of(const sotto_options *options);

/* How the nodes of one dataset are split between several parties in one process. */
typedef struct sotto_i_partition_settings {
  char partition[1024];
} sotto_i_partition_settings;
/* The partition as text: sotto_partition_read for clients, sotto_vertical_shares for holders. */
const char *sotto_i_partition_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_partition_rows;

/* Rows that are added up at node level: unchanged, or floored at 0. */
typedef enum sotto_i_row_sign { SOTTO_I_ROWS_SIGNED, SOTTO_I_ROWS_NONNEGATIVE } sotto_i_row_sign;
/* Settings of node level: releases of sums over neighbours, and DP-SGD. */
typedef struct sotto_i_node_settings {
  double row_clip; /* l2 norm that a node's aggregate is clipped to before noise; 0: by max-degree */
  sotto_i_row_sign row_sign; /* which rows are added up */
  double encoder_share;      /* of the budget, for the encoder; 0.01 to 0.98 */
  double release_share;      /* of the budget, for what is released of the graph; 0.01 to 0.98 */
  double batch_rate;         /* probability that a training node is in a batch; above 0, at most 1 */
  double clip;               /* l2 norm that the gradient of a node or client is clipped to */
  uint64_t steps;            /* batches of each network; 0: epochs / batch_rate */
} sotto_i_node_settings;
const sotto_i_node_settings *sotto_i_node_settings_of(const sotto_options *options);

/* Share of nodes, the least confident ones, that counts of neighbours are released for; 0.01 to 1. */
typedef struct sotto_i_counts_settings {
  double read_share;
} sotto_i_counts_settings;
double sotto_i_read_share(const sotto_options *options);

/* What a party with edges publishes about them: the last five are ways to perturb a graph, and reports of a
 * graph. */
typedef enum sotto_i_publication {
  SOTTO_I_PUBLICATION_LAYERS,
  SOTTO_I_PUBLICATION_WITHOUT_OWN,
  SOTTO_I_PUBLICATION_LAST,
  SOTTO_I_PUBLICATION_COUNTS,
  SOTTO_I_PUBLICATION_ROWS,
  SOTTO_I_PUBLICATION_ASYMMETRIC,
  SOTTO_I_PUBLICATION_EDGERAND,
  SOTTO_I_PUBLICATION_LAPGRAPH,
  SOTTO_I_PUBLICATION_CODE,
  SOTTO_I_PUBLICATION_MULTIBIT
} sotto_i_publication;
typedef struct sotto_i_publication_settings {
  sotto_i_publication publication;
} sotto_i_publication_settings;
/* Each method accepts some of its values. */
sotto_i_publication sotto_i_publication_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_publication_rows;

#endif
