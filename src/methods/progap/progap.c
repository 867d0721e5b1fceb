/* ProGAP (Sajadmanesh and Gatica-Perez 2024) at edge level: stages that are trained one after another.
 *
 * Stage 0 is a network on features alone. For stage s = 1 to K, the base network of stage s - 1 embeds every
 * node, rows are centred and scaled to norm 1, and their noisy sums over neighbours are released once. The
 * submodel of stage s starts with the base networks of stage s - 1, has a new one for the aggregate and a new
 * head, and is trained as a whole on features and all aggregates made so far. The stage that classifies
 * validation nodes best is the model. All but the releases is post-processing: features and labels are the
 * same in both graphs at edge level. */
#include "progap.h"

#include "base/error.h"
#include "base/memory.h"
#include "models/centre.h"
#include "nn/inside/nn.h"
#include "recipes/networks/networks.h"
#include "run/files/job_file.h"
#include "tensor/inside/tensor.h"

typedef struct state {
  const sotto_i_job *job;
  sotto_i_parted parted;
  sotto_pmp_plan plan;                                    /* of one release */
  sotto_i_progap_net net;                                 /* of the latest stage */
  sotto_matrix latest;                                    /* the latest aggregate, of all nodes */
  sotto_matrix inputs[SOTTO_I_PROGAP_MOST_STAGES + 1][4]; /* of the base networks, by part */
  sotto_i_progap_embedder embedders[SOTTO_I_PROGAP_MOST_STAGES];
  sotto_params *best; /* of the stage that is kept */
  uint32_t kept;
} state;

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  const state *s = model;
  sotto_var joined = {0};
  for (uint32_t i = 0; i <= s->net.stage; i++)
    joined = sotto_i_progap_net_join(&s->net, pass, joined, i,
                                     sotto_tape_fixed(pass->tape, &s->inputs[i][batch->part]));
  return sotto_i_progap_net_logits(&s->net, pass, joined);
}

static sotto_status fit(state *s, sotto_quality *validation, sotto_quality *test, sotto_error *err) {
  const sotto_options *o = s->job->options;
  const uint32_t number = s->net.stage;
  sotto_i_stage stage = {.job = s->job,
                         .name = number == 0 ? "encoder" : "network",
                         .part = number == 0 ? 0 : number - 1,
                         .epochs = number == 0 ? o->encoder_epochs : o->epochs};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  sotto_key key;
  sotto_i_job_key(&key, s->job);
  sotto_i_task task = {.model = s, .params = s->net.params, .forward = forward, .key = &key};
  for (int part = 0; part < 4; part++) {
    task.labels[part] = s->parted.labels[part];
    task.count[part] = s->parted.split.count[part];
  }
  return sotto_i_fit_and_measure(validation, test, &task, &training, &hook, err);
}

static sotto_status take_parts(state *s, uint32_t i, const sotto_matrix *from, sotto_error *err) {
  const sotto_split *split = &s->parted.split;
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&s->inputs[i][part], from, split->rows[part], split->count[part], err));
done:
  return status;
}

/* The release of this stage, from what the base network of the stage before makes of its input. */
static sotto_status aggregate(state *s, uint32_t stage, sotto_error *err) {
  const sotto_matrix *input = stage == 1 ? s->job->features : &s->latest;
  sotto_i_progap_embedder *embedder = &s->embedders[stage - 1];
  sotto_matrix embedded = {0}, rows = {0}, released = {0};
  sotto_key key;
  sotto_status status;
  sotto_i_job_key(&key, s->job);
  SOTTO_TRY(sotto_i_progap_embedder_new(embedder, s->job, stage - 1, &s->net, err));
  SOTTO_TRY(sotto_i_embed_all(&embedded, &embedder->base, embedder->params, input, &key, err));
  SOTTO_TRY(sotto_i_centred_rows(&rows, &embedded, err));
  const sotto_i_progap_aggregate a = {
      .job = s->job, .plan = &s->plan, .rows = &rows, .stage = stage, .item = stage - 1};
  SOTTO_TRY(sotto_i_progap_release(&released, &a, err));
  SOTTO_TRY(sotto_i_columns_to_standard(&released, err));
  SOTTO_TRY(take_parts(s, stage, &released, err));
  sotto_matrix_free(&s->latest);
  s->latest = released;
  released = (sotto_matrix){0};
done:
  sotto_matrix_free(&embedded);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&released);
  return status;
}

/* The submodel of this stage takes the place of the one before, whose base networks it gets. */
static sotto_status grow(state *s, uint32_t stage, sotto_error *err) {
  sotto_i_progap_net next;
  sotto_status status = sotto_i_progap_net_new(&next, s->job, stage, err);
  if (status == SOTTO_OK && stage > 0) sotto_i_progap_net_inherit(&next, &s->net);
  sotto_i_progap_net_free(&s->net);
  s->net = next;
  return status;
}

/* The stage becomes the model when validation likes it better than all before. */
static sotto_status judge(state *s, sotto_i_outcome *out, const sotto_quality *validation,
                          const sotto_quality *test, sotto_error *err) {
  const sotto_measure measure = s->job->options->select_by;
  sotto_seed_result *q = &out->quality;
  if (s->net.stage == 0) {
    q->baseline_validation = *validation;
    q->baseline_test = *test;
  } else if (sotto_i_quality_value(validation, measure) <= sotto_i_quality_value(&q->validation, measure)) {
    return SOTTO_OK;
  }
  q->validation = *validation;
  q->test = *test;
  s->kept = s->net.stage;
  sotto_params_free(s->best);
  return sotto_params_clone(&s->best, s->net.params, err);
}

/* The kept submodel, and by what its aggregates were made. */
static sotto_status save(const state *s, sotto_error *err) {
  const sotto_params *sets[SOTTO_I_PROGAP_MOST_STAGES + 1];
  for (uint32_t i = 0; i < s->kept; i++) sets[i] = s->embedders[i].params;
  sets[s->kept] = s->best;
  return sotto_i_job_save_model(s->job, sets, s->kept + 1, err);
}

static void state_free(state *s) {
  if (s == NULL) return;
  for (int i = 0; i <= SOTTO_I_PROGAP_MOST_STAGES; i++)
    for (int part = 0; part < 4; part++) sotto_matrix_free(&s->inputs[i][part]);
  for (int i = 0; i < SOTTO_I_PROGAP_MOST_STAGES; i++) sotto_params_free(s->embedders[i].params);
  sotto_matrix_free(&s->latest);
  sotto_params_free(s->best);
  sotto_i_progap_net_free(&s->net);
  sotto_i_parted_free(&s->parted);
  sotto_i_free(s);
}

sotto_status sotto_i_progap_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  state *s = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  s->job = job;
  out->quality.seed = job->seed;
  SOTTO_TRY(sotto_i_progap_edge_plan(&s->plan, job, err));
  SOTTO_TRY(sotto_i_parted_new(&s->parted, job, err));
  SOTTO_TRY(take_parts(s, 0, job->features, err));
  for (uint32_t stage = 0; stage <= job->options->layers; stage++) {
    sotto_quality validation, test;
    if (stage > 0) SOTTO_TRY(aggregate(s, stage, err));
    SOTTO_TRY(grow(s, stage, err));
    SOTTO_TRY(fit(s, &validation, &test, err));
    SOTTO_TRY(judge(s, out, &validation, &test, err));
  }
  SOTTO_TRY(save(s, err));
done:
  state_free(s);
  return status;
}
