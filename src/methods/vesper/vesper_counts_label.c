/* The label party: heads by split learning, clusters of all nodes, corrections learnt from counts. Its
 * messages follow from reported labels; the last correction, which is not sent, may use the true ones. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "epoch_relay.h"
#include "inside/party.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "protocols/cross_fit.h"
#include "protocols/expect.h"
#include "protocols/feature_clusters.h"
#include "protocols/rounds.h"
#include "protocols/table.h"
#include "protocols/training_part.h"
#include "protocols/transfer_weights.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "vesper_counts_ranks.h"
#include "vesper_features_once.h"

static const char *const clusters_reason =
    "the predicted class of each node (clusters = labels: of training nodes their label) and its "
    "confidence; neighbours are counted by class";

static const char *const kind_reason =
    "whether neighbours are counted by class, by clusters of features, by transfers or by kinds; pilots' "
    "labels decide it";

static const char *const weights_reason = "what a relation of each cell, to a node of each predicted class, "
                                          "adds to a sum; pilots' labels and noisy "
                                          "counts decide it";

static const char *const expected_reason =
    "what edges are expected to add, which follows from predictions and labels, of no edge";

typedef struct reader {
  sotto_i_label_party *party;
  sotto_link *const *encoders;     /* to the sides that have the encoders: party->holders of them */
  sotto_link *inside;              /* where that is a thread of this party */
  sotto_i_features_once *features; /* NULL: that is the data party */
  sotto_i_folds folds;
  sotto_i_halves heads;
  sotto_i_parted shown; /* the split with reported labels; borrowed */
  sotto_i_vesper_first first;
  bool few_features;
  sotto_i_rounds rounds;
} reader;

static const sotto_i_job *job_of(const reader *r) {
  return r->party->shared->job;
}

static sotto_i_parted shown_parted(const sotto_i_vesper *shared) {
  sotto_i_parted out = *shared->parted;
  for (int part = 0; shared->reported.flip > 0 && part < 4; part++)
    out.labels[part] = shared->reported.labels[part];
  return out;
}

static sotto_status train_fold(reader *r, sotto_i_halves_place *place, sotto_error *err) {
  const uint32_t fold = place->fold;
  const sotto_i_vesper *shared = r->party->shared;
  const sotto_i_job *job = shared->job;
  const bool has_own = shared->label_features.cols > 0;
  sotto_matrix own[4] = {{0}};
  sotto_i_parted rest = {0}, truth = {0};
  sotto_i_targets shown[4] = {{0}}, true_ones[4] = {{0}};
  sotto_quality validation, test;
  sotto_status status;
  sotto_i_stage stage = {.job = job, .name = "encoder", .epochs = job->options->encoder_epochs, .part = fold};
  sotto_i_epoch_relay relay = sotto_i_epoch_relay_of(&stage);
  const sotto_i_epoch_hook hook = sotto_i_epoch_relay_hook(&relay);
  const sotto_i_keeper keeper = sotto_i_halves_keeper(place);
  sotto_i_training training = sotto_i_job_training(job->options, stage.epochs);
  training.keeper = &keeper;
  SOTTO_TRY(sotto_i_folds_rest(&rest, &r->folds, &r->shown, fold, err));
  SOTTO_TRY(sotto_i_folds_rest(&truth, &r->folds, shared->parted, fold, err));
  for (sotto_part part = SOTTO_PART_TRAIN; has_own && part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&own[part], &shared->label_features, rest.split.rows[part],
                                rest.split.count[part], err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    shown[part] = sotto_i_parted_targets(&rest, part);
    true_ones[part] = sotto_i_parted_targets(&truth, part);
  }
  shown[SOTTO_PART_TRAIN].flip = shared->reported.flip;
  const sotto_i_label_side side = {.links = r->encoders,
                                   .link_count = r->party->holders,
                                   .head = &r->heads.mlp[fold],
                                   .params = r->heads.params[fold],
                                   .width = sotto_i_embedding_width(job->options),
                                   .shown = shown,
                                   .truth = true_ones,
                                   .own = has_own ? own : NULL,
                                   .training = training,
                                   .key = &r->heads.key[fold],
                                   .hook = &hook,
                                   .unmeasured = true};
  SOTTO_TRY(sotto_i_split_label_side(&validation, &test, &side, err));
  SOTTO_TRY(sotto_i_epoch_relay_check(&relay, err));
  SOTTO_TRY(sotto_i_halves_keep(place, err));
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&own[part]);
  sotto_i_training_part_free(&rest);
  sotto_i_training_part_free(&truth);
  return status;
}

