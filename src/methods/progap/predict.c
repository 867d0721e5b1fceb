/* Predictions of ProGAP: the kept submodel on features and on the releases that the run keeps; without noise,
 * or for fresh noise, on sums that are made anew of what the embedders say of all rows. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "models/centre.h"
#include "nn/inside/nn.h"
#include "progap.h"
#include "recipes/answers/corrections.h"
#include "recipes/networks/networks.h"
#include "recipes/table.h"
#include "tensor/inside/tensor.h"

enum { most = SOTTO_I_PROGAP_MOST_STAGES };

typedef struct progressive {
  const sotto_i_job *job;
  sotto_pmp_plan plan;
  sotto_i_progap_net net;
  sotto_i_progap_embedder embedders[most];
  bool anew;                      /* sums are made for each query */
  bool own;                       /* of the run's data, whose releases it keeps */
  const sotto_i_job *release;     /* of other data: whose releases it reads; NULL: none */
  sotto_matrix medians[most + 1]; /* of stage i's rows, and moments of its aggregate: of the run's data */
  double *moments[most + 1];
  sotto_matrix inputs[most + 1]; /* aggregates of all nodes as the submodel reads them */
  sotto_key key;
} progressive;

/* [what base network 0 makes of features | what the first embedder does]. */
static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
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

/* The sums of a stage of these embeddings, with noise where the plan has it. */
static sotto_status sum_anew(sotto_matrix *out, const progressive *p, const sotto_matrix *embedded,
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

/* The release of a stage of other data, kept or made and charged. */
static sotto_status sum_charged(sotto_matrix *out, const progressive *p, const sotto_matrix *embedded,
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

static sotto_status no_release(const sotto_i_job *job, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: keeps no release of %s; noise for other data is another release, which is made and "
      "charged when epsilon is given for it",
      job->folder, job->data->name);
}

/* The aggregate of a stage, kept (`opening`) or of these embeddings, as the submodel reads it. Medians and
 * moments are those of the first time. */
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
  if (!found && charged && p->release == NULL) return no_release(p->job, err);
  if (!found)
    SOTTO_TRY(charged ? sum_charged(input, p, embedded, stage, err)
                      : sum_anew(input, p, embedded, stage, err));
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

/* Which stage the model is of: how many embedders are named in its file. */
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

sotto_status sotto_i_progap_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  progressive *p = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  *out = (sotto_i_predictor){.self = p, .rows = rows_of, .scores = scores_of, .free = free_progressive};
  p->job = from->job;
  p->own = from->own;
  p->release = from->release;
  sotto_i_job_key(&p->key, from->job);
  SOTTO_TRY(sotto_i_progap_edge_plan(&p->plan, from->job, err));
  SOTTO_TRY(make_networks(p, from->file, err));
  p->anew = p->net.stage > 0 && (from->fresh || !(p->plan.grid.sigma > 0));
  SOTTO_TRY(rows_of(p, &rows, from->job->features, NULL, err));
  SOTTO_TRY(read_stages(p, &rows, true, err));
  out->fixed = !p->anew;
done:
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_progap_narrow(sotto_options *options, const char *file, sotto_error *err) {
  uint32_t stage;
  sotto_status status = sotto_i_networks_named(&stage, file, "embedder", options->layers, err);
  if (status == SOTTO_OK) options->layers = stage;
  return status;
}
