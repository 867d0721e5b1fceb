/* Options of a run: the list of all, run files, and what is checked before any work. */
#ifndef SOTTO_OPTIONS_H
#define SOTTO_OPTIONS_H

#include "sotto/base.h"

#define SOTTO_UNSET UINT64_MAX

/* Every option of a run: field, key (command line and run file), type, default, least, most, choices,
 * meaning. TEXT is a string, COUNT a whole number (default SOTTO_UNSET: not given), REAL a number ("inf"
 * where most allows), WORD one of the choices, SWITCH true or false. */
#define SOTTO_OPTION_LIST(X)                                                                                 \
  X(method, "method", WORD, "vesper", 0, 0,                                                                  \
    "vesper gnn mlp best gap caribou sage pertgraph dpdgc lpgnet fedavg federated gwldp globsage "           \
    "locsage fedsage fedsage+ feddep vfgnn securegnn",                                                       \
    "what to train")                                                                                         \
  X(data, "data", TEXT, "", 0, 0, "", "dataset: a path that `sotto data info` reads")                        \
  X(target, "target", TEXT, "year", 0, 0, "", "facebook100: the column to predict")                          \
  X(min_class_size, "min-class-size", COUNT, 0, 0, 4294967295.0, "", "facebook100: drop smaller classes")    \
  X(nodes, "nodes", TEXT, "", 0, 0, "", "edge list: the table of nodes")                                     \
  X(split, "split", WORD, "random", 0, 0, "random planetoid kfold", "how nodes are parted")                  \
  X(train_share, "train-share", REAL, 0.7, 0.001, 0.998, "", "random split: share of training nodes")        \
  X(validation_share, "validation-share", REAL, 0.1, 0.001, 0.998, "",                                       \
    "random split: share of validation nodes")                                                               \
  X(folds, "folds", COUNT, 10, 3, 1000, "", "kfold: parts; seed k tests on part k")                          \
  X(aggregator, "aggregator", WORD, "gin", 0, 0, "gin gcn mean gat",                                         \
    "gin sums neighbours, gcn and mean normalise by degree; vfgnn: gat weighs them by attention")            \
  X(layers, "layers", COUNT, 2, 1, 64, "", "rounds of message passing, K")                                   \
  X(degree_floor, "degree-floor", COUNT, 10, 0, 4294967295.0, "",                                            \
    "releases with gcn or mean: degrees below count as this")                                                \
  X(contraction, "contraction", REAL, 0.9, 0, 1, "", "caribou: C_L, below 1")                                \
  X(alpha, "alpha", REAL, 1, 0, 1, "", "caribou: weight of the graph; 1 - alpha is that of the mean row")    \
  X(beta, "beta", REAL, 0, 0, 100, "", "caribou: weight of the first rows in every layer")                   \
  X(feature_scale, "feature-scale", WORD, "l2", 0, 0, "l2 standard none",                                    \
    "l2: rows to norm 1; standard: columns to mean 0, deviation 1")                                          \
  X(hidden, "hidden", COUNT, 64, 1, 65536, "", "width of hidden layers and of what is released")             \
  X(release_width, "release-width", COUNT, 0, 0, 65536, "",                                                  \
    "vesper: columns of the embeddings that are released; 0: hidden")                                        \
  X(constant, "constant", REAL, 0, 0, 1e6, "",                                                               \
    "vesper: one more column of this value, whose sum counts neighbours; 0: none")                           \
  X(release_scale, "release-scale", WORD, "unit", 0, 0, "unit raw",                                          \
    "vesper: what the label party gets of a layer: rows of norm 1, or as the noise left them")               \
  X(publication, "publication", WORD, "layers", 0, 0, "layers gap vfgnn",                                    \
    "vesper: every layer with noise; the same without own rows (GAP); the last layer alone (VFGNN)")         \
  X(releases, "releases", COUNT, 1, 1, 64, "",                                                               \
    "vesper: releases of one training, with gradients sent back between them")                               \
  X(layer_weights, "layer-weights", SWITCH, 0, 0, 0, "",                                                     \
    "vesper: trained weights between layers, of operator norm at most 1")                                    \
  X(label_epsilon, "label-epsilon", REAL, 0, 0, 40, "",                                                      \
    "vesper, mlp: randomised response on labels, against the data party; 0: none")                           \
  X(label_features, "label-features", REAL, 0, 0, 0.99, "",                                                  \
    "vesper, mlp: share of the feature columns, the last ones, that the label party holds")                  \
  X(label_edges, "label-edges", REAL, 0, 0, 0.99, "",                                                        \
    "vesper: share of the edges that the label party holds, and releases to its own decoder")                \
  X(decoder, "decoder", WORD, "concat", 0, 0, "concat gru", "vesper: how the label party joins the layers")  \
  X(combine, "combine", WORD, "cat", 0, 0, "cat sum max mean attention regression",                          \
    "gap, caribou: how the classifier joins the layers; vfgnn: how the server joins the holders' rows "      \
    "(cat, "                                                                                                 \
    "mean, regression)")                                                                                     \
  X(holders, "holders", COUNT, 2, 1, 16, "", "vfgnn: how many hold columns and edges")                       \
  X(label_holder, "label-holder", COUNT, 1, 1, 16, "", "vfgnn: which of them has labels")                    \
  X(proportion, "proportion", TEXT, "", 0, 0, "",                                                            \
    "vfgnn in one process: what each holder is dealt, as 5:5; empty: the same")                              \
  X(initial, "initial", WORD, "collaboratively", 0, 0, "collaboratively individually",                       \
    "vfgnn: first layer over all columns under secret shares, or one a holder over its own")                 \
  X(first_rate, "first-rate", REAL, 1, 1e-6, 100, "",                                                        \
    "vfgnn: learning rate of the first layer under shares")                                                  \
  X(first_momentum, "first-momentum", REAL, 0.9, 0, 0.99, "", "vfgnn: its momentum")                         \
  X(hop_rate, "hop-rate", REAL, 0.0003, 0, 10, "",                                                           \
    "vfgnn: learning rate of the holders' hops, which begin as means; 0: they stay so")                      \
  X(feature_bound, "feature-bound", REAL, 1, 1e-3, 1e6, "",                                                  \
    "vfgnn: largest feature, after scaling, that enters shares")                                             \
  X(fraction_bits, "fraction-bits", COUNT, 20, 10, 30, "", "vfgnn: fixed point under shares")                \
  X(estimator, "estimator", WORD, "gaussian", 0, 0, "gaussian james-stein",                                  \
    "vfgnn: the server reads noisy rows as they are, or shrinks them")                                       \
  X(export_first, "export-first", SWITCH, 0, 0, 0, "",                                                       \
    "vfgnn: open the shared first layer to all holders at the end")                                          \
  X(adjacency, "adjacency", WORD, "edge", 0, 0, "none edge k-neighbour node graph",                          \
    "what epsilon hides: an edge, k edges of a node, a node, a whole graph, or nothing (no noise)")          \
  X(max_degree, "max-degree", COUNT, 0, 0, 4294967295.0, "",                                                 \
    "declared bound on the neighbours of a node, which node level needs; 0: none declared")                  \
  X(degree_cut, "degree-cut", SWITCH, 0, 0, 0, "",                                                           \
    "node level: drop edges to meet max-degree; the guarantee is then for graphs as cut")                    \
  X(neighbours, "neighbours", COUNT, 1, 1, 4294967295.0, "", "dpdgc: k of k-neighbour")                      \
  X(row_clip, "row-clip", REAL, 0, 0, 1e6, "",                                                               \
    "node level: norm that a node's aggregate is cut to before noise; 0: from max-degree (k-neighbour: "     \
    "not)")                                                                                                  \
  X(encoder_share, "encoder-share", REAL, 0.2, 0.01, 0.98, "",                                               \
    "node level: share of the budget for training the encoder; vesper: share of mu^2 for noisy own rows, "   \
    "the rest for layers")                                                                                   \
  X(release_share, "release-share", REAL, 0.2, 0.01, 0.98, "",                                               \
    "node level: share for what is released of the graph; the rest is the classifier's")                     \
  X(accounting, "accounting", WORD, "sound", 0, 0, "sound paper",                                            \
    "how noise is chosen for epsilon; paper: as the authors of vesper, vfgnn, caribou claim, for "           \
    "comparison")                                                                                            \
  X(neighbour_cap, "neighbour-cap", COUNT, 20, 1, 100000, "",                                                \
    "accounting paper: neighbours sampled for a node in a layer")                                            \
  X(batch, "batch", COUNT, 256, 1, 4294967295.0, "", "accounting paper: training nodes in a mini-batch")     \
  X(fit_share, "fit-share", REAL, 1, 0.01, 1, "",                                                            \
    "best: share of training nodes that the correction is fitted on and counts are released for")            \
  X(epsilon, "epsilon", REAL, 4, 0, INFINITY, "", "privacy of one training; inf adds no noise")              \
  X(delta, "delta", REAL, 1e-6, 0, 1, "", "probability that epsilon does not hold")                          \
  X(encoder_epochs, "encoder-epochs", COUNT, 100, 1, 1000000, "",                                            \
    "epochs of the encoder, trained without edges")                                                          \
  X(epochs, "epochs", COUNT, 100, 1, 1000000, "", "epochs of the decoder, or of the whole network")          \
  X(patience, "patience", COUNT, 0, 0, 1000000, "",                                                          \
    "stop after so many epochs without a better validation; 0 never")                                        \
  X(select_by, "select-by", WORD, "accuracy", 0, 0, "accuracy auc macro_f1",                                 \
    "validation measure that picks the epoch")                                                               \
  X(learning_rate, "learning-rate", REAL, 0.01, 0, 10, "", "of Adam")                                        \
  X(weight_decay, "weight-decay", REAL, 0, 0, 10, "", "L2 penalty")                                          \
  X(dropout, "dropout", REAL, 0.5, 0, 0.99, "", "share of hidden values dropped in training")                \
  X(activation, "activation", WORD, "selu", 0, 0, "none relu selu tanh sigmoid", "of the encoder")           \
  X(decoder_activation, "decoder-activation", WORD, "relu", 0, 0, "none relu selu tanh sigmoid",             \
    "of the decoder")                                                                                        \
  X(release_activation, "release-activation", WORD, "none", 0, 0, "none relu selu tanh sigmoid",             \
    "after the noise of a layer")                                                                            \
  X(perturbation, "perturbation", WORD, "asymmetric", 0, 0, "asymmetric edgerand lapgraph",                  \
    "pertgraph: how the graph is perturbed")                                                                 \
  X(density_share, "density-share", REAL, 0.1, 0.001, 0.9, "",                                               \
    "pertgraph: share of epsilon for the number of edges (asymmetric, lapgraph)")                            \
  X(batch_rate, "batch-rate", REAL, 0.25, 0, 1, "",                                                          \
    "node level: share of the training nodes that is drawn for a batch")                                     \
  X(clip, "clip", REAL, 1, 1e-6, 1e6, "", "node level: norm that a node's gradient is cut to")               \
  X(steps, "steps", COUNT, 0, 0, 1000000, "", "node level: batches of each network; 0: epochs / batch-rate") \
  X(clients, "clients", COUNT, 10, 2, 1024, "", "fedavg: how many the data is dealt to")                     \
  X(dirichlet, "dirichlet", REAL, 0, 0, 1e6, "",                                                             \
    "fedavg: labels are dealt unevenly, with this concentration; 0: alike")                                  \
  X(deal, "deal", WORD, "alike", 0, 0, "alike communities",                                                  \
    "fedavg: how nodes come to clients: at random, or by communities of the graph (Louvain)")                \
  X(client_list, "client-list", TEXT, "", 0, 0, "",                                                          \
    "fedavg: file with the client of each node or graph, from 1, a line each")                               \
  X(fan_out, "fan-out", COUNT, 0, 0, 100000, "",                                                             \
    "fedavg with mean: neighbours drawn for a node in each hop of training; 0: all")                         \
  X(embed_layers, "embed-layers", COUNT, 2, 1, 64, "", "feddep: hops that an embedding describes, L")        \
  X(embed_epochs, "embed-epochs", COUNT, 0, 0, 1000000, "",                                                  \
    "feddep: epochs of the network of embeddings, N; 0: it stays as it began")                               \
  X(prototypes, "prototypes", COUNT, 10, 0, 100000, "",                                                      \
    "feddep: centres of its embeddings that a client shows, C; 0: none")                                     \
  X(prototype_rate, "prototype-rate", REAL, 0.5, 0, 1, "",                                                   \
    "feddep: share of the others' prototypes that is drawn in each step, r")                                 \
  X(prototype_noise, "prototype-noise", REAL, 0, 0, INFINITY, "",                                            \
    "feddep: epsilon of a client's prototypes at node level; 0: shown as they are")                          \
  X(least_degree, "least-degree", COUNT, 0, 0, 4294967295.0, "",                                             \
    "feddep: declared least number of neighbours, D of the noise-free claim; 0: none declared")              \
  X(hide_share, "hide-share", REAL, 0.5, 0.001, 0.95, "",                                                    \
    "feddep, fedsage+: share of a client's nodes that is hidden from its generator in each step")            \
  X(most_missing, "most-missing", COUNT, 5, 1, 1000, "",                                                     \
    "feddep, fedsage+: neighbours generated for a node, at most")                                            \
  X(generator_epochs, "generator-epochs", COUNT, 100, 1, 1000000, "",                                        \
    "feddep, fedsage+: epochs of the generator")                                                             \
  X(count_weight, "count-weight", REAL, 1, 0, 1e6, "",                                                       \
    "feddep, fedsage+: weight of the number of missing neighbours, a")                                       \
  X(missing_weight, "missing-weight", REAL, 1, 0, 1e6, "",                                                   \
    "feddep, fedsage+: weight of the nearest hidden neighbour, b")                                           \
  X(prototype_weight, "prototype-weight", REAL, 0.001, 0, 1e6, "",                                           \
    "feddep, fedsage+: weight of the nearest row of each other client, c")                                   \
  X(cross_fit, "cross-fit", COUNT, 2, 1, 100, "",                                                            \
    "feddep: folds of training nodes; what is generated for one is made without its labels; 1: with them")   \
  X(mend, "mend", WORD, "embeddings", 0, 0, "embeddings features",                                           \
    "feddep: what is generated: deep embeddings, or features of one hop")                                    \
  X(mend_scale, "mend-scale", REAL, 0.1, 0, 1e6, "",                                                         \
    "feddep: factor of what is generated before it is fused in; 0: nothing of it")                           \
  X(fusion, "fusion", WORD, "every", 0, 0, "every first",                                                    \
    "feddep: layers that what is generated is fused into")                                                   \
  X(rounds, "rounds", COUNT, 200, 1, 1000000, "", "fedavg: times that models are averaged")                  \
  X(fraction, "fraction", REAL, 1, 0.001, 1, "", "fedavg: share of the clients that take part in a round")   \
  X(least_clients, "least-clients", COUNT, 0, 0, 1024, "",                                                   \
    "fedavg between parties: how many must stay for the rounds to go on without the others; 0: all")         \
  X(round_limit, "round-limit", REAL, 600, 0.1, 31536000, "",                                                \
    "least-clients: seconds that a client may take to answer, before it is left out")                        \
  X(local_epochs, "local-epochs", COUNT, 1, 1, 100000, "", "fedavg: epochs of a client in a round")          \
  X(batch_size, "batch-size", COUNT, 0, 0, 1000000000.0, "",                                                 \
    "fedavg: nodes or graphs a step; 0: all of a client's; vfgnn: training nodes a step; 0: all")            \
  X(optimiser, "optimiser", WORD, "adam", 0, 0, "adam sgd", "fedavg: of clients; its state stays with them") \
  X(prox_mu, "prox-mu", REAL, 0, 0, 1e6, "",                                                                 \
    "fedavg: FedProx, pull of a client's weights towards the average")                                       \
  X(server_momentum, "server-momentum", REAL, 0, 0, 0.999, "", "fedavg: momentum of the average")            \
  X(local_momentum, "local-momentum", REAL, 0, 0, 0.999, "",                                                 \
    "fedavg: momentum of clients' sgd, averaged with the models (momentum federated learning)")              \
  X(sum_neighbours, "sum-neighbours", COUNT, 0, 0, 254, "",                                                  \
    "secure-aggregation: how many others each client masks with, even; 0: all")                              \
  X(sum_threshold, "sum-threshold", COUNT, 0, 0, 254, "",                                                    \
    "secure-aggregation: how many of them must last; 0: two thirds of all, half of fewer, and one")          \
  X(embed_every, "embed-every", COUNT, 0, 0, 1000000, "",                                                    \
    "gwldp: embeddings also after every so many rounds; 0: at the end alone")                                \
  X(seeds, "seeds", COUNT, 1, 1, 10000, "", "repeats, with seeds SEED, SEED + 1, ...")                       \
  X(seed, "seed", COUNT, 1, 0, 4294967295.0, "", "of splits, initial weights and dropout; never of noise")   \
  X(insecure_seed, "insecure-seed", COUNT, SOTTO_UNSET, 0, 4294967295.0, "",                                 \
    "repeatable noise: the run is NOT PRIVATE")                                                              \
  X(wire, "wire", WORD, "float32", 0, 0, "float32 bf16 int8", "how a release's numbers are sent")            \
  X(connect_limit, "connect-limit", REAL, 10, 0.1, 3600, "", "party: seconds for one attempt to connect")    \
  X(idle_limit, "idle-limit", REAL, 30, 0.3, 3600, "",                                                       \
    "party: seconds of silence after which a connection is given up")                                        \
  X(grace, "grace", REAL, 600, 0.1, 31536000, "",                                                            \
    "party: seconds without a connection after which the run is given up")                                   \
  X(checkpoint_every, "checkpoint-every", COUNT, 20, 0, 1000000, "",                                         \
    "epochs between two checkpoints within a training; 0: none")                                             \
  X(ids, "ids", TEXT, "", 0, 0, "", "party: file of node ids, one a line, in the order of rows")             \
  X(ledger, "ledger", TEXT, "", 0, 0, "", "ledger to charge (default: the user's)")                          \
  X(out, "out", TEXT, "", 0, 0, "", "run folder (default: runs/ and the time)")                              \
  X(encoder_cache, "encoder-cache", TEXT, "", 0, 0, "",                                                      \
    "folder of encoders trained without edges, shared by runs (gap, caribou)")                               \
  X(threads, "threads", COUNT, 0, 0, 256, "", "0: one a core; results do not depend on it")                  \
  X(secure_aggregation, "secure-aggregation", SWITCH, 0, 0, 0, "",                                           \
    "fedavg: the server sees sums of updates alone")                                                         \
  X(unbiased, "unbiased", SWITCH, 0, 0, 0, "",                                                               \
    "gwldp: the server keeps unbiased estimates of embeddings in the place of codes")                        \
  X(record_wire, "record-wire", SWITCH, 0, 0, 0, "",                                                         \
    "keep what each party here received in the run folder, for an audit from its view")                      \
  X(resume, "resume", SWITCH, 0, 0, 0, "", "go on with the run in the run folder")

