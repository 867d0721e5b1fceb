/* Common parts of every method's seed: settings for the rooms below, its split, its files. */
#include "method.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/blocks/block.h"
#include "inside/graph.h"
#include "inside/nn.h"

sotto_ranks *sotto_i_job_ranks(const sotto_i_job *job) {
  const sotto_i_block *block = sotto_i_block_of(job->data);
  return block == NULL ? NULL : block->ranks;
}

sotto_aggregator sotto_i_job_aggregator(const sotto_options *options) {
  switch (options->aggregator) {
  case SOTTO_LAYER_GCN:
    return SOTTO_AGGREGATOR_GCN;
  case SOTTO_LAYER_MEAN:
  case SOTTO_LAYER_GAT: /* without its weights */
  case SOTTO_LAYER_SAGE:
    return SOTTO_AGGREGATOR_MEAN;
  case SOTTO_LAYER_GIN:
    break;
  }
  return SOTTO_AGGREGATOR_SUM;
}

sotto_i_training sotto_i_job_training(const sotto_options *options, uint64_t epochs) {
  sotto_adam adam = sotto_adam_defaults();
  adam.learning_rate = (float)options->learning_rate;
  adam.weight_decay = (float)options->weight_decay;
  return (sotto_i_training){
      .epochs = epochs, .patience = options->patience, .adam = adam, .select_by = options->select_by};
}

sotto_pmp_options sotto_i_job_pmp(const sotto_options *options) {
  return (sotto_pmp_options){.aggregator = sotto_i_job_aggregator(options),
                             .layers = (uint32_t)options->layers,
                             .degree_floor = options->degree_floor,
                             .self = !sotto_i_method_of(options)->central,
                             .raw =
                                 options->release_scale == SOTTO_RELEASE_RAW || sotto_i_has_holders(options),
                             .activation = options->release_activation};
}

sotto_activation sotto_i_head_activation(const sotto_options *options) {
  const sotto_activation head = sotto_i_method_of(options)->head;
  return head == SOTTO_ACTIVATION_NONE ? SOTTO_ACTIVATION_RELU : head;
}

size_t sotto_i_embedding_width(const sotto_options *options) {
  bool own = !sotto_i_method_of(options)->central && options->release_width > 0;
  return own ? options->release_width : options->hidden;
}

size_t sotto_i_released_width(const sotto_options *options) {
  bool counts = !sotto_i_method_of(options)->central && options->constant > 0;
  return sotto_i_embedding_width(options) + (counts ? 1 : 0);
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
  if (o->split == SOTTO_SPLITTING_PLANETOID) return sotto_split_public(out, job->data, err);
  if (o->split == SOTTO_SPLITTING_KFOLD) {
    sotto_key_public(&key, o->seed); /* all repeats share one permutation */
    return sotto_split_kfold(out, job->data, (uint32_t)o->folds, (uint32_t)(job->seed - o->seed), &key, err);
  }
  return sotto_split_random(out, job->data, o->train_share, o->validation_share, &key, err);
}

sotto_i_targets sotto_i_parted_targets(const sotto_i_parted *parted, sotto_part part) {
  return (sotto_i_targets){.classes = parted->labels[part], .count = parted->split.count[part]};
}

void sotto_i_parted_learn(sotto_i_task *task, const sotto_i_parted *parted) {
  for (int part = 0; part < 4; part++) task->targets[part] = sotto_i_parted_targets(parted, (sotto_part)part);
}

static bool has_label(const int32_t *labels, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (labels[i] >= 0) return true;
  return false;
}

sotto_status sotto_i_parted_new(sotto_i_parted *out, const sotto_i_job *job, sotto_error *err) {
  static const char *const names[4] = {"", "training", "validation", "test"};
  sotto_status status;
  bool graphs = job->data->graph_count > 0 && sotto_i_has_clients(job->options);
  const int32_t *labels = graphs ? job->data->graph_labels : job->data->labels;
  *out = (sotto_i_parted){0};
  if (labels == NULL || (job->data->graph_count > 0 && !graphs))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels of %s to learn%s", job->data->name,
                        graphs ? "graphs" : "nodes",
                        job->data->numbers == NULL
                            ? ""
                            : "; it has numbers, and no method learns them yet: give classes, such as "
                              "of ranges of the number");
  if (!has_label(labels, graphs ? job->data->graph_count : job->data->graph.nodes))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: no %s has a label to learn; the option label names the column of classes",
                        job->data->name, graphs ? "graph" : "node");
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
