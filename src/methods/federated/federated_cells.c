/* The choice of the cells in which clients count neighbours, by pilots at all clients. */
#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "federated.h"
#include "nn/kmeans.h"
#include "protocols/feature_clusters.h"
#include "release/plan.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"
#include "tables.h"

enum { enough = 1000, most_pilots = 1000, one_in = 10, pilots_stream = 66 };

static const sotto_i_pilot_stage stages[] = {SOTTO_I_STAGE_CLASS, SOTTO_I_STAGE_FEATURES};
enum { stage_count = sizeof stages / sizeof *stages };

static const char cells_file[] = "cells.safetensors", kind_parameter[] = "kind";
static const char ask_name[] = "pilots", kind_name[] = "kind of cells";
static const char ask_reason[] = "whether the clients together have training nodes enough for pilots";
static const char kind_reason[] =
    "whether neighbours are counted by class or by clusters of features, which pilots' labels and noisy "
    "counts decide";
static const sotto_i_fed_pooled training_nodes = {.name = "training nodes",
                                                  .reason =
                                                      "how many training nodes the client has, as every "
                                                      "update says",
                                                  .step = SOTTO_I_FED_POOL_NODES,
                                                  .count = 1};

static size_t columns_of(const sotto_i_federation *f) {
  return f->inputs - sotto_i_fed_counts_width(f, SOTTO_I_BY_CLASS);
}

static sotto_status take_group(sotto_i_pilots *p, sotto_i_pilot_stage stage, const uint32_t *from,
                               size_t count, sotto_error *err) {
  const sotto_status status = sotto_i_new_raw(&p->nodes[stage], count, sizeof *from, err);
  if (status != SOTTO_OK) return status;
  p->count[stage] = count;
  memcpy(p->nodes[stage], from, count * sizeof *from);
  sotto_i_sort_numbers(p->nodes[stage], count);
  for (size_t i = 0; i < count; i++) p->group[from[i]] = (uint8_t)stage;
  return SOTTO_OK;
}

/* Two disjoint groups, each a tenth of the client's training nodes, by the public seed alone. */
static sotto_status draw_pilots(sotto_i_fed_client *c, sotto_error *err) {
  sotto_i_pilots *p = &c->cells.pilots;
  const size_t all = c->count[SOTTO_PART_TRAIN], tenth = all / one_in;
  const size_t count = tenth < most_pilots ? tenth : most_pilots;
  uint32_t *order = NULL;
  sotto_i_random random;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&p->group, c->features.rows, sizeof *p->group, err));
  SOTTO_TRY(sotto_i_new_raw(&order, all, sizeof *order, err));
  if (all > 0) memcpy(order, c->rows[SOTTO_PART_TRAIN], all * sizeof *order);
  sotto_i_random_init(&random, &c->key, SOTTO_I_PURPOSE_GENERATE, pilots_stream, 0);
  sotto_i_random_shuffle(&random, order, all);
  for (size_t i = 0; i < stage_count && count > 0; i++)
    SOTTO_TRY(take_group(p, stages[i], order + i * count, count, err));
done:
  sotto_i_free(order);
  return status;
}

static sotto_status assign_clusters(sotto_i_fed_client *c, sotto_error *err) {
  const sotto_matrix *centres = sotto_params_value(c->cells.centres, 0);
  const sotto_status status =
      sotto_i_clusters_new(&c->cells.by_features, c->features.rows, SOTTO_I_FEATURE_CLUSTERS, err);
  for (size_t v = 0; status == SOTTO_OK && v < c->features.rows; v++) {
    double distance;
    c->cells.by_features.of[v] = (uint16_t)sotto_i_nearest_centre(&distance, centres, centres->rows,
                                                                  c->features.data + v * c->features.cols);
  }
  return status;
}

/* One group's counts, and what is read of them. */
static sotto_status count_group(sotto_matrix *told, sotto_i_fed_client *c, sotto_i_pilot_stage stage,
                                const sotto_i_clusters *known, sotto_error *err) {
  return sotto_i_fed_counts_of_pilots(&c->cells.pilots.read[sotto_i_pilots_kind(stage)], told, c, stage,
                                      stage == SOTTO_I_STAGE_FEATURES ? &c->cells.by_features : known, err);
}