/* Checkpoints are of a training over the network. */
static sotto_status train_all(reader *r, sotto_error *err) {
  const bool here = r->features != NULL;
  sotto_i_session *session = here ? NULL : r->party->session;
  sotto_i_halves_place place = {&r->heads, session, r->party->shared->job->options->encoder_epochs, 0};
  sotto_status status;
  SOTTO_TRY(sotto_i_halves_find(&place, err));
  for (size_t i = 0; place.fold > 0 && i < r->party->holders; i++)
    SOTTO_TRY(sotto_i_split_label_exposed(r->party->links[i], err));
  sotto_i_halves_tell(&place, job_of(r), r->party->link, &r->shown.split, job_of(r)->data->classes,
                      here ? sotto_i_features_once_rows(r->features)->cols : 0);
  for (; place.fold < r->folds.count; place.fold++) SOTTO_TRY(train_fold(r, &place, err));
  SOTTO_TRY(sotto_i_epoch_relay_end(sotto_i_job_ranks(job_of(r)), err));
done:
  return status;
}

/* A batch of embeddings of all nodes, those of several holders side by side. */
static sotto_status receive_rows(sotto_matrix *out, const reader *r, const sotto_i_batch *batch,
                                 sotto_error *err) {
  const sotto_expectation expected = {.name = SOTTO_I_ALL_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = batch->count,
                                      .cols = sotto_i_embedding_width(job_of(r)->options)};
  sotto_matrix one = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&one, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_matrix_new(out, expected.rows, r->party->holders * expected.cols, err));
  for (size_t i = 0; i < r->party->holders; i++) {
    SOTTO_TRY(sotto_i_link_receive_rounded(r->encoders[i], &one, &expected, err));
    sotto_i_table_put(out, i * one.cols, &one);
  }
done:
  sotto_matrix_free(&one);
  return status;
}

/* One batch of a fold's class probabilities, from the received embeddings. These are also projected, unless
 * `projected` is empty. */
static sotto_status receive_batch(sotto_matrix *out, sotto_matrix *projected, const reader *r,
                                  sotto_tape *tape, uint32_t fold, const sotto_i_batch *batch,
                                  sotto_error *err) {
  const sotto_i_vesper *shared = r->party->shared;
  const sotto_matrix *own = &shared->label_features;
  const sotto_matrix beside = {own->cols == 0 ? NULL : own->data + batch->begin * own->cols, batch->count,
                               own->cols};
  sotto_matrix rows = {0}, joined = {0};
  sotto_status status;
  SOTTO_TRY(receive_rows(&rows, r, batch, err));
  if (projected->cols > 0) sotto_i_halves_project(projected, batch->begin, &rows, job_of(r));
  SOTTO_TRY(sotto_i_table_join(&joined, &rows, &beside, err));
  SOTTO_TRY(sotto_i_embed_batch(out, tape, &r->heads.mlp[fold], r->heads.params[fold], &joined,
                                &r->heads.key[fold], err));
  sotto_i_rows_to_softmax(out);
done:
  sotto_matrix_free(&rows);
  sotto_matrix_free(&joined);
  return status;
}

/* Adds a fold's class probabilities, batch by batch. */
static sotto_status receive_fold(sotto_matrix *scores, sotto_matrix *projected, const reader *r,
                                 uint32_t fold, sotto_error *err) {
  sotto_tape *tape = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (size_t i = 0; i < sotto_i_batch_count(scores->rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, scores->rows, i);
    sotto_matrix made;
    SOTTO_TRY(receive_batch(&made, projected, r, tape, fold, &batch, err));
    sotto_i_folds_add_from(scores, &made, &r->folds, fold, batch.begin);
  }
done:
  sotto_tape_free(tape);
  return status;
}

/* With several holders the answers are read from these. */
static sotto_status keep_scores(reader *r, const sotto_matrix *scores, sotto_error *err) {
  if (r->first.owners == 0) return SOTTO_OK;
  sotto_matrix_free(&r->party->scores);
  return sotto_i_table_join(&r->party->scores, scores, &(sotto_matrix){0}, err);
}

