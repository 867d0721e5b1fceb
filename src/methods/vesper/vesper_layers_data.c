/* The data party of vesper. It receives the split and trains the encoder by split learning without edges.
 * Then it makes R releases of K noisy layers, each charged before its first byte, with one step of the
 * network between two of them. */
#include "base/error.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "tensor/blas/norm.h"
#include "vesper.h"

static const char *const features_reason =
    "a function of each node's own features (and of earlier releases), which the label party may know: this "
    "adjacency does not protect them";
static const char embeddings_name[] = "embeddings.all", layer_name[] = "layer";
static const char *const no_noise_reason = "no privacy was asked for: aggregates of the graph without noise";

static sotto_status train_encoder(sotto_i_data_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  const sotto_split *split = &party->split;
  sotto_i_split_rows features = {.sources = NULL};
  sotto_status status;
  const sotto_i_keeper keeper = sotto_i_vesper_encoder_keeper(party->session);
  sotto_i_split_rows_set(&features, &c->data_rows, 1, NULL, split);
  const sotto_i_feature_side side = {.link = party->link,
                                     .encoder = &party->encoder,
                                     .params = party->params,
                                     .features = &features,
                                     .width = sotto_i_embedding_width(c->job->options),
                                     .epochs = c->job->options->encoder_epochs,
                                     .adam = sotto_i_job_training(c->job->options, 1).adam,
                                     .key = &c->key,
                                     .keeper = &keeper};
  status = sotto_i_split_feature_side(&side, err);
  sotto_i_split_rows_free(&features);
  return status;
}

/* Weights between layers begin as the identity, bounded. */
sotto_status sotto_i_vesper_add_weights(sotto_i_data_party *party, sotto_error *err) {
  const sotto_options *o = party->shared->job->options;
  size_t width = sotto_i_released_width(o);
  sotto_status status = SOTTO_OK;
  for (uint64_t k = 0; o->layer_weights && k < o->layers; k++) {
    char name[SOTTO_I_WEIGHT_NAME];
    sotto_i_layer_weight_name(name, k);
    SOTTO_TRY(sotto_params_add(party->params, &party->weights[k], name, width, width, SOTTO_INIT_ZERO, true,
                               &party->shared->key, err));
    sotto_matrix *weight = sotto_params_value(party->params, party->weights[k]);
    for (size_t j = 0; j < width; j++) weight->data[j * width + j] = 1;
    SOTTO_TRY(sotto_i_to_unit_operator(weight, err));
  }
done:
  return status;
}

/* Sends the embeddings unscaled, since their norms describe features too; the release starts from
 * normalised rows. */
static sotto_status send_release(sotto_i_data_party *party, sotto_release *release, const sotto_matrix *rows,
                                 sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  bool noisy = job->plan->grid.sigma > 0;
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_link_send_exposed(party->link, embeddings_name, features_reason, rows, err));
  for (uint32_t k = 1; k <= job->plan->options.layers; k++) {
    if (noisy)
      SOTTO_TRY(sotto_link_send_release(party->link, layer_name, release, k, err));
    else
      SOTTO_TRY(sotto_link_send_exposed(party->link, layer_name, no_noise_reason,
                                        sotto_release_layer(release, k), err));
  }
done:
  return status;
}

