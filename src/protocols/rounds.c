/* Corrections learnt from rounds of counts. */
#include "rounds.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "correction_scale.h"
#include "counts.h"
#include "feature_sums.h"
#include "first_inputs.h"
#include "inside/nn.h"
#include "nn/readings.h"
#include "nn/rows/batch.h"
#include "nn/rows/gradients.h"
#include "options.h"
#include "release/plan.h"
#include "table.h"
#include "training_part.h"
#include "transfer_weights.h"
#include "unsure.h"

static bool is_noisy(const sotto_i_rounds *r) {
  return sotto_i_price_asked(r->job->options);
}

static sotto_status save_scale(const sotto_i_rounds *r, sotto_error *err) {
  if (!sotto_i_ranks_first(sotto_i_job_ranks(r->job))) return SOTTO_OK;
  return sotto_i_correction_scale_save(&r->scale, r->job->folder, err);
}

/* The training nodes that have counts. */
static sotto_status choose_fitted(sotto_i_rounds *r, sotto_error *err) {
  sotto_status status;
  sotto_i_training_part_free(&r->fitted);
  sotto_i_training_part_free(&r->guided);
  SOTTO_TRY(sotto_i_training_part(&r->fitted, r->parted, r->levels, err));
  if (r->shown != r->parted) SOTTO_TRY(sotto_i_training_part(&r->guided, r->shown, r->levels, err));
done:
  return status;
}

/* Levels by features alone, the same at all ranks. */
static sotto_status find_levels(sotto_i_rounds *r, sotto_i_correction_scale *scale, sotto_error *err) {
  const size_t nodes = r->first->rows;
  sotto_ranks *ranks = sotto_i_job_ranks(r->job);
  sotto_status status;
  if (r->first->data != NULL) {
    SOTTO_TRY(sotto_i_unsure_bound(&scale->surest, r->first, sotto_i_read_share(r->job->options), err));
    SOTTO_TRY(sotto_i_unsure_above(&r->levels, r->first, scale->surest, err));
  } else {
    SOTTO_TRY(sotto_i_new_raw(&r->levels, nodes, sizeof *r->levels, err));
  }
  if (!sotto_i_first_at_one(r->job)) goto done;
  SOTTO_TRY(sotto_i_ranks_give(ranks, &scale->surest, sizeof scale->surest, err));
  SOTTO_TRY(sotto_i_ranks_give(ranks, r->levels, nodes, err));
done:
  return status;
}

/* How often nodes count a neighbour in the release after pilots'. Then these count nobody. */
static void expect_counts(sotto_i_rounds *r, sotto_i_correction_scale *scale) {
  if (scale->pilots) sotto_i_pilots_spent(r->levels, r->first->rows, &r->pilots);
  sotto_i_counts_expected(r->expected, r->levels, r->first->rows);
  memcpy(scale->expected, r->expected, sizeof r->expected);
  if (scale->pilots) sotto_i_pilots_deaf(r->levels, r->first->rows, &r->pilots);
}

/* Chooses the nodes that have counts, by features alone, and the training nodes among them. */
static sotto_status choose_readers(sotto_i_rounds *r, sotto_i_correction_scale *scale, sotto_error *err) {
  const sotto_split *split = &r->parted->split;
  sotto_status status = SOTTO_OK;
  scale->chosen = is_noisy(r);
  scale->sure = r->told && r->exactly;
  sotto_i_pilots_free(&r->pilots);
  SOTTO_TRY(sotto_i_pilots_draw(&r->pilots, r->job, r->parted, r->choice, err));
  if (is_noisy(r)) {
    sotto_i_free(r->levels);
    r->levels = NULL;
    SOTTO_TRY(find_levels(r, scale, err));
    if (scale->sure)
      sotto_i_sure_of(r->levels, split->rows[SOTTO_PART_TRAIN], split->count[SOTTO_PART_TRAIN]);
    scale->training =
        !sotto_i_some_listen(r->levels, split->rows[SOTTO_PART_TRAIN], split->count[SOTTO_PART_TRAIN]);
    scale->pilots = r->pilots.group != NULL;
    scale->choice = r->choice;
    expect_counts(r, scale);
  }
  SOTTO_TRY(choose_fitted(r, err));
done:
  return status;
}

