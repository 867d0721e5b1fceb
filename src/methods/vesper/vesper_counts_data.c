/* The data party: networks by split learning without edges, then counts of neighbours by the label party's
 * clusters. An edge changes counts by 2 in the l1 norm whatever the clusters are. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "epoch_relay.h"
#include "inside/party.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "protocols/correction_scale.h"
#include "protocols/counts.h"
#include "protocols/expect.h"
#include "protocols/feature_clusters.h"
#include "protocols/pilots.h"
#include "protocols/table.h"
#include "protocols/transfer_weights.h"
#include "protocols/unsure.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "tensor/columns.h"
#include "vesper_counts_ranks.h"
#include "vesper_encoders.h"
#include "vesper_features_once.h"

static const char *const no_noise_reason = "no privacy was asked for: counts of neighbours without noise";

typedef struct counter {
  sotto_i_data_party *party;
  sotto_i_encoders encoders;
  uint32_t classes;
  sotto_i_clusters clusters, by_features; /* by class, and by features where these are a choice */
  sotto_params *centres;                  /* NULL: features are not clustered */
  sotto_i_transfer_bins bins;             /* amounts 0: there are no transfers */
  sotto_i_transfer_bins kinds;            /* of these; kinds 0: they have none */
  sotto_params *weights;                  /* of the cells of one of both; NULL: relations are counted */
  sotto_i_pilots pilots;
  uint8_t *levels;
} counter;

static const sotto_i_job *job_of(const counter *c) {
  return c->party->shared->job;
}

static void tell_exchange(const counter *c, const sotto_i_halves_place *place) {
  const sotto_i_encoders *e = &c->encoders;
  sotto_i_halves_tell(place, e->job, e->link, e->split, c->classes, e->rows->cols);
}

/* The statement must also have exposures of earlier links. */
static sotto_status train_jointly(counter *c, sotto_error *err) {
  sotto_i_encoders *e = &c->encoders;
  sotto_i_halves_place place = {&e->halves, c->party->session, job_of(c)->options->encoder_epochs, 0};
  sotto_status status;
  SOTTO_TRY(sotto_i_halves_find(&place, err));
  if (place.fold > 0) SOTTO_TRY(sotto_i_split_feature_exposed(e->link, true, err));
  tell_exchange(c, &place);
  SOTTO_TRY(sotto_i_encoders_train(e, &place, err));
  SOTTO_TRY(sotto_i_encoders_send(e, err));
done:
  return status;
}

/* The label party trains, with the features that it gets. */
static sotto_status train_there(counter *c, sotto_error *err) {
  const sotto_i_halves_place place = {.halves = &c->encoders.halves};
  sotto_status status;
  tell_exchange(c, &place);
  status = sotto_i_features_send(c->encoders.link, c->encoders.rows, err);
  return status == SOTTO_OK ? sotto_i_weights_receive(&c->encoders, err) : status;
}

