/* Defaults that are a method's own, where they are not those of the list of options. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "methods/layers_then_classify/caribou_paper.h"
#include "options.h"
#include "run/method.h"

/* `aggregator` narrows a row to runs with that one; NULL: all. Rows that set the aggregator come first. */
static const struct {
  const char *method, *aggregator, *key, *value;
} rows[] = {
    /* Kipf and Welling 2017 */
    {"gnn", "gcn", "epochs", "200"},
    {"gnn", "gcn", "weight-decay", "5e-4"},
    {"gnn", "mean", "epochs", "200"},
    {"gnn", "mean", "weight-decay", "5e-4"},
    {"sage", NULL, "epochs", "200"},
    {"sage", NULL, "weight-decay", "5e-4"},
    {"pertgraph", NULL, "epochs", "200"},
    {"pertgraph", NULL, "weight-decay", "5e-4"},
    {"best", NULL, "epochs", "150"},
    /* Zhou et al. 2021 */
    {"vfgnn", NULL, "aggregator", "mean"},
    {"vfgnn", NULL, "activation", "tanh"},
    {"vfgnn", NULL, "decoder-activation", "sigmoid"},
    {"vfgnn", NULL, "epochs", "200"},
    {"vfgnn", NULL, "weight-decay", "5e-3"},
    {"vfgnn", NULL, "learning-rate", "0.003"},
    {"vfgnn", NULL, "layers", "4"},
    {"vfgnn", NULL, "patience", "50"}, /* chosen on validation nodes of cora and citeseer, as hop-rate */
    {"securegnn", NULL, "aggregator", "mean"},
    {"securegnn", NULL, "weight-decay", "5e-3"}, /* on validation nodes of both, as the next two */
    {"securegnn", NULL, "first-rate", "1"},
    {"securegnn", NULL, "hop-rate", "0.1"},
    /* chosen on validation nodes of amazon computers */
    {"caribou", NULL, "aggregator", "gcn"},
    {"caribou", NULL, "feature-scale", "none"},
    {"caribou", NULL, "epochs", "200"},
    {"caribou", NULL, "degree-floor", "100"},
    /* paper 004, section 4 */
    {"fedavg", NULL, "aggregator", "gcn"},
    {"fedavg", NULL, "adjacency", "none"},
    {"fedavg", "gcn", "hidden", "16"},
    {"fedavg", "gcn", "weight-decay", "5e-4"},
    {"fedavg", "gin", "layers", "5"},
    {"gwldp", NULL, "aggregator", "gcn"},
    {"gwldp", NULL, "adjacency", "graph"},
    {"gwldp", NULL, "epsilon", "0"}, /* 1 / |V| */
    {"gwldp", "gcn", "hidden", "16"},
    {"gwldp", "gcn", "weight-decay", "5e-4"},
    {"gwldp", "gin", "layers", "5"},
    {"federated", NULL, "aggregator", "gcn"},
    {"federated", NULL, "adjacency", "none"},
    {"federated", "gcn", "hidden", "16"},
    {"federated", "gcn", "weight-decay", "5e-4"},
    {"federated", "gin", "layers", "5"},
};

static void fall_back(sotto_options *options, const sotto_options *asked, const char *key,
                      const char *value) {
  if (sotto_i_option_given(asked, key)) return;
  SOTTO_I_CHECK(sotto_options_set(options, key, value, NULL) == SOTTO_OK);
}

