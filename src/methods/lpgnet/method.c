/* LPGNet: noisy degree vectors by cluster, over several rounds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "lpgnet.h"
#include "protocols/answers/predict_private.h"
#include "protocols/networks/networks.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/table.h"
#include "release/plan.h"
#include "run/files/job_file.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/train/run.h"
#include "tensor/columns.h"

/* Degrees differ by orders of magnitude, so rows are normalised, as the features are. This is
 * post-processing. */
static void normalise_rows(sotto_matrix *x, const sotto_matrix *from) {
  for (size_t i = 0; i < x->rows; i++) {
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) square += pow(from->data[i * x->cols + j], 2);
    for (size_t j = 0; j < x->cols; j++)
      x->data[i * x->cols + j] = square > 0 ? (float)(from->data[i * x->cols + j] / sqrt(square)) : 0;
  }
}

/* Releases counts by the largest of each row of scores, and appends them to the table, each row normalised.
 */
static sotto_status append_counts(sotto_matrix *table, const sotto_matrix *scores,
                                  const sotto_i_counts *release, sotto_error *err) {
  sotto_status status;
  sotto_i_clusters clusters = {.of = NULL};
  sotto_i_counts counts = *release;
  sotto_dataset released = {0};
  sotto_matrix wider = {0}, scaled = {0};
  counts.clusters = &clusters;
  SOTTO_TRY(sotto_i_clusters_largest(&clusters, scores, err));
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
  SOTTO_TRY(sotto_matrix_new(&scaled, released.features.rows, released.features.cols, err));
  normalise_rows(&scaled, &released.features);
  SOTTO_TRY(sotto_i_table_join(&wider, table, &scaled, err));
  sotto_matrix_free(table);
  *table = wider;
done:
  sotto_i_clusters_free(&clusters);
  sotto_matrix_free(&scaled);
  sotto_dataset_free(&released);
  return status;
}

enum { name_size = 32 };

static void name_network(char out[name_size], uint64_t number) {
  (void)snprintf(out, name_size, "stack%llu", (unsigned long long)number);
}

static sotto_status lpgnet_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_quality *validation = &out->quality.validation, *test = &out->quality.test;
  sotto_status status;
  sotto_i_parted parted = {0};
  sotto_matrix scores = {0}, table = {0};
  sotto_params *params = NULL;
  sotto_laplace_grid grid;
  bool noisy = job->cost->count > 0;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, o, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_i_table_join(&table, job->features, &(sotto_matrix){0}, err));
  for (uint32_t k = 0; k <= o->layers; k++) {
    char name[name_size];
    name_network(name, k);
    const sotto_i_counts counts = {.job = job, .noise = noisy ? &grid : NULL, .round = k - 1, .item = k - 1};
    if (k > 0) SOTTO_TRY(append_counts(&table, &scores, &counts, err));
    sotto_matrix_free(&scores);
    const sotto_i_table_fit fit = {.job = job,
                                   .parted = &parted,
                                   .name = name,
                                   .stage = k == 0 ? "encoder" : "network",
                                   .number = k,
                                   .part = k == 0 ? 0 : k - 1,
                                   .epochs = k == 0 ? o->encoder_epochs : o->epochs,
                                   .input_dropout = (float)o->dropout};
    const sotto_i_row_source source = sotto_i_row_source_of(&table);
    SOTTO_TRY(sotto_i_table_fit_run(validation, test, &scores, params, &source, &fit, err));
    if (k > 0) continue;
    out->quality.baseline_validation = *validation;
    out->quality.baseline_test = *test;
  }
  out->quality.seed = job->seed;
  const sotto_params *sets[] = {params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&table);
  sotto_params_free(params);
  sotto_i_parted_free(&parted);
  return status;
}

/* Networks 0 to K, and before network k > 0 release k - 1: uses 0, then 2k - 1 and 2k. */
typedef struct plans {
  sotto_i_sgd_plan *sgd;
  sotto_i_budget_use *uses;
  size_t count;
  sotto_laplace_grid *grids;
} plans;

static void plans_free(plans *p) {
  sotto_i_free(p->sgd);
  sotto_i_free(p->uses);
  sotto_i_free(p->grids);
}

/* Counts are whole: they lie on any grid with a step of 1 or less. A wider step would change the values
 * that differ, so a grid of whole numbers replaces it. */
static sotto_status find_grid(sotto_laplace_grid *out, double noise, const sotto_options *o,
                              sotto_error *err) {
  const double scale = noise * 4 * (double)o->max_degree * (1 + 0x1p-12);
  sotto_status status = sotto_laplace_grid_new(out, scale, err);
  if (status != SOTTO_OK || out->step <= 1) return status;
  if (!(scale <= 1e5))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "max-degree: %llu neighbours at epsilon %g need noise of scale %.3g on each count, at "
        "most 1e5; use a smaller max-degree or a larger epsilon",
        (unsigned long long)o->max_degree, o->epsilon, scale);
  return sotto_laplace_grid_whole(out, scale, err);
}

