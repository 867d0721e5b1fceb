/* VFGNN: several holders of columns and edges, a neutral server, the first layer under secret shares. And
 * securegnn: the same network with all layers under shares. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/attack.h"
#include "audit/canary.h"
#include "base/error.h"
#include "base/memory.h"
#include "graph/features.h"
#include "inside/audit.h"
#include "nn/readings.h"
#include "options.h"
#include "protocols/counts.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/parties/wire_log.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/statement/statement.h"
#include "vfgnn.h"
#include "vfgnn_work.h"

static const char sees_published[] =
    "the rows that each holder published, on the average over all epochs; holders are judged together";
static const char sees_counts[] =
    "how many neighbours of each node in each cluster each holder released; holders are judged together";
static const char sees_features[] =
    "the holders' features, which the server does not have: what similar features reveal without any edge";

typedef struct published {
  sotto_matrix
      mean[SOTTO_MOST_HOLDERS]; /* over all epochs: noise averages out, and what every epoch has stays */
  sotto_dataset parts[SOTTO_MOST_HOLDERS]; /* owned; empty if one holder has everything */
  sotto_matrix dense[SOTTO_MOST_HOLDERS];  /* dense copies of holders' sparse features */
} published;

static void free_published(published *p) {
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++) {
    sotto_matrix_free(&p->mean[i]);
    sotto_matrix_free(&p->dense[i]);
    sotto_dataset_free(&p->parts[i]);
  }
  sotto_i_free(p);
}

static bool is_published(const char *name, const char *payload) {
  const char *what = name == NULL ? NULL : strchr(name, ' ');
  return what != NULL && strcmp(what + 1, payload) == 0;
}

static sotto_status add_epoch(sotto_matrix *sum, const sotto_matrix *rows, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (sum->data == NULL) status = sotto_matrix_new(sum, rows->rows, rows->cols, err);
  for (size_t i = 0; status == SOTTO_OK && i < sum->rows * sum->cols; i++) sum->data[i] += rows->data[i];
  return status;
}

/* Counts of pilots have a row a pilot, and later ones may be by other clusters: these are left out. */
static bool is_comparable(const sotto_dataset *payload, const sotto_matrix *sum, size_t nodes) {
  return payload->features.rows == nodes && (sum->data == NULL || payload->features.cols == sum->cols);
}