/* Defaults that go with privacy, chosen on validation nodes (docs/methods.md). */
static void resolve_privacy(sotto_options *options, const sotto_options *asked) {
  bool privacy = sotto_i_job_wants_privacy(options);
  bool caribou = strcmp(options->method, "caribou") == 0;
  /* A second sum costs the first one noise, and tells less than that. */
  bool edges = strcmp(options->adjacency, "edge") == 0;
  if (privacy && (strcmp(options->method, "gap") == 0 || (caribou && edges)))
    fall_back(options, asked, "layers", "1");
  /* Each hop multiplies how many rows an edge moves. */
  if (privacy && strcmp(options->method, "vfgnn") == 0) fall_back(options, asked, "layers", "1");
  if (sotto_i_caribou_as_paper(options)) fall_back(options, asked, "degree-floor", "0");
  if (privacy || !caribou) return;
  /* A floor bounds what an edge can change, and few columns bound the noise: of use for noise alone. */
  fall_back(options, asked, "degree-floor", "0");
  fall_back(options, asked, "hidden", "128");
}

/* What of the budget a second round of counts takes from the first is worth it where there is plenty; and
 * where there is little, a third of the training nodes to fit on is enough, and the other ends of edges hear
 * more. */
static void resolve_best(sotto_options *options, const sotto_options *asked) {
  bool privacy = sotto_i_job_wants_privacy(options);
  fall_back(options, asked, "layers", privacy && options->epsilon < 12 ? "1" : "2");
  if (privacy && options->epsilon / (double)options->layers <= 2)
    fall_back(options, asked, "fit-share", "0.33");
}

/* A floor of at least max-degree makes all weights alike, which is what node level can bound best. */
static void resolve_node(sotto_options *options, const sotto_options *asked) {
  char floor_degree[24];
  (void)snprintf(floor_degree, sizeof floor_degree, "%llu", (unsigned long long)options->max_degree);
  fall_back(options, asked, "degree-floor", floor_degree);
  fall_back(options, asked, "weight-decay", "0");
  /* Own rows tell more than sums over neighbours at the noise of this level (docs/methods.md). */
  if (!sotto_i_vesper_at_node_level(options)) return;
  fall_back(options, asked, "layers", "1");
  fall_back(options, asked, "encoder-share", "0.5");
}

/* Paper 000, appendix C.4; passes over the training nodes. */
static void resolve_paper(sotto_options *options, const sotto_options *asked) {
  fall_back(options, asked, "epochs", "5");
  fall_back(options, asked, "activation", "relu");
}

/* Zhang et al. 2021, section 5, where it says so; the rest chosen on validation nodes (docs/feddep.md). */
static void resolve_parts(sotto_options *options, const sotto_options *asked) {
  fall_back(options, asked, "aggregator", "mean");
  fall_back(options, asked, "adjacency", "none");
  fall_back(options, asked, "deal", "communities");
  fall_back(options, asked, "fan-out", "5");
  fall_back(options, asked, "batch-size", "64");
  fall_back(options, asked, "rounds", "50");
  fall_back(options, asked, "learning-rate", "0.03");
  if (options->embed_epochs == 0) fall_back(options, asked, "cross-fit", "1"); /* no label is in embeddings */
  if (strcmp(options->method, "feddep") == 0) fall_back(options, asked, "missing-weight", "10");
  if (strcmp(options->method, "fedsage+") == 0) fall_back(options, asked, "generator-epochs", "20");
}

void sotto_options_resolve(sotto_options *options) {
  const sotto_options asked = *options;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].method, options->method) != 0) continue;
    if (rows[i].aggregator != NULL && strcmp(rows[i].aggregator, options->aggregator) != 0) continue;
    fall_back(options, &asked, rows[i].key, rows[i].value);
  }
  if (sotto_i_has_parts(options)) resolve_parts(options, &asked);
  resolve_privacy(options, &asked);
  if (strcmp(options->method, "best") == 0) resolve_best(options, &asked);
  if (strcmp(options->method, "vesper") == 0 && options->releases > 1)
    fall_back(options, &asked, "release-scale", "raw");
  if (sotto_i_vesper_as_paper(options)) resolve_paper(options, &asked);
  if (strcmp(options->adjacency, "node") == 0) resolve_node(options, &asked);
  memcpy(options->given, asked.given, sizeof options->given);
}