static sotto_status step_back(sotto_i_data_party *party, const sotto_release *release, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  sotto_matrix gradients = {0};
  const sotto_expectation expected = {.name = "gradients.layers",
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = party->split.count[SOTTO_PART_TRAIN],
                                      .cols = sotto_i_released_width(job->options) *
                                              (job->plan->options.layers + 1)};
  SOTTO_TRY(sotto_matrix_new(&gradients, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(party->link, &gradients, &expected, err));
  SOTTO_TRY(sotto_i_vesper_step_back(party, release, &gradients, err));
done:
  sotto_matrix_free(&gradients);
  return status;
}

/* The release of a round, to be sent, or, if it was sent before, for the gradient step. */
static sotto_status release_round(sotto_i_data_party *party, uint64_t round, bool sent, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  const sotto_matrix *weights[64] = {NULL};
  sotto_status status;
  sotto_release *release = NULL;
  sotto_matrix embeddings = {0}, rows = {0};
  for (uint64_t k = 0; job->options->layer_weights && k < job->options->layers; k++)
    weights[k] = sotto_params_value(party->params, party->weights[k]);
  SOTTO_TRY(sotto_i_embed_source(&embeddings, &party->encoder, party->params, &party->shared->data_rows,
                                 &party->shared->key, err));
  SOTTO_TRY(sotto_i_add_constant(&rows, &embeddings, job->options->constant, err));
  const sotto_i_release_request request = {.inputs = &rows,
                                           .weights = job->options->layer_weights ? weights : NULL,
                                           .round = round,
                                           .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                                           .number = round};
  SOTTO_TRY(sotto_i_job_release(&release, job, &request, err));
  if (!sent) SOTTO_TRY(send_release(party, release, &rows, err));
  if (round + 1 < sotto_i_job_releases(job->options)) SOTTO_TRY(step_back(party, release, err));
done:
  sotto_matrix_free(&embeddings);
  sotto_matrix_free(&rows);
  sotto_release_free(release);
  return status;
}

/* Adds exposures of earlier links, which the statement must have too. */
static sotto_status note_earlier(sotto_i_data_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status = SOTTO_OK;
  if (party->from.phase == 0 && party->from.step == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_split_feature_exposed(party->link, false, err));
  if (party->from.phase + party->from.step < 2 || party->from.phase == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_link_note(party->link, embeddings_name, features_reason, err));
  if (job->plan != NULL && job->plan->grid.sigma == 0)
    SOTTO_TRY(sotto_i_link_note(party->link, layer_name, no_noise_reason, err));
done:
  return status;
}

static sotto_status save_round(sotto_i_data_party *party, uint64_t round, sotto_error *err) {
  const sotto_i_saved_state state = {.sets = {party->params}, .count = 1};
  return sotto_i_vesper_keep_round(party->shared->job, party->session, round, &state, err);
}

static sotto_status run_rounds(sotto_i_data_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  uint64_t first = party->from.phase == 0 ? 0 : party->from.phase - 1,
           rounds = sotto_i_job_releases(job->options);
  sotto_status status = SOTTO_OK;
  for (uint64_t round = first; round < rounds; round++) {
    bool sent = party->from.phase == round + 1 && party->from.step == 1;
    if (sent && round + 1 == rounds) break; /* nothing more is required of this party */
    SOTTO_TRY(release_round(party, round, sent, err));
    if (round + 1 < rounds) SOTTO_TRY(save_round(party, round + 1, err));
  }
done:
  return status;
}

sotto_status sotto_i_vesper_layers_data(sotto_i_session *session, sotto_error *err) {
  sotto_i_data_party *party = session->own;
  const sotto_i_job *job = party->shared->job;
  const sotto_i_saved_state state = {.sets = {party->params}, .count = 1};
  sotto_status status;
  SOTTO_TRY(sotto_i_encoder_new(&party->encoder, party->params, "encoder", job->options,
                                party->shared->data_features.cols, &party->shared->key, err));
  party->from = sotto_i_vesper_place_of(job, party->session);
  SOTTO_TRY(note_earlier(party, err));
  SOTTO_TRY(sotto_i_receive_split(&party->split, party->link, job->data->graph.nodes, err));
  sotto_i_vesper_place_tell(party->from, job, party->link, &party->split);
  if (party->from.phase == 0) SOTTO_TRY(train_encoder(party, err));
  if (job->plan != NULL) SOTTO_TRY(sotto_i_vesper_add_weights(party, err));
  if (party->from.phase == 0)
    SOTTO_TRY(save_round(party, 0, err));
  else
    SOTTO_TRY(sotto_i_checkpoint_load(&party->session->checkpoints, &state, err));
  if (job->plan != NULL) SOTTO_TRY(run_rounds(party, err));
done:
  return status;
}
