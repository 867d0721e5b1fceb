/* The statement of two parties: who sees what, the label party's own accounts, and the published claim. */
#include "run/statement/statement.h"

#include <math.h>
#include <string.h>

#include "run/method/method.h"
#include "statement.h"
#include "vesper_features_once.h"

static const char choice[] =
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger";
static const char time_taken[] = "side channels such as the time that a party takes";

static const char *const edge_public[] = {
    "node ids and their number",
    "node features and what follows from them, which this adjacency does not protect",
    "which nodes are in the training, validation and test parts",
    "hyper-parameters, the degree floor among them", NULL};
static const char *const labels_open[] = {"labels: the data party sees gradients that depend on them",
                                          "node features against the label party", choice, time_taken, NULL};
static const char *const labels_open_to_holders[] = {
    "labels: every holder sees gradients and predicted classes that depend on them",
    "node features against the label party, and against other holders what its messages show of them", choice,
    time_taken, NULL};
static const char *const labels_in_weights[] = {"labels: the data party gets weights that depend on them",
                                                "node features against the label party", choice, time_taken,
                                                NULL};
static const char *const labels_reported[] = {
    "labels beyond the epsilon under `labels`; how often each class is among them is not hidden",
    "node features against the label party", choice, time_taken, NULL};
static const char *const node_public[] = {
    "node ids and their number, and how many columns the features have",
    "hyper-parameters, clipping norms and the random matrix that maps features among them", NULL};
static const char *const node_uncovered[] = {
    "labels: they never leave the label party, and its model, which depends on them, is in its owner-only/",
    "what the label party knows of a node otherwise", choice, time_taken, NULL};
static const char *const published_uncovered[] = {
    "the data party's weights: they follow from edges without noise, and must not be shown to anyone",
    "labels: in the published protocol the data party sees gradients that depend on them",
    "node features against the label party",
    choice,
    time_taken,
    NULL};

/* At edge level features are assumed to be public. Embeddings of them are sent anyway, and an owner may
 * disagree with the assumption: so they have a verdict. */
static void add_features(sotto_i_description *out, const sotto_report *report) {
  const bool once = sotto_i_shares_features(report->options) && !report->result->of_answers;
  sotto_i_describe_bare(
      out,
      &(sotto_i_bare){"features, embeddings.train, embeddings.validation, embeddings.test, embeddings.all, "
                      "embeddings.asked",
                      "features", "label",
                      once ? "the features themselves, a byte a value" : "embeddings of them", "data"});
}

/* With --label-epsilon all messages follow from reported labels, which have a verdict, and from the label
 * party's own features. */
static void add_labels(sotto_i_description *out, const sotto_report *report) {
  const sotto_options *o = report->options;
  const bool reported = report->result->label_epsilon > 0, features = o->label_features > 0,
             answers = report->result->of_answers, once = sotto_i_shares_features(o);
  const bool counts =
      sotto_i_variant_of(o)->word != NULL && strcmp(sotto_i_variant_of(o)->word, "counts") == 0;
  sotto_i_bare bare = {
      "gradients.train, gradients.layers, encoder.weights, decision, clusters, clusters.kind, "
      "clusters.weights, edges.expected, rounds, chosen",
      "labels", "data",
      answers  ? "predicted classes that depend on them"
      : once   ? "weights of encoders and predicted classes that depend on them"
      : counts ? "gradients and predicted classes that depend on them"
               : "gradients and validation decisions that depend on them",
      "label"};
  if (answers && !counts) return; /* the label party sends only numbers of nodes */
  if (features) bare.what = reported ? "features" : "labels and features";
  if (reported && !features) bare.what = NULL;
  sotto_i_describe_bare(out, &bare);
}

/* Each holder releases counts of its own edges to the label party alone, and answers for them alone. */
static void describe_holders(sotto_i_description *out, const sotto_report *report) {
  *out = (sotto_i_description){
      .adversary =
          "the label party, semi-honest, which knows the nodes, all features and all labels; and each "
          "other holder, semi-honest, which receives from it what follows from releases",
      .means =
          "one edge of one holder; the edges of another holder are that one's data, with its own epsilon",
      .assumed = edge_public,
      .uncovered = labels_open_to_holders,
      .first = "holder",
      .second = "label"};
  sotto_i_describe_bare(
      out, &(sotto_i_bare){"embeddings.train, embeddings.validation, embeddings.test, embeddings.all",
                           "features", "label", "embeddings of them", "holder"});
  sotto_i_describe_bare(out, &(sotto_i_bare){"gradients.train, decision, clusters", "labels", "holder",
                                             "gradients and predicted classes that depend on them", "label"});
  if (!sotto_i_statement_releases(report))
    sotto_i_describe_bare(out, &(sotto_i_bare){.payloads = "counts", .role = "holder"});
}

/* Without noise the verdict of the edges says so. */
static void add_edges(sotto_i_description *out) {
  sotto_i_describe_bare(out, &(sotto_i_bare){.payloads = "layer, layer.asked, counts", .role = "data"});
}