/* The mean of all payloads of this name, each with a row a node. */
static sotto_status read_holder(sotto_matrix *mean, uint32_t holder, const char *name, size_t nodes,
                                const char *folder, sotto_error *err) {
  const sotto_i_wire_end end = {SOTTO_ROLE_SERVER, holder + 1};
  size_t epochs = 0;
  bool found = true;
  for (uint64_t number = 1; found; number++) {
    sotto_dataset payload = {0};
    sotto_status status = sotto_i_wire_log_read(&payload, &found, folder, end, number, err);
    if (status == SOTTO_OK && found && is_published(payload.name, name) &&
        is_comparable(&payload, mean, nodes)) {
      status = add_epoch(mean, &payload.features, err);
      epochs++;
    }
    sotto_dataset_free(&payload);
    if (status != SOTTO_OK) return status;
  }
  if (epochs == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no recorded wire; train it with record-wire", folder);
  for (size_t i = 0; i < mean->rows * mean->cols; i++) mean->data[i] /= (float)epochs;
  return SOTTO_OK;
}

static sotto_status add_finding(sotto_i_attacked *a, const sotto_received *from, const char *variant,
                                const char *sees, sotto_error *err) {
  sotto_finding *f = sotto_i_finding(a, "received", variant, sees, err);
  if (f == NULL) return SOTTO_RANGE;
  return sotto_attack_received(&f->attacked, from, (size_t)a->options->holders, &a->ask.link, err);
}

static sotto_status vfgnn_attack(sotto_i_attacked *a, const char *folder, sotto_error *err) {
  const size_t holders = (size_t)a->options->holders;
  const bool counts = sotto_i_vfgnn_by_counts(a->options);
  const sotto_i_job job = {.options = a->options, .data = a->data, .seed = a->out->seed};
  sotto_received rows[SOTTO_MOST_HOLDERS], own[SOTTO_MOST_HOLDERS];
  published *p = NULL;
  sotto_status status = sotto_i_new(&p, 1, sizeof *p, err);
  if (status != SOTTO_OK) return status;
  if (holders > 1) SOTTO_TRY(sotto_i_holders_deal(p->parts, &job, (size_t)a->options->label_holder - 1, err));
  for (size_t i = 0; i < holders; i++) {
    const sotto_dataset *data = holders > 1 ? &p->parts[i] : a->data;
    SOTTO_TRY(read_holder(&p->mean[i], (uint32_t)i, counts ? "counts" : "embeddings", data->graph.nodes,
                          folder, err));
    rows[i] = (sotto_received){&p->mean[i], 1, &data->graph};
    own[i] = (sotto_received){NULL, 1, &data->graph};
    SOTTO_TRY(sotto_i_features_dense(&own[i].layers, &p->dense[i], data, err));
  }
  SOTTO_TRY(add_finding(a, rows, "the server's view", counts ? sees_counts : sees_published, err));
  SOTTO_TRY(add_finding(a, own, "like features alone", sees_features, err));
done:
  free_published(p);
  return status;
}

static const char *const assumed_public[] = {
    "node ids and their number",
    "how many columns each holder has",
    "node features and what follows from them (edge-level adjacency)",
    "which nodes are in the training, validation and test parts",
    "hyper-parameters, a declared max-degree and edges-per-node among them",
    NULL};
static const char *const not_covered[] = {
    "labels: holders and server see gradients and validation decisions that depend on them",
    "node features against other parties: published rows and opened rows depend on them",
    "a server that colludes with a holder: together they know the masks and what was opened under them",
    "parties that do not follow the protocol",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that a party takes",
    NULL};
/* Under shares labels, features and edges stay with their owners, except for opened values. */
static const char *const secure_not_covered[] = {
    "features and edges against the label holder: the scores that are opened to it depend on them",
    "a server that colludes with a holder: together they know the masks and what was opened under them",
    "parties that do not follow the protocol",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that a party takes",
    NULL};
static const char *const faults[] = {
    "the noise is that of one row's sensitivity, but an edge moves the rows of all nodes near its ends",
    "weights learn through the private graph, so from the second epoch on an edge may move every row",
    "every epoch publishes all rows again: the claim is for one publication", NULL};

/* Features stay under shares, but values opened from them do not. Rows with noise are not a bare payload. */
static void add_features(sotto_i_description *out, const sotto_report *report) {
  const sotto_options *o = report->options;
  const bool opened = sotto_i_holder_settings_of(o)->initial != SOTTO_I_INITIAL_INDIVIDUALLY;
  const bool bare = sotto_i_vfgnn_by_counts(o) || !sotto_i_statement_releases(report);
  sotto_i_bare row = {.what = "features", .role = "holder"};
  if (sotto_i_vfgnn_is_secure(o)) {
    row.payloads = "scores";
    row.receives = "the label holder receives scores that depend on them";
  } else if (bare) {
    row.payloads = "initial.embeddings, weights, embeddings, hidden.train, hidden.validation, hidden.test, "
                   "hidden.all, hidden.asked";
    row.receives = opened && (!sotto_i_vfgnn_by_counts(o) || sotto_i_has_labels_apart(o))
                       ? "the server and all holders receive embeddings of them"
                       : "the server and the label holder receive embeddings of them";
  } else {
    row.payloads = "initial.embeddings, weights";
    row.receives = "all holders receive embeddings of them";
  }
  if (!bare) { /* functions of rows that were published with noise */
    sotto_i_describe_bare(out, &(sotto_i_bare){.payloads = "hidden.train, hidden.validation, hidden.test, "
                                                           "hidden.all, hidden.asked",
                                               .role = "holder"});
    if (!opened) return;
  }
  sotto_i_describe_bare(out, &row);
}

/* Under shares no labels leave their holder. */
static void add_labels(sotto_i_description *out, const sotto_options *o) {
  sotto_i_bare row = {
      .payloads =
          "gradients.hidden, gradients.embeddings, gradients.first, decision, clusters, clusters.kind",
      .what = "labels",
      .receives = "the server and all holders receive gradients that depend on them"};
  if (sotto_i_vfgnn_is_secure(o)) return;
  if (sotto_i_vfgnn_by_counts(o))
    row.receives = "the server and all holders receive gradients and predicted classes that depend on them";
  (void)snprintf(row.role, sizeof row.role, "holder%llu", (unsigned long long)o->label_holder);
  sotto_i_describe_bare(out, &row);
}

static void describe_holders(sotto_i_description *out, const sotto_report *report) {
  *out = (sotto_i_description){
      .adversary = "the server and each other holder, semi-honest, no two of them in league; each may know "
                   "nodes, features and labels",
      .assumed = assumed_public,
      .uncovered = sotto_i_vfgnn_is_secure(report->options) ? secure_not_covered : not_covered,
      .first = "holder",
      .second = "server"};
  add_features(out, report);
  add_labels(out, report->options);
  if (!sotto_i_statement_releases(report)) /* the verdict of the edges says so */
    sotto_i_describe_bare(out, &(sotto_i_bare){.payloads = "counts, counts.all", .role = "holder"});
}

static json_t *shares_json(const sotto_options *o) {
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  const bool all = sotto_i_vfgnn_is_secure(o);
  if (!all && own->initial == SOTTO_I_INITIAL_INDIVIDUALLY) return json_null();
  return json_pack(
      "{s:s,s:I,s:f,s:s}", "what",
      all ? "features, edges, labels and all weights, forward and backward; triples by the server"
          : "features and weights of the first layer, forward and backward; triples by the server",
      "fraction_bits", (json_int_t)SOTTO_I_FRACTION_BITS, "feature_bound", own->feature_bound, "assumed",
      "parties follow the protocol, and the server colludes with none");
}

/* The label holder reads the noise of all holders: the standard deviation of a sum of counts. */
static json_t *counts_json(const sotto_report *report) {
  const sotto_options *o = report->options;
  sotto_laplace_grid grid = {.scale = 0};
  double deviation = 0;
  if (report->result->private_edges && sotto_i_counts_grid(&grid, o, NULL) == SOTTO_OK)
    deviation = sotto_i_laplace_deviation(&grid) * sqrt((double)o->holders);
  return json_pack("{s:I,s:f,s:f,s:s}", "rounds", (json_int_t)o->layers, "read_share", sotto_i_read_share(o),
                   "deviation_of_a_sum", deviation, "clusters",
                   "each node's predicted class by the label holder's networks, and its confidence; all "
                   "holders receive both. Or, where pilots choose so, clusters of each holder's columns, "
                   "which nobody receives");
}

/* statement.c */
static void annotate_holders(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const bool shrinks = sotto_i_estimator_of(o) == SOTTO_I_ESTIMATOR_JAMES_STEIN;
  json_t *details = json_object_get(statement, "details");
  json_object_set_new(details, "on_shares", shares_json(o));
  if (sotto_i_vfgnn_by_counts(o))
    json_object_set_new(details, "counts", counts_json(report));
  else
    json_object_set_new(details, "estimator", json_string(shrinks ? "james-stein" : "gaussian"));
  if (!report->result->private_edges || o->accounting != SOTTO_ACCOUNTING_PAPER) return;
  json_object_set_new(statement, "claim",
                      json_pack("{s:f,s:f,s:s,s:o}", "epsilon", o->epsilon, "delta", o->delta, "source",
                                "Zhou et al. 2021, algorithm 3 and theorem 2.4", "why_it_does_not_hold",
                                sotto_i_json_strings(faults)));
}

static sotto_status check_holders(const sotto_options *o, sotto_error *err) {
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  double share[SOTTO_MOST_HOLDERS];
  if (o->layers > SOTTO_I_VFGNN_HOPS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: %s has 1 to %d", o->method, SOTTO_I_VFGNN_HOPS);
  if (o->label_holder > o->holders + 1)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "label-holder: there are %llu holders, and %llu is a party that has labels alone",
                        (unsigned long long)o->holders, (unsigned long long)o->holders + 1);
  if (o->holders == 1 && own->initial != SOTTO_I_INITIAL_INDIVIDUALLY)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "initial: one holder has nobody to share with; take 'individually'");
  return sotto_i_holders_shares(share, o, err);
}

