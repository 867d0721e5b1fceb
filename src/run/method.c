/* The table of methods, and what methods share. */
#include "method.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cost.h"
#include "run/settings/options.h"

static const sotto_i_method methods[] = {
    {.name = "vesper", .edges = true, .noisy = true, .run = sotto_i_vesper_run},
    {.name = "gnn", .edges = true, .run = sotto_i_gnn_run},
    {.name = "mlp", .run = sotto_i_mlp_run},
    {.name = "gap", .edges = true, .noisy = true, .central = true, .run = sotto_i_gap_run},
    {.name = "caribou",
     .edges = true,
     .noisy = true,
     .contractive = true,
     .central = true,
     .run = sotto_i_caribou_run},
    {.name = "best", .edges = true, .run = sotto_i_best_run, .price = sotto_i_counts_price},
    {.name = "sage", .edges = true, .run = sotto_i_sage_run, .price = sotto_i_price_nothing},
    {.name = "pertgraph", .edges = true, .run = sotto_i_pertgraph_run, .price = sotto_i_pertgraph_price},
    {.name = "dpdgc", .edges = true, .run = sotto_i_dpdgc_run, .price = sotto_i_dpdgc_price},
    {.name = "lpgnet", .edges = true, .run = sotto_i_lpgnet_run, .price = sotto_i_counts_price},
    {.name = "fedavg",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "federated",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "gwldp",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "globsage",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "locsage",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "fedsage",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "fedsage+",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "feddep",
     .edges = true,
     .federated = true,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
    {.name = "vfgnn", .edges = true, .noisy = true, .run = sotto_i_vfgnn_run},
    {.name = "securegnn", .edges = true, .run = sotto_i_vfgnn_run},
};
/* At node level. */
static const sotto_i_method node_methods[] = {
    {.name = "vesper", .edges = true, .run = sotto_i_vesper_node_run, .price = sotto_i_vesper_node_price},
    {.name = "mlp", .run = sotto_i_mlp_node_run, .price = sotto_i_mlp_node_price},
    {.name = "sage", .edges = true, .run = sotto_i_mlp_node_run, .price = sotto_i_mlp_node_price},
    {.name = "pertgraph", .edges = true, .run = sotto_i_mlp_node_run, .price = sotto_i_mlp_node_price},
    {.name = "gap", .edges = true, .run = sotto_i_central_node_run, .price = sotto_i_central_node_price},
    {.name = "caribou", .edges = true, .run = sotto_i_central_node_run, .price = sotto_i_central_node_price},
    {.name = "dpdgc", .edges = true, .run = sotto_i_central_node_run, .price = sotto_i_central_node_price},
    {.name = "lpgnet", .edges = true, .run = sotto_i_lpgnet_node_run, .price = sotto_i_lpgnet_node_price},
};

/* With --accounting paper. */
static const sotto_i_method paper_method = {
    .name = "vesper", .edges = true, .run = sotto_i_vesper_paper_run, .price = sotto_i_vesper_paper_price};

const sotto_i_method *sotto_i_method_find(const char *name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i].name, name) == 0) return &methods[i];
  sotto_i_broken(__FILE__, __LINE__, "the option's choices are the table's names");
}

const sotto_i_method *sotto_i_method_of(const sotto_options *options) {
  if (sotto_i_vesper_as_paper(options)) return &paper_method;
  if (strcmp(options->adjacency, "node") == 0)
    for (size_t i = 0; i < sizeof node_methods / sizeof *node_methods; i++)
      if (strcmp(options->method, node_methods[i].name) == 0) return &node_methods[i];
  return sotto_i_method_find(options->method);
}

sotto_aggregator sotto_i_job_aggregator(const sotto_options *options) {
  if (strcmp(options->aggregator, "gcn") == 0) return SOTTO_AGGREGATOR_GCN;
  if (strcmp(options->aggregator, "mean") == 0) return SOTTO_AGGREGATOR_MEAN;
  if (strcmp(options->aggregator, "gat") == 0) return SOTTO_AGGREGATOR_MEAN; /* its weights aside */
  return SOTTO_AGGREGATOR_SUM;
}

sotto_activation sotto_i_job_activation(const char *name) {
  sotto_activation activation = SOTTO_ACTIVATION_NONE;
  SOTTO_I_CHECK(sotto_activation_parse(&activation, name, NULL) == SOTTO_OK);
  return activation;
}

sotto_i_measure sotto_i_job_measure(const sotto_options *options) {
  if (strcmp(options->select_by, "auc") == 0) return SOTTO_I_AUC;
  if (strcmp(options->select_by, "macro_f1") == 0) return SOTTO_I_MACRO_F1;
  return SOTTO_I_ACCURACY;
}

sotto_i_training sotto_i_job_training(const sotto_options *options, uint64_t epochs) {
  sotto_adam adam = sotto_adam_defaults();
  adam.learning_rate = (float)options->learning_rate;
  adam.weight_decay = (float)options->weight_decay;
  return (sotto_i_training){.epochs = epochs,
                            .patience = options->patience,
                            .adam = adam,
                            .select_by = sotto_i_job_measure(options)};
}

bool sotto_i_job_wants_privacy(const sotto_options *options) {
  return strcmp(options->adjacency, "none") != 0 && !isinf(options->epsilon);
}

bool sotto_i_has_parts(const sotto_options *options) {
  return sotto_i_word_among(options->method, "globsage locsage fedsage fedsage+ feddep");
}