static sotto_status plans_new(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  size_t stacks = o->layers, features = job->data->features.cols;
  double each = 1 / (double)stacks,
         last = 1 - sotto_i_node_settings_of(o)->encoder_share - sotto_i_node_settings_of(o)->release_share;
  sotto_status status;
  if (2 * stacks + 1 > SOTTO_MOST_COSTS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: at most %d at node level", (SOTTO_MOST_COSTS - 1) / 2);
  SOTTO_TRY(sotto_i_new(&p->sgd, stacks + 1, sizeof *p->sgd, err));
  SOTTO_TRY(sotto_i_new(&p->uses, 2 * stacks + 1, sizeof *p->uses, err));
  SOTTO_TRY(sotto_i_new(&p->grids, stacks, sizeof *p->grids, err));
  p->count = 2 * stacks + 1;
  for (size_t k = 0; k <= stacks; k++) {
    SOTTO_TRY(sotto_i_sgd_plan_new(&p->sgd[k], job, features + k * job->data->classes,
                                   k == 0 ? o->encoder_epochs : o->epochs, 1, err));
    p->uses[2 * k] =
        (sotto_i_budget_use){.what = "DP-SGD: noisy sums of clipped gradients of secret batches of nodes",
                             .share = k == 0 ? sotto_i_node_settings_of(o)->encoder_share : last * each,
                             .sgd = &p->sgd[k]};
    if (k == 0) continue;
    p->uses[2 * k - 1] = (sotto_i_budget_use){.what = "how many neighbours of each node lie in each cluster",
                                              .share = sotto_i_node_settings_of(o)->release_share * each,
                                              .kind = SOTTO_MECHANISM_LAPLACE};
  }
  SOTTO_TRY(sotto_i_node_budget(p->uses, p->count, o->epsilon, o->delta, err));
  for (size_t k = 0; k < stacks; k++) SOTTO_TRY(find_grid(&p->grids[k], p->uses[2 * k + 1].noise, o, err));
done:
  return status;
}

static sotto_mechanism mechanism_of(const sotto_laplace_grid *grid, const sotto_options *o) {
  return sotto_laplace_grid_mechanism(grid, 4 * (double)o->max_degree, 0);
}

static sotto_status lpgnet_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans p = {.count = 0};
  *out = (sotto_cost){.adjacency = "node"};
  SOTTO_TRY(plans_new(&p, job, err));
  for (size_t i = 0; i < p.count; i++) {
    if (p.uses[i].sgd != NULL) {
      sotto_i_node_cost_sgd(out, &p.uses[i]);
      continue;
    }
    const sotto_mechanism laplace = mechanism_of(&p.grids[i / 2], job->options);
    sotto_i_cost_add_pure(out, p.uses[i].what, &laplace, laplace.sensitivity / laplace.noise);
  }
done:
  plans_free(&p);
  return status;
}

/* A node whose neighbours are all of its own cluster, and the node replaced: of the other cluster, with as
 * many neighbours there. No node can change the counts more. */
static sotto_status lpgnet_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                       sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  const uint32_t leaves = sotto_i_canary_leaves(&c->options), nodes = 1 + 2 * leaves;
  uint32_t *from = NULL, *to = NULL;
  plans p = {.count = 0};
  sotto_i_clusters clusters = {.of = NULL};
  sotto_status status;
  (void)kind;
  SOTTO_TRY(plans_new(&p, &job, err));
  SOTTO_TRY(sotto_i_new(&from, leaves, sizeof *from, err)); /* all edges begin at node 0 */
  SOTTO_TRY(sotto_i_new(&to, leaves, sizeof *to, err));
  c->grid = p.grids[0]; /* all rounds have the same share */
  for (uint32_t which = 0; which < 2; which++) {
    SOTTO_TRY(sotto_i_clusters_new(&clusters, nodes, 2, err));
    for (uint32_t v = 1; v < nodes; v++) clusters.of[v] = v > leaves;
    clusters.of[0] = (uint16_t)which;
    for (uint32_t k = 0; k < leaves; k++) to[k] = 1 + k + which * leaves;
    SOTTO_TRY(sotto_graph_from_pairs(&c->world[which].graph, nodes, from, to, leaves, err));
    SOTTO_TRY(sotto_i_canary_counted(c, (int)which, &clusters, NULL, err));
  }
  const sotto_mechanism laplace = mechanism_of(&c->grid, &c->options);
  c->stated.epsilon = (double)c->options.layers * laplace.sensitivity / laplace.noise;
  c->stated.delta = 0; /* the counts alone are pure */
  c->stated.mu = 0;
  sotto_i_canary_counts(c);