enum { SOTTO_MOST_OPTIONS = 128 };

typedef struct sotto_options {
#define SOTTO_OPTION_FIELD_TEXT(field)   char field[1024];
#define SOTTO_OPTION_FIELD_WORD(field)   char field[32];
#define SOTTO_OPTION_FIELD_COUNT(field)  uint64_t field;
#define SOTTO_OPTION_FIELD_REAL(field)   double field;
#define SOTTO_OPTION_FIELD_SWITCH(field) bool field;
#define SOTTO_OPTION_FIELD(field, key, type, fallback, least, most, choices, help)                           \
  SOTTO_OPTION_FIELD_##type(field)
  SOTTO_OPTION_LIST(SOTTO_OPTION_FIELD)
#undef SOTTO_OPTION_FIELD
  bool given[SOTTO_MOST_OPTIONS]; /* option i of the list was set by hand */
} sotto_options;

SOTTO_API void sotto_options_default(sotto_options *options);
/* Sets one option from text. Errors: NOT_FOUND (unknown key, with the nearest one), PARSE, RANGE, INVALID
 * (not one of the choices; a control character in a text); the text names the key and what it takes. A SWITCH
 * takes true or false. */
SOTTO_API sotto_status sotto_options_set(sotto_options *options, const char *key, const char *value,
                                         sotto_error *err);
