/* ProGAP: progressive stages, each with a noisy sum over neighbours. */
#include <stdio.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/centre.h"
#include "progap.h"
#include "protocols/answers/corrections.h"
#include "protocols/answers/predict_private.h"
#include "protocols/networks/networks.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/table.h"
#include "run/files/job_file.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

enum { most = SOTTO_I_PROGAP_MOST_STAGES };

typedef struct progressive {
  const sotto_i_job *job;
  sotto_pmp_plan plan;
  sotto_i_progap_net net;
  sotto_i_progap_embedder embedders[most];
  bool anew;                      /* sums are computed for each query */
  bool own;                       /* the data is that of the run, whose releases are stored */
  const sotto_i_job *release;     /* for other data: the job whose releases are read; NULL: none */
  sotto_matrix medians[most + 1]; /* of stage i's rows, and moments of its aggregate: of the run's data */
  double *moments[most + 1];
  sotto_matrix inputs[most + 1]; /* inputs of the submodel: aggregates of all nodes */
  sotto_key key;
} progressive;

/* [base network 0 applied to features | first embedder applied to them]. */
static sotto_status embed_rows(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                               sotto_error *err) {
  const progressive *p = self;
  const sotto_i_progap_embedder *first = &p->embedders[0];
  sotto_matrix own = {0}, embedded = {0};
  sotto_status status;
  (void)nodes;
  SOTTO_TRY(sotto_i_embed_all(&own, &p->net.base[0], p->net.params, x, &p->key, err));
  if (p->net.stage > 0) SOTTO_TRY(sotto_i_embed_all(&embedded, &first->base, first->params, x, &p->key, err));
  SOTTO_TRY(sotto_i_table_join(out, &own, &embedded, err));
done:
  sotto_matrix_free(&own);
  sotto_matrix_free(&embedded);
  return status;
}

/* The sums of a stage over these embeddings, with noise if the plan has it. */
static sotto_status compute_sums(sotto_matrix *out, const progressive *p, const sotto_matrix *embedded,
                                 uint32_t stage, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_key key;
  sotto_status status;
  sotto_key_system(&key);
  SOTTO_TRY(sotto_i_centred_by(&rows, embedded, &p->medians[stage], err));
  const sotto_i_progap_aggregate a = {.job = p->job, .plan = &p->plan, .rows = &rows, .stage = stage};
  SOTTO_TRY(sotto_i_progap_sums(out, &a, &key, err));
done:
  sotto_matrix_free(&rows);
  sotto_key_wipe(&key);
  return status;
}

