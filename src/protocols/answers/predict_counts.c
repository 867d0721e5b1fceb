/* Predictions from networks on features, the counts in the run folder, and the last correction. */
#include "predict_counts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "corrections.h"
#include "inside/nn.h"
#include "protocols/counts.h"
#include "protocols/feature_clusters.h"
#include "protocols/feature_sums.h"
#include "protocols/rounds.h"
#include "protocols/table.h"
#include "release/plan.h"
#include "run/train/window.h"
#include "tensor/columns.h"

typedef struct predictor {
  const sotto_i_job *job;
  const sotto_i_first_stage *first;
  void *networks; /* of the first stage */
  sotto_i_corrections corrections;
  uint8_t *levels;              /* of all nodes; NULL: all nodes have counts */
  sotto_matrix readings;        /* features from counts, of all nodes and rounds */
  sotto_matrix opened;          /* rows of all nodes, for the first who asks for them */
  const sotto_i_window *window; /* over ranks: the nodes whose rows all these are; NULL: all nodes */
} predictor;

/* Log-probabilities, and then the features that the correction reads. */
static sotto_status first_scores(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                 sotto_error *err) {
  const predictor *b = self;
  sotto_matrix scores = {0}, own = {0};
  sotto_status status;
  if (b->corrections.own_rounds == 0) return b->first->scores(b->networks, out, x, nodes, err);
  SOTTO_TRY(b->first->scores(b->networks, &scores, x, nodes, err));
  if (b->first->own != NULL) SOTTO_TRY(b->first->own(b->networks, &own, x, err));
  SOTTO_TRY(sotto_i_table_join(out, &scores, b->first->own != NULL ? &own : x, err));
done:
  sotto_matrix_free(&own);
  sotto_matrix_free(&scores);
  return status;
}

/* The rows by which levels and counts were read are those of all nodes: they are given, not made again. */
static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  predictor *b = self;
  if (x != b->job->features || b->opened.data == NULL) return first_scores(b, out, x, nodes, err);
  *out = b->opened;
  b->opened = (sotto_matrix){0};
  return SOTTO_OK;
}

static sotto_status corrected_scores(void *self, sotto_matrix *out, const sotto_matrix *rows,
                                     const uint32_t *nodes, size_t count, sotto_error *err) {
  const predictor *b = self;
  sotto_status status;
  sotto_matrix base = {0}, read = {0};
  uint8_t *levels = NULL;
  if (b->corrections.kept == 0) return sotto_i_take_rows(out, rows, nodes, count, err);
  SOTTO_TRY(sotto_i_take_rows(&base, rows, nodes, count, err));
  SOTTO_TRY(sotto_i_take_rows(&read, &b->readings, nodes, count, err));
  if (b->levels != NULL) SOTTO_TRY(sotto_i_new_raw(&levels, count, sizeof *levels, err));
  for (size_t i = 0; levels != NULL && i < count; i++) levels[i] = b->levels[nodes[i]];
  SOTTO_TRY(sotto_i_corrections_scores(out, &b->corrections, b->corrections.kept, &base, &read, levels, err));
done:
  sotto_matrix_free(&base);
  sotto_matrix_free(&read);
  sotto_i_free(levels);
  return status;
}

static void free_all(void *self) {
  predictor *b = self;
  if (b->networks != NULL) b->first->free(b->networks);
  sotto_i_free(b->networks);
  sotto_i_corrections_free(&b->corrections);
  sotto_i_free(b->levels);
  sotto_matrix_free(&b->readings);
  sotto_matrix_free(&b->opened);
  sotto_i_free(b);
}

