/* DPDGC: decoupled graph convolution. The adjacency is used once: the rows A W, with W bounded and
 * independent of the graph, are released with Gaussian noise. Everything after that is post-processing.
 * With rows of norm at most 1 an edge changes two sums by at most 1 each: sensitivity sqrt 2
 * (docs/privacy/edge-level.md; sum without the own row). W has the class probabilities of a perceptron on
 * features alone: few columns, so little noise for each row. The joint head reads a layer on the features
 * concatenated with a layer on the released rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/random.h"
#include "dpdgc.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "protocols/networks/networks.h"
#include "protocols/options.h"
#include "protocols/table.h"
#include "release/artifact.h"
#include "run/files/job_file.h"
#include "run/train/run.h"

enum { feature_streams = 160, joint_streams = 176, joint_key = 160 };

static bool is_k_neighbour(const sotto_options *o) {
  return o->adjacency == SOTTO_ADJACENCY_NEIGHBOURS;
}

static sotto_status plan_of(sotto_pmp_plan *plan, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_pmp_options pmp = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 1};
  if (is_k_neighbour(o))
    pmp.protection = (sotto_protection){.level = SOTTO_LEVEL_NEIGHBOURS,
                                        .most = sotto_i_dpdgc_settings_of(o)->neighbours,
                                        .row_clip = sotto_i_node_settings_of(o)->row_clip};
  return sotto_pmp_plan_new(plan, &pmp, job->data->graph.nodes, job->data->classes,
                            sotto_i_price_asked(o) ? o->epsilon : INFINITY, o->delta, err);
}

sotto_status sotto_i_dpdgc_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_pmp_plan plan;
  *out = (sotto_cost){
      .adjacency = "edge",
      .neighbours = is_k_neighbour(job->options) ? sotto_i_dpdgc_settings_of(job->options)->neighbours : 0};
  sotto_status status = plan_of(&plan, job, err);
  if (status != SOTTO_OK || !(plan.grid.sigma > 0)) return status;
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = plan.grid.sigma;
  gaussian.sensitivity = plan.sensitivity;
  out->items[out->count++] = (sotto_cost_item){
      .what = "sums of neighbours' class probabilities (from features alone), one row a node",
      .mechanism = gaussian,
      .mu = plan.mu};
  return SOTTO_OK;
}

sotto_status sotto_i_dpdgc_sums(sotto_matrix *out, const sotto_i_job *job, const sotto_matrix *rows,
                                const sotto_key *key, sotto_error *err) {
  sotto_release *made = NULL;
  sotto_pmp_plan plan;
  sotto_status status;
  SOTTO_TRY(plan_of(&plan, job, err));
  SOTTO_TRY(sotto_release_new(&made, &plan, &job->data->graph, rows, key, job->run_id, job->options->out, "",
                              job->observer, err));
  const sotto_matrix *sums = sotto_release_layer(made, 1);
  SOTTO_TRY(sotto_matrix_new(out, sums->rows, sums->cols, err));
  memcpy(out->data, sums->data, sums->rows * sums->cols * sizeof(float));
done:
  sotto_release_free(made);
  return status;
}

sotto_status sotto_i_dpdgc_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                  sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  sotto_i_world planned = {.inputs = {0}};
  sotto_status status = plan_of(&planned.plan, &job, err);
  (void)kind;
  if (status != SOTTO_OK) return status;
  planned.plan.options.raw = true;
  c->releases = 1;
  sotto_i_canary_layers(c);
  return sotto_i_canary_stars(c, &planned, 0, run->data->classes, err);
}

typedef struct release_context {
  const sotto_i_job *job;
  const sotto_matrix *rows;
} release_context;

/* The exact sums to which the noise is added. */
static sotto_status exact_sums(void *context, sotto_matrix *table, sotto_error *err) {
  const release_context *c = context;
  sotto_release *made = NULL;
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_status status;
  sotto_key_system(&key);
  SOTTO_TRY(plan_of(&plan, c->job, err));
  plan.grid.sigma = 0;
  plan.options.raw = true;
  SOTTO_TRY(sotto_release_new(&made, &plan, &c->job->data->graph, c->rows, &key, "", "", "", NULL, err));
  SOTTO_TRY(sotto_i_table_join(table, sotto_release_layer(made, 1), &(sotto_matrix){0}, err));
done:
  sotto_key_wipe(&key);
  sotto_release_free(made);
  return status;
}

static sotto_status make_noisy_sums(void *context, sotto_graph *graph, sotto_matrix *table,
                                    const sotto_key *key, sotto_error *err) {
  const release_context *c = context;
  (void)graph;
  return sotto_i_dpdgc_sums(table, c->job, c->rows, key, err);
}

typedef struct joint {
  sotto_i_dpdgc_networks net;
  sotto_matrix x[4], sums[4]; /* by part */
} joint;

sotto_var sotto_i_dpdgc_features(const sotto_i_dpdgc_networks *j, const sotto_pass *pass, sotto_var x) {
  return sotto_mlp_apply(&j->features, j->params, pass, x);
}