/* The release of a stage for other data, stored or made and charged. */
static sotto_status release_sums(sotto_matrix *out, const progressive *p, const sotto_matrix *embedded,
                                 uint32_t stage, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_pmp_plan plan;
  sotto_status status;
  SOTTO_TRY(sotto_i_progap_edge_plan(&plan, p->release, err));
  SOTTO_TRY(sotto_i_centred_by(&rows, embedded, &p->medians[stage], err));
  const sotto_i_progap_aggregate a = {
      .job = p->release, .plan = &plan, .rows = &rows, .stage = stage, .item = stage - 1};
  SOTTO_TRY(sotto_i_progap_release(out, &a, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

static sotto_status fail_without_release(const sotto_i_job *job, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: keeps no release of %s; noise for other data is another release, which is made and "
      "charged when epsilon is given for it",
      job->folder, job->data->name);
}

/* The aggregate of a stage as input of the submodel: stored (`opening`), or of these embeddings. Medians
 * and moments are those of the first call. */
static sotto_status read_stage(progressive *p, const sotto_matrix *embedded, uint32_t stage, bool opening,
                               sotto_error *err) {
  const bool noisy = p->plan.grid.sigma > 0;
  bool found = false;
  sotto_matrix *input = &p->inputs[stage];
  sotto_status status;
  sotto_matrix_free(input);
  if (opening) SOTTO_TRY(sotto_i_column_medians(&p->medians[stage], embedded, err));
  if (opening && noisy && p->own) SOTTO_TRY(sotto_i_progap_kept(input, &found, p->job, stage, err));
  const bool charged = noisy && !p->anew;
  if (!found && charged && p->release == NULL) return fail_without_release(p->job, err);
  if (!found)
    SOTTO_TRY(charged ? release_sums(input, p, embedded, stage, err)
                      : compute_sums(input, p, embedded, stage, err));
  if (opening) SOTTO_TRY(sotto_i_column_moments(&p->moments[stage], input, err));
  sotto_i_columns_by_moments(input, p->moments[stage]);
done:
  return status;
}

static sotto_status read_stages(progressive *p, const sotto_matrix *rows, bool opening, sotto_error *err) {
  const size_t hidden = p->job->options->hidden;
  sotto_matrix embedded = {0};
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 1; i <= p->net.stage; i++) {
    const sotto_i_progap_embedder *by = &p->embedders[i - 1];
    sotto_matrix_free(&embedded);
    if (i == 1)
      SOTTO_TRY(sotto_i_take_columns(&embedded, rows, hidden, 2 * hidden, err));
    else
      SOTTO_TRY(sotto_i_embed_all(&embedded, &by->base, by->params, &p->inputs[i - 1], &p->key, err));
    SOTTO_TRY(read_stage(p, &embedded, i, opening, err));
  }
done:
  sotto_matrix_free(&embedded);
  return status;
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  progressive *p = self;
  sotto_matrix taken = {0}, own = {0}, inputs[most + 1] = {{0}};
  sotto_tape *tape = NULL;
  sotto_status status;
  if (p->anew) SOTTO_TRY(read_stages(p, rows, false, err));
  SOTTO_TRY(sotto_i_take_rows(&taken, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_columns(&own, &taken, 0, p->job->options->hidden, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = &p->key};
  sotto_var joined = sotto_tape_constant(tape, &own);
  for (uint32_t i = 1; i <= p->net.stage; i++) {
    SOTTO_TRY(sotto_i_take_rows(&inputs[i], &p->inputs[i], nodes, count, err));
    joined = sotto_i_progap_net_join(&p->net, &pass, joined, i, sotto_tape_constant(tape, &inputs[i]));
  }
  SOTTO_TRY(sotto_tape_copy(out, tape, sotto_i_progap_net_logits(&p->net, &pass, joined), err));
done:
  sotto_tape_free(tape);
  sotto_matrix_free(&taken);
  sotto_matrix_free(&own);
  for (int i = 0; i <= most; i++) sotto_matrix_free(&inputs[i]);
  return status;
}

static void free_progressive(void *self) {
  progressive *p = self;
  for (int i = 0; i < most; i++) sotto_params_free(p->embedders[i].params);
  for (int i = 0; i <= most; i++) {
    sotto_matrix_free(&p->medians[i]);
    sotto_matrix_free(&p->inputs[i]);
    sotto_i_free(p->moments[i]);
  }
  sotto_i_progap_net_free(&p->net);
  sotto_i_free(p);
}

/* The model's stage: the number of embedders in its file. */
static sotto_status make_networks(progressive *p, const char *file, sotto_error *err) {
  sotto_params *sets[most + 1];
  uint32_t stage;
  sotto_status status;
  SOTTO_TRY(sotto_i_networks_named(&stage, file, "embedder", p->job->options->layers, err));
  for (uint32_t i = 0; i < stage; i++) {
    SOTTO_TRY(sotto_i_progap_embedder_new(&p->embedders[i], p->job, i, NULL, err));
    sets[i] = p->embedders[i].params;
  }
  SOTTO_TRY(sotto_i_progap_net_new(&p->net, p->job, stage, err));
  sets[stage] = p->net.params;
  SOTTO_TRY(sotto_params_load(sets, stage + 1, file, err));
done:
  return status;
}

static sotto_status progap_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  progressive *p = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  if (from->job->options->adjacency == SOTTO_ADJACENCY_NODE) return sotto_i_progap_node_open(out, from, err);
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  *out = (sotto_i_predictor){.self = p, .rows = embed_rows, .scores = scores_of, .free = free_progressive};
  p->job = from->job;
  p->own = from->own;
  p->release = from->release;
  sotto_i_job_key(&p->key, from->job);
  SOTTO_TRY(sotto_i_progap_edge_plan(&p->plan, from->job, err));
  SOTTO_TRY(make_networks(p, from->file, err));
  p->anew = p->net.stage > 0 && (from->fresh || !(p->plan.grid.sigma > 0));
  SOTTO_TRY(embed_rows(p, &rows, from->job->features, NULL, err));
  SOTTO_TRY(read_stages(p, &rows, true, err));
  out->fixed = !p->anew;
done:
  sotto_matrix_free(&rows);
  return status;
}

static sotto_status progap_narrow(sotto_options *options, const char *file, sotto_error *err) {
  uint32_t stage;
  sotto_status status = sotto_i_networks_named(&stage, file, "embedder", options->layers, err);
  if (status == SOTTO_OK) options->layers = stage;
  return status;
}

typedef struct state {
  const sotto_i_job *job;
  sotto_i_parted parted;
  sotto_pmp_plan plan;                                    /* of one release */
  sotto_i_progap_net net;                                 /* of the latest stage */
  sotto_matrix latest;                                    /* the latest aggregate of all nodes */
  sotto_matrix inputs[SOTTO_I_PROGAP_MOST_STAGES + 1][4]; /* of the base networks, by part */
  sotto_i_progap_embedder embedders[SOTTO_I_PROGAP_MOST_STAGES];
  sotto_params *best; /* of the best stage */
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

static sotto_status fit_stage(state *s, sotto_quality *validation, sotto_quality *test, sotto_error *err) {
  const sotto_options *o = s->job->options;
  const uint32_t number = s->net.stage;
  sotto_i_stage stage = {.job = s->job,
                         .name = number == 0 ? "encoder" : "network",
                         .part = number == 0 ? 0 : number - 1,
                         .epochs = number == 0 ? o->encoder_epochs : o->epochs};
  sotto_key key;
  sotto_i_job_key(&key, s->job);
  sotto_i_task task = {.model = s, .params = s->net.params, .forward = forward, .key = &key};
  sotto_i_parted_learn(&task, &s->parted);
  return sotto_i_fit_and_measure(validation, test, &task, &stage, err);
}

static sotto_status copy_rows_by_part(state *s, uint32_t i, const sotto_matrix *from, sotto_error *err) {
  const sotto_split *split = &s->parted.split;
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&s->inputs[i][part], from, split->rows[part], split->count[part], err));
done:
  return status;
}

/* The release of this stage, from the base network of the stage before. */
static sotto_status release_aggregate(state *s, uint32_t stage, sotto_error *err) {
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
  SOTTO_TRY(copy_rows_by_part(s, stage, &released, err));
  sotto_matrix_free(&s->latest);
  s->latest = released;
  released = (sotto_matrix){0};
done:
  sotto_matrix_free(&embedded);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&released);
  return status;
}