done:
  sotto_i_clusters_free(&clusters);
  sotto_i_free(from);
  sotto_i_free(to);
  plans_free(&p);
  return status;
}

/* Fits network k on the table. */
static sotto_status fit_network(sotto_i_private_net *net, sotto_i_outcome *out, const plans *p,
                                const sotto_matrix *table, size_t k, const sotto_i_private_fit *like,
                                sotto_error *err) {
  char name[name_size], file[48];
  sotto_i_private_fit fit = *like;
  name_network(name, k);
  (void)snprintf(file, sizeof file,
                 k == fit.job->options->layers ? "model.safetensors" : "stack%zu.safetensors", k);
  fit.table = table;
  fit.plan = &p->sgd[k];
  fit.name = name;
  fit.stage = k == 0 ? "encoder" : "network";
  fit.file = file;
  fit.item = 2 * k;
  fit.number = (uint32_t)k;
  fit.part = k == 0 ? 0 : (uint32_t)k - 1;
  sotto_quality *validation = k == 0 ? &out->quality.baseline_validation : &out->quality.validation;
  sotto_quality *test = k == 0 ? &out->quality.baseline_test : &out->quality.test;
  return sotto_i_private_fit_run(net, validation, test, &fit, err);
}

static sotto_status lpgnet_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans p = {.count = 0};
  sotto_i_parted parted = {0};
  sotto_matrix table = {0}, scores = {0};
  sotto_i_private_net net = {.params = NULL};
  SOTTO_TRY(plans_new(&p, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_table_join(&table, job->features, &(sotto_matrix){0}, err));
  const sotto_i_private_fit fit = {.job = job, .parted = &parted};
  for (size_t k = 0; k <= job->options->layers; k++) {
    if (k > 0) {
      SOTTO_TRY(sotto_i_private_net_rows(&scores, &net, &table, false, err));
      const sotto_i_counts counts = {
          .job = job, .noise = &p.grids[k - 1], .round = (uint32_t)k - 1, .item = 2 * k - 1};
      SOTTO_TRY(append_counts(&table, &scores, &counts, err));
      sotto_matrix_free(&scores);
      sotto_i_private_net_free(&net);
    }
    SOTTO_TRY(fit_network(&net, out, &p, &table, k, &fit, err));
  }
  out->quality.seed = job->seed;
done:
  sotto_i_private_net_free(&net);
  sotto_matrix_free(&scores);
  sotto_matrix_free(&table);
  sotto_i_parted_free(&parted);
  plans_free(&p);
  return status;
}

typedef struct stack {
  const sotto_i_job *job;
  sotto_params *params;
  sotto_mlp mlp[SOTTO_MOST_COSTS + 1]; /* the last one gives the predictions */
  sotto_matrix counts;                 /* inputs of the perceptron, of all nodes and rounds */
  sotto_key key;
} stack;

static sotto_status copy_features(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                  sotto_error *err) {
  (void)self, (void)nodes;
  return sotto_i_table_join(out, x, &(sotto_matrix){0}, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const stack *s = self;
  sotto_status status;
  sotto_matrix own = {0}, read = {0}, table = {0};
  SOTTO_TRY(sotto_i_take_rows(&own, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_rows(&read, &s->counts, nodes, count, err));
  SOTTO_TRY(sotto_i_table_join(&table, &own, &read, err));
  SOTTO_TRY(sotto_i_embed_all(out, &s->mlp[s->job->options->layers], s->params, &table, &s->key, err));
done:
  sotto_matrix_free(&own);
  sotto_matrix_free(&read);
  sotto_matrix_free(&table);
  return status;
}

static void free_stack(void *self) {
  stack *s = self;
  sotto_params_free(s->params);
  sotto_matrix_free(&s->counts);
  sotto_i_free(s);
}

/* Appends the released counts of a round, as the training read them, to those of the rounds before. */
static sotto_status add_counts(sotto_matrix *all, const sotto_i_job *job, uint32_t round, sotto_error *err) {
  const sotto_dataset *data = job->data;
  sotto_status status;
  sotto_dataset counts = {0};
  sotto_matrix scaled = {0}, wider = {0};
  char file[32], *path = NULL;
  sotto_i_counts_file(file, round);
  SOTTO_TRY(sotto_i_join(&path, job->folder, file, err));
  SOTTO_TRY(sotto_dataset_open(&counts, path, NULL, err));
  if (counts.features.rows != data->graph.nodes || counts.features.cols != data->classes) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, data->name);
    goto done;
  }
  SOTTO_TRY(sotto_matrix_new(&scaled, counts.features.rows, counts.features.cols, err));
  normalise_rows(&scaled, &counts.features);
  if (round == 0) {
    *all = scaled;
    scaled = (sotto_matrix){0};
    goto done;
  }
  SOTTO_TRY(sotto_i_table_join(&wider, all, &scaled, err));
  sotto_matrix_free(all);
  *all = wider;
done:
  sotto_matrix_free(&scaled);
  sotto_dataset_free(&counts);
  sotto_i_free(path);
  return status;
}