/* Reads a run file: YAML, one mapping of keys to values; a key already given by hand is kept. A key without a
 * value is not given; a key that stands twice is refused. Errors name the file and the line, and leave the
 * options as they were. */
SOTTO_API sotto_status sotto_options_read(sotto_options *options, const char *path, sotto_error *err);
/* Writes a run file with every option resolved. */
SOTTO_API sotto_status sotto_options_write(const sotto_options *options, const char *path, sotto_error *err);
/* Gives every option that was not given by hand the default of the method; run files are written so. Doing it
 * again changes nothing. sotto_train does it by itself. */
SOTTO_API void sotto_options_resolve(sotto_options *options);
/* Checks options against each other before any work. Errors: INVALID, RANGE, naming the keys;
 * UNSUPPORTED for an adjacency that the method does not offer. */
SOTTO_API sotto_status sotto_options_check(const sotto_options *options, sotto_error *err);

/* What parties must agree on, as `key: value` lines in ascending order, in fresh memory of the caller, to be
 * freed with sotto_options_free_text: every option but those of one machine (data, nodes, ids, ledger, out,
 * threads, resume). */
SOTTO_API sotto_status sotto_options_terms(char **out, const sotto_options *options, sotto_error *err);
SOTTO_API void sotto_options_free_text(char *text);
/* Is the option one of them? */
SOTTO_API bool sotto_option_is_shared(const char *key);

/* The list above as data, for help texts. `most` is 0 for types without a range. */
typedef enum sotto_option_type {
  SOTTO_TEXT,
  SOTTO_WORD,
  SOTTO_COUNT,
  SOTTO_REAL,
  SOTTO_SWITCH
} sotto_option_type;
typedef struct sotto_option_info {
  const char *key;
  sotto_option_type type;
  double least, most;
  const char *choices, *help;
} sotto_option_info;
SOTTO_API const sotto_option_info *sotto_option_table(size_t *count);
/* The value of option i as text, in `out`. */
SOTTO_API void sotto_option_text(const sotto_options *options, size_t i, char *out, size_t size);

#endif