static sotto_status receive_classes(counter *c, sotto_error *err) {
  float number;
  sotto_matrix to = {&number, 1, 1};
  const sotto_expectation expected = {
      .name = SOTTO_I_CLASSES_NAME, .kind = SOTTO_WIRE_PUBLIC, .rows = 1, .cols = 1};
  sotto_status status = sotto_link_receive(c->party->link, &to, &expected, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(sotto_i_counts_classes(&c->classes, number, err));
  SOTTO_TRY(sotto_i_clusters_new(&c->clusters, job_of(c)->data->graph.nodes, c->classes, err));
  SOTTO_TRY(sotto_i_new(&c->levels, c->clusters.nodes, sizeof *c->levels, err));
done:
  return status;
}

static const char unanswered[] =
    "it is not known that edges add anything, and their holder was asked whether to train in any case";

/* Hears what edges are expected to add, and asks before the first charge. Another process hears why the run
 * ends; in this process the question itself is the error. */
static sotto_status receive_expected(const counter *c, sotto_error *err) {
  sotto_expected *expected = &c->party->expected;
  float numbers[SOTTO_I_EXPECTED_NUMBERS];
  sotto_matrix to = {numbers, 1, SOTTO_I_EXPECTED_NUMBERS};
  const sotto_expectation form = {
      .name = SOTTO_I_EXPECTED_NAME, .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = SOTTO_I_EXPECTED_NUMBERS};
  sotto_status status;
  if (!sotto_i_price_asked(job_of(c)->options) || c->party->holder > 0) return SOTTO_OK;
  SOTTO_TRY(sotto_link_receive(c->party->link, &to, &form, err));
  SOTTO_TRY(sotto_i_expected_read(expected, numbers, c->classes, err));
  sotto_i_expected_tell(expected, job_of(c), false);
  status = sotto_i_expected_ask(expected, job_of(c), false, err);
  if (status == SOTTO_REFUSED && !c->party->session->local) sotto_link_close(c->party->link, unanswered);
done:
  return status;
}

static sotto_status receive_clusters(counter *c, sotto_error *err) {
  sotto_status status;
  sotto_matrix told = {0};
  const sotto_expectation expected = {.name = SOTTO_I_CLUSTERS_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = c->clusters.nodes,
                                      .cols = SOTTO_I_CLUSTER_COLUMNS};
  SOTTO_TRY(sotto_matrix_new(&told, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(c->party->link, &told, &expected, err));
  SOTTO_TRY(sotto_i_clusters_take(&c->clusters, c->levels, &told, err));
done:
  sotto_matrix_free(&told);
  return status;
}

static sotto_status cluster_features(counter *c, sotto_error *err) {
  const sotto_i_row_source *rows = &c->party->shared->data_rows;
  sotto_key key;
  sotto_status status;
  sotto_i_job_key(&key, job_of(c));
  SOTTO_TRY(sotto_params_new(&c->centres, err));
  SOTTO_TRY(sotto_i_feature_clusters_fit(c->centres, rows, &key, err));
  SOTTO_TRY(sotto_i_feature_clusters_of(&c->by_features, c->centres, rows, err));
done:
  return status;
}

/* What neighbours can be counted by beside classes. Several holders count by class alone, since their counts
 * are added up. */
static sotto_i_cluster_choice choice_of(const counter *c) {
  const sotto_dataset *data = job_of(c)->data;
  if (c->party->holder > 0) return (sotto_i_cluster_choice){.features = false};
  return (sotto_i_cluster_choice){.features = sotto_i_can_cluster_features(c->party->shared->data_rows.cols),
                                  .transfers = sotto_i_has_transfers(data),
                                  .kinds = sotto_i_has_kinds(data)};
}

/* Tells the label party of this choice, and draws the pilots who choose. */
static sotto_status offer_choice(counter *c, sotto_error *err) {
  const sotto_dataset *data = job_of(c)->data;
  const sotto_i_row_source *rows = &c->party->shared->data_rows;
  const sotto_i_parted whole = {.split = c->party->split};
  const sotto_i_cluster_choice choice = choice_of(c);
  const bool few = c->party->holder == 0 && rows->cols <= SOTTO_I_MOST_OWN_COLUMNS;
  sotto_status status;
  if (choice.transfers)
    sotto_i_transfer_bins_none(&c->bins, &data->transfers, sotto_i_is_fine(c->classes, job_of(c)->options));
  if (choice.kinds) SOTTO_TRY(sotto_i_kind_bins(&c->kinds, data, 0, err));
  float told[4] = {choice.features ? SOTTO_I_FEATURE_CLUSTERS : 0, few,
                   choice.transfers ? (float)sotto_i_transfer_cells(&c->bins) : 0,
                   choice.kinds ? (float)sotto_i_transfer_cells(&c->kinds) : 0};
  const sotto_matrix sent = {told, 1, 4};
  SOTTO_TRY(sotto_link_send_public(c->party->link, SOTTO_I_FEATURE_CLUSTERS_NAME, &sent, err));
  SOTTO_TRY(sotto_i_pilots_draw(&c->pilots, job_of(c), &whole, choice, err));
  if (c->pilots.nodes[SOTTO_I_STAGE_FEATURES] != NULL) SOTTO_TRY(cluster_features(c, err));
done:
  return status;
}

/* One release of counts: of a group, or of all other nodes. */
typedef struct stage {
  sotto_i_pilot_stage number; /* OTHERS: of all other nodes */
  bool after_pilots;
  sotto_i_cluster_kind kind;
  uint8_t *levels; /* owned */
} stage;

static size_t stages_of(sotto_i_pilot_stage out[SOTTO_I_STAGES], const counter *c, uint32_t round) {
  if (round == 0 && c->pilots.group != NULL) return sotto_i_pilots_stages(out, &c->pilots);
  out[0] = SOTTO_I_STAGE_OTHERS;
  return 1;
}

static sotto_status receive_kind(sotto_i_cluster_kind *kind, counter *c, sotto_error *err) {
  float number;
  sotto_matrix to = {&number, 1, 1};
  const sotto_expectation expected = {
      .name = SOTTO_I_CLUSTER_KIND_NAME, .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = 1};
  sotto_status status = sotto_link_receive(c->party->link, &to, &expected, err);
  if (status != SOTTO_OK) return status;
  for (sotto_i_cluster_kind k = SOTTO_I_BY_CLASS; k < SOTTO_I_CLUSTER_KINDS; k++) {
    *kind = k;
    if (number == (float)k && c->pilots.nodes[sotto_i_pilots_stage(k)] != NULL) return SOTTO_OK;
  }
  return sotto_i_fail(
      err, SOTTO_PROTOCOL,
      "clusters.kind: the label party says %g; it must be 0 for classes, or 1 for features, 2 for "
      "transfers or 3 for kinds where there are pilots of these",
      (double)number);
}

/* The cells of a kind; NULL: it has none of transfers. */
static sotto_i_transfer_bins *bins_of(counter *c, sotto_i_cluster_kind kind) {
  if (kind == SOTTO_I_BY_KINDS) return &c->kinds;
  return kind == SOTTO_I_BY_TRANSFERS ? &c->bins : NULL;
}

/* Whatever weights the label party sends, a relation moves sums by no more than the noise is for. */
static sotto_status receive_weights(counter *c, sotto_i_cluster_kind kind, sotto_error *err) {
  const sotto_expectation expected = {.name = SOTTO_I_CLUSTER_WEIGHTS_NAME,
                                      .kind = SOTTO_WIRE_EXPOSED,
                                      .rows = SOTTO_I_WEIGHT_ROWS,
                                      .cols = SOTTO_I_WEIGHED_CLASSES};
  sotto_status status = SOTTO_OK;
  if (!sotto_i_is_weighed(kind, c->classes, job_of(c)->options)) goto done;
  SOTTO_TRY(sotto_i_transfer_weights_new(&c->weights, err));
  sotto_matrix *weights = sotto_params_value(c->weights, 0);
  SOTTO_TRY(sotto_link_receive(c->party->link, weights, &expected, err));
  SOTTO_TRY(sotto_i_transfer_weights_check(weights, SOTTO_PROTOCOL, err));
  bins_of(c, kind)->weights = weights;
done:
  return status;
}

/* Where relations are weighed, training nodes count least, and all others alike (rounds.c). */
static void spare_training(uint8_t *levels, const counter *c) {
  const sotto_split *split = &c->party->split;
  sotto_i_levels_alike(levels, c->clusters.nodes, split->rows[SOTTO_PART_TRAIN],
                       split->count[SOTTO_PART_TRAIN]);
}

/* Pilots follow from the split. If the label party named them, it could have an edge counted too often. */
static sotto_status prepare_stage(stage *s, counter *c, sotto_error *err) {
  const size_t nodes = c->clusters.nodes;
  const bool last = s->number == SOTTO_I_STAGE_OTHERS;
  sotto_status status = SOTTO_OK;
  s->kind = last ? SOTTO_I_BY_CLASS : sotto_i_pilots_kind(s->number);
  if (s->after_pilots) SOTTO_TRY(receive_kind(&s->kind, c, err));
  if (s->after_pilots) SOTTO_TRY(receive_weights(c, s->kind, err));
  SOTTO_TRY(sotto_i_new_raw(&s->levels, nodes, sizeof *s->levels, err));
  memcpy(s->levels, c->levels, nodes);
  if (s->after_pilots && c->weights != NULL) spare_training(s->levels, c);
  if (!last) sotto_i_pilots_levels(s->levels, nodes, &c->pilots, s->number);
  if (s->after_pilots && sotto_i_price_asked(job_of(c)->options))
    sotto_i_pilots_spent(s->levels, nodes, &c->pilots);
done:
  return status;
}

static sotto_status send_counts(const counter *c, sotto_dataset *released, const sotto_i_receipt *receipt,
                                sotto_error *err) {
  sotto_link *link = c->party->link;
  const sotto_i_row_source rows = sotto_i_counts_released(released);
  return sotto_i_price_asked(job_of(c)->options)
             ? sotto_i_link_send_charged_rows(link, SOTTO_I_COUNTS_NAME, &rows, receipt, err)
             : sotto_i_link_send_exposed_rows(link, SOTTO_I_COUNTS_NAME, no_noise_reason, &rows, err);
}

/* The survey's bins are this party's own; the label party is not told. */
static sotto_status read_survey(counter *c, const sotto_matrix *row, const sotto_laplace_grid *noise,
                                sotto_error *err) {
  return sotto_i_survey_read(&c->bins, row, noise != NULL ? noise->scale : 0, err);
}

/* Nothing is counted after the last stage. */
static void forget_cells(counter *c) {
  sotto_i_clusters_free(&c->clusters);
  sotto_i_clusters_free(&c->by_features);
  sotto_i_free(c->levels);
  c->levels = NULL;
}

static sotto_status run_stage(counter *c, uint32_t round, stage *s, sotto_error *err) {
  const sotto_i_job *job = job_of(c);
  const bool noisy = sotto_i_price_asked(job->options), last = s->number == SOTTO_I_STAGE_OTHERS;
  const bool survey = s->number == SOTTO_I_STAGE_SURVEY, ends = last && round + 1 == job->options->layers;
  sotto_status status;
  sotto_laplace_grid grid;
  sotto_i_receipt receipt;
  sotto_dataset released = {0};
  SOTTO_TRY(prepare_stage(s, c, err));
  const sotto_i_transfer_bins *bins = bins_of(c, s->kind);
  const bool weighed = bins != NULL && bins->weights != NULL;
  if (noisy) SOTTO_TRY(sotto_i_release_grid(&grid, weighed, job->options, err));
  const sotto_i_counts counts = {.job = job,
                                 .clusters = s->kind == SOTTO_I_BY_FEATURES ? &c->by_features : &c->clusters,
                                 .levels = s->levels,
                                 .noise = noisy ? &grid : NULL,
                                 .round = round,
                                 .item = round,
                                 .owner = c->party->holder,
                                 .part = last && !s->after_pilots ? c->party->part : s->number,
                                 .stage = last ? 0 : s->number,
                                 .rows = last || survey ? NULL : c->pilots.nodes[s->number],
                                 .row_count = c->pilots.count[s->number],
                                 .survey = survey,
                                 .bins = bins};
  SOTTO_TRY(sotto_i_vesper_counts_share(&counts, c->encoders.ranks, err));
  SOTTO_TRY(sotto_i_counts_release(&released, &receipt, &counts, err));
  if (ends) forget_cells(c);
  SOTTO_TRY(survey ? read_survey(c, &released.features, counts.noise, err)
                   : send_counts(c, &released, &receipt, err));
done:
  sotto_i_free(s->levels);
  sotto_dataset_free(&released);
  return status;
}

/* What a release of other data needs, for the model. */
static sotto_status keep_cells(counter *c, sotto_error *err) {
  const sotto_i_vesper *shared = c->party->shared;
  sotto_params *bins = NULL;
  sotto_status status = SOTTO_OK;
  if (c->centres != NULL) SOTTO_TRY(sotto_i_hand_over(c->party->params, c->centres, &shared->key, err));
  if (c->weights != NULL) SOTTO_TRY(sotto_i_hand_over(c->party->params, c->weights, &shared->key, err));
  if (c->pilots.nodes[SOTTO_I_STAGE_SURVEY] == NULL) goto done;
  SOTTO_TRY(sotto_params_new(&bins, err));
  SOTTO_TRY(sotto_i_transfer_bins_keep(bins, &c->bins, job_of(c)->options, err));
  SOTTO_TRY(sotto_i_hand_over(c->party->params, bins, &shared->key, err));
done:
  sotto_params_free(bins);
  return status;
}

sotto_status sotto_i_vesper_counts_data(sotto_i_session *session, sotto_error *err) {
  sotto_i_data_party *party = session->own;
  const sotto_i_job *job = party->shared->job;
  counter c = {.party = party,
               .encoders = {.job = job,
                            .link = party->link,
                            .split = &party->split,
                            .rows = &party->shared->data_rows,
                            .holder = party->holder,
                            .ranks = session->local ? NULL : sotto_i_job_ranks(job)}};
  sotto_status status;
  SOTTO_TRY(sotto_i_receive_split(&party->split, party->link, job->data->graph.nodes, err));
  SOTTO_TRY(receive_classes(&c, err));
  SOTTO_TRY(offer_choice(&c, err));
  SOTTO_TRY(sotto_i_encoders_new(&c.encoders, err));
  SOTTO_TRY(sotto_i_shares_features(job->options) ? train_there(&c, err) : train_jointly(&c, err));
  SOTTO_TRY(receive_expected(&c, err));
  SOTTO_TRY(sotto_i_epoch_relay_end(c.encoders.ranks, err));
  for (uint32_t round = 0; round < job->options->layers; round++) {
    sotto_i_pilot_stage stages[SOTTO_I_STAGES];
    const size_t count = stages_of(stages, &c, round);
    SOTTO_TRY(receive_clusters(&c, err));
    for (size_t i = 0; i < count; i++)
      SOTTO_TRY(run_stage(
          &c, round,
          &(stage){.number = stages[i], .after_pilots = i > 0 && stages[i] == SOTTO_I_STAGE_OTHERS}, err));
  }
  SOTTO_TRY(sotto_i_vesper_counts_share(NULL, c.encoders.ranks, err));
  SOTTO_TRY(sotto_i_halves_join(party->params, &c.encoders.halves, err));
  SOTTO_TRY(keep_cells(&c, err));
done:
  sotto_i_encoders_free(&c.encoders);
  sotto_i_pilots_free(&c.pilots);
  sotto_params_free(c.centres);
  sotto_params_free(c.weights);
  forget_cells(&c);
  return status;
}