/* The submodel of this stage replaces that of the stage before, and copies its base networks. */
static sotto_status add_stage(state *s, uint32_t stage, sotto_error *err) {
  sotto_i_progap_net next;
  sotto_status status = sotto_i_progap_net_new(&next, s->job, stage, err);
  if (status == SOTTO_OK && stage > 0) sotto_i_progap_net_inherit(&next, &s->net);
  sotto_i_progap_net_free(&s->net);
  s->net = next;
  return status;
}

/* The stage becomes the model if it is better on validation nodes than all before. */
static sotto_status update_best(state *s, sotto_i_outcome *out, const sotto_quality *validation,
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

/* Saves the best submodel, and the embedders of its aggregates. */
static sotto_status save_model(const state *s, sotto_error *err) {
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

static sotto_status progap_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  state *s = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  s->job = job;
  out->quality.seed = job->seed;
  SOTTO_TRY(sotto_i_progap_edge_plan(&s->plan, job, err));
  SOTTO_TRY(sotto_i_parted_new(&s->parted, job, err));
  SOTTO_TRY(copy_rows_by_part(s, 0, job->features, err));
  for (uint32_t stage = 0; stage <= job->options->layers; stage++) {
    sotto_quality validation, test;
    if (stage > 0) SOTTO_TRY(release_aggregate(s, stage, err));
    SOTTO_TRY(add_stage(s, stage, err));
    SOTTO_TRY(fit_stage(s, &validation, &test, err));
    SOTTO_TRY(update_best(s, out, &validation, &test, err));
  }
  SOTTO_TRY(save_model(s, err));
done:
  state_free(s);
  return status;
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  sotto_status status = sotto_i_check_node_combine(o, err);
  return status == SOTTO_OK ? sotto_i_check_floor(o, err) : status;
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "aggregator", .choices = "gin gcn mean"},
    {.key = "combine", .choices = "cat sum max mean attention", .help = "how the head joins the stages"},
    {.key = "activation", .help = "of the embeddings"},
    {.key = "layers", .help = "stages with a release, K, after the one on features alone"},
    {.key = "encoder-epochs", .help = "epochs of the stage on features alone"},
    {.key = "epochs", .help = "epochs of each later stage"},
    {.key = "row-clip", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};

/* A second release leaves more noise on the first, which is worthwhile only with a large budget. At node
 * level a floor of max-degree makes all weights equal, which has the least sensitivity. */
static const sotto_i_option_default defaults[] = {
    {"layers", "1", .adjacencies = SOTTO_I_NODE, .noise = SOTTO_I_WITH_NOISE},
    {"layers", "1", .noise = SOTTO_I_WITH_NOISE, .below = 12},
    {"degree-floor", .as = "max-degree", .adjacencies = SOTTO_I_NODE},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_progap_canary,
     .run = progap_run,
     .price = sotto_i_progap_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_own_answer,
     .edges = true,
     .own_rows = true,
     .own_alone = sotto_i_no_node_release,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_progap_node_canary,
     .run = sotto_i_progap_node_run,
     .price = sotto_i_progap_node_price},
};

const sotto_i_method sotto_i_method_progap = {
    .name = "progap",
    .summary = "stages trained one after another, each with a noisy sum over neighbours",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Sajadmanesh and Gatica-Perez 2024",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .central = true,
    .options =
        {.uses = {{&sotto_i_run_rows, NULL},
                  {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                  {&sotto_i_network_rows, "aggregator layers degree-floor hidden activation combine dropout"},
                  {&sotto_i_training_rows,
                   "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                  {&sotto_i_node_rows,
                   "row-clip row-sign encoder-share release-share batch-rate clip steps"}},
         SOTTO_I_CHANGES(changes),
         SOTTO_I_DEFAULTS(defaults)},
    .check = check,
    .open = progap_open,
    .narrow = progap_narrow,
    SOTTO_I_VARIANTS(variants),
};
