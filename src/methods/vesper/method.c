/* VESPER: one party has the graph and features, another the labels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "as_published/vesper_paper.h"
#include "as_published/vesper_paper_answer.h"
#include "as_published/vesper_paper_canary.h"
#include "as_published/vesper_paper_layers.h"
#include "as_published/vesper_paper_plan.h"
#include "audit/canary.h"
#include "base/error.h"
#include "inside/nn.h"
#include "options.h"
#include "party/split_sample.h"
#include "party/wire/link/transport.h"
#include "pmp/publish.h"
#include "protocols/answers/predict_counts.h"
#include "protocols/answers/predict_stages.h"
#include "protocols/counts.h"
#include "protocols/counts_work.h"
#include "protocols/holders.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "statement.h"
#include "vesper.h"
#include "vesper_answer.h"
#include "vesper_features_once.h"

enum { of_second_party = 8 }; /* values for each node: the split, and clusters that were sent */

typedef struct networks {
  const sotto_i_job *job;
  sotto_i_folds folds;
  sotto_i_halves encoders, heads;
} networks;

static sotto_status open_networks(void *self, sotto_params **sets, size_t *count, const sotto_i_opening *from,
                                  sotto_error *err) {
  networks *n = self;
  sotto_status status;
  n->job = from->job;
  SOTTO_TRY(sotto_i_folds_of_answers(&n->folds, from, "encoder", err));
  SOTTO_TRY(
      sotto_i_halves_encoders(&n->encoders, n->folds.count, from->job, from->job->features->cols, 0, err));
  SOTTO_TRY(sotto_i_halves_heads(&n->heads, n->folds.count, from->job, 0, err));
  for (uint32_t k = 0; k < n->folds.count; k++) {
    sets[(*count)++] = n->encoders.params[k];
    sets[(*count)++] = n->heads.params[k];
  }
done:
  return status;
}

/* Features as both parties compute with them, in new memory. */
static sotto_status shared_rows(sotto_matrix *out, const networks *n, const sotto_matrix *x,
                                sotto_error *err) {
  const sotto_status status = sotto_i_take_columns(out, x, 0, x->cols, err);
  return status == SOTTO_OK ? sotto_i_round_shared(out, n->job->options, err) : status;
}

/* Embeddings as the label party gets them. */
static sotto_status received_rows(sotto_matrix *out, const networks *n, uint32_t k, const sotto_matrix *x,
                                  sotto_error *err) {
  sotto_matrix shared = {0};
  sotto_status status;
  SOTTO_TRY(shared_rows(&shared, n, x, err));
  SOTTO_TRY(
      sotto_i_embed_all(out, &n->encoders.mlp[k], n->encoders.params[k], &shared, &n->encoders.key[k], err));
  SOTTO_TRY(sotto_i_round_rows(out, SOTTO_I_ROUNDED, err));
done:
  sotto_matrix_free(&shared);
  return status;
}

static sotto_status head_scores(const void *self, sotto_matrix *out, const sotto_matrix *x,
                                const uint32_t *nodes, sotto_error *err) {
  const networks *n = self;
  sotto_matrix rows = {0}, own = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(out, x->rows, n->job->data->classes, err));
  for (uint32_t k = 0; k < n->folds.count; k++) {
    SOTTO_TRY(received_rows(&rows, n, k, x, err));
    SOTTO_TRY(sotto_i_embed_all(&own, &n->heads.mlp[k], n->heads.params[k], &rows, &n->heads.key[k], err));
    sotto_i_rows_to_softmax(&own);
    sotto_i_folds_add(out, &own, &n->folds, k, nodes);
    sotto_matrix_free(&rows);
    sotto_matrix_free(&own);
  }
  sotto_i_to_logarithms(out);
done:
  sotto_matrix_free(&rows);
  sotto_matrix_free(&own);
  return status;
}

static sotto_status projected_of(const void *self, sotto_matrix *out, const sotto_matrix *x,
                                 sotto_error *err) {
  const networks *n = self;
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(received_rows(&rows, n, 0, x, err));
  SOTTO_TRY(sotto_matrix_new(out, x->rows, SOTTO_I_PROJECTED, err));
  sotto_i_halves_project(out, 0, &rows, n->job);
done:
  sotto_matrix_free(&rows);
  return status;
}

static void free_networks(void *self) {
  networks *n = self;
  sotto_i_folds_free(&n->folds);
  sotto_i_halves_free(&n->encoders);
  sotto_i_halves_free(&n->heads);
}

