/* The data party: networks by split learning without edges, then counts of neighbours by the label party's
 * clusters. An edge changes counts by 2 in the l1 norm whatever the clusters are. */
#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "protocols/training_part.h"
#include "protocols/unsure.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "vesper_halves.h"

static const char *const features_reason =
    "functions of each node's own features, which the label party may know under edge-level adjacency";
static const char *const no_noise_reason = "no privacy was asked for: counts of neighbours without noise";

typedef struct counter {
  sotto_i_data_party *party;
  sotto_i_folds folds;
  sotto_i_halves encoders;
  uint32_t classes;
  sotto_matrix clusters; /* nodes x classes: 1 in the cluster */
  uint8_t *levels;
} counter;

static const sotto_i_job *job_of(const counter *c) {
  return c->party->shared->job;
}

static sotto_status train_fold(counter *c, sotto_i_halves_place *place, sotto_error *err) {
  const uint32_t fold = place->fold;
  const sotto_i_keeper keeper = sotto_i_halves_keeper(place);
  const sotto_i_vesper *shared = c->party->shared;
  const sotto_i_parted whole = {.split = c->party->split};
  sotto_i_parted rest = {0};
  sotto_i_split_rows features = {.sources = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_folds_rest(&rest, &c->folds, &whole, fold, err));
  sotto_i_split_rows_set(&features, &shared->data_rows, 1, NULL, &rest.split);
  const sotto_i_feature_side side = {.link = c->party->link,
                                     .encoder = &c->encoders.mlp[fold],
                                     .params = c->encoders.params[fold],
                                     .features = &features,
                                     .width = sotto_i_embedding_width(shared->job->options),
                                     .adam = sotto_i_job_training(shared->job->options, 1).adam,
                                     .key = &c->encoders.key[fold],
                                     .keeper = &keeper};
  SOTTO_TRY(sotto_i_split_feature_side(&side, err));
  SOTTO_TRY(sotto_i_halves_keep(place, err));
done:
  sotto_i_split_rows_free(&features);
  sotto_i_training_part_free(&rest);
  return status;
}

/* The statement must also have exposures of earlier links. */
static sotto_status train_all(counter *c, sotto_error *err) {
  sotto_i_halves_place place = {&c->encoders, c->party->session, job_of(c)->options->encoder_epochs, 0};
  sotto_status status;
  SOTTO_TRY(sotto_i_halves_find(&place, err));
  if (place.fold > 0) SOTTO_TRY(sotto_i_split_feature_exposed(c->party->link, err));
  for (; place.fold < c->folds.count; place.fold++) SOTTO_TRY(train_fold(c, &place, err));
done:
  return status;
}

static sotto_status send_fold(counter *c, sotto_tape *tape, sotto_i_row_room *room, uint32_t fold,
                              sotto_error *err) {
  const sotto_i_row_source *features = &c->party->shared->data_rows;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < sotto_i_batch_count(features->rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, features->rows, i);
    sotto_matrix made;
    SOTTO_TRY(sotto_i_embed_rows(&made, room, tape, &c->encoders.mlp[fold], c->encoders.params[fold],
                                 features, &batch, &c->encoders.key[fold], err));
    SOTTO_TRY(sotto_link_send_exposed(c->party->link, SOTTO_I_ALL_NAME, features_reason, &made, err));
  }
done:
  return status;
}

static sotto_status send_embeddings(counter *c, sotto_error *err) {
  sotto_tape *tape = NULL;
  sotto_i_row_room room = {0};
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (uint32_t fold = 0; fold < c->folds.count; fold++) SOTTO_TRY(send_fold(c, tape, &room, fold, err));
done:
  sotto_i_row_room_free(&room);
  sotto_tape_free(tape);
  return status;
}

static sotto_status receive_classes(counter *c, sotto_error *err) {
  float number;
  sotto_matrix to = {&number, 1, 1};
  const sotto_expectation expected = {
      .name = SOTTO_I_CLASSES_NAME, .kind = SOTTO_WIRE_PUBLIC, .rows = 1, .cols = 1};
  sotto_status status = sotto_link_receive(c->party->link, &to, &expected, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(sotto_i_counts_classes(&c->classes, number, err));
  SOTTO_TRY(sotto_matrix_new(&c->clusters, job_of(c)->data->graph.nodes, c->classes, err));
  SOTTO_TRY(sotto_i_new(&c->levels, c->clusters.rows, sizeof *c->levels, err));
done:
  return status;
}

static sotto_status receive_clusters(counter *c, sotto_error *err) {
  sotto_status status;
  sotto_matrix told = {0};
  const sotto_expectation expected = {.name = SOTTO_I_CLUSTERS_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = c->clusters.rows,
                                      .cols = SOTTO_I_CLUSTER_COLUMNS};
  SOTTO_TRY(sotto_matrix_new(&told, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(c->party->link, &told, &expected, err));
  SOTTO_TRY(sotto_i_clusters_take(&c->clusters, c->levels, &told, err));
done:
  sotto_matrix_free(&told);
  return status;
}

static sotto_status run_round(counter *c, uint32_t round, sotto_error *err) {
  const sotto_i_job *job = job_of(c);
  const bool noisy = sotto_i_price_asked(job->options);
  sotto_link *link = c->party->link;
  sotto_status status;
  sotto_laplace_grid grid;
  sotto_i_receipt receipt;
  sotto_dataset released = {0};
  SOTTO_TRY(receive_clusters(c, err));
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, job->options, err));
  const sotto_i_counts counts = {.job = job,
                                 .scores = &c->clusters,
                                 .levels = c->levels,
                                 .noise = noisy ? &grid : NULL,
                                 .round = round,
                                 .item = round};
  SOTTO_TRY(sotto_i_counts_release(&released, &receipt, &counts, err));
  if (noisy)
    SOTTO_TRY(sotto_i_link_send_charged(link, SOTTO_I_COUNTS_NAME, &released.features, &receipt, err));
  else
    SOTTO_TRY(sotto_link_send_exposed(link, SOTTO_I_COUNTS_NAME, no_noise_reason, &released.features, err));
done:
  sotto_dataset_free(&released);
  return status;
}

sotto_status sotto_i_vesper_counts_data(sotto_i_data_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  counter c = {.party = party};
  sotto_status status;
  SOTTO_TRY(sotto_i_receive_split(&party->split, party->link, job->data->graph.nodes, err));
  SOTTO_TRY(receive_classes(&c, err));
  const sotto_i_parted whole = {.split = party->split};
  SOTTO_TRY(sotto_i_folds_deal(&c.folds, job, &whole, err));
  SOTTO_TRY(sotto_i_halves_encoders(&c.encoders, c.folds.count, job, party->shared->data_features.cols, err));
  SOTTO_TRY(train_all(&c, err));
  SOTTO_TRY(send_embeddings(&c, err));
  for (uint32_t round = 0; round < job->options->layers; round++) SOTTO_TRY(run_round(&c, round, err));
  SOTTO_TRY(sotto_i_halves_join(party->params, &c.encoders, err));
done:
  sotto_i_folds_free(&c.folds);
  sotto_i_halves_free(&c.encoders);
  sotto_matrix_free(&c.clusters);
  sotto_i_free(c.levels);
  return status;
}