/* The counts in a file; over ranks, those of the window. `room` (fresh) has what is read. */
static sotto_status open_counts(sotto_dataset *counts, sotto_matrix *rows, sotto_matrix *room,
                                const char *path, const sotto_i_window *w, sotto_error *err) {
  sotto_status status;
  if (w == NULL) {
    SOTTO_TRY(sotto_dataset_open(counts, path, NULL, err));
    *rows = counts->features;
    return SOTTO_OK;
  }
  SOTTO_TRY(sotto_dataset_open_ranks(counts, w->ranks, path, SOTTO_RANK_PARTS_NONE, err));
  if (counts->features.rows != w->nodes) return SOTTO_OK; /* which the caller refuses */
  const sotto_i_row_source source = sotto_i_counts_released(counts);
  SOTTO_TRY(sotto_matrix_new(room, w->count, counts->features.cols, err));
  SOTTO_TRY(source.read(source.context, room->data, w->first, w->count, err));
  *rows = *room;
done:
  return status;
}

/* The counts of a round in the folder of a job: of the run, or of a release of other data. */
static sotto_status read_counts(predictor *b, const sotto_i_job *job, uint32_t round,
                                const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_status status;
  sotto_dataset counts = {0};
  sotto_matrix rows = {0}, room = {0};
  char file[32], *path = NULL;
  sotto_i_counts_file(file, round);
  SOTTO_TRY(sotto_i_join(&path, job->folder, file, err));
  SOTTO_TRY(open_counts(&counts, &rows, &room, path, b->window, err));
  if (counts.features.rows != b->job->data->graph.nodes ||
      counts.features.cols != sotto_i_corrections_clusters(&b->corrections, round)) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not of %s", path, b->job->data->name);
    goto done;
  }
  SOTTO_TRY(sotto_i_corrections_read(&b->readings, &b->corrections, round, &rows, b->levels, noise, err));
done:
  sotto_dataset_free(&counts);
  sotto_matrix_free(&room);
  sotto_i_free(path);
  return status;
}

static sotto_status read_rounds(predictor *b, const sotto_i_job *job, sotto_error *err) {
  sotto_laplace_grid grid;
  const sotto_options *o = job->options;
  const bool noisy = sotto_i_price_asked(o);
  sotto_status status = SOTTO_OK;
  for (uint32_t round = 0; round < b->corrections.kept; round++) {
    const bool sums = sotto_i_corrections_sums(&b->corrections, round);
    if (noisy) SOTTO_TRY(sotto_i_release_grid(&grid, sums, o, err));
    SOTTO_TRY(read_counts(b, job, round, noisy ? &grid : NULL, err));
  }
done:
  return status;
}

static sotto_status make_networks(predictor *b, const sotto_i_opening *from, sotto_error *err) {
  sotto_params *sets[SOTTO_I_MOST_CORRECTION_SETS + SOTTO_I_MOST_FIRST_SETS];
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(b->first->open(b->networks, sets, &count, from, err));
  SOTTO_TRY(sotto_i_corrections_open(&b->corrections, sets, &count, b->job, from->file, err));
  SOTTO_TRY(sotto_params_load(sets, count, from->file, err));
done:
  return status;
}

/* Counts are released for nodes chosen by the features of the data, whatever features a query has. */
static sotto_status choose_levels(predictor *b, const sotto_matrix *base, const sotto_i_parted *own,
                                  sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const sotto_i_window *w = b->window;
  uint8_t *roles = NULL, *all = NULL;
  if (own != NULL) SOTTO_TRY(sotto_i_corrections_roles(&roles, &b->corrections, own, err));
  SOTTO_TRY(sotto_i_corrections_levels(&b->levels, &b->corrections, base,
                                       roles == NULL || w == NULL ? roles : roles + w->first, err));
  if (w == NULL || roles != NULL || b->levels == NULL) goto done;
  SOTTO_TRY(sotto_i_window_bytes(&all, w, b->levels, err));
  sotto_i_counts_expected(b->corrections.scale.expected, all, w->nodes);
done:
  sotto_i_free(all);
  sotto_i_free(roles);
  return status;
}

/* Cells of a round's counts of other data: by transfers, or by clusters of features, or by the classes that
 * the model predicts; or rows of features for sums. */
typedef struct cells {
  sotto_i_clusters clusters; /* owned; empty: by transfers without weights, or sums */
  sotto_matrix added;        /* owned: of sums */
  sotto_i_transfer_bins bins;
} cells;