static sotto_status vesper_counts_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                       sotto_error *err) {
  static const sotto_i_first_stage first = {.size = sizeof(networks),
                                            .open = open_networks,
                                            .scores = head_scores,
                                            .own = projected_of,
                                            .free = free_networks};
  return sotto_i_predict_counts(out, from, &first, err);
}

/* Embeddings are sent to the label party, gradients back; of all nodes once for each network. */
static bool counts_work(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, width = (double)sotto_i_embedding_width(o);
  const double most = SOTTO_I_SAMPLE_ROWS, train = fmin(o->train_share * rows, most);
  sotto_i_work_counts(out, o, shape, most);
  out->phases[0].copied += (2 * train + fmin(o->validation_share * rows, most)) * width;
  out->phases[1].copied += SOTTO_I_MOST_FOLDS * rows * width;
  out->node_values += of_second_party;
  out->batch_values += 2.5 * width * train;
  return true;
}

static sotto_status check_as_published(const sotto_options *o, sotto_error *err) {
  if (o->aggregator == SOTTO_LAYER_MEAN)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "aggregator: with accounting paper gin or gcn");
  if (o->aggregator == SOTTO_LAYER_GCN && o->degree_floor < 2)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "degree-floor: with accounting paper it is the least degree of proposition 2, at least 2");
  if (o->fan_out == 0 || o->batch_size == 0)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: with accounting paper at least 1",
                        o->fan_out == 0 ? "fan-out" : "batch-size");
  if (o->layers > SOTTO_I_PAPER_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: with accounting paper at most %d", SOTTO_I_PAPER_LAYERS);
  return SOTTO_OK;
}

/* Several holders have one form of it; what is not there is refused by name. */
static sotto_status check_holders(const sotto_options *o, sotto_error *err) {
  double share[SOTTO_MOST_HOLDERS];
  if (sotto_i_publication_of(o) != SOTTO_I_PUBLICATION_COUNTS || sotto_i_learns_numbers(o))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "holders: several of them release counts of neighbours by class alone; take "
                        "publication counts and task classification");
  if (o->holders >= SOTTO_MOST_HOLDERS)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "holders: %llu is outside 1 to %d: %d parties have a table at most, and the label party "
        "is one of them",
        (unsigned long long)o->holders, SOTTO_MOST_HOLDERS - 1, SOTTO_MOST_HOLDERS);
  return sotto_i_holders_shares(share, o, err);
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  if (sotto_i_vesper_has_holders(o)) return check_holders(o, err);
  if (o->accounting == SOTTO_ACCOUNTING_PAPER) return check_as_published(o, err);
  if (sotto_i_learns_numbers(o) && sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_COUNTS)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "publication: counts learn classes alone; with task regression take layers");
  if (sotto_i_vesper_by_counts(o)) return SOTTO_OK;
  if (o->adjacency == SOTTO_ADJACENCY_TRANSFER)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "publication: single transfers are protected by counts alone; take counts, or edge level");
  if (o->label_edges > 0 && o->layers > 32)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "layers: at most 32 with label-edges, since both parties have as many");
  if (sotto_i_publication_of(o) != SOTTO_I_PUBLICATION_LAYERS && (o->releases > 1 || o->layer_weights))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "publication: baselines have one release and no layer-weights");
  if (o->releases > 1 &&
      (o->release_scale != SOTTO_RELEASE_RAW || o->release_activation != SOTTO_ACTIVATION_NONE))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "releases: gradients go back through layers as the noise left them; more than one "
                        "release needs release-scale raw and release-activation none");
  return sotto_i_check_floor(o, err);
}

/* Noisy layers, with or without own rows, or the last layer alone. */
static sotto_status plan(sotto_i_release_plan *out, const sotto_options *o, const sotto_graph *graph,
                         sotto_error *err) {
  const sotto_i_publication publication = sotto_i_publication_of(o);
  sotto_pmp_options pmp = sotto_i_job_pmp(o);
  const double epsilon = sotto_i_job_wants_privacy(o) ? o->epsilon : INFINITY;
  const size_t width = sotto_i_released_width(o);
  if (publication == SOTTO_I_PUBLICATION_LAYERS) return sotto_i_plan_layers(out, o, graph, err);
  if (publication == SOTTO_I_PUBLICATION_WITHOUT_OWN) {
    pmp.self = false;
    return sotto_pmp_plan_new(&out->layers, &pmp, graph->nodes, width, epsilon, o->delta, err);
  }
  out->one_shot = true;
  out->what = "the last of several layers of message passing, noisy in that alone; its sensitivity rests on "
              "max-degree, which was declared";
  return sotto_i_publish_plan(&out->layers, &pmp, o->max_degree, graph->nodes, width, epsilon, o->delta, err);
}