void sotto_i_describe_two_parties(sotto_i_description *out, const sotto_report *report) {
  const sotto_options *o = report->options;
  const bool node = o->adjacency == SOTTO_ADJACENCY_NODE, published = o->accounting == SOTTO_ACCOUNTING_PAPER;
  const char *const *uncovered = report->result->label_epsilon > 0 ? labels_reported
                                 : sotto_i_shares_features(o)      ? labels_in_weights
                                                                   : labels_open;
  if (sotto_i_variant_of(o)->one_owner) {
    sotto_i_describe_owner(out, report);
    return;
  }
  if (sotto_i_labels_join(o)) {
    describe_holders(out, report);
    return;
  }
  *out = (sotto_i_description){
      .adversary = node || published
                       ? "the label party, semi-honest, which knows the nodes and all labels; and anyone to "
                         "whom it shows what it received"
                       : "the label party, semi-honest, which knows the nodes, their features and all labels",
      .means =
          node ? "one node's features and any of its edges are others; labels are the label party's" : NULL,
      .assumed = node ? node_public : edge_public,
      .uncovered = node        ? node_uncovered
                   : published ? published_uncovered
                               : uncovered,
      .first = "data",
      .second = "label"};
  if (node) return; /* the data party sends only noisy rows and sums, and the label party nothing */
  if (!published) add_features(out, report); /* as published, the label party sees only rows with noise */
  add_labels(out, report);
  if (!sotto_i_statement_releases(report)) add_edges(out);
}

/* The label party's own account. */
static json_t *labels_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  if (!(r->label_epsilon > 0)) return json_null();
  if (!(r->label_flip > 0))
    return json_pack("{s:f,s:s,s:s,s:s}", "epsilon", r->label_epsilon, "mechanism", "randomized-response",
                     "adversary", "this party", "what",
                     "the label party answers for its labels, and charges them to its own ledger");
  return json_pack(
      "{s:f,s:f,s:I,s:s,s:f,s:I,s:s,s:s,s:s,s:s,s:b}", "epsilon", r->label_epsilon, "epsilon_planned",
      r->label_epsilon_planned, "charges_made", (json_int_t)r->made.label_charges, "mechanism",
      "randomized-response", "flip_probability", r->label_flip, "choices", (json_int_t)report->data->classes,
      "adjacency", "the label of one node", "adversary",
      "the data party, semi-honest, which knows graph and features", "what",
      "every label is reported once for the whole run; gradients and validation decisions follow from "
      "reported labels alone",
      "true_labels",
      r->releases > 1
          ? "used by the decoder of the last release, and for measures, after which nothing is sent"
          : "used by the decoder, which stays with the label party, and for its measures",
      "insecure", report->options->insecure_seed != SOTTO_UNSET);
}

/* The label party's account of its own edges. Its releases have the same plan as the data party's. */
static json_t *label_edges_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  const sotto_made *m = &r->made;
  if (!r->label_edges || !r->private_edges) return json_null();
  const bool here = m->label_edge_charges > 0;
  return json_pack(
      "{s:o,s:o,s:o,s:o,s:s,s:s,s:s,s:f,s:f,s:f,s:I}", "epsilon",
      sotto_i_json_number(here ? m->label_edge_epsilon : r->epsilon_planned), "total_epsilon",
      sotto_i_json_number(here ? m->label_edge_total : r->total_planned), "epsilon_planned",
      sotto_i_json_number(r->epsilon_planned), "charges_made",
      here ? json_integer((json_int_t)m->label_edge_charges) : json_null(), "mechanism", "gaussian",
      "adversary", "the data party, semi-honest, which knows its own graph, all features and all labels",
      "what",
      "noisy layers of message passing over the label party's own edges; its decoder, and all that "
      "it sends after it read them, follows from these",
      "sensitivity", r->plan.sensitivity, "noise", r->plan.grid.sigma, "mu", r->plan.mu, "releases",
      (json_int_t)r->seed_count * (json_int_t)r->releases);
}

static const char *const faults[] = {
    "batches: theorem 2.1 counts on a secret sample of roots; the label party, which is the adversary, knows "
    "the batch, since it looks up its labels",
    "edges of a batch: the theorem's proof replaces a batch by edges drawn uniformly and independently; "
    "those of a batch come together",
    "gradients: they go back through the private layers, so one edge moves the weights and with them every "
    "row of every later step; steps do not add up as the theorem has them",
    "neighbour cap: where a node has more neighbours than are sampled, another takes the place of one that "
    "is removed: 2 at each end, where 1 is counted",
    "weights: one step of power iteration gives a norm that is not an upper bound",
    "measuring: rows of all nodes are released once more, from which nodes are classified; the claim leaves "
    "them out",
    NULL};
static const char *const truncation_faults[] = {
    "truncation: a node whose degree crosses the least degree changes branch, which moves its row by more "
    "than proposition 2 says (2.22 against 0.205 at least degree 10)",
    "truncation: neighbours may still have low degrees, and the rows of the ends' other neighbours change "
    "too (0.3025 against 0.205 for a star of 11)",
    NULL};

static json_t *claim_json(const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_paper_claim *c = &report->result->cost.claim;
  json_t *why = sotto_i_json_strings(faults);
  for (size_t i = 0; o->aggregator == SOTTO_LAYER_GCN && truncation_faults[i] != NULL; i++)
    json_array_append_new(why, json_string(truncation_faults[i]));
  return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:I,s:I,s:o}", "source", "VESPER, theorem 2.1",
                   "epsilon", c->epsilon, "delta", o->delta, "noise", c->noise, "sensitivity", c->sensitivity,
                   "gamma", c->gamma, "steps", (json_int_t)c->steps, "roots", (json_int_t)c->roots, "batch",
                   (json_int_t)c->batch, "fan_out", (json_int_t)o->fan_out, "layers", (json_int_t)o->layers,
                   "why_it_does_not_hold", why);
}

void sotto_i_annotate_two_parties(json_t *statement, const sotto_report *report) {
  json_object_set_new(statement, "labels", labels_json(report));
  json_object_set_new(statement, "label_edges", label_edges_json(report));
  if (report->result->cost.claim.epsilon > 0) json_object_set_new(statement, "claim", claim_json(report));
}