static sotto_status cells_by_features(cells *out, const predictor *b, sotto_error *err) {
  const sotto_i_row_source rows = sotto_i_row_source_of(b->job->features);
  return sotto_i_feature_clusters_of(&out->clusters, b->corrections.centres, &rows, err);
}

static sotto_status rows_for_sums(cells *out, const predictor *b, sotto_error *err) {
  const sotto_matrix *x = b->job->features;
  sotto_matrix standard = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_columns(&standard, x, 0, x->cols, err));
  sotto_i_columns_by_moments(&standard, b->corrections.scale.own_moments);
  SOTTO_TRY(sotto_i_along_directions(&out->added, &standard, sotto_params_value(b->corrections.directions, 0),
                                     err));
  sotto_i_directed_rows(&out->added);
done:
  sotto_matrix_free(&standard);
  return status;
}

static sotto_status cells_of(cells *out, const predictor *b, uint32_t round, const sotto_matrix *scores,
                             sotto_error *err) {
  const sotto_i_cluster_kind kind = sotto_i_corrections_kind(&b->corrections, round);
  *out = (cells){.bins = {.amounts = 0}};
  if (kind == SOTTO_I_BY_TRANSFERS || kind == SOTTO_I_BY_KINDS) {
    const sotto_status status = sotto_i_corrections_bins(&out->bins, &b->corrections, b->job->data, err);
    if (status != SOTTO_OK || out->bins.weights == NULL) return status;
  }
  if (kind == SOTTO_I_BY_FEATURES) return cells_by_features(out, b, err);
  if (kind == SOTTO_I_BY_SUMS) return rows_for_sums(out, b, err);
  sotto_matrix of_classes = {0};
  sotto_status status = sotto_i_take_columns(&of_classes, scores, 0, b->job->data->classes, err);
  if (status == SOTTO_OK && b->corrections.scale.even) sotto_i_rounds_even_odds(&of_classes);
  if (status == SOTTO_OK) status = sotto_i_clusters_largest(&out->clusters, &of_classes, err);
  sotto_matrix_free(&of_classes);
  return status;
}

static sotto_status count_exactly(sotto_matrix *out, const predictor *b, const cells *in, sotto_error *err) {
  const sotto_dataset *data = b->job->data;
  const bool by_transfers = in->bins.amounts > 0, sums = in->added.cols > 0;
  const size_t clusters = sums ? in->added.cols : in->clusters.count;
  const size_t cols = by_transfers ? sotto_i_transfer_columns(&in->bins) : clusters;
  sotto_i_relations relations;
  sotto_status status = sotto_i_counted_relations(&relations, b->job, NULL, err);
  if (status == SOTTO_OK) status = sotto_matrix_new(out, data->graph.nodes, cols, err);
  if (status != SOTTO_OK) return status;
  if (sums)
    sotto_i_counts_fill_sums(out, relations.graph, &in->added, NULL);
  else
    sotto_i_counts_fill_relations(out, &relations, by_transfers ? &in->bins : NULL, &in->clusters, NULL);
  return SOTTO_OK;
}

static sotto_status make_counts(predictor *b, uint32_t round, const sotto_matrix *scores,
                                const sotto_i_job *release, sotto_error *err) {
  sotto_status status;
  sotto_dataset released = {0};
  sotto_matrix exact = {0};
  cells in = {.bins = {.amounts = 0}};
  sotto_laplace_grid grid;
  SOTTO_TRY(cells_of(&in, b, round, scores, err));
  if (release == NULL) {
    SOTTO_TRY(count_exactly(&exact, b, &in, err));
    SOTTO_TRY(sotto_i_corrections_read(&b->readings, &b->corrections, round, &exact, NULL, NULL, err));
    goto done;
  }
  const bool sums = sotto_i_corrections_sums(&b->corrections, round);
  SOTTO_TRY(sotto_i_release_grid(&grid, sums, release->options, err));
  const sotto_i_counts counts = {.job = release,
                                 .clusters = &in.clusters,
                                 .levels = b->levels,
                                 .noise = &grid,
                                 .round = round,
                                 .item = round,
                                 .added = in.added.cols > 0 ? &in.added : NULL,
                                 .bins = in.bins.amounts > 0 ? &in.bins : NULL};
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
  SOTTO_TRY(sotto_i_corrections_read(&b->readings, &b->corrections, round, &released.features, b->levels,
                                     &grid, err));
done:
  sotto_dataset_free(&released);
  sotto_i_clusters_free(&in.clusters);
  sotto_matrix_free(&in.added);
  sotto_matrix_free(&exact);
  return status;
}