static sotto_status receive_first(reader *r, sotto_error *err) {
  sotto_i_vesper_first *first = &r->first;
  sotto_matrix none = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vesper_first_new(first, r->few_features, err));
  for (uint32_t fold = 0; fold < r->folds.count; fold++)
    SOTTO_TRY(receive_fold(&first->scores, fold == 0 ? &first->projected : &none, r, fold, err));
  sotto_i_to_logarithms(&first->scores);
  SOTTO_TRY(sotto_i_scores_measure(&first->validation, &first->test, &first->scores, job_of(r),
                                   r->party->shared->parted, err));
  SOTTO_TRY(keep_scores(r, &first->scores, err));
  r->party->baseline_validation = first->validation;
  r->party->baseline_test = first->test;
  SOTTO_TRY(sotto_i_vesper_first_give(first, err));
done:
  return status;
}

static sotto_status train_and_receive(reader *r, sotto_error *err) {
  const sotto_status status = train_all(r, err);
  return status == SOTTO_OK ? receive_first(r, err) : status;
}

/* Both sides of the encoders' training, where the data party shows its features. */
static sotto_status train_here(reader *r, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_features_once_new(&r->features, job_of(r), r->party->link, err));
  SOTTO_TRY(sotto_i_features_once_begin(r->features, &r->inside, &r->party->shared->parted->split, err));
  r->encoders = &r->inside;
  status = train_and_receive(r, err);
  SOTTO_TRY(sotto_i_features_once_end(r->features, status, err));
done:
  sotto_i_features_once_free(r->features);
  return status;
}

/* What edges are expected to add. The data party, which is charged, is asked. */
static sotto_status send_expected(const reader *r, sotto_error *err) {
  sotto_expected *expected = &r->party->expected;
  float numbers[SOTTO_I_EXPECTED_NUMBERS];
  const sotto_matrix sent = {numbers, 1, SOTTO_I_EXPECTED_NUMBERS};
  sotto_status status;
  if (!sotto_i_price_asked(job_of(r)->options) || r->first.owners > 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_expected_of(expected, &r->rounds, err));
  sotto_i_expected_write(numbers, expected);
  SOTTO_TRY(sotto_link_send_exposed(r->party->link, SOTTO_I_EXPECTED_NAME, expected_reason, &sent, err));
  if (!r->party->session->local) sotto_i_expected_tell(expected, job_of(r), false);
done:
  return status;
}

/* The data party counts by these at once, unless there are pilots. */
static sotto_status send_clusters(reader *r, uint32_t round, sotto_error *err) {
  sotto_i_clusters clusters = {.of = NULL};
  sotto_matrix told = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_rounds_clusters(&clusters, &r->rounds, err));
  SOTTO_TRY(sotto_i_clusters_tell(&told, &clusters, r->rounds.levels, err));
  sotto_i_clusters_free(&clusters);
  if (sotto_i_rounds_stages(&r->rounds, round) == 1) SOTTO_TRY(sotto_i_rounds_share(&r->rounds, err));
  for (size_t i = 0; i < r->party->holders; i++)
    SOTTO_TRY(
        sotto_link_send_exposed(r->party->links[i], SOTTO_I_CLUSTERS_NAME, clusters_reason, &told, err));
done:
  sotto_i_clusters_free(&clusters);
  sotto_matrix_free(&told);
  return status;
}

/* The counts of a stage: a row a pilot, or a node, of those that this rank holds (NULL: all). Those of
 * several holders are added up. */
static sotto_status receive_counts(sotto_matrix *counts, const reader *r, const sotto_i_rank_rows *held,
                                   size_t clusters, sotto_i_pilot_stage stage, sotto_error *err) {
  const sotto_i_job *job = job_of(r);
  const sotto_expectation expected = {
      .name = SOTTO_I_COUNTS_NAME,
      .kind = sotto_i_price_asked(job->options) ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
      .rows = stage == SOTTO_I_STAGE_OTHERS ? job->data->graph.nodes : r->rounds.pilots.count[stage],
      .cols = clusters};
  sotto_matrix more = {0};
  sotto_status status;
  *counts = (sotto_matrix){NULL, held == NULL ? expected.rows : held->count, expected.cols};
  /* not zeroed: so it takes no memory before the counts are there */
  SOTTO_TRY(sotto_i_new_raw(&counts->data, counts->rows * counts->cols, sizeof *counts->data, err));
  SOTTO_TRY(held == NULL ? sotto_link_receive(r->party->link, counts, &expected, err)
                         : sotto_i_link_receive_held(r->party->link, counts, held, &expected, err));
  for (size_t i = 1; i < r->party->holders; i++) {
    if (i == 1) SOTTO_TRY(sotto_matrix_new(&more, expected.rows, expected.cols, err));
    SOTTO_TRY(sotto_link_receive(r->party->links[i], &more, &expected, err));
    for (size_t k = 0; k < more.rows * more.cols; k++) counts->data[k] += more.data[k];
  }
done:
  sotto_matrix_free(&more);
  return status;
}