sotto_var sotto_i_dpdgc_logits(const sotto_i_dpdgc_networks *j, const sotto_pass *pass, sotto_var features,
                               sotto_var sums) {
  const sotto_activation act = j->job->options->activation;
  sotto_tape *tape = pass->tape;
  sotto_var a = sotto_linear_apply(&j->adjacency, j->params, tape, sums);
  return sotto_mlp_apply(&j->head, j->params, pass,
                         sotto_tape_concat(tape, features, sotto_activate(tape, a, act)));
}

static sotto_var joint_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  joint *j = model;
  sotto_var x = sotto_i_dpdgc_features(&j->net, pass, sotto_tape_fixed(pass->tape, &j->x[batch->part]));
  return sotto_i_dpdgc_logits(&j->net, pass, x, sotto_tape_constant(pass->tape, &j->sums[batch->part]));
}

sotto_status sotto_i_dpdgc_networks_new(sotto_i_dpdgc_networks *j, size_t sum_cols, const sotto_key *seed_key,
                                        sotto_error *err) {
  const sotto_options *o = j->job->options;
  sotto_status status;
  sotto_key key;
  sotto_i_key_derive(&key, seed_key, joint_key);
  sotto_mlp_options features = {.widths = {j->job->features->cols, o->hidden},
                                .layers = 1,
                                .activation = o->activation,
                                .activate_last = true};
  sotto_mlp_options head = {.widths = {2 * o->hidden, j->job->data->classes},
                            .layers = 1,
                            .activation = SOTTO_ACTIVATION_NONE,
                            .input_dropout = (float)o->dropout};
  SOTTO_TRY(sotto_mlp_new(&j->features, j->params, "joint.features", &features, feature_streams, &key, err));
  SOTTO_TRY(sotto_linear_new(&j->adjacency, j->params, "joint.adjacency", sum_cols, o->hidden, &key, err));
  SOTTO_TRY(sotto_mlp_new(&j->head, j->params, "joint.head", &head, joint_streams, &key, err));
done:
  return status;
}

static sotto_status copy_rows_by_part(joint *j, const sotto_i_parted *parted, const sotto_matrix *sums,
                                      sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    const uint32_t *rows = parted->split.rows[part];
    SOTTO_TRY(sotto_i_take_rows(&j->x[part], j->net.job->features, rows, parted->split.count[part], err));
    SOTTO_TRY(sotto_i_take_rows(&j->sums[part], sums, rows, parted->split.count[part], err));
  }
done:
  return status;
}

static sotto_status fit_joint(sotto_i_outcome *out, joint *j, const sotto_i_parted *parted,
                              const sotto_matrix *sums, sotto_error *err) {
  sotto_status status;
  sotto_key key;
  sotto_i_job_key(&key, j->net.job);
  SOTTO_TRY(sotto_i_dpdgc_networks_new(&j->net, sums->cols, &key, err));
  SOTTO_TRY(copy_rows_by_part(j, parted, sums, err));
  sotto_i_task task = {.model = j, .params = j->net.params, .forward = joint_forward, .key = &key};
  sotto_i_parted_learn(&task, parted);
  const sotto_i_job *job = j->net.job;
  sotto_i_stage stage = {.job = job, .name = "network", .epochs = job->options->epochs};
  SOTTO_TRY(sotto_i_fit_and_measure(&out->quality.validation, &out->quality.test, &task, &stage, err));
done:
  return status;
}

sotto_status sotto_i_dpdgc_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  sotto_i_parted parted = {0};
  sotto_matrix rows = {0};
  sotto_dataset released = {0};
  sotto_params *encoder = NULL;
  joint j = {.net = {.job = job}};
  char name[96];
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_params_new(&encoder, err));
  SOTTO_TRY(sotto_params_new(&j.net.params, err));
  const sotto_i_table_fit fit = {
      .job = job, .parted = &parted, .name = "encoder", .stage = "encoder", .epochs = o->encoder_epochs};
  SOTTO_TRY(sotto_i_table_fit_run(&out->quality.baseline_validation, &out->quality.baseline_test, &rows,
                                  encoder, job->rows, &fit, err));
  release_context context = {job, &rows};
  (void)snprintf(name, sizeof name, "dpdgc %s %llu %.17g %.17g", sotto_adjacency_name(o->adjacency),
                 (unsigned long long)(is_k_neighbour(o) ? sotto_i_dpdgc_settings_of(o)->neighbours : 1),
                 o->epsilon, o->delta);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                   .file = SOTTO_I_SUMS_FILE,
                   .made_with = name,
                   .processed = true}, /* normalised rows */
      .rows = job->data->graph.nodes,
      .context = &context,
      .make = make_noisy_sums,
      .exact = exact_sums};
  SOTTO_TRY(sotto_i_table_use(&released, NULL, &table, err));
  SOTTO_TRY(fit_joint(out, &j, &parted, &released.features, err));
  out->quality.seed = job->seed;
  const sotto_params *sets[] = {encoder, j.net.params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  for (int part = 0; part < 4; part++) {
    sotto_matrix_free(&j.x[part]);
    sotto_matrix_free(&j.sums[part]);
  }
  sotto_dataset_free(&released);
  sotto_matrix_free(&rows);
  sotto_params_free(j.net.params);
  sotto_params_free(encoder);
  sotto_i_parted_free(&parted);
  return status;
}
