/* ProGAP at node level. Every submodel is a perceptron fitted by DP-SGD on [features | aggregates so far].
 * Every aggregate is a release of noisy sums of the previous submodel's hidden rows, normalised. A node's
 * row follows from its own features and earlier releases. So a changed node changes its own row, and what
 * its edges carry. K + 1 trainings and K releases share one budget; each is charged before it is used.
 * Nothing is chosen by validation: the last stage is the model. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/centre.h"
#include "pmp/release.h"
#include "progap.h"
#include "protocols/answers/predict_private.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/table.h"

/* Uses of the budget: all K releases together, then the training of stage s. Items of the cost: the
 * training of stage 0, the K releases, the trainings of stages 1 to K. */
enum { use_of_releases, use_of_stage_0 };
enum { name_size = 32 };

typedef struct plans {
  uint32_t stages; /* K */
  sotto_i_sgd_plan sgd[SOTTO_I_PROGAP_MOST_STAGES + 1];
  sotto_i_budget_use uses[SOTTO_I_PROGAP_MOST_STAGES + 2];
  sotto_pmp_plan release; /* one of K */
} plans;

static size_t item_of_training(const plans *p, uint32_t stage) {
  return stage == 0 ? 0 : p->stages + stage;
}

static sotto_status plan_release(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_pmp_options pmp = sotto_i_progap_pmp(o);
  double mu = (1 - 1e-9) / (p->uses[use_of_releases].noise * sqrt((double)p->stages));
  pmp.protection = sotto_i_node_protection(o, pmp.aggregator != SOTTO_AGGREGATOR_SUM);
  return sotto_i_pmp_plan_for(&p->release, &pmp, job->data->graph.nodes, o->hidden, mu, err);
}

static sotto_status plans_new(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  *p = (plans){.stages = (uint32_t)o->layers};
  if (2 * p->stages + 1 > SOTTO_MOST_COSTS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: at most %d at node level", (SOTTO_MOST_COSTS - 1) / 2);
  p->uses[use_of_releases] = (sotto_i_budget_use){.share = sotto_i_node_settings_of(o)->release_share,
                                                  .kind = SOTTO_MECHANISM_GAUSSIAN};
  for (uint32_t s = 0; s <= p->stages; s++) {
    SOTTO_TRY(sotto_i_sgd_plan_new(&p->sgd[s], job, job->data->features.cols + s * o->hidden,
                                   s == 0 ? o->encoder_epochs : o->epochs, 1, err));
    p->uses[use_of_stage_0 + s] =
        (sotto_i_budget_use){.what = "DP-SGD: noisy sums of clipped gradients of secret batches of nodes",
                             .share = s == 0 ? sotto_i_node_settings_of(o)->encoder_share
                                             : (1 - sotto_i_node_settings_of(o)->encoder_share -
                                                sotto_i_node_settings_of(o)->release_share) /
                                                   p->stages,
                             .sgd = &p->sgd[s]};
  }
  SOTTO_TRY(sotto_i_node_budget(p->uses, use_of_stage_0 + p->stages + 1, o->epsilon, o->delta, err));
  SOTTO_TRY(plan_release(p, job, err));
done:
  return status;
}

sotto_status sotto_i_progap_node_plan(sotto_pmp_plan *out, const sotto_i_job *job, sotto_error *err) {
  plans *p = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  SOTTO_TRY(plans_new(p, job, err));
  *out = p->release;
done:
  sotto_i_free(p);
  return status;
}

sotto_status sotto_i_progap_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans *p = NULL;
  *out = (sotto_cost){.adjacency = "node"};
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  SOTTO_TRY(plans_new(p, job, err));
  sotto_i_node_cost_sgd(out, &p->uses[use_of_stage_0]);
  for (uint32_t s = 1; s <= p->stages; s++) sotto_i_progap_cost_add(out, &p->release);
  for (uint32_t s = 1; s <= p->stages; s++) sotto_i_node_cost_sgd(out, &p->uses[use_of_stage_0 + s]);
done:
  sotto_i_free(p);
  return status;
}

/* [table | aggregate], whose columns get a standard deviation of 1 / sqrt(width): rows of norm about 1. The
 * aggregate is public, and is scaled in place. The table may be empty. */
