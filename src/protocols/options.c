/* Options of the building blocks that methods share. */
#include "options.h"
#include "base/option.h"
#include "run/settings/options.h"

static const sotto_i_option network_rows[] = {
    {SOTTO_I_OPTION(sotto_options, aggregator, "aggregator", WORD, "gin", 0, 0, SOTTO_LAYER_WORDS, NETWORK,
                    "gin sums neighbours, gcn and mean normalise by degree, gat weighs by attention, sage "
                    "takes a mean and keeps the own row apart"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, layers, "layers", COUNT, "2", 1, 64, "", NETWORK,
                    "rounds of message passing, K"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, degree_floor, "degree-floor", COUNT, "10", 0, 4294967295.0, "", NETWORK,
                    "releases with gcn or mean: degrees below count as this")},
    {SOTTO_I_OPTION(sotto_options, hidden, "hidden", COUNT, "64", 1, 65536, "", NETWORK,
                    "width of hidden layers and of what is released"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, activation, "activation", WORD, "selu", 0, 0, SOTTO_ACTIVATION_WORDS,
                    NETWORK, "of the encoder")},
    {SOTTO_I_OPTION(sotto_options, release_activation, "release-activation", WORD, "none", 0, 0,
                    SOTTO_ACTIVATION_WORDS, NETWORK, "after the noise of a layer")},
    {SOTTO_I_OPTION(sotto_options, combine, "combine", WORD, "cat", 0, 0, SOTTO_COMBINE_WORDS, NETWORK,
                    "how the classifier joins the layers")},
    {SOTTO_I_OPTION(sotto_options, dropout, "dropout", REAL, "0.5", 0, 0.99, "", NETWORK,
                    "share of hidden values dropped in training")},
    {SOTTO_I_OPTION(sotto_options, fan_out, "fan-out", COUNT, "0", 0, 1000000, "", NETWORK,
                    "neighbours drawn for a node in each hop of training; 0: all")},
};
const sotto_i_option_rows sotto_i_network_rows = SOTTO_I_ROWS(network_rows);

static const sotto_i_option training_rows[] = {
    {SOTTO_I_OPTION(sotto_options, encoder_epochs, "encoder-epochs", COUNT, "100", 1, 1000000, "", TRAINING,
                    "epochs of the encoder, trained without edges")},
    {SOTTO_I_OPTION(sotto_options, epochs, "epochs", COUNT, "100", 1, 1000000, "", TRAINING,
                    "epochs of the decoder, or of the whole network"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, patience, "patience", COUNT, "0", 0, 1000000, "", TRAINING,
                    "stop after so many epochs without a better validation; 0: never")},
    {SOTTO_I_OPTION(sotto_options, select_by, "select-by", WORD, "accuracy", 0, 0, SOTTO_MEASURE_WORDS,
                    TRAINING, "validation measure that picks the epoch")},
    {SOTTO_I_OPTION(sotto_options, learning_rate, "learning-rate", REAL, "0.01", 0, 10, "", TRAINING,
                    "of Adam"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, weight_decay, "weight-decay", REAL, "0", 0, 10, "", TRAINING,
                    "L2 penalty")},
    {SOTTO_I_OPTION(sotto_options, batch_size, "batch-size", COUNT, "0", 0, 1000000000.0, "", TRAINING,
                    "training nodes in a step; 0: all")},
    {SOTTO_I_OPTION(sotto_options, encoder_cache, "encoder-cache", TEXT, "", 0, 0, "", TRAINING,
                    "folder of encoders trained without edges, shared by runs"),
     .local = true},
};
const sotto_i_option_rows sotto_i_training_rows = SOTTO_I_ROWS(training_rows);