static sotto_status check_vfgnn(const sotto_options *o, sotto_error *err) {
  if (sotto_i_estimator_of(o) == SOTTO_I_ESTIMATOR_JAMES_STEIN && o->hidden < 3)
    return sotto_i_fail(err, SOTTO_RANGE, "estimator: james-stein needs rows of 3 columns at least");
  if (o->record_wire && o->batch_size > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "record-wire: not with mini-batches (batch-size)");
  return check_holders(o, err);
}

static sotto_status check_securegnn(const sotto_options *o, sotto_error *err) {
  if (o->holders == 1) return sotto_i_fail(err, SOTTO_RANGE, "holders: one has nobody to share with");
  if (sotto_i_has_labels_apart(o))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "label-holder: the labels of securegnn are shared by a holder of columns and edges, and "
        "holder %llu would have labels alone; vfgnn takes such a party",
        (unsigned long long)o->label_holder);
  return check_holders(o, err);
}

/* Zhou et al. 2021, except patience and hop-rate: chosen on validation nodes of cora and citeseer. */
#define SHARES                                                                                               \
  { .key = "partition", .help = "in one process: alike, or the share of each holder as 5:5" }
static const sotto_i_option_change vfgnn_changes[] = {
    {.key = "feature-scale", .fallback = "suited"},
    SHARES,
    {.key = "estimator",
     .choices = "gaussian james-stein",
     .help = "the server reads noisy rows as they are, or shrinks them"},
    {.key = "adjacency", .choices = "none edge"},
    {.key = "aggregator", .fallback = "mean", .choices = "mean gin gcn gat"},
    {.key = "activation", .fallback = "tanh", .help = "of the holders' layers"},
    {.key = "epochs", .fallback = "200", .help = "epochs, and so releases of each holder, at most"},
    {.key = "weight-decay", .fallback = "5e-3"},
    {.key = "learning-rate", .fallback = "0.003"},
    {.key = "layers", .fallback = "4", .help = "hops at each holder"},
    {.key = "patience", .fallback = "50"},
    {.key = "combine", .choices = "cat mean regression", .help = "how the server joins the holders' rows"},
    {.key = "publication",
     .fallback = "rows",
     .choices = "rows counts",
     .help = "rows of all nodes in every epoch; or once, after training without edges, counts of neighbours "
             "by cluster"},
    {.key = "encoder-epochs",
     .help = "epochs of networks under shares, without edges, at most",
     .accountings = SOTTO_I_SOUND},
    {.key = "read-share", .accountings = SOTTO_I_SOUND},
    {.key = "max-degree", .help = "declared bound on the neighbours of a node; 0: none declared"},
};
/* Rows of every epoch have too much noise to be useful; each hop multiplies the number of rows that an edge
 * changes. Values for counts: chosen on validation nodes of cora (docs/vfgnn.md). */