static sotto_status send_kind(const reader *r, sotto_error *err) {
  float number = (float)r->rounds.kind;
  const sotto_matrix sent = {&number, 1, 1};
  return sotto_link_send_exposed(r->party->link, SOTTO_I_CLUSTER_KIND_NAME, kind_reason, &sent, err);
}

static sotto_status send_weights(const reader *r, sotto_error *err) {
  return sotto_link_send_exposed(r->party->link, SOTTO_I_CLUSTER_WEIGHTS_NAME, weights_reason,
                                 sotto_params_value(r->rounds.weights, 0), err);
}

static size_t cells_of(const reader *r, sotto_i_cluster_kind kind) {
  if (kind == SOTTO_I_BY_TRANSFERS) return r->first.transfer_cells;
  if (kind == SOTTO_I_BY_KINDS) return r->first.kind_cells;
  return kind == SOTTO_I_BY_FEATURES ? SOTTO_I_FEATURE_CLUSTERS : job_of(r)->data->classes;
}

/* A survey stays with the data party. */
static sotto_status run_stage(reader *r, uint32_t round, uint32_t number, sotto_error *err) {
  const sotto_i_pilot_stage stage = sotto_i_rounds_stage(&r->rounds, round, number);
  const bool last = stage == SOTTO_I_STAGE_OTHERS;
  const bool weighed = sotto_i_rounds_weighed(&r->rounds, round, number);
  const size_t cells = weighed ? 1 : cells_of(r, sotto_i_rounds_kind(&r->rounds, round, number));
  const sotto_i_rank_rows *held = last && sotto_i_rounds_hold_some(&r->rounds) ? &r->rounds.held : NULL;
  sotto_matrix counts = {0};
  sotto_status status = SOTTO_OK;
  if (stage == SOTTO_I_STAGE_SURVEY) goto done;
  if (last && sotto_i_rounds_stages(&r->rounds, round) > 1) {
    SOTTO_TRY(sotto_i_rounds_share(&r->rounds, err));
    SOTTO_TRY(send_kind(r, err));
  }
  if (weighed) SOTTO_TRY(send_weights(r, err));
  SOTTO_TRY(receive_counts(&counts, r, held, cells, stage, err));
  sotto_i_row_source rows = sotto_i_row_source_of(&counts);
  rows.held = held;
  SOTTO_TRY(sotto_i_rounds_read(&r->rounds, &rows, round, number, err));
done:
  sotto_matrix_free(&counts);
  return status;
}

static sotto_status run_round(reader *r, uint32_t round, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(send_clusters(r, round, err));
  for (uint32_t stage = 0; stage < sotto_i_rounds_stages(&r->rounds, round); stage++)
    SOTTO_TRY(run_stage(r, round, stage, err));
  SOTTO_TRY(sotto_i_rounds_correct(&r->rounds, round, err));
  if (r->rounds.kept == round + 1) SOTTO_TRY(keep_scores(r, &r->rounds.latest, err));
done:
  return status;
}

/* Two for each kind, where there are transfers. */
static bool is_possible_of_kinds(float cells, float of_transfers) {
  return cells == 0 ||
         (of_transfers > 0 && cells >= 2 && cells <= SOTTO_I_MOST_KIND_CELLS && fmodf(cells, 2) == 0);
}

/* Two directions of the bins of amounts, of times, of both, or of none. */
static bool is_possible_of_transfers(float cells, bool fine) {
  const float amounts = fine ? SOTTO_I_FINE_AMOUNT_BINS : SOTTO_I_AMOUNT_BINS;
  return cells == 0 || cells == 2 || cells == 2 * amounts || cells == 2 * SOTTO_I_TIME_BINS ||
         cells == 2 * amounts * SOTTO_I_TIME_BINS;
}

static bool is_possible(const float told[4], bool fine) {
  return (told[0] == 0 || told[0] == SOTTO_I_FEATURE_CLUSTERS) && (told[1] == 0 || told[1] == 1) &&
         is_possible_of_transfers(told[2], fine) && is_possible_of_kinds(told[3], told[2]);
}

/* Receives what a data party can count by, and whether its columns are few. One of several holders has no
 * choice. */
