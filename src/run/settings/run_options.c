/* Options of every run, which the engine itself reads. */
#include "base/option.h"
#include "rows.h"

/* Levels at which labels are public and models answer. */
enum { labels_public = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS };

static const sotto_i_option run_rows[] = {
    {SOTTO_I_OPTION(sotto_options, method, "method", TEXT, "", 0, 0, "", RUN,
                    "what to train; `sotto methods` lists them"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, data, "data", TEXT, "", 0, 0, "", DATA,
                    "dataset: a path that `sotto data info` reads"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, classes, "classes", COUNT, "0", 0, 2147483647.0, "", DATA,
                    "declared number of classes, needed where labels are protected and the data do not state "
                    "it; 0: that of the data")},
    {SOTTO_I_OPTION(sotto_options, nodes, "nodes", TEXT, "", 0, 0, "", TABLES,
                    "edge list: the table of nodes [NAME.nodes.csv or NAME_nodes.csv next to it]"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, edges_to_others, "edges-to-others", TEXT, "", 0, 0, "", TABLES,
         "list of edges from own nodes to nodes of other owners, such as accounts at other banks; its first "
         "line names the columns"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, schema, "schema", TEXT, "", 0, 0, "", TABLES,
         "columns, types, words and classes as `sotto data schema` writes them in YAML, edited or not: a "
         "cell that does not fit is refused"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, label, "label", TEXT, "", 0, 0, "", TABLES,
                    "the column of classes [label, in GML value]"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, task, "task", WORD, "classification", 0, 0, SOTTO_TASK_WORDS, TABLES,
                    "what is learnt of a node: its class, or the number in the column of labels")},
    {SOTTO_I_OPTION(sotto_options, types, "types", TEXT, "", 0, 0, "", TABLES,
                    "A=TYPE,B=TYPE: number, date, category (also of codes), flag, label, outcome (a number "
                    "to learn), id, split or drop (not "
                    "read), where cells or names mislead"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, missing, "missing", TEXT, "", 0, 0, "", TABLES,
                    "mean or zero: fill features without a value; else they are refused"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, missing_words, "missing-words", TEXT, "", 0, 0, "", TABLES,
         "A,B: cells without a value [NA,N/A,NaN,null,None,? and empty, of labels unknown and -1 too]"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, decimal, "decimal", TEXT, "", 0, 0, "", TABLES, ". or , in numbers [.]"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, header, "header", TEXT, "", 0, 0, "", TABLES,
                    "edge list: the first line has names (yes) or is an edge (no) [if clear]"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, source, "source", TEXT, "", 0, 0, "", TABLES,
         "edge list: the column of one end of an edge; target is that of the other [by their names]"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, target, "target", TEXT, "", 0, 0, "", TABLES,
                    "edge list: the column of the other end; facebook100: the column to predict [year], and "
                    "year:1000 drops classes of fewer nodes"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, amount, "amount", TEXT, "", 0, 0, "", TABLES,
                    "edges: the column or attribute of amounts of transfers [by its name]"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, time, "time", TEXT, "", 0, 0, "", TABLES,
                    "edges: the column or attribute of times of transfers: dates, or seconds or milliseconds "
                    "since 1970, "
                    "or days [by its name]"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, kind, "kind", TEXT, "", 0, 0, "", TABLES,
         "edges: the column or attribute of kinds of transfers, which the schema lists [by its name]"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, direction, "direction", TEXT, "", 0, 0, "", TABLES,
         "edges: keep: they are transfers; drop: they are edges alone, without amounts, times and kinds "
         "[as amounts say]"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, split, "split", WORD, "random", 0, 0, SOTTO_SPLITTING_WORDS, DATA,
                    "how nodes are divided into training, validation and test nodes"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, train_share, "train-share", REAL, "0.7", 0.001, 0.998, "", DATA,
                    "random split, and by time: share of training nodes")},
    {SOTTO_I_OPTION(sotto_options, validation_share, "validation-share", REAL, "0.1", 0.001, 0.998, "", DATA,
                    "random split, and by time: share of validation nodes")},
    {SOTTO_I_OPTION(sotto_options, folds, "folds", COUNT, "10", 3, 1000, "", DATA,
                    "kfold: number of folds; seed k tests on fold k")},
    {SOTTO_I_OPTION(sotto_options, feature_scale, "feature-scale", WORD, "l2", 0, 0,
                    SOTTO_FEATURE_SCALE_WORDS, DATA,
                    "l2: unit-norm rows; standard: columns to mean 0 and deviation 1; suited, of several "
                    "parties: what suits "
                    "the columns")},
    {SOTTO_I_OPTION(sotto_options, seeds, "seeds", COUNT, "1", 1, 10000, "", RUN,
                    "repetitions, with seeds SEED, SEED + 1, ..."),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, seed, "seed", COUNT, "1", 0, 4294967295.0, "", RUN,
                    "of splits, initial weights and dropout; never of noise")},
    {SOTTO_I_OPTION(
         sotto_options, alert_rate, "alert-rate", TEXT, "", 0, 0, "", RUN,
         "rare class: share of nodes with an alert, as 1% or 0.01, or what chooses it on validation "
         "nodes: f1, or cost:N, where a missed node costs N false alarms [the class's share]"),
     .local = true, .adjacencies = labels_public},
    {SOTTO_I_OPTION(sotto_options, insecure_seed, "insecure-seed", COUNT, "", 0, 4294967295.0, "", RUN,
                    "repeatable noise: the run is NOT PRIVATE")},
    {SOTTO_I_OPTION(sotto_options, checkpoint_every, "checkpoint-every", COUNT, "20", 0, 1000000, "", RUN,
                    "epochs between two checkpoints within a training; 0: none")},
    {SOTTO_I_OPTION(sotto_options, ledger, "ledger", TEXT, "", 0, 0, "", RUN,
                    "ledger to charge (default: the user's)"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, account, "account", TEXT, "", 0, 0, "", RUN,
                    "named account of the ledger that the dataset is a version of"),
     .local = true},
    {SOTTO_I_OPTION(
         sotto_options, anyway, "anyway", WORD, "ask", 0, 0, SOTTO_ANYWAY_WORDS, RUN,
         "train although a budget asks for more protection (not-private, which the ledger records), "
         "or although edges are expected to add nothing (gain)"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, out, "out", TEXT, "", 0, 0, "", RUN,
                    "run folder (default: runs/ and the time)"),
     .common = true, .local = true},
    {SOTTO_I_OPTION(sotto_options, threads, "threads", COUNT, "0", 0, 256, "", RUN,
                    "0: one a core; results do not depend on it"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, resume, "resume", SWITCH, "false", 0, 0, "", RUN,
                    "continue the run in the run folder"),
     .common = true, .local = true},
};
const sotto_i_option_rows sotto_i_run_rows = SOTTO_I_ROWS(run_rows);