static size_t moments_size(const sotto_i_federation *f, sotto_i_pilot_stage stage) {
  return sotto_i_fed_moments_size(f->classes, sotto_i_fed_cell_count(f, sotto_i_pilots_kind(stage)));
}

/* Blocks of both kinds, one after the other. */
static sotto_i_fed_pooled moments_of(const sotto_i_federation *f) {
  sotto_i_fed_pooled of = {.name = "moments of pilots",
                           .reason = "products of pilots' noisy counts, predictions and labels, by which one "
                                     "of two ways to count is chosen, unless secure-aggregation hides it",
                           .step = SOTTO_I_FED_POOL_PILOTS};
  for (size_t i = 0; i < stage_count; i++) of.count += moments_size(f, stages[i]);
  return of;
}

static sotto_status send_moments(sotto_i_fed_client *c, const sotto_matrix *logits,
                                 const sotto_i_clusters *known, sotto_error *err) {
  const sotto_i_federation *f = c->federation;
  const sotto_i_fed_pooled of = moments_of(f);
  const sotto_i_pilots *p = &c->cells.pilots;
  sotto_matrix told = {0};
  float *values = NULL, *block;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&values, of.count, sizeof *values, err));
  block = values;
  for (size_t i = 0; i < stage_count && p->nodes[stages[i]] != NULL; i++) {
    const sotto_i_pilot_stage stage = stages[i];
    SOTTO_TRY(count_group(&told, c, stage, known, err));
    sotto_i_fed_moments_add(block, logits, &told, sotto_i_fed_cell_count(f, sotto_i_pilots_kind(stage)),
                            c->data.labels, p->nodes[stage], p->count[stage]);
    sotto_matrix_free(&told);
    block += moments_size(f, stage);
  }
  SOTTO_TRY(sotto_i_fed_pool_send(c, &of, values, err));
done:
  sotto_matrix_free(&told);
  sotto_i_free(values);
  return status;
}

static sotto_status hear_number(float *number, const sotto_i_fed_client *c, const char *name,
                                sotto_error *err) {
  sotto_matrix row = {number, 1, 1};
  const sotto_status status = sotto_i_fed_pool_hear(c, name, &row, err);
  if (status != SOTTO_OK || *number == 0 || *number == 1) return status;
  return sotto_i_fail(err, SOTTO_PROTOCOL, "%s: the server says %g; it must be 0 or 1", name,
                      (double)*number);
}

static sotto_status save_cells(const sotto_i_fed_cells *cells, const sotto_i_job *job, sotto_error *err) {
  sotto_params *kind = NULL;
  size_t number;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&kind, err));
  SOTTO_TRY(sotto_params_add(kind, &number, kind_parameter, 1, 1, SOTTO_INIT_ZERO, false, NULL, err));
  sotto_params_value(kind, number)->data[0] = (float)cells->kind;
  const sotto_params *sets[] = {cells->centres, kind};
  SOTTO_TRY(sotto_i_job_save_params(job, cells_file, sets, 2, err));
done:
  sotto_params_free(kind);
  return status;
}

sotto_status sotto_i_fed_cells_choose(sotto_i_fed_client *c, const sotto_matrix *logits,
                                      const sotto_i_clusters *known, sotto_error *err) {
  const float count = (float)c->count[SOTTO_PART_TRAIN];
  float asked, kind;
  sotto_status status;
  if (!sotto_i_fed_can_choose(c->federation)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_fed_pool_send(c, &training_nodes, &count, err));
  SOTTO_TRY(hear_number(&asked, c, ask_name, err));
  if (asked == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_fed_centres_find(c, err));
  SOTTO_TRY(assign_clusters(c, err));
  SOTTO_TRY(draw_pilots(c, err));
  SOTTO_TRY(send_moments(c, logits, known, err));
  SOTTO_TRY(hear_number(&kind, c, kind_name, err));
  c->cells.kind = kind == 1 ? SOTTO_I_BY_FEATURES : SOTTO_I_BY_CLASS;
  if (c->federation->apart) SOTTO_TRY(save_cells(&c->cells, c->federation->job, err));
done:
  return status;
}

