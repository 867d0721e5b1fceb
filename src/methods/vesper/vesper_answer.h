/* Predictions of a finished run by its two parties together: one role of a prediction, and its payloads. */
#ifndef SOTTO_SRC_METHODS_VESPER_VESPER_ANSWER_H
#define SOTTO_SRC_METHODS_VESPER_VESPER_ANSWER_H

#include "protocols/answers/corrections.h"
#include "run/joint/joint.h"
#include "run/train/predict.h"
#include "vesper_halves.h"

#define SOTTO_I_VESPER_COUNTS_SENDS                                                                          \
  "embeddings of the nodes that are asked for, and the counts of their neighbours that the run released"
#define SOTTO_I_VESPER_LAYERS_SENDS                                                                          \
  "embeddings of the nodes that are asked for, and the layers that the run released of them"
#define SOTTO_I_TWO_PARTIES_SENDS  "embeddings of the nodes that are asked for"
#define SOTTO_I_VESPER_OTHER_SENDS "embeddings of all nodes of its data, and noisy counts of their neighbours"
#define SOTTO_I_VESPER_OTHER_LAYERS                                                                          \
  "embeddings of the nodes that are asked for, and noisy layers of message passing over its data"
#define SOTTO_I_VESPER_CLUSTERS_SENDS                                                                        \
  "numbers of nodes, the predicted class of each node of the data, and its confidence"

#define SOTTO_I_VESPER_NODE_SENDS                                                                            \
  "the noisy rows and layers that the run released of the nodes that are asked for"
#define SOTTO_I_VESPER_ROWS_ASKED  "rows.asked"
#define SOTTO_I_VESPER_LAYER_ASKED "layer.asked"

sotto_status sotto_i_vesper_counts_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);
/* For layers, or for a perceptron on features alone, which is another method. */
sotto_status sotto_i_vesper_layers_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);
/* Its label party: receives the inputs of its decoder, or head, and applies that. `released`: all inputs are
 * of releases, and the decoder reads no features of this party's own (node level). */
sotto_status sotto_i_vesper_layers_read(sotto_matrix *out, const sotto_i_joint *joint, bool released,
                                        sotto_error *err);
/* Sends the nodes that are asked for of a release's layer. */
sotto_status sotto_i_vesper_send_released(const sotto_i_joint *joint, const char *name,
                                          const sotto_release *release, uint32_t layer, sotto_error *err);
/* vesper_node_answer.c: node level. */
sotto_status sotto_i_vesper_node_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);

/* vesper_holders_answer.c: of several holders. */
sotto_status sotto_i_vesper_holders_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                         sotto_error *err);
sotto_status sotto_i_vesper_holders_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err);

/* vesper_counts_others.c: both roles, for other data. */
sotto_status sotto_i_vesper_counts_other_data(const sotto_i_joint *joint, sotto_error *err);
sotto_status sotto_i_vesper_counts_other_label(sotto_matrix *out, const sotto_i_joint *joint,
                                               sotto_error *err);

/* Number of data parties, each at a link of the label party. */
static inline size_t sotto_i_vesper_data_parties(const sotto_i_joint *joint) {
  const sotto_options *o = joint->job->options;
  return sotto_i_vesper_has_holders(o) ? (size_t)o->holders : 1;
}
/* Loads parameter sets of this party, from its file or from that of all parties in one process. */
sotto_status sotto_i_vesper_load_sets(const sotto_i_joint *joint, sotto_params *const *sets, size_t count,
                                      sotto_error *err);

/* The data party's part of the model: encoders, and what its counts are in cells of. */
typedef struct sotto_i_vesper_networks {
  sotto_i_halves encoders;
  sotto_params *centres, *bins, *weights; /* feature_clusters.h, transfer_cells.h, transfer_weights.h; NULL:
                                             the model has none */
} sotto_i_vesper_networks;
/* Free it in any case. */
sotto_status sotto_i_vesper_networks_open(sotto_i_vesper_networks *out, const sotto_i_joint *joint,
                                          sotto_error *err);
void sotto_i_vesper_networks_free(sotto_i_vesper_networks *networks);
/* Sends the results of each of the data party's encoders for nodes[0..count); NULL: for all. */
sotto_status sotto_i_vesper_send_embeddings(const sotto_i_joint *joint, const uint32_t *nodes, size_t count,
                                            const char *name, const char *reason, sotto_error *err);

/* The label party's networks and their inputs for some nodes. */
typedef struct sotto_i_vesper_reader {
  sotto_i_folds folds;
  sotto_i_halves heads;
  sotto_i_corrections corrections;
  sotto_matrix own;  /* its own features */
  sotto_matrix base; /* log-probabilities by features alone, and what corrections read beside them */
  sotto_matrix read; /* features from counts */
  uint8_t *levels;
} sotto_i_vesper_reader;
/* For nodes[0..count); NULL: for all. Free it in any case. */
sotto_status sotto_i_vesper_reader_open(sotto_i_vesper_reader *r, const sotto_i_joint *joint,
                                        const uint32_t *nodes, size_t count, sotto_error *err);
/* Receives embeddings of these nodes, and fills `base`. */
sotto_status sotto_i_vesper_reader_base(sotto_i_vesper_reader *r, const sotto_i_joint *joint,
                                        const uint32_t *nodes, const char *name, sotto_error *err);
void sotto_i_vesper_reader_free(sotto_i_vesper_reader *r);

#endif