static uint64_t releases(const sotto_options *o) {
  return o->releases;
}

/* One for own rows, one for layers. */
static uint64_t releases_at_node_level(const sotto_options *o) {
  (void)o;
  return 2;
}

static sotto_status open_run(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const sotto_options *o = from->job->options;
  if (o->accounting == SOTTO_ACCOUNTING_PAPER) return sotto_i_vesper_paper_open(out, from, err);
  if (sotto_i_vesper_has_holders(o)) return sotto_i_vesper_holders_open(out, from, err);
  return sotto_i_vesper_by_counts(o) ? vesper_counts_open(out, from, err)
                                     : sotto_i_predict_stages(out, from, err);
}

/* A release of other data uses no label. */
static sotto_status narrow(sotto_options *o, const char *file, sotto_error *err) {
  const bool counts = sotto_i_vesper_by_counts(o);
  o->label_epsilon = 0;
  return counts ? sotto_i_narrow_counts(o, file, err) : sotto_i_narrow_stages(o, file, err);
}

static const sotto_i_paper paper = {
    .theorem = "theorem 2.1",
    .why = "the label party knows the batch that the claim takes as secret, and gradients through private "
           "layers let an edge move every later row"};

enum { of_layers = SOTTO_I_NONE | SOTTO_I_EDGE, plain = of_layers | SOTTO_I_TRANSFER };
static const sotto_i_option_change changes[] = {
    {.key = "feature-scale", .fallback = "suited"},
    {.key = "aggregator", .choices = "gin gcn mean"},
    {.key = "combine", .choices = "cat gru", .help = "how the decoder joins the layers"},
    {.key = "publication",
     .choices = "layers gap vfgnn counts",
     .help = "counts of neighbours by cluster; or every layer with noise, the same "
             "without own rows (GAP), the last layer alone (VFGNN)"},
    {.key = "read-share", .adjacencies = plain, .accountings = SOTTO_I_SOUND},
    {.key = "layers", .help = "rounds of message passing, K, or of counts"},
    {.key = "encoder-share",
     .help = "share of mu squared for noisy own rows; the rest is for layers",
     .adjacencies = SOTTO_I_NODE},
    {.key = "row-clip", .adjacencies = SOTTO_I_NODE},
    {.key = "activation", .adjacencies = plain}, /* node level has no encoder */
    {.key = "encoder-epochs", .adjacencies = plain, .accountings = SOTTO_I_SOUND},
    {.key = "patience", .accountings = SOTTO_I_SOUND},
    {.key = "fan-out",
     .fallback = "20",
     .accountings = SOTTO_I_PAPER,
     .help = "neighbours drawn for a node in a layer"},
    {.key = "batch-size",
     .fallback = "256",
     .accountings = SOTTO_I_PAPER,
     .help = "training nodes in a mini-batch"},
    {.key = "select-by", .accountings = SOTTO_I_SOUND},
    {.key = "release-activation", .accountings = SOTTO_I_SOUND},
    {.key = "adjacency", .choices = "none transfer edge node"},
    {.key = "as-published", .adjacencies = of_layers},
    {.key = "wire", .accountings = SOTTO_I_SOUND},
    {.key = "record-wire", .adjacencies = plain, .accountings = SOTTO_I_SOUND},
    {.key = "holders",
     .fallback = "1",
     .help =
         "how many hold columns and edges, 15 at most; several release counts, each under its own account",
     .adjacencies = of_layers,
     .accountings = SOTTO_I_SOUND},
    {.key = "partition",
     .help = "of several holders in one process: alike, or the share of each as 5:5",
     .adjacencies = of_layers,
     .accountings = SOTTO_I_SOUND},
};

/* With noise, counts use the same epsilon better, with rounds as for one owner (best). At node level own
 * rows are more useful than sums over neighbours at that level's noise. A floor of max-degree makes all
 * weights equal, which has the least sensitivity (docs/methods.md). As published: Wu et al. 2023, appendix
 * C.4, where epochs are passes over the training nodes. */
#define COUNTS                                                                                               \
  .adjacencies = plain, .accountings = SOTTO_I_SOUND, .when = {SOTTO_I_WHEN("publication", "counts")}
