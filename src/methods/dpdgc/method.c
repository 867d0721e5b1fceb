/* DPDGC: one noisy sum over neighbours of class probabilities from an encoder. */
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "dpdgc.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "methods/layers_then_classify/central.h"
#include "options.h"
#include "protocols/answers/predict_private.h"
#include "protocols/networks/networks.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/table.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

typedef struct decoupled {
  const sotto_i_job *job;
  sotto_params *encoder_params;
  sotto_mlp encoder;
  sotto_i_dpdgc_networks joint;
  bool kept;         /* the sums are those of the run's release */
  sotto_matrix sums; /* of all nodes */
  sotto_key key;
} decoupled;

/* [features layer of the joint network | class probabilities of the encoder]. */
static sotto_status encode_rows(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                sotto_error *err) {
  const decoupled *d = self;
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_matrix features = {0}, said = {0};
  (void)nodes;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = &d->key};
  SOTTO_TRY(sotto_tape_copy(&features, tape,
                            sotto_i_dpdgc_features(&d->joint, &pass, sotto_tape_fixed(tape, x)), err));
  SOTTO_TRY(sotto_i_embed_all(&said, &d->encoder, d->encoder_params, x, &d->key, err));
  sotto_i_rows_to_softmax(&said);
  SOTTO_TRY(sotto_i_table_join(out, &features, &said, err));
done:
  sotto_tape_free(tape);
  sotto_matrix_free(&features);
  sotto_matrix_free(&said);
  return status;
}

static sotto_status recompute_sums(decoupled *d, const sotto_matrix *rows, sotto_error *err) {
  const size_t hidden = d->job->options->hidden;
  sotto_i_job anew = *d->job;
  sotto_matrix said = {0};
  sotto_key key;
  sotto_status status;
  anew.run_id = "not charged";
  sotto_key_system(&key);
  sotto_matrix_free(&d->sums);
  SOTTO_TRY(sotto_i_take_columns(&said, rows, hidden, rows->cols, err));
  SOTTO_TRY(sotto_i_dpdgc_sums(&d->sums, &anew, &said, &key, err));
done:
  sotto_key_wipe(&key);
  sotto_matrix_free(&said);
  return status;
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  decoupled *d = self;
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_matrix own = {0}, features = {0}, sums = {0};
  if (!d->kept) SOTTO_TRY(recompute_sums(d, rows, err));
  SOTTO_TRY(sotto_i_take_rows(&own, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_columns(&features, &own, 0, d->job->options->hidden, err));
  SOTTO_TRY(sotto_i_take_rows(&sums, &d->sums, nodes, count, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = &d->key};
  SOTTO_TRY(sotto_tape_copy(out, tape,
                            sotto_i_dpdgc_logits(&d->joint, &pass, sotto_tape_constant(tape, &features),
                                                 sotto_tape_constant(tape, &sums)),
                            err));
done:
  sotto_tape_free(tape);
  sotto_matrix_free(&own);
  sotto_matrix_free(&features);
  sotto_matrix_free(&sums);
  return status;
}

static void free_decoupled(void *self) {
  decoupled *d = self;
  sotto_params_free(d->encoder_params);
  sotto_params_free(d->joint.params);
  sotto_matrix_free(&d->sums);
  sotto_i_free(d);
}

static sotto_status load_sums(decoupled *d, sotto_error *err) {
  const sotto_dataset *data = d->job->data;
  sotto_dataset kept = {0};
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, d->job->folder, SOTTO_I_SUMS_FILE, err));
  SOTTO_TRY(sotto_dataset_open(&kept, path, NULL, err));
  if (kept.features.rows != data->graph.nodes || kept.features.cols != data->classes) {
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: is of other data than %s; noise for that is another release, to be made and "
                          "charged by a run of its own",
                          path, data->name);
    goto done;
  }
  SOTTO_TRY(sotto_i_table_join(&d->sums, &kept.features, &(sotto_matrix){0}, err));
  d->kept = true;
done:
  sotto_dataset_free(&kept);
  sotto_i_free(path);
  return status;
}

static sotto_status dpdgc_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->job;
  sotto_status status;
  decoupled *d = NULL;
  if (job->options->adjacency == SOTTO_ADJACENCY_NODE) return sotto_i_central_node_open(out, from, err);
  SOTTO_TRY(sotto_i_new(&d, 1, sizeof *d, err));
  *out = (sotto_i_predictor){.self = d, .rows = encode_rows, .scores = scores_of, .free = free_decoupled};
  d->job = d->joint.job = job;
  sotto_i_job_key(&d->key, job);
  SOTTO_TRY(sotto_params_new(&d->encoder_params, err));
  SOTTO_TRY(sotto_params_new(&d->joint.params, err));
  const sotto_i_table_fit fit = {.job = job, .parted = from->parted, .name = "encoder"};
  SOTTO_TRY(sotto_i_table_net_new(&d->encoder, d->encoder_params, job->features->cols, &fit, err));
  SOTTO_TRY(sotto_i_dpdgc_networks_new(&d->joint, job->data->classes, &d->key, err));
  sotto_params *sets[] = {d->encoder_params, d->joint.params};
  SOTTO_TRY(sotto_params_load(sets, 2, from->file, err));
  if (job->cost->count > 0 && !from->fresh) {
    SOTTO_TRY(sotto_i_opening_check(from, err));
    SOTTO_TRY(load_sums(d, err));
  }
  out->fixed = d->kept;
done:
  return status;
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge k-neighbour node"},
    {.key = "row-clip", .adjacencies = SOTTO_I_NEIGHBOURS | SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = 1U << SOTTO_I_CANARY_PAIR,
     .canary = sotto_i_dpdgc_canary,
     .run = sotto_i_dpdgc_run,
     .price = sotto_i_dpdgc_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_own_answer,
     .edges = true,
     .own_rows = true,
     .own_alone = sotto_i_no_node_release,
     .protocol = &sotto_i_central_decoupled,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_central_node_canary,
     .run = sotto_i_central_node_run,
     .price = sotto_i_central_node_price},
};

const sotto_i_method sotto_i_method_dpdgc = {
    .name = "dpdgc",
    .summary = "one noisy sum over neighbours, apart from features",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Chien et al. 2023",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows,
                          "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                         {&sotto_i_network_rows, "hidden activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "row-clip encoder-share release-share batch-rate clip steps"},
                         {&sotto_i_dpdgc_rows, NULL}},
                SOTTO_I_CHANGES(changes)},
    .open = dpdgc_open,
    SOTTO_I_VARIANTS(variants),
};