static sotto_status append_scaled(sotto_matrix *table, sotto_matrix *aggregate, sotto_error *err) {
  sotto_matrix wider = {0};
  sotto_status status = sotto_i_columns_to_standard(aggregate, err);
  if (status != SOTTO_OK) return status;
  const float factor = (float)(1 / sqrt((double)aggregate->cols));
  for (size_t i = 0; i < aggregate->rows * aggregate->cols; i++) aggregate->data[i] *= factor;
  if (table->cols == 0)
    status = sotto_i_table_join(&wider, aggregate, &(sotto_matrix){0}, err);
  else
    status = sotto_i_table_join(&wider, table, aggregate, err);
  if (status != SOTTO_OK) return status;
  sotto_matrix_free(table);
  *table = wider;
  return SOTTO_OK;
}

/* [table | aggregate of this stage], which is released. */
static sotto_status append_aggregate(sotto_matrix *table, const plans *p, const sotto_i_private_net *net,
                                     uint32_t stage, const sotto_i_job *job, sotto_error *err) {
  sotto_matrix hidden = {0}, rows = {0}, released = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_private_net_rows(&hidden, net, table, true, err));
  SOTTO_TRY(sotto_i_unit_rows(&rows, &hidden, err));
  const sotto_i_progap_aggregate a = {
      .job = job, .plan = &p->release, .rows = &rows, .stage = stage, .item = stage};
  SOTTO_TRY(sotto_i_progap_release(&released, &a, err));
  SOTTO_TRY(append_scaled(table, &released, err));
done:
  sotto_matrix_free(&hidden);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&released);
  return status;
}

static void name_network(char out[name_size], uint32_t stage) {
  (void)snprintf(out, name_size, "stage%u", (unsigned)stage);
}

static sotto_status fit_stage(sotto_i_private_net *net, sotto_i_outcome *out, const plans *p,
                              const sotto_matrix *table, uint32_t stage, const sotto_i_private_fit *like,
                              sotto_error *err) {
  char name[name_size], file[48] = "model.safetensors";
  sotto_seed_result *q = &out->quality;
  sotto_i_private_fit fit = *like;
  name_network(name, stage);
  if (stage < p->stages) (void)snprintf(file, sizeof file, "stage%u.safetensors", (unsigned)stage);
  fit.table = table;
  fit.plan = &p->sgd[stage];
  fit.name = name;
  fit.stage = stage == 0 ? "encoder" : "network";
  fit.file = file;
  fit.item = item_of_training(p, stage);
  fit.number = stage;
  fit.part = stage == 0 ? 0 : stage - 1;
  return sotto_i_private_fit_run(net, stage == 0 ? &q->baseline_validation : &q->validation,
                                 stage == 0 ? &q->baseline_test : &q->test, &fit, err);
}

sotto_status sotto_i_progap_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans *p = NULL;
  sotto_i_parted parted = {0};
  sotto_matrix table = {0};
  sotto_i_private_net net = {.params = NULL};
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  SOTTO_TRY(plans_new(p, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_table_join(&table, job->features, &(sotto_matrix){0}, err));
  const sotto_i_private_fit common = {.job = job, .parted = &parted};
  for (uint32_t stage = 0; stage <= p->stages; stage++) {
    if (stage > 0) SOTTO_TRY(append_aggregate(&table, p, &net, stage, job, err));
    sotto_i_private_net_free(&net);
    SOTTO_TRY(fit_stage(&net, out, p, &table, stage, &common, err));
  }
  out->quality.seed = job->seed;
done:
  sotto_i_private_net_free(&net);
  sotto_matrix_free(&table);
  sotto_i_parted_free(&parted);
  sotto_i_free(p);
  return status;
}

sotto_status sotto_i_progap_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->job;
  const uint32_t stages = (uint32_t)job->options->layers;
  sotto_matrix aggregates = {0}, kept = {0};
  sotto_status status;
  char name[name_size];
  SOTTO_TRY(sotto_i_check_released_nodes(from, err));
  for (uint32_t stage = 1; stage <= stages; stage++) {
    bool found;
    SOTTO_TRY(sotto_i_progap_kept(&kept, &found, job, stage, err));
    if (!found) {
      status = sotto_i_fail(err, SOTTO_INVALID,
                            "%s: has no sums of stage %u for %s; give the folder as the training left it",
                            job->folder, (unsigned)stage, job->data->name);
      goto done;
    }
    SOTTO_TRY(append_scaled(&aggregates, &kept, err));
    sotto_matrix_free(&kept);
  }
  name_network(name, stages);
  return sotto_i_predict_beside_release(out, from, name, &aggregates, err);
done:
  sotto_matrix_free(&kept);
  sotto_matrix_free(&aggregates);
  return status;
}