#define COUNTS    .accountings = SOTTO_I_SOUND, .when = {SOTTO_I_WHEN("publication", "counts")}
#define PUBLISHED .when = {SOTTO_I_PUBLISHED}
static const sotto_i_option_default vfgnn_defaults[] = {
    {"accounting", "paper", PUBLISHED},        /* algorithm 3 */
    {"delta", "1e-4", PUBLISHED},              /* section 4.1, parameter settings; so are all others below */
    {"aggregator", "mean", PUBLISHED},         /* comparison methods: Mean for all models */
    {"activation", "tanh", PUBLISHED},         /* of neighbour propagation; hidden layers have sigmoid */
    {"hidden", "64", PUBLISHED},               /* d is 32, 64 or 128 */
    {"dropout", "0.5", PUBLISHED},             /* of the server's network */
    {"layers", "4", PUBLISHED},                /* K is 2 to 5 */
    {"learning-rate", "0.003", PUBLISHED},     /* 1e-2 to 1e-3 */
    {"weight-decay", "0.005", PUBLISHED},      /* 1e-2 to 1e-4 */
    {"initial", "collaboratively", PUBLISHED}, /* algorithm 2 */
    {"publication", "counts", .accountings = SOTTO_I_SOUND, .noise = SOTTO_I_WITH_NOISE},
    {"layers", "1", COUNTS, .noise = SOTTO_I_WITH_NOISE, .below = 8},
    {"layers", "2", COUNTS},
    {"layers", "1", .noise = SOTTO_I_WITH_NOISE},
    {"read-share", "0.7", COUNTS, .noise = SOTTO_I_WITH_NOISE, .round_most = 4},
    {"read-share", "0.9", COUNTS, .noise = SOTTO_I_WITH_NOISE},
    {"epochs", "150", COUNTS},
    {"learning-rate", "0.01", COUNTS},
};
/* Chosen on validation nodes of both datasets. */
static const sotto_i_option_change securegnn_changes[] = {
    {.key = "feature-scale", .fallback = "suited"},
    SHARES,
    {.key = "adjacency", .fallback = "none", .choices = "none edge", .help = "none: no noise is added"},
    {.key = "aggregator", .fallback = "mean", .choices = "mean"},
    {.key = "weight-decay", .fallback = "5e-3"},
    {.key = "learning-rate", .fallback = "1", .help = "of all weights but the hops'"},
    {.key = "hop-rate", .fallback = "0.1"},
};