/* epsilon has no meaning if nothing is protected: it would claim protection for a run without noise. */
enum {
  with_noise =
      SOTTO_I_TRANSFER | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS | SOTTO_I_NODE | SOTTO_I_GRAPH | SOTTO_I_CLIENT,
};
static const sotto_i_option privacy_rows[] = {
    {SOTTO_I_OPTION(sotto_options, adjacency, "adjacency", WORD, "edge", 0, 0, SOTTO_ADJACENCY_WORDS, PRIVACY,
                    "what epsilon protects: a transfer, an edge, k edges of a node, a node, a whole graph, "
                    "all of a client, or nothing (no noise)"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, accounting, "accounting", WORD, "sound", 0, 0, SOTTO_ACCOUNTING_WORDS,
                    PRIVACY, "how noise is chosen for epsilon; paper: as published, for comparison only")},
    {SOTTO_I_OPTION(sotto_options, epsilon, "epsilon", REAL, "4", 0, INFINITY, "", PRIVACY,
                    "privacy of one training; inf adds no noise"),
     .common = true, .adjacencies = with_noise},
    {SOTTO_I_OPTION(sotto_options, delta, "delta", REAL, "1e-6", 0, 1, "", PRIVACY,
                    "probability that epsilon does not hold; if not given, at most 1 / (10 x nodes), a power "
                    "of ten, and at most 1e-6 (graph and client level: 1e-6)")},
    {SOTTO_I_OPTION(sotto_options, max_degree, "max-degree", COUNT, "0", 0, 4294967295.0, "", PRIVACY,
                    "declared bound on the neighbours of a node, which node level needs; 0: none declared"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, degree_cut, "degree-cut", SWITCH, "false", 0, 0, "", PRIVACY,
                    "drop edges to meet max-degree; the guarantee is then for graphs as cut"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_NODE},
    {SOTTO_I_OPTION(
         sotto_options, publish_accuracy, "publish-accuracy", REAL, "0", 0, 100, "", PRIVACY,
         "epsilon, beyond that of the training, of a published count of right answers about test nodes, with "
         "noise; 0: none"),
     .adjacencies = SOTTO_I_NODE},
};
const sotto_i_option_rows sotto_i_privacy_rows = SOTTO_I_ROWS(privacy_rows);

static const sotto_i_option published_rows[] = {
    {SOTTO_I_OPTION(sotto_options, as_published, "as-published", SWITCH, "false", 0, 0, "", RUN,
                    "as the method's paper has it: network, rates, batches, sampling, and noise by its own "
                    "claim; an option that is given beside it counts instead"),
     .common = true},
};
const sotto_i_option_rows sotto_i_published_rows = SOTTO_I_ROWS(published_rows);

/* The members of a run of several parties. */
static const sotto_i_option member_rows[] = {
    {SOTTO_I_OPTION(sotto_options, holders, "holders", COUNT, "2", 1, 16, "", PARTIES,
                    "how many hold columns and edges"),
     .common = true},
    {SOTTO_I_OPTION(sotto_options, label_holder, "label-holder", COUNT, "1", 1, 16, "", PARTIES,
                    "which of them has labels; one more than holders: a party that has labels alone")},
    {SOTTO_I_OPTION(sotto_options, clients, "clients", COUNT, "10", 2, 1024, "", PARTIES,
                    "how many clients hold data"),
     .common = true},
    {SOTTO_I_OPTION(
        sotto_options, least_clients, "least-clients", COUNT, "0", 0, 1024, "", PARTIES,
        "between parties: how many must stay for the rounds to continue without the others; 0: all")},
};
const sotto_i_option_rows sotto_i_member_rows = SOTTO_I_ROWS(member_rows);

static const sotto_i_option party_rows[] = {
    {SOTTO_I_OPTION(sotto_options, wire, "wire", WORD, "float32", 0, 0, SOTTO_FORMAT_WORDS, PARTIES,
                    "number format of releases on the wire")},
    {SOTTO_I_OPTION(sotto_options, idle_limit, "idle-limit", REAL, "30", 0.3, 3600, "", PARTIES,
                    "seconds of silence after which a connection is given up")},
    {SOTTO_I_OPTION(
        sotto_options, grace, "grace", REAL, "600", 0.1, 31536000, "", PARTIES,
        "seconds without a connection after which the run is given up; with least-clients: without a "
        "client's answer, after which it is left out")},
    {SOTTO_I_OPTION(sotto_options, ids, "ids", TEXT, "", 0, 0, "", PARTIES,
                    "file of the common ids, one a line, or a table with a column id: these rows are taken, "
                    "in this order"),
     .local = true},
    {SOTTO_I_OPTION(sotto_options, record_wire, "record-wire", SWITCH, "false", 0, 0, "", PARTIES,
                    "keep what each party here received in the run folder, for an audit from its view"),
     .local = true},
};
const sotto_i_option_rows sotto_i_party_rows = SOTTO_I_ROWS(party_rows);