#define PUBLISHED .when = {SOTTO_I_PUBLISHED}
static const sotto_i_option_default defaults[] = {
    {"accounting", "paper", .adjacencies = of_layers,
     PUBLISHED},                           /* theorem 2.1, by a search for the least noise (section 3.3) */
    {"hidden", "128", PUBLISHED},          /* appendix C.4: ogbn-products; Finance 256, Reddit 512 */
    {"learning-rate", "0.001", PUBLISHED}, /* appendix C.4, of Adam */
    {"epochs", "5", PUBLISHED},            /* appendix C.4; Finance 2 */
    {"layers", "2", PUBLISHED},            /* appendix C.4: L = 2 works best in general */
    {"fan-out", "20", PUBLISHED},          /* appendix C.4: 20 or 50; Finance 10 or 20 */
    {"batch-size", "32", PUBLISHED},       /* appendix C.8: 32 to 512, smaller is better on dense graphs */
    {"aggregator", "gin", PUBLISHED},      /* section 3.4: better on dense graphs; gcn on sparse ones */
    {"degree-floor", "10", PUBLISHED},     /* appendix C.4: D_min of gcn is 10, 20 or 40; Finance 3 or 5 */
    {"combine", "cat", PUBLISHED},         /* section 2.5: CONCAT; GRU is the other one */
    {"dropout", "0", PUBLISHED},           /* none is named */
    {"weight-decay", "0", PUBLISHED},      /* none is named */
    {"feature-scale", "none", PUBLISHED},  /* none is named */
    SOTTO_I_NUMBER_DEFAULTS,
    {"publication", "layers", .when = {SOTTO_I_WHEN("task", "regression")}},
    {"publication", "counts", .adjacencies = of_layers, .when = {SOTTO_I_UNLESS("holders", "1")}},
    {"publication", "counts", .adjacencies = SOTTO_I_TRANSFER | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND,
     .noise = SOTTO_I_WITH_NOISE},
    {"layers", "1", .adjacencies = SOTTO_I_NODE},
    {"layers", "1", COUNTS, .noise = SOTTO_I_WITH_NOISE, .below = 12},
    {"read-share", "0.7", COUNTS, .noise = SOTTO_I_WITH_NOISE, .round_most = 2},
    {"read-share", "0.9", COUNTS, .noise = SOTTO_I_WITH_NOISE},
    {"epochs", "150", COUNTS},
    {"epochs", "5", .accountings = SOTTO_I_PAPER},
    {"dropout", "0.3", .adjacencies = plain, .accountings = SOTTO_I_SOUND,
     .when = {SOTTO_I_WHEN("publication", "counts"), SOTTO_I_WHEN("clusters", "predictions")}},
    {"activation", "relu", .accountings = SOTTO_I_PAPER},
    {"release-scale", "raw", .when = {SOTTO_I_UNLESS("releases", "1")}},
    {"encoder-share", "0.5", .adjacencies = SOTTO_I_NODE},
    {"degree-floor", .as = "max-degree", .adjacencies = SOTTO_I_NODE},
};

static const char to_go_on[] = "to go on would make more releases than were charged";

static bool publishes_counts(const sotto_options *o) {
  return sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_COUNTS;
}

