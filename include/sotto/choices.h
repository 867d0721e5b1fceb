/* Values of word options, and their names. The words of an option stand in the order of its enumeration; a
 * name is "unknown" for a value out of range. */
#ifndef SOTTO_CHOICES_H
#define SOTTO_CHOICES_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which inputs epsilon makes alike: those that differ in nothing, a transfer (one row of those between two
 * nodes), an edge (all of them), k edges of a node, a node with its edges, a whole graph, all data of a
 * client. */
typedef enum sotto_adjacency {
  SOTTO_ADJACENCY_NONE,
  SOTTO_ADJACENCY_TRANSFER,
  SOTTO_ADJACENCY_EDGE,
  SOTTO_ADJACENCY_NEIGHBOURS,
  SOTTO_ADJACENCY_NODE,
  SOTTO_ADJACENCY_GRAPH,
  SOTTO_ADJACENCY_CLIENT
} sotto_adjacency;
#define SOTTO_ADJACENCY_WORDS "none transfer edge k-neighbour node graph client"
SOTTO_API const char *sotto_adjacency_name(sotto_adjacency adjacency);

/* How noise is chosen for epsilon. */
typedef enum sotto_accounting { SOTTO_ACCOUNTING_SOUND, SOTTO_ACCOUNTING_PAPER } sotto_accounting;
#define SOTTO_ACCOUNTING_WORDS "sound paper"

/* How nodes are divided into training, validation and test nodes. */
typedef enum sotto_splitting {
  SOTTO_SPLITTING_RANDOM,
  SOTTO_SPLITTING_PLANETOID,
  SOTTO_SPLITTING_KFOLD,
  SOTTO_SPLITTING_TIME
} sotto_splitting;
#define SOTTO_SPLITTING_WORDS "random planetoid kfold time"

typedef enum sotto_feature_scale {
  SOTTO_FEATURE_SCALE_L2,
  SOTTO_FEATURE_SCALE_STANDARD,
  SOTTO_FEATURE_SCALE_NONE,
  SOTTO_FEATURE_SCALE_SUITED /* of several parties: standard where the data's schema has statistics, else l2
                              */
} sotto_feature_scale;
#define SOTTO_FEATURE_SCALE_WORDS "l2 standard none suited"

/* The kind of a layer of message passing. */
typedef enum sotto_layer_kind {
  SOTTO_LAYER_GIN,
  SOTTO_LAYER_GCN,
  SOTTO_LAYER_MEAN,
  SOTTO_LAYER_GAT,
  SOTTO_LAYER_SAGE
} sotto_layer_kind;
#define SOTTO_LAYER_WORDS "gin gcn mean gat sage"

typedef enum sotto_activation {
  SOTTO_ACTIVATION_NONE,
  SOTTO_ACTIVATION_RELU,
  SOTTO_ACTIVATION_SELU,
  SOTTO_ACTIVATION_TANH,
  SOTTO_ACTIVATION_SIGMOID
} sotto_activation;
#define SOTTO_ACTIVATION_WORDS "none relu selu tanh sigmoid"

/* How a classifier or decoder joins layers. */
typedef enum sotto_combination {
  SOTTO_COMBINE_CAT, /* side by side */
  SOTTO_COMBINE_SUM,
  SOTTO_COMBINE_MAX,
  SOTTO_COMBINE_MEAN,
  SOTTO_COMBINE_ATTENTION,
  SOTTO_COMBINE_REGRESSION,
  SOTTO_COMBINE_GRU /* as a sequence, read by a gated recurrent unit */
} sotto_combination;
#define SOTTO_COMBINE_WORDS "cat sum max mean attention regression gru"

/* What is learnt of a node: its class, or a number. */
typedef enum sotto_task { SOTTO_TASK_CLASSIFICATION, SOTTO_TASK_REGRESSION } sotto_task;
#define SOTTO_TASK_WORDS "classification regression"

/* A measure of quality; one of them on the validation part picks an epoch. */
typedef enum sotto_measure {
  SOTTO_MEASURE_ACCURACY,
  SOTTO_MEASURE_AUC,
  SOTTO_MEASURE_MACRO_F1,
  SOTTO_MEASURE_R2, /* from here on measures of numbers */
  SOTTO_MEASURE_RMSE,
  SOTTO_MEASURE_MAE,
  SOTTO_MEASURES, /* how many there are */
  SOTTO_CLASS_MEASURES = SOTTO_MEASURE_R2
} sotto_measure;
#define SOTTO_MEASURE_WORDS "accuracy auc macro_f1"
SOTTO_API const char *sotto_measure_name(sotto_measure measure);

/* Train although there is a question: none; a budget asks for more protection; edges are expected to add
 * nothing that is worth the charge. */
typedef enum sotto_anyway { SOTTO_ANYWAY_ASK, SOTTO_ANYWAY_NOT_PRIVATE, SOTTO_ANYWAY_GAIN } sotto_anyway;
#define SOTTO_ANYWAY_WORDS "ask not-private gain"

/* What a label party gets of a layer: rows of norm 1, or as the noise left them. */
typedef enum sotto_release_scale { SOTTO_RELEASE_UNIT, SOTTO_RELEASE_RAW } sotto_release_scale;
#define SOTTO_RELEASE_SCALE_WORDS "unit raw"

/* How a release's numbers are written on the wire. Rounding comes after the noise, so it costs no privacy:
 * bf16 halves the bytes, int8 (a scale a row) quarters them. Embeddings and gradients of split learning are
 * int8 whatever is asked; other payloads are float32. */
typedef enum sotto_wire_format {
  SOTTO_FORMAT_FLOAT32,
  SOTTO_FORMAT_BF16,
  SOTTO_FORMAT_INT8,
  SOTTO_FORMATS
} sotto_wire_format;
#define SOTTO_FORMAT_WORDS "float32 bf16 int8"

#ifdef __cplusplus
}
#endif

#endif
