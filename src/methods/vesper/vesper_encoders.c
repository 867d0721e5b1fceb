/* Encoders of the publication by counts, at the side that has the features: split learning with each fold of
 * the training nodes left out, then embeddings of all nodes. No edge is used. */
#include "vesper_encoders.h"

#include "base/error.h"
#include "epoch_relay.h"
#include "inside/party.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "protocols/training_part.h"

static const char *const features_reason = "functions of each node's own features, which the label party may "
                                           "know: this adjacency does not protect them";

sotto_status sotto_i_encoders_new(sotto_i_encoders *e, sotto_error *err) {
  const sotto_i_parted whole = {.split = *e->split};
  const sotto_status status = sotto_i_folds_deal(&e->folds, e->job, &whole, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_halves_encoders(&e->halves, e->folds.count, e->job, e->rows->cols, e->holder, err);
}

void sotto_i_encoders_free(sotto_i_encoders *e) {
  sotto_i_folds_free(&e->folds);
  sotto_i_halves_free(&e->halves);
}

static sotto_status train_fold(sotto_i_encoders *e, sotto_i_halves_place *place, sotto_error *err) {
  const uint32_t fold = place->fold;
  const sotto_options *o = e->job->options;
  const sotto_i_keeper keeper = sotto_i_halves_keeper(place);
  const sotto_i_parted whole = {.split = *e->split};
  sotto_i_parted rest = {0};
  sotto_i_split_rows features = {.sources = NULL};
  sotto_i_epoch_relay relay = {.ranks = e->ranks};
  const sotto_i_epoch_hook hook = sotto_i_epoch_relay_hook(&relay);
  sotto_status status;
  SOTTO_TRY(sotto_i_folds_rest(&rest, &e->folds, &whole, fold, err));
  sotto_i_split_rows_set(&features, e->rows, 1, NULL, &rest.split);
  const sotto_i_feature_side side = {.link = e->link,
                                     .encoder = &e->halves.mlp[fold],
                                     .params = e->halves.params[fold],
                                     .features = &features,
                                     .width = sotto_i_embedding_width(o),
                                     .epochs = o->encoder_epochs,
                                     .adam = sotto_i_job_training(o, 1).adam,
                                     .key = &e->halves.key[fold],
                                     .keeper = &keeper,
                                     .hook = &hook,
                                     .unmeasured = true};
  SOTTO_TRY(sotto_i_split_feature_side(&side, err));
  SOTTO_TRY(sotto_i_epoch_relay_check(&relay, err));
  SOTTO_TRY(sotto_i_halves_keep(place, err));
done:
  sotto_i_split_rows_free(&features);
  sotto_i_training_part_free(&rest);
  return status;
}

sotto_status sotto_i_encoders_train(sotto_i_encoders *e, sotto_i_halves_place *place, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (; place->fold < e->folds.count; place->fold++) SOTTO_TRY(train_fold(e, place, err));
done:
  return status;
}

static sotto_status send_fold(sotto_i_encoders *e, sotto_tape *tape, sotto_i_row_room *room, uint32_t fold,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < sotto_i_batch_count(e->rows->rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, e->rows->rows, i);
    sotto_matrix made;
    SOTTO_TRY(sotto_i_embed_rows(&made, room, tape, &e->halves.mlp[fold], e->halves.params[fold], e->rows,
                                 &batch, &e->halves.key[fold], err));
    SOTTO_TRY(sotto_i_link_send_rounded(e->link, SOTTO_I_ALL_NAME, features_reason, &made, err));
  }
done:
  return status;
}

sotto_status sotto_i_encoders_send(sotto_i_encoders *e, sotto_error *err) {
  sotto_tape *tape = NULL;
  sotto_i_row_room room = {0};
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (uint32_t fold = 0; fold < e->folds.count; fold++) SOTTO_TRY(send_fold(e, tape, &room, fold, err));
done:
  sotto_i_row_room_free(&room);
  sotto_tape_free(tape);
  return status;
}