static sotto_status make_networks(stack *s, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = s->job;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&s->params, err));
  for (uint32_t k = 0; k <= job->options->layers; k++) {
    char name[name_size];
    name_network(name, k);
    const sotto_i_table_fit fit = {.job = job, .parted = from->parted, .name = name, .number = k};
    SOTTO_TRY(sotto_i_table_net_new(&s->mlp[k], s->params, job->features->cols + k * job->data->classes, &fit,
                                    err));
  }
  SOTTO_TRY(sotto_params_load(&s->params, 1, from->file, err));
done:
  return status;
}

/* Counts of other data, by the predictions of each perceptron for its nodes. */
static sotto_status make_counts(stack *s, const sotto_i_job *release, sotto_error *err) {
  const size_t own = s->job->features->cols;
  sotto_status status;
  sotto_matrix table = {0}, scores = {0};
  sotto_laplace_grid grid;
  SOTTO_TRY(sotto_i_counts_grid(&grid, release->options, err));
  SOTTO_TRY(sotto_i_table_join(&table, s->job->features, &(sotto_matrix){0}, err));
  for (uint32_t round = 0; round < s->job->options->layers; round++) {
    const sotto_i_counts counts = {.job = release, .noise = &grid, .round = round, .item = round};
    sotto_matrix_free(&scores);
    SOTTO_TRY(sotto_i_embed_all(&scores, &s->mlp[round], s->params, &table, &s->key, err));
    SOTTO_TRY(append_counts(&table, &scores, &counts, err));
  }
  SOTTO_TRY(sotto_i_take_columns(&s->counts, &table, own, table.cols, err));
done:
  sotto_matrix_free(&table);
  sotto_matrix_free(&scores);
  return status;
}

/* A model of lpgnet reads all of its counts (method.h, narrow). */
static sotto_status lpgnet_narrow(sotto_options *options, const char *file, sotto_error *err) {
  (void)options, (void)file, (void)err;
  return SOTTO_OK;
}

static sotto_status lpgnet_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  stack *s = NULL;
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  *out = (sotto_i_predictor){
      .self = s, .rows = copy_features, .scores = scores_of, .free = free_stack, .fixed = true};
  s->job = from->job;
  sotto_i_job_key(&s->key, from->job);
  if (from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: lpgnet answers from the counts that it keeps alone");
  if (from->release == NULL) SOTTO_TRY(sotto_i_opening_check(from, err));
  SOTTO_TRY(make_networks(s, from, err));
  if (from->release != NULL) return make_counts(s, from->release, err);
  for (uint32_t round = 0; round < from->job->options->layers; round++)
    SOTTO_TRY(add_counts(&s->counts, from->job, round, err));
done:
  return status;
}

/* At node level: about the run's own nodes, from the released counts and a node's own features. */
static sotto_status lpgnet_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const uint64_t rounds = from->job->options->layers;
  sotto_matrix counts = {0};
  sotto_status status;
  char name[name_size];
  SOTTO_TRY(sotto_i_check_released_nodes(from, err));
  for (uint32_t round = 0; round < rounds; round++) SOTTO_TRY(add_counts(&counts, from->job, round, err));
  name_network(name, rounds);
  return sotto_i_predict_beside_release(out, from, name, &counts, err);
done:
  sotto_matrix_free(&counts);
  return status;
}

static sotto_status open_run(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  if (from->job->options->adjacency == SOTTO_ADJACENCY_NODE) return lpgnet_node_open(out, from, err);
  return lpgnet_open(out, from, err);
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "layers", .help = "rounds of degree vectors, which share epsilon alike"},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .own_alone = "it answers from the counts that its training keeps",
     .canaries = 1U << SOTTO_I_CANARY_PAIR,
     .canary = sotto_i_canary_of_counts,
     .run = lpgnet_run,
     .price = sotto_i_counts_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_own_answer,
     .edges = true,
     .own_rows = true,
     .own_alone = sotto_i_no_node_release,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = lpgnet_node_canary,
     .run = lpgnet_node_run,
     .price = lpgnet_node_price},
};

const sotto_i_method sotto_i_method_lpgnet = {
    .name = "lpgnet",
    .summary = "noisy degree vectors by cluster",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Kolluri et al. 2022",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows,
                          "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                         {&sotto_i_network_rows, "layers hidden activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "encoder-share release-share batch-rate clip steps"}},
                SOTTO_I_CHANGES(changes)},
    .open = open_run,
    .narrow = lpgnet_narrow,
    SOTTO_I_VARIANTS(variants),
};
