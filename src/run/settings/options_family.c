/* Which method protects what, and what the methods of one owner ask of their options. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/layers_then_classify/caribou_paper.h"
#include "methods/vesper/as_published/vesper_paper.h"
#include "options.h"
#include "run/method.h"

static const struct {
  const char *method, *adjacencies, *advice;
} rows[] = {
    {"vesper", "none edge node", "it protects edges or nodes"},
    {"gap", "none edge node", "it protects edges or nodes"},
    {"caribou", "none edge node", "it protects edges or nodes"},
    {"mlp", "none edge node", "it uses no edge, and protects nodes"},
    {"gnn", "none edge", "it is never private; the private forms are vesper and pertgraph"},
    {"fedavg", "none", "it adds no noise; --secure-aggregation hides each client among the others"},
    {"gwldp", "none graph", "it protects the embeddings of whole graphs: give --adjacency graph"},
    {"federated", "none", "it adds no noise; --secure-aggregation hides each client among the others"},
    {"globsage", "none", "one owner trains it without noise"},
    {"locsage", "none", "each client trains by itself without noise"},
    {"fedsage", "none", "it adds no noise; --secure-aggregation hides each client among the others"},
    {"fedsage+", "none", "it adds no noise; --secure-aggregation hides each client's updates"},
    {"feddep", "none", "models are averaged without noise; --prototype-noise is that of prototypes"},
    {"vfgnn", "none edge", "it protects edges"},
    {"securegnn", "none edge", "it adds no noise"},
    {"sage", "none node", "give --adjacency none or node, or --method pertgraph for edge level"},
    {"pertgraph", "none edge node", "it protects edges or nodes"},
    {"dpdgc", "none edge k-neighbour node", "it protects edges or nodes"},
    {"lpgnet", "none edge node", "it protects edges or nodes"},
    {"best", "none edge", "it protects edges"},
};

/* Rows from here on are methods whose budget is checked here. */
enum { first_of_family = 15 };

/* Where an audit has a party's view. */
static sotto_status check_record(const sotto_options *o, sotto_error *err) {
  const bool two = sotto_i_word_among(o->method, "vesper mlp");
  if (!o->record_wire || sotto_i_word_among(o->method, "fedavg federated gwldp feddep fedsage"))
    return SOTTO_OK;
  if (strcmp(o->method, "vfgnn") == 0 && o->batch_size == 0) return SOTTO_OK;
  if (two && !sotto_i_vesper_as_paper(o) && strcmp(o->adjacency, "node") != 0) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_UNSUPPORTED,
      "record-wire: of the parties of vesper and mlp below node level and with sound "
      "accounting, of vfgnn without mini-batches, and of fedavg, gwldp, feddep and fedsage; not "
      "of this %s",
      o->method);
}

/* At node level all that leaves the data party is noisy, and nothing comes back to it. */
static sotto_status check_vesper_node(const sotto_options *o, sotto_error *err) {
  if (o->releases > 1 || o->layer_weights || o->label_edges > 0 || strcmp(o->publication, "layers") != 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "releases, layer-weights, label-edges, publication: at node level vesper trains nothing at the data "
        "party, which releases once and has all edges; leave them out");
  if (sotto_i_option_changed(o, "release-share"))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "release-share: vesper's layers have what encoder-share leaves of the budget");
  return SOTTO_OK;
}

/* What the authors' form has no place for. */
static sotto_status check_vesper_paper(const sotto_options *o, sotto_error *err) {
  static const char *const foreign[] = {
      "releases",      "layer-weights", "publication",   "label-epsilon", "label-features",    "label-edges",
      "release-width", "constant",      "release-scale", "patience",      "release-activation"};
  if (strcmp(o->adjacency, "node") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "accounting: paper is of edges; node level has sound alone");
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (sotto_i_option_changed(o, foreign[i]))
      return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: has no meaning with --accounting paper", foreign[i]);
  if (strcmp(o->aggregator, "mean") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "aggregator: with --accounting paper gin or gcn");
  if (strcmp(o->aggregator, "gcn") == 0 && o->degree_floor < 2)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "degree-floor: with --accounting paper it is the least degree of proposition 2, at least 2");
  if (o->layers > SOTTO_I_PAPER_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: with --accounting paper at most %d", SOTTO_I_PAPER_LAYERS);
  return SOTTO_OK;
}