static const sotto_i_option node_rows[] = {
    {SOTTO_I_OPTION(sotto_i_node_settings, row_clip, "row-clip", REAL, "0", 0, 1e6, "", PRIVACY,
                    "node level: norm that a node's aggregate is clipped to before noise; 0: from max-degree "
                    "(k-neighbour: not clipped)")},
    {SOTTO_I_OPTION(sotto_i_node_settings, row_sign, "row-sign", WORD, "signed", 0, 0, "signed nonnegative",
                    PRIVACY, "rows that are added up: signed, or floored at 0, which takes less noise"),
     .adjacencies = SOTTO_I_NODE},
    {SOTTO_I_OPTION(sotto_i_node_settings, encoder_share, "encoder-share", REAL, "0.2", 0.01, 0.98, "",
                    PRIVACY, "share of the budget for training the encoder"),
     .adjacencies = SOTTO_I_NODE},
    {SOTTO_I_OPTION(sotto_i_node_settings, release_share, "release-share", REAL, "0.2", 0.01, 0.98, "",
                    PRIVACY,
                    "share of the budget for what is released of the graph; the rest is the classifier's"),
     .adjacencies = SOTTO_I_NODE},
    {SOTTO_I_OPTION(sotto_i_node_settings, batch_rate, "batch-rate", REAL, "0.25", 0, 1, "", PRIVACY,
                    "share of the training nodes that is drawn for a batch of DP-SGD"),
     .adjacencies = SOTTO_I_NODE},
    {SOTTO_I_OPTION(sotto_i_node_settings, clip, "clip", REAL, "1", 1e-6, 1e6, "", PRIVACY,
                    "norm that a node's gradient is clipped to"),
     .adjacencies = SOTTO_I_NODE},
    {SOTTO_I_OPTION(sotto_i_node_settings, steps, "steps", COUNT, "0", 0, 1000000, "", PRIVACY,
                    "batches of each network in DP-SGD; 0: epochs / batch-rate"),
     .adjacencies = SOTTO_I_NODE},
};
const sotto_i_option_rows sotto_i_node_rows = SOTTO_I_OWN_ROWS(sotto_i_node_settings, node_rows);

const sotto_i_node_settings *sotto_i_node_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_node_settings, options, &sotto_i_node_rows);
}

static const sotto_i_option counts_rows[] = {
    {SOTTO_I_OPTION(sotto_i_counts_settings, read_share, "read-share", REAL, "1", 0.01, 1, "", PRIVACY,
                    "share of nodes, the least confident ones, that counts are released for; nodes that a "
                    "perceptron is unsure of always have counts")},
};
const sotto_i_option_rows sotto_i_counts_rows = SOTTO_I_OWN_ROWS(sotto_i_counts_settings, counts_rows);

double sotto_i_read_share(const sotto_options *options) {
  const sotto_i_counts_settings *settings =
      SOTTO_I_OWN(sotto_i_counts_settings, options, &sotto_i_counts_rows);
  return settings->read_share;
}

static const sotto_i_option publication_rows[] = {
    {SOTTO_I_OPTION(sotto_i_publication_settings, publication, "publication", WORD, "layers", 0, 0,
                    "layers gap vfgnn counts rows asymmetric edgerand lapgraph code multibit", PRIVACY,
                    "what is published of edges"),
     .common = true, .adjacencies = SOTTO_I_NONE | SOTTO_I_TRANSFER | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND},
};
const sotto_i_option_rows sotto_i_publication_rows =
    SOTTO_I_OWN_ROWS(sotto_i_publication_settings, publication_rows);

sotto_i_publication sotto_i_publication_of(const sotto_options *options) {
  const sotto_i_publication_settings *settings =
      SOTTO_I_OWN(sotto_i_publication_settings, options, &sotto_i_publication_rows);
  return settings->publication;
}

static const sotto_i_option partition_rows[] = {
    {SOTTO_I_OPTION(
         sotto_i_partition_settings, partition, "partition", TEXT, "alike", 0, 0, "", PARTIES,
         "how nodes come to clients: alike (at random), communities (Louvain), cut (parts of one "
         "size, few edges between them), dirichlet:A (labels unevenly, concentration A), file:PATH "
         "(the client of each node or graph, from 1, a line each); linked:HOW (the same, and edges between "
         "clients are counted at edge level)"),
     .local = true},
};
const sotto_i_option_rows sotto_i_partition_rows =
    SOTTO_I_OWN_ROWS(sotto_i_partition_settings, partition_rows);

const char *sotto_i_partition_of(const sotto_options *options) {
  const sotto_i_partition_settings *settings =
      SOTTO_I_OWN(sotto_i_partition_settings, options, &sotto_i_partition_rows);
  return settings->partition;
}

static const sotto_i_option estimator_rows[] = {
    {SOTTO_I_OPTION(sotto_i_estimator_settings, estimator, "estimator", WORD, "gaussian", 0, 0,
                    "gaussian james-stein codes unbiased", PRIVACY, "what the server makes of noisy rows")},
};
const sotto_i_option_rows sotto_i_estimator_rows =
    SOTTO_I_OWN_ROWS(sotto_i_estimator_settings, estimator_rows);

sotto_i_estimator sotto_i_estimator_of(const sotto_options *options) {
  const sotto_i_estimator_settings *settings =
      SOTTO_I_OWN(sotto_i_estimator_settings, options, &sotto_i_estimator_rows);
  return settings->estimator;
}