static sotto_status tell_number(sotto_i_fed_server *s, const char *name, const char *reason, bool yes,
                                sotto_error *err) {
  float number = yes ? 1 : 0;
  const sotto_matrix row = {&number, 1, 1};
  return sotto_i_fed_pool_tell(s, name, reason, &row, err);
}

static sotto_status measure_kinds(sotto_i_pilots *gains, sotto_i_fed_server *s, sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const sotto_i_fed_pooled of = moments_of(f);
  double *sums = NULL, *block;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&sums, of.count, sizeof *sums, err));
  SOTTO_TRY(sotto_i_fed_pool_gather(sums, s, &of, err));
  block = sums;
  for (size_t i = 0; i < stage_count; i++) {
    const sotto_i_cluster_kind kind = sotto_i_pilots_kind(stages[i]);
    SOTTO_TRY(sotto_i_fed_moments_gain(&gains->gain[kind], &gains->deviation[kind], block, f->classes,
                                       sotto_i_fed_cell_count(f, kind), err));
    block += moments_size(f, stages[i]);
  }
done:
  sotto_i_free(sums);
  return status;
}

sotto_status sotto_i_fed_cells_serve(sotto_i_fed_server *s, sotto_error *err) {
  sotto_i_pilots gains = {.group = NULL};
  double nodes;
  sotto_status status;
  if (!sotto_i_fed_can_choose(s->federation)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_fed_pool_gather(&nodes, s, &training_nodes, err));
  SOTTO_TRY(tell_number(s, ask_name, ask_reason, nodes >= enough, err));
  if (!(nodes >= enough)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_fed_centres_serve(s, err));
  SOTTO_TRY(measure_kinds(&gains, s, err));
  s->cells.kind = sotto_i_pilots_choose(&gains);
  sotto_i_log(s->job->observer, SOTTO_LOG_INFO,
              "pilots: counts by class lower the squared error by %.4g (standard error %.2g), by clusters of "
              "features by %.4g (%.2g); counted by %s",
              gains.gain[SOTTO_I_BY_CLASS], gains.deviation[SOTTO_I_BY_CLASS],
              gains.gain[SOTTO_I_BY_FEATURES], gains.deviation[SOTTO_I_BY_FEATURES],
              s->cells.kind == SOTTO_I_BY_CLASS ? "class" : "clusters of features");
  SOTTO_TRY(save_cells(&s->cells, s->job, err));
  SOTTO_TRY(tell_number(s, kind_name, kind_reason, s->cells.kind == SOTTO_I_BY_FEATURES, err));
done:
  return status;
}

sotto_status sotto_i_fed_cells_load(sotto_i_fed_cells *cells, const sotto_i_federation *f, const char *folder,
                                    sotto_error *err) {
  char *path = NULL;
  sotto_params *kind = NULL;
  size_t number;
  sotto_status status = SOTTO_OK;
  if (!sotto_i_fed_can_choose(f)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_folder_find(&path, folder, cells_file, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_params_new(&cells->centres, err));
  SOTTO_TRY(sotto_i_feature_clusters_new(cells->centres, columns_of(f), err));
  SOTTO_TRY(sotto_params_new(&kind, err));
  SOTTO_TRY(sotto_params_add(kind, &number, kind_parameter, 1, 1, SOTTO_INIT_ZERO, false, NULL, err));
  sotto_params *const sets[] = {cells->centres, kind};
  SOTTO_TRY(sotto_params_load(sets, 2, path, err));
  const float value = sotto_params_value(kind, 0)->data[0];
  if (value != SOTTO_I_BY_CLASS && value != SOTTO_I_BY_FEATURES)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: its kind is %g; it must be 0 or 1", path, (double)value);
  cells->kind = value == SOTTO_I_BY_FEATURES ? SOTTO_I_BY_FEATURES : SOTTO_I_BY_CLASS;
done:
  sotto_params_free(kind);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_fed_cells_find(sotto_i_fed_client *c, const char *folder, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_cells_load(&c->cells, c->federation, folder, err));
  if (c->cells.centres == NULL) return SOTTO_OK;
  SOTTO_TRY(assign_clusters(c, err));
  SOTTO_TRY(draw_pilots(c, err));
done:
  return status;
}