static sotto_status check_accounting(const sotto_options *o, sotto_error *err) {
  if (strcmp(o->accounting, "sound") == 0 || strcmp(o->method, "vfgnn") == 0) return SOTTO_OK;
  if (sotto_i_caribou_as_paper(o)) return sotto_i_caribou_paper_check(o, err);
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "accounting: paper is a form of vesper, vfgnn and caribou; %s has sound alone",
                      o->method);
}

static sotto_status check_vesper(const sotto_options *o, sotto_error *err) {
  bool two_parties = strcmp(o->method, "vesper") == 0 || strcmp(o->method, "mlp") == 0;
  if ((o->label_epsilon > 0 || o->label_features > 0) && (!two_parties || strcmp(o->adjacency, "node") == 0))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-epsilon, label-features: vesper and mlp have two parties, below node level "
                        "(there no label leaves the label party)");
  if (o->label_edges > 0 && strcmp(o->method, "vesper") != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "label-edges: of two parties with edges, which vesper has alone");
  if (strcmp(o->method, "vesper") != 0) return check_accounting(o, err);
  if (sotto_i_vesper_as_paper(o)) return check_vesper_paper(o, err);
  if (sotto_i_vesper_at_node_level(o)) return check_vesper_node(o, err);
  if (o->label_edges > 0 && o->layers > 32)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "layers: at most 32 with label-edges, since both parties have as many");
  if (strcmp(o->publication, "layers") != 0 && (o->releases > 1 || o->layer_weights))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "publication: gap and vfgnn are baselines with one release and no layer-weights");
  if (o->releases > 1 && (strcmp(o->release_scale, "raw") != 0 || strcmp(o->release_activation, "none") != 0))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "releases: gradients go back through layers as the noise left them; with more than "
                        "one release give --release-scale raw and --release-activation none");
  return SOTTO_OK;
}

/* Parts of one graph. */
static sotto_status check_parts(const sotto_options *o, sotto_error *err) {
  bool alone = sotto_i_word_among(o->method, "globsage locsage");
  if (strcmp(o->aggregator, "mean") != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "aggregator: %s has mean alone", o->method);
  if (alone && (o->secure_aggregation || o->prox_mu > 0 || o->server_momentum > 0 || o->fraction < 1))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "secure-aggregation, prox-mu, server-momentum, fraction: %s averages nothing",
                        o->method);
  if (o->prototype_noise > 0 && (strcmp(o->method, "feddep") != 0 || o->prototypes == 0))
    return sotto_i_fail(err, SOTTO_INVALID, "prototype-noise: is of feddep, with prototypes");
  if (o->prototype_noise > 0 && (o->max_degree == 0 || strcmp(o->mend, "embeddings") != 0))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "prototype-noise: needs --max-degree, the declared bound on the neighbours of a node, and "
        "--mend embeddings");
  if (o->prototype_noise > 0 && !(o->delta > 0 && o->delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta: must be between 0 and 1");
  return SOTTO_OK;
}

/* A round that is done again, for a client that came back, has to have the same clients where sums hide them.
 */
static sotto_status check_least_clients(const sotto_options *o, sotto_error *err) {
  if (!sotto_i_word_among(o->method, "fedavg federated fedsage"))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "least-clients: %s has no rounds that go on without a client",
                        o->method);
  if (o->secure_aggregation)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "least-clients: not with secure-aggregation, since two sums of a round, of which one "
                        "is without a client, show what that client sent");
  if (o->least_clients > o->clients)
    return sotto_i_fail(err, SOTTO_RANGE, "least-clients: %llu are more than the %llu clients",
                        (unsigned long long)o->least_clients, (unsigned long long)o->clients);
  return SOTTO_OK;
}