static sotto_status receive_choice(reader *r, sotto_link *link, sotto_error *err) {
  float told[4];
  sotto_matrix to = {told, 1, 4};
  const sotto_expectation expected = {
      .name = SOTTO_I_FEATURE_CLUSTERS_NAME, .kind = SOTTO_WIRE_PUBLIC, .rows = 1, .cols = 4};
  const sotto_status status = sotto_link_receive(link, &to, &expected, err);
  const bool none = told[0] == 0 && told[1] == 0 && told[2] == 0 && told[3] == 0;
  if (status != SOTTO_OK) return status;
  if (!is_possible(told, sotto_i_is_fine(job_of(r)->data->classes, job_of(r)->options)) ||
      (r->first.owners > 0 && !none))
    return sotto_i_fail(err, SOTTO_PROTOCOL,
                        "clusters.features: the data party says %g, %g, %g and %g; these must be 0 or %d "
                        "clusters, 0 or 1, and numbers of cells of transfers and of kinds that there can be",
                        (double)told[0], (double)told[1], (double)told[2], (double)told[3],
                        SOTTO_I_FEATURE_CLUSTERS);
  r->first.choice =
      (sotto_i_cluster_choice){.features = told[0] > 0, .transfers = told[2] > 0, .kinds = told[3] > 0};
  r->few_features = told[1] > 0;
  r->first.transfer_cells = (size_t)told[2];
  r->first.kind_cells = (size_t)told[3];
  return SOTTO_OK;
}

/* Rounds after the best one do not affect its scores, so they are left out. */
static sotto_status collect_networks(reader *r, sotto_error *err) {
  sotto_i_label_party *party = r->party;
  sotto_status status;
  SOTTO_TRY(sotto_i_halves_join(party->head_params, &r->heads, err));
  for (uint32_t round = 0; round < r->rounds.kept; round++)
    SOTTO_TRY(sotto_i_hand_over(party->params, r->rounds.params[round], &party->shared->key, err));
  party->validation = r->rounds.validation;
  party->test = r->rounds.test;
done:
  return status;
}

sotto_status sotto_i_vesper_counts_label(sotto_i_session *session, sotto_error *err) {
  sotto_i_label_party *party = session->own;
  const sotto_i_vesper *shared = party->shared;
  const sotto_i_job *job = shared->job;
  reader r = {.party = party, .encoders = party->links, .shown = shown_parted(shared)};
  const size_t width = sotto_i_embedding_width(job->options),
               beside = shared->label_features.cols + (party->holders - 1) * width;
  r.first = (sotto_i_vesper_first){.job = job,
                                   .parted = shared->parted,
                                   .shown = &r.shown,
                                   .owners = party->holders > 1 ? party->holders : 0,
                                   .reported = shared->reported.flip > 0};
  float classes = (float)job->data->classes;
  const sotto_matrix number = {&classes, 1, 1};
  sotto_status status;
  if (job->data->classes > SOTTO_I_MOST_CLUSTERS)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "the data has %u classes; counts of neighbours are released by at most %d clusters",
                        job->data->classes, SOTTO_I_MOST_CLUSTERS);
  for (size_t i = 0; i < party->holders; i++) {
    SOTTO_TRY(sotto_i_send_split(party->links[i], &shared->parted->split, job->data->graph.nodes, err));
    SOTTO_TRY(sotto_link_send_public(party->links[i], SOTTO_I_CLASSES_NAME, &number, err));
    SOTTO_TRY(receive_choice(&r, party->links[i], err));
  }
  SOTTO_TRY(sotto_i_folds_deal(&r.folds, job, shared->parted, err));
  SOTTO_TRY(sotto_i_halves_heads(&r.heads, r.folds.count, job, beside, err));
  SOTTO_TRY(sotto_i_shares_features(job->options) ? train_here(&r, err) : train_and_receive(&r, err));
  SOTTO_TRY(sotto_i_vesper_rounds_begin(&r.rounds, &r.first, err));
  SOTTO_TRY(send_expected(&r, err));
  for (uint32_t round = 0; round < job->options->layers; round++) SOTTO_TRY(run_round(&r, round, err));
  SOTTO_TRY(collect_networks(&r, err));
done:
  sotto_i_rounds_free(&r.rounds);
  sotto_i_folds_free(&r.folds);
  sotto_i_halves_free(&r.heads);
  sotto_i_vesper_first_free(&r.first);
  return status;
}