/* Each holder's rows, in every epoch. */
static uint64_t releases(const sotto_options *o) {
  return o->epochs;
}

/* The server's payload in a prediction. */
static const char hidden_rows[] =
    "its last hidden layer of the nodes that are asked for, to the label holder";

/* What parties of a run that published rows send about other data. */
#define ROWS_OF_OTHERS                                                                                       \
  {                                                                                                          \
    "its columns as secret shares, and rows of all nodes that follow from all holders' columns and its own " \
    "edges, with noise where the run has some",                                                              \
        "the same", "its last hidden layer of the nodes that are asked for, to the label holder",            \
        "numbers of nodes"                                                                                   \
  }

static const sotto_i_variant vfgnn_variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .chosen = sotto_i_holders_count,
     .protocol = &sotto_i_vfgnn_counts_protocol,
     .key = "publication",
     .word = "counts",
     .without = "aggregator activation batch-size hop-rate estimator",
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_PILOTS,
     .canary = sotto_i_canary_of_counts,
     .price = sotto_i_counts_price,
     .run = sotto_i_vfgnn_run,
     .work = sotto_i_vfgnn_counts_work,
     .answer = sotto_i_vfgnn_others_answer,
     .answer_sends = "numbers of nodes",
     .other_sends =
         {"its columns as secret shares, rows of all nodes that follow from all holders' columns, and "
          "noisy counts of their neighbours",
          "the same, and the predicted class of every node",
          "its last hidden layer of all nodes, and sums of noisy counts, to the label holder",
          "the predicted class of every node, to the holders"},
     .other_bare = true},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .key = "publication",
     .word = "rows",
     .without = "encoder-epochs read-share",
     .edges = true,
     .noisy = true,
     .canaries = 1U << SOTTO_I_CANARY_ROWS,
     .canary = sotto_i_vfgnn_canary,
     .releases = releases,
     .plan = sotto_i_vfgnn_plan,
     .run = sotto_i_vfgnn_run,
     .answer = sotto_i_vfgnn_others_answer,
     .answer_sends = hidden_rows,
     .other_sends = ROWS_OF_OTHERS,
     .other_once = true,
     .other_bare = true},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_PAPER,
     .edges = true,
     .noisy = true,
     .released_as_published = true,
     .canaries = 1U << SOTTO_I_CANARY_CLAIM,
     .canary = sotto_i_vfgnn_claim_canary,
     .releases = releases,
     .plan = sotto_i_vfgnn_plan,
     .run = sotto_i_vfgnn_run,
     .answer = sotto_i_vfgnn_others_answer,
     .answer_sends = hidden_rows,
     .other_sends = ROWS_OF_OTHERS,
     .other_once = true,
     .other_bare = true},
};
static const sotto_i_variant securegnn_variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .protocol = &sotto_i_vfgnn_secure_protocol,
     .plan = sotto_i_vfgnn_plan,
     .run = sotto_i_vfgnn_run,
     .work = sotto_i_securegnn_work,
     .answer = sotto_i_vfgnn_others_answer,
     .answer_sends = "numbers of nodes",
     .other_sends =
         {"its columns and edges as secret shares, and its share of the scores of the nodes that are "
          "asked for, to the label holder",
          "its columns and edges as secret shares",
          "what products of secret shares need, which depends on no data", "numbers of nodes"},
     .other_bare = true},
};