static sotto_status check_federated(const sotto_options *o, sotto_error *err) {
  bool federated = sotto_i_method_find(o->method)->federated, parts = sotto_i_has_parts(o);
  if (!parts && o->fan_out > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "fan-out: of methods over parts of a graph (fedsage, feddep)");
  if (o->least_clients > 0) {
    sotto_status status = check_least_clients(o, err);
    if (status != SOTTO_OK) return status;
  }
  if (!federated) return SOTTO_OK;
  if (!parts && strcmp(o->aggregator, "mean") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "aggregator: %s has gcn and gin", o->method);
  if (strcmp(o->feature_scale, "standard") == 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "feature-scale: means of columns would have to go round the clients; take l2 or none");
  if (strcmp(o->select_by, "accuracy") != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "select-by: federated methods count right answers: accuracy");
  if (o->patience > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "patience: federated methods take all --rounds");
  if (o->local_momentum > 0 && strcmp(o->optimiser, "sgd") != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "local-momentum: is that of --optimiser sgd");
  if (strcmp(o->deal, "communities") == 0 && sotto_i_option_given(o, "deal") &&
      (o->dirichlet > 0 || o->client_list[0] != '\0'))
    return sotto_i_fail(err, SOTTO_INVALID, "deal: communities goes with neither dirichlet nor client-list");
  if (o->client_list[0] != '\0' && o->dirichlet > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "client-list says who has what: leave dirichlet out");
  if (strcmp(o->adjacency, "none") == 0 && strcmp(o->method, "gwldp") == 0 && isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_INVALID, "adjacency: none goes with --epsilon inf, which adds no noise");
  return parts ? check_parts(o, err) : SOTTO_OK;
}

static sotto_status check_node_level(const sotto_options *o, sotto_error *err) {
  if (strcmp(o->feature_scale, "standard") == 0)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "feature-scale: the means of columns tell of every node; at node level take l2 or none");
  if (!(o->batch_rate > 0)) return sotto_i_fail(err, SOTTO_RANGE, "batch-rate: must be above 0");
  if (!isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be finite at node level; give --adjacency none");
  if (strcmp(o->method, "mlp") == 0) return SOTTO_OK;
  if (o->max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "max-degree: node level of %s needs a declared bound on the neighbours of a node",
                        o->method);
  if (strcmp(o->method, "vesper") != 0 && o->encoder_share + o->release_share > 0.99)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "encoder-share and release-share leave no budget for the classifier");
  if (strcmp(o->combine, "cat") != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "combine: node level has cat alone");
  return SOTTO_OK;
}

/* Options about degrees, at any level. */
static sotto_status check_degree_options(const sotto_options *o, sotto_error *err) {
  if (!o->degree_cut) return SOTTO_OK;
  if (o->max_degree == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "degree-cut: give --max-degree, the bound to cut to");
  if (strcmp(o->adjacency, "edge") == 0 || strcmp(o->adjacency, "k-neighbour") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "degree-cut: edge level needs no bound on degrees, and cutting breaks its guarantee");
  return SOTTO_OK;
}

sotto_status sotto_i_options_check_family(const sotto_options *o, sotto_error *err) {
  bool family = false;
  sotto_status status = check_record(o, err);
  if (status == SOTTO_OK) status = check_vesper(o, err);
  if (status == SOTTO_OK) status = check_federated(o, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(o->method, rows[i].method) != 0) continue;
    family = i >= first_of_family;
    if (!sotto_i_word_among(o->adjacency, rows[i].adjacencies))
      return sotto_i_fail(err, SOTTO_UNSUPPORTED, "adjacency: %s does not protect '%s': %s", o->method,
                          o->adjacency, rows[i].advice);
  }
  bool node = strcmp(o->adjacency, "node") == 0;
  status = check_degree_options(o, err);
  if (status != SOTTO_OK) return status;
  if (!node && (!family || strcmp(o->adjacency, "none") == 0)) return SOTTO_OK;
  if (!(o->epsilon > 0)) return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be above 0, or inf");
  if (!(o->delta > 0 && o->delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta: must be between 0 and 1");
  return node ? check_node_level(o, err) : SOTTO_OK;
}