bool sotto_i_has_holders(const sotto_options *options) {
  return strcmp(options->method, "vfgnn") == 0 || strcmp(options->method, "securegnn") == 0;
}

bool sotto_i_publishes(const sotto_options *options, const char *publication) {
  return strcmp(options->method, "vesper") == 0 && strcmp(options->publication, publication) == 0;
}

bool sotto_i_vesper_at_node_level(const sotto_options *options) {
  return strcmp(options->method, "vesper") == 0 && strcmp(options->adjacency, "node") == 0;
}

bool sotto_i_vesper_as_paper(const sotto_options *options) {
  return strcmp(options->method, "vesper") == 0 && strcmp(options->accounting, "paper") == 0;
}

sotto_pmp_options sotto_i_job_pmp(const sotto_options *options) {
  return (sotto_pmp_options){
      .aggregator = sotto_i_job_aggregator(options),
      .layers = (uint32_t)options->layers,
      .degree_floor = options->degree_floor,
      .self = strcmp(options->method, "gap") != 0 && !sotto_i_publishes(options, "gap"),
      .raw = strcmp(options->release_scale, "raw") == 0 || sotto_i_has_holders(options),
      .activation = sotto_i_job_activation(options->release_activation)};
}

size_t sotto_i_embedding_width(const sotto_options *options) {
  bool own = !sotto_i_method_find(options->method)->central && options->release_width > 0;
  return own ? options->release_width : options->hidden;
}

size_t sotto_i_released_width(const sotto_options *options) {
  bool counts = !sotto_i_method_find(options->method)->central && options->constant > 0;
  return sotto_i_embedding_width(options) + (counts ? 1 : 0);
}

sotto_contractive_options sotto_i_job_contractive(const sotto_options *options) {
  return (sotto_contractive_options){.layers = (uint32_t)options->layers,
                                     .degree_floor = options->degree_floor,
                                     .contraction = options->contraction,
                                     .graph_weight = options->alpha,
                                     .residual = options->beta};
}

void sotto_i_job_key(sotto_key *key, const sotto_i_job *job) {
  sotto_key_public(key, job->seed);
}

void sotto_i_parted_free(sotto_i_parted *parted) {
  sotto_split_free(&parted->split);
  for (int part = 0; part < 4; part++) sotto_i_free(parted->labels[part]);
  *parted = (sotto_i_parted){0};
}

static sotto_status make_split(sotto_split *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_key key;
  sotto_i_job_key(&key, job);
  if (strcmp(o->split, "planetoid") == 0) return sotto_split_public(out, job->data, err);
  if (strcmp(o->split, "kfold") == 0) {
    sotto_key_public(&key, o->seed); /* all repeats share one shuffle */
    return sotto_split_kfold(out, job->data, (uint32_t)o->folds, (uint32_t)(job->seed - o->seed), &key, err);
  }
  return sotto_split_random(out, job->data, o->train_share, o->validation_share, &key, err);
}

sotto_status sotto_i_parted_new(sotto_i_parted *out, const sotto_i_job *job, sotto_error *err) {
  static const char *const names[4] = {"", "training", "validation", "test"};
  sotto_status status;
  bool graphs = job->data->graph_count > 0 && sotto_i_method_of(job->options)->federated;
  const int32_t *labels = graphs ? job->data->graph_labels : job->data->labels;
  *out = (sotto_i_parted){0};
  if (labels == NULL || (job->data->graph_count > 0 && !graphs))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels of %s to learn", job->data->name,
                        graphs ? "graphs" : "nodes");
  SOTTO_TRY(make_split(&out->split, job, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    size_t count = out->split.count[part];
    if (count == 0) {
      status = sotto_i_fail(err, SOTTO_INVALID, "%s: the split leaves no %s %s", job->data->name, names[part],
                            graphs ? "graph" : "node");
      goto done;
    }
    SOTTO_TRY(sotto_i_new_raw(&out->labels[part], count, sizeof(int32_t), err));
    for (size_t i = 0; i < count; i++) out->labels[part][i] = labels[out->split.rows[part][i]];
  }
done:
  if (status != SOTTO_OK) sotto_i_parted_free(out);
  return status;
}

sotto_status sotto_i_take_rows(sotto_matrix *out, const sotto_matrix *from, const uint32_t *rows,
                               size_t count, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, count, from->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++)
    memcpy(out->data + i * from->cols, from->data + rows[i] * from->cols, from->cols * sizeof(float));
  return SOTTO_OK;
}

sotto_status sotto_i_job_save_params(const sotto_i_job *job, const char *file,
                                     const sotto_params *const *sets, size_t count, sotto_error *err) {
  const sotto_options *o = job->options;
  const char *metadata[] = {"format",     "sotto",       "version",    SOTTO_VERSION, "method",  o->method,
                            "aggregator", o->aggregator, "activation", o->activation, "combine", o->combine};
  char *path = NULL;
  sotto_status status = sotto_i_join(&path, job->folder, file, err);
  if (status == SOTTO_OK)
    status = sotto_params_save(sets, count, path, metadata, sizeof metadata / sizeof *metadata / 2, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_job_save_model(const sotto_i_job *job, const sotto_params *const *sets, size_t count,
                                    sotto_error *err) {
  return sotto_i_job_save_params(job, "model.safetensors", sets, count, err);
}