/* A node's own features, columns standardised. */
static sotto_status read_own(sotto_i_rounds *r, sotto_error *err) {
  if (r->own == NULL || !sotto_i_can_choose(r->parted)) return SOTTO_OK;
  const sotto_status status = sotto_i_standard_rows_new(&r->own_rows, r->own, err);
  r->scale.own = r->own->cols;
  r->scale.own_moments = r->own_rows.moments;
  return status;
}

/* A rank holds the inputs of the rows that it fits. Scores of all nodes, for a later round, need those of
 * all. */
bool sotto_i_rounds_hold_some(const sotto_i_rounds *r) {
  return sotto_i_first_at_one(r->job);
}

/* Ranks get the rows of all pilots before the first stage: between two stages other threads may send. */
static sotto_status share_pilots(sotto_i_rounds *r, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (int stage = 0; sotto_i_rounds_hold_some(r) && stage < SOTTO_I_STAGES; stage++)
    if (r->pilots.nodes[stage] != NULL)
      SOTTO_TRY(sotto_i_first_take(&r->of_pilots[stage], r->first, r->pilots.nodes[stage],
                                   r->pilots.count[stage], r->job, err));
done:
  return status;
}

/* The first inputs of a group of pilots. */
static sotto_status inputs_of_pilots(sotto_matrix *out, const sotto_i_rounds *r, sotto_i_pilot_stage stage,
                                     sotto_error *err) {
  const sotto_i_pilots *p = &r->pilots;
  sotto_matrix rows = {0};
  sotto_status status = SOTTO_OK;
  if (!sotto_i_rounds_hold_some(r))
    SOTTO_TRY(sotto_i_take_rows(&rows, r->first, p->nodes[stage], p->count[stage], err));
  SOTTO_TRY(sotto_i_first_inputs(out, sotto_i_rounds_hold_some(r) ? &r->of_pilots[stage] : &rows,
                                 r->scale.moments, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_rounds_begin(sotto_i_rounds *r, sotto_error *err) {
  sotto_status status;
  r->scale = (sotto_i_correction_scale){.classes = r->first->cols,
                                        .even = r->first->cols == 2 &&
                                                (r->told || r->choice.features || r->choice.transfers)};
  SOTTO_TRY(choose_readers(r, &r->scale, err));
  if (r->choice.kinds && r->transfers != NULL) {
    SOTTO_TRY(sotto_i_kind_bins(&r->kinds, r->job->data, 0, err));
    r->kind_cells = sotto_i_transfer_cells(&r->kinds);
  }
  SOTTO_TRY(sotto_i_first_moments(&r->scale.moments, r->first, r->job, err));
  SOTTO_TRY(share_pilots(r, err));
  if (!sotto_i_rounds_hold_some(r))
    SOTTO_TRY(sotto_i_first_inputs(&r->inputs, r->first, r->scale.moments, err));
  SOTTO_TRY(read_own(r, err));
  SOTTO_TRY(save_scale(r, err));
done:
  return status;
}

static bool has_pilots(const sotto_i_rounds *r, uint32_t round) {
  return round == 0 && r->pilots.group != NULL;
}

uint32_t sotto_i_rounds_stages(const sotto_i_rounds *r, uint32_t round) {
  sotto_i_pilot_stage stages[SOTTO_I_STAGES];
  return has_pilots(r, round) ? (uint32_t)sotto_i_pilots_stages(stages, &r->pilots) : 1;
}

sotto_i_pilot_stage sotto_i_rounds_stage(const sotto_i_rounds *r, uint32_t round, uint32_t number) {
  sotto_i_pilot_stage stages[SOTTO_I_STAGES] = {SOTTO_I_STAGE_OTHERS};
  if (has_pilots(r, round)) (void)sotto_i_pilots_stages(stages, &r->pilots);
  return stages[number];
}

sotto_i_cluster_kind sotto_i_rounds_kind(const sotto_i_rounds *r, uint32_t round, uint32_t number) {
  const sotto_i_pilot_stage stage = sotto_i_rounds_stage(r, round, number);
  if (stage != SOTTO_I_STAGE_OTHERS) return sotto_i_pilots_kind(stage);
  return sotto_i_kind_of_round(r->kind, round);
}

/* Those of all that are no pilots, once weights are learnt. */
bool sotto_i_rounds_weighed(const sotto_i_rounds *r, uint32_t round, uint32_t number) {
  return r->weights != NULL && sotto_i_rounds_kind(r, round, number) == r->kind &&
         sotto_i_rounds_stage(r, round, number) == SOTTO_I_STAGE_OTHERS;
}

/* Levels of a group's stage, or of all other nodes. */
static sotto_status ask_levels(sotto_i_rounds_asked *out, const sotto_i_rounds *r, uint32_t round,
                               sotto_error *err) {
  const size_t nodes = r->first->rows;
  const bool group = out->stage != 0;
  if (!group && r->levels == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&out->levels, nodes, sizeof *out->levels, err);
  if (status != SOTTO_OK) return status;
  if (group) {
    sotto_i_pilots_levels(out->levels, nodes, &r->pilots, (sotto_i_pilot_stage)out->stage);
    return SOTTO_OK;
  }
  memcpy(out->levels, r->levels, nodes);
  if (has_pilots(r, round)) sotto_i_pilots_spent(out->levels, nodes, &r->pilots);
  return SOTTO_OK;
}

static sotto_matrix *directions_of(const sotto_i_rounds *r) {
  return sotto_params_value(r->directions, 0);
}

sotto_status sotto_i_rounds_ask(sotto_i_rounds_asked *out, const sotto_i_rounds *r, uint32_t round,
                                uint32_t number, sotto_error *err) {
  const sotto_i_pilot_stage stage = sotto_i_rounds_stage(r, round, number);
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_rounds_asked){.kind = sotto_i_rounds_kind(r, round, number),
                                .stage = stage == SOTTO_I_STAGE_OTHERS ? 0 : stage,
                                .part = has_pilots(r, round) ? stage : 0,
                                .survey = stage == SOTTO_I_STAGE_SURVEY};
  out->sums = out->kind == SOTTO_I_BY_SUMS;
  out->weighed = sotto_i_rounds_weighed(r, round, number);
  if (out->stage != 0 && !out->survey) out->rows = r->pilots.nodes[stage];
  out->row_count = r->pilots.count[stage];
  if (!sotto_i_ranks_first(sotto_i_job_ranks(r->job))) return SOTTO_OK;
  if (out->kind == SOTTO_I_BY_TRANSFERS)
    out->bins = &r->bins;
  else if (out->kind == SOTTO_I_BY_KINDS)
    out->bins = &r->kinds;
  if (out->weighed || (out->kind == SOTTO_I_BY_CLASS && !out->survey))
    SOTTO_TRY(sotto_i_rounds_clusters(&out->clusters, r, err));
  else if (out->sums)
    SOTTO_TRY(sotto_i_feature_sums_of(&out->added, &r->own_rows.source,
                                      stage == SOTTO_I_STAGE_DIRECTIONS ? NULL : directions_of(r), err));
  out->counted = out->kind == SOTTO_I_BY_FEATURES ? r->by_features : &out->clusters;
  SOTTO_TRY(ask_levels(out, r, round, err));
done:
  return status;
}

void sotto_i_rounds_asked_free(sotto_i_rounds_asked *asked) {
  sotto_i_clusters_free(&asked->clusters);
  sotto_matrix_free(&asked->added);
  sotto_i_free(asked->levels);
  *asked = (sotto_i_rounds_asked){.levels = NULL};
}

/* If one of two classes is rare, hardly any node is predicted as it. Scores are divided by the predicted
 * share of each class, so that both clusters have nodes. */
void sotto_i_rounds_even_odds(sotto_matrix *scores) {
  double share = 0;
  for (size_t v = 0; v < scores->rows; v++)
    share += 1 / (1 + exp((double)scores->data[2 * v] - (double)scores->data[2 * v + 1]));
  share = fmin(fmax(share / (double)scores->rows, 1e-6), 1 - 1e-6);
  for (size_t v = 0; v < scores->rows; v++) {
    scores->data[2 * v] -= (float)log(1 - share);
    scores->data[2 * v + 1] -= (float)log(share);
  }
}

/* By the latest scores; training nodes have their labels instead. */
sotto_status sotto_i_rounds_clusters(sotto_i_clusters *out, const sotto_i_rounds *r, sotto_error *err) {
  const sotto_matrix *latest = r->latest.cols > 0 ? &r->latest : r->first;
  const sotto_split *split = &r->shown->split;
  sotto_matrix even = {0};
  sotto_status status;
  if (r->scale.even) SOTTO_TRY(sotto_i_table_join(&even, latest, &(sotto_matrix){0}, err));
  if (r->scale.even) sotto_i_rounds_even_odds(&even);
  SOTTO_TRY(sotto_i_clusters_largest(out, r->scale.even ? &even : latest, err));
  for (size_t i = 0; r->told && i < split->count[SOTTO_PART_TRAIN]; i++)
    out->of[split->rows[SOTTO_PART_TRAIN][i]] = (uint16_t)r->shown->labels[SOTTO_PART_TRAIN][i];
done:
  sotto_matrix_free(&even);
  return status;
}

/* Where classes alone say much, no node is spent on sums: those of their groups are like all others. */
static sotto_status leave_sums(sotto_i_rounds *r, sotto_error *err) {
  sotto_i_pilots measured = r->pilots;
  sotto_status status;
  if (!r->choice.sums || !sotto_i_pilots_suffice(&r->pilots)) return SOTTO_OK;
  r->choice = (sotto_i_cluster_choice){.alone = true};
  r->pilots = (sotto_i_pilots){.group = NULL};
  SOTTO_TRY(choose_readers(r, &r->scale, err));
  r->pilots.gain[SOTTO_I_BY_CLASS] = measured.gain[SOTTO_I_BY_CLASS];
  r->pilots.deviation[SOTTO_I_BY_CLASS] = measured.deviation[SOTTO_I_BY_CLASS];
  r->pilots.read[SOTTO_I_BY_CLASS] = measured.read[SOTTO_I_BY_CLASS];
  measured.read[SOTTO_I_BY_CLASS] = (sotto_matrix){0};
done:
  sotto_i_pilots_free(&measured);
  return status;
}

/* Confidence in classes says nothing about other cells, and may follow from what these are of: then a node
 * would count some cells alone. So all nodes have counts, and count each other once. */
static sotto_status count_alike(sotto_i_rounds *r, sotto_error *err) {
  r->scale.chosen = r->scale.sure = r->scale.training = false;
  if (r->levels == NULL) return SOTTO_OK;
  memset(r->levels, SOTTO_I_DEAF + 1, r->first->rows);
  sotto_i_pilots_deaf(r->levels, r->first->rows, &r->pilots);
  return choose_fitted(r, err);
}

/* For weights, what a count of each cell says of the class. Counts by features are of no relation's cells. */
static sotto_status learn_numbers(sotto_i_rounds *r, sotto_i_cluster_kind kind, const sotto_matrix *base,
                                  const sotto_matrix *counts, sotto_error *err) {
  if (!r->choice.transfers || kind == SOTTO_I_BY_FEATURES ||
      !sotto_i_is_weighed(SOTTO_I_BY_TRANSFERS, base->cols, r->job->options))
    return SOTTO_OK;
  const sotto_status status = sotto_matrix_new(&r->learnt[kind], counts->cols, 1, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_pilots_directions(&r->learnt[kind], &r->pilots, sotto_i_pilots_stage(kind), base, counts,
                                   r->shown, err);
}

/* One number a node needs few counts to learn from, so training nodes count least. Of the others each has as
 * much to gain, however confident its class: the class is not what is counted. */
static sotto_status spare_training(sotto_i_rounds *r, sotto_error *err) {
  const sotto_split *split = &r->parted->split;
  r->scale.training = false;
  sotto_i_levels_alike(r->levels, r->first->rows, split->rows[SOTTO_PART_TRAIN],
                       split->count[SOTTO_PART_TRAIN]);
  expect_counts(r, &r->scale);
  return choose_fitted(r, err);
}

static sotto_status set_weights(sotto_i_rounds *r, sotto_error *err) {
  sotto_i_transfer_bins *bins = r->kind == SOTTO_I_BY_KINDS ? &r->kinds : &r->bins;
  sotto_status status = SOTTO_OK;
  if (!sotto_i_is_weighed(r->kind, r->first->cols, r->job->options)) goto done;
  SOTTO_TRY(sotto_i_transfer_weights_new(&r->weights, err));
  sotto_matrix *weights = sotto_params_value(r->weights, 0);
  sotto_i_transfer_weights_set(weights, &r->learnt[r->kind], &r->learnt[SOTTO_I_BY_CLASS],
                               sotto_i_transfer_weights_most(r->job->options));
  bins->weights = weights;
  r->scale.weighed = true;
  SOTTO_TRY(spare_training(r, err));
done:
  return status;
}

/* The kind is chosen by the labels that others may see, since the next message reveals it. */
static sotto_status read_pilots(sotto_i_rounds *r, const sotto_matrix *read, const sotto_matrix *counts,
                                uint32_t number, sotto_error *err) {
  const sotto_i_cluster_kind kind = sotto_i_rounds_kind(r, 0, number);
  const sotto_i_pilot_stage stage = sotto_i_pilots_stage(kind);
  sotto_matrix base = {0};
  sotto_status status = inputs_of_pilots(&base, r, stage, err);
  if (status == SOTTO_OK) status = sotto_i_pilots_measure(&r->pilots, kind, &base, read, r->shown, err);
  if (status == SOTTO_OK) status = learn_numbers(r, kind, &base, counts, err);
  sotto_matrix_free(&base);
  if (status == SOTTO_OK && number == 0) status = leave_sums(r, err);
  if (status != SOTTO_OK || number + 2 < sotto_i_rounds_stages(r, 0)) return status;
  r->kind = sotto_i_pilots_choose(&r->pilots);
  r->scale.kind = r->kind;
  if (r->kind == SOTTO_I_BY_TRANSFERS) r->scale.cells = r->transfer_cells;
  if (r->kind == SOTTO_I_BY_KINDS) r->scale.cells = r->kind_cells;
  if (r->kind == SOTTO_I_BY_SUMS) r->scale.cells = sotto_i_sum_directions(r->first->cols);
  status = set_weights(r, err);
  if (status == SOTTO_OK && r->alike && r->kind != SOTTO_I_BY_CLASS) status = count_alike(r, err);
  return status == SOTTO_OK ? save_scale(r, err) : status;
}

/* Pilots of the chosen kind have counts of the same clusters, in this round alone. Weights were learnt from
 * theirs. */
static bool joins_pilots(const sotto_i_rounds *r, uint32_t round) {
  return round == 0 && r->weights == NULL && r->pilots.group != NULL && r->levels != NULL &&
         r->job->options->layers == 1;
}

static sotto_status read_survey(sotto_i_rounds *r, const sotto_matrix *row, const sotto_laplace_grid *noise,
                                sotto_error *err) {
  if (r->transfers == NULL) return SOTTO_OK; /* the other party reads its own */
  sotto_i_transfer_bins_none(&r->bins, r->transfers, sotto_i_is_fine(r->first->cols, r->job->options));
  const sotto_status status = sotto_i_survey_read(&r->bins, row, noise != NULL ? noise->scale : 0, err);
  r->transfer_cells = sotto_i_transfer_cells(&r->bins);
  return status;
}

/* Directions of sums, from those of some nodes. */
static sotto_status read_directions(sotto_i_rounds *r, const sotto_matrix *sums, sotto_error *err) {
  const sotto_i_pilots *p = &r->pilots;
  sotto_matrix base = {0};
  sotto_status status;
  SOTTO_TRY(inputs_of_pilots(&base, r, SOTTO_I_STAGE_DIRECTIONS, err));
  SOTTO_TRY(sotto_params_new(&r->directions, err));
  SOTTO_TRY(sotto_i_directions_new(r->directions, sums->cols, r->first->cols, err));
  SOTTO_TRY(
      sotto_i_pilots_directions(directions_of(r), p, SOTTO_I_STAGE_DIRECTIONS, &base, sums, r->shown, err));
  SOTTO_TRY(sotto_i_directions_scale(directions_of(r), &r->own_rows.source, err));
done:
  sotto_matrix_free(&base);
  return status;
}

static sotto_status let_pilots_listen(sotto_i_rounds *r, uint32_t round, sotto_error *err) {
  if (!joins_pilots(r, round)) return SOTTO_OK;
  sotto_i_pilots_listen(r->levels, &r->pilots, r->kind);
  return choose_fitted(r, err);
}

sotto_status sotto_i_rounds_share(sotto_i_rounds *r, sotto_error *err) {
  const sotto_ranks *ranks = sotto_i_job_ranks(r->job);
  sotto_status status = SOTTO_OK;
  if (!sotto_i_rounds_hold_some(r)) goto done;
  SOTTO_TRY(let_pilots_listen(r, 0, err));
  SOTTO_TRY(sotto_i_batches_of_rank(&r->held, &r->fitted.split, r->first->rows, sotto_i_rank_number(ranks),
                                    sotto_i_rank_count(ranks), err));
  SOTTO_TRY(sotto_i_first_share(&r->base, r->first, &r->held, &r->fitted.split, r->job, err));
  sotto_i_free(r->first->data);
  r->first->data = NULL;
done:
  return status;
}

/* Counts of all nodes: features of the correction, of the rows that this process holds. */
static sotto_status read_others(sotto_i_rounds *r, const sotto_i_row_source *counts,
                                const sotto_i_counted *of, uint32_t round, sotto_error *err) {
  const bool some = sotto_i_rounds_hold_some(r);
  sotto_i_counted rows = *of;
  sotto_matrix room = {0}, own;
  sotto_status status;
  if (some) {
    SOTTO_TRY(sotto_i_first_inputs(&r->inputs, &r->base, r->scale.moments, err));
    rows.held = &r->held;
  } else {
    SOTTO_TRY(let_pilots_listen(r, round, err));
  }
  const size_t before = r->inputs.cols;
  SOTTO_TRY(sotto_i_row_source_held(&own, &room, counts, rows.held, err));
  SOTTO_TRY(sotto_i_readings_append(&r->inputs, &own, &rows, err));
  if (joins_pilots(r, round)) sotto_i_pilots_join(&r->inputs, before, rows.held, &r->pilots, r->kind);
done:
  sotto_matrix_free(&room);
  return status;
}

sotto_status sotto_i_rounds_read(sotto_i_rounds *r, const sotto_i_row_source *counts, uint32_t round,
                                 uint32_t number, sotto_error *err) {
  const sotto_i_pilot_stage stage = sotto_i_rounds_stage(r, round, number);
  const bool pilot = stage != SOTTO_I_STAGE_OTHERS;
  sotto_status status = SOTTO_OK;
  sotto_laplace_grid grid;
  sotto_matrix read = {0};
  const sotto_i_cluster_kind kind = sotto_i_rounds_kind(r, round, number);
  const bool by_class = kind == SOTTO_I_BY_CLASS, raw = by_class ? r->weighted : r->alike;
  const bool weighed = sotto_i_rounds_weighed(r, round, number), sums = weighed || kind == SOTTO_I_BY_SUMS;
  const sotto_i_counted of = {.noise = is_noisy(r) ? &grid : NULL,
                              .releases = by_class ? r->owners : 0,
                              .row = sums ? SOTTO_I_SUM_UNITS : 0,
                              .times = pilot && kind == SOTTO_I_BY_SUMS ? 2 : 1,
                              .whole = !weighed && sotto_i_cells_are_whole(kind),
                              .levels = pilot || raw ? NULL : r->levels,
                              .expected = r->expected};
  if (is_noisy(r)) SOTTO_TRY(sotto_i_release_grid(&grid, sums, r->job->options, err));
  if (!pilot) return read_others(r, counts, &of, round, err);
  if (stage == SOTTO_I_STAGE_SURVEY) return read_survey(r, counts->matrix, of.noise, err);
  if (stage == SOTTO_I_STAGE_DIRECTIONS) return read_directions(r, counts->matrix, err);
  SOTTO_TRY(sotto_i_readings_append(&read, counts->matrix, &of, err));
  SOTTO_TRY(read_pilots(r, &read, counts->matrix, number, err));
done:
  sotto_matrix_free(&read);
  return status;
}

void sotto_i_rounds_free(sotto_i_rounds *r) {
  sotto_i_training_part_free(&r->fitted);
  sotto_i_training_part_free(&r->guided);
  sotto_i_free(r->levels);
  sotto_i_pilots_free(&r->pilots);
  r->scale.own_moments = NULL; /* those of own_rows */
  sotto_i_correction_scale_free(&r->scale);
  sotto_i_standard_rows_free(&r->own_rows);
  sotto_matrix_free(&r->latest);
  sotto_matrix_free(&r->inputs);
  sotto_matrix_free(&r->base);
  for (size_t i = 0; i < SOTTO_I_STAGES; i++) sotto_matrix_free(&r->of_pilots[i]);
  sotto_i_rank_rows_free(&r->held);
  sotto_params_free(r->directions);
  sotto_params_free(r->weights);
  for (int kind = 0; kind < SOTTO_I_CLUSTER_KINDS; kind++) sotto_matrix_free(&r->learnt[kind]);
  for (size_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(r->params[i]);
}