const sotto_i_method sotto_i_method_vfgnn = {
    .name = "vfgnn",
    .summary = "noisy counts of neighbours once, or noisy rows in every epoch; features stay under shares",
    .situation = "Several firms hold columns and edges of the same nodes, with a neutral server",
    .source = "Zhou et al. 2021",
    .protects = "it protects edges",
    .topology = SOTTO_HOLDERS_AND_SERVER,
    .head = SOTTO_ACTIVATION_SIGMOID,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency accounting epsilon delta max-degree"},
                         {&sotto_i_published_rows, NULL},
                         {&sotto_i_network_rows, "aggregator layers hidden activation combine dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay batch-size"},
                         {&sotto_i_publication_rows, NULL},
                         {&sotto_i_counts_rows, NULL},
                         {&sotto_i_member_rows, "holders label-holder"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_estimator_rows, NULL},
                         {&sotto_i_holder_rows, "initial hop-rate feature-bound"},
                         {&sotto_i_party_rows, "wire idle-limit grace ids record-wire"}},
                SOTTO_I_CHANGES(vfgnn_changes),
                SOTTO_I_DEFAULTS(vfgnn_defaults)},
    .paper = &sotto_i_vfgnn_paper,
    .check = check_vfgnn,
    .attack_server = vfgnn_attack,
    .bounds = sotto_i_vfgnn_check_own,
    .open = sotto_i_vfgnn_open,
    .narrow = sotto_i_vfgnn_narrow,
    .describe = describe_holders,
    .annotate = annotate_holders,
    SOTTO_I_VARIANTS(vfgnn_variants),
};

const sotto_i_method sotto_i_method_securegnn = {
    .name = "securegnn",
    .summary = "the whole network under secret shares, without noise",
    .situation = "Several firms hold columns and edges of the same nodes, with a neutral server",
    .source = "Zhou et al. 2021",
    .protects = "it adds no noise",
    .topology = SOTTO_HOLDERS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree"},
                         {&sotto_i_network_rows, "aggregator layers hidden activation"},
                         {&sotto_i_training_rows, "epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_member_rows, "holders label-holder"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_holder_rows, "hop-rate feature-bound edges-per-node"},
                         {&sotto_i_party_rows, "idle-limit grace ids"}},
                SOTTO_I_CHANGES(securegnn_changes)},
    .check = check_securegnn,
    .bounds = sotto_i_vfgnn_check_own,
    .open = sotto_i_vfgnn_open,
    .describe = describe_holders,
    .annotate = annotate_holders,
    SOTTO_I_VARIANTS(securegnn_variants),
};