static sotto_status make_rounds(predictor *b, const sotto_matrix *base, const sotto_i_job *release,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_matrix latest = {0};
  for (uint32_t round = 0; round < b->corrections.kept; round++) {
    SOTTO_TRY(make_counts(b, round, round == 0 ? base : &latest, release, err));
    sotto_matrix_free(&latest);
    if (round + 1 < b->corrections.kept)
      SOTTO_TRY(sotto_i_corrections_scores(&latest, &b->corrections, round + 1, base, &b->readings, b->levels,
                                           err));
  }
done:
  sotto_matrix_free(&latest);
  return status;
}

sotto_status sotto_i_folds_of_answers(sotto_i_folds *out, const sotto_i_opening *from, const char *prefix,
                                      sotto_error *err) {
  uint32_t count;
  if (from->own) return sotto_i_folds_deal(out, from->job, from->parted, err);
  sotto_status status = sotto_i_networks_named(&count, from->file, prefix, SOTTO_I_MOST_FOLDS, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_folds_of_others(out, count, from->job->data->graph.nodes, err);
}

sotto_status sotto_i_narrow_counts(sotto_options *options, const char *file, sotto_error *err) {
  uint32_t kept;
  sotto_status status = sotto_i_networks_named(&kept, file, "correction", options->layers, err);
  if (status == SOTTO_OK) options->layers = kept;
  return status;
}

static sotto_status read_or_make(predictor *b, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  if (sotto_i_price_asked(b->job->options) && from->release == NULL)
    SOTTO_TRY(sotto_i_opening_check(from, err));
  const bool over_ranks = b->window != NULL;
  if (over_ranks && !from->own && from->release == NULL) return sotto_i_opening_alone(from, err);
  SOTTO_TRY(first_scores(b, &b->opened, b->job->features, over_ranks ? b->window->own : NULL, err));
  SOTTO_TRY(choose_levels(b, &b->opened, from->own ? from->parted : NULL, err));
  if (from->own || over_ranks)
    SOTTO_TRY(read_rounds(b, from->own ? b->job : from->release, err));
  else
    SOTTO_TRY(make_rounds(b, &b->opened, from->release, err));
done:
  return status;
}

sotto_status sotto_i_predict_counts(sotto_i_predictor *out, const sotto_i_opening *from,
                                    const sotto_i_first_stage *first, sotto_error *err) {
  const char *method = from->job->options->method;
  sotto_status status;
  predictor *b = NULL;
  SOTTO_TRY(sotto_i_new(&b, 1, sizeof *b, err));
  *out = (sotto_i_predictor){
      .self = b, .rows = rows_of, .scores = corrected_scores, .free = free_all, .fixed = true};
  b->job = from->job;
  b->first = first;
  b->window = from->window;
  SOTTO_TRY(sotto_i_new(&b->networks, 1, first->size, err));
  if (from->fresh)
    status =
        sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the counts that it keeps alone", method);
  else if (from->own && from->parted->split.rows[SOTTO_PART_TRAIN] == NULL)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: has no labels, by which %s knows its training nodes",
                          from->job->data->name, method);
  else
    status = make_networks(b, from, err);
  if (status != SOTTO_OK) return status;
  if (b->corrections.kept > 0) SOTTO_TRY(read_or_make(b, from, err));
done:
  return status;
}
