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
  return (sotto_i_training){.epochs = epochs,
                            .patience = options->patience,
                            .adam = adam,
                            .select_by = sotto_i_selects_by(options)};
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

bool sotto_i_learns_numbers(const sotto_options *options) {
  return options->task == SOTTO_TASK_REGRESSION;
}

sotto_measure sotto_i_selects_by(const sotto_options *options) {
  return sotto_i_learns_numbers(options) ? SOTTO_MEASURE_R2 : options->select_by;
}

size_t sotto_i_outputs(const sotto_options *options, const sotto_dataset *data) {
  return sotto_i_learns_numbers(options) ? 1 : data->classes;
}

bool sotto_i_has_other_task(const sotto_dataset *data, const sotto_options *options) {
  return sotto_i_learns_numbers(options) ? data->labels != NULL : data->numbers != NULL;
}

void sotto_i_forget_other_task(sotto_dataset *data, const sotto_options *options) {
  if (!sotto_i_learns_numbers(options)) {
    data->numbers = NULL;
    return;
  }
  data->labels = NULL;
  data->classes = 0;
  data->class_names = (sotto_names){0};
}

void sotto_i_parted_free(sotto_i_parted *parted) {
  sotto_split_free(&parted->split);
  for (int part = 0; part < 4; part++) {
    sotto_i_free(parted->labels[part]);
    sotto_i_free(parted->numbers[part]);
  }
  *parted = (sotto_i_parted){0};
}

static sotto_status make_split(sotto_split *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_key key;
  sotto_i_job_key(&key, job);
  if (o->split == SOTTO_SPLITTING_PLANETOID) return sotto_split_public(out, job->data, err);
  if (o->split == SOTTO_SPLITTING_TIME)
    return sotto_split_days(out, job->data, o->train_share, o->validation_share, err);
  if (o->split == SOTTO_SPLITTING_KFOLD) {
    sotto_key_public(&key, o->seed); /* all repeats share one permutation */
    return sotto_split_kfold(out, job->data, (uint32_t)o->folds, (uint32_t)(job->seed - o->seed), &key, err);
  }
  return sotto_split_random(out, job->data, o->train_share, o->validation_share, &key, err);
}

sotto_i_targets sotto_i_parted_targets(const sotto_i_parted *parted, sotto_part part) {
  return (sotto_i_targets){
      .classes = parted->labels[part], .numbers = parted->numbers[part], .count = parted->split.count[part]};
}

void sotto_i_parted_learn(sotto_i_task *task, const sotto_i_parted *parted) {
  for (int part = 0; part < 4; part++) task->targets[part] = sotto_i_parted_targets(parted, (sotto_part)part);
}

/* What a run learns: classes, or numbers; of graphs in a federation of collections. */
typedef struct learnt {
  const int32_t *labels;
  const float *numbers;
  uint64_t count;
  const char *of;
} learnt;

static learnt learnt_of(const sotto_i_job *job) {
  const sotto_dataset *data = job->data;
  const bool graphs = data->graph_count > 0 && sotto_i_has_clients(job->options);
  const bool none = data->graph_count > 0 && !graphs;
  if (sotto_i_learns_numbers(job->options))
    return (learnt){.numbers = data->numbers, .count = data->graph.nodes, .of = "node"};
  if (graphs) return (learnt){.labels = data->graph_labels, .count = data->graph_count, .of = "graph"};
  return (learnt){.labels = none ? NULL : data->labels, .count = data->graph.nodes, .of = "node"};
}

static bool has_any(const learnt *l) {
  for (uint64_t i = 0; i < l->count; i++)
    if (l->labels != NULL ? l->labels[i] >= 0 : isfinite(l->numbers[i])) return true;
  return false;
}

static sotto_status check_learnt(const learnt *l, const sotto_i_job *job, sotto_error *err) {
  const bool numbers = sotto_i_learns_numbers(job->options);
  if (l->labels == NULL && l->numbers == NULL && numbers)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: has no numbers to learn; the option label names their column, and a file that "
                        "was imported before is imported again with task regression",
                        job->data->name);
  if (l->labels == NULL && l->numbers == NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: has no labels of %ss to learn; the option label names the column of classes",
                        job->data->name, l->of);
  if (has_any(l)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: no %s has a %s to learn; the option label names the column of %s", job->data->name,
                      l->of, numbers ? "number" : "label", numbers ? "numbers" : "classes");
}

static sotto_status take_part(sotto_i_parted *out, const learnt *l, sotto_part part, sotto_error *err) {
  const size_t count = out->split.count[part];
  const uint32_t *rows = out->split.rows[part];
  const sotto_status status = l->labels != NULL
                                  ? sotto_i_new_raw(&out->labels[part], count, sizeof(int32_t), err)
                                  : sotto_i_new_raw(&out->numbers[part], count, sizeof(float), err);
  for (size_t i = 0; status == SOTTO_OK && i < count; i++)
    if (l->labels != NULL)
      out->labels[part][i] = l->labels[rows[i]];
    else
      out->numbers[part][i] = l->numbers[rows[i]];
  return status;
}

sotto_status sotto_i_parted_new(sotto_i_parted *out, const sotto_i_job *job, sotto_error *err) {
  static const char *const names[4] = {"", "training", "validation", "test"};
  const learnt l = learnt_of(job);
  sotto_status status;
  *out = (sotto_i_parted){0};
  SOTTO_TRY(check_learnt(&l, job, err));
  SOTTO_TRY(make_split(&out->split, job, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    if (out->split.count[part] == 0)
      SOTTO_TRY(sotto_i_fail(err, SOTTO_INVALID, "%s: the split leaves no %s %s", job->data->name,
                             names[part], l.of));
    SOTTO_TRY(take_part(out, &l, part, err));
  }
done:
  if (status != SOTTO_OK) sotto_i_parted_free(out);
  return status;
}

sotto_i_exchange_shape sotto_i_exchange_of_shares(const sotto_options *options, uint64_t nodes,
                                                  uint32_t classes) {
  const double all = (double)nodes;
  sotto_i_exchange_shape shape = {.nodes = nodes, .classes = classes};
  shape.count[SOTTO_PART_TRAIN] = (size_t)(options->train_share * all);
  shape.count[SOTTO_PART_VALIDATION] = (size_t)(options->validation_share * all);
  shape.count[SOTTO_PART_TEST] = (size_t)((1 - options->train_share - options->validation_share) * all);
  return shape;
}