static const sotto_i_variant variants[] = {
    {.adjacencies = of_layers,
     .accountings = SOTTO_I_SOUND,
     .chosen = sotto_i_learns_numbers,
     .key = "task",
     .word = "regression",
     .without = SOTTO_I_WITHOUT_CLASSES " clusters read-share share-features label-epsilon partition",
     .numbers = true,
     .edges = true,
     .noisy = true,
     .plan = plan,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_canary_of_layers,
     .by_rows = true,
     .releases = releases,
     .answer = sotto_i_vesper_layers_answer,
     .answer_sends = SOTTO_I_VESPER_LAYERS_SENDS,
     .other_sends = {SOTTO_I_VESPER_OTHER_LAYERS, "numbers of nodes"},
     .other_bare = true,
     .exchange = sotto_i_vesper_layers_exchange,
     .roles = &sotto_i_vesper_layers_roles},
    {.adjacencies = of_layers,
     .accountings = SOTTO_I_SOUND,
     .chosen = sotto_i_vesper_has_holders,
     .labels_join = true,
     .protocol = &sotto_i_vesper_counts_protocol,
     .key = "holders",
     .word = "2",
     .without =
         "aggregator degree-floor combine release-width constant release-scale release-activation releases "
         "layer-weights label-edges label-features label-epsilon share-features record-wire",
     .edges = true,
     .answer = sotto_i_vesper_holders_answer,
     .answer_sends = "nothing but numbers of nodes",
     .other_sends = {SOTTO_I_VESPER_OTHER_SENDS, SOTTO_I_VESPER_CLUSTERS_SENDS},
     .other_bare = true,
     .canaries = SOTTO_I_CANARIES_OF_PILOTS,
     .canary = sotto_i_canary_of_counts,
     .roles = &sotto_i_vesper_holders_roles,
     .price = sotto_i_counts_price},
    {.adjacencies = plain,
     .accountings = SOTTO_I_SOUND,
     .chosen = publishes_counts,
     .protocol = &sotto_i_vesper_counts_protocol,
     .key = "publication",
     .word = "counts",
     .without =
         "aggregator degree-floor combine release-width constant release-scale release-activation releases "
         "layer-weights label-edges record-wire partition",
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_PILOTS,
     .canary = sotto_i_canary_of_counts,
     .ranks = true,
     .data_ranks = true,
     .by_rows = true,
     .exchange = sotto_i_vesper_counts_exchange,
     .work = counts_work,
     .roles = &sotto_i_vesper_counts_roles,
     .answer = sotto_i_vesper_counts_answer,
     .answer_sends = SOTTO_I_VESPER_COUNTS_SENDS,
     .other_sends = {SOTTO_I_VESPER_OTHER_SENDS, SOTTO_I_VESPER_CLUSTERS_SENDS},
     .other_bare = true,
     .price = sotto_i_weighed_price},
    {.adjacencies = of_layers,
     .accountings = SOTTO_I_SOUND,
     .key = "publication",
     .word = "layers",
     .without = "clusters read-share share-features partition",
     .edges = true,
     .noisy = true,
     .plan = plan,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_canary_of_layers,
     .by_rows = true,
     .releases = releases,
     .answer = sotto_i_vesper_layers_answer,
     .answer_sends = SOTTO_I_VESPER_LAYERS_SENDS,
     .other_sends = {SOTTO_I_VESPER_OTHER_LAYERS, "numbers of nodes"},
     .other_bare = true,
     .exchange = sotto_i_vesper_layers_exchange,
     .roles = &sotto_i_vesper_layers_roles},
    {.adjacencies = of_layers,
     .accountings = SOTTO_I_PAPER,
     .edges = true,
     .begins_anew = to_go_on,
     .canaries = 1U << SOTTO_I_CANARY_CLAIM,
     .canary = sotto_i_vesper_paper_canary,
     .exchange = sotto_i_vesper_paper_exchange,
     .answer = sotto_i_vesper_paper_answer,
     .answer_sends = SOTTO_I_VESPER_PAPER_SENDS,
     .run = sotto_i_vesper_paper_run,
     .price = sotto_i_vesper_paper_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_NODES,
     .canary = sotto_i_vesper_node_canary,
     .releases = releases_at_node_level,
     .answer = sotto_i_vesper_node_answer,
     .answer_sends = SOTTO_I_VESPER_NODE_SENDS,
     .run = sotto_i_vesper_node_run,
     .price = sotto_i_vesper_node_price},
};

const sotto_i_method sotto_i_method_vesper = {
    .name = "vesper",
    .summary = "noisy counts of neighbours, or noisy layers, leave the party with the graph, or each of "
               "several with columns and edges (holders); they learn with the party of labels",
    .situation = "I have the graph and features, a partner has the labels",
    .source = "Wu et al. 2023",
    .protects = "it protects transfers, edges or nodes",
    .topology = SOTTO_TWO_PARTIES,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency accounting epsilon delta max-degree degree-cut"},
                         {&sotto_i_published_rows, NULL},
                         {&sotto_i_network_rows, "aggregator layers degree-floor hidden activation "
                                                 "release-activation combine dropout fan-out"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay batch-size"},
                         {&sotto_i_node_rows, "row-clip row-sign encoder-share"},
                         {&sotto_i_vesper_rows, NULL},
                         {&sotto_i_publication_rows, NULL},
                         {&sotto_i_clusters_rows, NULL},
                         {&sotto_i_counts_rows, NULL},
                         {&sotto_i_label_rows, NULL},
                         {&sotto_i_member_rows, "holders"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_party_rows, NULL}},
                SOTTO_I_CHANGES(changes),
                SOTTO_I_DEFAULTS(defaults)},
    .paper = &paper,
    .divide = sotto_i_two_parties_divide,
    .accounts = sotto_i_two_parties_accounts,
    .state = sotto_i_two_parties_state,
    .check = check,
    .describe = sotto_i_describe_two_parties,
    .annotate = sotto_i_annotate_two_parties,
    .open = open_run,
    .narrow = narrow,
    SOTTO_I_VARIANTS(variants),
};
